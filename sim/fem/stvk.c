#include "sim/fem/stvk.h"

#include <string.h>

// D = sum_a u_a grad_a^T, F = I + D
static void deformation_gradient(int nodes, double (*u)[3], const double (*grad)[3], double d[3][3],
                                 double f[3][3]) {
    memset(d, 0, 9 * sizeof(double));
    for (int a = 0; a < nodes; a++) {
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) {
                d[r][c] += u[a][r] * grad[a][c];
            }
        }
    }
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            f[r][c] = d[r][c] + (r == c);
        }
    }
}

// Second Piola stress s; returns the energy density. The strain is formed from the displacement
// gradient D, E = (D + D^T + D^T D) / 2, so that small strains keep all their digits.
static double stress(double lambda, double mu, double d[3][3], double s[3][3]) {
    double e[3][3], e_e = 0.0;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            double dd = d[0][r] * d[0][c] + d[1][r] * d[1][c] + d[2][r] * d[2][c];
            e[r][c] = 0.5 * (d[r][c] + d[c][r] + dd);
            e_e += e[r][c] * e[r][c];
        }
    }
    double trace = e[0][0] + e[1][1] + e[2][2];
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            s[r][c] = 2.0 * mu * e[r][c] + (r == c ? lambda * trace : 0.0);
        }
    }
    return 0.5 * lambda * trace * trace + mu * e_e;
}

// force_a += w F S grad_a
static void add_force(int nodes, double w, double f[3][3], double s[3][3], const double (*grad)[3],
                      double *force) {
    double p[3][3];
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            p[r][c] = w * (f[r][0] * s[0][c] + f[r][1] * s[1][c] + f[r][2] * s[2][c]);
        }
    }
    for (int a = 0; a < nodes; a++) {
        for (int r = 0; r < 3; r++) {
            force[3 * a + r] += p[r][0] * grad[a][0] + p[r][1] * grad[a][1] + p[r][2] * grad[a][2];
        }
    }
}

// K_ab += w [ (grad_a . S grad_b) I + lambda (F grad_a)(F grad_b)^T
//             + mu ((grad_a . grad_b) F F^T + (F grad_b)(F grad_a)^T) ]
static void add_stiffness(int nodes, double w, double lambda, double mu, double f[3][3],
                          double s[3][3], const double (*grad)[3], double *stiffness) {
    double ff[3][3], fg[PAL_MAX_NODES][3], sg[PAL_MAX_NODES][3];
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            ff[r][c] = mu * (f[r][0] * f[c][0] + f[r][1] * f[c][1] + f[r][2] * f[c][2]);
        }
    }
    for (int a = 0; a < nodes; a++) {
        for (int r = 0; r < 3; r++) {
            fg[a][r] = f[r][0] * grad[a][0] + f[r][1] * grad[a][1] + f[r][2] * grad[a][2];
            sg[a][r] = s[r][0] * grad[a][0] + s[r][1] * grad[a][1] + s[r][2] * grad[a][2];
        }
    }
    for (int a = 0; a < nodes; a++) {
        for (int b = 0; b <= a; b++) {
            double gsg = grad[a][0] * sg[b][0] + grad[a][1] * sg[b][1] + grad[a][2] * sg[b][2];
            double gg = grad[a][0] * grad[b][0] + grad[a][1] * grad[b][1] + grad[a][2] * grad[b][2];
            for (int r = 0; r < 3; r++) {
                for (int c = 0; c < 3; c++) {
                    double k = lambda * fg[a][r] * fg[b][c] + mu * fg[b][r] * fg[a][c] +
                               gg * ff[r][c] + (r == c ? gsg : 0.0);
                    stiffness[(3 * a + r) * 3 * nodes + 3 * b + c] += w * k;
                }
            }
        }
    }
}

double pal_stvk_element(const pal_quadrature *quadrature, double lambda, double mu, double (*u)[3],
                        double *force, double *stiffness) {
    int nodes = quadrature->nodes;
    double energy = 0.0;
    if (force) {
        memset(force, 0, (size_t)(3 * nodes) * sizeof *force);
    }
    if (stiffness) {
        memset(stiffness, 0, (size_t)(9 * nodes * nodes) * sizeof *stiffness);
    }
    for (int p = 0; p < quadrature->points; p++) {
        const double(*grad)[3] = quadrature->grad[p];
        double w = quadrature->weight[p], d[3][3], f[3][3], s[3][3];
        deformation_gradient(nodes, u, grad, d, f);
        energy += w * stress(lambda, mu, d, s);
        if (force) {
            add_force(nodes, w, f, s, grad, force);
        }
        if (stiffness) {
            add_stiffness(nodes, w, lambda, mu, f, s, grad, stiffness);
        }
    }
    if (stiffness) {
        pal_mirror_lower(3 * nodes, stiffness);
    }
    return energy;
}
