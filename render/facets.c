#include "render/facets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/normals.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"

enum { FAN = 64 }; // triangles at a point that are told apart in one word

typedef struct build {
    const pal_surface *s;
    const uint16_t *region;
    pal_fan fan;
    double *area; // [triangle_count][3]
    bool turned;  // the surface is inside out
    pal_facets *out;
    int64_t pairs, room;
} build;

// Which triangles of the fan of v go into one normal with triangle t: bits by place in the fan.
static uint64_t smooth_with(const build *b, int32_t v, int32_t t) {
    const double *like = b->area + 3 * (int64_t)t;
    const double reach = PAL_SHARP_COSINE * pal_norm3(like);
    uint64_t set = 0;
    for (int32_t i = b->fan.start[v]; i < b->fan.start[v + 1] && i < b->fan.start[v] + FAN; i++) {
        const double *area = b->area + 3 * (int64_t)b->fan.member[i];
        if (b->fan.member[i] == t || pal_dot3(area, like) > reach * pal_norm3(area)) {
            set |= 1ull << (i - b->fan.start[v]);
        }
    }
    return set;
}

static uint16_t region_of(const build *b, int32_t t) {
    return b->region != NULL ? b->region[t] : 0;
}

// The pairs of a new corner at v.
static void add_pairs(build *b, int32_t v, uint64_t set) {
    for (int32_t i = b->fan.start[v]; i < b->fan.start[v + 1] && i < b->fan.start[v] + FAN; i++) {
        if (!(set >> (i - b->fan.start[v]) & 1)) {
            continue;
        }
        const int32_t *corner = b->s->triangle + 3 * (int64_t)b->fan.member[i];
        const int at = corner[0] == v ? 0 : corner[1] == v ? 1 : 2;
        int32_t *pair = b->out->pair + 2 * b->pairs++;
        pair[b->turned] = corner[(at + 1) % 3];
        pair[!b->turned] = corner[(at + 2) % 3];
    }
}

// The corners at point v, each with its set and region, and the triangles that get them.
static void part(build *b, int32_t v) {
    pal_facets *out = b->out;
    struct {
        uint64_t set;
        uint16_t region;
        int32_t corner;
    } known[FAN];
    int count = 0;
    for (int32_t i = b->fan.start[v]; i < b->fan.start[v + 1]; i++) {
        const int32_t t = b->fan.member[i];
        const uint64_t set = smooth_with(b, v, t);
        const uint16_t region = region_of(b, t);
        int k = 0;
        while (k < count && (known[k].set != set || known[k].region != region)) {
            k++;
        }
        if (k == count) {
            count += count < FAN - 1; // a fan of more than that shares the last one
            known[k].set = set;
            known[k].region = region;
            known[k].corner = out->count;
            out->point[out->count] = v;
            out->region[out->count] = region;
            out->first[out->count] = (int32_t)b->pairs;
            add_pairs(b, v, set);
            out->count++;
        }
        int32_t *corner = b->s->triangle + 3 * (int64_t)t;
        out->triangle[3 * (int64_t)t + (corner[0] == v   ? 0
                                        : corner[1] == v ? 1
                                                         : 2)] = known[k].corner;
    }
}

// As many corners and pairs as there can be: each triangle's corner its own, with its whole fan.
static pal_status make_room(build *b, pal_err *err) {
    const size_t corners = 3 * (size_t)b->s->triangle_count;
    pal_facets *out = b->out;
    for (int32_t v = 0; v < b->s->vertex_count; v++) {
        const int64_t fan = b->fan.start[v + 1] - b->fan.start[v];
        b->room += fan * (fan < FAN ? fan : FAN);
    }
    out->triangle_count = b->s->triangle_count;
    out->point = PAL_NEW(int32_t, corners, err);
    out->region = PAL_NEW(uint16_t, corners, err);
    out->first = PAL_NEW(int32_t, corners + 1, err);
    out->pair = PAL_NEW(int32_t, 2 * b->room, err);
    out->triangle = PAL_NEW(int32_t, corners, err);
    return out->point != NULL && out->region != NULL && out->first != NULL && out->pair != NULL &&
                   out->triangle != NULL
               ? PAL_OK
               : PAL_ERR_MEMORY;
}

pal_status pal_facets_build(const pal_surface *surface, const uint16_t *region, pal_facets *facets,
                            pal_err *err) {
    memset(facets, 0, sizeof *facets);
    build b = {.s = surface, .region = region, .out = facets};
    b.area = PAL_NEW(double, 3 * (size_t)surface->triangle_count, err);
    pal_status status = b.area != NULL ? pal_fan_build(surface, &b.fan, err) : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        status = make_room(&b, err);
    }
    if (status == PAL_OK) {
        facets->turned = b.turned = pal_area_vectors(surface, b.area);
        for (int32_t v = 0; v < surface->vertex_count; v++) {
            part(&b, v);
        }
        facets->first[facets->count] = (int32_t)b.pairs;
    } else {
        pal_facets_free(facets);
    }
    free(b.area);
    pal_fan_free(&b.fan);
    return status;
}

void pal_facets_free(pal_facets *facets) {
    free(facets->point);
    free(facets->region);
    free(facets->first);
    free(facets->pair);
    free(facets->triangle);
    memset(facets, 0, sizeof *facets);
}

void pal_facets_shade(const pal_facets *facets, const float *point, pal_facet_corner *corner) {
    for (int32_t i = 0; i < facets->count; i++) {
        const float *p = point + 4 * (int64_t)facets->point[i];
        float n[3] = {0.0F, 0.0F, 0.0F};
        for (int32_t k = facets->first[i]; k < facets->first[i + 1]; k++) {
            const float *a = point + 4 * (int64_t)facets->pair[2 * (int64_t)k];
            const float *b = point + 4 * (int64_t)facets->pair[2 * (int64_t)k + 1];
            const float e[3] = {a[0] - p[0], a[1] - p[1], a[2] - p[2]};
            const float f[3] = {b[0] - p[0], b[1] - p[1], b[2] - p[2]};
            n[0] += e[1] * f[2] - e[2] * f[1];
            n[1] += e[2] * f[0] - e[0] * f[2];
            n[2] += e[0] * f[1] - e[1] * f[0];
        }
        const float size = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        const float unit = size > 0.0F ? 1.0F / size : 0.0F;
        corner[i] = (pal_facet_corner){
            {p[0], p[1], p[2]}, p[3], {unit * n[0], unit * n[1], size > 0.0F ? unit * n[2] : 1.0F}};
    }
}
