// How a dent grows stiffer with its depth. Linear residual compliance lets go of a tool that is
// pressed in deeper than its radius R: the surface beside it is pushed away sideways, where in a
// real body it is stretched and holds on. So a load that is tangential to the surface at rest has
// less of an effect the deeper the dent is where it acts. By the energy that the loads f [vertex]
// store,
//
//     E(f) = 1/2 y^T G y,    y_v = n_v n_v.f_v + s(x_v) (f_v - n_v n_v.f_v),
//     x_v  = -n_v.(G f)_v / R,
//
// n_v the normal at rest, x_v the depth of the linear dent in radii. The dent is its gradient,
//
//     u_v = S_v (G y)_v + (G h)_v,    S_v = s + (1 - s) n n^T,
//     h_v = -s'(x_v) / R (f_v - n n.f_v).(G y)_v n_v,
//
// so that it is conservative; for shallow dents it is G f, bit for bit. (Contact takes n of a touch
// for its load, and n of each vertex for the dent: where these differ, on a curved surface, it is
// so only nearly.) For the next step the first part is linear in the forces, S G S, symmetric and
// positive semidefinite as G is; the second, which only stiffens, is kept. The stiffness against a
// tangential load, 1 / s^2, grows linearly,
//
//     1 / s^2 = 1 + 10 r,    r = d^2 / (d + 0.2),    d = max(0, x - 0.05),
//
// for f^2 / (1 + c x) is convex in f and x together. (That is not proven of E as a whole, where G
// couples normal and tangential loads; a growth with x^4 was seen to give way sideways on elements
// as wide as the ball.) Where the mesh is so coarse that R is less than three spacings of its
// vertices, R is those.
//
// 10 and 0.2 are fitted to balls of 4 and 8 mm pressed into a block of 1 mm tets of neo-Hookean
// full elements, in contact all over, nu = 0.4; the three spacings to blocks of 2, 5 and 10 mm
// elements. What the coordinates give way by is not stiffened: a block 14 mm thick under a ball of
// 5 mm was 4 % too soft at 1 mm and 9 % at 2.5 mm.
#ifndef PAL_CONTACT_STIFFENING_H
#define PAL_CONTACT_STIFFENING_H

#include <math.h>
#include <stdint.h>

#define PAL_STIFFENING_BEGIN 0.05 // x up to which a dent is linear

typedef struct pal_row_surface { // the surface at a row of the table, at rest
    float normal[3];             // unit; zero: not on the surface
    float spacing;               // m, to the next rows
} pal_row_surface;

typedef struct pal_stiffening {
    const pal_row_surface *surface; // [row_count]; NULL: dents stay linear
    int32_t tool;                   // whose press it is
    double radius;                  // m: R
} pal_stiffening;

// 1 / R at a row, 1/m. RT safe.
static inline double pal_stiffening_rate(const pal_stiffening *law, int32_t row) {
    return 1.0 / fmax(law->radius, 3.0 * (double)law->surface[row].spacing);
}

// s(x) and its derivative. RT safe.
static inline double pal_stiffening_share(double x, double *slope) {
    static const double growth = 10.0, soft = 0.2;
    const double d = x > PAL_STIFFENING_BEGIN ? x - PAL_STIFFENING_BEGIN : 0.0;
    const double s = 1.0 / sqrt(1.0 + growth * d * d / (d + soft));
    *slope = -0.5 * growth * d * (d + 2.0 * soft) / ((d + soft) * (d + soft)) * s * s * s;
    return s;
}

// S v in place, n a unit vector or zero (then s v). RT safe.
static inline void pal_stiffening_apply(const double n[3], double s, double v[3]) {
    const double along = (1.0 - s) * (n[0] * v[0] + n[1] * v[1] + n[2] * v[2]);
    for (int a = 0; a < 3; a++) {
        v[a] = s * v[a] + along * n[a];
    }
}

#endif
