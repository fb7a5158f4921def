// What of a signal lies in a band of frequencies.
#ifndef PAL_TESTS_BAND_H
#define PAL_TESTS_BAND_H

// The rms of x [count], sampled every dt s, between low and high Hz (both included), by a discrete
// Fourier transform after its mean and slope are taken out.
double band_rms(const double *x, int count, double dt, double low, double high);

#endif
