#include <math.h>
#include <metis.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/mesh/faces.h"
#include "sim/substruct/label_graph.h"
#include "sim/substruct/partition.h"

// ---- Cutting

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

typedef struct placed {
    double x;
    int32_t element;
} placed;

static int by_place(const void *a, const void *b) {
    const placed *p = a, *q = b;
    return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : p->element - q->element;
}

static int longest_axis(const pal_volmesh *mesh) {
    double side[3] = {0.0, 0.0, 0.0};
    for (int c = 0; c < 3; c++) {
        double low = INFINITY, high = -INFINITY;
        for (int32_t v = 0; v < mesh->vertex_count; v++) {
            low = fmin(low, mesh->x[3 * (int64_t)v + c]);
            high = fmax(high, mesh->x[3 * (int64_t)v + c]);
        }
        side[c] = high - low;
    }
    return side[0] >= side[1] && side[0] >= side[2] ? 0 : side[1] >= side[2] ? 1 : 2;
}

static pal_status cut_axis(const pal_volmesh *mesh, int32_t count, int32_t *label, pal_err *err) {
    int nodes = (int)mesh->kind, axis = longest_axis(mesh);
    placed *order = PAL_NEW(placed, mesh->element_count, err);
    if (order == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t e = 0; e < mesh->element_count; e++) {
        order[e].element = e;
        for (int a = 0; a < nodes; a++) {
            order[e].x += mesh->x[3 * (int64_t)pal_volmesh_element(mesh, e)[a] + axis] / nodes;
        }
    }
    qsort(order, (size_t)mesh->element_count, sizeof *order, by_place);
    for (int32_t k = 0; k < mesh->element_count; k++) {
        label[order[k].element] = (int32_t)((int64_t)k * count / mesh->element_count);
    }
    free(order);
    return PAL_OK;
}

// ---- Merging: each finds a pair of neighbours, or leaves *a at -1.

static pal_status pair_of_cycle(const pal_label_graph *graph, int32_t *a, int32_t *b,
                                pal_err *err) {
    int32_t count = 0, *cycle = PAL_NEW(int32_t, graph->label_count, err);
    pal_status status = cycle ? pal_label_graph_cycle(graph, cycle, &count, err) : PAL_ERR_MEMORY;
    double largest = -1.0;
    for (int32_t k = 0; status == PAL_OK && k < count; k++) {
        int32_t edge = pal_label_graph_find(graph, cycle[k], cycle[(k + 1) % count]);
        if (graph->edge[edge].area > largest) {
            largest = graph->edge[edge].area;
            *a = graph->edge[edge].a;
            *b = graph->edge[edge].b;
        }
    }
    free(cycle);
    return status;
}

static void pair_of_touch(const pal_label_graph *graph, int32_t *a, int32_t *b) {
    int32_t one, two, vertex;
    if (!pal_label_graph_hidden(graph, &one, &two, &vertex)) {
        return;
    }
    int32_t smaller = graph->element_count[one] < graph->element_count[two] ? one : two;
    double largest = -1.0;
    for (int32_t i = graph->edge_start[smaller]; i < graph->edge_start[smaller + 1]; i++) {
        const pal_label_edge *edge = &graph->edge[graph->edge_of[i]];
        if (edge->area > largest) {
            largest = edge->area;
            *a = edge->a;
            *b = edge->b;
        }
    }
}

static void pair_of_weak(const pal_label_graph *graph, int32_t *a, int32_t *b) {
    for (int32_t e = 0; e < graph->edge_count && *a < 0; e++) {
        pal_err unused;
        if (pal_label_graph_check_edge(graph, e, "", "", &unused) != PAL_OK) {
            *a = graph->edge[e].a;
            *b = graph->edge[e].b;
        }
    }
}

// fixed_count [label_count]: fixed vertices of each label that are not those of `most`, the label
// with the most of them (-1: none are fixed).
static void count_fixed(const pal_label_graph *graph, const uint8_t *fixed, int32_t most,
                        int32_t *fixed_count) {
    memset(fixed_count, 0, (size_t)graph->label_count * sizeof *fixed_count);
    for (int32_t v = 0; v < graph->mesh->vertex_count; v++) {
        bool counts = fixed[v] != 0;
        for (int32_t i = graph->place[v]; i < graph->place[v + 1]; i++) {
            counts = counts && graph->label_at[i] != most;
        }
        for (int32_t i = graph->place[v]; counts && i < graph->place[v + 1]; i++) {
            fixed_count[graph->label_at[i]]++;
        }
    }
}

