// Laws of a baked tree of domains.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/parallel.h"
#include "sim/base/vec3.h"
#include "sim/contact/local_build.h"
#include "tests/support/beam_tree.h"
#include "tests/support/block_body.h"
#include "tests/support/cells.h"
#include "tests/support/check.h"
#include "tests/support/sanitized.h"

static pal_err err;

void setUp(void) {
    err = (pal_err){0};
}

void tearDown(void) {
    pal_set_thread_count(0);
    pal_memory_fail_after(-1);
}

static void test_masses_of_the_domains_are_that_of_the_body(void) {
    for (int voxels = 0; voxels < 2; voxels++) {
        const beam_tree beam = {
            .domains = 4, .elements = 16, .r = 8, .boundary = true, .voxels = voxels};
        pal_tree_model model;
        double sum = 0.0;
        beam_tree_bake(&beam, &model, NULL);
        for (int32_t i = 0; i < model.domain_count; i++) {
            sum += model.class_[model.domain[i].kind].mass;
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-10, 1000.0 * 2.0 * 2.0 / (16.0 * 16.0), sum);
        pal_tree_model_free(&model);
    }
}

// U^T M U = I, as the run time has it.
static void check_orthonormal(const pal_domain_class *class_) {
    for (int32_t l = 0; l < class_->r; l++) {
        for (int32_t p = 0; p < class_->r; p++) {
            const double *uu = class_->uu + 9 * (l * class_->r + p);
            TEST_ASSERT_DOUBLE_WITHIN(1e-10, l == p, uu[0] + uu[4] + uu[8]);
        }
    }
}

static void test_bases_are_mass_orthonormal(void) {
    static const beam_tree beams[] = {
        {.domains = 3, .elements = 12, .r = 12, .boundary = true},
        {.domains = 3, .elements = 12, .r = 20, .boundary = true},
        {.domains = 3, .elements = 12, .r = 7, .boundary = false, .voxels = true},
        {.domains = 3, .elements = 12, .r = 20, .boundary = true, .flies = true},
        {.domains = 3,
         .elements = 12,
         .r = 40,
         .boundary = true,
         .modes = 4}, // more than there are
        {.domains = 3, .elements = 12, .r = 1, .boundary = true},
        {.domains = 3, .elements = 12, .r = 4, .boundary = true, .flies = true},
    };
    for (size_t k = 0; k < sizeof beams / sizeof *beams; k++) {
        pal_tree_model model;
        beam_tree_bake(&beams[k], &model, NULL);
        for (int32_t c = 0; c < model.class_count; c++) {
            TEST_ASSERT_EQUAL_INT(beams[k].r, model.class_[c].r);
            check_orthonormal(&model.class_[c]);
        }
        pal_tree_model_free(&model);
    }
}

// ---- Where things are

typedef struct frame {
    double x[3], turn[3][3];
} frame;

// Where the frame of a domain stands at rest: on its port.
static void place_child(const pal_tree *tree, int32_t i, frame *frames) {
    const pal_domain *domain = &tree->domain[i], *parent = &tree->domain[domain->parent];
    const pal_port *port = &tree->class_[parent->kind].port[domain->port];
    const frame *from = &frames[domain->parent];
    for (int a = 0; a < 3; a++) {
        frames[i].x[a] = from->x[a] + parent->scale * pal_dot3(from->turn[a], port->x);
        for (int b = 0; b < 3; b++) {
            frames[i].turn[a][b] = 0.0;
            for (int c = 0; c < 3; c++) {
                frames[i].turn[a][b] += from->turn[a][c] * domain->rest[c][b];
            }
        }
    }
}

static void check_places(const pal_tree_model *model, const pal_partition *partition,
                         const pal_volmesh *mesh) {
    const pal_tree *tree = &model->tree;
    frame *frames = calloc((size_t)tree->domain_count, sizeof *frames);
    memcpy(frames[0].x, tree->root_x, sizeof frames[0].x);
    memcpy(frames[0].turn, tree->root_turn, sizeof frames[0].turn);
    for (int32_t i = 0; i < tree->domain_count; i++) {
        const pal_volmesh *own = &model->body[tree->domain[i].kind].mesh;
        if (i > 0) {
            place_child(tree, i, frames);
        }
        for (int32_t v = 0; v < own->vertex_count; v++) {
            for (int a = 0; a < 3; a++) {
                double x = frames[i].x[a] +
                           tree->domain[i].scale * pal_dot3(frames[i].turn[a], own->x + 3 * v);
                TEST_ASSERT_DOUBLE_WITHIN(1e-12, mesh->x[3 * partition->vertex[i][v] + a], x);
            }
        }
    }
    free(frames);
}

