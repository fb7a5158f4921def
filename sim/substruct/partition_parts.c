#include "sim/substruct/partition_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/substruct/congruence.h"

typedef struct turned { // how a domain lies: x = centre + scale turn (X - centre of its class)
    double turn[3][3], scale;
} turned;

typedef struct placed { // a vertex of the whole mesh and its place among those of the class
    int32_t whole, local;
} placed;

typedef struct filling {
    const pal_partition_spec *spec;
    const pal_label_graph *graph;
    pal_partition *p;
    int32_t *vertex_count; // [domain_count]
    placed **place;        // [domain_count][vertex_count], ascending in the whole mesh
    int32_t *first;        // [domain_count] the first domain of each class; -1: none yet
    turned *lies;          // [domain_count]
    pal_vertex_map map;
} filling;

// ---- Which vertices and elements each domain has

static pal_status list_elements(filling *f, pal_err *err) {
    pal_partition *p = f->p;
    const pal_volmesh *mesh = f->spec->mesh;
    int32_t *place = PAL_NEW(int32_t, p->domain_count, err); // of each label
    int32_t *used = PAL_NEW(int32_t, p->domain_count, err);
    pal_status status = place && used ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t i = 0; status == PAL_OK && i < p->domain_count; i++) {
        place[p->label[i]] = i;
        p->element[i] = PAL_NEW(int32_t, f->graph->element_count[p->label[i]], err);
        status = p->element[i] ? PAL_OK : PAL_ERR_MEMORY;
    }
    for (int32_t e = 0; status == PAL_OK && e < mesh->element_count; e++) {
        int32_t i = place[f->spec->label[e]];
        p->element[i][used[i]++] = e;
    }
    free(place);
    free(used);
    return status;
}

static pal_status list_vertices(filling *f, pal_err *err) {
    pal_partition *p = f->p;
    const pal_label_graph *g = f->graph;
    int32_t *place = PAL_NEW(int32_t, p->domain_count, err); // of each label
    pal_status status = place ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t i = 0; status == PAL_OK && i < p->domain_count; i++) {
        place[p->label[i]] = i;
    }
    int32_t pairs = g->place[g->mesh->vertex_count];
    for (int32_t k = 0; status == PAL_OK && k < pairs; k++) {
        f->vertex_count[place[g->label_at[k]]]++;
    }
    for (int32_t i = 0; status == PAL_OK && i < p->domain_count; i++) {
        p->vertex[i] = PAL_NEW(int32_t, f->vertex_count[i], err);
        f->place[i] = PAL_NEW(placed, f->vertex_count[i], err);
        f->vertex_count[i] = 0;
        status = p->vertex[i] && f->place[i] ? PAL_OK : PAL_ERR_MEMORY;
    }
    for (int32_t v = 0; status == PAL_OK && v < g->mesh->vertex_count; v++) {
        for (int32_t k = g->place[v]; k < g->place[v + 1]; k++) {
            int32_t i = place[g->label_at[k]];
            f->place[i][f->vertex_count[i]] = (placed){v, f->vertex_count[i]};
            p->vertex[i][f->vertex_count[i]++] = v;
        }
    }
    free(place);
    return status;
}

static int by_whole(const void *a, const void *b) {
    const placed *p = a, *q = b;
    return (p->whole > q->whole) - (p->whole < q->whole);
}

// The place of a vertex of the whole mesh among those of domain i, which has it.
static int32_t local_vertex(const filling *f, int32_t i, int32_t vertex) {
    const placed key = {vertex, 0};
    const placed *at = bsearch(&key, f->place[i], (size_t)f->vertex_count[i], sizeof key, by_whole);
    return at->local;
}

static const pal_label_edge *interface_of(const filling *f, int32_t child) {
    int32_t parent = f->p->domain[child].parent;
    int32_t edge = pal_label_graph_find(f->graph, f->p->label[child], f->p->label[parent]);
    return &f->graph->edge[edge];
}

// ---- The mesh of a class

