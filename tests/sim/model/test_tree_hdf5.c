// The file of a baked tree: what is written is read again, and nothing else is.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "sim/contact/joint_build.h"
#include "sim/model/model_hdf5.h"
#include "sim/model/tree_hdf5.h"
#include "sim/model/tree_joints.h"
#include "tests/support/beam_tree.h"
#include "tests/support/check.h"
#include "tests/support/cut_press.h"

static pal_err err;

void setUp(void) {
}
void tearDown(void) {
    pal_memory_fail_after(-1);
}

static void bake(pal_tree_model *model) {
    pal_test_beam_tree(3, 6, 6, true, model);
}

static char *file_of(pal_tree_model *model, size_t *size) {
    char *data;
    CHECK_OK(pal_tree_model_image("x.h5", model, &data, size, &err), err);
    return data;
}

static void check_refused(const void *data, size_t size, pal_status expected, const char *part) {
    pal_tree_model model;
    char *exact = malloc(size > 0 ? size : 1); // so that a sanitizer sees reads beyond it
    memcpy(exact, data, size);
    pal_status status = pal_tree_model_parse("x.h5", exact, size, &model, &err);
    CHECK_FAILS(expected, part, status, err);
    TEST_ASSERT_NULL(model.class_);
    free(exact);
}

static void check_class(const pal_domain_class *a, const pal_domain_class *b) {
    TEST_ASSERT_EQUAL_STRING(a->name, b->name);
    TEST_ASSERT_EQUAL_INT(a->r, b->r);
    TEST_ASSERT_EQUAL_INT(a->port_count, b->port_count);
    const size_t r = (size_t)a->r;
    TEST_ASSERT_TRUE(a->alpha == b->alpha && a->beta == b->beta && a->mass == b->mass);
    TEST_ASSERT_EQUAL_MEMORY(a->first, b->first, sizeof a->first);
    TEST_ASSERT_EQUAL_MEMORY(a->second, b->second, sizeof a->second);
    if (r > 0) {
        TEST_ASSERT_EQUAL_MEMORY(a->lift, b->lift, 3 * r * sizeof(double));
        TEST_ASSERT_EQUAL_MEMORY(a->xu, b->xu, 9 * r * sizeof(double));
        TEST_ASSERT_EQUAL_MEMORY(a->uu, b->uu, 9 * r * r * sizeof(double));
        TEST_ASSERT_EQUAL_MEMORY(a->quartic.s, b->quartic.s,
                                 (size_t)pal_quadruples(a->r) * sizeof(double));
    }
    for (int32_t p = 0; p < a->port_count; p++) {
        const pal_port *x = &a->port[p], *y = &b->port[p];
        TEST_ASSERT_EQUAL_INT(x->vertex_count, y->vertex_count);
        TEST_ASSERT_EQUAL_MEMORY(x->x, y->x, sizeof x->x);
        TEST_ASSERT_EQUAL_MEMORY(x->c, y->c, sizeof x->c);
        TEST_ASSERT_EQUAL_INT32_ARRAY(x->vertex, y->vertex, x->vertex_count);
        TEST_ASSERT_EQUAL_MEMORY(x->weight, y->weight, (size_t)x->vertex_count * sizeof(double));
        if (r > 0) {
            TEST_ASSERT_EQUAL_MEMORY(x->a, y->a, 3 * r * sizeof(double));
            TEST_ASSERT_EQUAL_MEMORY(x->b, y->b, 9 * r * sizeof(double));
        }
    }
}

