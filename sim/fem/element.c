#include "sim/fem/element.h"

#include <string.h>

#include "sim/base/mat3.h"
#include "sim/mesh/hex.h"

// Gauss-Legendre points and weights on [0, 1].
static const double gauss_point[4][4] = {
    {0.5},
    {0.21132486540518711775, 0.78867513459481288225},
    {0.11270166537925831148, 0.5, 0.88729833462074168852},
    {0.06943184420297371239, 0.33000947820757186760, 0.66999052179242813240,
     0.93056815579702628761},
};
static const double gauss_weight[4][4] = {
    {1.0},
    {0.5, 0.5},
    {0.27777777777777777778, 0.44444444444444444444, 0.27777777777777777778},
    {0.17392742256872692869, 0.32607257743127307131, 0.32607257743127307131,
     0.17392742256872692869},
};

// grad_a = J^-T local_a with J = dX/dxi; returns det J.
static double to_global(int nodes, double (*x)[3], double (*local)[3], double (*grad)[3]) {
    double j[3][3] = {{0}};
    for (int a = 0; a < nodes; a++) {
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) {
                j[r][c] += x[a][r] * local[a][c];
            }
        }
    }
    double inverse[3][3];
    double det = pal_mat3_inverse(j, inverse);
    if (!(det > 0.0)) {
        return det;
    }
    for (int a = 0; a < nodes; a++) {
        for (int c = 0; c < 3; c++) {
            grad[a][c] = local[a][0] * inverse[0][c] + local[a][1] * inverse[1][c] +
                         local[a][2] * inverse[2][c];
        }
    }
    return det;
}

static bool make_tet(pal_quadrature *quadrature, double (*x)[3]) {
    static double local[4][3] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    quadrature->nodes = 4;
    quadrature->points = 1;
    for (int a = 0; a < 4; a++) {
        quadrature->shape[0][a] = 0.25;
    }
    double det = to_global(4, x, local, quadrature->grad[0]);
    quadrature->weight[0] = det / 6.0;
    return det > 0.0;
}

static bool make_hex(pal_quadrature *quadrature, double (*x)[3], int order) {
    const double *point = gauss_point[order - 1], *weight = gauss_weight[order - 1];
    quadrature->nodes = 8;
    quadrature->points = order * order * order;
    for (int p = 0; p < quadrature->points; p++) {
        int i = p % order, j = p / order % order, k = p / (order * order);
        const double xi[3] = {point[i], point[j], point[k]};
        double local[8][3];
        pal_hex_shape(xi, quadrature->shape[p], local);
        double det = to_global(8, x, local, quadrature->grad[p]);
        if (!(det > 0.0)) {
            return false;
        }
        quadrature->weight[p] = det * weight[i] * weight[j] * weight[k];
    }
    return true;
}

bool pal_quadrature_make(pal_quadrature *quadrature, pal_element_kind kind, double (*x)[3],
                         int order) {
    return kind == PAL_TET4 ? make_tet(quadrature, x) : make_hex(quadrature, x, order);
}

bool pal_quadrature_of_element(pal_quadrature *quadrature, const pal_volmesh *mesh, int32_t e,
                               int order) {
    double x[PAL_MAX_NODES][3];
    const int32_t *vertex = pal_volmesh_element(mesh, e);
    for (int a = 0; a < (int)mesh->kind; a++) {
        memcpy(x[a], mesh->x + 3 * (int64_t)vertex[a], sizeof x[a]);
    }
    const bool made = pal_quadrature_make(quadrature, mesh->kind, x, order);
    for (int p = 0; made && mesh->share != NULL && p < quadrature->points; p++) {
        quadrature->weight[p] *= mesh->share[e];
    }
    return made;
}
