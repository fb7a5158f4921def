#include "tests/support/press.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/vec3.h"
#include "sim/basis/eigen.h"
#include "sim/fem/assemble.h"
#include "sim/mesh/block.h"
#include "sim/mesh/embed_build.h"
#include "sim/mesh/surface.h"
#include "tests/support/check.h"

enum { MOST_LINES = 400 };
static const pal_material soft = {12e3, 0.45, 1060.0};

// Distances from 0 outwards to `far`: fine within the zone, then growing; the last ones are
// stretched so that they end there.
static int grow_lines(const press_shape *s, int axis, double far, double *line) {
    int count = 0;
    double at = 0.0, step = s->fine;
    while (at < far * (1.0 - 1e-9) && count < MOST_LINES / 2) {
        step = at < s->zone[axis] * (1.0 - 1e-9) ? s->fine : step * s->growth;
        at += step;
        line[count++] = at;
    }
    double zone = fmin(s->zone[axis], far); // stretch only beyond the zone
    for (int k = 0; k < count; k++) {
        line[k] = line[k] <= zone || at <= zone
                      ? line[k] * (at <= zone ? far / at : 1.0)
                      : zone + (line[k] - zone) * (far - zone) / (at - zone);
    }
    return count;
}

// The lines of one axis from low to high, 0 (or high for z) among them.
static int axis_lines(const press_shape *s, int axis, double *out) {
    double centre = axis == 2 ? s->high[2] : 0.0, part[MOST_LINES / 2];
    int below = grow_lines(s, axis, centre - s->low[axis], part), count = 0;
    for (int k = below - 1; k >= 0; k--) {
        out[count++] = centre - part[k];
    }
    out[count++] = centre;
    int above = s->high[axis] > centre ? grow_lines(s, axis, s->high[axis] - centre, part) : 0;
    for (int k = 0; k < above; k++) {
        out[count++] = centre + part[k];
    }
    return count;
}

// A block of unit cubes with its vertices moved to the lines.
static void make_mesh(const press_shape *s, pal_volmesh *mesh) {
    pal_err err = {0};
    double line[3][MOST_LINES];
    int32_t n[3];
    for (int c = 0; c < 3; c++) {
        n[c] = axis_lines(s, c, line[c]) - 1;
    }
    CHECK_OK(pal_mesh_block(s->kind, n, 1.0, mesh, &err), err);
    for (int32_t k = 0; k < 3 * mesh->vertex_count; k++) {
        mesh->x[k] = line[k % 3][(int)lround(mesh->x[k])];
    }
}

static void add_lump(const press_shape *s, pal_volmesh *mesh) {
    const double centre[3] = {0.0, 0.0, s->high[2] - s->lump_depth};
    free(mesh->regions);
    mesh->region_count = 2;
    mesh->regions = calloc(2, sizeof *mesh->regions);
    snprintf(mesh->regions[0].name, PAL_REGION_NAME, "body");
    snprintf(mesh->regions[1].name, PAL_REGION_NAME, "lump");
    for (int32_t e = 0; e < mesh->element_count; e++) {
        double x[3] = {0.0, 0.0, 0.0}, d[3];
        for (int a = 0; a < (int)mesh->kind; a++) {
            for (int c = 0; c < 3; c++) {
                x[c] += mesh->x[3 * (int64_t)pal_volmesh_element(mesh, e)[a] + c] / (int)mesh->kind;
            }
        }
        pal_sub3(x, centre, d);
        mesh->region[e] = pal_norm3(d) < s->lump_radius;
    }
}

uint8_t *press_held(const press_shape *shape, const pal_volmesh *mesh) {
    uint8_t *held = calloc((size_t)mesh->vertex_count, 1);
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        const double *x = mesh->x + 3 * (int64_t)v;
        held[v] = x[2] <= shape->low[2] + 1e-9 && (!shape->overhangs || x[0] < shape->hold_end);
    }
    return held;
}

