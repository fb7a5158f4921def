// 16-bit floating point as graphics memory has it (IEEE 754 binary16). Any thread.
#ifndef PAL_RENDER_HALF_H
#define PAL_RENDER_HALF_H

#include <stdint.h>
#include <string.h>

// The nearest half, ties to even; beyond their range infinity.
static inline uint16_t pal_half_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t sign = bits >> 16 & 0x8000, size = bits & 0x7FFFFFFF;
    if (size >= 0x7F800000) { // infinite, or not a number
        return (uint16_t)(sign | 0x7C00 | (size > 0x7F800000 ? 0x200 : 0));
    }
    if (size >= 0x477FF000) { // from 65520 on
        return (uint16_t)(sign | 0x7C00);
    }
    if (size < 0x38800000) { // below 2^-14: steps of 2^-24; adding 0.5 rounds to them
        float part, shifted;
        memcpy(&part, &size, sizeof part);
        shifted = part + 0.5F;
        memcpy(&bits, &shifted, sizeof bits);
        return (uint16_t)(sign | (bits - 0x3F000000));
    }
    const uint32_t odd = size >> 13 & 1;
    return (uint16_t)(sign | (size + 0xC8000000u + 0xFFF + odd) >> 13);
}

// And back.
static inline float pal_half_value(uint16_t half) {
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16, size = half & 0x7FFF;
    uint32_t bits;
    float value;
    if (size >= 0x7C00) {
        bits = sign | 0x7F800000 | (size & 0x3FF) << 13;
    } else if (size >= 0x400) {
        bits = sign | ((size << 13) + 0x38000000);
    } else {
        value = (float)size * 5.9604644775390625e-8F; // 2^-24
        memcpy(&bits, &value, sizeof bits);
        bits |= sign;
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
