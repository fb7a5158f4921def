// Quantities as people write them: a number and its unit, "12 kPa", "1060 kg/m3", "0.1 1/s".
//
// A unit is a product of symbols with powers: m g s N Pa J W Hz rad deg, each with an SI prefix
// (p n u m c d k M G), joined by "/", "*", "." or a space, powers as m2, m^2 or kg^0.5. What stands
// after "/" divides up to the next "*", "." or space.
#ifndef PAL_SCENES_UNITS_H
#define PAL_SCENES_UNITS_H

#include "sim/base/status.h"

#define PAL_DIMENSION_LIST(X)                                                                      \
    X(PAL_ANGLE, "rotation angle", "30 deg", 0, 0, 0)                                              \
    X(PAL_WEIGHT, "mass", "20 g", 2, 0, 0)                                                         \
    X(PAL_INERTIA, "moment of inertia", "4 g cm2", 2, 4, 0)                                        \
    X(PAL_TURN_STIFFNESS, "turn stiffness", "0.5 N m/rad", 2, 4, -4)                               \
    X(PAL_LENGTH, "length", "0.2 m", 0, 2, 0)                                                      \
    X(PAL_TIME, "time", "2 ms", 0, 0, 2)                                                           \
    X(PAL_RATE, "rate", "0.1 1/s", 0, 0, -2)                                                       \
    X(PAL_FORCE, "force", "0.5 N", 2, 2, -4)                                                       \
    X(PAL_PRESSURE, "pressure", "12 kPa", 2, -2, -4)                                               \
    X(PAL_DENSITY, "density", "1060 kg/m3", 2, -6, 0)                                              \
    X(PAL_SPEED, "speed", "0.1 m/s", 0, 2, -2)                                                     \
    X(PAL_STIFFNESS, "stiffness", "500 N/m", 2, 0, -4)                                             \
    X(PAL_DAMPING, "damping", "2 N s/m", 2, 0, -2)                                                 \
    X(PAL_LAYER_STIFFNESS, "stiffness of a layer", "1 kPa/mm", 2, -4, -4)                          \
    X(PAL_LAYER_DAMPING, "damping of a layer", "0.5 kPa s/m", 2, -4, -2)                           \
    X(PAL_ACCELERATION, "acceleration", "9.81 m/s2", 0, 2, -4)                                     \
    X(PAL_MASS_METRIC, "distance in the mass metric", "0.001 kg^0.5 m", 1, 2, 0)

typedef enum pal_dimension { // the list's numbers: twice the powers of kg, m and s
#define PAL_DIMENSION_ENUM(name, text, example, kg, m, s) name,
    PAL_DIMENSION_LIST(PAL_DIMENSION_ENUM)
#undef PAL_DIMENSION_ENUM
} pal_dimension;

// *value in SI units. Errors: not a finite number, no unit, an unknown unit, one of another
// dimension; each says what to write. Any thread.
pal_status pal_quantity_parse(const char *text, pal_dimension dimension, double *value,
                              pal_err *err);

#endif
