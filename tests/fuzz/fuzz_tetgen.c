// Any bytes as a TetGen pair: the .node file, a NUL, then 'h' and a .hex file or else an .ele file.
#include "tests/fuzz/fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text = (const char *)data;
    const char *cut = size > 0 ? memchr(text, '\0', size) : NULL;
    size_t node_size = cut != NULL ? (size_t)(cut - text) : size;
    const char *rest = cut != NULL ? cut + 1 : text + size;
    size_t rest_size = (size_t)(text + size - rest);
    bool hexes = rest_size > 0 && rest[0] == 'h';
    const pal_text nodes = {.name = "fuzz.node", .data = text, .size = node_size};
    const pal_text elements = {
        .name = hexes ? "fuzz.hex" : "fuzz.ele", .data = rest + hexes, .size = rest_size - hexes};
    fuzz_mesh(PAL_MESH_TETGEN, &nodes, &elements);
    return 0;
}
