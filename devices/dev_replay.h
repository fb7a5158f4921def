// A device that plays back recorded readings, one a tick; forces go nowhere.
#ifndef PAL_DEVICES_DEV_REPLAY_H
#define PAL_DEVICES_DEV_REPLAY_H

#include "devices/device.h"

// state [count] is copied. The first one is there at once, each advance shows the next; after the
// last one the device is no longer present.
pal_status pal_device_open_replay(pal_device *device, const pal_device_limits *limits,
                                  const pal_device_state *state, int64_t count, pal_err *err);

#endif
