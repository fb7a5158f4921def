#include "sim/base/parallel.h"
#include "tests/support/check.h"

#include <stdatomic.h>

enum { MOST = 1000 };

typedef struct tally {
    atomic_int visits[MOST];
    int thread[MOST], turn[MOST]; // who came, and as which; each written by one thread only
    atomic_int turns;
    atomic_int wrong_thread;
    int threads;
} tally;

static tally seen;

void setUp(void) {
    memset(&seen, 0, sizeof seen);
}
void tearDown(void) {
    pal_set_thread_count(0);
}

static void visit(void *context, int index, int thread) {
    tally *t = context;
    atomic_fetch_add(&t->visits[index], 1);
    t->thread[index] = thread;
    t->turn[index] = atomic_fetch_add(&t->turns, 1);
    if (thread < 0 || thread >= t->threads) {
        atomic_fetch_add(&t->wrong_thread, 1);
    }
}

static void check_each_once(int count) {
    memset(&seen, 0, sizeof seen);
    seen.threads = pal_thread_count();
    pal_parallel_for(count, visit, &seen);
    for (int i = 0; i < MOST; i++) {
        TEST_ASSERT_EQUAL_INT(i < count, atomic_load(&seen.visits[i]));
    }
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&seen.wrong_thread));
}

static void test_each_index_is_visited_once(void) {
    for (int threads = 1; threads <= 8; threads++) {
        pal_set_thread_count(threads);
        for (int count = 1; count <= MOST; count = 3 * count + 1) {
            check_each_once(count);
        }
    }
}

static void test_nothing_to_do_calls_nothing(void) {
    check_each_once(0);
    pal_parallel_for(-1, visit, &seen);
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&seen.visits[0]));
}

static void test_fewer_items_than_threads_is_fine(void) {
    pal_set_thread_count(16);
    check_each_once(3);
}

static void test_one_thread_works_in_order(void) {
    pal_set_thread_count(1);
    check_each_once(MOST);
    for (int i = 0; i < MOST; i++) {
        TEST_ASSERT_EQUAL_INT(0, seen.thread[i]);
        TEST_ASSERT_EQUAL_INT(i, seen.turn[i]);
    }
}

typedef struct sums {
    double value[64]; // one per thread
} sums;

static void add_square(void *context, int index, int thread) {
    ((sums *)context)->value[thread] += (double)index * index;
}

static void test_sums_per_thread_add_up(void) {
    sums s = {{0.0}};
    pal_set_thread_count(4);
    pal_parallel_for(MOST, add_square, &s);
    double total = 0.0;
    for (int t = 0; t < 64; t++) {
        total += s.value[t];
    }
    TEST_ASSERT_EQUAL_DOUBLE((MOST - 1.0) * MOST * (2.0 * MOST - 1.0) / 6.0, total);
}

static void visit_ten(void *context, int index, int thread) {
    tally own = {.threads = 1};
    (void)thread;
    pal_parallel_for(10, visit, &own);
    for (int k = 0; k < 10; k++) {
        tally *t = context;
        t->visits[10 * index + k] = own.visits[k];
        t->turn[10 * index + k] = own.turn[k];
    }
    atomic_fetch_add(&((tally *)context)->wrong_thread, own.wrong_thread);
}

static void test_a_loop_within_a_loop_is_its_threads_own(void) {
    pal_set_thread_count(4);
    pal_parallel_for(MOST / 10, visit_ten, &seen);
    for (int i = 0; i < MOST; i++) {
        TEST_ASSERT_EQUAL_INT(1, atomic_load(&seen.visits[i]));
        TEST_ASSERT_EQUAL_INT(i % 10, seen.turn[i]);
    }
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&seen.wrong_thread));
    seen.threads = 4;
    check_each_once(MOST); // and the next one is shared again
}

static void test_the_thread_count_is_kept_within_bounds(void) {
    TEST_ASSERT_GREATER_OR_EQUAL(1, pal_thread_count());
    int natural = pal_thread_count();
    pal_set_thread_count(3);
    TEST_ASSERT_EQUAL_INT(3, pal_thread_count());
    pal_set_thread_count(1000000);
    TEST_ASSERT_LESS_OR_EQUAL(1000, pal_thread_count());
    check_each_once(MOST);
    pal_set_thread_count(-5);
    TEST_ASSERT_EQUAL_INT(natural, pal_thread_count());
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_each_index_is_visited_once);
    RUN_TEST(test_nothing_to_do_calls_nothing);
    RUN_TEST(test_fewer_items_than_threads_is_fine);
    RUN_TEST(test_one_thread_works_in_order);
    RUN_TEST(test_sums_per_thread_add_up);
    RUN_TEST(test_a_loop_within_a_loop_is_its_threads_own);
    RUN_TEST(test_the_thread_count_is_kept_within_bounds);
    return UNITY_END();
}
