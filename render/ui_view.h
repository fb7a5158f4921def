// The camera by keys and mouse, for every window. Pure; any thread.
#ifndef PAL_RENDER_UI_VIEW_H
#define PAL_RENDER_UI_VIEW_H

#include "render/ui_input.h"
#include "render/view.h"

// Keys that turn the view and go nearer; and those that change what is shown (colours, edges, ...).
// False: another key.
bool pal_ui_view_key(pal_view *view, pal_ui_action action);
// *said: words for it.
bool pal_ui_show_key(pal_view *view, pal_ui_action action, const char **said);

// What the mouse did from one frame to the next, in a picture of this size. wheel: notches.
void pal_ui_view_mouse(pal_view *view, const pal_ui_input *now, const pal_ui_input *before,
                       bool turns, bool shifts, double wheel, int32_t width, int32_t height);

#endif
