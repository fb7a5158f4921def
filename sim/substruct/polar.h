// The rotation nearest to a matrix, from nowhere. Internal to sim/substruct. RT safe.
#ifndef PAL_SUBSTRUCT_POLAR_H
#define PAL_SUBSTRUCT_POLAR_H

// turn [9] maximises tr(turn^T b), det = +1: its quaternion is the top eigenvector of a 4 x 4 of
// the entries of b [9] [Horn87].
void pal_nearest_turn(const double *b, double *turn);

#endif
