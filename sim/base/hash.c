#define XXH_STATIC_LINKING_ONLY // the size of XXH3_state_t
#include "sim/base/hash.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

_Static_assert(sizeof(XXH3_state_t) <= sizeof((pal_hash *)0)->state, "pal_hash is too small");
_Static_assert(_Alignof(XXH3_state_t) <= _Alignof(pal_hash), "pal_hash is not aligned enough");

static XXH3_state_t *state_of(pal_hash *hash) {
    return (XXH3_state_t *)(void *)hash->state;
}

void pal_hash_init(pal_hash *hash) {
    memset(hash, 0, sizeof *hash);
    XXH3_INITSTATE(state_of(hash));
    XXH3_128bits_reset(state_of(hash));
}

void pal_hash_update(pal_hash *hash, const void *data, size_t size) {
    if (size > 0) {
        XXH3_128bits_update(state_of(hash), data, size);
    }
}

void pal_hash_update_string(pal_hash *hash, const char *string) {
    uint64_t length = strlen(string);
    pal_hash_update(hash, &length, sizeof length);
    pal_hash_update(hash, string, (size_t)length);
}

static XXH128_hash_t digest_of(const pal_hash *hash) {
    pal_hash copy = *hash;
    return XXH3_128bits_digest(state_of(&copy));
}

uint64_t pal_hash_number(const pal_hash *hash) {
    return digest_of(hash).low64;
}

void pal_hash_text(const pal_hash *hash, char text[PAL_HASH_TEXT]) {
    const XXH128_hash_t digest = digest_of(hash);
    snprintf(text, PAL_HASH_TEXT, "%016llx%016llx", (unsigned long long)digest.high64,
             (unsigned long long)digest.low64);
}
