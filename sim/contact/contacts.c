#include "sim/contact/contacts.h"

#include <math.h>
#include <string.h>

#include "sim/base/polar.h"
#include "sim/contact/contacts_parts.h"
#include "sim/contact/domains.h"
#include "sim/contact/texture.h"

static const double tolerance = 1e-8, bearable = 1e-6; // m, of the solution: wanted, accepted
enum { FEWEST_SWEEPS = 8 };

// ---- the list

const pal_surface_law *pal_contacts_law(const pal_contact_scene *scene, int32_t triangle) {
    return &scene->law[scene->law_of_triangle != NULL ? scene->law_of_triangle[triangle] : 0];
}

// Where a touch stood at the last tick among the tool's memories, -1: it is new.
static int32_t remembered(const pal_tool *tool, int32_t id) {
    for (int32_t k = 0; k < tool->last.count; k++) {
        if (tool->last.id[k] == id) {
            return k;
        }
    }
    return -1;
}

// A layer so soft that a small tool would sink into it under all that the hand can do is harder for
// that tool: a few cells of the shell, (feature / 3)^2 each, bear that force within one feature. A
// tool of more than 2 mm has many cells around it that share the load, and may sink in deeper.
static double layer_stiffness(const pal_surface_law *law, const pal_tool *tool) {
    static const double small = 2e-3; // m
    const double f = tool->options.shape.feature, share = fmin(1.0, small * small / (f * f));
    return fmax(law->stiffness, share * 2.0 * tool->options.max_force / (f * f * f));
}

// The law of a touch; its layer with the damper is one spring, k + b / dt, that begins at `offset`.
static void fill_law(const pal_contact_scene *scene, const pal_tool *tool, const pal_touch *touch,
                     int32_t known, pal_contact_law *out, double *offset) {
    const pal_surface_law *law = pal_contacts_law(scene, touch->triangle);
    const double k = layer_stiffness(law, tool) * touch->area;
    const double b = law->damping * touch->area / scene->dt;
    // A new point of a tool that was there already is slid onto, not struck
    const double slid = tool->last.count > 0 ? touch->gap : 0.0;
    const double before = fmin(known >= 0 ? tool->last.gap[known] : slid, 0.0);
    const bool bonded = known >= 0 && tool->last.gap[known] <= 0.0;
    *out = (pal_contact_law){
        .friction = tool->sliding ? law->dynamic_friction : law->static_friction,
        .adhesion = bonded ? law->adhesion * touch->area : 0.0,
        .softness = 1.0 / (k + b),
    };
    memcpy(out->normal, touch->normal, sizeof out->normal);
    *offset = -before * b / (k + b);
}

// Of the touches that a tool is near to, most stay open: those that do not bear and would not do so
// within twice their last motion, or a little more, need not be looked at. Of a tool that did not
// lean on the body, nothing is known; of one that is quick, beside its size, too little.
static bool may_bear(const pal_contact_scene *scene, const pal_tool *tool, const pal_touch *touch,
                     int32_t known) {
    static const double little = 2.5e-5; // m
    static const double slow = 0.1;      // of its feature a tick
    const bool bore = known >= 0 && pal_norm3(tool->last.force[known]) > 0.0;
    const bool quick = tool->reach > slow * tool->options.shape.feature;
    if (bore || quick || !(pal_norm3(tool->force) > 0.0)) {
        return true;
    }
    const double before = known >= 0 ? tool->last.found[known] : tool->last.margin;
    const double closing = fmax(0.0, before - touch->gap);
    const double bump = pal_contacts_law(scene, touch->triangle)->texture_height;
    return !(touch->gap > bump + little + 2.0 * closing);
}

static void add_touch(pal_contacts *c, const pal_contact_scene *scene, int32_t t, int32_t k) {
    const pal_tool *tool = &scene->tool[t];
    const pal_touch *touch = &tool->set.item[k];
    const int32_t known = remembered(tool, touch->id);
    if (!may_bear(scene, tool, touch, known)) {
        return;
    }
    const int32_t i = c->count++;
    pal_contact_place *place = &c->place[i];
    *place = (pal_contact_place){.tool = t, .touch = k, .triangle = touch->triangle};
    memcpy(place->weight, touch->weight, sizeof place->weight);
    pal_sub3(touch->x, tool->near.x, place->arm);
    fill_law(scene, tool, touch, known, &c->law[i], &place->offset);
    for (int a = 0; a < 3; a++) {
        c->free[3 * i + a] = (touch->gap + place->offset) * touch->normal[a];
        c->force[3 * i + a] = known >= 0 ? tool->last.force[known][a] : 0.0;
    }
}

