#include "sim/contact/penalty.h"

#include <math.h>
#include <string.h>

#include "sim/base/vecn.h"
#include "sim/contact/contacts_parts.h"
#include "sim/reduced/ldlt.h"

enum { WAYS = PAL_PENALTY_WAYS, STRIDE = 12, MOST_CHANGES = 12 };

typedef struct layer {  // of one touch, along its normal
    double k;           // N/m, its damper included
    double depth;       // m: d_i
    double left;        // m: d_i - g_i . u, negative: a gap
    double way[WAYS];   // sqrt(C) g_i: how it is pressed as the tool goes and turns
    double eased[WAYS]; // row i of E, in the same measure
    bool pushes;
    int32_t spring; // which one it is then
} layer;

typedef struct springs { // of all tools, for the body's step
    int32_t count;
    pal_spring item[PAL_MAX_SPRINGS];
    double force[PAL_MAX_SPRINGS]; // N
    int32_t way[PAL_MAX_TOOLS];    // where those of a tool's ways begin,
    int32_t ways[PAL_MAX_TOOLS];   // and how many they are
} springs;

// ---- the touches

// What the tool holds is none: this form cannot.
static void fill_layer(pal_contacts *c, const pal_contact_scene *scene, int32_t i, layer *out) {
    const pal_tool *tool = &scene->tool[c->place[i].tool];
    const double *n = c->law[i].normal, into[3] = {-n[0], -n[1], -n[2]};
    const double along = sqrt(tool->compliance), about = sqrt(tool->turn_compliance);
    double turn[3];
    *out = (layer){.k = 1.0 / c->law[i].softness, .depth = -INFINITY, .left = -INFINITY};
    if (c->law[i].held) {
        return;
    }
    pal_contacts_row(scene->body, &c->place[i], into, c->row[i]);
    out->depth = out->left = -pal_dot3(n, c->free + 3 * i);
    pal_cross3(c->place[i].arm, n, turn);
    for (int a = 0; a < 3; a++) {
        out->way[a] = along * n[a];
        out->way[3 + a] = about * turn[a];
    }
}

// What the layers that pushed at the last tick set against the tool, along their force, N/m: the
// body below them is heavy, and counts as hard.
static double layers_against(const pal_contacts *c, int32_t t) {
    double sum[3] = {0.0, 0.0, 0.0}, stiffness = 0.0;
    for (int32_t i = c->first[t]; i < c->first[t + 1]; i++) {
        pal_add_scaled(3, 1.0, c->force + 3 * i, sum);
    }
    const double size = pal_norm3(sum);
    for (int32_t i = c->first[t]; i < c->first[t + 1] && size > 0.0; i++) {
        const double along = pal_dot3(c->law[i].normal, sum) / size;
        const bool pushes = pal_dot3(c->force + 3 * i, c->law[i].normal) > 0.0;
        stiffness += pushes && !c->law[i].held ? along * along / c->law[i].softness : 0.0;
    }
    return stiffness;
}

// ---- the tool between its coupling and the layers

// y = (1 + G^T k G)^-1 G^T k d over the touches that push: u in the measure of the coupling. The
// factor stays in h. Returns whether the same touches overlap then.
static bool balance_once(layer *all, int32_t count, double *h) {
    _Alignas(32) double y[8];
    bool same = true;
    memset(h, 0, 8 * STRIDE * sizeof *h);
    for (int a = 0; a < WAYS; a++) {
        h[a * STRIDE + a] = 1.0;
    }
    for (int32_t i = 0; i < count; i++) {
        for (int a = 0; all[i].pushes && a < WAYS; a++) {
            const double pressed = all[i].k * all[i].way[a];
            for (int b = 0; b < WAYS; b++) {
                h[a * STRIDE + b] += pressed * all[i].way[b];
            }
            h[a * STRIDE + STRIDE - 4] += pressed * all[i].depth;
        }
    }
    if (!pal_ldlt_solve(WAYS, h, y)) { // not finite: the body's step will tell
        return true;
    }
    for (int32_t i = 0; i < count; i++) {
        all[i].left = all[i].depth - pal_dot(WAYS, all[i].way, y);
        same = same && all[i].pushes == (all[i].left > 0.0);
    }
    return same;
}

// Newton's way for a sum of squares of what overlaps: exact as soon as the touches that push do not
// change any more. Then E. Returns whether any pushes.
static bool balance(layer *all, int32_t count) {
    _Alignas(32) double h[8 * STRIDE], x[WAYS * 4] = {0.0}; // x: one column of four is used
    bool settled = false, pushed = false;
    for (int k = 0; k < MOST_CHANGES && !settled; k++) {
        for (int32_t i = 0; i < count; i++) {
            all[i].pushes = all[i].left > 0.0;
        }
        settled = balance_once(all, count, h);
    }
    for (int32_t i = 0; i < count; i++) {
        if (all[i].pushes) {
            pushed = true;
            for (int a = 0; a < WAYS; a++) {
                x[4 * a] = all[i].way[a];
            }
            pal_ldlt_halve(WAYS, h, x, 4);
            for (int a = 0; a < WAYS; a++) {
                all[i].eased[a] = x[4 * a];
            }
        }
    }
    return pushed;
}

