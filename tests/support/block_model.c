#include "tests/support/block_model.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"

static int32_t grid_vertex(const block_spec *s, int32_t i, int32_t j, int32_t k) {
    return i + (s->cells[0] + 1) * (j + (s->cells[1] + 1) * k);
}

static void place_vertices(const block_spec *s, double *x) {
    for (int32_t k = 0; k <= s->cells[2]; k++) {
        for (int32_t j = 0; j <= s->cells[1]; j++) {
            for (int32_t i = 0; i <= s->cells[0]; i++) {
                double *p = x + 3 * (size_t)grid_vertex(s, i, j, k);
                double u[3] = {2.0 * i / s->cells[0] - 1.0, 2.0 * j / s->cells[1] - 1.0,
                               2.0 * k / s->cells[2] - 1.0};
                double most = fmax(fmax(fabs(u[0]), fabs(u[1])), fabs(u[2]));
                double scale = s->rounded && most > 0.0 ? most / pal_norm3(u) : 1.0;
                for (int c = 0; c < 3; c++) {
                    p[c] = 0.5 * s->side[c] * (1.0 + scale * u[c]);
                }
            }
        }
    }
}

static void place_elements(const block_spec *s, int32_t *element) {
    static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    for (int32_t k = 0; k < s->cells[2]; k++) {
        for (int32_t j = 0; j < s->cells[1]; j++) {
            for (int32_t i = 0; i < s->cells[0]; i++) {
                for (int a = 0; a < 8; a++) {
                    *element++ =
                        grid_vertex(s, i + corner[a][0], j + corner[a][1], k + corner[a][2]);
                }
            }
        }
    }
}

// Two triangles for each cell of the two faces across axis a.
static int32_t *place_face_triangles(const block_spec *s, int a, int32_t *triangle) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    for (int upper = 0; upper < 2; upper++) {
        for (int32_t v = 0; v < s->cells[c]; v++) {
            for (int32_t u = 0; u < s->cells[b]; u++) {
                int32_t quad[4];
                for (int q = 0; q < 4; q++) {
                    int32_t at[3];
                    at[a] = upper ? s->cells[a] : 0;
                    at[b] = u + (q == 1 || q == 2);
                    at[c] = v + (q >= 2);
                    quad[upper ? q : 3 - q] = grid_vertex(s, at[0], at[1], at[2]);
                }
                int32_t two[6] = {quad[0], quad[1], quad[2], quad[0], quad[2], quad[3]};
                for (int q = 0; q < 6; q++) {
                    *triangle++ = two[q];
                }
            }
        }
    }
    return triangle;
}

// With t = 0..1 along the axis a: deflections f(t) across it with the turn of the sections, twist
// and stretch.
static void shape_at(const block_spec *s, int shape, const double *x, double *u) {
    int a = s->axis, b = (a + 1) % 3, c = (a + 2) % 3;
    double length = s->side[a], t = x[a] / length;
    double y = x[b] - 0.5 * s->side[b], z = x[c] - 0.5 * s->side[c];
    double first = t * t, first_slope = 2.0 * t / length;
    double second = t * t * (1.0 - 1.3 * t), second_slope = (2.0 * t - 3.9 * t * t) / length;
    double f = shape < 2 ? first : second, slope = shape < 2 ? first_slope : second_slope;
    u[0] = u[1] = u[2] = 0.0;
    switch (shape) {
    case 0:
    case 4:
        u[c] = f;
        u[a] = -z * slope;
        break;
    case 1:
    case 5:
        u[b] = f;
        u[a] = -y * slope;
        break;
    case 2:
        u[b] = -z * t;
        u[c] = y * t;
        break;
    default:
        u[a] = t;
        u[b] = -0.3 * y / length;
        u[c] = -0.3 * z / length;
        break;
    }
}

