// A domain replicated: the elements of the mesh that lie where its own would be after a shift.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/domain_edit.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"

static const double NEAR = 1e-3; // of the size of an element: corners that count as one

// Whether element f has its corners where those of e are after the shift, in any order.
static bool is_shifted(const pal_volmesh *mesh, int32_t e, int32_t f, const double shift[3]) {
    const int nodes = (int)mesh->kind;
    const int32_t *a = pal_volmesh_element(mesh, e), *b = pal_volmesh_element(mesh, f);
    double edge[3];
    pal_sub3(mesh->x + 3 * (int64_t)a[0], mesh->x + 3 * (int64_t)a[1], edge);
    const double near = NEAR * pal_norm3(edge);
    for (int i = 0; i < nodes; i++) {
        bool found = false;
        for (int j = 0; j < nodes && !found; j++) {
            double d[3];
            pal_sub3(mesh->x + 3 * (int64_t)b[j], mesh->x + 3 * (int64_t)a[i], d);
            pal_sub3(d, shift, d);
            found = pal_norm3(d) <= near;
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

typedef struct place { // elements in the order of their least x, for a search
    double x;
    int32_t element;
} place;

static int by_place(const void *a, const void *b) {
    const place *p = a, *q = b;
    return p->x != q->x ? (p->x > q->x) - (p->x < q->x)
                        : (p->element > q->element) - (p->element < q->element);
}

static double least_x(const pal_volmesh *mesh, int32_t e) {
    double least = INFINITY;
    for (int k = 0; k < (int)mesh->kind; k++) {
        least = fmin(least, mesh->x[3 * (int64_t)pal_volmesh_element(mesh, e)[k]]);
    }
    return least;
}

// The element that lies where e is after the shift, -1 if none.
static int32_t find_shifted(const pal_volmesh *mesh, const place *sorted, int32_t e,
                            const double shift[3]) {
    double edge[3];
    const int32_t *a = pal_volmesh_element(mesh, e);
    pal_sub3(mesh->x + 3 * (int64_t)a[0], mesh->x + 3 * (int64_t)a[1], edge);
    const double near = NEAR * pal_norm3(edge), wanted = least_x(mesh, e) + shift[0];
    int32_t low = 0, high = mesh->element_count;
    while (low < high) {
        const int32_t middle = (low + high) / 2;
        if (sorted[middle].x < wanted - near) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (int32_t k = low; k < mesh->element_count && sorted[k].x <= wanted + near; k++) {
        if (is_shifted(mesh, e, sorted[k].element, shift)) {
            return sorted[k].element;
        }
    }
    return -1;
}

pal_status pal_domain_find_shifted(const pal_volmesh *mesh, const pal_domain_labels *labels,
                                   int32_t domain, const double shift[3], uint8_t *selected,
                                   pal_err *err) {
    place *sorted = PAL_NEW(place, mesh->element_count, err);
    if (sorted == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t e = 0; e < mesh->element_count; e++) {
        sorted[e] = (place){least_x(mesh, e), e};
    }
    qsort(sorted, (size_t)mesh->element_count, sizeof *sorted, by_place);
    memset(selected, 0, (size_t)mesh->element_count);
    pal_status status = PAL_OK;
    for (int32_t e = 0; status == PAL_OK && e < mesh->element_count; e++) {
        if (labels->label[e] != domain) {
            continue;
        }
        const int32_t found = find_shifted(mesh, sorted, e, shift);
        if (found < 0) {
            status = pal_fail(err, PAL_ERR_INPUT,
                              "there is no copy of '%s' there: nothing is congruent to its element "
                              "%d",
                              labels->name[domain], (int)e);
        } else if (labels->label[found] != 0) {
            status =
                pal_fail(err, PAL_ERR_INPUT, "element %d of the copy is of the domain '%s' already",
                         (int)found, labels->name[labels->label[found]]);
        } else {
            selected[found] = 1;
        }
    }
    free(sorted);
    return status;
}