static void test_every_vertex_stands_where_the_whole_mesh_has_it(void) {
    for (int shared = 0; shared < 2; shared++) {
        const int32_t class_of[3] = {0, 1, 1};
        pal_volmesh mesh;
        int32_t *label;
        pal_partition partition;
        pal_tree_model model;
        cells_spindle(&mesh, &label);
        const pal_partition_spec cut = {.mesh = &mesh,
                                        .label_count = 3,
                                        .label = label,
                                        .root = 0,
                                        .class_count = 2,
                                        .class_of = shared ? class_of : NULL};
        CHECK_OK(pal_partition_make(&cut, &partition, &err), err);
        pal_class_spec class_[3];
        for (int k = 0; k < partition.class_count; k++) {
            class_[k] = (pal_class_spec){.name = "part",
                                         .material = &beam_tree_material,
                                         .basis = {.kind = PAL_BASIS_BOUNDARY, .size = 3}};
            pal_class_spec_take_part(&class_[k], &partition.part[k]);
        }
        pal_tree_spec spec = {.name = "spindle", .scene_text = ""};
        pal_tree_spec_take_partition(&spec, &partition, class_);
        CHECK_OK(pal_tree_bake(&spec, NULL, &model, NULL, &err), err);
        TEST_ASSERT_EQUAL_INT(shared ? 2 : 3, model.class_count);
        check_places(&model, &partition, &mesh);
        pal_tree_model_free(&model);
        pal_partition_free(&partition);
        pal_volmesh_free(&mesh);
        free(label);
    }
}

static double area_of(const pal_surface *surface) {
    pal_surface_quality quality;
    CHECK_OK(pal_surface_measure(surface, &quality, &err), err);
    return quality.area;
}

static void test_surfaces_have_no_interfaces(void) {
    const beam_tree beam = {.domains = 4, .elements = 16, .r = 8, .boundary = true};
    pal_tree_model model;
    pal_volmesh mesh;
    pal_surface whole;
    double sum = 0.0;
    beam_tree_bake(&beam, &model, NULL);
    beam_tree_mesh(&beam, &mesh);
    CHECK_OK(pal_surface_of_volmesh(&mesh, &whole, NULL, &err), err);
    for (int32_t k = 0; k < model.class_count; k++) {
        sum += area_of(&model.body[k].surface);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, area_of(&whole), sum);
    pal_surface_free(&whole);
    pal_volmesh_free(&mesh);
    pal_tree_model_free(&model);
}

// The frame of a root that flies is at its centre of mass, and its shapes move it neither on nor
// round.                                                                            [BJ05 App. D]
static void test_the_shapes_of_a_free_root_have_no_rigid_motion(void) {
    const beam_tree beam = {.domains = 3, .elements = 12, .r = 20, .boundary = true, .flies = true};
    pal_tree_model model;
    beam_tree_bake(&beam, &model, NULL);
    const pal_domain_class *root = &model.class_[model.domain[0].kind];
    double size = sqrt(root->mass);
    TEST_ASSERT_TRUE(model.tree.flies);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5, model.tree.root_x[0]);
    for (int c = 0; c < 3; c++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-12 * root->mass, 0.0, root->first[c]);
    }
    for (int l = 0; l < root->r; l++) {
        const double *xu = root->xu + 9 * l;
        for (int c = 0; c < 3; c++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-9 * size, 0.0, root->lift[c * root->r + l]);
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-9 * size, 0.0, xu[5] - xu[7]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9 * size, 0.0, xu[6] - xu[2]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9 * size, 0.0, xu[1] - xu[3]);
    }
    pal_tree_model_free(&model);
}

// ---- How it is baked