// Surface vertices are the volume vertices that triangles use, each carried by itself alone.
static void number_surface(pal_model *m) {
    int32_t *number = m->mesh.file_vertex; // borrowed: nothing here came from a file
    for (int32_t v = 0; v < m->mesh.vertex_count; v++) {
        number[v] = -1;
    }
    int32_t count = 0;
    for (int32_t i = 0; i < 3 * m->surface.triangle_count; i++) {
        int32_t v = m->surface.triangle[i];
        if (number[v] < 0) {
            number[v] = count;
            m->embedding.vertex[8 * (size_t)count] = v;
            m->embedding.weight[8 * (size_t)count] = 1.0;
            for (size_t c = 0; c < 3; c++) {
                m->surface.x[3 * (size_t)count + c] = m->mesh.x[3 * (size_t)v + c];
            }
            count++;
        }
        m->surface.triangle[i] = number[v];
    }
    m->surface.vertex_count = m->embedding.point_count = count;
}

static void fill_model(const block_spec *s, pal_model *m) {
    static char name[] = "block", none[] = "";
    m->name = name;
    m->scene_text = none;
    m->total_mass = 1234.0 * s->side[0] * s->side[1] * s->side[2];
    place_vertices(s, m->mesh.x);
    place_elements(s, m->mesh.element);
    int32_t *triangle = m->surface.triangle;
    for (int a = 0; a < 3; a++) {
        triangle = place_face_triangles(s, a, triangle);
    }
    for (int32_t v = 0; v < m->mesh.vertex_count; v++) {
        for (int i = 0; i < BLOCK_SHAPES; i++) {
            double u[3];
            shape_at(s, i, m->mesh.x + 3 * (size_t)v, u);
            for (size_t c = 0; c < 3; c++) {
                m->basis[(3 * (size_t)v + c) * BLOCK_SHAPES + (size_t)i] = u[c];
            }
        }
    }
    number_surface(m);
    for (int i = 0; i < m->mode_count; i++) {
        m->frequencies_hz[i] = 3.21 * (i + 1) * sqrt(i + 1.0);
    }
}

pal_status block_model_make(const block_spec *s, pal_model *m, pal_err *err) {
    int32_t cells = s->cells[0] * s->cells[1] * s->cells[2];
    int32_t vertices = (s->cells[0] + 1) * (s->cells[1] + 1) * (s->cells[2] + 1);
    int32_t faces =
        2 * (s->cells[0] * s->cells[1] + s->cells[1] * s->cells[2] + s->cells[2] * s->cells[0]);
    size_t n = (size_t)vertices;
    *m = (pal_model){.r = BLOCK_SHAPES, .mode_count = 20};
    pal_status status = pal_volmesh_alloc(&m->mesh, PAL_HEX8, vertices, cells, 1, err);
    if (status != PAL_OK) {
        return status;
    }
    m->surface = (pal_surface){.vertex_count = vertices, .triangle_count = 2 * faces};
    m->embedding = (pal_embedding){.point_count = vertices, .nodes = 8};
    bool ok = (m->surface.x = PAL_NEW(double, 3 * n, err)) != NULL &&
              (m->surface.triangle = PAL_NEW(int32_t, 6 * (size_t)faces, err)) != NULL &&
              (m->embedding.vertex = PAL_NEW(int32_t, 8 * n, err)) != NULL &&
              (m->embedding.weight = PAL_NEW(double, 8 * n, err)) != NULL &&
              (m->basis = PAL_NEW(double, 3 * n * BLOCK_SHAPES, err)) != NULL &&
              (m->held = PAL_NEW(uint8_t, n, err)) != NULL &&
              (m->frequencies_hz = PAL_NEW(double, m->mode_count, err)) != NULL;
    if (ok) {
        fill_model(s, m);
    } else {
        block_model_free(m);
    }
    return ok ? PAL_OK : PAL_ERR_MEMORY;
}

void block_model_free(pal_model *m) {
    pal_volmesh_free(&m->mesh);
    free(m->surface.x);
    free(m->surface.triangle);
    free(m->embedding.vertex);
    free(m->embedding.weight);
    free(m->basis);
    free(m->held);
    free(m->frequencies_hz);
    *m = (pal_model){0};
}
