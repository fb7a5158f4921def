// What contact tells a tool of how the body gives way to it (sim/contact/contacts_given.c).
#include <math.h>
#include <string.h>

#include "sim/base/vecn.h"
#include "tests/support/live_block.h"
#include "tests/support/touch_bench.h"
#include "tests/unity/unity.h"

static touch_bench b;
static const double middle = 0.03, top = LIVE_BLOCK_TOP + TOUCH_RADIUS;

void setUp(void) {
}
void tearDown(void) {
}

// The force on the tool as one on the coordinates, touch by touch.
static void pressed(double *g) {
    const pal_body *body = &b.live.body;
    memset(g, 0, PAL_MAX_R * sizeof *g);
    for (int32_t k = 0; k < b.tool.last.count; k++) {
        const pal_touch *touch = &b.tool.set.item[k];
        for (int i = 0; i < 3; i++) {
            double rows[3][PAL_MAX_R] = {{0.0}};
            body->functions->add_rows(body, pal_body_corner(body, touch->triangle, i),
                                      touch->weight[i], rows[0], PAL_MAX_R);
            for (int a = 0; a < 3; a++) {
                pal_add_scaled(body->size, b.tool.last.force[k][a], rows[a], g);
            }
        }
    }
}

// Pressed, slid and lifted again, by both forms: the work told is that of the step's forces by how
// far the step has taken what they press on.
static void test_the_work_told_is_that_of_the_step(void) {
    for (int form = 0; form < 2; form++) {
        touch_bench_open(&b, live_block_model(), 600.0);
        b.world->form = form == 0 ? PAL_CONTACT_COMPLIANCE : PAL_CONTACT_PENALTY;
        int told = 0;
        for (int k = 0; k < 400; k++) {
            double before[PAL_MAX_R], g[PAL_MAX_R], law = 0.0, size = 0.0;
            const int32_t r = b.live.body.size;
            memcpy(before, b.live.body.q, (size_t)r * sizeof *before);
            touch_bench_go(&b, middle + 2e-5 * k, middle,
                           top + 1e-3 - 4e-3 * sin(3.14159 * k / 400.0));
            pressed(g);
            for (int32_t l = 0; l < r; l++) {
                law += g[l] * (b.live.body.q[l] - before[l]);
                size += fabs(g[l] * (b.live.body.q[l] - before[l]));
            }
            TEST_ASSERT_DOUBLE_WITHIN(1e-9 * size, law, b.tool.given.work);
            told += law != 0.0;
        }
        TEST_ASSERT_TRUE(told > 200);
        touch_bench_close(&b);
    }
}

// In a step that is held the whole part is known: W_0 of the force is how far it takes the body at
// rest, by its own work.
static void test_the_part_taken_back_is_what_a_lasting_force_adds(void) {
    touch_bench_open(&b, live_block_model(), 600.0);
    touch_bench_go(&b, middle, middle, top + 1e-3);
    touch_bench_travel(&b, middle, middle, top - 5e-4, 600, 3000);
    double g[PAL_MAX_R];
    pressed(g);
    const double square = pal_dot3(b.tool.force, b.tool.force);
    const double lasting = -pal_dot(b.live.body.size, g, b.live.body.q) / square;
    const double part = b.tool.given.part, share = b.tool.given.share;
    TEST_ASSERT_TRUE(part > 0.9 * lasting && part < lasting); // it is hard: C is larger
    TEST_ASSERT_DOUBLE_WITHIN(0.01 * lasting, lasting, part / share);
    touch_bench_close(&b);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_the_work_told_is_that_of_the_step);
    RUN_TEST(test_the_part_taken_back_is_what_a_lasting_force_adds);
    return UNITY_END();
}