void press_open(press *p, const press_shape *shape) {
    pal_err err = {0};
    memset(p, 0, sizeof *p);
    make_mesh(shape, &p->mesh);
    if (shape->contrast > 0.0) {
        add_lump(shape, &p->mesh);
    }
    pal_material material[2] = {soft, {soft.young * shape->contrast, soft.poisson, soft.density}};
    uint8_t *held = press_held(shape, &p->mesh);
    CHECK_OK(pal_fem_init(&p->fem, &p->mesh, material, held, PAL_MASS_CONSISTENT, &err), err);
    free(held);
    CHECK_OK(pal_surface_of_volmesh(&p->mesh, &p->surface, NULL, &err), err);
    CHECK_OK(pal_embedding_build(&p->mesh, p->surface.x, p->surface.vertex_count, &p->embedding,
                                 NULL, &err),
             err);
}

void press_close(press *p) {
    pal_local_free(&p->local);
    pal_embedding_free(&p->embedding);
    pal_surface_free(&p->surface);
    pal_fem_free(&p->fem);
    pal_volmesh_free(&p->mesh);
    free(p->basis);
    memset(p, 0, sizeof *p);
}

void press_reduce(press *p, int32_t r) {
    pal_err err = {0};
    pal_modes modes;
    CHECK_OK(pal_modes_solve(&p->fem, r, NULL, &modes, &err), err);
    p->r = r;
    p->basis = malloc((size_t)modes.rows * (size_t)r * sizeof *p->basis);
    for (int64_t k = 0; k < modes.rows; k++) {
        for (int32_t l = 0; l < r; l++) {
            p->basis[k * r + l] = modes.psi[l * modes.rows + k];
        }
    }
    pal_modes_free(&modes);
}

static double top_of(const press *p) {
    double top = -INFINITY;
    for (int32_t v = 0; v < p->mesh.vertex_count; v++) {
        top = fmax(top, p->mesh.x[3 * (int64_t)v + 2]);
    }
    return top;
}

void press_localise(press *p, pal_local_choice choice, double radius, double reach) {
    pal_err err = {0};
    double centre[3] = {0.0, 0.0, top_of(p)}, d[3];
    uint8_t *touch = calloc((size_t)p->mesh.vertex_count, 1);
    for (int32_t v = 0; v < p->mesh.vertex_count; v++) {
        pal_sub3(p->mesh.x + 3 * (int64_t)v, centre, d);
        touch[v] = reach == 0.0 || pal_norm3(d) <= reach;
    }
    pal_local_spec spec = {.choice = choice, .radius = radius, .touch = touch};
    pal_local_free(&p->local);
    CHECK_OK(pal_local_build(&p->fem, p->basis, p->r, &p->embedding, &spec, NULL, &p->local,
                             &p->report, &err),
             err);
    free(touch);
}

// w += U_i (U^T K U)^-1 U_j^T at the vertices.
static void add_modes(const press *p, int32_t count, const int32_t *vertex, double *w) {
    pal_err err = {0};
    int32_t r = p->r, m = 3 * count;
    int64_t n = pal_fem_dofs(&p->fem);
    double *u = malloc((size_t)(r * n) * sizeof *u), *ku = malloc((size_t)n * sizeof *ku);
    double *kr = malloc((size_t)r * (size_t)r * sizeof *kr);
    double *v = malloc((size_t)m * (size_t)r * sizeof *v);
    CHECK_OK(pal_fem_evaluate((pal_fem *)&p->fem, NULL, NULL, NULL, true, &err), err);
    pal_fem_basis_to_free(&p->fem, p->basis, r, u);
    for (int32_t k = 0; k < r; k++) {
        pal_csr_multiply(&p->fem.stiffness, u + k * n, ku);
        for (int32_t l = 0; l < r; l++) {
            kr[k * r + l] = cblas_ddot((int)n, u + l * n, 1, ku, 1);
        }
    }
    TEST_ASSERT_EQUAL_INT(0, LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', r, kr, r));
    for (int32_t i = 0; i < count; i++) {
        memcpy(v + 3 * (int64_t)i * r, p->basis + 3 * (int64_t)vertex[i] * r,
               3 * (size_t)r * sizeof *v);
    }
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, m, r, 1.0, kr, r,
                v, r);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, m, r, 1.0, v, r, v, r, 1.0, w, m);
    free(u);
    free(ku);
    free(kr);
    free(v);
}

