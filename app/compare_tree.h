// `palpate compare` for bodies of domains: the same motion begun in the united mesh by full finite
// elements and in the tree under each of the three inertias.                          [BZ11 fig. 7]
#ifndef PAL_APP_COMPARE_TREE_H
#define PAL_APP_COMPARE_TREE_H

#include "app/compare.h"
#include "scenes/scene.h"
#include "sim/model/tree_unite.h"
#include "sim/substruct/tree_step.h"

enum { PAL_TREE_WATCHED = 2, PAL_TREE_WAYS = 4, PAL_TREE_FREQUENCIES = 5 };

// Times as stiff as their material: how rigid domains are in the united mesh.
#define PAL_TREE_STIFF 1e4

// Full, interface (L1), centre (L2), exact: the places of what follows.
enum { PAL_WAY_FULL, PAL_WAY_INTERFACE, PAL_WAY_CENTRE, PAL_WAY_EXACT };
extern const char *const pal_tree_way_name[PAL_TREE_WAYS]; // "full finite elements", "L1 interface"
extern const char *const pal_tree_way_key[PAL_TREE_WAYS];  // for JSON

typedef struct pal_watched { // a vertex whose path is kept
    int32_t domain, vertex;  // of its class
    int32_t whole;           // of the united mesh; -1: there is none
} pal_watched;

typedef struct pal_tree_way {
    bool is_there;
    bool lost;                           // the motion became infinite, or an interface was torn:
    double lost_after;                   // s; nothing is known of it from then on
    double hz[PAL_TREE_FREQUENCIES];     // lowest frequencies; NAN: fewer
    pal_motion motion[PAL_TREE_WATCHED]; // `along` the way the vertex first goes
    double *deviation; // [count] largest of all interfaces, |Q^T B - C| / |C|; NULL: full
} pal_tree_way;

typedef struct pal_tree_comparison {
    const pal_job *job;
    pal_scene *scene;
    pal_tree_model model;
    pal_tree_united united;
    bool is_whole;    // the domains could be united: the truth can be had
    char why[256];    // else the reason
    bool too_large;   // for its motion, if nothing is said of its steps
    bool has_full;    // its motion too
    int32_t parts;    // steps of the tree in one of the full body
    pal_trial trial;  // dt, steps, damping; fem of the united mesh
    double hz;        // the slowest frequency: of the whole, of exact, or estimated
    double angle;     // rad that the blow is to turn the most turned domain by, by linear theory
    double speed;     // of the mode in its own unit: sqrt(2 energy)
    double *velocity; // [3 vertex_count] of the united mesh at the start
    double root_twist[6]; // of a root that flies, at the start, in its own axes
    double *start;        // [domain_count][PAL_DOMAIN_MOST_MODES] q' of every domain at the start
    pal_watched watched[PAL_TREE_WATCHED];
    pal_tree_way way[PAL_TREE_WAYS];
} pal_tree_comparison;

extern const pal_option pal_options_compare_tree[]; // --bend, --watch, --no-full

// An error when an option was given that does not go with a body of domains, or only with one.
pal_status pal_compare_tree_check(const pal_job *job, const pal_scene *scene, pal_err *err);

// The whole command for a scene with domains. `picture`: where to draw.
pal_status pal_compare_tree(const pal_job *job, pal_scene *scene, const char *picture,
                            pal_err *err);

// compare_tree_blow.c: the velocity at the start, `start` and `velocity` and speed and times.
pal_status pal_tree_blow_make(pal_tree_comparison *c, pal_err *err);
void pal_tree_blow_apply(const pal_tree_comparison *c, pal_tree_state *state);

// compare_tree_tell.c
pal_status pal_compare_tree_tell(const pal_tree_comparison *c, const char *picture, pal_err *err);
pal_status pal_compare_tree_draw(const pal_tree_comparison *c, const char *picture, pal_err *err);

#endif
