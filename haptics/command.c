#include "haptics/command.h"

static const double slowness[PAL_SLOW_KINDS] = {1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0};

double pal_command_slowness(int i) {
    return slowness[i < 0 ? 0 : i < PAL_SLOW_KINDS ? i : PAL_SLOW_KINDS - 1];
}

pal_command_kind pal_command_slow(double wanted) {
    int i = 0;
    while (i + 1 < PAL_SLOW_KINDS && wanted * wanted > slowness[i] * slowness[i + 1]) {
        i++;
    }
    return PAL_COMMAND_SLOW + (unsigned)i;
}

void pal_command_init(pal_command_link *link) {
    pal_ring_init(&link->there, link->there_item, sizeof *link->there_item, PAL_COMMANDS);
    pal_ring_init(&link->back, link->back_item, sizeof *link->back_item, PAL_COMMANDS);
    link->sender.lent = 0;
}

bool pal_command_send(pal_command_link *link, const pal_servo_command *command) {
    bool lends = command->kind == PAL_COMMAND_MATERIAL;
    if (lends && link->sender.lent == PAL_COMMANDS) {
        return false;
    }
    bool sent = pal_ring_put(&link->there, command);
    link->sender.lent += lends && sent;
    return sent;
}

bool pal_command_take_back(pal_command_link *link, pal_taken *taken) {
    const bool is = pal_ring_get(&link->back, taken);
    link->sender.lent -= is;
    return is;
}

bool pal_command_next(pal_command_link *link, pal_servo_command *command) {
    return pal_ring_get(&link->there, command);
}

void pal_command_give_back(pal_command_link *link, pal_coefficients *coefficients, uint64_t tick) {
    pal_ring_put(&link->back, &(pal_taken){tick, coefficients});
}
