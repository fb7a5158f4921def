// Cells of a regular grid as voxels, and the repair of hinges between them.
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/mesh/sets.h"
#include "sim/mesh/voxelize.h"

// More than any matrix of theirs could be factored for; refused before the memory is gone.
enum { MAX_VOXELS = 4000000 };

static int64_t cell_count(const pal_grid *grid) {
    return (int64_t)grid->n[0] * grid->n[1] * grid->n[2];
}

static int64_t cell_at(const pal_grid *grid, const int32_t *p) {
    return p[0] + grid->n[0] * (p[1] + grid->n[1] * (int64_t)p[2]);
}

// Whether p is a cell of the grid, and one with a voxel.
static bool is_filled(const pal_grid *grid, const int16_t *label, const int32_t *p) {
    for (int c = 0; c < 3; c++) {
        if (p[c] < 0 || p[c] >= grid->n[c]) {
            return false;
        }
    }
    return label[cell_at(grid, p)] >= 0;
}

// Numbers the nodes of layer k (between cell layers k-1 and k) that a voxel uses, counting on from
// *count; id [(n0+1)(n1+1)] is -1 elsewhere. Writes their positions when x is not NULL.
static void number_layer(const pal_grid *grid, const int16_t *label, int32_t k, int32_t *id,
                         int64_t *count, double *x) {
    for (int32_t j = 0; j <= grid->n[1]; j++) {
        for (int32_t i = 0; i <= grid->n[0]; i++) {
            bool used = false;
            for (int corner = 0; corner < 8 && !used; corner++) {
                int32_t p[3] = {i - (corner & 1), j - (corner >> 1 & 1), k - (corner >> 2)};
                used = is_filled(grid, label, p);
            }
            *id++ = used ? (int32_t)*count : -1;
            if (used && x != NULL) {
                x[3 * *count] = grid->origin[0] + i * grid->h;
                x[3 * *count + 1] = grid->origin[1] + j * grid->h;
                x[3 * *count + 2] = grid->origin[2] + k * grid->h;
            }
            *count += used;
        }
    }
}

// One pass over the layers: counts vertices and elements, or fills *mesh when it is not NULL.
// id [2][(n0+1)(n1+1)] is scratch.
static void sweep_layers(const pal_grid *grid, const int16_t *label, int32_t *id,
                         int64_t *vertex_count, int64_t *element_count, pal_volmesh *mesh) {
    int64_t layer = (int64_t)(grid->n[0] + 1) * (grid->n[1] + 1), row = grid->n[0] + 1;
    const int64_t corner[4] = {0, 1, row + 1, row};
    double *x = mesh != NULL ? mesh->x : NULL;
    int32_t *below = id, *above = id + layer;
    *vertex_count = *element_count = 0;
    number_layer(grid, label, 0, below, vertex_count, x);
    for (int32_t k = 0; k < grid->n[2]; k++) {
        number_layer(grid, label, k + 1, above, vertex_count, x);
        for (int32_t j = 0; j < grid->n[1]; j++) {
            for (int32_t i = 0; i < grid->n[0]; i++) {
                int16_t region = label[cell_at(grid, (int32_t[3]){i, j, k})];
                for (int a = 0; mesh != NULL && region >= 0 && a < 4; a++) {
                    int32_t *vertex = mesh->element + 8 * *element_count;
                    vertex[a] = below[i + row * j + corner[a]];
                    vertex[a + 4] = above[i + row * j + corner[a]];
                    mesh->region[*element_count] = region;
                }
                *element_count += region >= 0;
            }
        }
        int32_t *swap = below;
        below = above;
        above = swap;
    }
}

pal_status pal_voxels_of_grid(const pal_grid *grid, const int16_t *label, int32_t region_count,
                              pal_volmesh *mesh, pal_err *err) {
    memset(mesh, 0, sizeof *mesh);
    for (int64_t i = 0; i < cell_count(grid); i++) {
        if (label[i] >= region_count) {
            return pal_fail(err, PAL_ERR_INPUT, "cell %lld has region %d of %d", (long long)i,
                            label[i], region_count);
        }
    }
    int32_t *id = PAL_NEW(int32_t, 2 * (size_t)(grid->n[0] + 1) * (size_t)(grid->n[1] + 1), err);
    if (id == NULL) {
        return PAL_ERR_MEMORY;
    }
    int64_t vertex_count, element_count;
    sweep_layers(grid, label, id, &vertex_count, &element_count, NULL);
    pal_status status = PAL_OK;
    if (element_count > MAX_VOXELS) {
        status = pal_fail(err, PAL_ERR_UNSUPPORTED,
                          "%lld voxels are too many (%d are possible); lower the resolution",
                          (long long)element_count, MAX_VOXELS);
    } else if (element_count == 0) {
        status = pal_fail(err, PAL_ERR_INPUT, "no voxels: every cell of the grid is empty");
    } else {
        status = pal_volmesh_alloc(mesh, PAL_HEX8, (int32_t)vertex_count, (int32_t)element_count,
                                   region_count, err);
    }
    if (status == PAL_OK) {
        sweep_layers(grid, label, id, &vertex_count, &element_count, mesh);
    }
    free(id);
    return status;
}

