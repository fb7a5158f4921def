#include "sim/substruct/class_build.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/packed.h"
#include "sim/fem/assemble.h"
#include "sim/fem/mass.h"
#include "sim/mesh/faces.h"

// ---- Interfaces

// weight[place[v] - 1] += the share of each boundary face between marked vertices.
static void add_face_areas(const pal_volmesh *mesh, const int32_t *boundary, int32_t count,
                           const int32_t *place, double *weight) {
    for (int32_t i = 0; i < count; i++) {
        int32_t v[4];
        int corners = pal_face_vertices(mesh, boundary[i], v);
        bool within = true;
        for (int a = 0; a < corners; a++) {
            within = within && place[v[a]] > 0;
        }
        double share = within ? pal_face_area(mesh, boundary[i]) / corners : 0.0;
        for (int a = 0; within && a < corners; a++) {
            weight[place[v[a]] - 1] += share;
        }
    }
}

pal_status pal_interface_weights(const pal_volmesh *mesh, int32_t count, const int32_t *vertex,
                                 double *weight, pal_err *err) {
    int32_t *boundary = NULL, boundary_count = 0;
    int32_t *place = PAL_NEW(int32_t, mesh->vertex_count, err); // among the vertices + 1
    pal_status status =
        place ? pal_boundary_faces(mesh, &boundary, &boundary_count, err) : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        double sum = 0.0;
        memset(weight, 0, (size_t)count * sizeof *weight);
        for (int32_t k = 0; k < count; k++) {
            place[vertex[k]] = k + 1;
        }
        add_face_areas(mesh, boundary, boundary_count, place, weight);
        for (int32_t k = 0; k < count; k++) {
            sum += weight[k];
        }
        for (int32_t k = 0; k < count; k++) {
            weight[k] = sum > 0.0 ? weight[k] / sum : 1.0 / count;
        }
    }
    free(place);
    free(boundary);
    return status;
}

void pal_interface_moments(const pal_volmesh *mesh, int32_t count, const int32_t *vertex,
                           const double *weight, double centroid[3], double (*c)[3]) {
    memset(centroid, 0, 3 * sizeof *centroid);
    memset(c, 0, 3 * sizeof *c);
    for (int32_t k = 0; k < count; k++) {
        for (int i = 0; i < 3; i++) {
            centroid[i] += weight[k] * mesh->x[3 * (int64_t)vertex[k] + i];
        }
    }
    for (int32_t k = 0; k < count; k++) {
        const double *x = mesh->x + 3 * (int64_t)vertex[k];
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                c[i][j] += weight[k] * (x[i] - centroid[i]) * (x[j] - centroid[j]);
            }
        }
    }
}

pal_status pal_interface_check(int32_t count, double (*c)[3], const char *owner, pal_err *err) {
    enum { LEAST = 3 };
    static const double in_line = 1e-6;
    double m[9], value[3];
    if (count < LEAST) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "%s has %d vertices, and a frame needs three that are not in line", owner,
                        count);
    }
    memcpy(m, c, sizeof m);
    if (LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', 3, m, 3, value) != 0 ||
        !(value[1] > in_line * value[2])) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "%s has its %d vertices in one line, about which nothing would hold it",
                        owner, count);
    }
    return PAL_OK;
}

// ---- Moments: the Gram matrix of the fields (1, X, U) in the body's mass.

static int64_t field_of_mode(int32_t r, int component, int32_t mode) {
    return 4 + (int64_t)component * r + mode;
}

