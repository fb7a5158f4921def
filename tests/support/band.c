#include "tests/support/band.h"

#include <math.h>

double band_rms(const double *x, int count, double dt, double low, double high) {
    static const double two_pi = 6.283185307179586;
    double mean = 0.0, slope = 0.0, spread = 0.0, power = 0.0;
    for (int k = 0; k < count; k++) {
        mean += x[k] / count;
    }
    for (int k = 0; k < count; k++) {
        const double t = k - 0.5 * (count - 1);
        slope += t * (x[k] - mean);
        spread += t * t;
    }
    slope /= spread;
    for (int f = (int)ceil(low * count * dt); f <= (int)floor(high * count * dt); f++) {
        double re = 0.0, im = 0.0;
        for (int k = 0; k < count; k++) {
            const double y = x[k] - mean - slope * (k - 0.5 * (count - 1));
            const double angle = two_pi * (double)((long)f * k % count) / count;
            re += y * cos(angle);
            im += y * sin(angle);
        }
        power += 2.0 * (re * re + im * im) / ((double)count * count);
    }
    return sqrt(power);
}
