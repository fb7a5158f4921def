// Laws of meshes that are tied together where their vertices do not meet.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/basis/eigen.h"
#include "sim/fem/assemble.h"
#include "sim/fem/dynamic.h"
#include "sim/fem/static.h"
#include "sim/fem/tie.h"
#include "sim/mesh/block.h"
#include "sim/mesh/embed_build.h"
#include "tests/support/block_body.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

static const pal_material rubber = {1e5, 0.4, 1000.0};

// Blocks one after the other along x, each tied to the one before it; 0.1 m thick.
typedef struct piece {
    int32_t across, along; // cubes
    double from;           // m, where it begins
} piece;

typedef struct tied_beam {
    pal_volmesh mesh;
    pal_ties ties;
    uint8_t *held;
    pal_fem fem;
} tied_beam;

static void join_blocks(tied_beam *beam, const pal_volmesh *block, int count) {
    pal_err err = {0};
    int32_t vertices = 0, elements = 0;
    for (int b = 0; b < count; b++) {
        vertices += block[b].vertex_count;
        elements += block[b].element_count;
    }
    const int nodes = (int)block[0].kind;
    CHECK_OK(pal_volmesh_alloc(&beam->mesh, block[0].kind, vertices, elements, 1, &err), err);
    vertices = elements = 0;
    for (int b = 0; b < count; b++) {
        memcpy(beam->mesh.x + 3 * vertices, block[b].x,
               3 * (size_t)block[b].vertex_count * sizeof(double));
        for (int32_t k = 0; k < block[b].element_count * nodes; k++) {
            beam->mesh.element[elements * nodes + k] = vertices + block[b].element[k];
        }
        vertices += block[b].vertex_count;
        elements += block[b].element_count;
    }
}

// The vertices of block b at x = from hang on block b - 1.
static void tie_block(tied_beam *beam, const pal_volmesh *block, int b, double from) {
    pal_err err = {0};
    int32_t first = 0;
    for (int k = 0; k < b; k++) {
        first += block[k].vertex_count;
    }
    for (int32_t v = 0; v < block[b].vertex_count; v++) {
        pal_embedding in;
        if (block[b].x[3 * v] > from + 1e-9) {
            continue;
        }
        CHECK_OK(pal_embedding_build(&block[b - 1], block[b].x + 3 * v, 1, &in, NULL, &err), err);
        for (int k = 0; k < in.nodes; k++) {
            in.vertex[k] += first - block[b - 1].vertex_count;
        }
        pal_ties_add(&beam->ties, first + v, in.nodes, in.vertex, in.weight);
        pal_embedding_free(&in);
    }
}

static void beam_open(tied_beam *beam, pal_element_kind kind, int count, const piece *of,
                      bool is_free) {
    pal_err err = {0};
    pal_volmesh block[3];
    memset(beam, 0, sizeof *beam);
    for (int b = 0; b < count; b++) {
        const int32_t n[3] = {of[b].along, of[b].across, of[b].across};
        CHECK_OK(pal_mesh_block(kind, n, 0.1 / of[b].across, &block[b], &err), err);
        for (int32_t v = 0; v < block[b].vertex_count; v++) {
            block[b].x[3 * v] += of[b].from;
        }
    }
    join_blocks(beam, block, count);
    CHECK_OK(
        pal_ties_alloc(&beam->ties, beam->mesh.vertex_count, 8 * beam->mesh.vertex_count, &err),
        err);
    for (int b = 1; b < count; b++) {
        tie_block(beam, block, b, of[b].from);
    }
    for (int b = 0; b < count; b++) {
        pal_volmesh_free(&block[b]);
    }
    beam->held = block_held(&beam->mesh);
    CHECK_OK(pal_fem_init_tied(&beam->fem, &beam->mesh, &rubber, is_free ? NULL : beam->held,
                               &beam->ties, PAL_MASS_CONSISTENT, &err),
             err);
}

static void beam_close(tied_beam *beam) {
    pal_fem_free(&beam->fem);
    pal_ties_free(&beam->ties);
    pal_volmesh_free(&beam->mesh);
    free(beam->held);
}

static const piece unlike[] = {{2, 6, 0.0}, {3, 9, 0.3}};
// The last one begins inside the middle one, whose only layer is carried itself.
static const piece chain[] = {{2, 4, 0.0}, {1, 1, 0.2}, {3, 6, 0.25}};

static double *some_shape(const pal_fem *fem, double size) {
    double *u = calloc((size_t)pal_fem_dofs(fem), sizeof *u);
    for (int64_t i = 0; i < pal_fem_dofs(fem); i++) {
        u[i] = size * sin(1.7 * (double)i + 0.3);
    }
    return u;
}

