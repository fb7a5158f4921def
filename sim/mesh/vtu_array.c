// Binary arrays of VTK XML files. Plain: a header with the count of bytes, then the bytes. With
// zlib: a header (blocks, block size, size of the last block when it is shorter, compressed size of
// each block), then the compressed blocks. As base64 the header may be coded apart or together with
// what follows: padding inside the text is fine.
#include "sim/mesh/vtu_array.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "sim/base/memory.h"

enum { ZLIB_RATIO_MAX = 1040 }; // zlib cannot pack tighter

static const char no_memory[] = "out of memory";

typedef struct source { // a stream of bytes out of raw or base64 text
    bool base64;
    const char *at, *end;
    unsigned char kept[3]; // decoded but not taken yet
    int kept_count;
} source;

static int base64_digit(char c) {
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

// Decodes the next group of four characters into `kept`; false at the end or at a wrong one.
static bool decode_group(source *from) {
    unsigned bits = 0;
    int digits = 0, padding = 0;
    while (digits + padding < 4) {
        if (from->at == from->end) {
            return false;
        }
        char c = *from->at++;
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
            continue;
        }
        int digit = c == '=' ? 0 : base64_digit(c);
        if (digit < 0 || (c != '=' && padding > 0)) {
            return false;
        }
        padding += c == '=';
        digits += c != '=';
        bits = bits << 6 | (unsigned)digit;
    }
    if (padding > 2) {
        return false;
    }
    from->kept_count = 3 - padding;
    for (int i = 0; i < from->kept_count; i++) {
        from->kept[i] = (unsigned char)(bits >> (16 - 8 * i));
    }
    return true;
}

// Takes `count` bytes; false when they are not there.
static bool take(source *from, unsigned char *out, size_t count) {
    if (!from->base64) {
        if (count > (size_t)(from->end - from->at)) {
            return false;
        }
        memcpy(out, from->at, count);
        from->at += count;
        return true;
    }
    while (count > 0) {
        if (from->kept_count == 0 && !decode_group(from)) {
            return false;
        }
        size_t taken = count < (size_t)from->kept_count ? count : (size_t)from->kept_count;
        memcpy(out, from->kept, taken);
        memmove(from->kept, from->kept + taken, (size_t)from->kept_count - taken);
        from->kept_count -= (int)taken;
        out += taken;
        count -= taken;
    }
    return true;
}

// An upper bound of the bytes that are left.
static size_t bytes_left(const source *from) {
    size_t left = (size_t)(from->end - from->at);
    return from->base64 ? left / 4 * 3 + 3 : left;
}

static bool take_header(const pal_vtu_layout *layout, source *from, uint64_t *value) {
    unsigned char bytes[8];
    if (!take(from, bytes, (size_t)layout->header_size)) {
        return false;
    }
    *value = 0;
    for (int i = 0; i < layout->header_size; i++) {
        *value = *value << 8 | bytes[layout->big_endian ? i : layout->header_size - 1 - i];
    }
    return true;
}

static pal_status fail(const pal_vtu_layout *layout, const pal_vtu_array *array, const char *what,
                       const char *why) {
    pal_status status = why == no_memory ? PAL_ERR_MEMORY : PAL_ERR_INPUT;
    return pal_fail_at(layout->err, status, layout->name, array->line, "array %s: %s", what, why);
}

// Decompresses one block of `packed` bytes into exactly `size` bytes. NULL, or what is wrong.
static const char *inflate_block(source *from, uint64_t packed, unsigned char *out, uint64_t size,
                                 pal_err *err) {
    if (packed > bytes_left(from)) {
        return "the file ends inside it; is it cut short?";
    }
    unsigned char *bytes = PAL_NEW(unsigned char, packed, err);
    if (bytes == NULL) {
        return no_memory;
    }
    uLongf made = (uLongf)size;
    bool good = take(from, bytes, (size_t)packed) &&
                uncompress(out, &made, bytes, (uLong)packed) == Z_OK && made == size;
    free(bytes);
    return good ? NULL : "its compressed data are damaged";
}

// The sizes of the compressed blocks: in `packed`, a heap array of *blocks. NULL, or what is wrong.
static const char *take_block_sizes(const pal_vtu_layout *layout, source *from, uint64_t total,
                                    uint64_t **packed, uint64_t *blocks, uint64_t *block_size) {
    uint64_t last = 0;
    if (!take_header(layout, from, blocks) || !take_header(layout, from, block_size) ||
        !take_header(layout, from, &last)) {
        return "the file ends inside it; is it cut short?";
    }
    if (*blocks == 0 || *blocks > bytes_left(from) / (size_t)layout->header_size ||
        *block_size == 0 || last > *block_size) {
        return "its header is wrong";
    }
    uint64_t full = last == 0 ? *blocks : *blocks - 1;
    if (full > total / *block_size || full * *block_size + last != total) {
        return "it does not have as many numbers as it should";
    }
    *packed = PAL_NEW(uint64_t, *blocks, layout->err);
    if (*packed == NULL) {
        return no_memory;
    }
    for (uint64_t b = 0; b < *blocks; b++) {
        if (!take_header(layout, from, &(*packed)[b])) {
            return "the file ends inside it; is it cut short?";
        }
    }
    return NULL;
}

