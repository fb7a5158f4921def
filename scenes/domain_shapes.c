#include "scenes/domain_shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"

static const pal_domain_shape shapes[] = {
    {"dragon", "a dragon: body, neck, head, legs, wings, tail, spikes", false,
     pal_domain_shape_dragon, 46736, 160553, 40, 454, 5},
    {"flower", "a flower: stem, leaves, two blooms, petals", false, pal_domain_shape_flower, 2713,
     7602, 12, 240, 3},
    {"letters", "the letters of SIGGRAPH with links between them", false, pal_domain_shape_letters,
     18945, 83753, 15, 160, 8},
    {"oak", "an oak: 41 branches of 5 classes and 1394 leaves of one", true, pal_domain_shape_oak,
     262363, 626734, 1435, 11972, 5},
    {"station", "a space station: modules, trusses, panels of one class", true,
     pal_domain_shape_station, 219058, 107556, 48, 921, 4},
    {"vessels", "a tree of vessels that forks six times", true, pal_domain_shape_vessels, 0, 0, 0,
     0, 0},
};

const pal_domain_shape *pal_domain_shape_at(int index) {
    int count = (int)(sizeof shapes / sizeof shapes[0]);
    return index >= 0 && index < count ? &shapes[index] : NULL;
}

const pal_domain_shape *pal_domain_shape_find(const char *name) {
    const pal_domain_shape *shape;
    for (int i = 0; (shape = pal_domain_shape_at(i)) != NULL; i++) {
        if (strcmp(shape->name, name) == 0) {
            return shape;
        }
    }
    return NULL;
}

void pal_domain_body_free(pal_domain_body *body) {
    pal_volmesh_free(&body->mesh);
    for (int32_t k = 0; k < body->class_count; k++) {
        pal_class_shape *class_ = &body->class_[k];
        pal_volmesh_free(&class_->mesh);
        free(class_->held);
        for (int32_t p = 0; p < class_->port_count; p++) {
            free((void *)class_->port[p].vertex);
        }
        free(class_->port);
        free(class_->normal);
    }
    free(body->class_);
    free(body->domain);
    free(body->domain_name);
    memset(body, 0, sizeof *body);
}

// ---- sizes

static int32_t depth_of(const pal_domain_body *body, int32_t domain) {
    int32_t depth = 0;
    for (int32_t i = body->domain[domain].parent; i >= 0; i = body->domain[i].parent) {
        depth++;
    }
    return depth;
}

void pal_domain_body_sizes(const pal_domain_body *body, pal_domain_sizes *sizes) {
    memset(sizes, 0, sizeof *sizes);
    if (body->class_count == 0) {
        sizes->vertices = body->mesh.vertex_count;
        sizes->elements = body->mesh.element_count;
        sizes->domains = body->mesh.region_count;
        return;
    }
    sizes->domains = body->domain_count;
    for (int32_t i = 0; i < body->domain_count; i++) {
        const pal_class_shape *class_ = &body->class_[body->domain[i].kind];
        sizes->vertices += class_->mesh.vertex_count;
        sizes->elements += class_->mesh.element_count;
        sizes->modes += class_->modes;
        int32_t depth = depth_of(body, i);
        sizes->depth = depth > sizes->depth ? depth : sizes->depth;
    }
}

// ---- placing

typedef struct box {
    double low[3], high[3];
} box;

static void take_in(box *b, const pal_volmesh *mesh, const double *x, double (*turn)[3], double s) {
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        for (int c = 0; c < 3; c++) {
            double at = x[c] + s * pal_dot3(turn[c], mesh->x + 3 * (int64_t)v);
            b->low[c] = fmin(b->low[c], at);
            b->high[c] = fmax(b->high[c], at);
        }
    }
}

// The middle of some vertices: the origin of a frame as the baker makes it, up to a fraction of a
// cell, which is enough for a bounding box.
static void middle_of(const pal_volmesh *mesh, int32_t count, const int32_t *vertex, double x[3]) {
    memset(x, 0, 3 * sizeof(double));
    for (int32_t i = 0; i < count; i++) {
        for (int c = 0; c < 3; c++) {
            x[c] += mesh->x[3 * (int64_t)vertex[i] + c] / count;
        }
    }
}

typedef struct placing { // of every domain in the world
    double (*x)[3], (*turn)[3][3];
} placing;

