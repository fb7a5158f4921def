#include "sim/contact/triangle.h"

#include "sim/base/vec3.h"

// Place and squared distance of the point with these weights.
static double measure(const double corner[3][3], const double x[3], const double weight[3],
                      double point[3]) {
    double squared = 0.0;
    for (int c = 0; c < 3; c++) {
        point[c] = weight[0] * corner[0][c] + weight[1] * corner[1][c] + weight[2] * corner[2][c];
        squared += (x[c] - point[c]) * (x[c] - point[c]);
    }
    return squared;
}

// Weights of the foot of x on the plane; false when it is not within the triangle (or there is no
// plane).
static int foot_inside(const double corner[3][3], const double x[3], double weight[3]) {
    double to[3][3], e1[3], e2[3], normal[3], part[3];
    pal_sub3(corner[1], corner[0], e1);
    pal_sub3(corner[2], corner[0], e2);
    pal_cross3(e1, e2, normal);
    for (int i = 0; i < 3; i++) {
        pal_sub3(corner[i], x, to[i]);
    }
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        pal_cross3(to[(i + 1) % 3], to[(i + 2) % 3], part);
        weight[i] = pal_dot3(part, normal);
        if (!(weight[i] > 0.0)) {
            return 0;
        }
        sum += weight[i];
    }
    for (int i = 0; i < 3; i++) {
        weight[i] /= sum;
    }
    return 1;
}

// Weights of the nearest point of the edge opposite to corner i.
static void foot_on_edge(const double corner[3][3], const double x[3], int i, double weight[3]) {
    int a = (i + 1) % 3, b = (i + 2) % 3;
    double along[3], to[3];
    pal_sub3(corner[b], corner[a], along);
    pal_sub3(x, corner[a], to);
    double length2 = pal_dot3(along, along), t = pal_dot3(along, to);
    t = t <= 0.0 ? 0.0 : t >= length2 ? 1.0 : t / length2;
    weight[i] = 0.0;
    weight[a] = 1.0 - t;
    weight[b] = t;
}

// The foot on the plane and the nearest points of the edges are all points of the triangle; the
// nearest of them is the answer. No thresholds: where rounding spoils the foot of a sliver, an edge
// is as near.
double pal_triangle_nearest(const double corner[3][3], const double x[3], double weight[3],
                            double point[3]) {
    double w[3], p[3], best = INFINITY;
    for (int i = -1; i < 3; i++) {
        if (i < 0) {
            if (!foot_inside(corner, x, w)) {
                continue;
            }
        } else {
            foot_on_edge(corner, x, i, w);
        }
        double squared = measure(corner, x, w, p);
        if (squared < best) {
            best = squared;
            for (int c = 0; c < 3; c++) {
                weight[c] = w[c];
                point[c] = p[c];
            }
        }
    }
    return best;
}
