#include "sim/substruct/label_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/mesh/faces.h"
#include "sim/mesh/keymap.h"
#include "sim/mesh/sets.h"
#include "sim/substruct/class_build.h"

// ---- Making it

static int by_labels(const void *a, const void *b) {
    const pal_label_edge *p = a, *q = b;
    return p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
}

// Calls the faces between two labels; the element with the smaller label has it.
typedef struct face_walk {
    const pal_label_graph *graph;
    const int32_t *neighbour;
    int faces;
    int32_t face; // the next to look at
} face_walk;

static bool next_face(face_walk *w, int32_t *face, int32_t *a, int32_t *b) {
    const pal_label_graph *g = w->graph;
    for (int32_t end = g->mesh->element_count * w->faces; w->face < end;) {
        *face = w->face++;
        int32_t across = w->neighbour[*face];
        *a = g->label[*face / w->faces];
        *b = across >= 0 ? g->label[across] : -1;
        if (*a < *b) {
            return true;
        }
    }
    return false;
}

static pal_status make_edges(pal_label_graph *g, const int32_t *neighbour, pal_err *err) {
    face_walk walk = {g, neighbour, pal_faces_of_kind(g->mesh->kind)->face_count, 0};
    int32_t face, pair[2], count = 0;
    pal_keymap map;
    while (next_face(&walk, &face, &pair[0], &pair[1])) {
        count++;
    }
    if (pal_keymap_alloc(&map, 2, count, err) != PAL_OK) {
        return PAL_ERR_MEMORY;
    }
    g->edge = PAL_NEW(pal_label_edge, count, err);
    walk.face = 0;
    while (g->edge != NULL && next_face(&walk, &face, &pair[0], &pair[1])) {
        pal_label_edge *edge = &g->edge[pal_keymap_add(&map, pair)];
        edge->a = pair[0];
        edge->b = pair[1];
        edge->face_count++;
        edge->area += pal_face_area(g->mesh, face);
    }
    g->edge_count = map.count;
    pal_keymap_free(&map);
    if (g->edge == NULL) {
        return PAL_ERR_MEMORY;
    }
    qsort(g->edge, (size_t)g->edge_count, sizeof *g->edge, by_labels);
    return PAL_OK;
}

// Edges are in order, so each label meets its smaller neighbours first, then its larger ones.
static pal_status list_edges(pal_label_graph *g, pal_err *err) {
    g->edge_start = PAL_NEW(int32_t, g->label_count + 1, err);
    g->edge_of = PAL_NEW(int32_t, 2 * g->edge_count, err);
    int32_t *used = PAL_NEW(int32_t, g->label_count, err);
    if (!g->edge_start || !g->edge_of || !used) {
        free(used);
        return PAL_ERR_MEMORY;
    }
    for (int32_t e = 0; e < g->edge_count; e++) {
        g->edge_start[g->edge[e].a + 1]++;
        g->edge_start[g->edge[e].b + 1]++;
    }
    for (int32_t l = 0; l < g->label_count; l++) {
        g->edge_start[l + 1] += g->edge_start[l];
    }
    for (int side = 0; side < 2; side++) { // smaller neighbours, then larger ones
        for (int32_t e = 0; e < g->edge_count; e++) {
            int32_t l = side == 0 ? g->edge[e].b : g->edge[e].a;
            g->edge_of[g->edge_start[l] + used[l]++] = e;
        }
    }
    free(used);
    return PAL_OK;
}

