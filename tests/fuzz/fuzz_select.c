// Any text as a selector: checked, then run over a small mesh with two regions and dropped
// vertices.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/mesh/select.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const double x[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}};
    static const int32_t element[8] = {0, 1, 2, 3, 0, 2, 1, 4};
    pal_volmesh mesh;
    pal_err err;
    uint8_t selected[5];
    char *text = malloc(size + 1);
    if (text == NULL || pal_volmesh_alloc(&mesh, PAL_TET4, 5, 2, 2, &err) != PAL_OK) {
        abort();
    }
    memcpy(mesh.x, x, sizeof x);
    memcpy(mesh.element, element, sizeof element);
    memcpy(mesh.regions[1].name, "left lobe", 10);
    mesh.region[1] = 1;
    mesh.file_vertex[4] = 6;
    mesh.dropped_count = 2;
    mesh.sets = calloc(1, sizeof *mesh.sets);
    mesh.set_count = mesh.sets != NULL;
    if (mesh.set_count == 1 && (mesh.sets[0].index = calloc(1, sizeof(int32_t))) != NULL) {
        memcpy(mesh.sets[0].name, "top", 4);
        mesh.sets[0].index[0] = 3;
        mesh.sets[0].count = 1;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    pal_status checked = pal_select_check(text, &err);
    int32_t count = 0;
    pal_status status = pal_select_vertices(&mesh, text, selected, &count, &err);
    if ((status == PAL_OK && checked != PAL_OK) || count < 0 || count > 5) {
        abort();
    }
    if (pal_select_elements(&mesh, text, selected, NULL, &err) != status) {
        abort();
    }
    pal_volmesh_free(&mesh);
    free(text);
    return 0;
}
