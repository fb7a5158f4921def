#include "devices/dev_pointer.h"

#include <string.h>

pal_status pal_device_open_pointer(pal_device *device, const pal_sim_options *options,
                                   pal_mailbox *box, pal_err *err) {
    *device = (pal_device){.limits = options->limits};
    if (options->intent_count != 0) {
        return pal_fail(err, PAL_ERR_USAGE, "a device that follows a pointer has no script");
    }
    pal_wish first = {.pose = PAL_POSE_IDENTITY};
    memcpy(first.pose.x, options->start, sizeof first.pose.x);
    pal_turn_of_vector(options->start_turn, first.pose.turn);
    pal_mailbox_init(box, &first);
    const pal_guide guide = {.box = box, .follower = pal_follower_defaults()};
    pal_sim_options guided = *options;
    guided.guide = &guide;
    return pal_device_open_sim(device, &guided, err);
}