// ---- the laws

static void check_rigid_motion(const piece *of, int count, pal_element_kind kind) {
    pal_err err = {0};
    tied_beam beam;
    beam_open(&beam, kind, count, of, true);
    const pal_fem *fem = &beam.fem;
    const double c = cos(2.0), s = sin(2.0);
    double *u = some_shape(fem, 0.0), *force = some_shape(fem, 0.0), energy;
    for (int32_t i = 0; i < fem->free_count; i++) {
        const double *x = beam.mesh.x + 3 * fem->free_vertex[i];
        u[3 * i] = c * x[0] - s * x[1] + 0.3 - x[0];
        u[3 * i + 1] = s * x[0] + c * x[1] - x[1];
        u[3 * i + 2] = 0.1;
    }
    CHECK_OK(pal_fem_evaluate(&beam.fem, u, &energy, force, false, &err), err);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.0, energy);
    for (int64_t i = 0; i < pal_fem_dofs(fem); i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.0, force[i]);
    }
    // and the carried vertices have gone along
    double *full = calloc(3 * (size_t)beam.mesh.vertex_count, sizeof *full);
    pal_fem_to_full(fem, u, full);
    for (int32_t v = 0; v < beam.mesh.vertex_count; v++) {
        const double *x = beam.mesh.x + 3 * v;
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, c * x[0] - s * x[1] + 0.3 - x[0], full[3 * v]);
    }
    free(full);
    free(u);
    free(force);
    beam_close(&beam);
}

static void test_rigid_motion_makes_no_force(void) {
    check_rigid_motion(unlike, 2, PAL_TET4);
    check_rigid_motion(unlike, 2, PAL_HEX8);
    check_rigid_motion(chain, 3, PAL_TET4);
    check_rigid_motion(chain, 3, PAL_HEX8);
}

static void check_derivatives(const piece *of, int count, pal_element_kind kind) {
    pal_err err = {0};
    tied_beam beam;
    beam_open(&beam, kind, count, of, false);
    const int64_t n = pal_fem_dofs(&beam.fem);
    const double h = 1e-6;
    double *u = some_shape(&beam.fem, 2e-3), *way = some_shape(&beam.fem, 1.0);
    double *force[2] = {some_shape(&beam.fem, 0.0), some_shape(&beam.fem, 0.0)};
    double *middle = some_shape(&beam.fem, 0.0), *k_way = some_shape(&beam.fem, 0.0), energy[2];
    for (int64_t i = 0; i < n; i++) { // another direction than u
        way[i] = cos(0.9 * (double)i);
    }
    CHECK_OK(pal_fem_evaluate(&beam.fem, u, NULL, middle, true, &err), err);
    pal_csr_multiply(&beam.fem.stiffness, way, k_way);
    for (int side = 0; side < 2; side++) {
        for (int64_t i = 0; i < n; i++) {
            u[i] += (side == 0 ? h : -2.0 * h) * way[i];
        }
        CHECK_OK(pal_fem_evaluate(&beam.fem, u, &energy[side], force[side], false, &err), err);
    }
    double along = 0.0, most = 0.0;
    for (int64_t i = 0; i < n; i++) {
        along += middle[i] * way[i];
        most = fmax(most, fabs(k_way[i]));
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-6 * fabs(along), along, (energy[0] - energy[1]) / (2.0 * h));
    for (int64_t i = 0; i < n; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-6 * most, k_way[i], (force[0][i] - force[1][i]) / (2.0 * h));
    }
    free(u);
    free(way);
    free(force[0]);
    free(force[1]);
    free(middle);
    free(k_way);
    beam_close(&beam);
}

static void test_force_is_gradient_of_energy_and_stiffness_of_force(void) {
    check_derivatives(unlike, 2, PAL_TET4);
    check_derivatives(unlike, 2, PAL_HEX8);
    check_derivatives(chain, 3, PAL_TET4);
    check_derivatives(chain, 3, PAL_HEX8);
}

enum { LOWEST = 6 };

static void lowest(pal_fem *fem, double *lambda) {
    pal_err err = {0};
    pal_modes modes;
    CHECK_OK(pal_modes_solve(fem, LOWEST, NULL, &modes, &err), err);
    TEST_ASSERT_TRUE(modes.residual_max < 1e-7);
    memcpy(lambda, modes.lambda, LOWEST * sizeof *lambda);
    pal_modes_free(&modes);
}

