#include "sim/substruct/partition.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/substruct/partition_parts.h"

typedef char label_name[PAL_DOMAIN_NAME];

static void name_label(const pal_partition_spec *spec, int32_t label, label_name name) {
    if (spec->name != NULL) {
        snprintf(name, sizeof(label_name), "%s", spec->name[label]);
    } else {
        snprintf(name, sizeof(label_name), "domain %d", label);
    }
}

// ---- Checks of the labels

static pal_status check_labels(const pal_partition_spec *spec, pal_err *err) {
    int32_t *used = PAL_NEW(int32_t, spec->label_count, err);
    pal_status status = used ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t e = 0; status == PAL_OK && e < spec->mesh->element_count; e++) {
        int32_t label = spec->label[e];
        if (label < 0 || label >= spec->label_count) {
            status = pal_fail(err, PAL_ERR_INPUT, "element %d is of domain %d, and there are %d", e,
                              label, spec->label_count);
        } else {
            used[label]++;
        }
    }
    for (int32_t l = 0; status == PAL_OK && l < spec->label_count; l++) {
        label_name name;
        if (used[l] == 0) {
            name_label(spec, l, name);
            status = pal_fail(err, PAL_ERR_INPUT,
                              "domain '%s' is empty: no element is of it, or others took them all; "
                              "remove it",
                              name);
        }
    }
    free(used);
    return status;
}

static pal_status check_pieces(const pal_partition_spec *spec, pal_err *err) {
    int32_t count = 0, *piece = PAL_NEW(int32_t, spec->mesh->element_count, err);
    int32_t *first = PAL_NEW(int32_t, spec->label_count, err); // piece of each label + 1
    pal_status status = piece && first
                            ? pal_label_pieces(spec->mesh, spec->label, piece, &count, err)
                            : PAL_ERR_MEMORY;
    for (int32_t e = 0; status == PAL_OK && e < spec->mesh->element_count; e++) {
        int32_t *known = &first[spec->label[e]];
        label_name name;
        if (*known != 0 && *known != piece[e] + 1) {
            name_label(spec, spec->label[e], name);
            status = pal_fail(err, PAL_ERR_INPUT,
                              "domain '%s' is in several pieces (element %d is not joined to its "
                              "first by faces); make them domains of their own",
                              name, e);
        }
        *known = piece[e] + 1;
    }
    free(piece);
    free(first);
    return status;
}

static pal_status check_cycle(const pal_partition_spec *spec, const pal_label_graph *graph,
                              pal_err *err) {
    int32_t count = 0, *cycle = PAL_NEW(int32_t, spec->label_count, err);
    pal_status status = cycle ? pal_label_graph_cycle(graph, cycle, &count, err) : PAL_ERR_MEMORY;
    if (status == PAL_OK && count > 0) {
        char list[600] = "";
        for (int32_t k = 0; k < count; k++) {
            label_name name;
            size_t used = strlen(list);
            name_label(spec, cycle[k], name);
            snprintf(list + used, sizeof list - used, "%s'%s'", k > 0 ? ", " : "", name);
        }
        status = pal_fail(err, PAL_ERR_INPUT,
                          "the domains form a loop: %s; merge two of them, or cut elsewhere", list);
    }
    free(cycle);
    return status;
}

static pal_status check_touch(const pal_partition_spec *spec, const pal_label_graph *graph,
                              pal_err *err) {
    int32_t a, b, vertex;
    label_name first, second;
    if (!pal_label_graph_hidden(graph, &a, &b, &vertex)) {
        return PAL_OK;
    }
    name_label(spec, a, first);
    name_label(spec, b, second);
    return pal_fail(err, PAL_ERR_INPUT,
                    "domains '%s' and '%s' share vertex %d but no face: that is too little for an "
                    "interface, and a hidden loop where they are joined by others",
                    first, second, vertex);
}

static pal_status check_interfaces(const pal_partition_spec *spec, const pal_label_graph *graph,
                                   pal_err *err) {
    pal_status status = PAL_OK;
    for (int32_t e = 0; status == PAL_OK && e < graph->edge_count; e++) {
        label_name a, b;
        name_label(spec, graph->edge[e].a, a);
        name_label(spec, graph->edge[e].b, b);
        status = pal_label_graph_check_edge(graph, e, a, b, err);
    }
    return status;
}

