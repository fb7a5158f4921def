#include "sim/base/visible.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// How many bytes a character has that begins so; 0: none begins so.
static int announced(unsigned char c) {
    return c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
}

// Too long a form, a half of a pair, beyond the last, or a control character of two bytes.
static bool is_forbidden(unsigned char c, unsigned char next) {
    return (c == 0xe0 && next < 0xa0) || (c == 0xed && next >= 0xa0) ||
           (c == 0xf0 && next < 0x90) || (c == 0xf4 && next >= 0x90) || (c == 0xc2 && next < 0xa0);
}

int pal_visible_size(const char *at, size_t size) {
    const unsigned char *text = (const unsigned char *)at;
    const int length = announced(text[0]);
    if (length == 1) {
        return text[0] >= 0x20 && text[0] != 0x7f;
    }
    for (int i = 1; i < length; i++) {
        if ((size_t)i >= size) {
            return -1;
        }
        if ((text[i] & 0xc0) != 0x80 || (i == 1 && is_forbidden(text[0], text[1]))) {
            return 0;
        }
    }
    return length;
}

char *pal_visible_copy(const char *text, char *out, size_t room) {
    const size_t length = strlen(text);
    size_t used = 0;
    for (size_t at = 0; at < length;) {
        const int size = pal_visible_size(text + at, length - at);
        char escape[8];
        snprintf(escape, sizeof escape, "\\x%02x", (unsigned)(unsigned char)text[at]);
        const size_t takes = size > 0 ? (size_t)size : PAL_VISIBLE_MOST;
        if (used + takes >= room) {
            break;
        }
        memcpy(out + used, size > 0 ? text + at : escape, takes);
        used += takes;
        at += size > 0 ? (size_t)size : 1;
    }
    out[used] = '\0';
    return out;
}
