// Pictures of a trial at its hardest moment: the whole body, and what is under the tool.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/feel/feel_report_parts.h"
#include "app/shown.h"
#include "sim/base/vec3.h"

enum { WIDTH = 960, HEIGHT = 600 };

static pal_status take(pal_studio *studio, const pal_shown *shown, pal_view *view, double zoom,
                       pal_html *html, const char *caption, pal_err *err) {
    pal_image image = {0};
    uint8_t *png = NULL;
    size_t size = 0;
    pal_status status = pal_studio_fit(studio, view, &shown->shot, zoom, err);
    for (int c = 0; zoom > 1.0 && c < 3; c++) { // the tool in the middle
        view->centre[c] = shown->shot.hand[0].tool.x[c];
    }
    if (status == PAL_OK) {
        status = pal_studio_take(studio, view, &shown->shot, NULL, &image, err);
    }
    if (status == PAL_OK) {
        status = pal_image_encode_png(&image, &png, &size, err);
    }
    if (status == PAL_OK) {
        pal_html_png(html, png, size, caption);
    }
    free(png);
    pal_image_free(&image);
    return status;
}

static pal_status draw(pal_studio *studio, const pal_shown *shown, pal_html *html, pal_err *err) {
    char caption[200];
    pal_view view;
    pal_view_defaults(&view);
    view.scale = 1.5;
    snprintf(caption, sizeof caption,
             "The hardest moment, %.2f s into the trial, %.2f N; as it is, not exaggerated.",
             shown->shot.time, pal_norm3(shown->shot.hand[0].force));
    pal_html_figures(html);
    pal_status status = take(studio, shown, &view, 1.0, html, caption, err);
    if (status == PAL_OK && shown->shot.r > 0) {
        view.elevation = 26.0;
        view.wireframe = true;
        view.handles = false;
        view.colouring = PAL_BY_ENERGY;
        status = take(studio, shown, &view, 4.2, html,
                      "Under the tool at the same moment, coloured by the density of the strain "
                      "energy.",
                      err);
    }
    pal_html_figures_end(html);
    return status;
}

pal_status pal_report_pictures(pal_html *html, const pal_feel_trial *trial, const char *path,
                               pal_err *err) {
    pal_shown shown;
    pal_stage_spec spec;
    pal_studio studio;
    pal_err why;
    pal_status status = pal_shown_open(&shown, path, NULL, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_shown_spec(&shown.session, &spec);
    status = pal_studio_open(&studio, &spec, WIDTH, HEIGHT, &why);
    if (status != PAL_OK) {
        pal_html_remark(html, "note", "No picture of the body: %s", why.text);
        pal_shown_close(&shown);
        return PAL_OK;
    }
    status = pal_shown_go(&shown, pal_shown_hardest(&trial->trace), NULL, err);
    if (status == PAL_OK) {
        status = draw(&studio, &shown, html, err);
    }
    pal_studio_close(&studio);
    pal_shown_close(&shown);
    return status;
}
