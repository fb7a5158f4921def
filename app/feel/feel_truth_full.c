// The truth of a dent: a rigid ball, without friction and at rest, on full neo-Hookean elements, in
// contact all over the surface that they carry (sim/fem/indent.h). So the answer is that of the
// body in the scene if neither reduction nor sampling left anything out.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/feel/feel_truth_parts.h"
#include "app/style.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/fem/indent.h"

enum { SAMPLES = 10, FEW = 10, MOST_DOFS = 45000 };
static const double deep = 5e-3;  // m: no metric of a dent looks deeper
static const double least = 2e-4; // m, of a press that is worth it

// The ball's centre at a tick.
static const double *centre_at(const pal_truth_walk *walk, int64_t tick) {
    return walk->row[tick * walk->hands].position;
}

double pal_truth_layer(const pal_session *s, int law) {
    const double given = s->body.law[law].stiffness;
    const double side = s->tool[0].shape.feature / 3.0;
    return given < 0.99 * s->scene.live.tool_stiffness / (side * side) ? 1.0 / given : 0.0;
}

// The ball where the device was at each sample, one after the other. force [count]; what has no
// equilibrium stays as it is.
static pal_status press_samples(const pal_truth_walk *walk, const int64_t *tick, int count,
                                const double axis[3], pal_truth_body *body,
                                const pal_progress *progress, double (*force)[3],
                                double *contact_radius, pal_indent_outcome *outcome, pal_err *err) {
    const pal_model *model = body->model;
    const double *begin = centre_at(walk, tick[0]);
    const double radius = walk->session.tool[0].shape.radius;
    double depth[SAMPLES], centre[SAMPLES][3], way[3];
    pal_indent_result result[SAMPLES];
    pal_indent_spec spec = {.radius = radius,
                            .count = count - 1,
                            .depth = depth,
                            .centre = (const double(*)[3])centre,
                            .tolerance = 1e-3};
    double *layer = PAL_NEW(double, model->surface.triangle_count, err);
    if (layer == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t t = 0; t < model->surface.triangle_count; t++) {
        const int32_t triangle = pal_truth_body_triangle(body, t);
        layer[t] = pal_truth_layer(&walk->session, pal_truth_law(&walk->session, triangle));
    }
    for (int c = 0; c < 3; c++) {
        spec.axis[c] = axis[c];
        spec.at[c] = begin[c] + axis[c] * radius;
    }
    for (int i = 1; i < count; i++) {
        memcpy(centre[i - 1], centre_at(walk, tick[i]), sizeof centre[0]);
        pal_sub3(centre[i - 1], begin, way);
        depth[i - 1] = pal_dot3(way, axis);
    }
    const pal_indent_skin skin = {&model->surface, &model->embedding, layer};
    const pal_status status = pal_indent_full(&body->fem, PAL_LAW_NEO_HOOKEAN, &spec, &skin,
                                              progress, result, outcome, err);
    for (int32_t i = 0; status == PAL_OK && i < outcome->reached; i++) {
        memcpy(force[i + 1], result[i].vector, sizeof result[i].vector);
        *contact_radius = result[i].contact_radius;
    }
    free(layer);
    return status;
}

// Full elements are at rest, the hand is not: the model's own force is made as much larger or
// smaller as theirs is than that of the model at rest in the same place.
static void scale_own(pal_truth_walk *walk, const int64_t *tick, int count,
                      const double (*force)[3], double *full) {
    double place[SAMPLES + 1][3], rest[SAMPLES + 1][3];
    for (int i = 0; i < count; i++) {
        memcpy(place[i], centre_at(walk, tick[i]), sizeof place[i]);
    }
    pal_truth_settle(walk, &(pal_truth_rest){count, (const double(*)[3])place, rest});
    for (int i = 1; i < count; i++) {
        const double scale = pal_norm3(force[i]) / pal_norm3(rest[i]);
        // Half of the way to the samples before and after: one tick of a body that swings says
        // little
        const int64_t first = (tick[i - 1] + tick[i]) / 2 + 1;
        const int64_t last = i + 1 < count ? (tick[i] + tick[i + 1]) / 2 : tick[i];
        for (int64_t k = first; pal_norm3(rest[i]) > 0.0 && k <= last; k++) {
            for (int c = 0; walk->triangle[k] >= 0 && c < 3; c++) {
                full[3 * k + c] = scale * walk->force[3 * k + c];
            }
        }
    }
}