static void check_same(const pal_tree_model *a, const pal_tree_model *b) {
    TEST_ASSERT_EQUAL_STRING(a->name, b->name);
    TEST_ASSERT_EQUAL_STRING(a->scene_text, b->scene_text);
    TEST_ASSERT_EQUAL_STRING(a->hash, b->hash);
    TEST_ASSERT_EQUAL_INT(a->class_count, b->class_count);
    TEST_ASSERT_EQUAL_INT(a->domain_count, b->domain_count);
    TEST_ASSERT_EQUAL_INT(a->tree.flies, b->tree.flies);
    TEST_ASSERT_EQUAL_MEMORY(a->tree.root_x, b->tree.root_x, sizeof a->tree.root_x);
    TEST_ASSERT_EQUAL_MEMORY(a->tree.root_turn, b->tree.root_turn, sizeof a->tree.root_turn);
    TEST_ASSERT_EQUAL_PTR(b->class_, b->tree.class_);
    TEST_ASSERT_EQUAL_PTR(b->domain, b->tree.domain);
    for (int32_t i = 0; i < a->domain_count; i++) {
        const pal_domain *x = &a->domain[i], *y = &b->domain[i];
        TEST_ASSERT_EQUAL_STRING(a->domain_name[i], b->domain_name[i]);
        TEST_ASSERT_EQUAL_INT(x->kind, y->kind);
        TEST_ASSERT_EQUAL_INT(x->parent, y->parent);
        TEST_ASSERT_TRUE(i == 0 || x->port == y->port);
        TEST_ASSERT_EQUAL_MEMORY(x->rest, y->rest, sizeof x->rest);
        TEST_ASSERT_TRUE(x->scale == y->scale && x->stiffness == y->stiffness);
    }
    for (int32_t k = 0; k < a->class_count; k++) {
        check_class(&a->class_[k], &b->class_[k]);
        const pal_model *x = &a->body[k], *y = &b->body[k];
        TEST_ASSERT_EQUAL_INT(x->mesh.element_count, y->mesh.element_count);
        TEST_ASSERT_EQUAL_MEMORY(x->mesh.x, y->mesh.x,
                                 3 * (size_t)x->mesh.vertex_count * sizeof(double));
        TEST_ASSERT_EQUAL_INT(x->surface.triangle_count, y->surface.triangle_count);
        TEST_ASSERT_EQUAL_INT(x->local.block_count, y->local.block_count);
    }
}

static void test_a_tree_is_read_as_it_was_written(void) {
    static const beam_tree beams[] = {
        {.domains = 3, .elements = 6, .r = 6, .boundary = true},
        {.domains = 3, .elements = 6, .r = 5, .flies = true, .voxels = true},
        {.domains = 3, .elements = 6, .r = 0}, // rigid
        {.domains = 4, .elements = 8, .r = 6, .one_class = true},
    };
    for (size_t i = 0; i < sizeof beams / sizeof *beams; i++) {
        pal_tree_model model, back;
        beam_tree_bake(&beams[i], &model, NULL);
        model.domain[1].stiffness = 0.25;
        const char *path = check_scratch("tree.h5");
        CHECK_OK(pal_tree_model_write(path, &model, &err), err);
        TEST_ASSERT_TRUE(pal_tree_model_is_file(path));
        CHECK_OK(pal_tree_model_read(path, &back, &err), err);
        check_same(&model, &back);
        pal_tree_model_free(&model);
        pal_tree_model_free(&back);
    }
}

static void test_the_same_tree_gives_the_same_bytes(void) {
    pal_tree_model model;
    bake(&model);
    size_t one_size, two_size;
    char *one = file_of(&model, &one_size), *two = file_of(&model, &two_size);
    TEST_ASSERT_EQUAL_INT(one_size, two_size);
    TEST_ASSERT_EQUAL_MEMORY(one, two, one_size);
    free(one);
    free(two);
    pal_tree_model_free(&model);
}

static void test_a_cut_or_changed_file_is_refused(void) {
    pal_tree_model model;
    bake(&model);
    size_t size;
    char *data = file_of(&model, &size);
    check_refused(data, 0, PAL_ERR_INPUT, "empty");
    check_refused(data, 10, PAL_ERR_INPUT, "not a palpate tree");
    for (size_t cut = 22; cut < size; cut += cut < 600 ? 37 : size / 19) {
        check_refused(data, cut, PAL_ERR_INPUT, "x.h5 is cut short");
    }
    check_refused(data, size - 1, PAL_ERR_INPUT, "x.h5 is cut short");
    data[size / 2] ^= 1;
    check_refused(data, size, PAL_ERR_INPUT, "x.h5 is garbled");
    data[size / 2] ^= 1;
    data[21] = '7';
    check_refused(data, size, PAL_ERR_VERSION, "a palpate tree of version 7");
    free(data);
    pal_tree_model_free(&model);
}

