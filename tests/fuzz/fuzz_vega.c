// Any bytes as a VEGA .veg file; after a NUL, what each *INCLUDE in it finds.
#include "tests/fuzz/fuzz_mesh.h"

typedef struct rest {
    const char *at;
    size_t size;
} rest;

static pal_status read_rest(void *context, const char *path, char **data, size_t *size,
                            pal_err *err) {
    const rest *all = context;
    (void)path;
    *size = all->size;
    *data = malloc(all->size + 1);
    if (*data == NULL) {
        return pal_fail(err, PAL_ERR_MEMORY, "out of memory");
    }
    memcpy(*data, all->at, all->size);
    return PAL_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text = (const char *)data;
    const char *cut = size > 0 ? memchr(text, '\0', size) : NULL;
    rest included = {.at = "", .size = 0};
    if (cut != NULL) {
        included = (rest){.at = cut + 1, .size = (size_t)(text + size - cut) - 1};
    }
    const pal_mesh_files files = {.read = read_rest, .context = &included};
    const pal_text first = {.name = "fuzz",
                            .data = text,
                            .size = cut != NULL ? (size_t)(cut - text) : size,
                            .files = &files};
    fuzz_mesh(PAL_MESH_VEGA, &first, NULL);
    return 0;
}