static const char *take_compressed(const pal_vtu_layout *layout, source *from, unsigned char *out,
                                   uint64_t total) {
    uint64_t *packed = NULL, blocks = 0, block_size = 0;
    const char *why = take_block_sizes(layout, from, total, &packed, &blocks, &block_size);
    for (uint64_t b = 0, at = 0; why == NULL && b < blocks; b++, at += block_size) {
        uint64_t size = total - at < block_size ? total - at : block_size;
        why = inflate_block(from, packed[b], out + at, size, layout->err);
    }
    free(packed);
    return why;
}

static const char *take_plain(const pal_vtu_layout *layout, source *from, unsigned char *out,
                              uint64_t total) {
    uint64_t size = 0;
    if (!take_header(layout, from, &size)) {
        return "the file ends inside it; is it cut short?";
    }
    if (size != total) {
        return "it does not have as many numbers as it should";
    }
    return take(from, out, (size_t)total) ? NULL : "the file ends inside it; is it cut short?";
}

// The bytes of a binary array, on the heap.
static unsigned char *read_bytes(const pal_vtu_layout *layout, const pal_vtu_array *array,
                                 const char *what, int64_t count, pal_status *status) {
    source from = {
        .base64 = array->coding == PAL_VTU_BASE64, .at = array->begin, .end = array->end};
    uint64_t total = (uint64_t)count * (uint64_t)array->type->size;
    if (total / (layout->zlib ? ZLIB_RATIO_MAX : 1) > bytes_left(&from)) {
        *status = fail(layout, array, what, "the file ends inside it; is it cut short?");
        return NULL;
    }
    unsigned char *bytes = PAL_NEW(unsigned char, total, layout->err);
    if (bytes == NULL) {
        *status = PAL_ERR_MEMORY;
        return NULL;
    }
    const char *why = NULL;
    if (total > 0) {
        why = layout->zlib ? take_compressed(layout, &from, bytes, total)
                           : take_plain(layout, &from, bytes, total);
    }
    if (why != NULL) {
        free(bytes);
        *status = fail(layout, array, what, why);
        return NULL;
    }
    return bytes;
}

// Exactly `count` numbers written as text, into one of the two arrays.
static pal_status read_text(const pal_vtu_layout *layout, const pal_vtu_array *array,
                            const char *what, int64_t count, double *reals, int64_t *ints) {
    pal_text text = {
        .name = layout->name, .data = array->begin, .size = (size_t)(array->end - array->begin)};
    pal_scan scan;
    pal_scan_begin(&scan, &text, '\0', layout->err);
    scan.line = array->line;
    for (int64_t i = 0; i < count && scan.status == PAL_OK; i++) {
        if (reals != NULL) {
            reals[i] = pal_scan_real(&scan, what);
        } else {
            ints[i] = pal_scan_int(&scan, what);
        }
    }
    if (scan.status == PAL_OK && pal_scan_word(&scan).size > 0) {
        pal_scan_fail(&scan, PAL_ERR_INPUT, "array %s has more than %lld numbers", what,
                      (long long)count);
    }
    return scan.status;
}

// Whether the array is there and may hold so many numbers.
static bool check_array(const pal_vtu_layout *layout, const pal_vtu_array *array, const char *what,
                        int64_t count, pal_status *status) {
    if (*status != PAL_OK) {
        return false;
    }
    if (array->type == NULL) {
        *status = pal_fail_at(layout->err, PAL_ERR_INPUT, layout->name, 0,
                              "array %s is missing; is the file cut short?", what);
    } else if (count < 0 || count > INT64_MAX / 16 ||
               (array->coding == PAL_VTU_ASCII && count > (array->end - array->begin + 1) / 2)) {
        *status = fail(layout, array, what, "it does not have as many numbers as it should");
    }
    return *status == PAL_OK;
}

// The numbers as double (real) or as int64_t: both take 8 bytes.
static void *read_numbers(const pal_vtu_layout *layout, const pal_vtu_array *array,
                          const char *what, int64_t count, bool real, pal_status *status) {
    unsigned char *bytes = NULL;
    if (!check_array(layout, array, what, count, status)) {
        return NULL;
    }
    if (array->coding != PAL_VTU_ASCII) {
        bytes = read_bytes(layout, array, what, count, status);
        if (bytes == NULL) {
            return NULL;
        }
    }
    void *out = pal_alloc((size_t)count, sizeof(int64_t), layout->err);
    if (out == NULL) {
        *status = PAL_ERR_MEMORY;
    } else if (bytes == NULL) {
        *status = read_text(layout, array, what, count, real ? out : NULL, real ? NULL : out);
    } else if (real) {
        pal_vtk_decode_reals(array->type, layout->big_endian, bytes, count, out);
    } else {
        pal_vtk_decode_ints(array->type, layout->big_endian, bytes, count, out);
    }
    free(bytes);
    if (*status != PAL_OK) {
        free(out);
        out = NULL;
    }
    return out;
}

double *pal_vtu_reals(const pal_vtu_layout *layout, const pal_vtu_array *array, const char *what,
                      int64_t count, pal_status *status) {
    return read_numbers(layout, array, what, count, true, status);
}

int64_t *pal_vtu_ints(const pal_vtu_layout *layout, const pal_vtu_array *array, const char *what,
                      int64_t count, pal_status *status) {
    return read_numbers(layout, array, what, count, false, status);
}