static int32_t largest_of(const int32_t *value, int32_t count) {
    int32_t best = 0;
    for (int32_t k = 1; k < count; k++) {
        best = value[k] > value[best] ? k : best;
    }
    return value[best] > 0 ? best : -1;
}

static pal_status pair_of_ground(const pal_label_graph *graph, const uint8_t *fixed, int32_t *a,
                                 int32_t *b, pal_err *err) {
    int32_t n = graph->label_count;
    int32_t *count = PAL_NEW(int32_t, n, err), *order = PAL_NEW(int32_t, n, err);
    int32_t *from = PAL_NEW(int32_t, n, err);
    pal_status status = count && order && from ? PAL_OK : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        count_fixed(graph, fixed, -1, count);
        int32_t root = largest_of(count, n), second = -1;
        if (root >= 0) {
            count_fixed(graph, fixed, root, count);
            second = largest_of(count, n);
            pal_label_graph_walk(graph, root, order, from);
        }
        if (second >= 0) {
            *a = second;
            *b = from[second];
        }
    }
    free(count);
    free(order);
    free(from);
    return status;
}

static pal_status find_pair(const pal_label_graph *graph, const uint8_t *fixed, int32_t *a,
                            int32_t *b, pal_err *err) {
    *a = *b = -1;
    pal_status status = pair_of_cycle(graph, a, b, err);
    if (status == PAL_OK && *a < 0) {
        pair_of_touch(graph, a, b);
    }
    if (status == PAL_OK && *a < 0) {
        pair_of_weak(graph, a, b);
    }
    if (status == PAL_OK && *a < 0 && fixed != NULL) {
        status = pair_of_ground(graph, fixed, a, b, err);
    }
    return status;
}

// The second label becomes the first; the last takes its number.
static void merge(const pal_volmesh *mesh, int32_t a, int32_t b, int32_t *label, int32_t *count) {
    int32_t last = --*count;
    for (int32_t e = 0; e < mesh->element_count; e++) {
        label[e] = label[e] == b ? a : label[e];
        label[e] = label[e] == last && b != last ? b : label[e];
    }
}

static pal_status merge_all(const pal_volmesh *mesh, const uint8_t *fixed, int32_t *label,
                            int32_t *count, int32_t *merges, pal_err *err) {
    for (;;) {
        pal_label_graph graph;
        int32_t a = -1, b = -1;
        pal_status status = pal_label_graph_make(mesh, label, *count, &graph, err);
        if (status == PAL_OK) {
            status = find_pair(&graph, fixed, &a, &b, err);
            pal_label_graph_free(&graph);
        }
        if (status != PAL_OK || a < 0) {
            return status;
        }
        merge(mesh, a < b ? a : b, a < b ? b : a, label, count);
        (*merges)++;
    }
}

pal_status pal_partition_cut(const pal_volmesh *mesh, const uint8_t *fixed, pal_cut_way way,
                             int32_t count, int32_t *label, int32_t *label_count,
                             pal_cut_report *report, pal_err *err) {
    pal_cut_report done = {0};
    int32_t *piece = PAL_NEW(int32_t, mesh->element_count, err), whole = 0;
    if (piece == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_status status = PAL_OK;
    memset(label, 0, (size_t)mesh->element_count * sizeof *label);
    if (count < 1 || count > mesh->element_count) {
        status = pal_fail(err, PAL_ERR_USAGE, "%d domains cannot be cut from %d elements", count,
                          mesh->element_count);
    }
    if (status == PAL_OK) {
        status = pal_label_pieces(mesh, label, piece, &whole, err);
    }
    if (status == PAL_OK && whole > 1) {
        status = pal_fail(err, PAL_ERR_INPUT,
                          "the mesh is in %d pieces, which cannot become one tree", whole);
    }
    if (status == PAL_OK && count > 1) {
        status = way == PAL_CUT_GRAPH ? cut_graph(mesh, count, label, err)
                                      : cut_axis(mesh, count, label, err);
    }
    if (status == PAL_OK) {
        status = pal_label_pieces(mesh, label, piece, &done.pieces, err);
    }
    if (status == PAL_OK) {
        *label_count = done.pieces;
        status = merge_all(mesh, fixed, piece, label_count, &done.merges, err);
    }
    if (status == PAL_OK) { // numbered anew by their first elements
        status = pal_label_pieces(mesh, piece, label, label_count, err);
    }
    free(piece);
    if (report != NULL) {
        *report = done;
    }
    return status;
}