// What the tool holds: its place in the tool and the point of the surface, drawn together.
static void add_held(pal_contacts *c, const pal_contact_scene *scene, int32_t t) {
    const pal_tool *tool = &scene->tool[t];
    const pal_body *body = scene->body;
    const int32_t i = c->count++;
    double turn[3][3], x[3] = {0.0, 0.0, 0.0};
    pal_contact_place *place = &c->place[i];
    *place = (pal_contact_place){.tool = t, .touch = -1, .triangle = tool->held.triangle};
    memcpy(place->weight, tool->held.weight, sizeof place->weight);
    pal_turn_matrix(tool->near.turn, turn);
    for (int k = 0; k < 3; k++) {
        double corner[3];
        body->functions->position(body, pal_body_corner(body, place->triangle, k), corner);
        for (int a = 0; a < 3; a++) {
            x[a] += place->weight[k] * corner[a];
        }
    }
    c->law[i] = (pal_contact_law){
        .normal = {0.0, 0.0, 1.0}, .softness = 1.0 / tool->options.grasp_stiffness, .held = true};
    for (int a = 0; a < 3; a++) {
        place->arm[a] = pal_dot3(turn[a], tool->held.anchor);
        c->free[3 * i + a] = tool->near.x[a] + place->arm[a] - x[a];
        c->force[3 * i + a] = tool->held.force[a];
    }
}

// The bumps of the surface under a tool lower it by as much as they are deep; the tool's touches
// are listed from `first` on.
static void lower_by_texture(pal_contacts *c, const pal_contact_scene *scene, int32_t t,
                             int32_t first) {
    double push[PAL_MAX_TOUCHES] = {0.0};
    bool textured = false;
    for (int32_t i = first; i < c->count; i++) {
        textured = textured || pal_contacts_law(scene, c->place[i].triangle)->texture_height > 0.0;
        push[c->place[i].touch] = pal_dot3(c->force + 3 * i, c->law[i].normal);
    }
    if (!textured) {
        return;
    }
    pal_texture_ground ground;
    pal_texture_find(&scene->tool[t].set, scene->body, push, &ground);
    for (int32_t i = first; i < c->count; i++) {
        const double h = pal_texture_height(pal_contacts_law(scene, c->place[i].triangle), &ground);
        for (int a = 0; a < 3; a++) {
            c->free[3 * i + a] -= h * c->law[i].normal[a];
        }
    }
}

void pal_contacts_list(pal_contacts *c, const pal_contact_scene *scene) {
    c->count = 0;
    for (int32_t t = 0; t < scene->tool_count; t++) {
        const pal_tool *tool = &scene->tool[t];
        const int32_t first = c->first[t] = c->count;
        for (int32_t k = 0; k < tool->set.count && c->count < PAL_MAX_CONTACTS; k++) {
            add_touch(c, scene, t, k);
        }
        lower_by_texture(c, scene, t, first);
        if (tool->held.on && c->count < PAL_MAX_CONTACTS) {
            add_held(c, scene, t);
        }
    }
    c->first[scene->tool_count] = c->count;
    c->stride = (3 * c->count + 7) & ~7;
}

static bool can_dent(const pal_contact_scene *scene) {
    return scene->local != NULL || scene->domains != NULL;
}

// ---- motion without contact forces

// The three rows of a contact's point, [3][PAL_MAX_R].
static void point_rows(const pal_body *body, const pal_contact_place *place, double *rows) {
    for (int a = 0; a < 3; a++) {
        memset(rows + a * PAL_MAX_R, 0, (size_t)body->size * sizeof *rows);
    }
    for (int k = 0; k < 3; k++) {
        if (place->weight[k] != 0.0) {
            body->functions->add_rows(body, pal_body_corner(body, place->triangle, k),
                                      place->weight[k], rows, PAL_MAX_R);
        }
    }
}

