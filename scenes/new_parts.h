// The parts of new_scene.h, in the order of its work. Private to scenes/.
#ifndef PAL_SCENES_NEW_PARTS_H
#define PAL_SCENES_NEW_PARTS_H

#include <stdbool.h>

#include "scenes/new_scene.h"

// Mesh, surface, unit, box.
pal_status pal_new_read(pal_new_scene *made, const pal_new_wish *wish, const pal_progress *progress,
                        pal_err *err);
// Which way is up.
pal_status pal_new_stand(pal_new_scene *made, const pal_new_wish *wish, pal_err *err);
// What is held.
pal_status pal_new_hold(pal_new_scene *made, const pal_new_wish *wish, pal_err *err);
// Holds more of the lower end, for a body that yields there rather than where it is pressed; false:
// there is no more to hold, and all is as it was.
bool pal_new_hold_more(pal_new_scene *made);
// Where the probe presses, and the size of its tool.
pal_status pal_new_place(pal_new_scene *made, pal_err *err);
// How far a place is from what is held, m.
double pal_new_clear(const pal_new_scene *made, const double x[3]);
// How it yields there: material, depth, damping, basis.
pal_status pal_new_press(pal_new_scene *made, const pal_new_wish *wish,
                         const pal_progress *progress, pal_err *err);

// The nearest of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten.
double pal_new_round(double value);

#endif