static void test_rigid_classes_have_moments_only(void) {
    const beam_tree beam = {.domains = 3, .elements = 12, .r = 0, .boundary = true};
    pal_tree_model model;
    beam_tree_bake(&beam, &model, NULL);
    for (int32_t k = 0; k < model.class_count; k++) {
        TEST_ASSERT_EQUAL_INT(0, model.class_[k].r);
        TEST_ASSERT_EQUAL_INT(0, model.body[k].r);
        TEST_ASSERT_NULL(model.class_[k].quartic.s);
        TEST_ASSERT_DOUBLE_WITHIN(1e-10, 1000.0 * 4.0 / 144.0 / 3.0, model.class_[k].mass);
    }
    pal_tree_model_free(&model);
}

static void test_a_class_is_baked_once(void) {
    const beam_tree beam = {
        .domains = 6, .elements = 12, .r = 8, .boundary = true, .one_class = true};
    pal_tree_model model;
    pal_class_times times[6];
    memset(times, 0, sizeof times);
    beam_tree_bake(&beam, &model, times);
    TEST_ASSERT_EQUAL_INT(1, model.class_count);
    TEST_ASSERT_EQUAL_INT(6, model.domain_count);
    TEST_ASSERT_EQUAL_INT(1, model.class_[0].port_count);
    TEST_ASSERT_TRUE(times[0].total > 0.0 && times[0].moments > 0.0);
    TEST_ASSERT_TRUE(times[0].total >= times[0].moments + times[0].bake.quartic);
    TEST_ASSERT_EQUAL_DOUBLE(0.0, times[1].total);
    pal_tree_model_free(&model);
}

static void check_equal(const double *a, const double *b, int64_t count) {
    TEST_ASSERT_EQUAL_INT(0, memcmp(a, b, (size_t)count * sizeof *a));
}

static void test_the_bake_does_not_depend_on_the_number_of_threads(void) {
    const beam_tree beam = {.domains = 2, .elements = 24, .r = 20, .boundary = true};
    pal_tree_model model[2];
    for (int t = 0; t < 2; t++) {
        pal_set_thread_count(1 + t);
        beam_tree_bake(&beam, &model[t], NULL);
    }
    for (int32_t k = 0; k < 2; k++) {
        const pal_domain_class *a = &model[0].class_[k], *b = &model[1].class_[k];
        check_equal(model[0].body[k].basis, model[1].body[k].basis,
                    3 * (int64_t)model[0].body[k].mesh.vertex_count * 20);
        check_equal(a->quartic.s, b->quartic.s, pal_quadruples(20));
        check_equal(a->uu, b->uu, 9 * 20 * 20);
        check_equal(a->xu, b->xu, 9 * 20);
    }
    pal_tree_model_free(&model[0]);
    pal_tree_model_free(&model[1]);
}

// ---- A hand-made tree: a cube that carries others of its class on its far end.

typedef struct cubes {
    pal_volmesh mesh;
    uint8_t *held;
    int32_t far[32];
    pal_port_vertices port;
    pal_class_spec class_[2];
    pal_domain domain[3];
    char name[3][PAL_DOMAIN_NAME];
    pal_tree_spec spec;
} cubes;