static pal_status copy_mesh(const filling *f, int32_t i, pal_volmesh *to, pal_err *err) {
    const pal_volmesh *from = f->spec->mesh;
    int32_t elements = f->graph->element_count[f->p->label[i]], nodes = (int32_t)from->kind;
    pal_status status =
        pal_volmesh_alloc(to, from->kind, f->vertex_count[i], elements, from->region_count, err);
    if (status != PAL_OK) {
        return status;
    }
    for (int32_t v = 0; v < f->vertex_count[i]; v++) {
        int32_t whole = f->p->vertex[i][v];
        memcpy(to->x + 3 * (int64_t)v, from->x + 3 * (int64_t)whole, 3 * sizeof *to->x);
        to->file_vertex[v] = from->file_vertex[whole];
    }
    for (int32_t e = 0; e < elements; e++) {
        const int32_t *vertex = pal_volmesh_element(from, f->p->element[i][e]);
        for (int a = 0; a < nodes; a++) {
            to->element[(int64_t)e * nodes + a] = local_vertex(f, i, vertex[a]);
        }
        to->region[e] = from->region[f->p->element[i][e]];
    }
    memcpy(to->regions, from->regions, (size_t)from->region_count * sizeof *to->regions);
    return pal_volmesh_copy_share(from, f->p->element[i], to, err);
}

// held [vertices of i] and their weights (NULL at the root, which has what is fixed).
static void mark_held(const filling *f, int32_t i, uint8_t *held, double *weight) {
    if (i == 0) {
        for (int32_t v = 0; f->spec->fixed != NULL && v < f->vertex_count[0]; v++) {
            held[v] = f->spec->fixed[f->p->vertex[0][v]] != 0;
        }
        return;
    }
    const pal_label_edge *edge = interface_of(f, i);
    for (int32_t k = edge->vertex_first; k < edge->vertex_first + edge->vertex_count; k++) {
        int32_t v = local_vertex(f, i, f->graph->vertex[k]);
        held[v] = 1;
        if (weight != NULL) {
            weight[v] = f->graph->weight[k];
        }
    }
}

static pal_status make_part(const filling *f, int32_t i, pal_part *part, pal_err *err) {
    pal_status status = copy_mesh(f, i, &part->mesh, err);
    part->held = PAL_NEW(uint8_t, f->vertex_count[i], err);
    part->held_weight = i > 0 ? PAL_NEW(double, f->vertex_count[i], err) : NULL;
    if (part->held == NULL || (i > 0 && part->held_weight == NULL)) {
        status = PAL_ERR_MEMORY;
    }
    if (status == PAL_OK) {
        mark_held(f, i, part->held, part->held_weight);
        for (int32_t v = 0; v < f->vertex_count[i]; v++) {
            part->is_held = part->is_held || part->held[v];
        }
    }
    return status;
}

// ---- Domains of one class

static int32_t elements_of(const filling *f, int32_t i) {
    return f->graph->element_count[f->p->label[i]];
}

// Held at the same vertices as its class?
static pal_status is_held_alike(const filling *f, int32_t i, const pal_part *part, bool *alike,
                                pal_err *err) {
    uint8_t *held = PAL_NEW(uint8_t, f->vertex_count[i], err);
    if (held == NULL) {
        return PAL_ERR_MEMORY;
    }
    mark_held(f, i, held, NULL);
    *alike = memcmp(held, part->held, (size_t)f->vertex_count[i]) == 0;
    free(held);
    return PAL_OK;
}

// Its vertices in the order of the class, as the map has them.
static void order_vertices(filling *f, int32_t i, int32_t first) {
    for (int32_t v = 0; v < f->vertex_count[i]; v++) {
        f->p->vertex[i][v] = f->map.image[f->p->vertex[first][v]];
        f->place[i][v] = (placed){f->p->vertex[i][v], v};
    }
    qsort(f->place[i], (size_t)f->vertex_count[i], sizeof **f->place, by_whole);
}

// Domain i becomes an instance of a class that has a domain already, or why [200] it is none, and
// then nothing else has changed.
static pal_status join_class(filling *f, int32_t i, int32_t kind, bool *joined, char *why,
                             pal_err *err) {
    const int32_t first = f->first[kind];
    pal_congruence found;
    *joined = false;
    if (f->vertex_count[i] != f->vertex_count[first] ||
        elements_of(f, i) != elements_of(f, first)) {
        snprintf(why, sizeof found.why,
                 "it has another number of elements or vertices (%d and %d against %d and %d)",
                 (int)elements_of(f, i), (int)f->vertex_count[i], (int)elements_of(f, first),
                 (int)f->vertex_count[first]);
        return PAL_OK;
    }
    pal_status status = pal_congruence_find(f->spec->mesh, elements_of(f, i), f->p->element[first],
                                            f->p->element[i], &f->map, &found, err);
    if (status != PAL_OK || !found.holds) {
        memcpy(why, found.why, sizeof found.why);
        return status;
    }
    order_vertices(f, i, first);
    status = is_held_alike(f, i, &f->p->part[kind], joined, err);
    if (status == PAL_OK && *joined) {
        memcpy(f->lies[i].turn, found.turn, sizeof found.turn);
        f->lies[i].scale = found.scale;
        f->p->domain[i].kind = kind;
    } else if (status == PAL_OK) {
        snprintf(why, sizeof found.why, "its parent holds it at other vertices");
        for (int32_t v = 0; v < f->vertex_count[i]; v++) { // in their own order again
            f->p->vertex[i][v] = f->place[i][v].whole;
            f->place[i][v].local = v;
        }
    }
    return status;
}

