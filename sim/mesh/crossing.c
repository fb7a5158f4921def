#include "sim/mesh/crossing.h"

#include <math.h>

// Twice the signed area of (a, b, p) in the plane u, v; its sign is never 0: p counts as moved by
// (d, d^2) with d small. Swapping a and b changes exactly the sign.
static double side_of_edge(const double *a, const double *b, double pu, double pv, int u, int v,
                           int *sign) {
    bool swapped = a[u] > b[u] || (a[u] == b[u] && a[v] > b[v]);
    const double *f = swapped ? b : a, *g = swapped ? a : b;
    double area = (g[u] - f[u]) * (pv - f[v]) - (g[v] - f[v]) * (pu - f[u]);
    int s = area > 0.0 ? 1 : area < 0.0 ? -1 : 0;
    if (s == 0) {
        s = g[v] != f[v] ? (g[v] < f[v] ? 1 : -1) : (g[u] > f[u] ? 1 : -1);
    }
    *sign = swapped ? -s : s;
    return swapped ? -area : area;
}

bool pal_axis_crossing(double (*x)[3], int w, double pu, double pv, double *depth, bool *enters) {
    int u = (w + 1) % 3, v = (w + 2) % 3;
    double area[3];
    int sign[3];
    for (int e = 0; e < 3; e++) {
        area[e] = side_of_edge(x[(e + 1) % 3], x[(e + 2) % 3], pu, pv, u, v, &sign[e]);
    }
    if (sign[0] != sign[1] || sign[1] != sign[2]) {
        return false;
    }
    const double low = fmin(fmin(x[0][w], x[1][w]), x[2][w]);
    const double high = fmax(fmax(x[0][w], x[1][w]), x[2][w]);
    double sum = area[0] + area[1] + area[2];
    double at =
        sum != 0.0 ? (area[0] * x[0][w] + area[1] * x[1][w] + area[2] * x[2][w]) / sum : x[0][w];
    *depth = fmin(fmax(at, low), high);
    *enters = sign[0] < 0;
    return true;
}
