#include "haptics/command.h"

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

pal_coefficients *pal_command_take_back(pal_command_link *link) {
    pal_coefficients *coefficients = NULL;
    if (pal_ring_get(&link->back, &coefficients)) {
        link->sender.lent--;
    }
    return coefficients;
}

bool pal_command_next(pal_command_link *link, pal_servo_command *command) {
    return pal_ring_get(&link->there, command);
}

void pal_command_give_back(pal_command_link *link, pal_coefficients *coefficients) {
    pal_ring_put(&link->back, &coefficients);
}
