#include <math.h>
#include <metis.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/mesh/faces.h"
#include "sim/substruct/label_graph.h"
#include "sim/substruct/partition.h"
#include "sim/substruct/partition_cut.h"

// ---- By METIS

// Elements that share a face are joined, as METIS wants it: start [element_count + 1], next.
static pal_status element_graph(const pal_volmesh *mesh, idx_t **start, idx_t **next,
                                pal_err *err) {
    int32_t *neighbour = NULL;
    int faces = pal_faces_of_kind(mesh->kind)->face_count;
    *start = PAL_NEW(idx_t, mesh->element_count + 1, err);
    *next = PAL_NEW(idx_t, (int64_t)mesh->element_count * faces, err);
    pal_status status =
        *start && *next ? pal_face_neighbours(mesh, &neighbour, err) : PAL_ERR_MEMORY;
    for (int32_t e = 0; status == PAL_OK && e < mesh->element_count; e++) {
        (*start)[e + 1] = (*start)[e];
        for (int f = 0; f < faces; f++) {
            int32_t across = neighbour[e * faces + f];
            if (across >= 0) {
                (*next)[(*start)[e + 1]++] = across;
            }
        }
    }
    free(neighbour);
    return status;
}

static pal_status cut_graph(const pal_volmesh *mesh, int32_t count, int32_t *label, pal_err *err) {
    idx_t *start = NULL, *next = NULL, elements = mesh->element_count, constraints = 1;
    idx_t parts = count, cut = 0, options[METIS_NOPTIONS];
    idx_t *part = PAL_NEW(idx_t, mesh->element_count, err);
    pal_status status = part ? element_graph(mesh, &start, &next, err) : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        METIS_SetDefaultOptions(options);
        options[METIS_OPTION_SEED] = 1; // the same cut every time
        int said = METIS_PartGraphRecursive(&elements, &constraints, start, next, NULL, NULL, NULL,
                                            &parts, NULL, NULL, options, &cut, part);
        if (said != METIS_OK) {
            status =
                said == METIS_ERROR_MEMORY
                    ? pal_fail(err, PAL_ERR_MEMORY, "out of memory: METIS needs more")
                    : pal_fail(err, PAL_ERR_NUMERIC, "METIS could not cut the mesh (%d)", said);
        }
    }
    for (int32_t e = 0; status == PAL_OK && e < mesh->element_count; e++) {
        label[e] = (int32_t)part[e];
    }
    free(start);
    free(next);
    free(part);
    return status;
}

// ---- One way after the other

typedef struct cutting {
    const pal_volmesh *mesh;
    const uint8_t *fixed; // NULL: nothing
    int32_t count;        // of domains wanted
    double *field;        // [vertex_count]
    int32_t *part;        // [element_count] scratch
} cutting;

typedef struct cut { // what a way has come to
    pal_cut_report report;
    int32_t count, *label; // [element_count]
    double even;           // how many domains of one size are as uneven: (sum n)^2 / sum n^2
} cut;

// Split into pieces, merged into a tree, numbered by their first elements.
static pal_status finish(const cutting *c, pal_cut_way way, cut *to, pal_err *err) {
    enum { SMALL = 10 }; // a piece of a tenth of its share is a splinter
    const int32_t least = way == PAL_CUT_GRAPH ? 1 : c->mesh->element_count / c->count / SMALL;
    to->report.way = way;
    to->report.merges = 0;
    pal_status status = pal_label_pieces(c->mesh, c->part, to->label, &to->count, err);
    to->report.pieces = to->count;
    if (status == PAL_OK) {
        status =
            pal_cut_merge(c->mesh, c->fixed, least, to->label, &to->count, &to->report.merges, err);
    }
    if (status == PAL_OK) {
        memcpy(c->part, to->label, (size_t)c->mesh->element_count * sizeof *c->part);
        status = pal_label_pieces(c->mesh, c->part, to->label, &to->count, err);
    }
    int32_t *size = status == PAL_OK ? PAL_NEW(int32_t, to->count, err) : NULL;
    if (size == NULL) {
        return status == PAL_OK ? PAL_ERR_MEMORY : status;
    }
    double sum = 0.0; // of n^2
    for (int32_t e = 0; e < c->mesh->element_count; e++) {
        sum += 2.0 * size[to->label[e]]++ + 1.0;
    }
    to->even = pow(c->mesh->element_count, 2.0) / sum;
    free(size);
    return PAL_OK;
}

