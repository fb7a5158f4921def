// What the dents under the tools add to W: residual compliance between the touches of each patch,
// of patches on one part, and where domains meet; as stiff as the dents have grown (stiffening.h).
#include <math.h>
#include <string.h>

#include "sim/base/polar.h"
#include "sim/contact/contacts_parts.h"
#include "sim/contact/domains.h"

// How the surface under a tool has turned: the mean of what its touches' triangles have done,
// without their dents.
static void triangle_axes(double corner[3][3], double axis[3][3]) {
    double ab[3], ac[3];
    pal_sub3(corner[1], corner[0], ab);
    pal_sub3(corner[2], corner[0], ac);
    pal_cross3(ab, ac, axis[2]);
    const double length = pal_norm3(ab), area = pal_norm3(axis[2]);
    for (int a = 0; a < 3; a++) {
        axis[0][a] = length > 0.0 ? ab[a] / length : 0.0;
        axis[2][a] = area > 0.0 ? axis[2][a] / area : 0.0;
    }
    pal_cross3(axis[2], axis[0], axis[1]);
}

static void surface_turn(const pal_body *body, const pal_touch_set *set, double turn[3][3]) {
    double sum[3][3] = {{0.0}};
    for (int32_t i = 0; i < set->count; i++) {
        double now[3][3], rest[3][3], corner[3][3], still[3][3];
        for (int k = 0; k < 3; k++) {
            const int32_t point = pal_body_corner(body, set->item[i].triangle, k);
            body->functions->undented(body, point, corner[k]);
            pal_body_rest(body, point, still[k]);
        }
        triangle_axes(corner, now);
        triangle_axes(still, rest);
        for (int a = 0; a < 9; a++) {
            for (int k = 0; k < 3; k++) {
                sum[a / 3][a % 3] += set->item[i].area * now[k][a / 3] * rest[k][a % 3];
            }
        }
    }
    pal_polar(sum, turn);
}

// What of the surface a tool touches and holds there, as listed.
static void touched_at(const pal_contacts *c, const pal_contact_patch *patch, const pal_tool *tool,
                       pal_touch_set *set) {
    static const double held_area = 1e-6; // m^2, beside those of the touches
    const int32_t end = patch->first + patch->count;
    set->count = 0;
    set->level = patch->part.level;
    for (int32_t i = patch->first; i < end && set->count < PAL_MAX_TOUCHES; i++) {
        const pal_contact_place *place = &c->place[i];
        pal_touch *item = &set->item[set->count++];
        if (place->touch >= 0) {
            *item = tool->set.item[place->touch];
        } else {
            *item = (pal_touch){.id = -1, .triangle = place->triangle, .area = held_area};
            memcpy(item->weight, place->weight, sizeof item->weight);
        }
    }
}

// How much softer than baked the surface there is: 1/E of the regions that are touched, by what
// presses on each (by their areas at the first touch).
static double softer_by(const pal_contacts *c, const pal_contact_scene *scene, int32_t first,
                        const pal_touch_set *set) {
    double pushed = 0.0, push = 0.0, spread = 0.0, area = 0.0;
    for (int32_t k = 0; scene->local_scale != NULL && k < set->count; k++) {
        const pal_touch *touch = &set->item[k];
        const double scale = scene->local_scale[scene->region_of_triangle[touch->triangle]];
        const double f = fmax(0.0, pal_dot3(c->force + 3 * (first + k), touch->normal));
        pushed += f * scale;
        push += f;
        spread += touch->area * scale;
        area += touch->area;
    }
    return push > 0.0 ? pushed / push : area > 0.0 ? spread / area : 1.0;
}

// How far the places of two patches are from each other at rest, m, or a little less.
static double apart_at_rest(const pal_contacts *c, const pal_body *body, const pal_contact_patch *s,
                            const pal_contact_patch *t) {
    const pal_contact_patch *patch[2] = {s, t};
    double low[2][3], high[2][3], apart[3];
    for (int k = 0; k < 2; k++) {
        for (int a = 0; a < 3; a++) {
            low[k][a] = INFINITY;
            high[k][a] = -INFINITY;
        }
        for (int32_t i = patch[k]->first; i < patch[k]->first + patch[k]->count; i++) {
            for (int m = 0; m < 9; m++) {
                double x[3];
                pal_body_rest(body, pal_body_corner(body, c->place[i].triangle, m / 3), x);
                low[k][m % 3] = fmin(low[k][m % 3], x[m % 3]);
                high[k][m % 3] = fmax(high[k][m % 3], x[m % 3]);
            }
        }
    }
    for (int a = 0; a < 3; a++) {
        apart[a] = fmax(0.0, fmax(low[0][a] - high[1][a], low[1][a] - high[0][a]));
    }
    return pal_norm3(apart);
}

