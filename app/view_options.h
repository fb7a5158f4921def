// How `picture` and `film` are told what to show: the camera, the size, the colours, the overlays.
#ifndef PAL_APP_VIEW_OPTIONS_H
#define PAL_APP_VIEW_OPTIONS_H

#include "app/options.h"
#include "render/studio.h"

typedef struct pal_view_wish {
    pal_view view; // without centre and distance, which fitting sets
    double zoom;
    int32_t width, height;
    pal_deform_way way;
} pal_view_wish;

extern const pal_option pal_options_view[]; // --camera, --size, --color, --wireframe, ...

pal_status pal_view_read(const pal_args *args, pal_view_wish *wish, pal_err *err);

// The words for a colouring, as --color has them.
const char *pal_view_colouring_name(pal_colouring colouring);

#endif
