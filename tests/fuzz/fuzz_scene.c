// Fuzzes the scene parser: the input is the text of a scene file. No geometry is made.
#include "scenes/scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    pal_scene scene;
    pal_err err;
    if (pal_scene_parse("fuzz/scene.yaml", (const char *)data, size, &scene, &err) == PAL_OK) {
        char key[PAL_HASH_TEXT];
        pal_scene_key(&scene, key, &err);
        pal_scene_free(&scene);
    }
    return 0;
}