static void test_models_and_trees_are_told_apart(void) {
    pal_tree_model tree, back;
    pal_model model;
    bake(&tree);
    size_t size, body_size;
    char *data = file_of(&tree, &size), *body;
    TEST_ASSERT_EQUAL_INT(PAL_ERR_INPUT, pal_model_parse("x.h5", data, size, &model, &err));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "not a palpate model"), err.text);
    CHECK_OK(pal_model_image("y.h5", &tree.body[0], &body, &body_size, &err), err);
    TEST_ASSERT_EQUAL_INT(PAL_ERR_INPUT,
                          pal_tree_model_parse("y.h5", body, body_size, &back, &err));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "not a palpate tree"), err.text);
    TEST_ASSERT_FALSE(pal_tree_model_is_file(check_scratch("nothing.h5")));
    free(body);
    free(data);
    pal_tree_model_free(&tree);
}

// Behind a right hash of the file there may still be nonsense.
static void check_edit(const void *before, const void *after, size_t length, const char *part) {
    pal_tree_model model;
    bake(&model);
    size_t size, place = 0, found = 0;
    char *data = file_of(&model, &size);
    for (size_t at = PAL_MODEL_BLOCK; at + length <= size; at++) {
        if (memcmp(data + at, before, length) == 0) {
            place = at;
            found++;
        }
    }
    TEST_ASSERT_EQUAL_INT(1, found);
    memcpy(data + place, after, length);
    pal_model_block_fill(data, size, pal_tree_model_kind());
    check_refused(data, size, PAL_ERR_INPUT, part);
    free(data);
    pal_tree_model_free(&model);
}

static void test_edited_content_is_refused(void) {
    pal_tree_model model;
    bake(&model);
    const double *x = model.class_[0].port[0].x, *first = model.class_[1].first;
    const double bad[3] = {NAN, x[1], x[2]}, moved[3] = {first[0] + 1.0, first[1], first[2]};
    check_edit(x, bad, sizeof bad, "is nan");
    check_edit(first, moved, sizeof moved, "the content is not what its hash says");
    pal_tree_model_free(&model);
}

static void test_trees_that_make_no_sense_are_not_written(void) {
    for (int i = 0; i < 4; i++) {
        pal_tree_model model;
        bake(&model);
        switch (i) {
        case 0:
            model.domain[2].parent = 2;
            break;
        case 1:
            model.domain[1].kind = 3;
            break;
        case 2:
            model.domain[1].port = 1;
            break;
        default:
            model.domain[1].scale = 0.0;
        }
        char *data;
        size_t size;
        TEST_ASSERT_EQUAL_INT(PAL_ERR_INPUT,
                              pal_tree_model_image("x.h5", &model, &data, &size, &err));
        TEST_ASSERT_NULL(data);
        pal_tree_model_free(&model);
    }
}

static void check_out_of_memory(pal_tree_model *model) {
    pal_tree_model back;
    size_t size;
    char *data = file_of(model, &size);
    bool done = false;
    for (long successes = 0; !done; successes++) {
        pal_memory_fail_after(successes);
        pal_status status = pal_tree_model_parse("x.h5", data, size, &back, &err);
        pal_memory_fail_after(-1);
        done = status == PAL_OK;
        TEST_ASSERT_TRUE(done || status == PAL_ERR_MEMORY);
    }
    check_same(model, &back);
    pal_tree_model_free(&back);
    free(data);
    pal_tree_model_free(model);
}

// ---- joints

