// Fuzzes the model reader. The first byte of the input says what the rest is:
//     0  a file as it is
//     1  the HDF5 part of a file: gets the user block that makes its hash right
//     2  changes to a valid file, each a place (3 bytes) and a value, then the hash made right
#include <stdlib.h>
#include <string.h>

#include "sim/model/model_block.h"
#include "sim/model/model_hdf5.h"
#include "tests/support/model_sample.h"

// On nonsense behind a right hash HDF5 1.10 asks for absurd amounts of memory (and takes no for an
// answer), and leaks some of its own.
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "allocator_may_return_null=1:max_allocation_size_mb=1024";
}

const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libhdf5";
}

static char *valid;
static size_t valid_size;

static void make_valid(void) {
    pal_model model;
    if (sample_small_model(&model, NULL) != PAL_OK ||
        pal_model_image("sample", &model, &valid, &valid_size, NULL) != PAL_OK) {
        abort();
    }
    pal_model_free(&model);
}

static void parse(const char *data, size_t size) {
    pal_model model;
    pal_err err;
    if (pal_model_parse("fuzz", data, size, &model, &err) == PAL_OK) {
        pal_model_free(&model);
    }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    if (valid == NULL) {
        make_valid();
    }
    if (size == 0 || data[0] % 3 == 0) {
        parse((const char *)data + (size > 0), size - (size > 0));
        return 0;
    }
    bool whole = data[0] % 3 == 1;
    size_t file_size = whole ? PAL_MODEL_BLOCK + size - 1 : valid_size;
    char *file = malloc(file_size);
    if (file == NULL) {
        return 0;
    }
    if (whole) {
        memcpy(file + PAL_MODEL_BLOCK, data + 1, size - 1);
    } else {
        memcpy(file, valid, valid_size);
        for (size_t i = 1; i + 4 <= size; i += 4) {
            size_t place = data[i] + 256u * data[i + 1] + 65536u * data[i + 2];
            file[place % valid_size] = (char)data[i + 3];
        }
    }
    pal_model_block_fill(file, file_size, pal_model_kind());
    parse(file, file_size);
    free(file);
    return 0;
}