// The labels of each vertex.
static pal_status list_labels(pal_label_graph *g, pal_err *err) {
    const pal_volmesh *mesh = g->mesh;
    int32_t nodes = (int32_t)mesh->kind, most = mesh->element_count * nodes;
    pal_keymap map;
    if (pal_keymap_alloc(&map, 2, most, err) != PAL_OK) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t k = 0; k < most; k++) {
        pal_keymap_add(&map, (int32_t[2]){mesh->element[k], g->label[k / nodes]});
    }
    g->place = PAL_NEW(int32_t, mesh->vertex_count + 1, err);
    g->label_at = PAL_NEW(int32_t, map.count, err);
    int32_t *used = PAL_NEW(int32_t, mesh->vertex_count, err);
    pal_status status = g->place && g->label_at && used ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t k = 0; status == PAL_OK && k < map.count; k++) {
        g->place[map.key[2 * (int64_t)k] + 1]++;
    }
    for (int32_t v = 0; status == PAL_OK && v < mesh->vertex_count; v++) {
        g->place[v + 1] += g->place[v];
    }
    for (int32_t k = 0; status == PAL_OK && k < map.count; k++) {
        int32_t v = map.key[2 * (int64_t)k], label = map.key[2 * (int64_t)k + 1];
        int32_t at = g->place[v] + used[v]++;
        for (; at > g->place[v] && g->label_at[at - 1] > label; at--) {
            g->label_at[at] = g->label_at[at - 1];
        }
        g->label_at[at] = label;
    }
    free(used);
    pal_keymap_free(&map);
    return status;
}

// Adds each shared vertex to its interfaces; with lists NULL only counts them.
static void gather_vertices(pal_label_graph *g, bool keep) {
    for (int32_t e = 0; e < g->edge_count; e++) {
        g->edge[e].vertex_count = 0;
    }
    for (int32_t v = 0; v < g->mesh->vertex_count; v++) {
        for (int32_t i = g->place[v]; i < g->place[v + 1]; i++) {
            for (int32_t j = i + 1; j < g->place[v + 1]; j++) {
                int32_t e = pal_label_graph_find(g, g->label_at[i], g->label_at[j]);
                if (e >= 0 && keep) {
                    g->vertex[g->edge[e].vertex_first + g->edge[e].vertex_count] = v;
                }
                if (e >= 0) {
                    g->edge[e].vertex_count++;
                }
            }
        }
    }
}

