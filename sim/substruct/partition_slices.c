// Slices of a mesh along a field on its vertices: neighbours in a row, and so a path or, where a
// slice is in several pieces, the branches of a tree (as in a Reeb graph).
#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/substruct/partition_cut.h"

// ---- Fields

void pal_cut_axis_field(const pal_volmesh *mesh, double *field) {
    double side[3] = {0.0, 0.0, 0.0};
    for (int c = 0; c < 3; c++) {
        double low = INFINITY, high = -INFINITY;
        for (int32_t v = 0; v < mesh->vertex_count; v++) {
            low = fmin(low, mesh->x[3 * (int64_t)v + c]);
            high = fmax(high, mesh->x[3 * (int64_t)v + c]);
        }
        side[c] = high - low;
    }
    const int axis = side[0] >= side[1] && side[0] >= side[2] ? 0 : side[1] >= side[2] ? 1 : 2;
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        field[v] = mesh->x[3 * (int64_t)v + axis];
    }
}

typedef struct search { // Dijkstra's
    const pal_volmesh *mesh;
    int32_t *start, *element; // the elements of each vertex
    int32_t *heap, count;     // vertices that are reached, but not left yet; the nearest is first
    int32_t *place;           // [vertex_count] in the heap, -1: not there
    double *far;              // [vertex_count]
} search;

static void set(search *s, int32_t at, int32_t vertex) {
    s->heap[at] = vertex;
    s->place[vertex] = at;
}

// A new vertex, or one that has become nearer.
static void put(search *s, int32_t vertex, double far) {
    s->far[vertex] = far;
    int32_t at = s->place[vertex] >= 0 ? s->place[vertex] : s->count++;
    for (; at > 0 && s->far[s->heap[(at - 1) / 2]] > far; at = (at - 1) / 2) {
        set(s, at, s->heap[(at - 1) / 2]);
    }
    set(s, at, vertex);
}

static int32_t take(search *s) {
    const int32_t top = s->heap[0], last = s->heap[--s->count];
    int32_t at = 0;
    for (int32_t next = 1; next < s->count; next = 2 * at + 1) {
        next += next + 1 < s->count && s->far[s->heap[next + 1]] < s->far[s->heap[next]];
        if (s->far[s->heap[next]] >= s->far[last]) {
            break;
        }
        set(s, at, s->heap[next]);
        at = next;
    }
    set(s, at, last);
    s->place[top] = -1;
    return top;
}

// From what was put in; returns the farthest vertex.
static int32_t spread(search *s) {
    const int nodes = (int)s->mesh->kind;
    int32_t last = 0;
    while (s->count > 0) {
        last = take(s);
        for (int32_t k = s->start[last]; k < s->start[last + 1]; k++) {
            for (int a = 0; a < nodes; a++) {
                const int32_t next = pal_volmesh_element(s->mesh, s->element[k])[a];
                double edge[3];
                pal_sub3(s->mesh->x + 3 * (int64_t)next, s->mesh->x + 3 * (int64_t)last, edge);
                const double far = s->far[last] + pal_norm3(edge);
                if (far < s->far[next]) {
                    put(s, next, far);
                }
            }
        }
    }
    return last;
}

static pal_status open_search(search *s, pal_err *err) {
    const pal_volmesh *mesh = s->mesh;
    const int64_t corners = (int64_t)mesh->element_count * (int)mesh->kind;
    s->start = PAL_NEW(int32_t, mesh->vertex_count + 2, err);
    s->element = PAL_NEW(int32_t, corners, err);
    s->heap = PAL_NEW(int32_t, mesh->vertex_count, err);
    s->place = PAL_NEW(int32_t, mesh->vertex_count, err);
    if (!s->start || !s->element || !s->heap || !s->place) {
        return PAL_ERR_MEMORY;
    }
    for (int64_t k = 0; k < corners; k++) {
        s->start[mesh->element[k] + 2]++;
    }
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        s->start[v + 2] += s->start[v + 1];
        s->place[v] = -1;
    }
    for (int64_t k = 0; k < corners; k++) {
        s->element[s->start[mesh->element[k] + 1]++] = (int32_t)(k / (int)mesh->kind);
    }
    return PAL_OK;
}

static int32_t spread_from(search *s, int32_t vertex) {
    for (int32_t v = 0; v < s->mesh->vertex_count; v++) {
        s->far[v] = INFINITY;
    }
    put(s, vertex, 0.0);
    return spread(s);
}

pal_status pal_cut_distance_field(const pal_volmesh *mesh, const uint8_t *fixed, double *field,
                                  pal_err *err) {
    search s = {.mesh = mesh, .far = field};
    pal_status status = open_search(&s, err);
    for (int32_t v = 0; status == PAL_OK && v < mesh->vertex_count; v++) {
        field[v] = INFINITY;
        if (fixed != NULL && fixed[v]) {
            put(&s, v, 0.0);
        }
    }
    if (status == PAL_OK && s.count > 0) {
        spread(&s);
    } else if (status == PAL_OK) {
        spread_from(&s, spread_from(&s, mesh->element[0]));
    }
    free(s.start);
    free(s.element);
    free(s.heap);
    free(s.place);
    return status;
}

// ---- Slices

typedef struct lying { // an element between two values of the field
    double low, high;
    int32_t element;
} lying;

static int by_low(const void *a, const void *b) {
    const lying *p = a, *q = b;
    return p->low != q->low ? (p->low > q->low) - (p->low < q->low)
                            : (p->element > q->element) - (p->element < q->element);
}

static pal_status sort_elements(const pal_volmesh *mesh, const double *field, lying **order,
                                pal_err *err) {
    *order = PAL_NEW(lying, mesh->element_count, err);
    if (*order == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t e = 0; e < mesh->element_count; e++) {
        lying *it = &(*order)[e];
        *it = (lying){INFINITY, -INFINITY, e};
        for (int a = 0; a < (int)mesh->kind; a++) {
            it->low = fmin(it->low, field[pal_volmesh_element(mesh, e)[a]]);
            it->high = fmax(it->high, field[pal_volmesh_element(mesh, e)[a]]);
        }
    }
    qsort(*order, (size_t)mesh->element_count, sizeof **order, by_low);
    return PAL_OK;
}

pal_status pal_cut_slices(const pal_volmesh *mesh, const double *field, int32_t count,
                          int32_t *label, pal_err *err) {
    const int32_t n = mesh->element_count;
    lying *order = NULL;
    pal_status status = sort_elements(mesh, field, &order, err);
    if (status != PAL_OK) {
        return status;
    }
    const double same = 1e-9 * (order[n - 1].low - order[0].low);
    double before = -INFINITY, here = -INFINITY; // how far the slice before this one, and it, reach
    int32_t slice = 0, first = 0;                // of this slice
    for (int32_t k = 0; k < n; k++) {
        const int32_t full = (n - first) / (count - slice); // what is left, for those that are left
        if (slice + 1 < count && k - first >= full && order[k].low > order[k - 1].low + same &&
            order[k].low > before) {
            slice++;
            first = k;
            before = here;
            here = -INFINITY;
        }
        here = fmax(here, order[k].high);
        label[order[k].element] = slice;
    }
    free(order);
    return PAL_OK;
}
