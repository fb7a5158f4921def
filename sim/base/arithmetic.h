// The control word of a thread's arithmetic: whether the smallest numbers count as zero. All RT
// safe.
#ifndef PAL_BASE_ARITHMETIC_H
#define PAL_BASE_ARITHMETIC_H

#if defined(__SSE2__)
#include <xmmintrin.h>

#define PAL_ARITHMETIC_FLUSH 0x8040ul // results to zero, and operands

static inline unsigned long pal_arithmetic(void) {
    return _mm_getcsr();
}

static inline void pal_arithmetic_set(unsigned long control) {
    _mm_setcsr((unsigned)control);
}

#elif defined(__aarch64__)

#define PAL_ARITHMETIC_FLUSH (1ul << 24)

static inline unsigned long pal_arithmetic(void) {
    unsigned long control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return control;
}

static inline void pal_arithmetic_set(unsigned long control) {
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
}

#else

#define PAL_ARITHMETIC_FLUSH 0ul // no switch for it

static inline unsigned long pal_arithmetic(void) {
    return 0ul;
}

static inline void pal_arithmetic_set(unsigned long control) {
    (void)control;
}

#endif

#endif
