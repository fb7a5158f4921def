// Where in its cell a point of a shell touches the tool. Private to shell.c. RT safe.
#ifndef PAL_CONTACT_SHELL_MOVE_H
#define PAL_CONTACT_SHELL_MOVE_H

#include <stdbool.h>

#include "sim/contact/lanes.h"
#include "sim/contact/places.h"
#include "sim/contact/shell.h"

typedef struct pal_shell_tool { // a tool at its pose, against a body
    const pal_shell *shell;
    const pal_shape *shape;
    bool flat;                 // of the query
    const uint8_t *spreads;    // of the query
    bool stretches;            // likewise
    const pal_touch_set *last; // of the query
    double length;             // of q
    pal_lanes at;              // q
    double uneven;             // m, how much one place may be dented more than another
    double x[3], turn[3][3];   // from the tool's frame to the world
    pal_places places;
} pal_shell_tool;

void pal_shell_tool_init(pal_shell_tool *tool, const pal_shell *shell, const pal_body *body,
                         const pal_shell_query *query);

// A place in the tool's frame, and the distance with its gradient in world axes.
static inline void pal_shell_tool_frame(const pal_shell_tool *tool, const double x[3],
                                        double local[3]) {
    const double a = x[0] - tool->x[0], b = x[1] - tool->x[1], c = x[2] - tool->x[2];
    for (int k = 0; k < 3; k++) {
        local[k] = tool->turn[0][k] * a + tool->turn[1][k] * b + tool->turn[2][k] * c;
    }
}
double pal_shell_tool_distance(const pal_shell_tool *tool, const double x[3], double gradient[3]);

// The distance of a point of the shell, dents included.
double pal_shell_point_distance(pal_shell_tool *tool, int32_t point);

typedef struct pal_shell_moved { // what became of a point
    bool touches; // somewhere in its cell its gap is within the margin, and it faces the tool
    bool near;    // its own place is within the margin and the reach of its cell
    double gap;   // m, in its cell at least; -infinity: not known
} pal_shell_moved;

// Fills the touch of a point in a level, if it touches.
void pal_shell_move(pal_shell_tool *tool, int32_t level, int32_t point, double margin,
                    pal_touch *touch, pal_shell_moved *how);

// The same from another place in or about the cell, where the tool was before; false when that
// looks away from the tool.
bool pal_shell_move_from(pal_shell_tool *tool, int32_t level, int32_t point, const pal_touch *from,
                         pal_touch *touch);

#endif