// ---- The root

static bool has_vertex(const pal_label_graph *graph, int32_t label, int32_t vertex) {
    for (int32_t i = graph->place[vertex]; i < graph->place[vertex + 1]; i++) {
        if (graph->label_at[i] == label) {
            return true;
        }
    }
    return false;
}

// The label with the most fixed vertices, -1 when nothing is fixed.
static pal_status find_anchored(const pal_partition_spec *spec, const pal_label_graph *graph,
                                int32_t *anchored, pal_err *err) {
    int32_t *count = PAL_NEW(int32_t, spec->label_count, err);
    *anchored = -1;
    if (count == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t v = 0; spec->fixed != NULL && v < spec->mesh->vertex_count; v++) {
        for (int32_t i = graph->place[v]; spec->fixed[v] && i < graph->place[v + 1]; i++) {
            count[graph->label_at[i]]++;
        }
    }
    for (int32_t l = 0; l < spec->label_count; l++) {
        if (count[l] > (*anchored < 0 ? 0 : count[*anchored])) {
            *anchored = l;
        }
    }
    free(count);
    return PAL_OK;
}

// What is fixed must be of the root.
static pal_status check_ground(const pal_partition_spec *spec, const pal_label_graph *graph,
                               int32_t root, pal_err *err) {
    for (int32_t v = 0; spec->fixed != NULL && v < spec->mesh->vertex_count; v++) {
        if (spec->fixed[v] && graph->place[v] < graph->place[v + 1] &&
            !has_vertex(graph, root, v)) {
            label_name first, second;
            name_label(spec, root, first);
            name_label(spec, graph->label_at[graph->place[v]], second);
            return pal_fail(err, PAL_ERR_INPUT,
                            "domain '%s' is the root, but '%s' is fixed to the ground too (vertex "
                            "%d): a loop through the ground; merge what is fixed into one domain",
                            first, second, v);
        }
    }
    return PAL_OK;
}

// The middle of a tree: leaves are taken off until one or two labels are left.
static pal_status find_middle(const pal_label_graph *graph, int32_t *middle, pal_err *err) {
    int32_t n = graph->label_count, left = n, head = 0, tail = 0;
    int32_t *degree = PAL_NEW(int32_t, n, err), *queue = PAL_NEW(int32_t, n, err);
    if (!degree || !queue) {
        free(degree);
        free(queue);
        return PAL_ERR_MEMORY;
    }
    for (int32_t l = 0; l < n; l++) {
        degree[l] = graph->edge_start[l + 1] - graph->edge_start[l];
        if (degree[l] <= 1) {
            queue[tail++] = l;
        }
    }
    for (int32_t ring = tail; left > 2; ring = tail) { // all leaves that there are now
        left -= ring - head;
        for (; head < ring; head++) {
            int32_t l = queue[head];
            degree[l] = 0;
            for (int32_t i = graph->edge_start[l]; i < graph->edge_start[l + 1]; i++) {
                int32_t other = pal_label_graph_other(graph, graph->edge_of[i], l);
                if (degree[other] > 0 && --degree[other] == 1) {
                    queue[tail++] = other;
                }
            }
        }
    }
    *middle = queue[tail - 1];
    for (int32_t k = tail - left; k < tail; k++) {
        if (graph->element_count[queue[k]] > graph->element_count[*middle]) {
            *middle = queue[k];
        }
    }
    free(degree);
    free(queue);
    return PAL_OK;
}

static pal_status choose_root(const pal_partition_spec *spec, const pal_label_graph *graph,
                              int32_t *root, bool *flies, pal_err *err) {
    int32_t anchored;
    pal_status status = find_anchored(spec, graph, &anchored, err);
    *flies = anchored < 0;
    *root = anchored;
    if (status == PAL_OK && spec->root >= spec->label_count) {
        status = pal_fail(err, PAL_ERR_INPUT, "domain %d is to be the root, and there are %d",
                          spec->root, spec->label_count);
    }
    if (status == PAL_OK && spec->root >= 0) {
        *root = spec->root;
    } else if (status == PAL_OK && anchored < 0) {
        status = find_middle(graph, root, err);
    }
    return status == PAL_OK ? check_ground(spec, graph, *root, err) : status;
}

