// Faults of a simulated device, and the way of its readings to the reader, where most of them
// happen: readings get lost (dropout), come late and overtake each other (jitter), or cease
// (unplug, silence). A reading that was overtaken is thrown away.
#ifndef PAL_DEVICES_FAULTS_H
#define PAL_DEVICES_FAULTS_H

#include "devices/dev_sim.h"
#include "sim/base/rng.h"

enum { PAL_LINK_WAITING = 256 }; // readings on the way; the oldest is lost when there are more

typedef struct pal_link {
    int fault_count;
    pal_fault *fault; // [fault_count], owned
    pal_rng rng;
    pal_device_state arrived; // what the reader sees
    int first, waiting;       // a ring, oldest first
    struct {
        double left; // s until it arrives
        pal_device_state reading;
    } ring[PAL_LINK_WAITING];
} pal_link;

// Copies the faults; the device is present, and no reading has come yet. Fails on a fault that
// makes no sense.
pal_status pal_link_open(pal_link *link, const pal_sim_options *options, pal_err *err);
void pal_link_close(pal_link *link);

// Is one of this kind at work? axis -1: of any. RT safe.
bool pal_link_has(const pal_link *link, pal_fault_kind kind, int axis, double time);

// A reading sets out at `time`, dt seconds after the one before; what has come by now is in
// `arrived`, numbered by the link. RT safe.
void pal_link_carry(pal_link *link, double time, double dt, const pal_device_state *reading);

#endif