void pal_contacts_row(const pal_body *body, const pal_contact_place *place,
                      const double direction[3], double *row) {
    double rows[3 * PAL_MAX_R];
    point_rows(body, place, rows);
    for (int32_t l = 0; l < body->size; l++) {
        row[l] = direction[0] * rows[l] + direction[1] * rows[PAL_MAX_R + l] +
                 direction[2] * rows[2 * PAL_MAX_R + l];
    }
}

static void fill_rows(pal_contacts *c, const pal_body *body) {
    for (int32_t i = 0; i < c->count; i++) {
        double(*row)[PAL_MAX_R] = &c->row[3 * i];
        point_rows(body, &c->place[i], row[0]);
        for (int32_t l = 0; l < body->size; l++) {
            for (int a = 0; a < 3; a++) {
                c->x[l * c->stride + 3 * i + a] = row[a][l];
            }
        }
    }
    for (int32_t i = 3 * c->count; i < c->stride; i++) {
        for (int32_t l = 0; l < body->size; l++) {
            c->x[l * c->stride + i] = 0.0;
        }
    }
}

typedef struct motion { // of a tool
    double shift[3], turn[3];
} motion;

static motion motion_between(const pal_pose *from, const pal_pose *to) {
    motion m;
    pal_turn_between(from->turn, to->turn, m.turn);
    pal_sub3(to->x, from->x, m.shift);
    return m;
}

// How the tool's point at `arm` moves.
static void tool_motion(const motion *m, const double arm[3], double out[3]) {
    pal_cross3(m->turn, arm, out);
    for (int a = 0; a < 3; a++) {
        out[a] += m->shift[a];
    }
}

// The slip is counted from where the tool was left, the gap from where it was looked for.
void pal_contacts_add_tool_motion(pal_contacts *c, const pal_contact_scene *scene) {
    for (int32_t t = 0; t < scene->tool_count; t++) {
        const pal_tool *tool = &scene->tool[t];
        const motion to_come = motion_between(&tool->near, &tool->free);
        const motion done = motion_between(&tool->pose, &tool->near);
        for (int32_t i = c->first[t]; i < c->first[t + 1]; i++) {
            const double *n = c->law[i].normal;
            double ahead[3], past[3];
            tool_motion(&to_come, c->place[i].arm, ahead);
            tool_motion(&done, c->place[i].arm, past);
            const double along = c->law[i].held ? 0.0 : pal_dot3(n, past);
            for (int a = 0; a < 3; a++) {
                c->free[3 * i + a] += ahead[a];
                c->free[3 * i + a] += c->law[i].held ? 0.0 : past[a] - along * n[a];
            }
        }
    }
}

static void add_free_motion(pal_contacts *c, const pal_contact_scene *scene, int32_t i) {
    const pal_body *body = scene->body;
    const pal_contact_place *place = &c->place[i];
    const double *q = body->functions->free_motion(body);
    for (int a = 0; a < 3; a++) {
        const double *row = c->row[3 * i + a];
        double moved = 0.0;
        for (int32_t l = 0; l < body->size; l++) {
            moved += row[l] * q[l];
        }
        c->free[3 * i + a] -= moved;
    }
    // The gap was measured on the dented surface; what of that is linear in the forces W has anew
    for (int k = 0; k < 3 && can_dent(scene); k++) {
        double u[3];
        body->functions->yielding(body, pal_body_corner(body, place->triangle, k), u);
        for (int a = 0; a < 3; a++) {
            c->free[3 * i + a] += place->weight[k] * u[a];
        }
    }
}

// ---- compliance

