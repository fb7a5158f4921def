#include "sim/base/rng.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

// Numbers that the authors' own programs give.
static void test_splitmix_gives_the_published_numbers(void) {
    const uint64_t expected[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                 4593380528125082431u, 16408922859458223821u};
    uint64_t x = 1234567;
    for (int i = 0; i < 5; i++) {
        TEST_ASSERT_TRUE(pal_rng_splitmix(&x) == expected[i]);
    }
}

static void test_xoshiro_gives_the_published_numbers(void) {
    const uint64_t expected[] = {11520, 0, 1509978240, 1215971899390074240u, 1216172134540287360u};
    pal_rng rng = {{1, 2, 3, 4}};
    for (int i = 0; i < 5; i++) {
        TEST_ASSERT_TRUE(pal_rng_next(&rng) == expected[i]);
    }
}

static void test_seed_and_stream_decide(void) {
    pal_rng a = pal_rng_make(7, 1), same = pal_rng_make(7, 1);
    pal_rng seed = pal_rng_make(8, 1), stream = pal_rng_make(7, 2);
    for (int i = 0; i < 100; i++) {
        uint64_t x = pal_rng_next(&a);
        TEST_ASSERT_TRUE(x == pal_rng_next(&same));
        TEST_ASSERT_TRUE(x != pal_rng_next(&seed));
        TEST_ASSERT_TRUE(x != pal_rng_next(&stream));
    }
}

static void test_uniform_numbers_stay_inside_and_spread(void) {
    pal_rng rng = pal_rng_make(1, 0);
    int count = 100000, bin[10] = {0};
    for (int i = 0; i < count; i++) {
        double x = pal_rng_uniform(&rng, -2.0, 3.0);
        TEST_ASSERT_TRUE(x >= -2.0 && x < 3.0);
        bin[(int)((x + 2.0) * 2.0)]++;
    }
    for (int i = 0; i < 10; i++) {
        TEST_ASSERT_INT_WITHIN(400, count / 10, bin[i]); // four deviations
    }
}

static void test_normal_numbers_have_the_moments(void) {
    pal_rng rng = pal_rng_make(1, 0);
    int count = 200000;
    double sum[5] = {0};
    for (int i = 0; i < count; i++) {
        double x = pal_rng_normal(&rng);
        for (int k = 1; k < 5; k++) {
            sum[k] += pow(x, k) / count;
        }
    }
    TEST_ASSERT_DOUBLE_WITHIN(0.01, 0.0, sum[1]);
    TEST_ASSERT_DOUBLE_WITHIN(0.01, 1.0, sum[2]);
    TEST_ASSERT_DOUBLE_WITHIN(0.04, 0.0, sum[3]);
    TEST_ASSERT_DOUBLE_WITHIN(0.1, 3.0, sum[4]);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_splitmix_gives_the_published_numbers);
    RUN_TEST(test_xoshiro_gives_the_published_numbers);
    RUN_TEST(test_seed_and_stream_decide);
    RUN_TEST(test_uniform_numbers_stay_inside_and_spread);
    RUN_TEST(test_normal_numbers_have_the_moments);
    return UNITY_END();
}
