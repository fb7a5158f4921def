// Content hashes: XXH3-128 of a stream of bytes, as 32 hexadecimal digits. Not cryptographic: it
// tells changed content from unchanged, it does not keep out an enemy.
#ifndef PAL_BASE_HASH_H
#define PAL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

enum { PAL_HASH_TEXT = 33 }; // 32 hexadecimal digits and NUL

// The state of a hash under way; copying it forks the stream. Owns nothing.
typedef struct pal_hash {
    _Alignas(64) unsigned char state[640];
} pal_hash;

// Any thread, one pal_hash per thread.
void pal_hash_init(pal_hash *hash);
void pal_hash_update(pal_hash *hash, const void *data, size_t size);

// Adds the length and then the characters, so that ("ab", "c") and ("a", "bc") differ.
void pal_hash_update_string(pal_hash *hash, const char *string);

// The digits of everything so far, or the lower half of them as a number; the stream may go on.
void pal_hash_text(const pal_hash *hash, char text[PAL_HASH_TEXT]);
uint64_t pal_hash_number(const pal_hash *hash);

#endif