// w = x^T x, three rows (one contact) by eight columns at a time, upper blocks, then mirrored.
static void body_compliance(pal_contacts *c, int32_t size) {
    typedef double vec8 __attribute__((vector_size(64), aligned(8), may_alias));
    const int32_t stride = c->stride;
    for (int32_t i = 0; i < 3 * c->count; i += 3) {
        for (int32_t j = i & ~7; j < stride; j += 8) {
            vec8 sum[3] = {{0.0}};
            for (int32_t l = 0; l < size; l++) {
                const double *x = c->x + l * stride;
                const vec8 xj = *(const vec8 *)(x + j);
                for (int r = 0; r < 3; r++) {
                    sum[r] += x[i + r] * xj;
                }
            }
            for (int r = 0; r < 3; r++) {
                *(vec8 *)(c->w + (i + r) * stride + j) = sum[r];
            }
        }
    }
    for (int32_t i = 0; i < 3 * c->count; i++) {
        for (int32_t j = 0; j < i; j++) {
            c->w[i * stride + j] = c->w[j * stride + i];
        }
    }
}

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
static void add_local_across(pal_contacts *c, const pal_contact_scene *scene, double *w) {
    for (int k = 0; k < PAL_CONTACT_PATCHES * PAL_CONTACT_PATCHES; k++) {
        const pal_contact_patch *from = &c->patch[k / PAL_CONTACT_PATCHES];
        const pal_contact_patch *to = &c->patch[k % PAL_CONTACT_PATCHES];
        if (from != to && from->count > 0 && to->count > 0 &&
            from->part.number == to->part.number &&
            apart_at_rest(c, scene->body, from, to) < from->part.size * from->part.local->radius) {
            double turn[3][3];
            memcpy(turn, from->turn, sizeof turn);
            pal_local_add_across(from->part.local, &from->rows, &to->rows, from->softer, turn,
                                 w + 3 * (to->first * c->stride + from->first), c->stride);
        }
    }
}

// G of the dents, the columns of those that press, into w.
static void add_columns(pal_contacts *c, const pal_contact_scene *scene, const bool *presses,
                        double *w) {
    for (int p = 0; p < PAL_CONTACT_PATCHES; p++) {
        pal_contact_patch *patch = &c->patch[p];
        if (patch->count > 0) {
            pal_local_add(&patch->rows, presses + patch->first, patch->softer, patch->turn,
                          w + 3 * patch->first * (c->stride + 1), c->stride);
        }
    }
    if (has_joints(scene)) {
        pal_contacts_add_joints(c, scene, presses, w);
    }
}

// W += S G S, row by row of contacts.
static void add_stiffened(pal_contacts *c) {
    const double(*s)[3][3] = (const double(*)[3][3])c->dents.s;
    for (int32_t j = 0; j < c->count; j++) {
        for (int32_t i = 0; i < c->count; i++) {
            const double *g = c->dents.g + 3 * (j * c->stride + i);
            double *w = c->w + 3 * (j * c->stride + i);
            double half[3][3];
            for (int k = 0; k < 9; k++) {
                const double *row = g + k / 3 * c->stride;
                half[k / 3][k % 3] =
                    row[0] * s[i][0][k % 3] + row[1] * s[i][1][k % 3] + row[2] * s[i][2][k % 3];
            }
            for (int k = 0; k < 9; k++) {
                const double *of = s[j][k / 3];
                w[k / 3 * c->stride + k % 3] +=
                    of[0] * half[0][k % 3] + of[1] * half[1][k % 3] + of[2] * half[2][k % 3];
            }
        }
    }
}

