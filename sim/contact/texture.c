#include "sim/contact/texture.h"

#include <math.h>
#include <string.h>

#include "sim/base/vec3.h"

static const double two_pi = 6.283185307179586;

static void rest_of(const pal_body *body, const pal_touch *touch, double at[3], double normal[3]) {
    double corner[3][3], ab[3], ac[3];
    for (int k = 0; k < 3; k++) {
        pal_body_rest(body, pal_body_corner(body, touch->triangle, k), corner[k]);
    }
    const double *a = corner[0], *b = corner[1], *c = corner[2];
    pal_sub3(b, a, ab);
    pal_sub3(c, a, ac);
    pal_cross3(ab, ac, normal);
    const double size = pal_norm3(normal);
    for (int k = 0; k < 3; k++) {
        at[k] = touch->weight[0] * a[k] + touch->weight[1] * b[k] + touch->weight[2] * c[k];
        normal[k] = size > 0.0 ? normal[k] / size : 0.0;
    }
}

static int32_t deepest(const pal_touch_set *set) {
    int32_t best = 0;
    for (int32_t i = 1; i < set->count; i++) {
        best = set->item[i].gap < set->item[best].gap ? i : best;
    }
    return best;
}

void pal_texture_find(const pal_touch_set *set, const pal_body *body, const double *push,
                      pal_texture_ground *ground) {
    const int32_t alone = deepest(set);
    double sum = 0.0;
    memset(ground, 0, sizeof *ground);
    for (int32_t i = 0; i < set->count; i++) {
        sum += fmax(push[i], 0.0);
    }
    for (int32_t i = 0; i < set->count; i++) {
        const double share = sum > 0.0 ? fmax(push[i], 0.0) / sum : (double)(i == alone);
        double at[3], normal[3];
        rest_of(body, &set->item[i], at, normal);
        for (int k = 0; k < 3; k++) {
            ground->at[k] += share * at[k];
            ground->normal[k] += share * normal[k];
        }
    }
}

double pal_texture_height(const pal_surface_law *law, const pal_texture_ground *ground) {
    if (!(law->texture_height > 0.0 && law->texture_length > 0.0)) {
        return 0.0;
    }
    double s = 0.0;
    for (int k = 0; k < 3; k++) {
        s += 0.5 * (1.0 - ground->normal[k] * ground->normal[k]) *
             cos(two_pi * ground->at[k] / law->texture_length);
    }
    return law->texture_height * fmin(s - 1.0, 0.0);
}
