#include "sim/fem/pattern.h"

#include <stdlib.h>

#include "sim/base/memory.h"

typedef struct vertex_elements { // which elements each free vertex moves
    int32_t *start;              // [free_count + 1]
    int32_t *element;            // [start[free_count]]
} vertex_elements;

static void free_vertex_elements(vertex_elements *list) {
    free(list->start);
    free(list->element);
}

static pal_status list_elements(const pal_fem *fem, vertex_elements *list, pal_err *err) {
    const pal_volmesh *mesh = fem->mesh;
    int64_t corners = (int64_t)mesh->element_count * (int)mesh->kind, moved = 0;
    for (int64_t k = 0; k < corners; k++) {
        moved += pal_fem_carriers(fem, mesh->element[k]).count;
    }
    list->start = PAL_NEW(int32_t, (size_t)fem->free_count + 2, err);
    list->element = PAL_NEW(int32_t, moved, err);
    if (!list->start || !list->element) {
        return PAL_ERR_MEMORY;
    }
    // Count two places ahead, sum up, then fill one place ahead: start[] ends up right.
    for (int64_t k = 0; k < corners; k++) {
        const pal_carriers by = pal_fem_carriers(fem, mesh->element[k]);
        for (int32_t n = 0; n < by.count; n++) {
            list->start[by.free_index[n] + 2]++;
        }
    }
    for (int32_t i = 0; i < fem->free_count; i++) {
        list->start[i + 2] += list->start[i + 1];
    }
    for (int64_t k = 0; k < corners; k++) {
        const pal_carriers by = pal_fem_carriers(fem, mesh->element[k]);
        for (int32_t n = 0; n < by.count; n++) {
            list->element[list->start[by.free_index[n] + 1]++] = (int32_t)(k / (int)mesh->kind);
        }
    }
    return PAL_OK;
}

static int ascending(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

// The free vertices that move an element of free vertex i, ascending, into out; returns how
// many. seen[j] == i + 1 marks those already taken.
static int32_t neighbours(const pal_fem *fem, const vertex_elements *list, int32_t i, int32_t *seen,
                          int32_t *out) {
    int32_t count = 0;
    for (int32_t k = list->start[i]; k < list->start[i + 1]; k++) {
        const int32_t *vertex = pal_volmesh_element(fem->mesh, list->element[k]);
        for (int a = 0; a < (int)fem->mesh->kind; a++) {
            const pal_carriers by = pal_fem_carriers(fem, vertex[a]);
            for (int32_t n = 0; n < by.count; n++) {
                const int32_t j = by.free_index[n];
                if (seen[j] != i + 1) {
                    seen[j] = i + 1;
                    out[count++] = j;
                }
            }
        }
    }
    qsort(out, (size_t)count, sizeof *out, ascending);
    return count;
}

// Pairs of free vertices that move an element together, with repetitions.
static size_t count_pairs(const pal_fem *fem) {
    size_t pairs = 0;
    for (int32_t e = 0; e < fem->mesh->element_count; e++) {
        const int32_t *vertex = pal_volmesh_element(fem->mesh, e);
        size_t moved = 0;
        for (int a = 0; a < (int)fem->mesh->kind; a++) {
            moved += (size_t)pal_fem_carriers(fem, vertex[a]).count;
        }
        pairs += moved * moved;
    }
    return pairs;
}

static pal_status make_blocks(pal_fem *fem, const vertex_elements *list, pal_err *err) {
    size_t n = (size_t)fem->free_count;
    int32_t *seen = PAL_NEW(int32_t, n, err);
    fem->block_start = PAL_NEW(int32_t, n + 1, err);
    fem->block_col = PAL_NEW(int32_t, count_pairs(fem), err);
    if (!seen || !fem->block_start || !fem->block_col) {
        free(seen);
        return PAL_ERR_MEMORY;
    }
    for (int32_t i = 0; i < fem->free_count; i++) {
        int32_t *row = fem->block_col + fem->block_start[i];
        fem->block_start[i + 1] = fem->block_start[i] + neighbours(fem, list, i, seen, row);
    }
    free(seen);
    return PAL_OK;
}

int32_t pal_fem_find_block(const pal_fem *fem, int32_t i, int32_t j) {
    int32_t low = fem->block_start[i], high = fem->block_start[i + 1] - 1;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (fem->block_col[middle] < j) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static pal_status make_slots(pal_fem *fem, pal_err *err) {
    int kind = (int)fem->mesh->kind;
    fem->slot = PAL_NEW(int32_t, (size_t)fem->mesh->element_count * (size_t)(kind * kind), err);
    if (fem->slot == NULL) {
        return PAL_ERR_MEMORY;
    }
    int32_t *slot = fem->slot;
    for (int32_t e = 0; e < fem->mesh->element_count; e++) {
        const int32_t *vertex = pal_volmesh_element(fem->mesh, e);
        for (int a = 0; a < kind; a++) {
            for (int b = 0; b < kind; b++) {
                int32_t i = fem->free_index[vertex[a]], j = fem->free_index[vertex[b]];
                *slot++ =
                    i < 0 || j < 0 || pal_fem_is_tied(fem, e) ? -1 : pal_fem_find_block(fem, i, j);
            }
        }
    }
    return PAL_OK;
}

pal_status pal_fem_make_rows(pal_fem *fem, pal_err *err) {
    pal_csr *k = &fem->stiffness;
    k->n = pal_fem_dofs(fem);
    int64_t count = 9 * (int64_t)fem->block_start[fem->free_count];
    k->start = PAL_NEW(int64_t, k->n + 1, err);
    k->col = PAL_NEW(int64_t, count, err);
    k->value = PAL_NEW(double, count, err);
    if (!k->start || !k->col || !k->value) {
        return PAL_ERR_MEMORY;
    }
    int64_t used = 0;
    for (int64_t row = 0; row < k->n; row++) {
        k->start[row] = used;
        for (int32_t b = fem->block_start[row / 3]; b < fem->block_start[row / 3 + 1]; b++) {
            for (int c = 0; c < 3; c++) {
                k->col[used++] = 3 * (int64_t)fem->block_col[b] + c;
            }
        }
    }
    k->start[k->n] = used;
    return PAL_OK;
}

pal_status pal_fem_make_pattern(pal_fem *fem, pal_err *err) {
    vertex_elements list = {0};
    pal_status status = list_elements(fem, &list, err);
    if (status == PAL_OK) {
        status = make_blocks(fem, &list, err);
    }
    free_vertex_elements(&list);
    if (status == PAL_OK) {
        status = make_slots(fem, err);
    }
    return status == PAL_OK ? pal_fem_make_rows(fem, err) : status;
}