// Of the touches that a tool is near to, few press, and mostly the same at every tick: what the
// others would do to the surface is found only if they are needed. A first touch tells nothing.
static void guess_pressing(pal_contacts *c, const pal_contact_scene *scene, int32_t t) {
    bool known = false;
    for (int32_t i = c->first[t]; i < c->first[t + 1]; i++) {
        const pal_contact_law *law = &c->law[i];
        const double *f = c->force + 3 * i;
        const bool pressed = f[0] != 0.0 || f[1] != 0.0 || f[2] != 0.0;
        c->presses[i] = pressed || law->held || law->adhesion > 0.0 ||
                        !(scene->tool[t].set.item[c->place[i].touch].gap >= 0.0);
        known = known || pressed;
    }
    for (int32_t i = c->first[t]; i < c->first[t + 1] && !known; i++) {
        c->presses[i] = true;
    }
}

static bool has_joints(const pal_contact_scene *scene) {
    return scene->domains != NULL && scene->domains->joints != NULL;
}

// What is touched there, and how that gives way.
static pal_outcome gather_patch(pal_contacts *c, const pal_contact_scene *scene,
                                pal_contact_patch *patch) {
    const pal_soft_part *part = &patch->part;
    pal_touch_set set;
    touched_at(c, patch, &scene->tool[patch->tool], &set);
    surface_turn(scene->body, &set, patch->turn);
    patch->softer = part->softer * softer_by(c, scene, patch->first, &set);
    for (int32_t k = 0; k < set.count; k++) {
        set.item[k].triangle -= part->first_triangle;
        set.item[k].id -= part->first_id;
    }
    if (has_joints(scene)) {
        pal_joint_gather(part, &set, &patch->touches);
    }
    return pal_local_gather(part->local, part->body, part->footprint, &set, &patch->rows);
}

// What the forces of one patch do to the points of another of the same part: two tools may press on
// both sides of a thin place.
static void add_local_across(pal_contacts *c, const pal_contact_scene *scene,
                             const pal_dent *dent) {
    for (int k = 0; k < PAL_CONTACT_PATCHES * PAL_CONTACT_PATCHES; k++) {
        const pal_contact_patch *from = &c->patch[k / PAL_CONTACT_PATCHES];
        const pal_contact_patch *to = &c->patch[k % PAL_CONTACT_PATCHES];
        if (from != to && from->count > 0 && to->count > 0 &&
            from->part.number == to->part.number &&
            apart_at_rest(c, scene->body, from, to) < from->part.size * from->part.local->radius) {
            double turn[3][3];
            memcpy(turn, from->turn, sizeof turn);
            pal_local_add_across(from->part.local, &from->rows, &to->rows, &from->law,
                                 from->part.dent != NULL ? from->part.dent : dent, from->softer,
                                 turn, c->w + 3 * (to->first * c->stride + from->first), c->stride);
        }
    }
}

// The columns of the dents in W, of those that press.
static void add_columns(pal_contacts *c, const pal_contact_scene *scene, const bool *presses) {
    for (int p = 0; p < PAL_CONTACT_PATCHES; p++) {
        pal_contact_patch *patch = &c->patch[p];
        if (patch->count > 0) {
            pal_local_add(&patch->rows, presses + patch->first, patch->softer, patch->turn,
                          c->w + 3 * patch->first * (c->stride + 1), c->stride);
        }
    }
    if (has_joints(scene)) {
        pal_contacts_add_joints(c, scene, presses);
    }
}

// How much stiffer than at rest the dents under a patch are.
static void stiffen(const pal_contact_scene *scene, const pal_dent *dent,
                    pal_contact_patch *patch) {
    const pal_soft_part *part = &patch->part;
    const double feature = scene->tool[patch->tool].options.shape.feature;
    patch->law = (pal_stiffening){
        .surface = part->rows, .tool = patch->tool, .radius = feature / part->size};
    pal_local_stiffen(&patch->rows, &patch->law, part->dent != NULL ? part->dent : dent);
}

pal_outcome pal_contacts_add_dents(pal_contacts *c, const pal_contact_scene *scene,
                                   const pal_dent *dent) {
    pal_outcome outcome = pal_contacts_list_patches(c, scene);
    for (int32_t t = 0; t < scene->tool_count; t++) {
        guess_pressing(c, scene, t);
    }
    for (int p = 0; p < PAL_CONTACT_PATCHES; p++) {
        if (c->patch[p].count > 0) {
            outcome |= gather_patch(c, scene, &c->patch[p]);
            stiffen(scene, dent, &c->patch[p]);
        }
    }
    add_columns(c, scene, c->presses);
    add_local_across(c, scene, dent);
    return outcome;
}

bool pal_contacts_add_missing(pal_contacts *c, const pal_contact_scene *scene) {
    bool missing[PAL_MAX_CONTACTS], any = false;
    for (int32_t i = 0; i < c->count; i++) {
        const double *f = c->force + 3 * i;
        missing[i] = !c->presses[i];
        any = any || (missing[i] && (f[0] != 0.0 || f[1] != 0.0 || f[2] != 0.0));
    }
    if (any) {
        add_columns(c, scene, missing);
    }
    for (int32_t i = 0; i < c->count && any; i++) {
        c->presses[i] = true;
    }
    return any;
}