static int by_number(const void *a, const void *b) {
    const int32_t *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

// Weights by area, and in how many patches the faces of each interface are.
static pal_status weigh_vertices(pal_label_graph *g, const int32_t *neighbour, int32_t total,
                                 pal_err *err) {
    face_walk walk = {g, neighbour, pal_faces_of_kind(g->mesh->kind)->face_count, 0};
    int32_t face, a, b, corner[4], *joined = PAL_NEW(int32_t, total, err);
    if (joined == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t k = 0; k < total; k++) {
        joined[k] = k;
    }
    while (next_face(&walk, &face, &a, &b)) {
        const pal_label_edge *edge = &g->edge[pal_label_graph_find(g, a, b)];
        const int32_t *list = g->vertex + edge->vertex_first;
        int corners = pal_face_vertices(g->mesh, face, corner);
        double share = pal_face_area(g->mesh, face) / (corners * edge->area);
        int32_t first = -1;
        for (int c = 0; c < corners; c++) {
            const int32_t *at =
                bsearch(&corner[c], list, (size_t)edge->vertex_count, sizeof *list, by_number);
            const int32_t here = pal_set_root(joined, (int32_t)(at - g->vertex));
            g->weight[at - g->vertex] += share;
            first = c == 0 ? here : pal_set_root(joined, first);
            joined[here] = first;
        }
    }
    for (int32_t e = 0; e < g->edge_count; e++) {
        pal_label_edge *edge = &g->edge[e];
        for (int32_t k = edge->vertex_first; k < edge->vertex_first + edge->vertex_count; k++) {
            edge->patch_count += joined[k] == k && g->weight[k] > 0.0;
        }
    }
    free(joined);
    return PAL_OK;
}

static pal_status list_vertices(pal_label_graph *g, const int32_t *neighbour, pal_err *err) {
    int32_t total = 0;
    gather_vertices(g, false);
    for (int32_t e = 0; e < g->edge_count; e++) {
        g->edge[e].vertex_first = total;
        total += g->edge[e].vertex_count;
    }
    g->vertex = PAL_NEW(int32_t, total, err);
    g->weight = PAL_NEW(double, total, err);
    if (!g->vertex || !g->weight) {
        return PAL_ERR_MEMORY;
    }
    gather_vertices(g, true);
    return weigh_vertices(g, neighbour, total, err);
}

pal_status pal_label_graph_make(const pal_volmesh *mesh, const int32_t *label, int32_t label_count,
                                pal_label_graph *graph, pal_err *err) {
    int32_t *neighbour = NULL;
    *graph = (pal_label_graph){.mesh = mesh, .label_count = label_count, .label = label};
    graph->element_count = PAL_NEW(int32_t, label_count, err);
    pal_status status =
        graph->element_count ? pal_face_neighbours(mesh, &neighbour, err) : PAL_ERR_MEMORY;
    for (int32_t e = 0; status == PAL_OK && e < mesh->element_count; e++) {
        graph->element_count[label[e]]++;
    }
    if (status == PAL_OK) {
        status = make_edges(graph, neighbour, err);
    }
    if (status == PAL_OK) {
        status = list_edges(graph, err);
    }
    if (status == PAL_OK) {
        status = list_labels(graph, err);
    }
    if (status == PAL_OK) {
        status = list_vertices(graph, neighbour, err);
    }
    free(neighbour);
    if (status != PAL_OK) {
        pal_label_graph_free(graph);
    }
    return status;
}

void pal_label_graph_free(pal_label_graph *graph) {
    free(graph->element_count);
    free(graph->edge);
    free(graph->edge_start);
    free(graph->edge_of);
    free(graph->vertex);
    free(graph->weight);
    free(graph->place);
    free(graph->label_at);
    memset(graph, 0, sizeof *graph);
}

// ---- Looking at it

int32_t pal_label_graph_find(const pal_label_graph *graph, int32_t a, int32_t b) {
    pal_label_edge key = {.a = a < b ? a : b, .b = a < b ? b : a};
    const pal_label_edge *found =
        bsearch(&key, graph->edge, (size_t)graph->edge_count, sizeof key, by_labels);
    return found != NULL ? (int32_t)(found - graph->edge) : -1;
}

int32_t pal_label_graph_other(const pal_label_graph *graph, int32_t edge, int32_t label) {
    return graph->edge[edge].a == label ? graph->edge[edge].b : graph->edge[edge].a;
}

int32_t pal_label_graph_walk(const pal_label_graph *graph, int32_t first, int32_t *order,
                             int32_t *from) {
    enum { UNSEEN = -2 };
    int32_t count = 1;
    for (int32_t l = 0; l < graph->label_count; l++) {
        from[l] = UNSEEN;
    }
    order[0] = first;
    from[first] = -1;
    for (int32_t k = 0; k < count; k++) {
        for (int32_t i = graph->edge_start[order[k]]; i < graph->edge_start[order[k] + 1]; i++) {
            int32_t next = pal_label_graph_other(graph, graph->edge_of[i], order[k]);
            if (from[next] == UNSEEN) {
                from[next] = order[k];
                order[count++] = next;
            }
        }
    }
    for (int32_t l = 0; l < graph->label_count; l++) {
        from[l] = from[l] == UNSEEN ? -1 : from[l];
    }
    return count;
}

// The labels from a up to where its way meets that of b, then down to b: cycle; returns how many.
static int32_t close_cycle(int32_t a, int32_t b, const int32_t *from, const int32_t *depth,
                           int32_t *cycle) {
    int32_t meet = a, count = 0, down = 0;
    for (int32_t other = b; meet != other;) {
        int32_t *deeper = depth[meet] >= depth[other] ? &meet : &other;
        *deeper = from[*deeper];
    }
    for (int32_t l = a; l != meet; l = from[l]) {
        cycle[count++] = l;
    }
    cycle[count++] = meet;
    for (int32_t l = b; l != meet; l = from[l]) {
        down++;
    }
    for (int32_t l = b, at = count + down; l != meet; l = from[l]) {
        cycle[--at] = l;
    }
    return count + down;
}

pal_status pal_label_graph_cycle(const pal_label_graph *graph, int32_t *cycle, int32_t *count,
                                 pal_err *err) {
    int32_t n = graph->label_count;
    int32_t *order = PAL_NEW(int32_t, n, err), *from = PAL_NEW(int32_t, n, err);
    int32_t *depth = PAL_NEW(int32_t, n, err); // from 1; 0: not reached
    pal_status status = order && from && depth ? PAL_OK : PAL_ERR_MEMORY;
    *count = 0;
    for (int32_t first = 0; status == PAL_OK && first < n && *count == 0; first++) {
        if (depth[first] > 0) {
            continue; // in a component that is done
        }
        int32_t reached = pal_label_graph_walk(graph, first, order, from);
        for (int32_t k = 0; k < reached; k++) {
            depth[order[k]] = k == 0 ? 1 : depth[from[order[k]]] + 1;
        }
        for (int32_t e = 0; e < graph->edge_count && *count == 0; e++) {
            int32_t a = graph->edge[e].a, b = graph->edge[e].b;
            bool here = from[a] >= 0 || from[b] >= 0;
            if (here && from[a] != b && from[b] != a) {
                *count = close_cycle(a, b, from, depth, cycle);
            }
        }
    }
    free(order);
    free(from);
    free(depth);
    return status;
}

bool pal_label_graph_hidden(const pal_label_graph *graph, int32_t *a, int32_t *b, int32_t *vertex) {
    for (int32_t v = 0; v < graph->mesh->vertex_count; v++) {
        for (int32_t i = graph->place[v]; i < graph->place[v + 1]; i++) {
            for (int32_t j = i + 1; j < graph->place[v + 1]; j++) {
                if (pal_label_graph_find(graph, graph->label_at[i], graph->label_at[j]) < 0) {
                    *a = graph->label_at[i];
                    *b = graph->label_at[j];
                    *vertex = v;
                    return true;
                }
            }
        }
    }
    return false;
}

pal_status pal_label_graph_check_edge(const pal_label_graph *graph, int32_t edge, const char *a,
                                      const char *b, pal_err *err) {
    const pal_label_edge *it = &graph->edge[edge];
    const int32_t *vertex = graph->vertex + it->vertex_first;
    double x[3], c[3][3];
    char owner[256];
    snprintf(owner, sizeof owner, "the interface between domains '%.63s' and '%.63s'", a, b);
    pal_interface_moments(graph->mesh, it->vertex_count, vertex, graph->weight + it->vertex_first,
                          x, c);
    if (it->patch_count > 1) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "domains '%.63s' and '%.63s' meet in %d places that are apart: a loop "
                        "through both; merge them, or cut elsewhere",
                        a, b, (int)it->patch_count);
    }
    return pal_interface_check(it->vertex_count, c, owner, err);
}