// How far it is from `count` domains of one size.
static double badness(const cutting *c, const cut *made) {
    return fabs(log((double)made->count / c->count)) + fabs(log(made->even / c->count));
}

static void exchange(cut *a, cut *b) {
    const cut kept = *a;
    *a = *b;
    *b = kept;
}

// More or fewer slices until the domains are as many as wanted; the best stays in *best.
static pal_status by_slices(const cutting *c, pal_cut_way way, cut *best, cut *spare,
                            pal_err *err) {
    enum { TRIES = 6 };
    double slices = c->count;
    pal_status status = PAL_OK;
    if (way == PAL_CUT_DISTANCE) {
        status = pal_cut_distance_field(c->mesh, c->fixed, c->field, err);
    } else {
        pal_cut_axis_field(c->mesh, c->field);
    }
    for (int k = 0; status == PAL_OK && k < TRIES && best->count != c->count; k++) {
        status = pal_cut_slices(c->mesh, c->field, (int32_t)slices, c->part, err);
        if (status == PAL_OK) {
            status = finish(c, way, spare, err);
        }
        if (status == PAL_OK) {
            const double next = round(slices * c->count / spare->count);
            const bool same = next == slices;
            slices = fmin(fmax(next, 1.0), c->mesh->element_count);
            if (badness(c, spare) < badness(c, best)) {
                exchange(spare, best);
            }
            if (same) {
                break;
            }
        }
    }
    return status;
}

static pal_status cut_all(const cutting *c, pal_cut_way way, cut *best, cut *spare, pal_err *err) {
    if (way != PAL_CUT_GRAPH || c->count == 1) {
        return by_slices(c, way, best, spare, err);
    }
    pal_status status = cut_graph(c->mesh, c->count, c->part, err);
    if (status == PAL_OK) {
        status = finish(c, PAL_CUT_GRAPH, best, err);
    }
    const int32_t graph = best->count;
    const bool collapsed = 2 * graph < c->count || 4.0 * best->even < c->count;
    if (status == PAL_OK && collapsed) {
        status = by_slices(c, PAL_CUT_DISTANCE, best, spare, err);
    }
    if (status == PAL_OK && collapsed) {
        status = by_slices(c, PAL_CUT_AXIS, best, spare, err);
    }
    best->report.graph_count = graph;
    return status;
}

// A mesh in several pieces cannot become one tree, nor can more domains than elements.
static pal_status check_cut(const cutting *c, pal_err *err) {
    int32_t whole = 0;
    if (c->count < 1 || c->count > c->mesh->element_count) {
        return pal_fail(err, PAL_ERR_USAGE, "%d domains cannot be cut from %d elements", c->count,
                        c->mesh->element_count);
    }
    int32_t *piece = PAL_NEW(int32_t, c->mesh->element_count, err);
    pal_status status =
        piece != NULL ? pal_label_pieces(c->mesh, c->part, piece, &whole, err) : PAL_ERR_MEMORY;
    free(piece);
    return status == PAL_OK && whole > 1
               ? pal_fail(err, PAL_ERR_INPUT,
                          "the mesh is in %d pieces, which cannot become one tree", whole)
               : status;
}

pal_status pal_partition_cut(const pal_volmesh *mesh, const uint8_t *fixed, pal_cut_way way,
                             int32_t count, int32_t *label, int32_t *label_count,
                             pal_cut_report *report, pal_err *err) {
    const cutting c = {.mesh = mesh,
                       .fixed = fixed,
                       .count = count,
                       .field = PAL_NEW(double, mesh->vertex_count, err),
                       .part = PAL_NEW(int32_t, mesh->element_count, err)};
    cut best = {
        .count = INT32_MAX, .even = INFINITY, .label = PAL_NEW(int32_t, mesh->element_count, err)};
    cut spare = {.label = PAL_NEW(int32_t, mesh->element_count, err)};
    pal_status status =
        c.field && c.part && best.label && spare.label ? check_cut(&c, err) : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        status = cut_all(&c, way, &best, &spare, err);
    }
    if (status == PAL_OK) {
        memcpy(label, best.label, (size_t)mesh->element_count * sizeof *label);
        *label_count = best.count;
    }
    if (status == PAL_OK && report != NULL) {
        *report = best.report;
    }
    free(c.field);
    free(c.part);
    free(best.label);
    free(spare.label);
    return status;
}
