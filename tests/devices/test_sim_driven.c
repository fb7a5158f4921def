// The simulated device that keeps the time: it calls until it is told not to, moves by its own
// clock, and is the same device otherwise.
#include "devices/dev_sim_driven.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "sim/base/clock.h"
#include "sim/base/memory.h"
#include "tests/support/check.h"
#include "tests/support/sim_device.h"

void setUp(void) {
}
void tearDown(void) {
}

typedef struct caller {
    pal_device *device;
    int limit; // calls; the last one says no
    atomic_int calls;
    pthread_t thread; // of the first call
    bool same;        // and of all others
    double first, last;
    pal_device_state state; // at the last call
} caller;

static bool count_call(void *context) {
    caller *c = context;
    int calls = atomic_load(&c->calls) + 1;
    c->last = pal_seconds();
    if (calls == 1) {
        c->first = c->last;
        c->thread = pthread_self();
        c->same = true;
    }
    c->same = c->same && pthread_equal(c->thread, pthread_self()) != 0;
    c->device->functions->read(c->device, &c->state);
    c->device->functions->advance(c->device, 1.0); // the tick's: of no effect
    atomic_store(&c->calls, calls);
    return calls < c->limit;
}

// A device that glides at 0.1 m/s along x.
static void open_gliding(pal_device *device, pal_drive_options drive) {
    pal_sim_options sim = sim_alone();
    pal_err err = {0};
    sim.start_velocity[0] = 0.1;
    CHECK_OK(pal_device_open_sim_driven(device, &sim, &drive, &err), err);
    TEST_ASSERT_TRUE(pal_device_drives(device));
}

static void wait_for_calls(caller *c, int calls) {
    for (int k = 0; k < 2000 && atomic_load(&c->calls) < calls; k++) {
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    TEST_ASSERT_TRUE(atomic_load(&c->calls) >= calls);
}

static void test_it_calls_until_a_call_says_no(void) {
    pal_device device;
    pal_err err = {0};
    open_gliding(&device, (pal_drive_options){.period = 1e-3, .error = 0.1});
    caller c = {.device = &device, .limit = 100};
    CHECK_OK(device.functions->drive(&device, count_call, &c, &err), err);
    wait_for_calls(&c, 100);
    device.functions->undrive(&device);
    TEST_ASSERT_EQUAL_INT(100, atomic_load(&c.calls));
    TEST_ASSERT_TRUE(c.last - c.first > 0.99 * 99 * 1.1e-3);
    TEST_ASSERT_TRUE(c.same && !pthread_equal(c.thread, pthread_self()));
    // One reading at the start and one before each call; 1.1 ms of motion before each
    TEST_ASSERT_EQUAL_UINT64(101, c.state.sequence);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.1 * 100 * 1.1e-3, c.state.position[0]);
    pal_device_close(&device);
}

static void test_undrive_and_close_end_the_calling(void) {
    for (int closing = 0; closing < 2; closing++) {
        pal_device device;
        pal_err err = {0};
        open_gliding(&device, pal_drive_defaults());
        for (int round = 0; round < 2; round++) { // it can be driven again
            caller c = {.device = &device, .limit = 1000000};
            CHECK_OK(device.functions->drive(&device, count_call, &c, &err), err);
            wait_for_calls(&c, 5);
            if (closing) {
                pal_device_close(&device);
                open_gliding(&device, pal_drive_defaults());
            } else {
                device.functions->undrive(&device);
                device.functions->undrive(&device); // of no effect
            }
            int calls = atomic_load(&c.calls);
            nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
            TEST_ASSERT_EQUAL_INT(calls, atomic_load(&c.calls));
        }
        pal_device_close(&device);
    }
}

static void test_jitter_shakes_the_steps_and_not_their_sum(void) {
    pal_device device;
    pal_err err = {0};
    open_gliding(&device, (pal_drive_options){.period = 1e-3, .jitter = 0.4e-3});
    caller c = {.device = &device, .limit = 200};
    CHECK_OK(device.functions->drive(&device, count_call, &c, &err), err);
    wait_for_calls(&c, 200);
    device.functions->undrive(&device);
    double off = c.state.position[0] / 0.1 - 200e-3; // the lateness of the last call
    TEST_ASSERT_TRUE(off > 1e-7 && off < 0.4e-3);
    pal_device_close(&device);
}

static void test_clocks_without_sense_are_refused(void) {
    static const pal_drive_options bad[] = {{.period = 0.0},
                                            {.period = 1e-3, .jitter = 1e-3},
                                            {.period = 1e-3, .jitter = -1e-6},
                                            {.period = 1e-3, .error = -1.0},
                                            {.period = NAN}};
    pal_sim_options sim = sim_alone();
    pal_device device;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pal_err err = {0};
        CHECK_FAILS(PAL_ERR_USAGE, "shorter than the period",
                    pal_device_open_sim_driven(&device, &sim, &bad[i], &err), err);
    }
    pal_drive_options good = pal_drive_defaults();
    pal_err err = {0};
    sim.limits.mass = 0.0;
    CHECK_FAILS(PAL_ERR_USAGE, "mass", pal_device_open_sim_driven(&device, &sim, &good, &err), err);
}

static void test_opening_survives_every_failing_allocation(void) {
    pal_sim_options sim = sim_alone();
    pal_drive_options drive = pal_drive_defaults();
    for (long n = 0;; n++) {
        pal_device device;
        pal_err err = {0};
        pal_memory_fail_after(n);
        pal_status status = pal_device_open_sim_driven(&device, &sim, &drive, &err);
        pal_memory_fail_after(-1);
        if (status == PAL_OK) {
            pal_device_close(&device);
            TEST_ASSERT_TRUE(n > 1);
            break;
        }
        TEST_ASSERT_EQUAL_INT(PAL_ERR_MEMORY, status);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_it_calls_until_a_call_says_no);
    RUN_TEST(test_undrive_and_close_end_the_calling);
    RUN_TEST(test_jitter_shakes_the_steps_and_not_their_sum);
    RUN_TEST(test_clocks_without_sense_are_refused);
    RUN_TEST(test_opening_survives_every_failing_allocation);
    return UNITY_END();
}
