// Editing domains by hand: a window with the mesh in the colours of its domains, whose elements a
// person adds to one or takes from it with the mouse.
#ifndef PAL_APP_EDIT_WINDOW_H
#define PAL_APP_EDIT_WINDOW_H

#include "app/edit_script.h"

// Until the window is closed. `file`: where S saves to. Errors: no window, or the display was lost;
// what was edited stays. Main thread.
pal_status pal_edit_window(pal_editing *editing, const char *file, pal_err *err);

#endif
