#include "haptics/histogram.h"

#include <math.h>
#include <string.h>

enum { SUB_BINS = 1 << PAL_HISTOGRAM_SHIFT };

void pal_histogram_init(pal_histogram *histogram) {
    memset(histogram, 0, sizeof *histogram);
}

// Below 2^SHIFT ns a bin is one nanosecond; above, the leading SHIFT + 1 bits name it.
static int bin_of(uint64_t ns) {
    int octave = 0;
    while (ns >= 2 * SUB_BINS) {
        ns >>= 1;
        octave++;
    }
    int bin = (octave << PAL_HISTOGRAM_SHIFT) + (int)ns;
    return bin < PAL_HISTOGRAM_BINS ? bin : PAL_HISTOGRAM_BINS - 1;
}

// The longest time that falls into a bin, ns.
static int64_t bin_end(int bin) {
    int octave = bin < SUB_BINS ? 0 : (bin >> PAL_HISTOGRAM_SHIFT) - 1;
    int64_t lead = bin - (octave << PAL_HISTOGRAM_SHIFT);
    return ((lead + 1) << octave) - 1;
}

void pal_histogram_add(pal_histogram *histogram, int64_t ns) {
    ns = ns > 0 ? ns : 0;
    histogram->count++;
    histogram->sum_us += 1e-3 * (double)ns;
    histogram->max_ns = ns > histogram->max_ns ? ns : histogram->max_ns;
    histogram->bin[bin_of((uint64_t)ns)]++;
}

double pal_histogram_quantile(const pal_histogram *histogram, double share) {
    // The rank from 1 to count
    double rank = ceil(share * (double)histogram->count);
    uint64_t below = 0;
    for (int bin = 0; bin < PAL_HISTOGRAM_BINS - 1; bin++) {
        below += histogram->bin[bin];
        if (below > 0 && (double)below >= rank) {
            int64_t end = bin_end(bin);
            return 1e-3 * (double)(end < histogram->max_ns ? end : histogram->max_ns);
        }
    }
    return 1e-3 * (double)histogram->max_ns;
}

pal_histogram_summary pal_histogram_summarize(const pal_histogram *histogram) {
    return (pal_histogram_summary){
        .count = histogram->count,
        .mean = histogram->count > 0 ? histogram->sum_us / (double)histogram->count : 0.0,
        .p50 = pal_histogram_quantile(histogram, 0.50),
        .p99 = pal_histogram_quantile(histogram, 0.99),
        .p9999 = pal_histogram_quantile(histogram, 0.9999),
        .max = 1e-3 * (double)histogram->max_ns,
    };
}