// ---- The tree

static pal_status alloc_domains(int32_t count, pal_partition *p, pal_err *err) {
    p->domain_count = count;
    p->domain = PAL_NEW(pal_domain, count, err);
    p->name = pal_alloc((size_t)count, PAL_DOMAIN_NAME, err);
    p->label = PAL_NEW(int32_t, count, err);
    p->vertex = PAL_NEW(int32_t *, count, err);
    p->element = PAL_NEW(int32_t *, count, err);
    return p->domain && p->name && p->label && p->vertex && p->element ? PAL_OK : PAL_ERR_MEMORY;
}

// Domains from the root on, breadth first.
static pal_status order_domains(const pal_partition_spec *spec, const pal_label_graph *graph,
                                pal_partition *p, pal_err *err) {
    int32_t n = spec->label_count, root;
    int32_t *from = PAL_NEW(int32_t, n, err), *place = PAL_NEW(int32_t, n, err);
    pal_status status = from && place ? alloc_domains(n, p, err) : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        status = choose_root(spec, graph, &root, &p->flies, err);
    }
    if (status == PAL_OK && pal_label_graph_walk(graph, root, p->label, from) < n) {
        label_name first, other;
        int32_t apart = 0;
        while (apart == root || from[apart] >= 0) {
            apart++;
        }
        name_label(spec, root, first);
        name_label(spec, apart, other);
        status = pal_fail(err, PAL_ERR_INPUT,
                          "domains '%s' and '%s' are not joined: the mesh is in several pieces",
                          first, other);
    }
    for (int32_t i = 0; status == PAL_OK && i < n; i++) {
        place[p->label[i]] = i;
        name_label(spec, p->label[i], p->name[i]);
        p->domain[i].parent = i == 0 ? -1 : place[from[p->label[i]]];
    }
    free(from);
    free(place);
    return status;
}

static pal_status check_graph(const pal_partition_spec *spec, const pal_label_graph *graph,
                              pal_err *err) {
    pal_status status = check_cycle(spec, graph, err);
    if (status == PAL_OK) {
        status = check_touch(spec, graph, err);
    }
    return status == PAL_OK ? check_interfaces(spec, graph, err) : status;
}

pal_status pal_partition_make(const pal_partition_spec *spec, pal_partition *partition,
                              pal_err *err) {
    pal_label_graph graph = {0};
    *partition = (pal_partition){0};
    if (spec->label_count < 1) {
        return pal_fail(err, PAL_ERR_INPUT, "a mesh is cut into one domain at least");
    }
    pal_status status = check_labels(spec, err);
    if (status == PAL_OK) {
        status = check_pieces(spec, err);
    }
    if (status == PAL_OK) {
        status = pal_label_graph_make(spec->mesh, spec->label, spec->label_count, &graph, err);
    }
    if (status == PAL_OK) {
        status = check_graph(spec, &graph, err);
    }
    if (status == PAL_OK) {
        status = order_domains(spec, &graph, partition, err);
    }
    if (status == PAL_OK) {
        status = pal_partition_fill(spec, &graph, partition, err);
    }
    pal_label_graph_free(&graph);
    if (status != PAL_OK) {
        pal_partition_free(partition);
    }
    return status;
}

static void free_part(pal_part *part) {
    for (int32_t p = 0; part->port != NULL && p < part->port_count; p++) {
        free((void *)part->port[p].vertex);
        free((void *)part->port[p].weight);
    }
    pal_volmesh_free(&part->mesh);
    free(part->held);
    free(part->held_weight);
    free(part->port);
}

void pal_partition_free(pal_partition *partition) {
    for (int32_t i = 0; i < partition->domain_count; i++) {
        if (partition->vertex != NULL) {
            free(partition->vertex[i]);
        }
        if (partition->element != NULL) {
            free(partition->element[i]);
        }
    }
    for (int32_t k = 0; partition->part != NULL && k < partition->class_count; k++) {
        free_part(&partition->part[k]);
    }
    free(partition->domain);
    free(partition->name);
    free(partition->label);
    free(partition->vertex);
    free(partition->element);
    free(partition->part);
    *partition = (pal_partition){0};
}
