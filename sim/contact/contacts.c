#include "sim/contact/contacts.h"

#include <math.h>
#include <string.h>

#include "sim/contact/contacts_parts.h"
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
    for (int k = 0; k < 3 && pal_contacts_can_dent(scene); k++) {
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
    if (pal_contacts_can_dent(scene) && pal_contacts_add_missing(c, scene)) {
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
    if (pal_contacts_can_dent(scene)) {
        outcome |= pal_contacts_add_dents(c, scene, dent);
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
