// The ring between two threads: in order, whole, none lost, and never waiting.
#include <pthread.h>
#include <sched.h>

#include "haptics/ring.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

enum { CAPACITY = 8, WORDS = 9 };

// An item that shows when it is torn: all words follow from the first.
typedef struct item {
    uint64_t word[WORDS];
} item;

static item make_item(uint64_t number) {
    item made;
    for (uint64_t i = 0; i < WORDS; i++) {
        made.word[i] = (number + i) * 0x9e3779b97f4a7c15u;
    }
    return made;
}

static bool is_item(const item *got, uint64_t number) {
    item expected = make_item(number);
    return memcmp(got, &expected, sizeof expected) == 0;
}

static item memory[CAPACITY];
static pal_ring ring;

static void test_items_come_out_as_they_went_in(void) {
    pal_ring_init(&ring, memory, sizeof *memory, CAPACITY);
    item got;
    uint64_t put = 0, taken = 0;
    // All fill levels at all places of the ring
    for (uint64_t round = 0; round < 5 * CAPACITY; round++) {
        uint64_t count = round % (CAPACITY + 1);
        for (uint64_t i = 0; i < count; i++) {
            item made = make_item(put++);
            TEST_ASSERT_TRUE(pal_ring_put(&ring, &made));
        }
        TEST_ASSERT_EQUAL_UINT64(count, pal_ring_fill(&ring));
        for (uint64_t i = 0; i < count; i++) {
            TEST_ASSERT_TRUE(pal_ring_get(&ring, &got));
            TEST_ASSERT_TRUE(is_item(&got, taken++));
        }
        TEST_ASSERT_FALSE(pal_ring_get(&ring, &got));
    }
}

static void test_a_full_ring_refuses_and_keeps_what_it_has(void) {
    pal_ring_init(&ring, memory, sizeof *memory, CAPACITY);
    for (uint64_t i = 0; i < CAPACITY; i++) {
        item made = make_item(i);
        TEST_ASSERT_TRUE(pal_ring_put(&ring, &made));
    }
    item more = make_item(99), got;
    TEST_ASSERT_FALSE(pal_ring_put(&ring, &more));
    TEST_ASSERT_EQUAL_UINT64(CAPACITY, pal_ring_fill(&ring));
    for (uint64_t i = 0; i < CAPACITY; i++) {
        TEST_ASSERT_TRUE(pal_ring_get(&ring, &got));
        TEST_ASSERT_TRUE(is_item(&got, i));
    }
    TEST_ASSERT_TRUE(pal_ring_put(&ring, &more));
}

// ---- Two threads --------------------------------------------------------------------------------

enum { MANY = 50000 };

static void *write_all(void *argument) {
    uint64_t *refused = argument;
    for (uint64_t number = 0; number < MANY; number++) {
        item made = make_item(number);
        while (!pal_ring_put(&ring, &made)) {
            ++*refused;
            sched_yield();
        }
    }
    return NULL;
}

static void test_nothing_is_torn_lost_or_moved_between_threads(void) {
    pal_ring_init(&ring, memory, sizeof *memory, CAPACITY);
    uint64_t refused = 0, wrong = 0, over_full = 0;
    pthread_t thread;
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, NULL, write_all, &refused));
    item got;
    for (uint64_t number = 0; number < MANY;) {
        over_full += pal_ring_fill(&ring) > CAPACITY;
        if (pal_ring_get(&ring, &got)) {
            wrong += !is_item(&got, number++);
        } else {
            sched_yield();
        }
    }
    pthread_join(thread, NULL);
    TEST_ASSERT_EQUAL_UINT64(0, wrong);
    TEST_ASSERT_EQUAL_UINT64(0, over_full);
    TEST_ASSERT_FALSE(pal_ring_get(&ring, &got));
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_items_come_out_as_they_went_in);
    RUN_TEST(test_a_full_ring_refuses_and_keeps_what_it_has);
    RUN_TEST(test_nothing_is_torn_lost_or_moved_between_threads);
    return UNITY_END();
}