// my [vertex_count][width] += M y over all vertices, held ones included.
static pal_status multiply_mass(const pal_class_body *body, int64_t width, const double *y,
                                double *my, pal_err *err) {
    const pal_volmesh *mesh = body->mesh;
    int nodes = (int)mesh->kind;
    for (int32_t e = 0; e < mesh->element_count; e++) {
        pal_quadrature quadrature;
        double m[PAL_MAX_NODES * PAL_MAX_NODES];
        pal_status status = pal_fem_quadrature(mesh, e, PAL_GAUSS_EXACT, &quadrature, err);
        if (status != PAL_OK) {
            return status;
        }
        pal_element_mass(&quadrature, body->mass_kind, m);
        double density = body->material[mesh->region[e]].density;
        const int32_t *vertex = pal_volmesh_element(mesh, e);
        for (int k = 0; k < nodes * nodes; k++) {
            if (m[k] != 0.0) {
                cblas_daxpy((int)width, density * m[k], y + vertex[k % nodes] * width, 1,
                            my + vertex[k / nodes] * width, 1);
            }
        }
    }
    return PAL_OK;
}

// gram [width][width] = Y^T M Y with Y = (1, X, U), width 4 + 3 r.
static pal_status gram_of_fields(const pal_class_body *body, double *gram, pal_err *err) {
    const pal_volmesh *mesh = body->mesh;
    int64_t n = mesh->vertex_count, r = body->r, width = 4 + 3 * r;
    double *y = PAL_NEW(double, n *width, err);
    double *my = PAL_NEW(double, n *width, err);
    pal_status status = y && my ? PAL_OK : PAL_ERR_MEMORY;
    for (int64_t v = 0; status == PAL_OK && v < n; v++) {
        double *row = y + v * width;
        row[0] = 1.0;
        memcpy(row + 1, mesh->x + 3 * v, 3 * sizeof *row);
        if (r > 0) {
            memcpy(row + 4, body->basis + 3 * v * r, (size_t)(3 * r) * sizeof *row);
        }
    }
    if (status == PAL_OK) {
        status = multiply_mass(body, width, y, my, err);
    }
    if (status == PAL_OK) {
        int w = (int)width;
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, w, w, (int)n, 1.0, y, w, my, w, 0.0,
                    gram, w);
    }
    free(y);
    free(my);
    return status;
}

static void take_moments(const double *gram, pal_domain_class *class_) {
    int32_t r = class_->r;
    int64_t width = 4 + 3 * (int64_t)r;
    class_->mass = gram[0];
    for (int i = 0; i < 3; i++) {
        class_->first[i] = gram[1 + i];
        for (int j = 0; j < 3; j++) {
            class_->second[i][j] = gram[(1 + i) * width + 1 + j];
        }
        for (int32_t l = 0; l < r; l++) {
            class_->lift[i * r + l] = gram[field_of_mode(r, i, l)];
            for (int j = 0; j < 3; j++) {
                int64_t u = field_of_mode(r, j, l);
                class_->xu[9 * l + 3 * i + j] = gram[(1 + i) * width + u];
                for (int32_t p = 0; p < r; p++) {
                    class_->uu[9 * ((int64_t)l * r + p) + 3 * i + j] =
                        gram[field_of_mode(r, i, l) * width + field_of_mode(r, j, p)];
                }
            }
        }
    }
}

static pal_status make_moments(const pal_class_body *body, pal_domain_class *class_, pal_err *err) {
    size_t width = 4 + 3 * (size_t)body->r;
    double *gram = PAL_NEW(double, width *width, err);
    pal_status status = gram ? gram_of_fields(body, gram, err) : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        take_moments(gram, class_);
    }
    free(gram);
    return status;
}

pal_status pal_mesh_mass(const pal_volmesh *mesh, const pal_material *material, double *mass,
                         double first[3], pal_err *err) {
    pal_class_body body = {.mesh = mesh, .material = material};
    double gram[4 * 4];
    pal_status status = gram_of_fields(&body, gram, err);
    if (status == PAL_OK) {
        *mass = gram[0];
        memcpy(first, gram + 1, 3 * sizeof *first);
    }
    return status;
}

// ---- Ports