// How much stiffer the dents under each contact are than at rest.
static void find_stiffening(pal_contacts *c, const pal_contact_scene *scene, const pal_dent *dent) {
    static const double none[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    c->dents.stiffened = false;
    for (int32_t i = 0; i < c->count; i++) {
        memcpy(c->dents.s[i], none, sizeof none);
    }
    for (int p = 0; p < PAL_CONTACT_PATCHES; p++) {
        pal_contact_patch *patch = &c->patch[p];
        const pal_soft_part *part = &patch->part;
        if (patch->count > 0) {
            const double feature = scene->tool[patch->tool].options.shape.feature;
            patch->law = (pal_stiffening){.normal = part->normal,
                                          .tool = patch->tool,
                                          .per_depth = PAL_STIFFENING * part->size / feature};
            c->dents.stiffened |=
                pal_local_stiffening(&patch->rows, &patch->law, part->dent != NULL ? part->dent : dent,
                                     patch->turn, c->dents.s + patch->first);
        }
    }
}

// What the dents add to W, of the contacts that press; across: also between patches.
static void add_dents(pal_contacts *c, const pal_contact_scene *scene, const bool *presses,
                      bool across) {
    double *w = c->dents.stiffened ? c->dents.g : c->w;
    if (c->dents.stiffened) {
        memset(w, 0, 3 * (size_t)(c->count * c->stride) * sizeof *w);
    }
    add_columns(c, scene, presses, w);
    if (across) {
        add_local_across(c, scene, w);
    }
    if (c->dents.stiffened) {
        add_stiffened(c);
    }
}

static pal_outcome add_local(pal_contacts *c, const pal_contact_scene *scene,
                             const pal_dent *dent) {
    pal_outcome outcome = pal_contacts_list_patches(c, scene);
    for (int32_t t = 0; t < scene->tool_count; t++) {
        guess_pressing(c, scene, t);
    }
    for (int p = 0; p < PAL_CONTACT_PATCHES; p++) {
        if (c->patch[p].count > 0) {
            outcome |= gather_patch(c, scene, &c->patch[p]);
        }
    }
    find_stiffening(c, scene, dent);
    add_dents(c, scene, c->presses, true);
    return outcome;
}

// Whether a contact presses that was not thought to; then W has the columns of all.
static bool add_missing(pal_contacts *c, const pal_contact_scene *scene) {
    bool missing[PAL_MAX_CONTACTS], any = false;
    for (int32_t i = 0; i < c->count; i++) {
        const double *f = c->force + 3 * i;
        missing[i] = !c->presses[i];
        any = any || (missing[i] && (f[0] != 0.0 || f[1] != 0.0 || f[2] != 0.0));
    }
    if (any) {
        add_dents(c, scene, missing, false);
    }
    for (int32_t i = 0; i < c->count && any; i++) {
        c->presses[i] = true;
    }
    return any;
}

// ---- together

// Where the forces leave the points: free + W force, softness of the surface left out.
static void move(pal_contacts *c) {
    typedef double vec4 __attribute__((vector_size(32), may_alias));
    for (int32_t k = 3 * c->count; k < c->stride; k++) {
        c->force[k] = 0.0;
    }
    for (int32_t i = 0; i < 3 * c->count; i++) {
        const double *w = c->w + i * c->stride;
        vec4 sum = {0.0};
        for (int32_t k = 0; k < c->stride; k += 4) {
            sum +=
                *(const vec4 *)(const void *)(w + k) * *(const vec4 *)(const void *)(c->force + k);
        }
        c->moved[i] = c->free[i] + ((sum[0] + sum[2]) + (sum[1] + sum[3]));
    }
}

static pal_outcome solve_for_forces(pal_contacts *c, const pal_contact_scene *scene) {
    double before[PAL_CONTACT_ROWS];
    const size_t bytes = 3 * (size_t)c->count * sizeof *before;
    const int32_t sweeps = scene->visits / c->count;
    pal_response problem = {.count = c->count,
                            .stride = c->stride,
                            .w = c->w,
                            .free = c->free,
                            .law = c->law,
                            .force = c->force,
                            .sweeps = sweeps > FEWEST_SWEEPS ? sweeps : FEWEST_SWEEPS,
                            .tolerance = tolerance};
    memcpy(before, c->force, bytes);
    pal_outcome outcome = pal_response_solve(&problem);
    c->sweeps = problem.sweeps_done;
    if (can_dent(scene) && add_missing(c, scene)) {
        memcpy(c->force, before, bytes);
        outcome = pal_response_solve(&problem);
        c->sweeps += problem.sweeps_done;
    }
    c->unsolved = problem.residual;
    return outcome;
}

pal_outcome pal_contacts_solve(pal_contacts *c, const pal_contact_scene *scene,
                               const pal_dent *dent) {
    const pal_body *body = scene->body;
    pal_outcome outcome = 0;
    pal_contacts_list(c, scene);
    c->sweeps = 0;
    c->unsolved = 0.0;
    if (c->count == 0) {
        return 0;
    }
    fill_rows(c, body);
    pal_contacts_add_tool_motion(c, scene);
    for (int32_t i = 0; i < c->count; i++) {
        add_free_motion(c, scene, i);
    }
    body->functions->halve(body, c->x, c->stride);
    body_compliance(c, body->size);
    if (can_dent(scene)) {
        outcome |= add_local(c, scene, dent);
    }
    pal_contact_shares shares;
    pal_contacts_find_shares(c, scene, &shares);
    pal_contacts_add_coupling(c, scene);
    pal_contacts_hold_shares(c, &shares, 1.0);
    outcome |= solve_for_forces(c, scene);
    pal_contacts_hold_shares(c, &shares, -1.0);
    move(c);
    return outcome | (c->unsolved > bearable ? PAL_OUT_BUDGET : 0);
}
