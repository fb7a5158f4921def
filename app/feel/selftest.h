// The self-test of the haptic loop: what is measured of the analytic wall on a simulated device
// beside what theory says of it (haptics/feel/stability.h).
#ifndef PAL_APP_SELFTEST_H
#define PAL_APP_SELFTEST_H

#include "app/feel/stability_map.h"

#define PAL_SELFTEST_EXACT     0.001 // agreement of critical stiffnesses with the exact border
#define PAL_SELFTEST_STIFFNESS 0.01  // and with the simple law, where that border is as near to it
#define PAL_SELFTEST_SPEED     0.03  // and of critical speeds with friction
#define PAL_SELFTEST_CELLS     0.99  // share of the map's cells on the right side

enum { PAL_SELFTEST_BORDERS = 18, PAL_SELFTEST_SPEEDS = 9, PAL_SELFTEST_GRIPS = 4 };

typedef struct pal_selftest_border { // bare difference as velocity, no hand, no friction
    double b, B, delay;              // N s/m, N s/m, s
    double law, exact, measured;     // N/m
} pal_selftest_border;

typedef struct pal_selftest_speed { // B = 0
    double b, delay, friction, K;
    double law, exact, measured; // m/s; exact but for the describing function of the friction
} pal_selftest_speed;

typedef struct pal_selftest_safe { // the profile as it is, B = 0
    const char *grip;              // "none", "loose", "medium", "firm"
    double exact, measured;        // N/m, without friction
    double with_friction;          // N/m, measured with the profile's, for swings up to `speed`
} pal_selftest_safe;

typedef struct pal_selftest_wish {
    const pal_device_limits *limits; // the profile
    const char *grip;                // of the map
    double delay;                    // s, of the map and of the safe stiffness
    double friction;                 // N, of the map
    double speed;                    // m/s, of swings under friction
    bool passivity;                  // in the map
    bool quick;
} pal_selftest_wish;

typedef struct pal_selftest {
    pal_selftest_wish wish;
    int border_count, speed_count;
    pal_selftest_border border[PAL_SELFTEST_BORDERS];
    pal_selftest_speed speed[PAL_SELFTEST_SPEEDS];
    pal_selftest_safe safe[PAL_SELFTEST_GRIPS];
    double passive, quantised; // N/m: Colgate; Abbott and Okamura
    pal_stability_map map;
} pal_selftest;

// After a failure there is nothing to free.
pal_status pal_selftest_run(pal_selftest *test, const pal_selftest_wish *wish,
                            const pal_progress *progress, pal_err *err);
void pal_selftest_free(pal_selftest *test);

// The simple law is a first term; does it hold here to the bound, by the exact border?
bool pal_selftest_law_holds(const pal_selftest_border *border);

typedef struct pal_selftest_verdict { // worst of each, as a share
    double exact;                     // measured against the exact border
    double law;                       // against the simple law, where it holds
    int beyond;                       // borders where it does not
    double speed;                     // against the speed law
    double cells;                     // NAN: the theory does not know this map
    bool passed;
} pal_selftest_verdict;
pal_selftest_verdict pal_selftest_judge(const pal_selftest *test);

#endif
