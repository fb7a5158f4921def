#include "app/domain_problems.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/mesh/keymap.h"

void pal_domain_problems_add(pal_domain_problems *problems, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (problems->count < PAL_DOMAIN_PROBLEMS) {
        vsnprintf(problems->text[problems->count], PAL_DOMAIN_PROBLEM, format, arguments);
    }
    problems->count++;
    va_end(arguments);
}

static pal_status find_pieces(const pal_label_graph *graph, const pal_domain_labels *labels,
                              pal_domain_problems *problems, pal_err *err) {
    const pal_volmesh *mesh = graph->mesh;
    int32_t *piece = PAL_NEW(int32_t, mesh->element_count, err), count;
    int32_t *pieces = PAL_NEW(int32_t, labels->count, err);
    int32_t *latest = PAL_NEW(int32_t, labels->count, err); // element that begins the latest piece
    pal_status status = piece && pieces && latest ? PAL_OK : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        status = pal_label_pieces(mesh, labels->label, piece, &count, err);
    }
    for (int32_t e = 0, next = 0; status == PAL_OK && e < mesh->element_count; e++) {
        if (piece[e] == next) { // pieces are numbered by their first element
            next++;
            pieces[labels->label[e]]++;
            latest[labels->label[e]] = e;
        }
    }
    for (int32_t d = 0; status == PAL_OK && d < labels->count; d++) {
        if (pieces[d] == 0) {
            pal_domain_problems_add(problems, "domain '%s' is empty", labels->name[d]);
        } else if (pieces[d] > 1) {
            pal_domain_problems_add(problems,
                                    "domain '%s' is in %d pieces; one begins at element %d",
                                    labels->name[d], (int)pieces[d], (int)latest[d]);
        }
    }
    free(piece);
    free(pieces);
    free(latest);
    return status;
}

// "loop of 3 domains: 'a' - 'b' - 'c'": from a up to where the ways of a and b to the root meet,
// and down to b. chain [label_count] is scratch.
static void tell_loop(const pal_domain_labels *labels, const int32_t *from, const int32_t *depth,
                      int32_t a, int32_t b, int32_t *chain, pal_domain_problems *problems) {
    int32_t low = 0, high = labels->count; // the way of a from the front, that of b from the back
    while (a != b) {
        if (depth[a] >= depth[b]) {
            chain[low++] = a;
            a = from[a];
        } else {
            chain[--high] = b;
            b = from[b];
        }
    }
    chain[low++] = a;
    memmove(chain + low, chain + high, (size_t)(labels->count - high) * sizeof *chain);
    const int32_t count = low + labels->count - high;
    char text[PAL_DOMAIN_PROBLEM - 64] = "";
    for (int32_t k = 0; k < count; k++) {
        const size_t used = strlen(text), left = sizeof text - used;
        if (left < PAL_DOMAIN_NAME + 16) {
            snprintf(text + used, left, " - ...");
            break;
        }
        snprintf(text + used, left, "%s'%s'", k > 0 ? " - " : "", labels->name[chain[k]]);
    }
    problems->loops++;
    pal_domain_problems_add(problems, "loop of %d domains: %s", (int)count, text);
}

static pal_status find_loops(const pal_label_graph *graph, const pal_domain_labels *labels,
                             pal_domain_problems *problems, pal_err *err) {
    const int32_t n = graph->label_count;
    int32_t *order = PAL_NEW(int32_t, n, err), *from = PAL_NEW(int32_t, n, err);
    int32_t *depth = PAL_NEW(int32_t, n, err), *part = PAL_NEW(int32_t, n, err); // from 1
    int32_t *chain = PAL_NEW(int32_t, n, err);
    pal_status status = order && from && depth && part && chain ? PAL_OK : PAL_ERR_MEMORY;
    int32_t parts = 0;
    for (int32_t first = 0; status == PAL_OK && first < n; first++) {
        if (part[first] > 0 || graph->element_count[first] == 0) {
            continue;
        }
        parts++;
        const int32_t reached = pal_label_graph_walk(graph, first, order, from);
        for (int32_t k = 0; k < reached; k++) {
            depth[order[k]] = k == 0 ? 0 : depth[from[order[k]]] + 1;
            part[order[k]] = parts;
        }
        for (int32_t e = 0; e < graph->edge_count; e++) {
            const int32_t a = graph->edge[e].a, b = graph->edge[e].b;
            if (part[a] == parts && from[a] != b && from[b] != a) {
                tell_loop(labels, from, depth, a, b, chain, problems);
            }
        }
        if (parts == 2) {
            pal_domain_problems_add(problems,
                                    "'%s' is not joined to '%s': the mesh is in several pieces",
                                    labels->name[first], labels->name[0]);
        }
    }
    free(order);
    free(from);
    free(depth);
    free(part);
    free(chain);
    return status;
}

// Every pair that shares vertices but no face, once, with its first vertex.
static pal_status find_touching(const pal_label_graph *graph, const pal_domain_labels *labels,
                                pal_domain_problems *problems, pal_err *err) {
    pal_keymap map;
    int32_t most = 0;
    for (int32_t v = 0; v < graph->mesh->vertex_count; v++) {
        const int32_t here = graph->place[v + 1] - graph->place[v];
        most += here * (here - 1) / 2;
    }
    pal_status status = pal_keymap_alloc(&map, 2, most, err);
    for (int32_t v = 0; status == PAL_OK && v < graph->mesh->vertex_count; v++) {
        for (int32_t i = graph->place[v]; i < graph->place[v + 1]; i++) {
            for (int32_t j = i + 1; j < graph->place[v + 1]; j++) {
                const int32_t pair[2] = {graph->label_at[i], graph->label_at[j]};
                const int32_t before = map.count;
                if (pal_label_graph_find(graph, pair[0], pair[1]) >= 0) {
                    continue;
                }
                pal_keymap_add(&map, pair);
                if (map.count > before) {
                    pal_domain_problems_add(
                        problems, "'%s' and '%s' share vertex %d but no face: a hidden loop",
                        labels->name[pair[0]], labels->name[pair[1]], (int)v);
                }
            }
        }
    }
    if (status == PAL_OK) {
        pal_keymap_free(&map);
    }
    return status;
}

pal_status pal_domain_problems_find(const pal_label_graph *graph, const pal_domain_labels *labels,
                                    pal_domain_problems *problems, pal_err *err) {
    *problems = (pal_domain_problems){0};
    pal_status status = find_pieces(graph, labels, problems, err);
    const bool in_pieces = problems->count > 0; // which meet their neighbours in several places
    if (status == PAL_OK) {
        status = find_loops(graph, labels, problems, err);
    }
    if (status == PAL_OK) {
        status = find_touching(graph, labels, problems, err);
    }
    for (int32_t e = 0; status == PAL_OK && e < graph->edge_count; e++) {
        pal_err inner = {0};
        const pal_label_edge *edge = &graph->edge[e];
        if (in_pieces && edge->patch_count > 1) {
            continue;
        }
        if (pal_label_graph_check_edge(graph, e, labels->name[edge->a], labels->name[edge->b],
                                       &inner) != PAL_OK) {
            pal_domain_problems_add(problems, "%.500s", inner.text);
        }
    }
    return status;
}
