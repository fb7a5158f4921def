#include "render/strain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/mat3.h"
#include "sim/base/memory.h"

// Derivatives of the shape functions by the element's own coordinates: a tet's are constant, a
// voxel's are those at its middle, +-1/4.
static const double tet_local[4][3] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const double hex_local[8][3] = {
    {-0.25, -0.25, -0.25}, {0.25, -0.25, -0.25}, {0.25, 0.25, -0.25}, {-0.25, 0.25, -0.25},
    {-0.25, -0.25, 0.25},  {0.25, -0.25, 0.25},  {0.25, 0.25, 0.25},  {-0.25, 0.25, 0.25}};

static void make_gradient(const pal_volmesh *mesh, int32_t e, float *gradient) {
    const int nodes = (int)mesh->kind;
    const double(*local)[3] = mesh->kind == PAL_TET4 ? tet_local : hex_local;
    const int32_t *vertex = pal_volmesh_element(mesh, e);
    double jacobian[3][3] = {{0.0}}, inverse[3][3];
    for (int n = 0; n < nodes; n++) {
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                jacobian[i][j] += mesh->x[3 * (int64_t)vertex[n] + i] * local[n][j];
            }
        }
    }
    pal_mat3_inverse(jacobian, inverse);
    for (int n = 0; n < nodes; n++) {
        for (int j = 0; j < 3; j++) {
            double sum = 0.0;
            for (int k = 0; k < 3; k++) {
                sum += local[n][k] * inverse[k][j];
            }
            gradient[3 * n + j] = (float)sum;
        }
    }
}

pal_status pal_strain_open(pal_strain *s, const pal_model *model, pal_err *err) {
    const pal_volmesh *mesh = &model->mesh;
    const size_t nodes = (size_t)mesh->kind, vertices = (size_t)mesh->vertex_count;
    *s = (pal_strain){.model = model};
    s->gradient = PAL_NEW(float, 3 * nodes * (size_t)mesh->element_count, err);
    s->u = PAL_NEW(float, 3 * vertices, err);
    s->vertex = PAL_NEW(float, vertices, err);
    s->share = PAL_NEW(float, vertices, err);
    if (s->gradient == NULL || s->u == NULL || s->vertex == NULL || s->share == NULL) {
        pal_strain_close(s);
        return PAL_ERR_MEMORY;
    }
    for (int32_t e = 0; e < mesh->element_count; e++) {
        make_gradient(mesh, e, s->gradient + 3 * nodes * (size_t)e);
        for (size_t n = 0; n < nodes; n++) {
            s->share[pal_volmesh_element(mesh, e)[n]] += 1.0F;
        }
    }
    return PAL_OK;
}

void pal_strain_close(pal_strain *s) {
    free(s->gradient);
    free(s->u);
    free(s->vertex);
    free(s->share);
    memset(s, 0, sizeof *s);
}

void pal_strain_displace(pal_strain *s, const pal_snapshot *shot) {
    const pal_model *model = s->model;
    const int64_t rows = 3 * (int64_t)model->mesh.vertex_count;
    for (int64_t i = 0; i < rows; i++) {
        const double *row = model->basis + i * model->r;
        double sum = 0.0;
        for (int32_t l = 0; l < model->r; l++) {
            sum += row[l] * shot->q[l];
        }
        s->u[i] = (float)sum;
    }
    for (int32_t k = 0; k < shot->dent_count; k++) {
        float *u = s->u + 3 * (int64_t)shot->dent_vertex[k];
        for (int c = 0; c < 3; c++) {
            u[c] += shot->dent[k][c];
        }
    }
}

static double density(const float *gradient, const float *u, const int32_t *vertex, int nodes,
                      const pal_material *m) {
    double f[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int n = 0; n < nodes; n++) {
        const float *way = u + 3 * (int64_t)vertex[n];
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                f[i][j] += way[i] * gradient[3 * n + j];
            }
        }
    }
    double trace = 0.0, square = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double e = 0.5 * (f[0][i] * f[0][j] + f[1][i] * f[1][j] + f[2][i] * f[2][j] -
                                    (i == j ? 1.0 : 0.0));
            trace += i == j ? e : 0.0;
            square += e * e;
        }
    }
    const double lambda = pal_material_lambda(m), mu = pal_material_mu(m);
    return 0.5 * lambda * trace * trace + mu * square;
}

// Each vertex: the mean of its elements.
static void spread(pal_strain *s, const pal_snapshot *shot) {
    const pal_volmesh *mesh = &s->model->mesh;
    const int nodes = (int)mesh->kind;
    memset(s->vertex, 0, (size_t)mesh->vertex_count * sizeof *s->vertex);
    for (int32_t e = 0; e < mesh->element_count; e++) {
        const int32_t *vertex = pal_volmesh_element(mesh, e), g = mesh->region[e];
        const double softer =
            g < PAL_SNAPSHOT_REGIONS && shot->softer[g] > 0.0 ? shot->softer[g] : 1.0;
        const float here = (float)(density(s->gradient + 3 * (int64_t)nodes * e, s->u, vertex,
                                           nodes, &s->model->region[g].material) /
                                   softer);
        for (int n = 0; n < nodes; n++) {
            s->vertex[vertex[n]] += here / s->share[vertex[n]];
        }
    }
}

double pal_strain_density(pal_strain *s, const pal_snapshot *shot, float *extra) {
    const pal_embedding *embedding = &s->model->embedding;
    double most = 0.0;
    spread(s, shot);
    for (int32_t i = 0; i < embedding->point_count; i++) {
        double sum = 0.0;
        for (int64_t k = (int64_t)i * embedding->nodes; k < (int64_t)(i + 1) * embedding->nodes;
             k++) {
            sum += embedding->weight[k] * s->vertex[embedding->vertex[k]];
        }
        extra[4 * (int64_t)i + 3] = (float)fmax(sum, 0.0);
        most = fmax(most, sum);
    }
    return most;
}
