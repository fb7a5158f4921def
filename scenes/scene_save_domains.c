// A scene with other domains: a list of them beside it, and the scene's text that names it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/scene.h"
#include "scenes/yaml_text.h"
#include "sim/base/file.h"
#include "sim/base/memory.h"

// "{file: "flower-domains.txt", modes: {each: 20}}": what the scene says of its domains beside
// where they are, kept.
static pal_status tell_domains(const pal_scene *scene, const char *file, char **text,
                               pal_err *err) {
    static const char *const kept[] = {"modes", "boundary", "congruent", "root", "rigid"};
    size_t size = 0;
    FILE *out = open_memstream(text, &size);
    if (out == NULL) {
        return pal_fail(err, PAL_ERR_MEMORY, "out of memory for a scene");
    }
    pal_status status = PAL_OK;
    fprintf(out, "{file: ");
    pal_yaml_print_quoted(out, file);
    for (size_t k = 0; status == PAL_OK && k < sizeof kept / sizeof *kept; k++) {
        char key[64], *value = NULL;
        snprintf(key, sizeof key, "body.domains.%s", kept[k]);
        status = pal_scene_value(scene, key, &value, err);
        if (status == PAL_OK && value != NULL) {
            fprintf(out, ", %s: %s", kept[k], value);
        }
        free(value);
    }
    fputc('}', out);
    if (fclose(out) != 0 && status == PAL_OK) {
        status = pal_fail(err, PAL_ERR_MEMORY, "out of memory for a scene");
    }
    return status;
}

// The name of the list: the scene's without its ending, and -domains.txt.
static char *name_list(const char *path, pal_err *err) {
    static const char ending[] = "-domains.txt";
    const char *dot = strrchr(path, '.');
    const size_t stem = dot != NULL ? (size_t)(dot - path) : strlen(path);
    char *list = PAL_NEW(char, stem + sizeof ending, err);
    if (list != NULL) {
        memcpy(list, path, stem);
        memcpy(list + stem, ending, sizeof ending);
    }
    return list;
}

pal_status pal_scene_save_domains(const pal_scene *scene, const pal_volmesh *mesh,
                                  const pal_domain_labels *labels, const char *path, pal_err *err) {
    char *list = name_list(path, err), *value = NULL, *text = NULL;
    if (list == NULL) {
        return PAL_ERR_MEMORY;
    }
    const char *slash = strrchr(list, '/');
    pal_status status = tell_domains(scene, slash != NULL ? slash + 1 : list, &value, err);
    if (status == PAL_OK) {
        // a basis is of one body alone; domains say their modes themselves
        const pal_scene_change change[2] = {{"body.domains", value}, {"basis", NULL}};
        char *basis = NULL;
        status = pal_scene_value(scene, "basis", &basis, err);
        if (status == PAL_OK) {
            status = pal_scene_text_with(scene, change, basis != NULL ? 2 : 1, &text, err);
        }
        free(basis);
    }
    if (status == PAL_OK) { // it is there when the new scene is read, to be checked
        status = pal_domain_list_write(list, mesh, labels, err);
    }
    if (status == PAL_OK) {
        pal_scene changed;
        status = pal_scene_parse(path, text, strlen(text), &changed, err);
        if (status == PAL_OK) {
            pal_scene_free(&changed);
            status = pal_file_write_atomic(path, text, strlen(text), err);
        }
    }
    free(list);
    free(value);
    free(text);
    return status;
}
