// What ties the child's interface to the parent (see joint_build.c): each vertex goes with the
// element of the parent that it lies in, or is nearest to, by the weights that carry a point there.
// They have every linear field, and so a rigid motion, exactly; where it lies on a vertex of the
// parent one weight is 1.
#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/contact/joint_parts.h"
#include "sim/mesh/embed_build.h"

static const double rounding = 1e-9; // smaller weights are

void pal_joint_place(const pal_joining *j, int s, int32_t vertex, double out[3]) {
    const double *x = j->side[s].of->mesh->x + 3 * (int64_t)vertex;
    for (int k = 0; k < 3; k++) {
        out[k] = s == PAL_PARENT
                     ? x[k]
                     : j->spec->place[k] + j->spec->size * pal_dot3(j->spec->rest[k], x);
    }
}

static void tie_vertex(pal_joining_side *own, int32_t vertex) {
    if (!own->is_tied[vertex]) {
        own->is_tied[vertex] = 1;
        own->list[own->tied++] = vertex;
    }
}

// The mean distance between the vertices of the elements that carry a point.
static double element_size(const pal_volmesh *mesh, const pal_embedding *carried) {
    const int32_t nodes = carried->nodes;
    double sum = 0.0;
    for (int64_t k = 0; k < (int64_t)carried->point_count * nodes * nodes; k++) {
        const int32_t *vertex = carried->vertex + k / (nodes * nodes) * nodes;
        double d[3];
        pal_sub3(mesh->x + 3 * (int64_t)vertex[k / nodes % nodes],
                 mesh->x + 3 * (int64_t)vertex[k % nodes], d);
        sum += pal_norm3(d);
    }
    return sum / (carried->point_count * nodes * (nodes - 1.0));
}

// The parent's vertices, and the weights; `place` [its vertices] is room.
static pal_status weigh(pal_joining *j, const pal_embedding *carried, int32_t *place,
                        pal_err *err) {
    pal_joining_side *parent = &j->side[PAL_PARENT];
    for (int32_t k = 0; k < j->spec->vertex_count; k++) {
        tie_vertex(parent, j->spec->vertex[k]);
    }
    for (int64_t k = 0; k < (int64_t)carried->point_count * carried->nodes; k++) {
        if (fabs(carried->weight[k]) > rounding) {
            tie_vertex(parent, carried->vertex[k]);
        }
    }
    for (int32_t k = 0; k < parent->tied; k++) {
        place[parent->list[k]] = k;
    }
    j->tie = PAL_NEW(double, (size_t)carried->point_count *(size_t)parent->tied, err);
    for (int64_t k = 0; j->tie != NULL && k < (int64_t)carried->point_count * carried->nodes; k++) {
        const double weight = carried->weight[k];
        if (fabs(weight) > rounding) {
            const double whole = fabs(weight - 1.0) < rounding ? 1.0 : weight;
            j->tie[k / carried->nodes * parent->tied + place[carried->vertex[k]]] += whole;
        }
    }
    return j->tie != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

// Which of the child's vertices carry surface where that of the parent can be dented: on_rim, by
// `carries` [the child's vertices], which is room.
static void find_rim(pal_joining *j, uint8_t *carries) {
    const pal_joining_side *parent = &j->side[PAL_PARENT], *child = &j->side[PAL_CHILD];
    const pal_embedding *surface = child->of->embedding;
    for (int64_t k = 0; k < (int64_t)surface->point_count * surface->nodes; k++) {
        carries[surface->vertex[k]] |= fabs(surface->weight[k]) >= PAL_EMBED_LEAST;
    }
    for (int32_t k = 0; k < child->tied; k++) {
        bool dents = false;
        for (int32_t p = 0; p < parent->tied; p++) {
            dents = dents || (j->tie[(int64_t)k * parent->tied + p] != 0.0 &&
                              parent->of->local->row[parent->list[p]] >= 0);
        }
        j->on_rim[k] = dents && carries[child->list[k]];
    }
}

static pal_status tie(pal_joining *j, const pal_embedding *carried, pal_err *err) {
    int32_t *place = PAL_NEW(int32_t, j->spec->parent.mesh->vertex_count, err);
    uint8_t *carries = PAL_NEW(uint8_t, j->spec->child.mesh->vertex_count, err);
    j->on_rim = PAL_NEW(uint8_t, carried->point_count, err);
    pal_status status =
        place && carries && j->on_rim ? weigh(j, carried, place, err) : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        find_rim(j, carries);
    }
    free(place);
    free(carries);
    return status;
}

pal_status pal_joint_tie(pal_joining *j, bool *holds, pal_err *err) {
    const pal_joint_side *parent = &j->spec->parent, *child = &j->spec->child;
    pal_joining_side *own = &j->side[PAL_CHILD];
    pal_embedding carried = {0};
    double farthest = 0.0;
    *holds = false;
    for (int32_t v = 0; v < child->mesh->vertex_count; v++) {
        if (child->held[v]) {
            tie_vertex(own, v);
        }
    }
    double *x = PAL_NEW(double, 3 * (size_t)own->tied, err);
    for (int32_t k = 0; x != NULL && k < own->tied; k++) {
        pal_joint_place(j, PAL_CHILD, own->list[k], x + 3 * (int64_t)k);
    }
    pal_status status =
        x != NULL ? pal_embedding_build(parent->mesh, x, own->tied, &carried, &farthest, err)
                  : PAL_ERR_MEMORY;
    if (status == PAL_OK && own->tied > 0 && farthest < element_size(parent->mesh, &carried)) {
        *holds = true;
        status = tie(j, &carried, err);
    }
    pal_embedding_free(&carried);
    free(x);
    return status;
}