pal_status pal_label_pieces(const pal_volmesh *mesh, const int32_t *label, int32_t *piece,
                            int32_t *piece_count, pal_err *err) {
    int32_t *neighbour = NULL;
    int faces = pal_faces_of_kind(mesh->kind)->face_count;
    int32_t *parent = PAL_NEW(int32_t, mesh->element_count, err);
    pal_status status = parent ? pal_face_neighbours(mesh, &neighbour, err) : PAL_ERR_MEMORY;
    for (int32_t e = 0; status == PAL_OK && e < mesh->element_count; e++) {
        parent[e] = e;
    }
    for (int32_t f = 0; status == PAL_OK && f < mesh->element_count * faces; f++) {
        if (neighbour[f] >= 0 && label[neighbour[f]] == label[f / faces]) {
            int32_t a = pal_set_root(parent, f / faces), b = pal_set_root(parent, neighbour[f]);
            parent[a > b ? a : b] = a > b ? b : a; // the first element leads
        }
    }
    *piece_count = 0;
    for (int32_t e = 0; status == PAL_OK && e < mesh->element_count; e++) {
        int32_t root = pal_set_root(parent, e);
        piece[e] = root == e ? (*piece_count)++ : piece[root];
    }
    free(parent);
    free(neighbour);
    return status;
}
