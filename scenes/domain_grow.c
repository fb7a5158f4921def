#include "scenes/domain_grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"

pal_status pal_domain_body_alloc(pal_domain_body *body, int32_t classes, int32_t domains,
                                 pal_err *err) {
    body->class_count = classes;
    body->class_ = PAL_NEW(pal_class_shape, classes, err);
    body->domain_room = domains;
    body->domain = PAL_NEW(pal_domain, domains, err);
    body->domain_name = pal_alloc((size_t)domains, sizeof *body->domain_name, err);
    if (body->class_ == NULL || body->domain == NULL || body->domain_name == NULL) {
        body->class_count = body->class_ == NULL ? 0 : classes;
        return PAL_ERR_MEMORY;
    }
    for (int c = 0; c < 3; c++) {
        body->root_turn[c][c] = 1.0;
    }
    return PAL_OK;
}

// ---- classes

static pal_status make_room(pal_class_shape *class_, pal_err *err) {
    int32_t room = 2 * class_->port_room + 8, used = class_->port_count;
    pal_port_vertices *port = PAL_NEW(pal_port_vertices, room, err);
    double(*normal)[3] = (double(*)[3])pal_alloc((size_t)room, sizeof *normal, err);
    if (port == NULL || normal == NULL) {
        free(port);
        free(normal);
        return PAL_ERR_MEMORY;
    }
    if (used > 0) {
        memcpy(port, class_->port, (size_t)used * sizeof *port);
        memcpy(normal, class_->normal, (size_t)used * sizeof *normal);
    }
    free(class_->port);
    free(class_->normal);
    class_->port = port;
    class_->normal = normal;
    class_->port_room = room;
    return PAL_OK;
}

pal_status pal_class_shape_add_port(pal_class_shape *class_, int32_t *vertex, int32_t count,
                                    const double normal[3], pal_err *err) {
    pal_status status = class_->port_count == class_->port_room ? make_room(class_, err) : PAL_OK;
    if (status != PAL_OK) {
        free(vertex);
        return status;
    }
    class_->port[class_->port_count] = (pal_port_vertices){.vertex_count = count, .vertex = vertex};
    memcpy(class_->normal[class_->port_count++], normal, 3 * sizeof(double));
    return PAL_OK;
}

void pal_class_shape_port(pal_class_shape *class_, pal_limbs *limbs, int32_t limb,
                          pal_limb_side side, const int32_t at[2], const int32_t size[2]) {
    int32_t count;
    double middle[3], normal[3];
    int32_t *vertex = pal_limbs_patch(limbs, limb, side, at, size, &count);
    if (vertex != NULL) {
        pal_limbs_patch_frame(limbs, limb, side, at, size, middle, normal);
    }
    if (limbs->failed) {
        free(vertex);
    } else if (pal_class_shape_add_port(class_, vertex, count, normal, limbs->err) != PAL_OK) {
        limbs->failed = true;
    }
}

pal_status pal_class_shape_finish(pal_class_shape *class_, const char *name, int32_t modes,
                                  pal_limbs *limbs, pal_err *err) {
    strncpy(class_->name, name, PAL_DOMAIN_NAME - 1);
    class_->modes = modes;
    pal_status status = pal_limbs_mesh(limbs, &class_->mesh, err);
    if (status != PAL_OK) {
        return status;
    }
    class_->held = PAL_NEW(uint8_t, class_->mesh.vertex_count, err);
    if (class_->held == NULL) {
        return PAL_ERR_MEMORY;
    }
    const int32_t *n = limbs->limb[0].n;
    for (int32_t i = 0; i < (n[0] + 1) * (n[1] + 1); i++) {
        class_->held[limbs->limb[0].vertex[i]] = 1;
    }
    return PAL_OK;
}

// ---- instances

static void multiply(double (*a)[3], double (*b)[3], double (*out)[3]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
        }
    }
}

void pal_domain_body_turn(const pal_domain_body *body, int32_t domain, double turn[3][3]) {
    memcpy(turn, body->domain[domain].rest, 9 * sizeof(double));
    for (int32_t i = body->domain[domain].parent; i >= 0; i = body->domain[i].parent) {
        double next[3][3];
        multiply(body->domain[i].rest, turn, next);
        memcpy(turn, next, sizeof next);
    }
}

void pal_domain_body_normal(const pal_domain_body *body, int32_t domain, int32_t port,
                            double normal[3]) {
    double turn[3][3];
    pal_domain_body_turn(body, domain, turn);
    const double *own = body->class_[body->domain[domain].kind].normal[port];
    for (int c = 0; c < 3; c++) {
        normal[c] = pal_dot3(turn[c], own);
    }
}

static void normalize(double *v) {
    double length = pal_norm3(v);
    for (int c = 0; c < 3; c++) {
        v[c] /= length;
    }
}

// Columns: x, y, z of the class in the world.
static void aim(const double *along, const double *up, double (*turn)[3]) {
    double z[3] = {along[0], along[1], along[2]}, x[3], y[3];
    normalize(z);
    pal_cross3(up, z, x);
    if (pal_norm3(x) < 1e-6) {
        pal_cross3(fabs(z[0]) < 0.9 ? (const double[]){1, 0, 0} : (const double[]){0, 1, 0}, z, x);
    }
    normalize(x);
    pal_cross3(z, x, y);
    for (int c = 0; c < 3; c++) {
        turn[c][0] = x[c];
        turn[c][1] = y[c];
        turn[c][2] = z[c];
    }
}

int32_t pal_domain_body_hang(pal_domain_body *body, int32_t kind, int32_t parent, int32_t port,
                             double scale, const double along[3], const double up[3],
                             const char *name) {
    pal_domain *domain = &body->domain[body->domain_count];
    *domain = (pal_domain){
        .kind = kind, .parent = parent, .port = port, .scale = scale, .stiffness = 1.0};
    double turn[3][3];
    aim(along, up, turn);
    if (parent >= 0) {
        double above[3][3], back[3][3];
        pal_domain_body_turn(body, parent, above);
        for (int c = 0; c < 9; c++) {
            back[c / 3][c % 3] = above[c % 3][c / 3];
        }
        multiply(back, turn, domain->rest);
    } else {
        memcpy(domain->rest, turn, sizeof turn);
    }
    strncpy(body->domain_name[body->domain_count], name, PAL_DOMAIN_NAME - 1);
    return body->domain_count++;
}
