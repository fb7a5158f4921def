// Surface nets: the field's sign at the points of a grid; one vertex in each cell whose corners
// differ, one quadrangle across each grid edge whose ends differ. Samples are evaluated block by
// block with the parts that reach the block. Before the surface is drawn, samples that would make
// it touch itself along an edge or in a point are filled, so that it is a manifold always. The
// vertices then relax along the surface.
#include "scenes/polygonize.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/parallel.h"
#include "sim/base/vec3.h"

enum { BLOCK = 8, RELAX_STEPS = 6 };

typedef struct sampling {
    const pal_solid *solid;
    double h, origin[3];
    int64_t n[3];      // samples each way, multiples of BLOCK
    int64_t blocks[3]; // n / BLOCK
    int64_t block_count;
    float *value;        // [n[2]][n[1]][n[0]]
    int64_t *list_start; // [block_count + 1]
    int *list;           // parts that reach each block
    int32_t *vertex;     // [n...]: vertex of the cell whose lowest corner is the sample, or -1
    pal_surface *surface;
    double *moved; // [vertex_count][3] next positions while relaxing
} sampling;

static void sampling_free(sampling *s) {
    free(s->value);
    free(s->list_start);
    free(s->list);
    free(s->vertex);
    free(s->moved);
}

static int64_t sample_index(const sampling *s, const int64_t *i) {
    return i[0] + s->n[0] * (i[1] + s->n[1] * i[2]);
}

static int64_t block_of_point(const sampling *s, const double *p) {
    int64_t b[3];
    for (int c = 0; c < 3; c++) {
        b[c] = (int64_t)floor((p[c] - s->origin[c]) / (s->h * BLOCK));
        b[c] = b[c] < 0 ? 0 : b[c] >= s->blocks[c] ? s->blocks[c] - 1 : b[c];
    }
    return b[0] + s->blocks[0] * (b[1] + s->blocks[1] * b[2]);
}

static void block_centre(const sampling *s, int64_t block, int64_t first[3], double centre[3]) {
    int64_t b[3] = {block % s->blocks[0], block / s->blocks[0] % s->blocks[1],
                    block / s->blocks[0] / s->blocks[1]};
    for (int c = 0; c < 3; c++) {
        first[c] = b[c] * BLOCK;
        centre[c] = s->origin[c] + s->h * ((double)first[c] + 0.5 * BLOCK);
    }
}

// ---- the grid

static pal_status set_grid(sampling *s, pal_err *err) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < s->solid->count; i++) {
        const pal_solid_part *part = &s->solid->part[i];
        for (int c = 0; c < 3 && !part->cut; c++) {
            low[c] = fmin(low[c], part->low[c] - 0.25 * part->blend);
            high[c] = fmax(high[c], part->high[c] + 0.25 * part->blend);
        }
    }
    s->block_count = 1;
    for (int c = 0; c < 3; c++) {
        double blocks = ceil((high[c] - low[c]) / (s->h * BLOCK)) + 1.0;
        if (!(blocks >= 1.0 && blocks < 4096.0)) {
            return pal_fail(err, PAL_ERR_USAGE, "a shape of %g by cells of %g: choose larger cells",
                            high[c] - low[c], s->h);
        }
        s->blocks[c] = (int64_t)blocks;
        s->n[c] = s->blocks[c] * BLOCK;
        s->block_count *= s->blocks[c];
        s->origin[c] = 0.5 * (low[c] + high[c] - s->h * (double)s->n[c]);
    }
    if (s->block_count > (1 << 27) / (BLOCK * BLOCK * BLOCK)) {
        return pal_fail(err, PAL_ERR_USAGE, "a shape of too many cells: choose larger cells");
    }
    return PAL_OK;
}

// Counts (list == NULL) or writes the parts that reach each block.
static void list_parts(sampling *s) {
    double radius = 0.5 * sqrt(3.0) * s->h * (BLOCK + 2);
    int64_t used = 0;
    for (int64_t block = 0; block < s->block_count; block++) {
        int64_t first[3];
        double centre[3];
        block_centre(s, block, first, centre);
        s->list_start[block] = used;
        for (int i = 0; i < s->solid->count; i++) {
            if (pal_solid_part_near(&s->solid->part[i], centre, radius, 2.0 * s->h)) {
                if (s->list != NULL) {
                    s->list[used] = i;
                }
                used++;
            }
        }
    }
    s->list_start[s->block_count] = used;
}