static pal_status found_class(filling *f, int32_t i, int32_t kind, pal_err *err) {
    f->p->domain[i].kind = kind;
    f->first[kind] = i;
    return make_part(f, i, &f->p->part[kind], err);
}

// As told by class_of.
static pal_status take_class(filling *f, int32_t i, pal_err *err) {
    const int32_t kind = f->spec->class_of[f->p->label[i]];
    char why[200] = "";
    bool joined = true;
    if (f->first[kind] < 0) {
        return found_class(f, i, kind, err);
    }
    pal_status status = join_class(f, i, kind, &joined, why, err);
    return status == PAL_OK && !joined
               ? pal_fail(err, PAL_ERR_INPUT,
                          "domain '%s' is not congruent to '%s', of its class: %s", f->p->name[i],
                          f->p->name[f->first[kind]], why)
               : status;
}

// The first class that fits, or a new one.
static pal_status find_class(filling *f, int32_t i, pal_err *err) {
    char why[200];
    bool joined = false;
    pal_status status = PAL_OK;
    for (int32_t k = 0; f->spec->congruent && status == PAL_OK && !joined && k < f->p->class_count;
         k++) {
        status = join_class(f, i, k, &joined, why, err);
    }
    return status == PAL_OK && !joined ? found_class(f, i, f->p->class_count++, err) : status;
}

// Whether class_of can be: every class is there, and used.
static pal_status check_classes(const filling *f, pal_err *err) {
    const pal_partition_spec *spec = f->spec;
    for (int32_t i = 0; i < f->p->domain_count; i++) {
        const int32_t kind = spec->class_of[f->p->label[i]];
        if (kind < 0 || kind >= spec->class_count) {
            return pal_fail(err, PAL_ERR_INPUT, "domain '%s' is of class %d, and there are %d",
                            f->p->name[i], kind, spec->class_count);
        }
    }
    for (int32_t k = 0; k < spec->class_count; k++) {
        int32_t label = 0;
        while (label < spec->label_count && spec->class_of[label] != k) {
            label++;
        }
        if (label == spec->label_count) {
            return pal_fail(err, PAL_ERR_INPUT, "class %d is empty: no domain is of it", k);
        }
    }
    return PAL_OK;
}

static pal_status assign_classes(filling *f, pal_err *err) {
    pal_partition *p = f->p;
    const bool told = f->spec->class_of != NULL;
    pal_status status = told ? check_classes(f, err) : PAL_OK;
    for (int32_t i = 0; i < p->domain_count; i++) {
        f->first[i] = -1;
        f->lies[i] = (turned){.turn = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .scale = 1.0};
    }
    if (status == PAL_OK) {
        p->class_count = told ? f->spec->class_count : 0; // not more than there are domains
    }
    for (int32_t i = 0; status == PAL_OK && i < p->domain_count; i++) {
        status = told ? take_class(f, i, err) : find_class(f, i, err);
    }
    return status;
}

// ---- Instances

static int by_local(const void *a, const void *b) {
    const placed *p = a, *q = b;
    return (p->local > q->local) - (p->local < q->local);
}

// The vertices of the parent's class where domain i hangs, ascending, and their weights.
static pal_status list_port(const filling *f, int32_t i, int32_t *vertex, double *weight,
                            pal_err *err) {
    const pal_label_edge *edge = interface_of(f, i);
    placed *list = PAL_NEW(placed, edge->vertex_count, err);
    if (list == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t k = 0; k < edge->vertex_count; k++) {
        const int32_t at = edge->vertex_first + k;
        list[k] = (placed){at, local_vertex(f, f->p->domain[i].parent, f->graph->vertex[at])};
    }
    qsort(list, (size_t)edge->vertex_count, sizeof *list, by_local);
    for (int32_t k = 0; k < edge->vertex_count; k++) {
        vertex[k] = list[k].local;
        weight[k] = f->graph->weight[list[k].whole];
    }
    free(list);
    return PAL_OK;
}