static void cubes_open(cubes *c) {
    const block_shape shape = {.kind = PAL_HEX8, .n = {2, 2, 2}, .h = 0.1};
    block_body body;
    memset(c, 0, sizeof *c);
    block_open(&body, &shape);
    c->mesh = body.mesh;
    pal_fem_free(&body.fem);
    c->held = block_held(&c->mesh);
    for (int32_t v = 0; v < c->mesh.vertex_count; v++) {
        if (c->mesh.x[3 * v] > 0.19) {
            c->far[c->port.vertex_count++] = v;
        }
    }
    c->port.vertex = c->far;
    for (int k = 0; k < 2; k++) {
        c->class_[k] =
            (pal_class_spec){.name = k == 0 ? "trunk" : "twig",
                             .mesh = &c->mesh,
                             .held = c->held,
                             .port_count = 1 - k,
                             .port = &c->port,
                             .material = &beam_tree_material,
                             .basis = {.kind = PAL_BASIS_BOUNDARY, .size = 4, .modes = 2}};
    }
    for (int i = 0; i < 3; i++) {
        c->domain[i] = (pal_domain){.kind = i == 2,
                                    .parent = i - 1,
                                    .rest = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                    .scale = 1.0,
                                    .stiffness = 1.0};
    }
    memcpy(c->name, "one\0", 4);
    memcpy(c->name[1], "two\0", 4);
    memcpy(c->name[2], "three\0", 6);
    c->spec = (pal_tree_spec){.name = "cubes",
                              .scene_text = "",
                              .class_count = 2,
                              .class_ = c->class_,
                              .domain_count = 3,
                              .domain = c->domain,
                              .domain_name = (const char(*)[PAL_DOMAIN_NAME])c->name,
                              .root_turn = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

static void cubes_close(cubes *c) {
    pal_volmesh_free(&c->mesh);
    free(c->held);
}

static void expect_error(cubes *c, const char *first, const char *second) {
    pal_tree_model model;
    pal_status status = pal_tree_bake(&c->spec, NULL, &model, NULL, &err);
    TEST_ASSERT_TRUE_MESSAGE(status == PAL_ERR_INPUT || status == PAL_ERR_USAGE, err.text);
    TEST_ASSERT_TRUE_MESSAGE(strstr(err.text, first) != NULL, err.text);
    TEST_ASSERT_TRUE_MESSAGE(strstr(err.text, second) != NULL, err.text);
    TEST_ASSERT_NULL(model.body);
    cubes_close(c);
    cubes_open(c);
}

static void test_a_bad_tree_is_an_error_that_names_the_domain(void) {
    cubes c;
    cubes_open(&c);
    c.domain[1].kind = 2;
    expect_error(&c, "'two'", "class 2");
    c.domain[1].parent = 1;
    expect_error(&c, "'two'", "parent");
    c.domain[0].parent = 0;
    expect_error(&c, "'one'", "parent");
    c.domain[2].port = 1;
    expect_error(&c, "'three'", "port 1 of 'two'");
    c.domain[2].parent = 0;
    expect_error(&c, "'two' and 'three'", "one port of 'one'");
    c.domain[1].scale = 0.0;
    expect_error(&c, "'two'", "scale");
    c.domain[1].scale = NAN;
    expect_error(&c, "'two'", "scale");
    c.class_[0].held = NULL;
    expect_error(&c, "'one'", "held nowhere");
    c.spec.flies = true;
    expect_error(&c, "'one'", "flies");
    c.spec.domain_count = 0;
    expect_error(&c, "tree", "domain");
    cubes_close(&c);
}

static void test_a_bad_class_is_an_error_that_names_it(void) {
    cubes c;
    cubes_open(&c);
    c.port.vertex_count = 2;
    expect_error(&c, "trunk", "2 vertices");
    c.port.vertex_count = 3; // along y
    expect_error(&c, "trunk", "in one line");
    c.far[0] = 99;
    expect_error(&c, "trunk", "vertex 99");
    c.class_[1].basis.size = 500;
    expect_error(&c, "twig", "500");
    c.class_[0].basis.size = -1;
    expect_error(&c, "trunk", "at least one");
    memset(c.held, 0, (size_t)c.mesh.vertex_count);
    expect_error(&c, "trunk", "interface to the parent has 0 vertices");
    cubes_close(&c);
}

static void test_the_root_may_stand_anywhere(void) {
    cubes c;
    pal_tree_model model;
    cubes_open(&c);
    const double turn[3][3] = {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}};
    memcpy(c.spec.root_turn, turn, sizeof turn);
    c.spec.root_x[0] = 5.0;
    c.domain[0].scale = 2.0;
    CHECK_OK(pal_tree_bake(&c.spec, NULL, &model, NULL, &err), err);
    // The middle of the held face is at (0, 0.1, 0.1) of the mesh.
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 4.8, model.tree.root_x[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.0, model.tree.root_x[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.2, model.tree.root_x[2]);
    pal_tree_model_free(&model);
    cubes_close(&c);
}

typedef struct heard {
    char last[64];
    double fraction;
    int stages;
} heard;

static void hear(void *user, const char *stage, double fraction) {
    heard *h = user;
    if (strcmp(stage, h->last) != 0) {
        TEST_ASSERT_TRUE(h->stages == 0 || h->fraction == 1.0);
        snprintf(h->last, sizeof h->last, "%s", stage);
        h->stages++;
        h->fraction = 0.0;
    }
    TEST_ASSERT_TRUE(fraction >= h->fraction && fraction <= 1.0);
    h->fraction = fraction;
}

static void test_progress_goes_from_class_to_class(void) {
    cubes c;
    pal_tree_model model;
    heard h = {"", 0.0, 0};
    cubes_open(&c);
    CHECK_OK(pal_tree_bake(&c.spec, &(pal_progress){hear, &h}, &model, NULL, &err), err);
    TEST_ASSERT_EQUAL_INT(2, h.stages);
    TEST_ASSERT_EQUAL_STRING("twig", h.last);
    TEST_ASSERT_EQUAL_DOUBLE(1.0, h.fraction);
    pal_tree_model_free(&model);
    cubes_close(&c);
}

// The same blocks in both tables where the smaller one has any.
static void check_subset(const pal_local *all, const pal_local *cut) {
    TEST_ASSERT_EQUAL_INT(all->row_count, cut->row_count);
    for (int32_t a = 0; a < cut->row_count; a++) {
        int32_t k = all->first[a];
        for (int32_t j = cut->first[a]; j < cut->first[a + 1]; j++, k++) {
            while (k < all->first[a + 1] && all->column[k] != cut->column[j]) {
                k++;
            }
            TEST_ASSERT_TRUE(k < all->first[a + 1]);
            TEST_ASSERT_EQUAL_MEMORY(all->block + 9 * (int64_t)k, cut->block + 9 * (int64_t)j,
                                     9 * sizeof *cut->block);
        }
        bool found = false;
        for (int32_t j = cut->first[a]; j < cut->first[a + 1]; j++) {
            found = found || cut->column[j] == a;
        }
        TEST_ASSERT_TRUE(found);
    }
}

static void test_the_dents_of_all_classes_have_one_cap(void) {
    pal_tree_model whole, fits, cut;
    pal_class_times times[2];
    cubes c;
    cubes_open(&c);
    c.class_[0].local = (pal_local_spec){.choice = PAL_LOCAL_WANT_EXACT, .radius = 0.4};
    c.class_[1].local = (pal_local_spec){.choice = PAL_LOCAL_WANT_EXACT, .radius = 0.09};
    CHECK_OK(pal_tree_bake(&c.spec, NULL, &whole, times, &err), err);
    TEST_ASSERT_FALSE(times[0].bake.local_report.is_cut);
    const double large = pal_local_bytes(&whole.body[0].local);
    const double small = pal_local_bytes(&whole.body[1].local);
    TEST_ASSERT_TRUE(large > 3.0 * small);
    c.spec.local_bytes = large + small;
    CHECK_OK(pal_tree_bake(&c.spec, NULL, &fits, NULL, &err), err);
    TEST_ASSERT_EQUAL_INT(whole.body[0].local.block_count, fits.body[0].local.block_count);
    check_subset(&whole.body[0].local, &fits.body[0].local);
    // the one that needs much gives way, told; the other keeps its own
    c.spec.local_bytes = 0.5 * large + small;
    CHECK_OK(pal_tree_bake(&c.spec, NULL, &cut, times, &err), err);
    const pal_local *given = &cut.body[0].local, *kept = &cut.body[1].local;
    TEST_ASSERT_TRUE(pal_local_bytes(given) + pal_local_bytes(kept) <= c.spec.local_bytes);
    TEST_ASSERT_TRUE(given->radius < 0.4);
    check_subset(&whole.body[0].local, given);
    TEST_ASSERT_EQUAL_INT(whole.body[1].local.block_count, kept->block_count);
    check_subset(&whole.body[1].local, kept);
    CHECK_OK(pal_local_check(given, "cut", &err), err);
    TEST_ASSERT_NOT_NULL(strstr(times[0].bake.local_report.note, "trunk: the radius was cut"));
    TEST_ASSERT_EQUAL_STRING("", times[1].bake.local_report.note);
    pal_tree_model_free(&whole);
    pal_tree_model_free(&fits);
    pal_tree_model_free(&cut);
    cubes_close(&c);
}

static void test_what_little_ones_leave_is_for_the_others(void) {
    static const double need[4] = {1.0, 50.0, 3.0, 20.0};
    TEST_ASSERT_TRUE(isinf(pal_local_allowance(need, 4, 74.0, &err)));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 36.0, pal_local_allowance(need, 4, 60.0, &err));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 8.0, pal_local_allowance(need, 4, 20.0, &err));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5, pal_local_allowance(need, 4, 2.0, &err));
}

