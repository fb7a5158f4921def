// A device for people without one: a mouse or a gamepad says where the stylus should be, and the
// simulated hand and device of dev_sim.h go there, closed loop: with the profile's limits, masses,
// friction and encoder, pushed back by the force, which is thus seen and not felt. What is wished
// comes through a mailbox from another thread and is made smooth (follower.h).
//
//     window thread: pal_mailbox_post --> mailbox --> follower --> u(t) --> hand and device
//
// From a motion of the mouse to one of the stylus' goal: half a frame of the window on average, 16
// ms of the follower, and the hand's own dynamics (some 30 ms in a firm grip).
#ifndef PAL_DEVICES_DEV_POINTER_H
#define PAL_DEVICES_DEV_POINTER_H

#include "devices/dev_sim.h"

// The simulated device without intents, guided through the mailbox, which is begun anew with the
// options' start and must outlive the device. In virtual time what is posted between two ticks acts
// from the second one on, the same in every run. Errors as of pal_device_open_sim(); intents are an
// error.
pal_status pal_device_open_pointer(pal_device *device, const pal_sim_options *options,
                                   pal_mailbox *box, pal_err *err);

// The same with intents, which lead until the first wish is posted and never again after it.
pal_status pal_device_open_sim_or_pointer(pal_device *device, const pal_sim_options *options,
                                          pal_mailbox *box, pal_err *err);

#endif