static void sample_block(void *context, int block, int thread) {
    (void)thread;
    sampling *s = context;
    int64_t first[3], i[3];
    double centre[3];
    block_centre(s, block, first, centre);
    const int *list = s->list + s->list_start[block];
    int list_count = (int)(s->list_start[block + 1] - s->list_start[block]);
    double far = 1.5 * 0.5 * sqrt(3.0) * s->h * BLOCK;
    bool empty = list_count == 0 || pal_solid_field(s->solid, list, list_count, centre) > far;
    for (i[2] = first[2]; i[2] < first[2] + BLOCK; i[2]++) {
        for (i[1] = first[1]; i[1] < first[1] + BLOCK; i[1]++) {
            for (i[0] = first[0]; i[0] < first[0] + BLOCK; i[0]++) {
                double p[3];
                for (int c = 0; c < 3; c++) {
                    p[c] = s->origin[c] + s->h * (double)i[c];
                }
                s->value[sample_index(s, i)] =
                    empty ? 1e30F : (float)pal_solid_field(s->solid, list, list_count, p);
            }
        }
    }
}

static pal_status sample(sampling *s, pal_err *err) {
    size_t samples = (size_t)s->block_count * BLOCK * BLOCK * BLOCK;
    s->value = PAL_NEW(float, samples, err);
    s->vertex = PAL_NEW(int32_t, samples, err);
    s->list_start = PAL_NEW(int64_t, s->block_count + 1, err);
    if (s->value == NULL || s->vertex == NULL || s->list_start == NULL) {
        return PAL_ERR_MEMORY;
    }
    list_parts(s);
    s->list = PAL_NEW(int, s->list_start[s->block_count], err);
    if (s->list == NULL) {
        return PAL_ERR_MEMORY;
    }
    list_parts(s);
    pal_parallel_for((int)s->block_count, sample_block, s);
    return PAL_OK;
}

// ---- no self-contact

// Corner k of a cell is at (k & 1, k >> 1 & 1, k >> 2 & 1).
static unsigned cell_signs(const sampling *s, int64_t index) {
    const int64_t step[3] = {1, s->n[0], s->n[0] * s->n[1]};
    unsigned signs = 0;
    for (int k = 0; k < 8; k++) {
        int64_t at = index + (k & 1) * step[0] + (k >> 1 & 1) * step[1] + (k >> 2) * step[2];
        signs |= (unsigned)(s->value[at] < 0.0F) << k;
    }
    return signs;
}

// A corner to fill so that the cell has no face with only diagonal corners inside and no two
// opposite corners alone inside or alone outside; -1 if it is well already.
static int corner_to_fill(unsigned signs) {
    static const int face[6][4] = {{0, 1, 3, 2}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                   {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 3, 7, 5}};
    for (int f = 0; f < 6; f++) {
        unsigned b[4];
        for (int k = 0; k < 4; k++) {
            b[k] = signs >> face[f][k] & 1;
        }
        if (b[0] == b[2] && b[1] == b[3] && b[0] != b[1]) {
            return face[f][b[0] ? 1 : 0];
        }
    }
    for (int k = 0; k < 4; k++) {
        unsigned pair = 1U << k | 1U << (7 - k);
        if (signs == pair) {
            return k ^ 1;
        }
        if (signs == (0xFFU ^ pair)) {
            return k;
        }
    }
    return -1;
}

static void fill_contacts(sampling *s) {
    const int64_t step[3] = {1, s->n[0], s->n[0] * s->n[1]};
    bool changed = true;
    while (changed) {
        changed = false;
        for (int64_t z = 0; z + 1 < s->n[2]; z++) {
            for (int64_t y = 0; y + 1 < s->n[1]; y++) {
                for (int64_t x = 0; x + 1 < s->n[0]; x++) {
                    int64_t index = x + y * step[1] + z * step[2];
                    int k = corner_to_fill(cell_signs(s, index));
                    if (k >= 0) {
                        int64_t at =
                            index + (k & 1) * step[0] + (k >> 1 & 1) * step[1] + (k >> 2) * step[2];
                        s->value[at] = (float)(-1e-3 * s->h);
                        changed = true;
                    }
                }
            }
        }
    }
}

// ---- the net