// ---- the step

static int32_t add_spring(springs *s, const double *row, double depth, double k) {
    s->item[s->count] = (pal_spring){.row = row, .depth = depth, .k = k, .pulls = true};
    return s->count++;
}

// The layers under tool t and the ways in which it gives way, whose rows are row^T k E.
static void add_tool(springs *s, pal_contacts *c, int32_t t, int32_t ways, int32_t size,
                     layer *all) {
    double(*row)[PAL_MAX_R] = c->row + PAL_MAX_CONTACTS + WAYS * t; // beside those of the touches
    memset(row, 0, WAYS * sizeof *row);
    for (int32_t i = c->first[t]; i < c->first[t + 1]; i++) {
        if (all[i].pushes) {
            all[i].spring = add_spring(s, c->row[i], all[i].left, all[i].k);
            for (int a = 0; a < ways; a++) {
                for (int32_t l = 0; l < size; l++) {
                    row[a][l] += all[i].k * all[i].eased[a] * c->row[i][l];
                }
            }
        }
    }
    s->way[t] = s->count;
    s->ways[t] = ways;
    for (int a = 0; a < ways; a++) {
        add_spring(s, row[a], 0.0, -1.0);
    }
}

// f_i = k_i (left - row_i . dq) + k_i E_i . (E^T k row dq), if it pushes; and where that leaves the
// point: the layer is pressed in by f_i / k_i.
static void set_force(pal_contacts *c, int32_t i, const layer *of, const springs *s) {
    const int32_t t = c->place[i].tool;
    const double push =
        of->pushes ? fmax(0.0, s->force[of->spring] +
                                   of->k * pal_dot(s->ways[t], of->eased, s->force + s->way[t]))
                   : 0.0;
    const double gap = push > 0.0 ? -push / of->k : fmax(0.0, -of->left);
    for (int a = 0; a < 3; a++) {
        c->force[3 * i + a] = push * c->law[i].normal[a];
        c->moved[3 * i + a] = c->law[i].held ? 0.0 : gap * c->law[i].normal[a];
    }
}

// The rows are those of pushes into the body.
static void tell_given(const pal_contacts *c, const pal_contact_scene *scene,
                       const double *before) {
    static const double at_once[PAL_MAX_TOOLS]; // the coupling was chosen without it
    const int32_t size = scene->body->size;
    double pressed[PAL_MAX_TOOLS][PAL_MAX_R], work[PAL_MAX_TOOLS];
    for (int32_t t = 0; t < scene->tool_count; t++) {
        memset(pressed[t], 0, (size_t)size * sizeof **pressed);
        for (int32_t i = c->first[t]; i < c->first[t + 1]; i++) {
            const double push = pal_dot3(c->force + 3 * i, c->law[i].normal);
            if (push > 0.0) {
                pal_add_scaled(size, -push, c->row[i], pressed[t]);
            }
        }
        work[t] = pal_dot(size, pressed[t], scene->body->q) - pal_dot(size, pressed[t], before);
    }
    pal_contacts_tell_given(scene, pressed, work, at_once);
}

pal_outcome pal_penalty_step(pal_contacts *c, const pal_contact_scene *scene, const double *load) {
    const pal_body *body = scene->body;
    layer all[PAL_MAX_CONTACTS];
    springs s = {.count = 0};
    const int32_t room = pal_penalty_room(scene->tool_count);
    pal_outcome outcome = 0;
    pal_contacts_list(c, scene);
    pal_contacts_add_tool_motion(c, scene);
    c->sweeps = 0;
    c->unsolved = 0.0;
    // Each tool between its hand and the body as it is
    for (int32_t t = 0; t < scene->tool_count; t++) {
        pal_tool *tool = &scene->tool[t];
        tool->stiffness = layers_against(c, t);
        tool->turn_stiffness = 0.0; // not known: the coupling is the given one
        pal_tool_couple(tool, scene->dt);
        for (int32_t i = c->first[t]; i < c->first[t + 1]; i++) {
            fill_layer(c, scene, i, &all[i]);
        }
        const int32_t touches = c->first[t + 1] - c->first[t];
        outcome |= touches > room ? PAL_OUT_BUDGET : 0;
        if (balance(all + c->first[t], touches < room ? touches : room)) {
            add_tool(&s, c, t, tool->turn_compliance > 0.0 ? WAYS : 3, body->size, all);
        }
    }
    // The body's step with what pushes inside
    double before[PAL_MAX_R];
    memcpy(before, body->q, (size_t)body->size * sizeof *before);
    outcome |= body->functions->step(body, load, s.item, s.count, s.force);
    for (int32_t i = 0; i < c->count; i++) {
        set_force(c, i, &all[i], &s);
    }
    pal_contacts_answer(c, scene);
    tell_given(c, scene, before);
    return outcome;
}
