// Editing domains: every step can be undone and redone exactly, and what is saved is what is read.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/domain_edit.h"
#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "sim/base/rng.h"
#include "sim/mesh/block.h"
#include "tests/support/check.h"

enum { ELEMENTS = 8 * 3 * 2, STEPS = 60 };

static pal_volmesh mesh;
static pal_domain_edit *edit;
static pal_err err;
static char why[PAL_EDIT_WHY];

void setUp(void) {
    err = (pal_err){0};
    CHECK_OK(pal_mesh_block(PAL_HEX8, (int32_t[3]){8, 3, 2}, 0.01, &mesh, &err), err);
    CHECK_OK(pal_domain_edit_open(&mesh, NULL, &edit, &err), err);
}
void tearDown(void) {
    pal_domain_edit_close(edit);
    pal_volmesh_free(&mesh);
}

typedef struct state { // all of it, by value
    int32_t count, current, label[ELEMENTS];
    int32_t like[STEPS + 2];
    char name[STEPS + 2][PAL_DOMAIN_NAME];
} state;

static state now(void) {
    const pal_domain_labels *labels = pal_domain_edit_labels(edit);
    state s;
    memset(&s, 0, sizeof s);
    s.count = labels->count;
    s.current = pal_domain_edit_current(edit);
    memcpy(s.label, labels->label, sizeof s.label);
    memcpy(s.like, labels->like, (size_t)s.count * sizeof *s.like);
    for (int32_t d = 0; d < s.count; d++) {
        snprintf(s.name[d], sizeof s.name[d], "%s", labels->name[d]);
    }
    return s;
}

static void same(const state *a, const state *b) {
    TEST_ASSERT_EQUAL_INT(a->count, b->count);
    TEST_ASSERT_EQUAL_INT(a->current, b->current);
    TEST_ASSERT_EQUAL_MEMORY(a->label, b->label, sizeof a->label);
    TEST_ASSERT_EQUAL_MEMORY(a->like, b->like, sizeof a->like);
    TEST_ASSERT_EQUAL_MEMORY(a->name, b->name, sizeof a->name);
}

static void ball(double x, double y, double z, double radius, bool take) {
    uint8_t selected[ELEMENTS];
    pal_domain_select_ball(&mesh, (double[3]){x, y, z}, radius, selected);
    CHECK_OK(pal_domain_edit_give(edit, selected, take, NULL, &err), err);
}

// One change by chance; some change nothing.
static void change(pal_rng *rng, int k) {
    char name[32];
    const int32_t count = pal_domain_edit_labels(edit)->count;
    const int32_t some = (int32_t)(pal_rng_uniform(rng, 0.0, 1.0) * count) % count;
    snprintf(name, sizeof name, "domain %d", k);
    const double way = pal_rng_uniform(rng, 0.0, 1.0);
    if (way < 0.3) {
        CHECK_OK(pal_domain_edit_new(edit, name, &err), err);
    } else if (way < 0.7) {
        ball(0.08 * pal_rng_uniform(rng, 0.0, 1.0), 0.03 * pal_rng_uniform(rng, 0.0, 1.0), 0.01,
             0.005 + 0.02 * pal_rng_uniform(rng, 0.0, 1.0),
             way < 0.4 && pal_domain_edit_current(edit) > 0);
    } else if (way < 0.8) {
        CHECK_OK(pal_domain_edit_choose(edit, pal_domain_edit_labels(edit)->name[some], &err), err);
    } else if (way < 0.9) {
        CHECK_OK(pal_domain_edit_rename(edit, name, &err), err);
    } else if (some > 0) {
        char old[PAL_DOMAIN_NAME];
        snprintf(old, sizeof old, "%s", pal_domain_edit_labels(edit)->name[some]);
        CHECK_OK(pal_domain_edit_drop(edit, old, &err), err);
    }
}

static void test_undo_and_redo_restore_every_step_exactly(void) {
    static state after[STEPS + 1];
    pal_rng rng = pal_rng_make(7, 0);
    after[0] = now();
    for (int k = 1; pal_domain_edit_steps(edit) < STEPS; k++) {
        change(&rng, k);
        after[pal_domain_edit_steps(edit)] = now();
    }
    for (int round = 0; round < 2; round++) {
        for (int s = STEPS; s-- > 0;) {
            TEST_ASSERT_TRUE(pal_domain_edit_undo(edit));
            const state is = now();
            same(&after[s], &is);
        }
        TEST_ASSERT_FALSE(pal_domain_edit_undo(edit));
        for (int s = 1; s <= STEPS; s++) {
            TEST_ASSERT_TRUE(pal_domain_edit_redo(edit));
            const state is = now();
            same(&after[s], &is);
        }
        TEST_ASSERT_FALSE(pal_domain_edit_redo(edit));
    }
}

