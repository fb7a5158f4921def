#include "sim/substruct/partition_parts.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/mat3.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"

typedef struct turned { // how a domain lies: x = centre + scale turn (X - centre of its class)
    double turn[3][3], scale;
} turned;

typedef struct filling {
    const pal_partition_spec *spec;
    const pal_label_graph *graph;
    pal_partition *p;
    int32_t *vertex_count; // [domain_count]
    int32_t *first;        // [class_count] its first domain
    turned *lies;          // [domain_count]
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
        f->vertex_count[i] = 0;
        status = p->vertex[i] ? PAL_OK : PAL_ERR_MEMORY;
    }
    for (int32_t v = 0; status == PAL_OK && v < g->mesh->vertex_count; v++) {
        for (int32_t k = g->place[v]; k < g->place[v + 1]; k++) {
            int32_t i = place[g->label_at[k]];
            p->vertex[i][f->vertex_count[i]++] = v;
        }
    }
    free(place);
    return status;
}

static int by_number(const void *a, const void *b) {
    const int32_t *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

// The place of a vertex of the whole mesh among those of domain i, which has it.
static int32_t local_vertex(const filling *f, int32_t i, int32_t vertex) {
    const int32_t *list = f->p->vertex[i];
    const int32_t *at = bsearch(&vertex, list, (size_t)f->vertex_count[i], sizeof *list, by_number);
    return (int32_t)(at - list);
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
    return PAL_OK;
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

static pal_status not_congruent(const filling *f, int32_t i, const char *why, pal_err *err) {
    return pal_fail(err, PAL_ERR_INPUT, "domain '%s' is not congruent to '%s', of its class: %s",
                    f->p->name[i], f->p->name[f->first[f->p->domain[i].kind]], why);
}

// The same elements on the same vertices, held alike?
static pal_status compare_elements(const filling *f, int32_t i, const pal_part *part,
                                   pal_err *err) {
    const pal_volmesh *whole = f->spec->mesh;
    int nodes = (int)whole->kind;
    if (f->vertex_count[i] != part->mesh.vertex_count ||
        f->graph->element_count[f->p->label[i]] != part->mesh.element_count) {
        return not_congruent(f, i, "it has another number of elements or vertices", err);
    }
    for (int32_t e = 0; e < part->mesh.element_count; e++) {
        const int32_t *vertex = pal_volmesh_element(whole, f->p->element[i][e]);
        bool same = whole->region[f->p->element[i][e]] == part->mesh.region[e];
        for (int a = 0; a < nodes; a++) {
            same = same && local_vertex(f, i, vertex[a]) == pal_volmesh_element(&part->mesh, e)[a];
        }
        if (!same) {
            return not_congruent(f, i, "its elements are others, or in another order", err);
        }
    }
    uint8_t *held = PAL_NEW(uint8_t, f->vertex_count[i], err);
    if (held == NULL) {
        return PAL_ERR_MEMORY;
    }
    mark_held(f, i, held, NULL);
    bool same = memcmp(held, part->held, (size_t)f->vertex_count[i]) == 0;
    free(held);
    return same ? PAL_OK : not_congruent(f, i, "its parent holds it at other vertices", err);
}

// Means of the class's vertices and of the domain's.
static void find_centres(const filling *f, int32_t i, const pal_part *part, double (*centre)[3]) {
    memset(centre, 0, 2 * sizeof *centre);
    for (int32_t v = 0; v < part->mesh.vertex_count; v++) {
        for (int c = 0; c < 3; c++) {
            centre[0][c] += part->mesh.x[3 * (int64_t)v + c] / part->mesh.vertex_count;
            centre[1][c] +=
                f->spec->mesh->x[3 * (int64_t)f->p->vertex[i][v] + c] / part->mesh.vertex_count;
        }
    }
}

// The rotation and scale that fit best; whether they fit.
static pal_status fit(const filling *f, int32_t i, const pal_part *part, turned *lies,
                      pal_err *err) {
    static const double tolerance = 1e-6; // of the domain's size
    double centre[2][3], cross[3][3] = {{0}}, size[2] = {0}, worst = 0.0;
    double value[3], u[3][3], vt[3][3], spare[2];
    find_centres(f, i, part, centre);
    for (int32_t v = 0; v < part->mesh.vertex_count; v++) {
        double d[2][3];
        pal_sub3(part->mesh.x + 3 * (int64_t)v, centre[0], d[0]);
        pal_sub3(f->spec->mesh->x + 3 * (int64_t)f->p->vertex[i][v], centre[1], d[1]);
        size[0] += pal_dot3(d[0], d[0]);
        size[1] += pal_dot3(d[1], d[1]);
        for (int k = 0; k < 9; k++) {
            cross[k / 3][k % 3] += d[1][k / 3] * d[0][k % 3];
        }
    }
    if (LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'A', 'A', 3, 3, &cross[0][0], 3, value, &u[0][0], 3,
                       &vt[0][0], 3, spare) != 0) {
        return pal_fail(err, PAL_ERR_NUMERIC, "the rotation of a domain was not found");
    }
    double sign = pal_mat3_det(u) * pal_mat3_det(vt) < 0.0 ? -1.0 : 1.0;
    lies->scale = sqrt(size[1] / size[0]);
    for (int k = 0; k < 9; k++) {
        int a = k / 3, b = k % 3;
        lies->turn[a][b] = u[a][0] * vt[0][b] + u[a][1] * vt[1][b] + sign * u[a][2] * vt[2][b];
    }
    for (int32_t v = 0; v < part->mesh.vertex_count; v++) {
        double d[2][3];
        pal_sub3(part->mesh.x + 3 * (int64_t)v, centre[0], d[0]);
        pal_sub3(f->spec->mesh->x + 3 * (int64_t)f->p->vertex[i][v], centre[1], d[1]);
        for (int a = 0; a < 3; a++) {
            worst = fmax(worst, fabs(d[1][a] - lies->scale * pal_dot3(lies->turn[a], d[0])));
        }
    }
    return worst <= tolerance * sqrt(size[1] / part->mesh.vertex_count)
               ? PAL_OK
               : not_congruent(f, i, "no rotation and scale takes one to the other", err);
}

// ---- Instances

// The port of the parent's class where domain i hangs, which is added when it is new.
static pal_status find_port(const filling *f, int32_t i, int32_t *found, pal_err *err) {
    int32_t parent = f->p->domain[i].parent;
    pal_part *part = &f->p->part[f->p->domain[parent].kind];
    const pal_label_edge *edge = interface_of(f, i);
    int32_t count = edge->vertex_count;
    int32_t *vertex = PAL_NEW(int32_t, count, err);
    double *weight = PAL_NEW(double, count, err);
    if (!vertex || !weight) {
        free(vertex);
        free(weight);
        return PAL_ERR_MEMORY;
    }
    for (int32_t k = 0; k < count; k++) {
        vertex[k] = local_vertex(f, parent, f->graph->vertex[edge->vertex_first + k]);
        weight[k] = f->graph->weight[edge->vertex_first + k];
    }
    for (*found = 0; *found < part->port_count; (*found)++) {
        const pal_port_vertices *port = &part->port[*found];
        if (port->vertex_count == count &&
            memcmp(port->vertex, vertex, (size_t)count * sizeof *vertex) == 0) {
            free(vertex);
            free(weight);
            return PAL_OK;
        }
    }
    part->port[part->port_count++] = (pal_port_vertices){count, vertex, weight};
    return PAL_OK;
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

// The classes as told, or one for each domain.
static pal_status assign_classes(filling *f, pal_err *err) {
    const pal_partition_spec *spec = f->spec;
    pal_partition *p = f->p;
    for (int32_t k = 0; k < p->class_count; k++) {
        f->first[k] = -1;
    }
    for (int32_t i = 0; i < p->domain_count; i++) {
        int32_t kind = spec->class_of != NULL ? spec->class_of[p->label[i]] : i;
        if (kind < 0 || kind >= p->class_count) {
            return pal_fail(err, PAL_ERR_INPUT, "domain '%s' is of class %d, and there are %d",
                            p->name[i], kind, p->class_count);
        }
        p->domain[i].kind = kind;
        f->first[kind] = f->first[kind] < 0 ? i : f->first[kind];
    }
    for (int32_t k = 0; k < p->class_count; k++) {
        if (f->first[k] < 0) {
            return pal_fail(err, PAL_ERR_INPUT, "class %d is empty: no domain is of it", k);
        }
    }
    return PAL_OK;
}

static pal_status fill_domains(filling *f, pal_err *err) {
    pal_partition *p = f->p;
    pal_status status = PAL_OK;
    for (int32_t i = 0; status == PAL_OK && i < p->domain_count; i++) {
        pal_part *part = &p->part[p->domain[i].kind];
        f->lies[i] = (turned){.turn = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .scale = 1.0};
        if (f->first[p->domain[i].kind] == i) {
            status = make_part(f, i, part, err);
        } else {
            status = compare_elements(f, i, part, err);
            status = status == PAL_OK ? fit(f, i, part, &f->lies[i], err) : status;
        }
        if (status == PAL_OK && i > 0) {
            status = find_port(f, i, &p->domain[i].port, err);
        }
        if (status == PAL_OK) {
            set_instance(f, i);
        }
    }
    return status;
}

pal_status pal_partition_fill(const pal_partition_spec *spec, const pal_label_graph *graph,
                              pal_partition *partition, pal_err *err) {
    filling f = {.spec = spec, .graph = graph, .p = partition};
    partition->class_count = spec->class_of != NULL ? spec->class_count : partition->domain_count;
    partition->part = PAL_NEW(pal_part, partition->class_count, err);
    f.vertex_count = PAL_NEW(int32_t, partition->domain_count, err);
    f.first = PAL_NEW(int32_t, partition->class_count, err);
    f.lies = PAL_NEW(turned, partition->domain_count, err);
    pal_status status =
        partition->part && f.vertex_count && f.first && f.lies ? PAL_OK : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        status = assign_classes(&f, err);
    }
    if (status == PAL_OK) {
        status = alloc_ports(&f, err);
    }
    if (status == PAL_OK) {
        status = list_elements(&f, err);
    }
    if (status == PAL_OK) {
        status = list_vertices(&f, err);
    }
    if (status == PAL_OK) {
        status = fill_domains(&f, err);
    }
    free(f.vertex_count);
    free(f.first);
    free(f.lies);
    return status;
}
