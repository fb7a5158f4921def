// Elements by where they are.
#include <math.h>
#include <string.h>

#include "scenes/domain_edit.h"
#include "sim/base/vec3.h"

void pal_domain_middle(const pal_volmesh *mesh, int32_t e, double x[3]) {
    const int nodes = (int)mesh->kind;
    memset(x, 0, 3 * sizeof *x);
    for (int k = 0; k < nodes; k++) {
        for (int c = 0; c < 3; c++) {
            x[c] += mesh->x[3 * (int64_t)pal_volmesh_element(mesh, e)[k] + c] / nodes;
        }
    }
}

int32_t pal_domain_select_box(const pal_volmesh *mesh, const double low[3], const double high[3],
                              uint8_t *selected) {
    int32_t count = 0;
    for (int32_t e = 0; e < mesh->element_count; e++) {
        double x[3];
        bool in = true;
        pal_domain_middle(mesh, e, x);
        for (int c = 0; c < 3; c++) {
            in = in && x[c] >= fmin(low[c], high[c]) && x[c] <= fmax(low[c], high[c]);
        }
        selected[e] = in;
        count += in;
    }
    return count;
}

int32_t pal_domain_select_ball(const pal_volmesh *mesh, const double centre[3], double radius,
                               uint8_t *selected) {
    int32_t count = 0;
    for (int32_t e = 0; e < mesh->element_count; e++) {
        double x[3], away[3];
        pal_domain_middle(mesh, e, x);
        pal_sub3(x, centre, away);
        selected[e] = pal_norm3(away) <= radius;
        count += selected[e];
    }
    return count;
}