static void test_a_change_after_undo_forgets_what_could_be_redone(void) {
    CHECK_OK(pal_domain_edit_new(edit, "a", &err), err);
    CHECK_OK(pal_domain_edit_new(edit, "b", &err), err);
    TEST_ASSERT_TRUE(pal_domain_edit_undo(edit));
    CHECK_OK(pal_domain_edit_new(edit, "c", &err), err);
    TEST_ASSERT_FALSE(pal_domain_edit_redo(edit));
    TEST_ASSERT_EQUAL_STRING("c", pal_domain_edit_labels(edit)->name[2]);
    TEST_ASSERT_EQUAL_INT(3, pal_domain_edit_labels(edit)->count);
}

static void test_every_element_stays_in_one_domain(void) {
    CHECK_OK(pal_domain_edit_new(edit, "a", &err), err);
    ball(0.0, 0.0, 0.0, 0.03, false);
    const int32_t had = pal_domain_edit_count(edit, 1);
    TEST_ASSERT_TRUE(had > 4);
    ball(0.0, 0.0, 0.0, 0.015, true);
    TEST_ASSERT_TRUE(pal_domain_edit_count(edit, 1) < had);
    TEST_ASSERT_EQUAL_INT(ELEMENTS,
                          pal_domain_edit_count(edit, 0) + pal_domain_edit_count(edit, 1));
    const int32_t steps = pal_domain_edit_steps(edit);
    ball(0.0, 0.0, 0.0, 0.015, true); // nothing left to take: no step
    TEST_ASSERT_EQUAL_INT(steps, pal_domain_edit_steps(edit));
}

static void test_what_is_saved_reads_back_equal(void) {
    const char *path = check_scratch("domains.txt");
    pal_domain_labels read;
    CHECK_OK(pal_domain_edit_new(edit, "left lobe", &err), err);
    ball(0.0, 0.0, 0.0, 0.03, false);
    CHECK_OK(pal_domain_edit_new(edit, "tip", &err), err);
    ball(0.08, 0.03, 0.02, 0.02, false);
    const pal_domain_labels *labels = pal_domain_edit_labels(edit);
    CHECK_OK(pal_domain_list_write(path, &mesh, labels, &err), err);
    CHECK_OK(pal_domain_list_read(path, &mesh, &read, &err), err);
    TEST_ASSERT_EQUAL_INT(labels->count, read.count);
    TEST_ASSERT_EQUAL_MEMORY(labels->label, read.label, ELEMENTS * sizeof *read.label);
    for (int32_t d = 0; d < read.count; d++) {
        TEST_ASSERT_EQUAL_STRING(labels->name[d], read.name[d]);
    }
    pal_domain_labels_free(&read);
}

static void test_a_copy_is_the_same_elements_elsewhere(void) {
    uint8_t selected[ELEMENTS];
    CHECK_OK(pal_domain_edit_new(edit, "a", &err), err);
    pal_domain_select_box(&mesh, (double[3]){0.0, 0.0, 0.0}, (double[3]){0.02, 0.03, 0.02},
                          selected);
    CHECK_OK(pal_domain_edit_give(edit, selected, false, NULL, &err), err);
    CHECK_OK(pal_domain_edit_copy(edit, "b", (double[3]){0.03, 0.0, 0.0}, why, &err), err);
    TEST_ASSERT_EQUAL_INT(12, pal_domain_edit_count(edit, 1));
    TEST_ASSERT_EQUAL_INT(12, pal_domain_edit_count(edit, 2));
    pal_domain_select_box(&mesh, (double[3]){0.03, 0.0, 0.0}, (double[3]){0.05, 0.03, 0.02},
                          selected);
    for (int e = 0; e < ELEMENTS; e++) {
        TEST_ASSERT_EQUAL_INT(selected[e], pal_domain_edit_labels(edit)->label[e] == 2);
    }
    CHECK_OK(pal_domain_edit_choose(edit, "a", &err), err);
    CHECK_FAILS(PAL_ERR_INPUT, "of the domain 'b' already",
                pal_domain_edit_copy(edit, "c", (double[3]){0.02, 0.0, 0.0}, why, &err), err);
    CHECK_FAILS(PAL_ERR_INPUT, "nothing is congruent",
                pal_domain_edit_copy(edit, "c", (double[3]){0.055, 0.0, 0.0}, why, &err), err);
    CHECK_FAILS(PAL_ERR_INPUT, "nothing is congruent",
                pal_domain_edit_copy(edit, "c", (double[3]){0.07, 0.0, 0.0}, why, &err), err);
}

static void expect_likes(int32_t count, const int32_t *like) {
    TEST_ASSERT_EQUAL_INT(count, pal_domain_edit_labels(edit)->count);
    TEST_ASSERT_EQUAL_MEMORY(like, pal_domain_edit_labels(edit)->like,
                             (size_t)count * sizeof *like);
}

// Slices of the block two elements thick: body, a, and copies b and c of a.
static void make_copies(void) {
    uint8_t selected[ELEMENTS];
    CHECK_OK(pal_domain_edit_new(edit, "a", &err), err);
    pal_domain_select_box(&mesh, (double[3]){0.02, 0.0, 0.0}, (double[3]){0.04, 0.03, 0.02},
                          selected);
    CHECK_OK(pal_domain_edit_give(edit, selected, false, NULL, &err), err);
    CHECK_OK(pal_domain_edit_copy(edit, "b", (double[3]){0.02, 0.0, 0.0}, why, &err), err);
    TEST_ASSERT_EQUAL_STRING("", why);
    CHECK_OK(pal_domain_edit_copy(edit, "c", (double[3]){0.02, 0.0, 0.0}, why, &err), err);
    TEST_ASSERT_EQUAL_STRING("", why);
}

