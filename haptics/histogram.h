// Times of ticks, counted in bins whose widths grow with the time: each power of two of nanoseconds
// is cut into 32 bins, so a quantile is at most 1/32 (3.2 %) too high and never too low; the
// largest time is exact. One thread counts; others read when it is done.
#ifndef PAL_HAPTICS_HISTOGRAM_H
#define PAL_HAPTICS_HISTOGRAM_H

#include <stdint.h>

enum {
    PAL_HISTOGRAM_SHIFT = 5, // 2^5 bins an octave
    PAL_HISTOGRAM_OCTAVES = 36,
    PAL_HISTOGRAM_BINS = (PAL_HISTOGRAM_OCTAVES + 1) << PAL_HISTOGRAM_SHIFT, // to 36 minutes
};

typedef struct pal_histogram {
    uint64_t count;
    double sum_us;
    int64_t max_ns;
    uint64_t bin[PAL_HISTOGRAM_BINS];
} pal_histogram;

typedef struct pal_histogram_summary {
    uint64_t count;
    double mean, p50, p99, p9999, max; // microseconds; zeros when nothing was counted
} pal_histogram_summary;

void pal_histogram_init(pal_histogram *histogram);
void pal_histogram_add(pal_histogram *histogram, int64_t ns); // below zero counts as zero. RT safe.

// The time in microseconds that the share (0..1) of all did not exceed.
double pal_histogram_quantile(const pal_histogram *histogram, double share);
pal_histogram_summary pal_histogram_summarize(const pal_histogram *histogram);

#endif
