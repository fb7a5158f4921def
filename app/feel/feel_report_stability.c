// The stability of the device under the hand, in a report: where a wall stays quiet.
#include <stdlib.h>

#include "app/feel/feel_report_parts.h"
#include "app/feel/stability_map.h"

// (there is a trial that was run)
pal_status pal_report_stability(pal_html *html, const pal_feel *feel, const pal_progress *progress,
                                pal_err *err) {
    const pal_feel_trace *seen = &pal_feel_first_run(feel)->seen;
    pal_wall_loop loop;
    pal_stability_map map;
    char *svg = NULL;
    pal_wall_loop_defaults(&loop, &seen->limits);
    loop.device.delay = seen->delay;
    pal_status status = pal_stability_map_make(&map, &loop, &seen->limits, true, progress, err);
    if (status != PAL_OK) {
        return status;
    }
    status = pal_stability_map_svg(&map, &svg, err);
    pal_stability_map_free(&map);
    if (status == PAL_OK) {
        pal_html_heading(html, 2, "stability", "Stability of the device");
        pal_html_paragraph(html, "Every cell is a run of an analytic wall of stiffness K and "
                                 "damping B on this device, without a hand and without friction; "
                                 "the lines are what theory says. palpate selftest has the "
                                 "numbers.");
        pal_html_figures(html);
        pal_html_svg(html, svg, "Where a wall is stable on this device, measured and by theory.");
        pal_html_figures_end(html);
    }
    free(svg);
    return status;
}
