// The servo thread touches nothing that can make it wait: 10,000 ticks in contact with memory,
// locks, files and system calls interposed, and none of them called.
#define _GNU_SOURCE // RTLD_NEXT
#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "devices/dev_pointer.h"
#include "tests/support/check.h"
#include "tests/support/live_beam.h"
#include "tests/support/sanitized.h"

void setUp(void) {
}
void tearDown(void) {
}

static _Thread_local int guarded; // between guard_on and guard_off on this thread
static int calls;                 // of the interposed functions meanwhile
static const char *first_call = "";

// The sanitizers interpose the same functions.
#ifndef SANITIZED
static void note(const char *name) {
    if (guarded) {
        first_call = calls++ == 0 ? name : first_call;
    }
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

void *malloc(size_t size) {
    note("malloc");
    return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
    note("calloc");
    return __libc_calloc(count, size);
}
void *realloc(void *memory, size_t size) {
    note("realloc");
    return __libc_realloc(memory, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
    note("aligned_alloc");
    return __libc_memalign(alignment, size);
}
void free(void *memory) {
    note("free");
    __libc_free(memory);
}

// A function that is called by its next definition: NAME(type, parameters, arguments).
#define PASS_ON(type, name, parameters, arguments)                                                 \
    type name parameters {                                                                         \
        note(#name);                                                                               \
        type(*next) parameters;                                                                    \
        *(void **)&next = dlsym(RTLD_NEXT, #name);                                                 \
        return next arguments;                                                                     \
    }
PASS_ON(int, pthread_mutex_lock, (pthread_mutex_t * m), (m))
PASS_ON(int, pthread_mutex_trylock, (pthread_mutex_t * m), (m))
PASS_ON(int, pthread_cond_wait, (pthread_cond_t * c, pthread_mutex_t *m), (c, m))
PASS_ON(int, pthread_cond_signal, (pthread_cond_t * c), (c))
PASS_ON(ssize_t, read, (int fd, void *data, size_t size), (fd, data, size))
PASS_ON(ssize_t, write, (int fd, const void *data, size_t size), (fd, data, size))
PASS_ON(void *, mmap, (void *at, size_t n, int p, int f, int fd, off_t o), (at, n, p, f, fd, o))
PASS_ON(int, munmap, (void *at, size_t size), (at, size))
PASS_ON(int, madvise, (void *at, size_t size, int advice), (at, size, advice))
PASS_ON(int, mprotect, (void *at, size_t size, int how), (at, size, how))
PASS_ON(void *, sbrk, (intptr_t more), (more))
PASS_ON(int, nanosleep, (const struct timespec *a, struct timespec *b), (a, b))
PASS_ON(int, usleep, (useconds_t us), (us))
PASS_ON(int, fflush, (FILE * file), (file))
PASS_ON(size_t, fwrite, (const void *d, size_t s, size_t n, FILE *f), (d, s, n, f))
PASS_ON(FILE *, fopen, (const char *path, const char *mode), (path, mode))
PASS_ON(int, fputs, (const char *text, FILE *file), (text, file))

int open(const char *path, int flags, ...) {
    note("open");
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
    va_end(args);
    int (*next)(const char *, int, ...);
    *(void **)&next = dlsym(RTLD_NEXT, "open");
    return next(path, flags, mode);
}
#endif

static void test_the_guard_sees_what_is_called(void) {
#ifdef SANITIZED
    TEST_IGNORE_MESSAGE("the sanitizer has taken these functions");
#endif
    calls = 0;
    guarded = 1;
    void *volatile memory = malloc(10);
    free(memory);
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    ssize_t written = write(STDOUT_FILENO, "", 0);
    guarded = 0;
    pthread_mutex_unlock(&mutex);
    TEST_ASSERT_EQUAL_INT(0, (int)written);
    TEST_ASSERT_EQUAL_INT(4, calls);
    TEST_ASSERT_EQUAL_STRING("malloc", first_call);
}

// Round and round on the block, in contact all the time; once its material changes.
static void go_round(pal_contact_form form) {
    enum { BEFORE = 500, TICKS = 10000 };
    static const pal_intent script[] = {
        {.kind = PAL_INTENT_PRESS, .seconds = 0.4, .to = {0.03, 0.03, LIVE_BLOCK_TOP - 0.005}},
        {.kind = PAL_INTENT_CIRCLE,
         .seconds = 20.0,
         .to = {0.03, 0.035, LIVE_BLOCK_TOP - 0.005},
         .axis = {0.0, 0.0, 1.0},
         .turns = 10.0},
    };
    live_block block;
    pal_sim_options sim;
    pal_tick_record record;
    live_block_sim(&sim, script, 2);
    live_block_open(&block, &sim, NULL);
    const pal_material_edit edit = {2.0, "body", {3e4, 0.4, 1100.0}, NAN};
    pal_edit_plan plan;
    pal_err err = {0};
    CHECK_OK(pal_edit_plan_open(&plan, live_block_model(), &edit, 1, 1e-3, PAL_DOUBLE, &err), err);
    block.servo->options.plan = &plan;
    block.servo->own.world.form = form;
    for (int k = 0; k < BEFORE; k++) {
        live_block_tick(&block);
    }
    calls = 0;
    int touching = 0, edited = 0;
    for (int k = 0; k < TICKS; k++) {
        guarded = 1;
        pal_servo_tick(block.servo, 0, 0.0);
        guarded = 0;
        touching += pal_ring_get(&block.servo->log, &record) && record.touching;
        edited += record.commands >> PAL_COMMAND_MATERIAL & 1;
    }
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, calls, first_call);
    TEST_ASSERT_TRUE(touching > TICKS - 100);
    TEST_ASSERT_EQUAL_INT(1, edited);
    live_block_close(&block);
    pal_edit_plan_close(&plan);
}

// A stylus that follows a mouse, on a body whose time is stopped, stepped and slowed, and whose
// material and damping change.
static void lead_by_mouse(void) {
    enum { TICKS = 5000 };
    live_block block = {0};
    pal_sim_options sim;
    pal_servo_options options;
    pal_err err = {0};
    pal_tick_record record;
    pal_mailbox box;
    const pal_model *model = live_block_model();
    const size_t bytes = pal_newmark_coefficient_bytes(model->r, PAL_DOUBLE);
    void *memory = aligned_alloc(64, bytes);
    live_block_sim(&sim, NULL, 0);
    CHECK_OK(pal_device_open_pointer(&block.device, &sim, &box, &err), err);
    pal_servo_defaults(&options, &block.device.limits);
    const pal_live_options how = {.dt = 1e-3, .feature = 5e-3};
    CHECK_OK(pal_live_body_open(&block.body, model, &how, &err), err);
    CHECK_OK(pal_servo_open(&block.servo, &options, &block.device, &block.body, &err), err);
    pal_servo_command edit = {.kind = PAL_COMMAND_MATERIAL,
                              .coefficients =
                                  pal_newmark_prepare(memory, &model->quartic, NULL, PAL_DOUBLE),
                              .local_scale = 1.0,
                              .damps = true,
                              .alpha = 1.0,
                              .beta = 1e-3};
    calls = 0;
    int touching = 0;
    uint32_t taken = 0;
    for (int k = 0; k < TICKS; k++) {
        if (k % 17 == 0) {
            pal_wish wish = {.pose = PAL_POSE_IDENTITY, .buttons = k % 1000 > 600};
            memcpy(wish.pose.x, sim.start, sizeof wish.pose.x);
            wish.pose.x[2] -= k % 1000 < 800 ? 0.02 : 0.0;
            pal_mailbox_post(&box, &wish);
        }
        if (k % 250 == 249) {
            const int kind = k / 250 % (PAL_COMMAND_KINDS - 1) + 1;
            pal_servo_command command = {.kind =
                                             kind == PAL_COMMAND_STOP ? PAL_COMMAND_SLOW : kind};
            TEST_ASSERT_TRUE(pal_command_send(&block.servo->link, &command));
        }
        if (k == 700) {
            TEST_ASSERT_TRUE(pal_command_send(&block.servo->link, &edit));
        }
        guarded = 1;
        pal_servo_tick(block.servo, 0, 0.0);
        guarded = 0;
        touching += pal_ring_get(&block.servo->log, &record) && record.touching;
        taken |= record.commands;
    }
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, calls, first_call);
    TEST_ASSERT_TRUE(touching > 100);
    TEST_ASSERT_EQUAL_UINT32((1u << PAL_COMMAND_KINDS) - 1 - (1u << PAL_COMMAND_STOP), taken);
    live_block_close(&block);
    free(memory);
}

// A ball that goes along a tree of domains in the wind, over its interfaces.
static void go_along_a_tree(void) {
    enum { BEFORE = 500, TICKS = 10000 };
    static const pal_wind wind = {
        .direction = {0.0, 1.0, 0.0}, .speed = 5.0, .gust = 3.0, .period = 1.0};
    live_beam beam;
    pal_tick_record record;
    live_beam_open(&beam, live_beam_slide, 3, &wind);
    for (int k = 0; k < BEFORE; k++) {
        live_block_tick(&beam.live);
    }
    calls = 0;
    int touching = 0;
    for (int k = 0; k < TICKS; k++) {
        if (k == TICKS / 2) {
            pal_servo_order(beam.live.servo, PAL_COMMAND_SLOW + 1);
        }
        guarded = 1;
        pal_servo_tick(beam.live.servo, 0, 0.0);
        guarded = 0;
        touching += pal_ring_get(&beam.live.servo->log, &record) && record.touching;
    }
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, calls, first_call);
    TEST_ASSERT_TRUE(touching > TICKS / 2);
    pal_servo_order(beam.live.servo, PAL_COMMAND_RESET);
    guarded = 1;
    pal_servo_tick(beam.live.servo, 0, 0.0);
    guarded = 0;
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, calls, first_call);
    live_beam_close(&beam);
}

static void test_ten_thousand_ticks_on_a_tree_call_nothing(void) {
#ifdef SANITIZED
    TEST_IGNORE_MESSAGE("the sanitizer has taken these functions");
#endif
    go_along_a_tree();
}

static void test_a_mouse_and_all_commands_call_nothing(void) {
#ifdef SANITIZED
    TEST_IGNORE_MESSAGE("the sanitizer has taken these functions");
#endif
    lead_by_mouse();
}

static void test_ten_thousand_ticks_in_contact_call_nothing(void) {
#ifdef SANITIZED
    TEST_IGNORE_MESSAGE("the sanitizer has taken these functions");
#endif
    go_round(PAL_CONTACT_COMPLIANCE);
    go_round(PAL_CONTACT_PENALTY);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_the_guard_sees_what_is_called);
    RUN_TEST(test_a_mouse_and_all_commands_call_nothing);
    RUN_TEST(test_ten_thousand_ticks_in_contact_call_nothing);
    RUN_TEST(test_ten_thousand_ticks_on_a_tree_call_nothing);
    return UNITY_END();
}