static void test_every_failed_allocation_is_an_error(void) {
    cubes c;
    pal_tree_model model;
    pal_status status = PAL_ERR_MEMORY;
    cubes_open(&c);
    c.class_[0].basis.size = 12; // boundary modes and linear ones
    pal_set_thread_count(1);
    long k = 0;
    for (; status != PAL_OK; k++) {
        pal_memory_fail_after(k);
        status = pal_tree_bake(&c.spec, NULL, &model, NULL, &err);
        pal_memory_fail_after(-1);
        TEST_ASSERT_TRUE_MESSAGE(status == PAL_OK || status == PAL_ERR_MEMORY, err.text);
    }
    TEST_ASSERT_TRUE(k > 100);
    pal_tree_model_free(&model);
    cubes_close(&c);
}

// ---- Shares of modes

static void test_modes_are_shared_by_elements_or_their_logarithm(void) {
    const int32_t elements[4] = {10, 100, 1000, 10000};
    int32_t r[4];
    CHECK_OK(pal_tree_share_modes(PAL_SHARE_LOGARITHMIC, 100, 1, 64, 4, elements, r, &err), err);
    TEST_ASSERT_EQUAL_INT(10, r[0]);
    TEST_ASSERT_EQUAL_INT(20, r[1]);
    TEST_ASSERT_EQUAL_INT(30, r[2]);
    TEST_ASSERT_EQUAL_INT(40, r[3]);
    CHECK_OK(pal_tree_share_modes(PAL_SHARE_PROPORTIONAL, 60, 2, 50, 4, elements, r, &err), err);
    TEST_ASSERT_EQUAL_INT(60, r[0] + r[1] + r[2] + r[3]);
    TEST_ASSERT_EQUAL_INT(2, r[0]);
    TEST_ASSERT_EQUAL_INT(2, r[1]);
    TEST_ASSERT_EQUAL_INT(50, r[3]);
    CHECK_OK(pal_tree_share_modes(PAL_SHARE_PROPORTIONAL, 400, 0, 20, 4, elements, r, &err), err);
    TEST_ASSERT_EQUAL_INT(80, r[0] + r[1] + r[2] + r[3]); // no more than that
    const int32_t alike[3] = {1, 1, 1};
    CHECK_OK(pal_tree_share_modes(PAL_SHARE_LOGARITHMIC, 7, 0, 64, 3, alike, r, &err), err);
    TEST_ASSERT_EQUAL_INT(7, r[0] + r[1] + r[2]);
    TEST_ASSERT_TRUE(r[0] >= 2 && r[1] >= 2 && r[2] >= 2);
    CHECK_FAILS(PAL_ERR_USAGE, "3 modes",
                pal_tree_share_modes(PAL_SHARE_LOGARITHMIC, 3, 1, 64, 4, elements, r, &err), err);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST_OF_ONE_THREAD(test_masses_of_the_domains_are_that_of_the_body);
    RUN_TEST_OF_ONE_THREAD(test_bases_are_mass_orthonormal);
    RUN_TEST_OF_ONE_THREAD(test_every_vertex_stands_where_the_whole_mesh_has_it);
    RUN_TEST_OF_ONE_THREAD(test_surfaces_have_no_interfaces);
    RUN_TEST_OF_ONE_THREAD(test_the_shapes_of_a_free_root_have_no_rigid_motion);
    RUN_TEST_OF_ONE_THREAD(test_rigid_classes_have_moments_only);
    RUN_TEST(test_a_class_is_baked_once);
    RUN_TEST(test_the_bake_does_not_depend_on_the_number_of_threads);
    RUN_TEST_OF_ONE_THREAD(test_a_bad_tree_is_an_error_that_names_the_domain);
    RUN_TEST_OF_ONE_THREAD(test_a_bad_class_is_an_error_that_names_it);
    RUN_TEST_OF_ONE_THREAD(test_the_root_may_stand_anywhere);
    RUN_TEST_OF_ONE_THREAD(test_progress_goes_from_class_to_class);
    RUN_TEST(test_the_dents_of_all_classes_have_one_cap);
    RUN_TEST(test_what_little_ones_leave_is_for_the_others);
    RUN_TEST_OF_ONE_THREAD(test_every_failed_allocation_is_an_error);
    RUN_TEST_OF_ONE_THREAD(test_modes_are_shared_by_elements_or_their_logarithm);
    return UNITY_END();
}