void press_compliance(const press *p, int32_t count, const int32_t *vertex, double *w) {
    add_modes(p, count, vertex, w);
    pal_local_add_vertices(&p->local, count, vertex, w);
}

void press_reduced(const press *p, const pal_indent_spec *spec, bool with_local,
                   pal_indent_result *result) {
    pal_err err = {0};
    int32_t count, *vertex;
    CHECK_OK(pal_indent_candidates(&p->fem, spec, &count, &vertex, &err), err);
    double *w = calloc(9 * (size_t)count * (size_t)count, sizeof *w);
    double *x = malloc(3 * (size_t)count * sizeof *x);
    add_modes(p, count, vertex, w);
    if (with_local) {
        pal_local_add_vertices(&p->local, count, vertex, w);
    } else { // modes alone make a singular compliance: a hard skin in their place
        for (int32_t k = 0; k < 3 * count; k++) {
            w[(int64_t)k * 3 * count + k] += 1e-6;
        }
    }
    for (int32_t i = 0; i < count; i++) {
        memcpy(x + 3 * i, p->mesh.x + 3 * (int64_t)vertex[i], 3 * sizeof *x);
    }
    CHECK_OK(pal_indent_points(count, x, w, spec, result, &err), err);
    free(vertex);
    free(w);
    free(x);
}

// ---- All over the surface -----------------------------------------------------------------------

enum { MOST_POINTS = 1000, MOST_VERTICES = 600, CARRIERS = 3 };
typedef struct facet_points {
    int32_t count, vertex_count;
    double x[MOST_POINTS][3], area[MOST_POINTS];
    int32_t vertex[MOST_VERTICES]; // of the mesh
    int32_t carrier[MOST_POINTS][CARRIERS];
    double share[MOST_POINTS][CARRIERS];
} facet_points;

static int32_t index_of(facet_points *s, int32_t vertex) {
    int32_t k = 0;
    while (k < s->vertex_count && s->vertex[k] != vertex) {
        k++;
    }
    TEST_ASSERT_TRUE(k < MOST_VERTICES);
    s->vertex[k] = vertex;
    s->vertex_count += k == s->vertex_count;
    return k;
}

// The surface is the mesh's own: each of its points is a vertex.
static int32_t vertex_below(const press *p, int32_t point) {
    for (int32_t a = 0; a < p->embedding.nodes; a++) {
        const int64_t at = (int64_t)point * p->embedding.nodes + a;
        if (p->embedding.weight[at] > 1.0 - 1e-9) {
            return p->embedding.vertex[at];
        }
    }
    TEST_FAIL_MESSAGE("a point of the surface is no vertex");
    return -1;
}

static void add_point(const press *p, const int32_t *corner, const double share[3], double area,
                      const pal_indent_spec *spec, facet_points *s) {
    double x[3] = {0.0, 0.0, 0.0}, d[3], beside = 0.0;
    for (int k = 0; k < 9; k++) {
        x[k % 3] += share[k / 3] * p->surface.x[3 * (int64_t)corner[k / 3] + k % 3];
    }
    pal_sub3(x, spec->at, d);
    const double along = pal_dot3(d, spec->axis);
    beside = sqrt(fmax(0.0, pal_dot3(d, d) - along * along));
    if (beside > spec->radius || along > 1.2 * spec->depth[spec->count - 1]) {
        return; // the ball does not come there
    }
    TEST_ASSERT_TRUE(s->count < MOST_POINTS);
    memcpy(s->x[s->count], x, sizeof x);
    s->area[s->count] = area;
    for (int k = 0; k < CARRIERS; k++) {
        s->share[s->count][k] = share[k];
        s->carrier[s->count][k] = index_of(s, vertex_below(p, corner[k]));
    }
    s->count++;
}

