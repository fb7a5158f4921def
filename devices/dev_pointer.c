#include "devices/dev_pointer.h"

#include <string.h>

static pal_status open(pal_device *device, const pal_sim_options *options, pal_mailbox *box,
                       bool waits, pal_err *err) {
    pal_wish first = {.pose = PAL_POSE_IDENTITY};
    memcpy(first.pose.x, options->start, sizeof first.pose.x);
    pal_turn_of_vector(options->start_turn, first.pose.turn);
    pal_mailbox_init(box, &first);
    const pal_guide guide = {.box = box, .waits = waits, .follower = pal_follower_defaults()};
    pal_sim_options guided = *options;
    guided.guide = &guide;
    return pal_device_open_sim(device, &guided, err);
}

pal_status pal_device_open_pointer(pal_device *device, const pal_sim_options *options,
                                   pal_mailbox *box, pal_err *err) {
    *device = (pal_device){.limits = options->limits};
    return options->intent_count == 0
               ? open(device, options, box, false, err)
               : pal_fail(err, PAL_ERR_USAGE, "a device that follows a pointer has no script");
}

pal_status pal_device_open_sim_or_pointer(pal_device *device, const pal_sim_options *options,
                                          pal_mailbox *box, pal_err *err) {
    return open(device, options, box, true, err);
}
