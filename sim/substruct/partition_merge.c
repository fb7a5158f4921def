// Neighbours merged until the domains of a mesh form a tree.
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/substruct/label_graph.h"
#include "sim/substruct/partition_cut.h"

// ---- What keeps them from being one: each finds a pair of neighbours, or leaves *a at -1.

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

// A label and its neighbour of the largest interface.
static void pair_of_label(const pal_label_graph *graph, int32_t label, int32_t *a, int32_t *b) {
    double largest = -1.0;
    for (int32_t i = graph->edge_start[label]; i < graph->edge_start[label + 1]; i++) {
        const pal_label_edge *edge = &graph->edge[graph->edge_of[i]];
        if (edge->area > largest) {
            largest = edge->area;
            *a = edge->a;
            *b = edge->b;
        }
    }
}

static void pair_of_small(const pal_label_graph *graph, int32_t least, int32_t *a, int32_t *b) {
    int32_t smallest = 0;
    for (int32_t l = 1; l < graph->label_count; l++) {
        smallest = graph->element_count[l] < graph->element_count[smallest] ? l : smallest;
    }
    if (graph->element_count[smallest] < least) {
        pair_of_label(graph, smallest, a, b);
    }
}

static void pair_of_touch(const pal_label_graph *graph, int32_t *a, int32_t *b) {
    int32_t one, two, vertex;
    if (!pal_label_graph_hidden(graph, &one, &two, &vertex)) {
        return;
    }
    pair_of_label(graph, graph->element_count[one] < graph->element_count[two] ? one : two, a, b);
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

static pal_status find_pair(const pal_label_graph *graph, const uint8_t *fixed, int32_t least,
                            int32_t *a, int32_t *b, pal_err *err) {
    *a = *b = -1;
    pair_of_small(graph, least, a, b);
    pal_status status = *a < 0 ? pair_of_cycle(graph, a, b, err) : PAL_OK;
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

pal_status pal_cut_merge(const pal_volmesh *mesh, const uint8_t *fixed, int32_t least,
                         int32_t *label, int32_t *count, int32_t *merges, pal_err *err) {
    for (;;) {
        pal_label_graph graph;
        int32_t a = -1, b = -1;
        pal_status status = pal_label_graph_make(mesh, label, *count, &graph, err);
        if (status == PAL_OK) {
            status = find_pair(&graph, fixed, least, &a, &b, err);
            pal_label_graph_free(&graph);
        }
        if (status != PAL_OK || a < 0) {
            return status;
        }
        merge(mesh, a < b ? a : b, a < b ? b : a, label, count);
        (*merges)++;
    }
}