// The mean of the points where the cell's edges cross the surface.
static void cell_vertex(const sampling *s, int64_t index, double *x) {
    static const int edge[12][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3},
                                    {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
    const int64_t step[3] = {1, s->n[0], s->n[0] * s->n[1]};
    int64_t at[3] = {index % s->n[0], index / s->n[0] % s->n[1], index / step[2]};
    double value[8], sum[3] = {0}, crossings = 0;
    for (int k = 0; k < 8; k++) {
        value[k] =
            s->value[index + (k & 1) * step[0] + (k >> 1 & 1) * step[1] + (k >> 2) * step[2]];
    }
    for (int e = 0; e < 12; e++) {
        int k0 = edge[e][0], k1 = edge[e][1];
        if ((value[k0] < 0) != (value[k1] < 0)) {
            double t = value[k0] / (value[k0] - value[k1]);
            for (int c = 0; c < 3; c++) {
                sum[c] += (k0 >> c & 1) + t * ((k1 >> c & 1) - (k0 >> c & 1));
            }
            crossings++;
        }
    }
    for (int c = 0; c < 3; c++) {
        x[c] = s->origin[c] + s->h * ((double)at[c] + sum[c] / crossings);
    }
}

// Numbers the cells that have a vertex and counts the crossed edges.
static void count_net(sampling *s, int64_t *vertices, int64_t *quads) {
    const int64_t step[3] = {1, s->n[0], s->n[0] * s->n[1]};
    *vertices = *quads = 0;
    for (int64_t z = 0; z + 1 < s->n[2]; z++) {
        for (int64_t y = 0; y + 1 < s->n[1]; y++) {
            for (int64_t x = 0; x + 1 < s->n[0]; x++) {
                int64_t index = x + y * step[1] + z * step[2];
                unsigned signs = cell_signs(s, index);
                s->vertex[index] = signs == 0 || signs == 0xFF ? -1 : (int32_t)(*vertices)++;
                for (int c = 0; c < 3; c++) {
                    *quads += (signs & 1) != (signs >> (1 << c) & 1);
                }
            }
        }
    }
}

// The quadrangle around the grid edge from sample `index` along axis c, counter-clockwise from
// outside.
static void edge_quad(const sampling *s, int64_t index, int c, int32_t quad[4]) {
    const int64_t step[3] = {1, s->n[0], s->n[0] * s->n[1]};
    int64_t u = step[(c + 1) % 3], v = step[(c + 2) % 3];
    const int64_t around[4] = {index, index - u, index - u - v, index - v};
    bool leaves = s->value[index] < 0.0F; // inside at the lower end
    for (int k = 0; k < 4; k++) {
        quad[leaves ? k : 3 - k] = s->vertex[around[k]];
    }
}

static pal_status make_net(sampling *s, pal_err *err) {
    int64_t vertices, quads;
    count_net(s, &vertices, &quads);
    if (quads == 0 || quads > INT32_MAX / 2) {
        return pal_fail(err, PAL_ERR_INPUT, "the shape has no surface at this cell size");
    }
    pal_status status = pal_surface_alloc(s->surface, (int32_t)vertices, (int32_t)(2 * quads), err);
    s->moved = PAL_NEW(double, 3 * vertices, err);
    if (status != PAL_OK || s->moved == NULL) {
        return PAL_ERR_MEMORY;
    }
    const int64_t step[3] = {1, s->n[0], s->n[0] * s->n[1]};
    int32_t *triangle = s->surface->triangle;
    for (int64_t z = 0; z + 1 < s->n[2]; z++) {
        for (int64_t y = 0; y + 1 < s->n[1]; y++) {
            for (int64_t x = 0; x + 1 < s->n[0]; x++) {
                int64_t index = x + y * step[1] + z * step[2];
                if (s->vertex[index] < 0) {
                    continue;
                }
                cell_vertex(s, index, s->surface->x + 3 * (int64_t)s->vertex[index]);
                for (int c = 0; c < 3; c++) {
                    if ((s->value[index] < 0.0F) != (s->value[index + step[c]] < 0.0F)) {
                        int32_t q[4];
                        edge_quad(s, index, c, q);
                        memcpy(triangle, (int32_t[]){q[0], q[1], q[2], q[0], q[2], q[3]},
                               6 * sizeof *triangle);
                        triangle += 6;
                    }
                }
            }
        }
    }
    return PAL_OK;
}

// ---- relaxing

// One Newton step towards the surface along the field's slope, no longer than a third of a cell.
static void pull(const sampling *s, double *p) {
    int64_t block = block_of_point(s, p);
    const int *list = s->list + s->list_start[block];
    int list_count = (int)(s->list_start[block + 1] - s->list_start[block]);
    double value = pal_solid_field(s->solid, list, list_count, p), slope[3], e = 0.05 * s->h;
    for (int c = 0; c < 3; c++) {
        double q[3] = {p[0], p[1], p[2]};
        q[c] += e;
        slope[c] = (pal_solid_field(s->solid, list, list_count, q) - value) / e;
    }
    double size2 = pal_dot3(slope, slope);
    if (size2 > 1e-6 && size2 < 1e6) {
        double scale = value / size2, limit = s->h / 3.0 / sqrt(size2);
        scale = fmax(-limit, fmin(limit, scale));
        for (int c = 0; c < 3; c++) {
            p[c] -= scale * slope[c];
        }
    }
}

static void relax_some(void *context, int chunk, int thread) {
    (void)thread;
    sampling *s = context;
    int32_t last = (chunk + 1) * 1024;
    last = last < s->surface->vertex_count ? last : s->surface->vertex_count;
    for (int32_t v = chunk * 1024; v < last; v++) {
        pull(s, s->moved + 3 * (int64_t)v);
    }
}

// Moves each vertex half way to the mean of its neighbours and then back onto the surface.
static pal_status relax(sampling *s, pal_err *err) {
    pal_surface *surface = s->surface;
    int32_t count = surface->vertex_count;
    int32_t *degree = PAL_NEW(int32_t, count, err);
    if (degree == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t t = 0; t < 3 * surface->triangle_count; t++) {
        degree[surface->triangle[t]]++;
    }
    for (int round = 0; round < RELAX_STEPS; round++) {
        memset(s->moved, 0, 3 * (size_t)count * sizeof(double));
        for (int32_t t = 0; t < surface->triangle_count; t++) {
            const int32_t *v = surface->triangle + 3 * (int64_t)t;
            for (int k = 0; k < 9; k++) { // each edge is seen by two triangles, once each way
                s->moved[3 * (int64_t)v[k / 3] + k % 3] +=
                    surface->x[3 * (int64_t)v[(k / 3 + 1) % 3] + k % 3];
            }
        }
        for (int64_t k = 0; k < 3 * (int64_t)count; k++) {
            s->moved[k] = 0.5 * surface->x[k] + 0.5 * s->moved[k] / degree[k / 3];
        }
        pal_parallel_for((count + 1023) / 1024, relax_some, s);
        memcpy(surface->x, s->moved, 3 * (size_t)count * sizeof(double));
    }
    free(degree);
    return PAL_OK;
}

// Cuts each pair of triangles along the shorter diagonal of its quadrangle, if both stay facing
// the same way.
static void choose_diagonals(pal_surface *surface) {
    for (int32_t t = 0; t < surface->triangle_count; t += 2) {
        int32_t *v = surface->triangle + 3 * (int64_t)t;
        int32_t q[4] = {v[0], v[1], v[2], v[5]};
        double d02[3], d13[3];
        pal_sub3(surface->x + 3 * (int64_t)q[2], surface->x + 3 * (int64_t)q[0], d02);
        pal_sub3(surface->x + 3 * (int64_t)q[3], surface->x + 3 * (int64_t)q[1], d13);
        if (pal_dot3(d13, d13) < pal_dot3(d02, d02)) {
            memcpy(v, (int32_t[]){q[0], q[1], q[3], q[1], q[2], q[3]}, 6 * sizeof *v);
        }
    }
}

pal_status pal_polygonize(const pal_solid *solid, double h, pal_surface *surface, pal_err *err) {
    memset(surface, 0, sizeof *surface);
    sampling s = {.solid = solid, .h = h, .surface = surface};
    pal_status status = solid->failed ? PAL_ERR_MEMORY : set_grid(&s, err);
    if (status == PAL_OK) {
        status = sample(&s, err);
    }
    if (status == PAL_OK) {
        fill_contacts(&s);
        status = make_net(&s, err);
    }
    if (status == PAL_OK) {
        status = relax(&s, err);
    }
    if (status == PAL_OK) {
        choose_diagonals(surface);
    } else {
        pal_surface_free(surface);
    }
    sampling_free(&s);
    return status;
}