static void test_copies_share_a_class_until_one_is_changed(void) {
    make_copies();
    expect_likes(4, (int32_t[]){-1, -1, 1, 1});
    CHECK_OK(pal_domain_edit_choose(edit, "a", &err), err);
    ball(0.03, 0.0, 0.0, 0.011, true); // the first of them: the others stay alike
    expect_likes(4, (int32_t[]){-1, -1, -1, 2});
    TEST_ASSERT_TRUE(pal_domain_edit_undo(edit));
    expect_likes(4, (int32_t[]){-1, -1, 1, 1});
    CHECK_OK(pal_domain_edit_drop(edit, "b", &err), err);
    expect_likes(3, (int32_t[]){-1, -1, 1});
    CHECK_OK(pal_domain_edit_drop(edit, "a", &err), err);
    expect_likes(2, (int32_t[]){-1, -1});
}

static void test_domains_can_be_said_to_be_alike_when_they_are(void) {
    make_copies();
    CHECK_OK(pal_domain_edit_unlike(edit, &err), err);
    expect_likes(4, (int32_t[]){-1, -1, 1, -1});
    CHECK_OK(pal_domain_edit_like(edit, "b", &err), err);
    expect_likes(4, (int32_t[]){-1, -1, 1, 1});
    CHECK_FAILS(PAL_ERR_INPUT, "of one class already", pal_domain_edit_like(edit, "a", &err), err);
    mesh.x[3 * (mesh.vertex_count - 1)] += 1e-3; // of c
    CHECK_OK(pal_domain_edit_unlike(edit, &err), err);
    CHECK_FAILS(PAL_ERR_INPUT, "'c' is not congruent to 'a': vertex ",
                pal_domain_edit_like(edit, "a", &err), err);
    TEST_ASSERT_TRUE(strstr(err.text, "mm from where a rotation and the scale") != NULL);
    ball(0.08, 0.03, 0.02, 0.011, true);
    CHECK_FAILS(PAL_ERR_INPUT, "it has 11 elements, not 12", pal_domain_edit_like(edit, "a", &err),
                err);
}

static void test_wrong_edits_are_refused_and_change_nothing(void) {
    uint8_t all[ELEMENTS];
    memset(all, 1, sizeof all);
    const state before = now();
    CHECK_FAILS(PAL_ERR_INPUT, "already", pal_domain_edit_new(edit, "body", &err), err);
    CHECK_FAILS(PAL_ERR_INPUT, "cannot name", pal_domain_edit_new(edit, "a;b", &err), err);
    CHECK_FAILS(PAL_ERR_INPUT, "cannot name", pal_domain_edit_new(edit, "", &err), err);
    CHECK_FAILS(PAL_ERR_INPUT, "no domain 'x'", pal_domain_edit_choose(edit, "x", &err), err);
    CHECK_FAILS(PAL_ERR_INPUT, "first domain", pal_domain_edit_drop(edit, "body", &err), err);
    CHECK_FAILS(PAL_ERR_INPUT, "first domain", pal_domain_edit_give(edit, all, true, NULL, &err),
                err);
    CHECK_FAILS(PAL_ERR_INPUT, "first domain",
                pal_domain_edit_copy(edit, "b", (double[3]){0.0, 0.0, 0.0}, why, &err), err);
    const state after = now();
    same(&before, &after);
    TEST_ASSERT_EQUAL_INT(0, pal_domain_edit_steps(edit));
}

// Wherever memory ends, the edit is as it was before or as it is after.
static void test_out_of_memory_changes_nothing(void) {
    const state before = now();
    pal_status status = PAL_ERR_MEMORY;
    for (long n = 0; status != PAL_OK && n < 20; n++) {
        pal_memory_fail_after(n);
        status = pal_domain_edit_new(edit, "a", &err);
        pal_memory_fail_after(-1);
        if (status != PAL_OK) {
            const state after = now();
            same(&before, &after);
        }
    }
    CHECK_OK(status, err);
    TEST_ASSERT_EQUAL_INT(2, pal_domain_edit_labels(edit)->count);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_undo_and_redo_restore_every_step_exactly);
    RUN_TEST(test_a_change_after_undo_forgets_what_could_be_redone);
    RUN_TEST(test_every_element_stays_in_one_domain);
    RUN_TEST(test_what_is_saved_reads_back_equal);
    RUN_TEST(test_a_copy_is_the_same_elements_elsewhere);
    RUN_TEST(test_copies_share_a_class_until_one_is_changed);
    RUN_TEST(test_domains_can_be_said_to_be_alike_when_they_are);
    RUN_TEST(test_wrong_edits_are_refused_and_change_nothing);
    RUN_TEST(test_out_of_memory_changes_nothing);
    return UNITY_END();
}
