#include "app/view_options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const colouring_name[] = {
    [PAL_BY_DISPLACEMENT] = "displacement", [PAL_BY_REGION] = "region", [PAL_BY_ENERGY] = "energy"};

const pal_option pal_options_view[] = {
    {.name = "--camera",
     .kind = PAL_OPTION_TEXT,
     .argument = "AZ,EL[,ZOOM]",
     .fallback = "25,22",
     .help =
         "from where: degrees round the body (0 from -y, 90 from +x; where y is up, 0 from +z), "
         "degrees above the horizon, and how many times nearer than all of it in the picture"},
    {.name = "--size",
     .kind = PAL_OPTION_TEXT,
     .argument = "WxH",
     .fallback = "1280x800",
     .help = "pixels"},
    {.name = "--color",
     .kind = PAL_OPTION_CHOICE,
     .argument = "displacement|region|energy",
     .fallback = "displacement",
     .help = "what the body's colours show: how far each place has moved, its material region, or "
             "the density of the strain energy"},
    {.name = "--wireframe", .help = "the edges of the surface"},
    {.name = "--volume", .help = "the elements of the volume mesh, through the surface"},
    {.name = "--fixed", .help = "the vertices that are held"},
    {.name = "--trainer",
     .help = "the trainer's view: the body as wet tissue, the tools and the force as one bar, "
             "without words, marks and numbers"},
    {.name = "--plain", .help = "no words, no marks of contact and force: body and tools alone"},
    {.name = "--deform",
     .kind = PAL_OPTION_CHOICE,
     .argument = "auto|gpu|cpu",
     .fallback = "auto",
     .help = "where the body is deformed; auto: on the GPU when there is one"},
    {.name = NULL},
};

const char *pal_view_colouring_name(pal_colouring colouring) {
    return colouring_name[colouring];
}

static pal_status read_camera(const char *text, pal_view_wish *wish, pal_err *err) {
    double number[3] = {0.0, 0.0, 1.0};
    int count = 0, used = 0;
    char rest = '\0';
    if (sscanf(text, "%lf,%lf%n", &number[0], &number[1], &used) == 2) {
        count = 2;
        if (text[used] == ',' && sscanf(text + used, ",%lf%c", &number[2], &rest) == 1) {
            count = 3;
        } else if (text[used] != '\0') {
            count = 0;
        }
    }
    const bool good = count > 0 && isfinite(number[0]) && fabs(number[1]) <= 90.0 &&
                      number[2] >= 0.05 && number[2] <= 200.0;
    if (!good) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "--camera '%.100s': write AZIMUTH,ELEVATION or AZIMUTH,ELEVATION,ZOOM in "
                        "degrees, the elevation from -90 to 90, the zoom from 0.05 to 200, such as "
                        "25,20,1.5",
                        text);
    }
    wish->view.azimuth = fmod(number[0], 360.0);
    wish->view.elevation = number[1];
    wish->zoom = number[2];
    return PAL_OK;
}

static pal_status read_size(const char *text, pal_view_wish *wish, pal_err *err) {
    long width = 0, height = 0;
    char rest = '\0';
    if (sscanf(text, "%6ldx%6ld%c", &width, &height, &rest) != 2 || width < 1 || height < 1 ||
        width > PAL_IMAGE_MOST || height > PAL_IMAGE_MOST) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "--size '%.100s': write WIDTHxHEIGHT in pixels, 1 to %d each, such as "
                        "1920x1080",
                        text, (int)PAL_IMAGE_MOST);
    }
    wish->width = (int32_t)width;
    wish->height = (int32_t)height;
    return PAL_OK;
}

pal_status pal_view_read(const pal_args *args, pal_view_wish *wish, pal_err *err) {
    memset(wish, 0, sizeof *wish);
    pal_view *view = &wish->view;
    pal_view_defaults(view);
    view->scale = 0.0; // by the size
    view->colouring = (pal_colouring)pal_args_choice(args, "--color");
    view->wireframe = pal_args_flag(args, "--wireframe");
    view->volume = pal_args_flag(args, "--volume");
    view->fixed = pal_args_flag(args, "--fixed");
    if (pal_args_flag(args, "--plain")) {
        view->labels = view->contacts = view->force = view->ghost = false;
    }
    if (pal_args_flag(args, "--trainer")) {
        const char *const other[] = {"--color", "--wireframe", "--volume", "--fixed"};
        for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
            if (pal_args_given(args, other[i])) {
                return pal_fail(err, PAL_ERR_USAGE,
                                "--trainer shows the body as tissue, without colours, edges and "
                                "marks: leave out %s, or --trainer",
                                other[i]);
            }
        }
        view->trainer = true;
        pal_view_settle(view);
    }
    wish->way = (pal_deform_way)pal_args_choice(args, "--deform");
    pal_status status = read_camera(pal_args_text(args, "--camera"), wish, err);
    return status == PAL_OK ? read_size(pal_args_text(args, "--size"), wish, err) : status;
}
