// Each law is an energy density of the displacement gradient with its first two derivatives:
//
//     P = d psi / d F    [3][3],    A = d P / d F    [9][9], rows and columns 3 i + j of F_ij
//
//     force_a = w P grad_a,    K_ab[r][c] = w sum_ij grad_a[i] A[3r + i][3c + j] grad_b[j]
#include "sim/fem/law.h"

#include <math.h>
#include <string.h>

#include "sim/base/mat3.h"
#include "sim/base/polar.h"
#include "sim/fem/stvk.h"

typedef struct derivatives {
    double p[3][3], a[9][9];
} derivatives;

static double double_dot(double (*a)[3], double (*b)[3]) {
    double sum = 0.0;
    for (int k = 0; k < 9; k++) {
        sum += a[k / 3][k % 3] * b[k / 3][k % 3];
    }
    return sum;
}

static double linear_density(double lambda, double mu, double (*d)[3], bool tangent,
                             derivatives *out) {
    const double trace = d[0][0] + d[1][1] + d[2][2];
    for (int k = 0; k < 9; k++) {
        const int r = k / 3, c = k % 3;
        out->p[r][c] = mu * (d[r][c] + d[c][r]) + (r == c ? lambda * trace : 0.0);
        for (int l = 0; tangent && l < 9; l++) {
            const int m = l / 3, n = l % 3;
            out->a[k][l] = mu * ((k == l) + (r == n && c == m)) + lambda * (r == c && m == n);
        }
    }
    return 0.5 * double_dot(out->p, d);
}

// J - 1 to all digits of small strains.
static double volume_change(double (*d)[3]) {
    const double minors = d[0][0] * d[1][1] - d[0][1] * d[1][0] + d[1][1] * d[2][2] -
                          d[1][2] * d[2][1] + d[0][0] * d[2][2] - d[0][2] * d[2][0];
    return d[0][0] + d[1][1] + d[2][2] + minors + pal_mat3_det(d);
}

static void add_identity(double (*d)[3], double (*f)[3]) {
    for (int k = 0; k < 9; k++) {
        f[k / 3][k % 3] = d[k / 3][k % 3] + (k / 3 == k % 3);
    }
}

static double neo_hookean_density(double lambda, double mu, double (*d)[3], bool tangent,
                                  derivatives *out) {
    const double change = volume_change(d);
    if (!(change > -1.0)) {
        return INFINITY;
    }
    double f[3][3], inverse[3][3];
    add_identity(d, f);
    pal_mat3_inverse(f, inverse);
    const double log_j = log1p(change);
    for (int k = 0; k < 9; k++) {
        const int r = k / 3, i = k % 3;
        out->p[r][i] = mu * (f[r][i] - inverse[i][r]) + lambda * log_j * inverse[i][r];
        for (int l = 0; tangent && l < 9; l++) {
            const int c = l / 3, j = l % 3;
            out->a[k][l] = mu * (k == l) + lambda * inverse[i][r] * inverse[j][c] +
                           (mu - lambda * log_j) * inverse[j][r] * inverse[i][c];
        }
    }
    const double stretch = 2.0 * (d[0][0] + d[1][1] + d[2][2]) + double_dot(d, d);
    return 0.5 * mu * stretch - mu * log_j + 0.5 * lambda * log_j * log_j;
}

// How R turns as F changes: R^T dR = [w]x with (tr S I - S) w the axial vector of
// R^T dF - dF^T R. turn[k] = dR for dF = 1 at entry k.
static void rotation_change(double (*rotation)[3], double (*s)[3], double (*turn)[3][3]) {
    double m[3][3], inverse[3][3];
    const double trace = s[0][0] + s[1][1] + s[2][2];
    for (int k = 0; k < 9; k++) {
        m[k / 3][k % 3] = (k / 3 == k % 3 ? trace : 0.0) - s[k / 3][k % 3];
    }
    pal_mat3_inverse(m, inverse);
    for (int k = 0; k < 9; k++) {
        double axial[3] = {0.0, 0.0, 0.0}, w[3];
        for (int r = 0; r < 3; r++) { // (R^T dF)[r][c] = R[k / 3][r] where c = k % 3
            const int c = k % 3;
            if (r != c) {
                axial[3 - r - c] += (r == (c + 1) % 3 ? 1.0 : -1.0) * rotation[k / 3][r];
            }
        }
        for (int i = 0; i < 3; i++) {
            w[i] = inverse[i][0] * axial[0] + inverse[i][1] * axial[1] + inverse[i][2] * axial[2];
        }
        for (int i = 0; i < 3; i++) {
            const double *row = rotation[i];
            turn[k][i][0] = row[1] * w[2] - row[2] * w[1];
            turn[k][i][1] = row[2] * w[0] - row[0] * w[2];
            turn[k][i][2] = row[0] * w[1] - row[1] * w[0];
        }
    }
}

