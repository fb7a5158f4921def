#include "haptics/window.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { KEPT = PAL_WINDOW + 1 };

void pal_window_init(pal_window *window, double step) {
    *window = (pal_window){.step = step * (1.0 + 1e-6)}; // a step is a step, rounded or not
}

void pal_window_add(pal_window *window, const double position[3]) {
    window->newest = (window->newest + 1) % KEPT;
    window->count += window->count < KEPT;
    memcpy(window->position[window->newest], position, sizeof window->position[0]);
}

static double reading(const pal_window *window, int age, int axis) {
    return window->position[(window->newest - age + KEPT) % KEPT][axis];
}

// Does the line with this slope (m a tick) through the newest reading pass those in between?
static bool passes_all(const pal_window *window, int axis, double slope, int length) {
    for (int age = 1; age < length; age++) {
        double line = reading(window, 0, axis) - slope * age;
        if (!(fabs(line - reading(window, age, axis)) <= window->step)) {
            return false;
        }
    }
    return true;
}

void pal_window_velocity(const pal_window *window, double dt, double velocity[3]) {
    for (int axis = 0; axis < 3; axis++) {
        velocity[axis] = 0.0;
        for (int length = 1; length < window->count; length++) {
            double slope = (reading(window, 0, axis) - reading(window, length, axis)) / length;
            if (!passes_all(window, axis, slope, length)) {
                break;
            }
            velocity[axis] = slope / dt;
        }
    }
}