// Two domains that can be dented and meet in unlike meshes.
static void bake_joined(pal_tree_model *model) {
    press_shape parent = {.kind = PAL_HEX8,
                          .low = {-0.012, -0.009, -0.009},
                          .high = {0.012, 0.009, 0.0},
                          .fine = 3e-3,
                          .zone = {6e-3, 6e-3, 6e-3},
                          .growth = 1.9,
                          .overhangs = true,
                          .hold_end = -1e-3};
    press_shape child = parent;
    child.fine = 2.3e-3;
    memset(model, 0, sizeof *model);
    cut_press_unlike(&parent, &child, 6, model);
    TEST_ASSERT_EQUAL_INT(1, model->joints.count);
}

static int32_t joints_of(const pal_tree_model *model, int32_t most) {
    pal_joints joints;
    CHECK_OK(pal_tree_joints_build(model, most, NULL, &joints, &err), err);
    const int32_t count = joints.count;
    TEST_ASSERT_EQUAL_INT(count - 1, joints.of_child[1]);
    pal_joints_free(&joints);
    return count;
}

// Not where too many hang each in its own way, nor where no hand can feel it.
static void test_joints_are_made_where_they_are_worth_it(void) {
    pal_tree_model model;
    bake_joined(&model);
    TEST_ASSERT_EQUAL_INT(1, joints_of(&model, PAL_TREE_MOST_JOINTS));
    TEST_ASSERT_EQUAL_INT(1, joints_of(&model, 1));
    TEST_ASSERT_EQUAL_INT(0, joints_of(&model, 0));
    for (int32_t i = 0; i < 2; i++) {
        model.domain[i].stiffness *= 1e6;
    }
    TEST_ASSERT_EQUAL_INT(0, joints_of(&model, PAL_TREE_MOST_JOINTS));
    pal_tree_model_free(&model);
}

static void test_joints_are_read_as_they_were_written(void) {
    pal_tree_model model, back;
    bake_joined(&model);
    size_t size;
    char *data = file_of(&model, &size);
    CHECK_OK(pal_tree_model_parse("x.h5", data, size, &back, &err), err);
    check_same(&model, &back);
    const pal_joints *a = &model.joints, *b = &back.joints;
    const pal_joint *x = &a->item[0], *y = &b->item[0];
    TEST_ASSERT_EQUAL_INT(a->count, b->count);
    TEST_ASSERT_EQUAL_INT32_ARRAY(a->of_child, b->of_child, 2);
    TEST_ASSERT_EQUAL_INT32_ARRAY(a->first_child, b->first_child, 3);
    TEST_ASSERT_EQUAL_INT32_ARRAY(a->child, b->child, 1);
    TEST_ASSERT_EQUAL_MEMORY(a->size, b->size, 2 * sizeof(double));
    TEST_ASSERT_EQUAL_MEMORY(a->stiffness, b->stiffness, 2 * sizeof(double));
    TEST_ASSERT_EQUAL_INT(x->count, y->count);
    TEST_ASSERT_EQUAL_INT(x->parent_count, y->parent_count);
    TEST_ASSERT_EQUAL_INT(x->stride, y->stride);
    TEST_ASSERT_EQUAL_INT32_ARRAY(x->vertex, y->vertex, x->count);
    TEST_ASSERT_EQUAL_MEMORY(x->d, y->d, 3 * (size_t)x->count * (size_t)x->stride * sizeof(float));
    for (int s = 0; s < PAL_JOINT_SIDES; s++) {
        TEST_ASSERT_EQUAL_INT32_ARRAY(x->row[s], y->row[s], model.body[s].mesh.vertex_count);
    }
    free(data);
    pal_tree_model_free(&model);
    pal_tree_model_free(&back);
}

static void test_running_out_of_memory_is_told_and_leaks_nothing(void) {
    pal_tree_model model;
    bake(&model);
    check_out_of_memory(&model);
    bake_joined(&model);
    check_out_of_memory(&model);
}

