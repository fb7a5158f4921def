#include "sim/substruct/polar.h"

#include <math.h>
#include <string.h>

#include "sim/base/pose.h"

// The eigenvector of the largest eigenvalue of a symmetric 4 x 4 (lost), by Jacobi's rotations.
static void top_vector(double (*m)[4], double *top) {
    enum { SWEEPS = 10 };
    double v[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    for (int pair = 0; pair < 6 * SWEEPS; pair++) {
        static const int first[6] = {0, 0, 0, 1, 1, 2}, second[6] = {1, 2, 3, 2, 3, 3};
        const int i = first[pair % 6], j = second[pair % 6];
        if (m[i][j] == 0.0) {
            continue;
        }
        const double half = (m[j][j] - m[i][i]) / (2.0 * m[i][j]);
        const double t = copysign(1.0, half) / (fabs(half) + sqrt(half * half + 1.0));
        const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
        for (int k = 0; k < 4; k++) {
            const double a = m[k][i], b = m[k][j], x = v[k][i], y = v[k][j];
            m[k][i] = c * a - s * b;
            m[k][j] = s * a + c * b;
            v[k][i] = c * x - s * y;
            v[k][j] = s * x + c * y;
        }
        for (int k = 0; k < 4; k++) {
            const double a = m[i][k], b = m[j][k];
            m[i][k] = c * a - s * b;
            m[j][k] = s * a + c * b;
        }
    }
    int best = 0;
    for (int k = 1; k < 4; k++) {
        best = m[k][k] > m[best][best] ? k : best;
    }
    for (int k = 0; k < 4; k++) {
        top[k] = v[k][best];
    }
}

void pal_nearest_turn(const double *b, double *turn) {
    double n[4][4], quaternion[4], to[3][3];
    n[0][0] = b[0] + b[4] + b[8];
    n[1][1] = b[0] - b[4] - b[8];
    n[2][2] = b[4] - b[0] - b[8];
    n[3][3] = b[8] - b[0] - b[4];
    n[0][1] = n[1][0] = b[7] - b[5];
    n[0][2] = n[2][0] = b[2] - b[6];
    n[0][3] = n[3][0] = b[3] - b[1];
    n[1][2] = n[2][1] = b[1] + b[3];
    n[1][3] = n[3][1] = b[2] + b[6];
    n[2][3] = n[3][2] = b[5] + b[7];
    top_vector(n, quaternion);
    pal_turn_matrix(quaternion, to);
    memcpy(turn, to, sizeof to);
}
