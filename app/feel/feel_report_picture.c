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

// Near enough to see what the tool does: some of its radii, of a tree that is large beside it.
static double zoom_to(const pal_shown *shown) {
    static const double radii = 25.0, least = 4.2;
    const pal_surface *surface = &shown->session.model.surface;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double size = 0.0;
    for (int64_t k = 0; k < 3 * (int64_t)surface->vertex_count; k++) {
        low[k % 3] = fmin(low[k % 3], surface->x[k]);
        high[k % 3] = fmax(high[k % 3], surface->x[k]);
    }
    for (int c = 0; c < 3; c++) {
        size = fmax(size, high[c] - low[c]);
    }
    const double across = radii * shown->session.tool[0].shape.feature;
    return shown->session.scene.has_domains ? fmax(least, size / across) : least;
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
    const bool tree = shown->session.scene.has_domains;
    if (status == PAL_OK && (shown->shot.r > 0 || tree)) {
        view.elevation = 26.0;
        view.wireframe = true;
        view.handles = false;
        view.colouring = tree ? PAL_BY_REGION : PAL_BY_ENERGY;
        status = take(studio, shown, &view, zoom_to(shown), html,
                      tree ? "Under the tool at the same moment, coloured by domain."
                           : "Under the tool at the same moment, coloured by the density of the "
                             "strain energy.",
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
