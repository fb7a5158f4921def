// The contacts of all tools with one body as one problem: rows, compliance, forces, and back.
//
//     delta = gap n + (tool's motion) - (body's motion) + W lambda
//     W     = J A^-1 J^T  (the body's step, from its own factor)
//           + R G R^T     (the dents, local.h)
//           + coupling    (the tool in the hand)  + softness of the surface
//
// All in the axes of the world; lambda is the force on the tool, -lambda that on the body.
#ifndef PAL_CONTACT_CONTACTS_H
#define PAL_CONTACT_CONTACTS_H

#include "sim/contact/joint.h"
#include "sim/contact/response.h"
#include "sim/contact/surface_law.h"
#include "sim/contact/tool.h"
#include "sim/reduced/newmark.h"

enum {
    PAL_CONTACT_ROWS = 3 * PAL_MAX_CONTACTS,
    PAL_CONTACT_PATCHES = 8, // at once
};

typedef struct pal_contact_place { // where a contact is
    int32_t tool;
    int32_t touch; // of the tool's set; -1: what it holds
    int32_t triangle;
    double weight[3]; // barycentric
    double arm[3];    // m, from the tool's origin
    double offset;    // m, where the layer's spring begins above the surface, by its damper
} pal_contact_place;

typedef struct pal_contact_patch { // what a tool touches of a part of the body that dents
    int32_t tool;
    int32_t first, count; // its contacts; none: it is not in use
    pal_soft_part part;
    double turn[3][3];         // of the surface there, from rest to now
    double softer;             // than baked: what the dents there are scaled by
    pal_joint_touches touches; // of a tree
    pal_stiffening law;        // of its dents
    pal_local_rows rows;
} pal_contact_patch;

typedef struct pal_contacts {
    int32_t count;
    int32_t stride;                   // of w and x: 3 count rounded up to 8
    int32_t first[PAL_MAX_TOOLS + 1]; // of each tool's contacts; what it holds is the last of them
    pal_contact_place place[PAL_MAX_CONTACTS];
    pal_contact_law law[PAL_MAX_CONTACTS];
    int32_t sweeps;                               // of the last solution
    double unsolved;                              // m, what its last sweep still changed
    pal_contact_patch patch[PAL_CONTACT_PATCHES]; // each stays where it is from tick to tick
    bool presses[PAL_MAX_CONTACTS];               // whose columns W has, as far as the dents go
    _Alignas(64) double free[PAL_CONTACT_ROWS];
    _Alignas(64) double force[PAL_CONTACT_ROWS];
    _Alignas(64) double moved[PAL_CONTACT_ROWS];                // free + W force
    _Alignas(64) double row[PAL_CONTACT_ROWS][PAL_MAX_R];       // J
    _Alignas(64) double x[PAL_MAX_R * PAL_CONTACT_ROWS];        // J^T, then halved: [size][stride]
    _Alignas(64) double w[PAL_CONTACT_ROWS * PAL_CONTACT_ROWS]; // [3 count][stride]
} pal_contacts;

// What touches and rubs: the surface, and what gives way beside the coordinates.
typedef struct pal_contact_scene {
    const pal_body *body;
    int32_t tool_count;
    pal_tool *tool; // [tool_count]; what they touch at most and hold is PAL_MAX_CONTACTS together
    const pal_surface_law *law;
    const uint8_t *law_of_triangle;     // [triangle_count], NULL: all law[0]
    struct pal_domains *domains;        // of a tree, whose parts dent each by itself; NULL: none
    const pal_local *local;             // of a body of one piece; NULL: none
    const pal_row_surface *local_rows;  // of its rows; NULL: its dents stay linear
    const pal_footprint *footprint;     // of the tools' shell; NULL: touches press as points
    const uint16_t *region_of_triangle; // [triangle_count]
    // E as baked / E now of each region; NULL: all 1. (Poisson's ratio is left out: from 0.3 to
    // 0.49 the dent under a tip changes by 16 %, by 1 - nu^2; what else it changes is not in one
    // number.)
    const double *local_scale;
    double dt;
    int32_t visits; // to contacts in a tick, at most: few contacts are swept over more often
} pal_contact_scene;

// Between the body's begin and finish: lists the contacts, sets up the problem and solves it. dent:
// of a body of one piece, as it is. RT safe.
pal_outcome pal_contacts_solve(pal_contacts *contacts, const pal_contact_scene *scene,
                               const pal_dent *dent);

// What comes of it: the force on the coordinates [size]; the tools' forces, memories and places;
// and the dent. still: the body will not move on by it. RT safe.
void pal_contacts_apply(pal_contacts *contacts, const pal_contact_scene *scene, bool still,
                        double *reduced, pal_dent *dent);

#endif