// Puts every class's mesh so that the middle of its held vertices is the origin.
static void centre_classes(pal_domain_body *body) {
    for (int32_t k = 0; k < body->class_count; k++) {
        pal_class_shape *class_ = &body->class_[k];
        double x[3] = {0.0, 0.0, 0.0}, count = 0.0;
        for (int32_t v = 0; v < class_->mesh.vertex_count; v++) {
            for (int c = 0; class_->held[v] && c < 3; c++) {
                x[c] += class_->mesh.x[3 * (int64_t)v + c];
            }
            count += class_->held[v];
        }
        for (int64_t i = 0; count > 0.0 && i < 3 * (int64_t)class_->mesh.vertex_count; i++) {
            class_->mesh.x[i] -= x[i % 3] / count;
        }
    }
}

static void find_box(const pal_domain_body *body, const placing *at, box *b) {
    for (int32_t i = 0; i < body->domain_count; i++) {
        const pal_domain *d = &body->domain[i];
        if (d->parent < 0) {
            memcpy(at->turn[i], d->rest, sizeof at->turn[i]);
        } else {
            const pal_domain *up = &body->domain[d->parent];
            const pal_class_shape *class_ = &body->class_[up->kind];
            const pal_port_vertices *port = &class_->port[d->port];
            double x[3];
            middle_of(&class_->mesh, port->vertex_count, port->vertex, x);
            for (int r = 0; r < 3; r++) {
                double(*turn)[3] = at->turn[d->parent];
                at->x[i][r] = at->x[d->parent][r] + up->scale * pal_dot3(turn[r], x);
                for (int c = 0; c < 3; c++) {
                    at->turn[i][r][c] = turn[r][0] * d->rest[0][c] + turn[r][1] * d->rest[1][c] +
                                        turn[r][2] * d->rest[2][c];
                }
            }
        }
        take_in(b, &body->class_[d->kind].mesh, at->x[i], at->turn[i], d->scale);
    }
}

// Scales all classes and moves the root. The root's own turn goes into root_turn: its domain's rest
// is that of its frame to the world.
static pal_status place_instances(pal_domain_body *body, double size, pal_err *err) {
    placing at = {pal_alloc((size_t)body->domain_count, sizeof *at.x, err),
                  pal_alloc((size_t)body->domain_count, sizeof *at.turn, err)};
    box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    bool ok = at.x != NULL && at.turn != NULL;
    if (ok) {
        centre_classes(body);
        find_box(body, &at, &b);
    }
    free(at.x);
    free(at.turn);
    if (!ok) {
        return PAL_ERR_MEMORY;
    }
    double longest = 0.0;
    for (int c = 0; c < 3; c++) {
        longest = fmax(longest, b.high[c] - b.low[c]);
    }
    for (int32_t k = 0; k < body->class_count; k++) {
        pal_volmesh_scale(&body->class_[k].mesh, size / longest);
    }
    memcpy(body->root_turn, body->domain[0].rest, sizeof body->root_turn);
    memset(body->domain[0].rest, 0, sizeof body->domain[0].rest);
    for (int c = 0; c < 3; c++) {
        body->domain[0].rest[c][c] = 1.0;
        body->root_x[c] = -b.low[c] * size / longest;
    }
    return PAL_OK;
}

static void place_whole(pal_volmesh *mesh, double size) {
    static double as_is[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    take_in(&b, mesh, (const double[]){0, 0, 0}, as_is, 1.0);
    double longest = 0.0;
    for (int c = 0; c < 3; c++) {
        longest = fmax(longest, b.high[c] - b.low[c]);
    }
    for (int64_t i = 0; i < 3 * (int64_t)mesh->vertex_count; i++) {
        mesh->x[i] = (mesh->x[i] - b.low[i % 3]) * (size / longest);
    }
}

pal_status pal_domain_shape_make(const char *name, double size, pal_domain_body *body,
                                 pal_err *err) {
    memset(body, 0, sizeof *body);
    const pal_domain_shape *shape = pal_domain_shape_find(name);
    if (shape == NULL) {
        return pal_fail(err, PAL_ERR_INPUT, "no body of domains is named '%.64s'", name);
    }
    pal_status status = shape->make(body, err);
    if (status == PAL_OK && body->class_count == 0) {
        place_whole(&body->mesh, size);
    } else if (status == PAL_OK) {
        status = place_instances(body, size, err);
    }
    if (status != PAL_OK) {
        pal_domain_body_free(body);
    }
    return status;
}
