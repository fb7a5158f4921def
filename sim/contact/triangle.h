// The nearest point of one triangle. RT safe.
#ifndef PAL_CONTACT_TRIANGLE_H
#define PAL_CONTACT_TRIANGLE_H

#include "sim/base/outcome.h"

// The point of the triangle nearest to x: its barycentric weights (none negative, sum 1; those of
// corners that have no part in it exactly 0) and its place. Returns the squared distance. Slivers
// and triangles shrunk to a line or a point are served as what they are. RT safe.
double pal_triangle_nearest(const double corner[3][3], const double x[3], double weight[3],
                            double point[3]);

#endif
