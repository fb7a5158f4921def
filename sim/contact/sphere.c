#include "sim/contact/sphere.h"

#include <math.h>

#include "sim/base/vec3.h"
#include "sim/contact/track.h"

// The surface is watched from as far as the tool comes in this time; nobody moves faster.
static const double look_ahead = 0.01, top_speed = 10.0; // s, m/s

// Below this share of the radius the direction to the nearest point says nothing.
static const double touching_share = 1e-6;

void pal_sphere_init(pal_sphere_contact *tool, double radius, double stiffness, double damping,
                     int32_t budget) {
    *tool = (pal_sphere_contact){
        .radius = radius,
        .stiffness = stiffness,
        .damping = damping,
        .budget = budget,
        .hint = -1,
    };
}

static bool is_behind(const pal_bdtree *tree, const pal_body *body, const double x[3],
                      const pal_nearest *nearest) {
    double normal[3], from[3];
    pal_track_normal(tree, body, nearest, normal);
    pal_sub3(x, nearest->point, from);
    return pal_dot3(from, normal) < 0.0;
}

// Outside the sphere about the whole body one is outside.
static bool is_far(const pal_bdtree *tree, const pal_body *body, const double x[3]) {
    double centre[3], apart[3];
    double radius = pal_bdtree_sphere(tree, body->q, 0, centre);
    pal_sub3(x, centre, apart);
    return pal_norm3(apart) > radius;
}

// Asks the tree, given what tracking found in front of the surface (triangle -1: nothing). Only a
// finished search can tell that the centre is inside.
static pal_outcome look_around(pal_sphere_contact *tool, const pal_bdtree *tree,
                               const pal_body *body, const double x[3], double reach,
                               pal_nearest *nearest, bool *behind) {
    pal_nearest tracked = *nearest;
    int32_t hint = tracked.triangle >= 0 ? tracked.triangle : tool->hint;
    bool known = tool->known || is_far(tree, body, x);
    pal_outcome outcome =
        pal_bdtree_nearest(tree, body, x, known ? reach : INFINITY, hint, tool->budget, nearest);
    if (outcome == 0) {
        tool->known = true;
        *behind = nearest->triangle >= 0 && is_behind(tree, body, x, nearest);
    } else if (outcome == PAL_OUT_BUDGET && tracked.triangle >= 0) {
        tracked.nodes = nearest->nodes;
        *nearest = tracked;
    }
    return outcome;
}

// The direction between centre and point; where they meet, the surface's own normal.
static void find_normal(pal_sphere_contact *tool, const pal_bdtree *tree, const pal_body *body,
                        const double x[3], const pal_nearest *nearest) {
    double normal[3];
    if (nearest->distance > touching_share * tool->radius) {
        for (int c = 0; c < 3; c++) {
            double out = (x[c] - nearest->point[c]) / nearest->distance;
            tool->normal[c] = tool->inside ? -out : out;
        }
        return;
    }
    pal_track_normal(tree, body, nearest, normal);
    for (int c = 0; c < 3 && pal_dot3(normal, normal) > 0.0; c++) {
        tool->normal[c] = normal[c];
    }
}

static void fill_spring(const pal_sphere_contact *tool, const pal_body *body,
                        const pal_contact *contact, double *row, pal_spring *spring) {
    for (int32_t l = 0; l < body->size; l++) {
        row[l] = 0.0;
    }
    for (int i = 0; i < 3; i++) {
        double direction[3], weight = contact->nearest.weight[i];
        for (int c = 0; c < 3; c++) {
            direction[c] = -weight * contact->normal[c];
        }
        if (weight > 0.0) {
            int32_t point = body->triangle[3 * (int64_t)contact->nearest.triangle + i];
            body->functions->add_row(body, point, direction, row);
        }
    }
    *spring = (pal_spring){
        .row = row,
        .depth = contact->depth,
        .k = tool->stiffness,
        .b = tool->damping,
    };
}

pal_outcome pal_sphere_find(pal_sphere_contact *tool, const pal_bdtree *tree, const pal_body *body,
                            const double x[3], const double v[3], double *row, pal_spring *spring,
                            pal_contact *contact) {
    double reach = 2.0 * tool->radius + look_ahead * fmin(pal_norm3(v), top_speed);
    pal_outcome outcome = 0;
    bool behind = false;
    *contact = (pal_contact){.nearest = {.triangle = -1, .distance = INFINITY}};
    pal_nearest *nearest = &contact->nearest;

    // Go along with the surface that was near; look around unless the centre is behind it.
    if (tool->near && tool->hint >= 0) {
        pal_track_nearest(tree, body, x, tool->hint, nearest);
        behind = is_behind(tree, body, x, nearest);
    }
    if (!behind) {
        outcome = look_around(tool, tree, body, x, reach, nearest, &behind);
    }
    if (outcome & PAL_OUT_NAN) {
        return outcome;
    }

    // Remember.
    tool->inside = behind;
    tool->near = nearest->triangle >= 0 && (behind || nearest->distance <= reach);
    tool->hint = nearest->triangle >= 0 ? nearest->triangle : tool->hint;

    // The contact, and its spring.
    double depth = tool->radius - (behind ? -nearest->distance : nearest->distance);
    contact->touching = depth > 0.0;
    if (contact->touching) {
        contact->depth = depth;
        find_normal(tool, tree, body, x, nearest);
        for (int c = 0; c < 3; c++) {
            contact->point[c] = nearest->point[c];
            contact->normal[c] = tool->normal[c];
        }
        fill_spring(tool, body, contact, row, spring);
    }
    return outcome;
}
