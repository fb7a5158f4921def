// The simulated hand and device, keeping the time as a device with a scheduler of its own does
// (HDAPI): a thread calls the tick, by a clock that is not quite ours and not quite even. Between
// two calls the hand moves for as long as that clock says; a tick's advance() moves nothing.
#ifndef PAL_DEVICES_DEV_SIM_DRIVEN_H
#define PAL_DEVICES_DEV_SIM_DRIVEN_H

#include "devices/dev_sim.h"

typedef struct pal_drive_options {
    double period; // s, between calls, as the device's clock has it
    double error;  // of that clock: a period takes (1 + error) times as long by ours
    double jitter; // s: each call comes late at random by up to this; less than the period
} pal_drive_options;

// 1 ms, slow by 0.2 %, up to 50 us late.
pal_drive_options pal_drive_defaults(void);

// From the first PAL_FAULT_SILENCE of the simulated device on there are no calls. Readings, forces
// and errors as for pal_device_open_sim().
pal_status pal_device_open_sim_driven(pal_device *device, const pal_sim_options *sim,
                                      const pal_drive_options *options, pal_err *err);

#endif
