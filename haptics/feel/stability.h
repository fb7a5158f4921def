// When a sampled wall on a device stays quiet: the bounds of FEEL.md 3, and the exact border.
//
//     device   m x'' = F - b x' - c sgn(x'), and the hand of devices/device.h when there is one
//     wall     F = -K x - B v at every tick T, held until the next one, and t_d late
//     v        the difference of the readings through a low-pass of one pole (0: none)
//
// The law K < (b + B) / (T/2 + t_d) is the first term of a series. With tau = T/2 + t_d the border
// is b w / sin(w tau) with m w^2 = K cos(w tau) for B = 0: higher by about b tau / (6 m), which is
// 1.3 % for b = 1 N s/m on 45 g under 3 ms. A rendered B comes later than K, by the difference and
// its filter, and so takes mass away: it gives less than the law says (a filter of 3 ms: a sixth
// less for B = 0.5 N s/m), then nothing more, and above some B it is unstable by itself.
// pal_stability_border() knows all of it.
#ifndef PAL_FEEL_STABILITY_H
#define PAL_FEEL_STABILITY_H

#include "devices/device.h"

typedef struct pal_wall_plant {
    double dt, delay;       // T, t_d, s
    double mass, damping;   // m, kg; b, N s/m
    double friction;        // c, N
    double resolution;      // Delta of the encoder, m
    double velocity_filter; // s
    pal_hand hand;          // of mass 0: none
} pal_wall_plant;

// Colgate's passivity, b > K T/2 + |B|: the stiffness that is safe whatever hand holds the device,
// without delay; below 0: none is.
double pal_stability_passive(const pal_wall_plant *plant, double B);

// No hand: K < (b + B) / (T/2 + t_d), N/m.
double pal_stability_law(const pal_wall_plant *plant, double B);

// Abbott and Okamura: K <= min(2 b / T, 2 c / Delta), N/m: no ripple from the encoder's steps.
double pal_stability_quantised(const pal_wall_plant *plant);

// Above the law friction keeps swings up to this speed stable: V < (4/pi) c / (K tau - b - B), m/s;
// INFINITY below the law. Without delay and damper it is the form of FEEL.md 3.
double pal_stability_speed(const pal_wall_plant *plant, double K, double B);

// The same plant without friction and with a damper in its place that takes as much from swings of
// speed V, m/s: (4/pi) c / V, its describing function.
pal_wall_plant pal_stability_damped(const pal_wall_plant *plant, double V);

// The exact border of the sampled loop without friction: the K, N/m, at which, growing from 0, the
// first pole reaches the unit circle; 0 where the damper alone is unstable.
double pal_stability_border(const pal_wall_plant *plant, double B);

// Whether the loop without friction is stable at each of these K [count]. Under a long delay a hand
// may make it so again above the border.
void pal_stability_judge(const pal_wall_plant *plant, double B, const double *K, int count,
                         bool *stable);

// The speed law with the exact border in the place of the simple one: up to which speed a swing at
// K is stable, m/s; INFINITY below the border. The describing function is all that is approximate.
double pal_stability_border_speed(const pal_wall_plant *plant, double K, double B);

// The B, N s/m, from which on the damper alone (K = 0) is unstable; INFINITY: never.
double pal_stability_largest_damper(const pal_wall_plant *plant);

#endif