static double corotational_density(double lambda, double mu, double (*d)[3], bool tangent,
                                   derivatives *out) {
    double f[3][3], rotation[3][3], s[3][3], turn[9][3][3];
    if (!(volume_change(d) > -1.0)) {
        return INFINITY;
    }
    add_identity(d, f);
    pal_polar(f, rotation);
    for (int k = 0; k < 9; k++) {
        const int r = k / 3, c = k % 3;
        s[r][c] = rotation[0][r] * f[0][c] + rotation[1][r] * f[1][c] + rotation[2][r] * f[2][c];
    }
    const double stretch = s[0][0] + s[1][1] + s[2][2] - 3.0;
    double energy = 0.5 * lambda * stretch * stretch;
    if (tangent) {
        rotation_change(rotation, s, turn);
    }
    for (int k = 0; k < 9; k++) {
        const int r = k / 3, c = k % 3;
        const double strain = s[r][c] - (r == c);
        energy += mu * strain * strain;
        out->p[r][c] = 2.0 * mu * (f[r][c] - rotation[r][c]) + lambda * stretch * rotation[r][c];
        for (int l = 0; tangent && l < 9; l++) { // dF = 1 at entry l: tr(R^T dF) = R at l
            out->a[k][l] = 2.0 * mu * (k == l) + lambda * rotation[l / 3][l % 3] * rotation[r][c] +
                           (lambda * stretch - 2.0 * mu) * turn[l][r][c];
        }
    }
    return energy;
}

typedef double density(double lambda, double mu, double (*d)[3], bool tangent, derivatives *out);
static const struct {
    const char *name;
    density *of; // NULL: it has an element of its own
} laws[PAL_LAWS] = {
    [PAL_LAW_LINEAR] = {"linear", linear_density},
    [PAL_LAW_COROTATIONAL] = {"corotational", corotational_density},
    [PAL_LAW_STVK] = {"StVK", NULL},
    [PAL_LAW_NEO_HOOKEAN] = {"neo-Hookean", neo_hookean_density},
};

const char *pal_law_name(pal_law law) {
    return laws[law].name;
}

static void add_force(int nodes, double w, double (*p)[3], const double (*grad)[3], double *force) {
    for (int a = 0; a < nodes; a++) {
        for (int r = 0; r < 3; r++) {
            force[3 * a + r] +=
                w * (p[r][0] * grad[a][0] + p[r][1] * grad[a][1] + p[r][2] * grad[a][2]);
        }
    }
}

// Blocks on and below the diagonal.
static void add_stiffness(int nodes, double w, double (*a)[9], const double (*grad)[3],
                          double *stiffness) {
    for (int n = 0; n < nodes; n++) {
        double half[9][3]; // A grad_n
        for (int k = 0; k < 9; k++) {
            for (int c = 0; c < 3; c++) {
                half[k][c] = w * (a[k][3 * c] * grad[n][0] + a[k][3 * c + 1] * grad[n][1] +
                                  a[k][3 * c + 2] * grad[n][2]);
            }
        }
        for (int m = n; m < nodes; m++) {
            for (int r = 0; r < 3; r++) {
                double *to = stiffness + (3 * m + r) * 3 * nodes + 3 * n;
                for (int c = 0; c < 3; c++) {
                    to[c] += grad[m][0] * half[3 * r][c] + grad[m][1] * half[3 * r + 1][c] +
                             grad[m][2] * half[3 * r + 2][c];
                }
            }
        }
    }
}

static double integrate(density *of, const pal_quadrature *quadrature, double lambda, double mu,
                        double (*u)[3], double *force, double *stiffness) {
    const int nodes = quadrature->nodes;
    double energy = 0.0;
    for (int p = 0; p < quadrature->points; p++) {
        const double(*grad)[3] = quadrature->grad[p];
        double d[3][3] = {{0}};
        derivatives out;
        for (int a = 0; a < nodes; a++) {
            for (int k = 0; k < 9; k++) {
                d[k / 3][k % 3] += u[a][k / 3] * grad[a][k % 3];
            }
        }
        const double here = of(lambda, mu, d, stiffness != NULL, &out);
        energy += quadrature->weight[p] * here;
        if (force && isfinite(here)) {
            add_force(nodes, quadrature->weight[p], out.p, grad, force);
        }
        if (stiffness && isfinite(here)) {
            add_stiffness(nodes, quadrature->weight[p], out.a, grad, stiffness);
        }
    }
    return energy;
}

double pal_law_element(pal_law law, const pal_quadrature *quadrature, const pal_material *material,
                       double (*u)[3], double *force, double *stiffness) {
    const double lambda = pal_material_lambda(material), mu = pal_material_mu(material);
    const int n = 3 * quadrature->nodes;
    if (laws[law].of == NULL) {
        return pal_stvk_element(quadrature, lambda, mu, u, force, stiffness);
    }
    if (force) {
        memset(force, 0, (size_t)n * sizeof *force);
    }
    if (stiffness) {
        memset(stiffness, 0, (size_t)(n * n) * sizeof *stiffness);
    }
    const double energy = integrate(laws[law].of, quadrature, lambda, mu, u, force, stiffness);
    if (stiffness) {
        pal_mirror_lower(n, stiffness);
    }
    return energy;
}