// The middles of the small triangles that it falls into.
static void sample_facet(const press *p, int32_t facet, int parts, const pal_indent_spec *spec,
                         facet_points *s) {
    const int32_t *corner = p->surface.triangle + 3 * (int64_t)facet;
    double e1[3], e2[3], normal[3];
    pal_sub3(p->surface.x + 3 * (int64_t)corner[1], p->surface.x + 3 * (int64_t)corner[0], e1);
    pal_sub3(p->surface.x + 3 * (int64_t)corner[2], p->surface.x + 3 * (int64_t)corner[0], e2);
    pal_cross3(e1, e2, normal);
    const double area = 0.5 * pal_norm3(normal) / (parts * parts);
    for (int i = 0; i < parts; i++) {
        for (int j = 0; j < 2 * (parts - i) - 1; j++) { // every other one stands on its head
            const double turned = j % 2 ? 2.0 / 3.0 : 1.0 / 3.0;
            const double a = (i + turned) / parts, b = (j / 2 + turned) / parts;
            const double share[3] = {1.0 - a - b, a, b};
            add_point(p, corner, share, area, spec, s);
        }
    }
}

// w = S of_vertices S^T, S the shares.
static void carry_compliance(const facet_points *s, const double *of_vertices, double *w) {
    const int64_t n = 3 * (int64_t)s->count, m = 3 * (int64_t)s->vertex_count;
    double *half = calloc((size_t)(n * m), sizeof *half);
    for (int64_t k = 0; k < n * CARRIERS; k++) {
        const int64_t i = k / CARRIERS, c = k % CARRIERS;
        cblas_daxpy((int)m, s->share[i / 3][c],
                    of_vertices + (3 * s->carrier[i / 3][c] + i % 3) * m, 1, half + i * m, 1);
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < n * CARRIERS; k++) {
            const int64_t j = k / CARRIERS, c = k % CARRIERS;
            w[i * n + j] += s->share[j / 3][c] * half[i * m + 3 * s->carrier[j / 3][c] + j % 3];
        }
    }
    free(half);
}

void press_facets(press *p, const pal_indent_spec *spec, int parts, pal_indent_result *result) {
    static const double hard = 1e11; // N/m^3: more points than vertices make W singular without it
    pal_err err = {0};
    facet_points *s = calloc(1, sizeof *s);
    for (int32_t f = 0; f < p->surface.triangle_count; f++) {
        sample_facet(p, f, parts, spec, s);
    }
    const int64_t n = 3 * (int64_t)s->count, m = 3 * (int64_t)s->vertex_count;
    double *of_vertices = calloc((size_t)(m * m), sizeof *of_vertices);
    double *w = calloc((size_t)(n * n), sizeof *w);
    CHECK_OK(pal_indent_compliance(&p->fem, s->vertex_count, s->vertex, of_vertices, &err), err);
    carry_compliance(s, of_vertices, w);
    for (int64_t i = 0; i < n; i++) {
        w[i * n + i] += 1.0 / (hard * s->area[i / 3]);
    }
    CHECK_OK(pal_indent_points(s->count, &s->x[0][0], w, spec, result, &err), err);
    free(of_vertices);
    free(w);
    free(s);
}

pal_indent_spec press_ball(const press *p, double x, double y) {
    static const double depth[] = {1e-3, 2e-3, 5e-3};
    return (pal_indent_spec){.at = {x, y, top_of(p)},
                             .axis = {0.0, 0.0, -1.0},
                             .radius = 5e-3,
                             .count = 3,
                             .depth = depth};
}
