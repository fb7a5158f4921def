#include "render/normals.h"

#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"

static void fill_fan(const pal_surface *s, pal_fan *f) {
    int64_t corners = 3 * (int64_t)s->triangle_count;
    for (int64_t i = 0; i < corners; i++) {
        f->start[s->triangle[i] + 1]++;
    }
    for (int32_t v = 0; v < s->vertex_count; v++) {
        f->start[v + 1] += f->start[v];
    }
    // Filling moves each start to its end; moving all by one place puts them right again.
    for (int64_t i = 0; i < corners; i++) {
        f->member[f->start[s->triangle[i]]++] = (int32_t)(i / 3);
    }
    for (int32_t v = s->vertex_count; v > 0; v--) {
        f->start[v] = f->start[v - 1];
    }
    f->start[0] = 0;
}

pal_status pal_fan_build(const pal_surface *s, pal_fan *f, pal_err *err) {
    f->start = PAL_NEW(int32_t, (size_t)s->vertex_count + 1, err);
    f->member = PAL_NEW(int32_t, 3 * (size_t)s->triangle_count, err);
    if (f->start == NULL || f->member == NULL) {
        pal_fan_free(f);
        return PAL_ERR_MEMORY;
    }
    fill_fan(s, f);
    return PAL_OK;
}

void pal_fan_free(pal_fan *f) {
    free(f->start);
    free(f->member);
    *f = (pal_fan){0};
}

bool pal_area_vectors(const pal_surface *s, double *area) {
    double volume = 0.0;
    for (int64_t t = 0; t < s->triangle_count; t++) {
        const double *a = s->x + 3 * (int64_t)s->triangle[3 * t];
        double e1[3], e2[3];
        pal_sub3(s->x + 3 * (int64_t)s->triangle[3 * t + 1], a, e1);
        pal_sub3(s->x + 3 * (int64_t)s->triangle[3 * t + 2], a, e2);
        pal_cross3(e1, e2, area + 3 * t);
        double from_first[3]; // measured from a vertex of the body: no cancellation far away
        pal_sub3(a, s->x, from_first);
        volume += pal_dot3(from_first, area + 3 * t);
    }
    for (int64_t i = 0; volume < 0.0 && i < 3 * (int64_t)s->triangle_count; i++) {
        area[i] = -area[i];
    }
    return volume < 0.0;
}

static void make_unit(double *n) {
    double length = pal_norm3(n);
    for (int c = 0; c < 3; c++) {
        n[c] = length > 0.0 ? n[c] / length : c == 2;
    }
}

// Sum of the area vectors around vertex v; with `like` only of those within the sharp angle of it.
static void sum_around(const pal_fan *f, const double *area, int32_t v, const double *like,
                       double *n) {
    n[0] = n[1] = n[2] = 0.0;
    double reach = like != NULL ? PAL_SHARP_COSINE * pal_norm3(like) : 0.0;
    for (int32_t i = f->start[v]; i < f->start[v + 1]; i++) {
        const double *a = area + 3 * (int64_t)f->member[i];
        if (like == NULL || a == like || pal_dot3(a, like) > reach * pal_norm3(a)) {
            for (int c = 0; c < 3; c++) {
                n[c] += a[c];
            }
        }
    }
    make_unit(n);
}

pal_status pal_normals_build(const pal_surface *surface, pal_normals *normals, pal_err *err) {
    size_t n = (size_t)surface->vertex_count, m = (size_t)surface->triangle_count;
    *normals = (pal_normals){0};
    pal_fan f = {0};
    double *area = PAL_NEW(double, 3 * m, err);
    bool ok = area != NULL && pal_fan_build(surface, &f, err) == PAL_OK &&
              (normals->vertex = PAL_NEW(double, 3 * n, err)) != NULL &&
              (normals->corner = PAL_NEW(double, 9 * m, err)) != NULL;
    if (ok) {
        pal_area_vectors(surface, area);
        for (int32_t v = 0; v < surface->vertex_count; v++) {
            sum_around(&f, area, v, NULL, normals->vertex + 3 * (int64_t)v);
        }
        for (size_t i = 0; i < 3 * m; i++) {
            sum_around(&f, area, surface->triangle[i], area + i / 3 * 3, normals->corner + 3 * i);
        }
    } else {
        pal_normals_free(normals);
    }
    free(area);
    pal_fan_free(&f);
    return ok ? PAL_OK : PAL_ERR_MEMORY;
}

void pal_normals_free(pal_normals *normals) {
    free(normals->vertex);
    free(normals->corner);
    *normals = (pal_normals){0};
}
