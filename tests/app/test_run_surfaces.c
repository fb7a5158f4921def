// The scene of six surfaces as a hand feels them: what the README's table says of each.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "haptics/trace.h"
#include "sim/base/vec3.h"
#include "tests/support/check.h"
#include "tests/support/program.h"

enum { SMOOTH, ROUGH, STICKY, JERKY, RIBBED, VELVET, PARTS };

typedef struct part {
    int ticks;     // of the slide
    double ratio;  // tangential over normal force, its mean
    double press;  // N, its mean
    double depth;  // m, the most of the layer
    double least;  // N, of the normal force on the whole part
    double ripple; // N, of the normal force at one period in 2 mm
    int jerks;     // drops of the ratio
} part;

static char path[256];
static pal_trace_data trace;
static part parts[PARTS];

// The scene is run once.
void setUp(void) {
    if (trace.count > 0) {
        return;
    }
    pal_err err = {0};
    check_use_cache();
    snprintf(path, sizeof path, "%s", check_scratch("surfaces.h5"));
    program_run("run surfaces --virtual --trace '%s'", path);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    CHECK_OK(pal_trace_read(path, &trace, &err), err);
}
void tearDown(void) {
}

// The slide of part k: in contact, from 5.5 to 14 mm of its 20.
static bool is_slide(const pal_tick_record *r, int k) {
    const double x = r->position[0] - 0.02 * k;
    return x > 5.5e-3 && x < 14e-3 && r->position[2] < 0.0245 && r->touching > 0 && r->time < 11.0;
}

static double ratio_of(const pal_tick_record *r) {
    return r->force[2] > 0.1 ? -r->force[0] / r->force[2] : 0.0;
}

static void measure(int k) {
    enum { AFTER = 6 }; // ticks that a drop may take
    part *p = &parts[k];
    double cosine = 0.0, sine = 0.0;
    int64_t last_drop = -AFTER;
    *p = (part){0};
    for (int64_t i = AFTER; i < trace.count; i++) {
        const pal_tick_record *r = &trace.record[i];
        if (r->position[0] > 0.02 * k && r->position[0] < 0.02 * (k + 1) && r->time < 11.0) {
            p->least = fmin(p->least, r->force[2]);
        }
        if (!is_slide(r, k)) {
            continue;
        }
        p->ticks++;
        p->ratio += ratio_of(r);
        p->press += r->force[2];
        p->depth = fmax(p->depth, r->depth);
        if (ratio_of(r - AFTER) - ratio_of(r) > 0.15 && is_slide(r - AFTER, k)) {
            p->jerks += i - last_drop > AFTER;
            last_drop = i;
        }
    }
    p->ratio /= p->ticks;
    p->press /= p->ticks;
    for (int64_t i = 0; i < trace.count; i++) {
        const pal_tick_record *r = &trace.record[i];
        if (is_slide(r, k)) {
            cosine += (r->force[2] - p->press) * cos(2.0 * M_PI * r->tool[0] / 2e-3);
            sine += (r->force[2] - p->press) * sin(2.0 * M_PI * r->tool[0] / 2e-3);
        }
    }
    p->ripple = 2.0 * hypot(cosine, sine) / p->ticks;
}

static void test_each_part_is_felt_as_it_was_set(void) {
    for (int k = 0; k < PARTS; k++) {
        measure(k);
        TEST_ASSERT_TRUE(parts[k].ticks > 300 && parts[k].press > 0.25);
    }
    TEST_ASSERT_TRUE(parts[SMOOTH].ratio < 0.1);
    TEST_ASSERT_DOUBLE_WITHIN(0.03, 0.6, parts[ROUGH].ratio);
    TEST_ASSERT_TRUE(parts[STICKY].ratio > 0.2 && parts[STICKY].least < -0.03);
    TEST_ASSERT_TRUE(parts[SMOOTH].least > -0.02 && parts[ROUGH].least > -0.02);
    TEST_ASSERT_TRUE(parts[JERKY].jerks >= 8);
    TEST_ASSERT_TRUE(parts[JERKY].ratio > 0.35 && parts[JERKY].ratio < 0.65);
    TEST_ASSERT_TRUE(parts[RIBBED].ripple > 0.01);
    TEST_ASSERT_TRUE(parts[RIBBED].ripple > 2.0 * parts[SMOOTH].ripple);
    TEST_ASSERT_TRUE(parts[VELVET].depth > 5.0 * parts[SMOOTH].depth);
    TEST_ASSERT_TRUE(parts[VELVET].press < 0.9 * parts[SMOOTH].press);
    for (int k = 0; k < PARTS; k++) {
        TEST_ASSERT_TRUE(k == JERKY || parts[k].jerks == 0);
    }
}

static void test_the_strip_is_pulled_and_let_go(void) {
    double pull = 0.0;
    int64_t last = -1;
    for (int64_t i = 0; i < trace.count; i++) {
        if (trace.record[i].buttons & 1) {
            pull = fmax(pull, -trace.record[i].force[2]);
            last = i;
        }
    }
    TEST_ASSERT_TRUE(last > 0 && last + 20 < trace.count);
    TEST_ASSERT_TRUE(pull > 0.8);
    for (int64_t i = last + 10; i < trace.count; i++) {
        TEST_ASSERT_TRUE(pal_norm3(trace.record[i].force) == 0.0);
    }
}

static void test_the_run_replays_and_makes_no_energy(void) {
    program_run("replay '%s' --check --json", path);
    cJSON *root = program_json();
    TEST_ASSERT_TRUE(program_number(root, "different_forces") == 0);
    TEST_ASSERT_TRUE(program_number(root, "energy_generated_j") <= 1e-4);
    cJSON_Delete(root);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_each_part_is_felt_as_it_was_set);
    RUN_TEST(test_the_strip_is_pulled_and_let_go);
    RUN_TEST(test_the_run_replays_and_makes_no_energy);
    pal_trace_data_free(&trace);
    return UNITY_END();
}