// The frequencies of tied blocks beside those of one block as long.
static void check_frequencies(const piece *of, int count, pal_element_kind kind, bool is_free,
                              double within) {
    tied_beam beam;
    block_body whole;
    double tied[LOWEST], one[LOWEST];
    const piece *last = &of[count - 1];
    const double length = last->from + 0.1 * last->along / last->across;
    beam_open(&beam, kind, count, of, is_free);
    block_open(&whole, &(block_shape){.kind = kind,
                                      .n = {(int32_t)lround(length * 20.0), 2, 2},
                                      .h = 0.05,
                                      .is_free = is_free,
                                      .material = rubber});
    lowest(&beam.fem, tied);
    lowest(&whole.fem, one);
    for (int k = 0; k < LOWEST; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(within, 1.0, sqrt(tied[k] / one[k]));
    }
    block_close(&whole);
    beam_close(&beam);
}

static void test_ties_of_vertices_that_meet_are_merged_vertices(void) {
    const piece alike[] = {{2, 6, 0.0}, {2, 7, 0.3}};
    for (int is_free = 0; is_free < 2; is_free++) {
        check_frequencies(alike, 2, PAL_TET4, is_free, 1e-9);
        check_frequencies(alike, 2, PAL_HEX8, is_free, 1e-9);
    }
}

// (A finer mesh bends more easily, and one of a single cell across twists so.)
static void test_a_beam_tied_of_unlike_meshes_vibrates_as_one_piece(void) {
    const piece coarse[] = {{2, 10, 0.0}, {1, 5, 0.5}}, wide[] = {{2, 12, 0.0}, {3, 18, 0.6}};
    for (int is_free = 0; is_free < 2; is_free++) {
        check_frequencies(wide, 2, PAL_HEX8, is_free, 0.03);
    }
    check_frequencies(coarse, 2, PAL_HEX8, false, 0.1);
}

static void test_mass_and_weight_are_those_of_the_pieces(void) {
    pal_err err = {0};
    tied_beam beam;
    beam_open(&beam, PAL_TET4, 3, chain, true);
    const pal_fem *fem = &beam.fem;
    const double g[3] = {0.0, 0.0, -10.0}, volume = 0.2 + 0.1 + 0.2; // of 0.1 x 0.1 m
    double *f = calloc(3 * (size_t)beam.mesh.vertex_count, sizeof *f), weight = 0.0, mass = 0.0;
    double *on_free = some_shape(fem, 0.0);
    CHECK_OK(pal_fem_add_gravity(fem, g, f, &err), err);
    pal_fem_load_to_free(fem, f, on_free);
    for (int32_t i = 0; i < fem->free_count; i++) {
        weight += on_free[3 * i + 2];
    }
    for (int32_t b = 0; b < fem->block_start[fem->free_count]; b++) {
        mass += fem->mass[b];
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.01 * volume * 1000.0, fem->total_mass);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, fem->total_mass, mass);
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, -10.0 * mass, weight);
    free(f);
    free(on_free);
    beam_close(&beam);
}

typedef struct flight {
    const tied_beam *beam;
    double first[6], most;
} flight;

// Momentum and spin of the free vertices, each with its share of what it carries.
static bool watch_momentum(void *user, int step, double time, const double *u, const double *v,
                           double kinetic, double strain) {
    flight *f = user;
    const pal_fem *fem = &f->beam->fem;
    double sum[6] = {0};
    double *rate = some_shape(fem, 0.0), *p = some_shape(fem, 0.0);
    (void)time, (void)kinetic, (void)strain;
    pal_fem_to_free(fem, v, rate);
    pal_fem_multiply_mass(fem, rate, p);
    for (int32_t i = 0; i < fem->free_count; i++) {
        double x[3], spin[3];
        for (int c = 0; c < 3; c++) {
            x[c] = fem->mesh->x[3 * fem->free_vertex[i] + c] + u[3 * fem->free_vertex[i] + c];
            sum[c] += p[3 * i + c];
        }
        pal_cross3(x, p + 3 * i, spin);
        for (int c = 0; c < 3; c++) {
            sum[3 + c] += spin[c];
        }
    }
    for (int k = 0; k < 6; k++) {
        f->first[k] = step == 0 ? sum[k] : f->first[k];
        f->most = fmax(f->most, fabs(sum[k] - f->first[k]));
    }
    free(rate);
    free(p);
    return true;
}

