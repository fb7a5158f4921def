#include "sim/substruct/polar8.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "sim/base/pose.h"
#include "sim/substruct/mat8.h"

// (tr(S) I - S)^-1 by its six numbers, S nearly symmetric.                    [BZ11 eq. 7]
static inline void stretch_inverse(const vec *s, vec *g) {
    const vec t = s[0] + s[4] + s[8], a = t - s[0], d = t - s[4], f = t - s[8];
    const vec b = -0.5 * (s[1] + s[3]), c = -0.5 * (s[2] + s[6]), e = -0.5 * (s[5] + s[7]);
    g[0] = d * f - e * e;
    g[1] = c * e - b * f;
    g[2] = b * e - c * d;
    g[3] = a * f - c * c;
    g[4] = b * c - a * e;
    g[5] = a * d - b * b;
    const vec inverse = 1.0 / (a * g[0] + b * g[1] + c * g[2]);
    for (int i = 0; i < 6; i++) {
        g[i] *= inverse;
    }
}

// Whether the symmetric matrix of six numbers is positive definite in all lanes.
static bool is_definite(const vec *g) {
    const vec two = g[0] * g[3] - g[1] * g[1];
    const vec three = g[0] * (g[3] * g[5] - g[4] * g[4]) - g[1] * (g[1] * g[5] - g[2] * g[4]) +
                      g[2] * (g[1] * g[4] - g[2] * g[3]);
    const vec zero = {0};
    return pal_all_above8(g[0], zero) && pal_all_above8(two, zero) && pal_all_above8(three, zero);
}

// Newton's iteration on rotations for max tr(Q^T B), from the last Q; S = Q^T B. False where it has
// not ended, or not at a maximum: that is where G is positive definite.
static bool climb(const vec *b, vec *q, vec *s, vec *g) {
    enum { MOST = 8 };
    vec change = pal_splat8(1.0); // |w|^2 of the last step
    for (int step = 0; step < MOST && !pal_all_above8(pal_splat8(1e-16), change); step++) {
        vec x[3], w[3], turn[9], next[9];
        multiply_transposed(q, b, s);
        stretch_inverse(s, g);
        axial(s, x);
        apply_symmetric(g, x, w);
        change = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
        for (int i = 0; i < 3; i++) {
            w[i] *= 0.5;
        }
        const vec t = 2.0 / (1.0 + w[0] * w[0] + w[1] * w[1] + w[2] * w[2]); // Cayley
        turn[0] = 1.0 - t * (w[1] * w[1] + w[2] * w[2]);
        turn[4] = 1.0 - t * (w[0] * w[0] + w[2] * w[2]);
        turn[8] = 1.0 - t * (w[0] * w[0] + w[1] * w[1]);
        turn[1] = t * (w[0] * w[1] - w[2]);
        turn[3] = t * (w[0] * w[1] + w[2]);
        turn[2] = t * (w[0] * w[2] + w[1]);
        turn[6] = t * (w[0] * w[2] - w[1]);
        turn[5] = t * (w[1] * w[2] - w[0]);
        turn[7] = t * (w[1] * w[2] + w[0]);
        multiply(q, turn, next);
        memcpy(q, next, sizeof next);
    }
    multiply_transposed(q, b, s);
    stretch_inverse(s, g);
    return pal_all_above8(pal_splat8(1e-12), change) && is_definite(g);
}

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

// Q from anywhere: its quaternion is the top eigenvector of a 4 x 4 of the entries of B [Horn87].
static void start_anew(const vec *b, vec *q) {
    for (int lane = 0; lane < PAL_LANES8; lane++) {
        double m[9], n[4][4], turn[4];
        for (int e = 0; e < 9; e++) {
            m[e] = b[e][lane];
        }
        n[0][0] = m[0] + m[4] + m[8];
        n[1][1] = m[0] - m[4] - m[8];
        n[2][2] = m[4] - m[0] - m[8];
        n[3][3] = m[8] - m[0] - m[4];
        n[0][1] = n[1][0] = m[7] - m[5];
        n[0][2] = n[2][0] = m[2] - m[6];
        n[0][3] = n[3][0] = m[3] - m[1];
        n[1][2] = n[2][1] = m[1] + m[3];
        n[1][3] = n[3][1] = m[2] + m[6];
        n[2][3] = n[3][2] = m[5] + m[7];
        top_vector(n, turn);
        double to[3][3];
        pal_turn_matrix(turn, to);
        for (int e = 0; e < 9; e++) {
            q[e][lane] = to[e / 3][e % 3];
        }
    }
}

// Where an interface is nearly squeezed into a line, G is nearly singular, and its child would spin
// without bound. There G is shifted so that 1 / tr(G^-1), at least a third of its least eigenvalue,
// does not fall below a share of what it is at rest.
static unsigned soften(const vec *rest, const vec *s, vec *g) {
    const double share = 0.05;
    vec rest_inverse[6], firm[9];
    unsigned near = 0;
    stretch_inverse(rest, rest_inverse);
    const vec least = share / (rest_inverse[0] + rest_inverse[3] + rest_inverse[5]);
    const vec now = 1.0 / (g[0] + g[3] + g[5]);
    memcpy(firm, s, sizeof firm);
    for (int lane = 0; lane < PAL_LANES8; lane++) {
        if (!(now[lane] > least[lane])) {
            const double shift = 0.5 * (least[lane] - (now[lane] > 0.0 ? now[lane] : 0.0));
            firm[0][lane] += shift; // tr(S) I - S grows by twice that
            firm[4][lane] += shift;
            firm[8][lane] += shift;
            near |= 1u << lane;
        }
    }
    if (near != 0) {
        stretch_inverse(firm, g);
    }
    return near;
}

unsigned pal_polar8(const vec *b, const vec *rest, vec *q, vec *s, vec *g) {
    if (!climb(b, q, s, g)) {
        start_anew(b, q);
        climb(b, q, s, g);
    }
    return soften(rest, s, g);
}