// The port of the parent's class where domain i hangs, which is added when it is new.
static pal_status find_port(const filling *f, int32_t i, int32_t *found, pal_err *err) {
    pal_part *part = &f->p->part[f->p->domain[f->p->domain[i].parent].kind];
    const int32_t count = interface_of(f, i)->vertex_count;
    int32_t *vertex = PAL_NEW(int32_t, count, err);
    double *weight = PAL_NEW(double, count, err);
    pal_status status = vertex && weight ? list_port(f, i, vertex, weight, err) : PAL_ERR_MEMORY;
    bool known = false;
    for (*found = 0; status == PAL_OK && !known && *found < part->port_count; *found += !known) {
        const pal_port_vertices *port = &part->port[*found];
        known = port->vertex_count == count &&
                memcmp(port->vertex, vertex, (size_t)count * sizeof *vertex) == 0;
    }
    if (status == PAL_OK && !known) {
        part->port[part->port_count++] = (pal_port_vertices){count, vertex, weight};
    } else {
        free(vertex);
        free(weight);
    }
    return status;
}

// Room for as many ports as a class can have: the children of all its domains.
static pal_status alloc_ports(const filling *f, pal_err *err) {
    pal_partition *p = f->p;
    int32_t *most = PAL_NEW(int32_t, p->class_count, err);
    pal_status status = most ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t i = 1; status == PAL_OK && i < p->domain_count; i++) {
        most[p->domain[p->domain[i].parent].kind]++;
    }
    for (int32_t k = 0; status == PAL_OK && k < p->class_count; k++) {
        p->part[k].port = PAL_NEW(pal_port_vertices, most[k], err);
        status = p->part[k].port ? PAL_OK : PAL_ERR_MEMORY;
    }
    free(most);
    return status;
}

static void set_instance(const filling *f, int32_t i) {
    pal_domain *domain = &f->p->domain[i];
    domain->scale = f->lies[i].scale;
    domain->stiffness = 1.0;
    for (int k = 0; k < 9; k++) {
        int a = k / 3, b = k % 3;
        domain->rest[a][b] = domain->parent < 0 ? f->lies[i].turn[a][b] : 0.0;
        for (int c = 0; domain->parent >= 0 && c < 3; c++) { // turn_parent^T turn
            domain->rest[a][b] += f->lies[domain->parent].turn[c][a] * f->lies[i].turn[c][b];
        }
    }
}

static pal_status place_instances(const filling *f, pal_err *err) {
    pal_status status = alloc_ports(f, err);
    for (int32_t i = 0; status == PAL_OK && i < f->p->domain_count; i++) {
        set_instance(f, i);
        if (i > 0) {
            status = find_port(f, i, &f->p->domain[i].port, err);
        }
    }
    return status;
}

// ---- All of it

static pal_status open_filling(filling *f, pal_err *err) {
    const int32_t domains = f->p->domain_count;
    f->p->part = PAL_NEW(pal_part, domains, err); // classes are not more
    f->vertex_count = PAL_NEW(int32_t, domains, err);
    f->place = PAL_NEW(placed *, domains, err);
    f->first = PAL_NEW(int32_t, domains, err);
    f->lies = PAL_NEW(turned, domains, err);
    return f->p->part && f->vertex_count && f->place && f->first && f->lies
               ? pal_vertex_map_open(&f->map, f->spec->mesh->vertex_count, err)
               : PAL_ERR_MEMORY;
}

static void close_filling(filling *f) {
    for (int32_t i = 0; f->place != NULL && i < f->p->domain_count; i++) {
        free(f->place[i]);
    }
    free(f->place);
    free(f->vertex_count);
    free(f->first);
    free(f->lies);
    pal_vertex_map_close(&f->map);
}

pal_status pal_partition_fill(const pal_partition_spec *spec, const pal_label_graph *graph,
                              pal_partition *partition, pal_err *err) {
    filling f = {.spec = spec, .graph = graph, .p = partition};
    pal_status status = open_filling(&f, err);
    if (status == PAL_OK) {
        status = list_elements(&f, err);
    }
    if (status == PAL_OK) {
        status = list_vertices(&f, err);
    }
    if (status == PAL_OK) {
        status = assign_classes(&f, err);
    }
    if (status == PAL_OK) {
        status = place_instances(&f, err);
    }
    close_filling(&f);
    return status;
}
