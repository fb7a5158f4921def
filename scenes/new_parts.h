// The parts of new_scene.h, in the order of its work. Private to scenes/.
#ifndef PAL_SCENES_NEW_PARTS_H
#define PAL_SCENES_NEW_PARTS_H

#include "scenes/new_scene.h"

// Mesh, surface, unit, box.
pal_status pal_new_read(pal_new_scene *made, const pal_new_wish *wish, const pal_progress *progress,
                        pal_err *err);
// Which way is up.
pal_status pal_new_stand(pal_new_scene *made, const pal_new_wish *wish, pal_err *err);
// What is held.
pal_status pal_new_hold(pal_new_scene *made, const pal_new_wish *wish, pal_err *err);
// Where the probe presses, and the size of its tool.
pal_status pal_new_place(pal_new_scene *made, pal_err *err);
// How it yields there: material, depth, damping, basis.
pal_status pal_new_press(pal_new_scene *made, const pal_new_wish *wish,
                         const pal_progress *progress, pal_err *err);

// The nearest of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten.
double pal_new_round(double value);

#endif
