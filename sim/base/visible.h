// Text from files, for eyes: what is no plain character is shown as an escape, so that a name out
// of a mesh or a scene gives no terminal, window or page an order.
#ifndef PAL_BASE_VISIBLE_H
#define PAL_BASE_VISIBLE_H

#include <stddef.h>

// Bytes of the character of UTF-8 at `at`, of which `size` bytes are there: 1 to 4 for one that may
// be shown; 0 for a control character (C0, DEL, C1) and for what is no UTF-8; -1 where it may be
// the beginning of a character and the rest is not there.
int pal_visible_size(const char *at, size_t size);

enum { PAL_VISIBLE_MOST = 4 }; // the longest character, and bytes that a byte takes as an escape

// Copies text to out [room], bytes that are not shown as \x1b; it is cut where there is no room
// (between characters), and ends in NUL. Returns out.
char *pal_visible_copy(const char *text, char *out, size_t room);

#endif