// Pieces joined by faces. piece [cells]: 1, 2, ... or 0 where there is no voxel; stack [cells] is
// scratch. Returns how many there are.
static int32_t find_pieces(const pal_grid *grid, const int16_t *label, int32_t *piece,
                           int32_t *stack) {
    int32_t count = 0;
    int64_t cells = cell_count(grid);
    int64_t step[3] = {1, grid->n[0], (int64_t)grid->n[0] * grid->n[1]};
    memset(piece, 0, (size_t)cells * sizeof *piece);
    for (int64_t seed = 0; seed < cells; seed++) {
        if (label[seed] < 0 || piece[seed] != 0) {
            continue;
        }
        int64_t height = 0;
        stack[height++] = (int32_t)seed;
        piece[seed] = ++count;
        while (height > 0) {
            int64_t at = stack[--height];
            int32_t p[3] = {(int32_t)(at % grid->n[0]), (int32_t)(at / step[1] % grid->n[1]),
                            (int32_t)(at / step[2])};
            for (int side = 0; side < 6; side++) {
                int c = side / 2, way = side % 2 ? 1 : -1;
                bool beyond = p[c] + way < 0 || p[c] + way >= grid->n[c];
                int64_t next = at + way * step[c];
                if (!beyond && label[next] >= 0 && piece[next] == 0) {
                    piece[next] = count;
                    stack[height++] = (int32_t)next;
                }
            }
        }
    }
    return count;
}

// Neighbours by a face that have voxels.
static int count_neighbours(const pal_grid *grid, const int16_t *label, const int32_t *p) {
    int count = 0;
    for (int side = 0; side < 6; side++) {
        int32_t q[3] = {p[0], p[1], p[2]};
        q[side / 2] += side % 2 ? 1 : -1;
        count += is_filled(grid, label, q);
    }
    return count;
}

// Walks from cell p to q = p + step (each -1, 0 or 1), one axis at a time, and fills what is empty;
// at each turn the cell with more neighbours, so that the fewest corners stick out.
static int32_t fill_between(const pal_grid *grid, int16_t *label, const int32_t *p,
                            const int32_t *step) {
    int32_t at[3] = {p[0], p[1], p[2]}, left[3] = {step[0], step[1], step[2]};
    int16_t region = label[cell_at(grid, p)];
    int32_t added = 0;
    for (int moves = abs(step[0]) + abs(step[1]) + abs(step[2]); moves > 1; moves--) {
        int best = -1, best_neighbours = -1;
        for (int c = 0; c < 3; c++) {
            if (left[c] != 0) {
                at[c] += left[c];
                int neighbours = is_filled(grid, label, at) ? 7 : count_neighbours(grid, label, at);
                at[c] -= left[c];
                if (neighbours > best_neighbours) {
                    best = c;
                    best_neighbours = neighbours;
                }
            }
        }
        at[best] += left[best];
        left[best] = 0;
        int16_t *cell = label + cell_at(grid, at);
        added += *cell < 0;
        *cell = *cell < 0 ? region : *cell;
    }
    return added;
}

// Closes every contact by an edge (steps of two axes) or a corner (of three) between pieces that
// are not yet joined.
static int32_t close_contacts(const pal_grid *grid, int16_t *label, const int32_t *piece,
                              int32_t *parent, int axes) {
    int32_t added = 0;
    for (int64_t at = 0; at < cell_count(grid); at++) {
        if (piece[at] == 0) {
            continue;
        }
        int32_t p[3] = {(int32_t)(at % grid->n[0]), (int32_t)(at / grid->n[0] % grid->n[1]),
                        (int32_t)(at / grid->n[0] / grid->n[1])};
        for (int way = 14; way < 27; way++) { // the later half of the 26 neighbours
            int32_t step[3] = {way % 3 - 1, way / 3 % 3 - 1, way / 9 - 1};
            int32_t q[3] = {p[0] + step[0], p[1] + step[1], p[2] + step[2]};
            if (abs(step[0]) + abs(step[1]) + abs(step[2]) != axes || !is_filled(grid, label, q) ||
                piece[cell_at(grid, q)] == 0) {
                continue;
            }
            int32_t a = pal_set_root(parent, piece[at]),
                    b = pal_set_root(parent, piece[cell_at(grid, q)]);
            if (a != b) {
                parent[a] = b;
                added += fill_between(grid, label, p, step);
            }
        }
    }
    return added;
}

pal_status pal_grid_close_hinges(const pal_grid *grid, int16_t *label, int32_t *added_count,
                                 pal_err *err) {
    int64_t cells = cell_count(grid);
    if (cells > INT32_MAX) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED, "a grid of %lld cells is too large",
                        (long long)cells);
    }
    int32_t *piece = PAL_NEW(int32_t, cells, err);
    int32_t *stack = PAL_NEW(int32_t, cells, err);
    pal_status status = piece == NULL || stack == NULL ? PAL_ERR_MEMORY : PAL_OK;
    // What was filled may touch yet another piece: again until nothing is left to close.
    int32_t total = 0;
    for (int32_t added = 1; added > 0 && status == PAL_OK; total += added) {
        added = 0;
        int32_t count = find_pieces(grid, label, piece, stack);
        if (count < 2) {
            break;
        }
        int32_t *parent = PAL_NEW(int32_t, (size_t)count + 1, err);
        if (parent == NULL) {
            status = PAL_ERR_MEMORY;
            break;
        }
        for (int32_t i = 0; i <= count; i++) {
            parent[i] = i;
        }
        added += close_contacts(grid, label, piece, parent, 2);
        added += close_contacts(grid, label, piece, parent, 3);
        free(parent);
    }
    free(piece);
    free(stack);
    if (added_count != NULL) {
        *added_count = total;
    }
    return status;
}