// tick[0] is where the contact begins; then the first one at each depth.
static int choose_ticks(const pal_truth_walk *walk, double axis[3], int64_t tick[SAMPLES + 1]) {
    int64_t first, deepest;
    int count = 0;
    if (!pal_truth_press(walk, &first, &deepest)) {
        return 0;
    }
    for (int c = 0; c < 3; c++) {
        axis[c] = -walk->normal[3 * first + c];
    }
    double way[3];
    pal_sub3(centre_at(walk, deepest), centre_at(walk, first), way);
    const double most = fmin(pal_dot3(way, axis), deep);
    tick[count++] = first;
    for (int64_t k = first; most > least && k <= deepest && count <= SAMPLES; k++) {
        pal_sub3(centre_at(walk, k), centre_at(walk, first), way);
        if (pal_dot3(way, axis) >= most * (count / (SAMPLES + 1e-6))) {
            tick[count++] = k;
        }
    }
    return count;
}

// The mean edge of an element that carries the surface under the ball.
static double edge_at(const pal_model *model, const double centre[3]) {
    static const int beside[2][3] = {{1, 2, 3}, {1, 3, 4}}; // corners next to the first one
    const pal_embedding *embedding = &model->embedding;
    double closest = INFINITY, edge[3], sum = 0.0;
    int32_t wanted = 0;
    for (int32_t p = 0; p < model->surface.vertex_count; p++) {
        pal_sub3(model->surface.x + 3 * (int64_t)p, centre, edge);
        for (int32_t a = 0; pal_norm3(edge) < closest && a < embedding->nodes; a++) {
            const int64_t at = (int64_t)p * embedding->nodes + a;
            wanted = embedding->weight[at] > PAL_EMBED_LEAST ? embedding->vertex[at] : wanted;
        }
        closest = fmin(closest, pal_norm3(edge));
    }
    const int32_t *of = NULL;
    for (int32_t e = 0; of == NULL && e < model->mesh.element_count; e++) {
        const int32_t *vertex = pal_volmesh_element(&model->mesh, e);
        for (int a = 0; a < (int)model->mesh.kind; a++) {
            of = vertex[a] == wanted ? vertex : of;
        }
    }
    for (int k = 0; of != NULL && k < 3; k++) {
        const int32_t next = of[beside[model->mesh.kind == PAL_HEX8][k]];
        pal_sub3(model->mesh.x + 3 * (int64_t)next, model->mesh.x + 3 * (int64_t)of[0], edge);
        sum += pal_norm3(edge) / 3.0;
    }
    return sum;
}

static void say_mesh(const pal_truth_body *body, double edge, double contact_radius, char *note,
                     size_t size) {
    const bool coarse = M_PI * contact_radius * contact_radius < FEW * edge * edge;
    char mesh[64];
    pal_truth_body_say(body, mesh, sizeof mesh);
    snprintf(note, size, "neo-Hookean elements, %s%s", mesh,
             coarse ? ", coarse for this ball: judges the reduction, not the tissue" : "");
}

static pal_status press_full(pal_truth_walk *walk, const int64_t *tick, int count,
                             const double axis[3], pal_truth_body *body, double *full, char *note,
                             size_t size, const pal_progress *progress, pal_err *err) {
    double force[SAMPLES + 1][3], contact_radius = 0.0;
    pal_indent_outcome outcome;
    pal_err inner;
    for (int k = 0; k < 3 * (SAMPLES + 1); k++) {
        force[k / 3][k % 3] = NAN;
    }
    const pal_status status = press_samples(walk, tick, count, axis, body, progress, force,
                                            &contact_radius, &outcome, &inner);
    if (status == PAL_ERR_USAGE) {
        snprintf(note, size, "full elements left out: nothing under the ball can move");
        return PAL_OK;
    }
    if (status != PAL_OK) {
        return pal_fail(err, status, "%s", inner.text);
    }
    if (outcome.reached < count - 1) {
        snprintf(note, size, "neo-Hookean elements, which end at %.1f mm", 1e3 * outcome.deepest);
    } else {
        say_mesh(body, edge_at(body->model, centre_at(walk, tick[count - 1])), contact_radius, note,
                 size);
    }
    scale_own(walk, tick, count, (const double(*)[3])force, full);
    return PAL_OK;
}

pal_status pal_truth_dent(pal_truth_walk *walk, double *full, char *note, size_t size,
                          const pal_progress *progress, pal_err *err) {
    int64_t tick[SAMPLES + 1];
    double axis[3];
    const int count = choose_ticks(walk, axis, tick);
    pal_truth_body body;
    bool fits = false;
    if (walk->session.tool[0].shape.kind != PAL_SHAPE_SPHERE) {
        snprintf(note, size, "full elements left out: they press with a ball only");
        return PAL_OK;
    }
    if (count < 2) {
        snprintf(note, size, "full elements left out: nothing is pressed by %.1f mm", 1e3 * least);
        return PAL_OK;
    }
    pal_status status =
        pal_truth_body_open(&body, walk, tick[count - 1], MOST_DOFS, &fits, note, size, err);
    if (status == PAL_OK && fits) {
        status = press_full(walk, tick, count, axis, &body, full, note, size, progress, err);
        pal_truth_body_close(&body);
    }
    return status;
}