static void spoil_joint(pal_tree_model *model, int how) {
    pal_joint *joint = &model->joints.item[0];
    switch (how) {
    case 0:
        joint->vertex[0] = model->body[0].mesh.vertex_count;
        break;
    case 1: // there twice
        joint->vertex[joint->count - 1] = joint->vertex[joint->parent_count];
        break;
    case 2:
        joint->parent_count = joint->count + 1;
        break;
    case 3: // of no domain
        model->joints.of_child[1] = -1;
        break;
    case 4: // of the root
        model->joints.of_child[0] = 0;
        break;
    case 5: // there is one
        model->joints.of_child[1] = 1;
        break;
    case 6: // its classes cannot be dented
        pal_local_free(&model->body[1].local);
        CHECK_OK(
            pal_local_alloc(&model->body[1].local, model->body[1].mesh.vertex_count, 0, 0, &err),
            err);
        break;
    default:
        joint->count = joint->parent_count = 0;
    }
}

static void test_joints_that_make_no_sense_are_refused(void) {
    static const char *const part[] = {"joint 0 are not in order",
                                       "joint 0 are not in order",
                                       "do not fit",
                                       "do not fit",
                                       "do not fit",
                                       "/joints/by",
                                       "do not fit",
                                       "do not fit"};
    pal_tree_model model;
    for (int how = 0; how < 8; how++) {
        bake_joined(&model);
        spoil_joint(&model, how);
        size_t size;
        char *data = file_of(&model, &size);
        check_refused(data, size, PAL_ERR_INPUT, part[how]);
        free(data);
        pal_tree_model_free(&model);
    }
    bake_joined(&model);
    model.joints.item[0].d[1] = (float)NAN;
    char *data;
    size_t size;
    TEST_ASSERT_EQUAL_INT(PAL_ERR_INPUT, pal_tree_model_image("x.h5", &model, &data, &size, &err));
    pal_tree_model_free(&model);
}

static void test_a_cut_or_changed_table_of_joints_is_refused(void) {
    pal_tree_model model;
    bake_joined(&model);
    size_t size, place = 0;
    char *data = file_of(&model, &size);
    const size_t length = 3 * (size_t)model.joints.item[0].count * sizeof(float);
    for (size_t at = PAL_MODEL_BLOCK; place == 0 && at + length <= size; at++) { // its first row
        place = memcmp(data + at, model.joints.item[0].d, length) == 0 ? at : 0;
    }
    TEST_ASSERT_GREATER_THAN_INT(0, place);
    check_refused(data, place + length, PAL_ERR_INPUT, "x.h5 is cut short");
    data[place] ^= 1;
    check_refused(data, size, PAL_ERR_INPUT, "x.h5 is garbled");
    pal_model_block_fill(data, size, pal_tree_model_kind());
    check_refused(data, size, PAL_ERR_INPUT, "the content is not what its hash says");
    const float bad = (float)NAN;
    memcpy(data + place, &bad, sizeof bad);
    pal_model_block_fill(data, size, pal_tree_model_kind());
    check_refused(data, size, PAL_ERR_INPUT, "is nan");
    free(data);
    pal_tree_model_free(&model);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_tree_is_read_as_it_was_written);
    RUN_TEST(test_the_same_tree_gives_the_same_bytes);
    RUN_TEST(test_a_cut_or_changed_file_is_refused);
    RUN_TEST(test_models_and_trees_are_told_apart);
    RUN_TEST(test_edited_content_is_refused);
    RUN_TEST(test_trees_that_make_no_sense_are_not_written);
    RUN_TEST(test_running_out_of_memory_is_told_and_leaks_nothing);
    RUN_TEST(test_joints_are_made_where_they_are_worth_it);
    RUN_TEST(test_joints_are_read_as_they_were_written);
    RUN_TEST(test_joints_that_make_no_sense_are_refused);
    RUN_TEST(test_a_cut_or_changed_table_of_joints_is_refused);
    return UNITY_END();
}