static void test_a_free_tied_body_keeps_its_momentum(void) {
    pal_err err = {0};
    tied_beam beam;
    beam_open(&beam, PAL_TET4, 2, unlike, true);
    const size_t n = 3 * (size_t)beam.mesh.vertex_count;
    double *none = calloc(n, sizeof *none), *velocity = calloc(n, sizeof *velocity);
    for (size_t i = 0; i < n / 3; i++) { // on, spinning about z, and bending
        const double *x = beam.mesh.x + 3 * i;
        velocity[3 * i] = 0.1 - 2.0 * x[1];
        velocity[3 * i + 1] = 2.0 * x[0];
        velocity[3 * i + 2] = 3.0 * x[0] * x[0];
    }
    flight f = {.beam = &beam};
    const pal_dynamic_options options = {
        .dt = 1e-3, .steps = 60, .beta = 1e-4, .velocity = velocity};
    CHECK_OK(pal_dynamic_run(&beam.fem, none, &options, NULL, watch_momentum, &f, &err), err);
    const double size = pal_norm3(f.first) + pal_norm3(f.first + 3);
    TEST_ASSERT_TRUE(size > 1.0);
    // linear momentum is kept as well as Newton converges, spin to second order in the step
    TEST_ASSERT_TRUE(f.most < 1e-5 * size);
    free(none);
    free(velocity);
    beam_close(&beam);
}

// A load on a carried vertex does the work that it does on its carriers.
static void test_a_load_on_a_carried_vertex_bends_the_body_there(void) {
    pal_err err = {0};
    tied_beam beam;
    pal_static_report report;
    beam_open(&beam, PAL_HEX8, 2, unlike, false);
    const size_t n = 3 * (size_t)beam.mesh.vertex_count;
    double *f = calloc(n, sizeof *f), *u = calloc(n, sizeof *u);
    const int32_t v = beam.ties.vertex[5];
    f[3 * v + 2] = 1e-4;
    CHECK_OK(pal_static_solve(&beam.fem, f, NULL, NULL, u, &report, &err), err);
    TEST_ASSERT_TRUE(u[3 * v + 2] > 0.0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3 * report.energy, 0.5 * 1e-4 * u[3 * v + 2], report.energy);
    free(f);
    free(u);
    beam_close(&beam);
}

// ---- what is refused

static pal_status open_again(tied_beam *beam, pal_err *err) {
    pal_fem_free(&beam->fem);
    return pal_fem_init_tied(&beam->fem, &beam->mesh, &rubber, beam->held, &beam->ties,
                             PAL_MASS_CONSISTENT, err);
}

static void test_ties_that_make_no_sense_are_refused(void) {
    pal_err err = {0};
    tied_beam beam;
    beam_open(&beam, PAL_HEX8, 2, unlike, false);
    const int32_t first = beam.ties.vertex[0], other = beam.ties.carrier[0];
    beam.mesh.x[3 * first] += 0.01;
    CHECK_FAILS(PAL_ERR_INPUT, "where its carriers have it", open_again(&beam, &err), err);
    beam.mesh.x[3 * first] -= 0.01;
    beam.held[first] = 1;
    CHECK_FAILS(PAL_ERR_INPUT, "and held", open_again(&beam, &err), err);
    beam.held[first] = 0;
    beam.ties.vertex[0] = beam.ties.vertex[1];
    CHECK_FAILS(PAL_ERR_INPUT, "another tie", open_again(&beam, &err), err);
    beam.ties.vertex[0] = first;
    beam.ties.carrier[0] = beam.ties.vertex[3];
    CHECK_FAILS(PAL_ERR_INPUT, "by a later tie", open_again(&beam, &err), err);
    beam.ties.carrier[0] = other;
    beam.ties.count = 0; // the second block hangs on nothing
    CHECK_FAILS(PAL_ERR_INPUT, "piece 2 of 2", open_again(&beam, &err), err);
    beam_close(&beam);
}

static void test_a_lack_of_memory_is_told_and_nothing_is_lost(void) {
    pal_err err = {0};
    tied_beam beam;
    beam_open(&beam, PAL_TET4, 3, chain, false);
    pal_status status = PAL_ERR_MEMORY;
    for (long passes = 0; status == PAL_ERR_MEMORY && passes < 200; passes++) {
        pal_memory_fail_after(passes);
        status = open_again(&beam, &err);
        pal_memory_fail_after(-1);
    }
    CHECK_OK(status, err);
    beam_close(&beam);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_rigid_motion_makes_no_force);
    RUN_TEST(test_force_is_gradient_of_energy_and_stiffness_of_force);
    RUN_TEST(test_ties_of_vertices_that_meet_are_merged_vertices);
    RUN_TEST(test_a_beam_tied_of_unlike_meshes_vibrates_as_one_piece);
    RUN_TEST(test_mass_and_weight_are_those_of_the_pieces);
    RUN_TEST(test_a_free_tied_body_keeps_its_momentum);
    RUN_TEST(test_a_load_on_a_carried_vertex_bends_the_body_there);
    RUN_TEST(test_ties_that_make_no_sense_are_refused);
    RUN_TEST(test_a_lack_of_memory_is_told_and_nothing_is_lost);
    return UNITY_END();
}
