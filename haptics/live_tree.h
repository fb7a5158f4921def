// A baked tree of domains brought to life: its state in time, its surface as contact sees it, and
// the wind in it.
#ifndef PAL_HAPTICS_LIVE_TREE_H
#define PAL_HAPTICS_LIVE_TREE_H

#include "haptics/live_body.h"
#include "sim/contact/domains_build.h"
#include "sim/model/tree_model.h"

enum { PAL_WIND_WAVES = 3 };

typedef struct pal_wind { // the mean, and gusts that go with it across the tree
    double direction[3];  // a unit vector
    double speed, gust;   // m/s: the mean, and how far it strays from it; 0: no wind
    double period;        // s, of the gusts
} pal_wind;

// How fast a wave of the gusts goes, rad/s: the second and third are quicker by the golden section
// and by its square.
static inline double pal_wind_rate(const pal_wind *wind, int wave) {
    static const double quicker[PAL_WIND_WAVES] = {1.0, 1.618033988749895, 2.618033988749895};
    return 6.283185307179586 * quicker[wave] / wind->period;
}

typedef struct pal_live_tree {
    const pal_tree_model *model; // borrowed
    pal_tree_state *state;
    pal_domains domains;
    const pal_joints *joints; // the model's, or its own where those do not fit; NULL: none
    pal_joints own_joints;
    pal_domain_skin *skin; // [class_count]; their bases are owned
    pal_wind wind;
    double blown;  // s, that the wind has blown
    double *drag;  // [domain_count] 1/m: acceleration for the square of the wind's speed
    double *phase; // [domain_count][PAL_WIND_WAVES][2] cosine and sine of how late a gust comes
} pal_live_tree;

typedef struct pal_live_tree_options {
    double dt; // s
    pal_inertia inertia;
    double gravity[3]; // m/s^2
    pal_wind wind;
    int threads;
    double feature;       // m, as in pal_live_options
    const pal_keep *keep; // as in pal_live_options
    bool no_dents;        // none will be made: the tables of where domains meet are not needed
} pal_live_tree_options;

// As pal_live_body_open, of a tree. The model is borrowed until pal_live_body_close. Set-up only.
pal_status pal_live_tree_open(pal_live_body *live, const pal_tree_model *model,
                              const pal_live_tree_options *options, pal_err *err);
void pal_live_tree_close(pal_live_tree *tree); // NULL is allowed

// As pal_live_body_set_surface; a region is one of any class.
pal_status pal_live_tree_set_surface(pal_live_body *live, const pal_surface_law *base,
                                     const pal_surface_rule *rule, int count, pal_err *err);

#endif
