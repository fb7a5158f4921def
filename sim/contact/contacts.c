#include "sim/contact/contacts.h"

#include <math.h>
#include <string.h>

#include "sim/base/polar.h"
#include "sim/contact/texture.h"
#include "sim/reduced/ldlt.h"

static const double tolerance = 1e-9; // m, of the solution
enum { FEWEST_SWEEPS = 8 };

// ---- the list

static const pal_surface_law *law_at(const pal_contact_scene *scene, int32_t triangle) {
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

// The law of a touch; its layer with the damper is one spring, k + b / dt, that begins at `offset`.
static void fill_law(const pal_contact_scene *scene, const pal_tool *tool, const pal_touch *touch,
                     int32_t known, pal_contact_law *out, double *offset) {
    const pal_surface_law *law = law_at(scene, touch->triangle);
    const double k = law->stiffness * touch->area, b = law->damping * touch->area / scene->dt;
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

static void add_touch(pal_contacts *c, const pal_contact_scene *scene, int32_t t, int32_t k) {
    const pal_tool *tool = &scene->tool[t];
    const pal_touch *touch = &tool->set.item[k];
    const int32_t i = c->count++, known = remembered(tool, touch->id);
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
        body->functions->position(body, body->triangle[3 * (int64_t)place->triangle + k], corner);
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
        textured = textured || law_at(scene, c->place[i].triangle)->texture_height > 0.0;
        push[i - first] = pal_dot3(c->force + 3 * i, c->law[i].normal);
    }
    if (!textured) {
        return;
    }
    pal_texture_ground ground;
    pal_texture_find(&scene->tool[t].set, scene->body, push, &ground);
    for (int32_t i = first; i < c->count; i++) {
        const double h = pal_texture_height(law_at(scene, c->place[i].triangle), &ground);
        for (int a = 0; a < 3; a++) {
            c->free[3 * i + a] -= h * c->law[i].normal[a];
        }
    }
}

static void list(pal_contacts *c, const pal_contact_scene *scene) {
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
    c->stride = (3 * c->count + 3) & ~3;
}

// ---- motion without contact forces

static void fill_rows(pal_contacts *c, const pal_body *body) {
    memset(c->x, 0, (size_t)body->size * (size_t)c->stride * sizeof *c->x);
    for (int32_t i = 0; i < 3 * c->count; i++) {
        const pal_contact_place *place = &c->place[i / 3];
        double *row = c->row[i];
        memset(row, 0, (size_t)body->size * sizeof *row);
        for (int k = 0; k < 3; k++) {
            double direction[3] = {0.0, 0.0, 0.0};
            direction[i % 3] = place->weight[k];
            if (place->weight[k] != 0.0) {
                body->functions->add_row(body, body->triangle[3 * (int64_t)place->triangle + k],
                                         direction, row);
            }
        }
        for (int32_t l = 0; l < body->size; l++) {
            c->x[l * c->stride + i] = row[l];
        }
    }
}

// How the tool's point at `arm` moves from one pose to another.
static void tool_motion(const pal_pose *from, const pal_pose *to, const double arm[3],
                        double out[3]) {
    double turn[3];
    pal_turn_between(from->turn, to->turn, turn);
    pal_cross3(turn, arm, out);
    for (int a = 0; a < 3; a++) {
        out[a] += to->x[a] - from->x[a];
    }
}

static void add_free_motion(pal_contacts *c, const pal_contact_scene *scene, int32_t i) {
    const pal_body *body = scene->body;
    const pal_contact_place *place = &c->place[i];
    const pal_tool *tool = &scene->tool[place->tool];
    const double *q = body->functions->free_motion(body), *n = c->law[i].normal;
    double ahead[3], past[3];
    tool_motion(&tool->near, &tool->free, place->arm, ahead);
    tool_motion(&tool->pose, &tool->near, place->arm, past);
    const double along = c->law[i].held ? 0.0 : pal_dot3(n, past);
    for (int a = 0; a < 3; a++) {
        const double *row = c->row[3 * i + a];
        double moved = 0.0;
        for (int32_t l = 0; l < body->size; l++) {
            moved += row[l] * q[l];
        }
        // The slip is counted from where the tool was left, the gap from where it was looked for
        c->free[3 * i + a] += ahead[a] - moved;
        c->free[3 * i + a] += c->law[i].held ? 0.0 : past[a] - along * n[a];
    }
    // The gap was measured on the dented surface; this tick's dent begins anew
    for (int k = 0; k < 3; k++) {
        double u[3];
        body->functions->dent(body, body->triangle[3 * (int64_t)place->triangle + k], u);
        for (int a = 0; a < 3; a++) {
            c->free[3 * i + a] += place->weight[k] * u[a];
        }
    }
}

// ---- compliance

// w = x^T x, three rows (one contact) by eight columns at a time, upper blocks, then mirrored.
static void body_compliance(pal_contacts *c, int32_t size) {
    typedef double vec4 __attribute__((vector_size(32), may_alias));
    const int32_t stride = c->stride;
    for (int32_t i = 0; i < 3 * c->count; i += 3) {
        for (int32_t j = i & ~3; j < stride; j += 4) {
            vec4 sum0 = {0.0}, sum1 = {0.0}, sum2 = {0.0};
            for (int32_t l = 0; l < size; l++) {
                const double *x = c->x + l * stride;
                const vec4 xj = *(const vec4 *)(const void *)(x + j);
                sum0 += x[i] * xj;
                sum1 += x[i + 1] * xj;
                sum2 += x[i + 2] * xj;
            }
            *(vec4 *)(void *)(c->w + i * stride + j) = sum0;
            memcpy(c->w + (i + 1) * stride + j, &sum1, sizeof sum1);
            memcpy(c->w + (i + 2) * stride + j, &sum2, sizeof sum2);
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
            const int32_t point = body->triangle[3 * (int64_t)set->item[i].triangle + k];
            double u[3];
            body->functions->position(body, point, corner[k]);
            body->functions->dent(body, point, u);
            pal_sub3(corner[k], u, corner[k]);
            memcpy(still[k], body->rest + 3 * (int64_t)point, sizeof still[k]);
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

// What of the surface a tool touches and holds, as listed.
static void touched_by(const pal_contacts *c, const pal_tool *tool, int32_t t, pal_touch_set *set) {
    static const double held_area = 1e-6; // m^2, beside those of the touches
    set->count = 0;
    set->level = tool->set.level;
    for (int32_t i = c->first[t]; i < c->first[t + 1] && set->count < PAL_MAX_TOUCHES; i++) {
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

// How much softer than baked the surface under a tool is: 1/E of the regions that it touches, by
// what presses on each (by their areas at the first touch).
static double softer_by(const pal_contacts *c, const pal_contact_scene *scene, int32_t t,
                        const pal_touch_set *set) {
    double pushed = 0.0, push = 0.0, spread = 0.0, area = 0.0;
    for (int32_t k = 0; scene->local_scale != NULL && k < set->count; k++) {
        const pal_touch *touch = &set->item[k];
        const double scale = scene->local_scale[scene->region_of_triangle[touch->triangle]];
        const double f = fmax(0.0, pal_dot3(c->force + 3 * (c->first[t] + k), touch->normal));
        pushed += f * scale;
        push += f;
        spread += touch->area * scale;
        area += touch->area;
    }
    return push > 0.0 ? pushed / push : area > 0.0 ? spread / area : 1.0;
}

static pal_outcome add_local(pal_contacts *c, const pal_contact_scene *scene) {
    pal_outcome outcome = 0;
    pal_touch_set set;
    for (int32_t t = 0; t < scene->tool_count; t++) {
        touched_by(c, &scene->tool[t], t, &set);
        c->local[t].touch_count = set.count;
        if (set.count > 0) {
            surface_turn(scene->body, &set, c->turn[t]);
            outcome |=
                pal_local_gather(scene->local, scene->body, scene->footprint, &set, &c->local[t]);
            c->softer[t] = softer_by(c, scene, t, &set);
            pal_local_add(scene->local, &c->local[t], c->softer[t], c->turn[t],
                          c->w + 3 * c->first[t] * (c->stride + 1), c->stride);
        }
    }
    return outcome;
}

// ---- the coupling

// How much of a unit motion along `sum`, or of a unit turn about the axis, goes along n at the arm.
static double share_of(const double arm[3], const double n[3], const double sum[3], double size,
                       const double *axis) {
    double way[3];
    if (axis == NULL) {
        return pal_dot3(n, sum) / size;
    }
    pal_cross3(axis, arm, way);
    return pal_dot3(n, way);
}

// What the touched body sets against a small motion of the tool along its force, or against a turn
// about the axis: g^T W^-1 g over the contacts that push and what is held, W without the coupling.
// First touches count as one point.
static double stiffness_against(const pal_contacts *c, int32_t t, const double *axis) {
    enum { ROOM = PAL_MAX_TOUCHES + 1 };
    _Alignas(32) double matrix[ROOM * (ROOM + 8)], answer[ROOM + 3];
    int32_t list[ROOM], count = 0, deepest = -1;
    double normal[ROOM][3], sum[3] = {0.0, 0.0, 0.0}, gap = 0.0;
    for (int32_t i = 0; i < c->count && count < PAL_MAX_TOUCHES; i++) {
        const double *f = c->force + 3 * i, *n = c->law[i].normal, size_f = pal_norm3(f);
        if (c->place[i].tool != t) {
            continue;
        }
        if (c->law[i].held ? size_f > 0.0 : pal_dot3(f, n) > 0.0) {
            for (int a = 0; a < 3; a++) {
                normal[count][a] = c->law[i].held ? f[a] / size_f : n[a];
                sum[a] += f[a];
            }
            list[count++] = i;
        }
        if (!c->law[i].held && pal_dot3(c->free + 3 * i, n) < gap) {
            gap = pal_dot3(c->free + 3 * i, n);
            deepest = i;
        }
    }
    if (count == 0 && deepest >= 0) {
        memcpy(sum, c->law[deepest].normal, sizeof sum);
        memcpy(normal[count], sum, sizeof sum);
        list[count++] = deepest;
    }
    const double size = pal_norm3(sum);
    if (count == 0 || !(size > 0.0)) {
        return 0.0;
    }
    const int32_t stride = pal_ldlt_stride(count);
    for (int32_t a = 0; a < count; a++) {
        const double *n = normal[a];
        for (int32_t b = a; b < count; b++) {
            double w = a == b ? c->law[list[a]].softness : 0.0;
            for (int k = 0; k < 3; k++) {
                w += n[k] * pal_dot3(c->w + (3 * list[a] + k) * c->stride + 3 * list[b], normal[b]);
            }
            matrix[a * stride + b] = w;
        }
        matrix[a * stride + stride - 4] = share_of(c->place[list[a]].arm, n, sum, size, axis);
    }
    if (!pal_ldlt_solve(count, matrix, answer)) {
        return INFINITY;
    }
    double stiffness = 0.0;
    for (int32_t a = 0; a < count; a++) {
        stiffness += answer[a] * share_of(c->place[list[a]].arm, normal[a], sum, size, axis);
    }
    return stiffness;
}

// The same about the axis of its torque. Where there is friction, what it resists along the force
// is resisted across it as well, at the contacts' levers.
static double turn_stiffness_against(const pal_contacts *c, int32_t t, double along) {
    double axis[3] = {0.0, 0.0, 0.0}, sum = 0.0, rubbed = 0.0;
    for (int32_t i = 0; i < c->count; i++) {
        double part[3];
        pal_cross3(c->place[i].arm, c->force + 3 * i, part);
        for (int a = 0; a < 3 && c->place[i].tool == t; a++) {
            axis[a] += part[a];
        }
    }
    const double twist = pal_norm3(axis);
    if (!(along > 0.0 && twist > 0.0)) {
        return 0.0;
    }
    for (int a = 0; a < 3; a++) {
        axis[a] /= twist;
    }
    for (int32_t i = 0; i < c->count; i++) {
        const double share = c->place[i].tool == t ? pal_norm3(c->force + 3 * i) : 0.0;
        double way[3];
        pal_cross3(axis, c->place[i].arm, way);
        const double out = pal_dot3(way, c->law[i].normal);
        sum += share;
        rubbed += c->law[i].friction > 0.0 ? share * (pal_dot3(way, way) - out * out) : 0.0;
    }
    return stiffness_against(c, t, axis) + along * rubbed / sum;
}

// The tool's point at arm r_i moves by c_t f + c_r (r_j x f) x r_i under a force f at r_j.
static void add_coupling(pal_contacts *c, const pal_contact_scene *scene) {
    for (int32_t i = 0; i < c->count; i++) {
        for (int32_t j = 0; j < c->count; j++) {
            const pal_tool *tool = &scene->tool[c->place[i].tool];
            if (c->place[j].tool != c->place[i].tool) {
                continue;
            }
            const double *ri = c->place[i].arm, *rj = c->place[j].arm;
            const double ct = tool->compliance, cr = tool->turn_compliance;
            const double diagonal = ct + cr * pal_dot3(ri, rj);
            double *w = c->w + 3 * i * c->stride + 3 * j;
            for (int a = 0; a < 3; a++) {
                for (int b = 0; b < 3; b++) {
                    w[a * c->stride + b] += (a == b ? diagonal : 0.0) - cr * rj[a] * ri[b];
                }
            }
        }
    }
}

// ---- together

pal_outcome pal_contacts_solve(pal_contacts *c, const pal_contact_scene *scene) {
    const pal_body *body = scene->body;
    pal_outcome outcome = 0;
    list(c, scene);
    c->sweeps = 0;
    c->unsolved = 0.0;
    if (c->count == 0) {
        return 0;
    }
    fill_rows(c, body);
    for (int32_t i = 0; i < c->count; i++) {
        add_free_motion(c, scene, i);
    }
    body->functions->halve(body, c->x, c->stride);
    body_compliance(c, body->size);
    if (scene->local != NULL) {
        outcome |= add_local(c, scene);
    }
    for (int32_t t = 0; t < scene->tool_count; t++) {
        pal_tool *tool = &scene->tool[t];
        tool->stiffness = stiffness_against(c, t, NULL);
        tool->turn_stiffness = tool->options.turn_stiffness > 0.0
                                   ? turn_stiffness_against(c, t, tool->stiffness)
                                   : 0.0;
        pal_tool_couple(tool, scene->dt);
    }
    add_coupling(c, scene);
    const int32_t sweeps = scene->visits / c->count;
    pal_response problem = {.count = c->count,
                            .stride = c->stride,
                            .w = c->w,
                            .free = c->free,
                            .law = c->law,
                            .force = c->force,
                            .sweeps = sweeps > FEWEST_SWEEPS ? sweeps : FEWEST_SWEEPS,
                            .tolerance = tolerance};
    outcome |= pal_response_solve(&problem);
    c->sweeps = problem.sweeps_done;
    c->unsolved = problem.residual;
    return outcome;
}

// The gap that is left at contact i: where its layer is pressed in.
static double gap_left(const pal_contacts *c, int32_t i) {
    const double *n = c->law[i].normal, push = pal_dot3(n, c->force + 3 * i);
    double gap = pal_dot3(n, c->free + 3 * i) - c->place[i].offset;
    for (int a = 0; a < 3; a++) {
        const double *w = c->w + (3 * i + a) * c->stride;
        double moved = 0.0;
        for (int32_t k = 0; k < 3 * c->count; k++) {
            moved += w[k] * c->force[k];
        }
        gap += n[a] * moved;
    }
    return push != 0.0 ? fmin(gap, 0.0) : gap;
}

// How fast the tool's point goes across the surface in this tick, m/s.
static double slip_of(const pal_contacts *c, int32_t i, double dt) {
    const double *n = c->law[i].normal;
    double delta[3];
    for (int a = 0; a < 3; a++) {
        const double *w = c->w + (3 * i + a) * c->stride;
        delta[a] = c->free[3 * i + a];
        for (int32_t k = 0; k < 3 * c->count; k++) {
            delta[a] += w[k] * c->force[k];
        }
    }
    const double along = pal_dot3(n, delta);
    for (int a = 0; a < 3; a++) {
        delta[a] -= along * n[a];
    }
    return pal_norm3(delta) / dt;
}

static void remember(const pal_contacts *c, pal_tool *tool, int32_t i) {
    const double *f = c->force + 3 * i;
    const int32_t k = tool->last.count++;
    tool->last.id[k] = tool->set.item[c->place[i].touch].id;
    memcpy(tool->last.force[k], f, sizeof tool->last.force[k]);
    tool->last.gap[k] = gap_left(c, i);
    if (pal_dot3(f, c->law[i].normal) > 0.0) {
        tool->depth = fmax(tool->depth, -tool->last.gap[k]);
    }
}

static void add_to_tool(const pal_contacts *c, pal_tool *tool, int32_t i) {
    const double *f = c->force + 3 * i;
    double torque[3];
    pal_cross3(c->place[i].arm, f, torque);
    for (int a = 0; a < 3; a++) {
        tool->force[a] += f[a];
        tool->torque[a] += torque[a];
    }
}

static void clear_answer(pal_tool *tool) {
    memset(tool->force, 0, sizeof tool->force);
    memset(tool->torque, 0, sizeof tool->torque);
    tool->depth = 0.0;
    tool->last.count = 0;
    tool->stiffness = tool->set.count > 0 || tool->held.on ? tool->stiffness : 0.0;
    tool->turn_stiffness = tool->set.count > 0 || tool->held.on ? tool->turn_stiffness : 0.0;
}

// Sliding is known by the contact that pushes hardest: it begins with the first slip, and ends when
// that is slow enough.
static bool slides(const pal_contacts *c, const pal_contact_scene *scene, int32_t t) {
    static const double first_slip = 5e-4; // m/s
    double most = 0.0, slip = 0.0, still = first_slip;
    for (int32_t i = 0; i < c->count; i++) {
        const double push = pal_dot3(c->force + 3 * i, c->law[i].normal);
        if (c->place[i].tool == t && !c->law[i].held && push > most) {
            most = push;
            slip = slip_of(c, i, scene->dt);
            still = scene->tool[t].sliding ? law_at(scene, c->place[i].triangle)->stick_speed
                                           : first_slip;
        }
    }
    return slip > still;
}

static void dent_surface(const pal_contacts *c, const pal_contact_scene *scene, pal_dent *dent) {
    pal_dent_clear(dent);
    for (int32_t t = 0; c->count > 0 && t < scene->tool_count; t++) {
        const int32_t count = c->local[t].touch_count;
        double on_body[PAL_MAX_TOUCHES][3];
        for (int32_t k = 0; k < 3 * count; k++) {
            on_body[k / 3][k % 3] = -c->force[3 * c->first[t] + k];
        }
        if (count > 0) {
            double turn[3][3];
            memcpy(turn, c->turn[t], sizeof turn);
            pal_local_dent(scene->local, &c->local[t], c->softer[t], turn, &on_body[0][0], dent);
        }
    }
}

void pal_contacts_apply(pal_contacts *c, const pal_contact_scene *scene, double *reduced,
                        pal_dent *dent) {
    const int32_t size = scene->body->size;
    memset(reduced, 0, (size_t)size * sizeof *reduced);
    for (int32_t k = 0; k < 3 * c->count; k++) {
        for (int32_t l = 0; l < size; l++) {
            reduced[l] -= c->row[k][l] * c->force[k];
        }
    }
    for (int32_t t = 0; t < scene->tool_count; t++) {
        clear_answer(&scene->tool[t]);
        scene->tool[t].sliding = slides(c, scene, t);
    }
    for (int32_t i = 0; i < c->count; i++) {
        pal_tool *tool = &scene->tool[c->place[i].tool];
        add_to_tool(c, tool, i);
        if (c->place[i].touch >= 0) {
            remember(c, tool, i);
        } else {
            memcpy(tool->held.force, c->force + 3 * i, sizeof tool->held.force);
        }
    }
    for (int32_t t = 0; t < scene->tool_count; t++) {
        pal_tool_move(&scene->tool[t], scene->dt);
    }
    if (scene->local != NULL) {
        dent_surface(c, scene, dent);
    }
}
