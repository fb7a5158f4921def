#include "sim/contact/shell_cell.h"

#include <math.h>
#include <string.h>

#include "sim/base/vec3.h"

enum { ROOM = PAL_SHELL_CORNERS, RINGS = 3 };

// All of the surface is within a spacing of a point that looks the same way, or little more.
static const double widest = 1.1;

typedef struct cutting {
    const pal_shell_point *point;
    int32_t self;
    int count;
    double corner[ROOM][2];
} cutting;

// Leaves of the polygon what has n . u <= most. A cut that would give too many corners is left out:
// then two cells overlap a little.
static void cut(cutting *c, const double n[2], double most) {
    double kept[ROOM + 1][2];
    int count = 0;
    for (int i = 0; i < c->count; i++) {
        const double *a = c->corner[i], *b = c->corner[(i + 1) % c->count];
        const double over_a = n[0] * a[0] + n[1] * a[1] - most;
        const double over_b = n[0] * b[0] + n[1] * b[1] - most;
        if (over_a <= 0.0 && count <= ROOM) {
            memcpy(kept[count++], a, sizeof kept[0]);
        }
        if ((over_a < 0.0 && over_b > 0.0) || (over_a > 0.0 && over_b < 0.0)) {
            const double t = over_a / (over_a - over_b);
            for (int k = 0; k < 2 && count <= ROOM; k++) {
                kept[count][k] = a[k] + t * (b[k] - a[k]);
            }
            count += count <= ROOM;
        }
    }
    if (count >= 3 && count <= ROOM) {
        c->count = count;
        memcpy(c->corner, kept, (size_t)count * sizeof kept[0]);
    }
}

static bool cut_by(void *context, int32_t other) {
    cutting *c = context;
    const pal_shell_point *self = &c->point[c->self], *by = &c->point[other];
    if (other != c->self && pal_dot3(self->axis[2], by->axis[2]) > PAL_SHELL_ALIKE) {
        double apart[3];
        pal_sub3(by->x, self->x, apart);
        const double n[2] = {pal_dot3(apart, self->axis[0]), pal_dot3(apart, self->axis[1])};
        cut(c, n, 0.5 * pal_dot3(apart, apart));
    }
    return true;
}

float pal_shell_cell_cut(const pal_shell_point *point, int32_t i, const pal_shell_grid *grid,
                         pal_shell_cell *cell) {
    // an octagon around the circle
    const double half = widest * grid->size, part = 0.41421356237309503 * half;
    cutting c = {.point = point,
                 .self = i,
                 .count = 8,
                 .corner = {{half, -part},
                            {half, part},
                            {part, half},
                            {-part, half},
                            {-half, part},
                            {-half, -part},
                            {-part, -half},
                            {part, -half}}};
    pal_shell_grid_visit(grid, point[i].x, RINGS, cut_by, &c);
    cell->corner_count = c.count;
    double reach = 0.0;
    for (int k = 0; k < c.count; k++) {
        for (int m = 0; m < 2; m++) {
            cell->corner[k][m] = (float)c.corner[k][m];
        }
        reach = fmax(reach, hypot(c.corner[k][0], c.corner[k][1]));
    }
    return (float)(reach * (1.0 + 1e-6));
}