// a^ = sum w U [eq. 1] and B_l = sum w U_l (X - x^)^T (the centroid's own motion cancels). [eq. 4]
static void make_motion(const pal_class_body *body, pal_port *port) {
    int32_t r = body->r;
    for (int32_t k = 0; k < port->vertex_count; k++) {
        const double *x = body->mesh->x + 3 * (int64_t)port->vertex[k];
        const double *u = body->basis + 3 * (int64_t)port->vertex[k] * r;
        for (int32_t l = 0; l < r; l++) {
            for (int i = 0; i < 3; i++) {
                double moved = port->weight[k] * u[(int64_t)i * r + l];
                port->a[i * r + l] += moved;
                for (int j = 0; j < 3; j++) {
                    port->b[9 * l + 3 * i + j] += moved * (x[j] - port->x[j]);
                }
            }
        }
    }
}

static pal_status make_port(const pal_class_body *body, int32_t p, pal_port *port, pal_err *err) {
    const pal_port_vertices *given = &body->port[p];
    int32_t count = given->vertex_count;
    char owner[160];
    snprintf(owner, sizeof owner, "domain '%.63s': port %d", body->name, p);
    pal_status status = PAL_OK;
    memcpy(port->vertex, given->vertex, (size_t)count * sizeof *port->vertex);
    if (given->weight != NULL) {
        memcpy(port->weight, given->weight, (size_t)count * sizeof *port->weight);
    } else {
        status = pal_interface_weights(body->mesh, count, port->vertex, port->weight, err);
    }
    if (status == PAL_OK) {
        pal_interface_moments(body->mesh, count, port->vertex, port->weight, port->x, port->c);
        status = pal_interface_check(count, port->c, owner, err);
    }
    if (status == PAL_OK && body->r > 0) {
        make_motion(body, port);
    }
    return status;
}

static pal_status check_ports(const pal_class_body *body, pal_err *err) {
    for (int32_t p = 0; p < body->port_count; p++) {
        for (int32_t k = 0; k < body->port[p].vertex_count; k++) {
            int32_t v = body->port[p].vertex[k];
            if (v < 0 || v >= body->mesh->vertex_count) {
                return pal_fail(err, PAL_ERR_INPUT,
                                "domain '%.63s': port %d names vertex %d, and there are %d",
                                body->name, p, v, body->mesh->vertex_count);
            }
        }
    }
    return PAL_OK;
}

static pal_status alloc_class(const pal_class_body *body, pal_domain_class *class_, pal_err *err) {
    int32_t *sizes = PAL_NEW(int32_t, body->port_count, err);
    for (int32_t p = 0; sizes != NULL && p < body->port_count; p++) {
        sizes[p] = body->port[p].vertex_count;
    }
    *class_ = (pal_domain_class){
        .r = body->r, .alpha = body->alpha, .beta = body->beta, .port_count = body->port_count};
    snprintf(class_->name, sizeof class_->name, "%s", body->name);
    pal_status status = sizes ? pal_domain_class_alloc(class_, sizes, err) : PAL_ERR_MEMORY;
    free(sizes);
    return status;
}

pal_status pal_domain_class_build(const pal_class_body *body, pal_domain_class *class_,
                                  pal_err *err) {
    memset(class_, 0, sizeof *class_);
    if (body->r < 0 || body->r > PAL_DOMAIN_MOST_MODES) {
        return pal_fail(err, PAL_ERR_USAGE, "domain '%.63s': %d modes, and 0 to %d can be had",
                        body->name, body->r, PAL_DOMAIN_MOST_MODES);
    }
    pal_status status = check_ports(body, err);
    if (status == PAL_OK) {
        status = alloc_class(body, class_, err);
    }
    if (status == PAL_OK) {
        status = make_moments(body, class_, err);
    }
    for (int32_t p = 0; status == PAL_OK && p < body->port_count; p++) {
        status = make_port(body, p, &class_->port[p], err);
    }
    if (status == PAL_OK && body->r > 0) {
        pal_quartic_add(&class_->quartic, 1.0, body->quartic);
    }
    if (status != PAL_OK) {
        pal_domain_class_free(class_);
    }
    return status;
}
