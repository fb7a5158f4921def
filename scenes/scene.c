#include "scenes/scene.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scenes/scene_file.h"
#include "scenes/yaml_text.h"
#include "sim/base/file.h"
#include "sim/base/memory.h"

static const char *const shipped[] = {"bridge",   "dragon", "flower",    "heart",   "letters",
                                      "liver",    "nodule", "oak",       "spoon",   "station",
                                      "surfaces", "tower",  "two-hands", "vessels", "wall"};

const char *pal_scene_shipped(int index) {
    int count = (int)(sizeof shipped / sizeof *shipped);
    return index >= 0 && index < count ? shipped[index] : NULL;
}

static const char *shipped_folder(void) {
    const char *folder = getenv("PALPATE_SCENES");
    return folder != NULL && folder[0] != '\0' ? folder : PAL_SCENES_DIR;
}

bool pal_scene_is_shipped(const char *path) {
    for (int i = 0; pal_scene_shipped(i) != NULL; i++) {
        char own[4096];
        struct stat this_one, that;
        snprintf(own, sizeof own, "%s/%s.yaml", shipped_folder(), pal_scene_shipped(i));
        if (stat(own, &that) == 0 && stat(path, &this_one) == 0 && this_one.st_dev == that.st_dev &&
            this_one.st_ino == that.st_ino) {
            return true;
        }
    }
    return false;
}

bool pal_scene_is_path(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot != NULL && (strcasecmp(dot, ".yaml") == 0 || strcasecmp(dot, ".yml") == 0);
}

char *pal_scene_file_path(const pal_scene *scene, const char *file, pal_err *err) {
    const char *slash = strrchr(scene->path, '/');
    int folder = file[0] == '/' || slash == NULL ? 0 : (int)(slash + 1 - scene->path);
    size_t size = (size_t)folder + strlen(file) + 1;
    char *path = PAL_NEW(char, size, err);
    if (path != NULL) {
        snprintf(path, size, "%.*s%s", folder, scene->path, file);
    }
    return path;
}

pal_status pal_scene_fail(const pal_scene *scene, const char *key, const pal_err *inner,
                          pal_err *err) {
    yaml_document_t document;
    long line = 0;
    if (pal_yaml_load(scene->path, scene->text, strlen(scene->text), &document, NULL) == PAL_OK) {
        line = pal_yaml_line(&document, key);
        yaml_document_delete(&document);
    }
    return pal_fail_at(err, inner->status, scene->path, line, "%s: %.700s", key, inner->text);
}

pal_status pal_scene_check_edits(const pal_scene *scene, const pal_model *model, pal_err *err) {
    for (int32_t i = 0; i < scene->live.edit_count; i++) {
        char key[64];
        pal_err inner;
        if (pal_material_edit_apply(&scene->live.edit[i], model, NULL, &inner) != PAL_OK) {
            snprintf(key, sizeof key, "edits.%d.region", (int)i);
            return pal_scene_fail(scene, key, &inner, err);
        }
    }
    return PAL_OK;
}

pal_status pal_scene_check_surfaces(const pal_scene *scene, const pal_model *model, pal_err *err) {
    for (int32_t i = 0; i < scene->live.surface_count; i++) {
        const char *region = scene->live.surface[i].region;
        char key[64];
        pal_err inner;
        if (region[0] != '\0' && pal_model_find_region(model, region, &inner) < 0) {
            snprintf(key, sizeof key, "surfaces.%d.region", (int)i);
            return pal_scene_fail(scene, key, &inner, err);
        }
    }
    return PAL_OK;
}

// ---- reading

// A scene named without a path: "liver".
static pal_status find_shipped(const char *name, char *path, size_t size, pal_err *err) {
    const char *folder = shipped_folder();
    int used = snprintf(path, size, "%s/%s.yaml", folder, name);
    if (used > 0 && (size_t)used < size && access(path, F_OK) == 0) {
        return PAL_OK;
    }
    char list[256] = "";
    for (int i = 0; pal_scene_shipped(i) != NULL; i++) {
        size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, "%s%s", i > 0 ? ", " : "", pal_scene_shipped(i));
    }
    return pal_fail(err, PAL_ERR_USAGE,
                    "no scene '%.100s' in %.300s; give the path of a .yaml file, or one of: %s",
                    name, folder, list);
}

pal_status pal_scene_read(const char *name, pal_scene *scene, pal_err *err) {
    memset(scene, 0, sizeof *scene);
    char path[4096];
    if (pal_scene_is_path(name) || strchr(name, '/') != NULL) {
        int used = snprintf(path, sizeof path, "%s", name);
        if (used < 0 || (size_t)used >= sizeof path) {
            return pal_fail(err, PAL_ERR_USAGE, "the path of the scene is too long");
        }
    } else {
        pal_status status = find_shipped(name, path, sizeof path, err);
        if (status != PAL_OK) {
            return status;
        }
    }
    char *text;
    size_t size;
    pal_status status = pal_file_read(path, &text, &size, err);
    if (status == PAL_OK) {
        status = pal_scene_parse(path, text, size, scene, err);
    }
    free(text);
    return status;
}

// ---- parsing

// Text from the file may hold control characters; a message is one line.
static void make_one_line(pal_err *err) {
    for (char *c = err->text; *c != '\0'; c++) {
        *c = iscntrl((unsigned char)*c) ? '?' : *c;
    }
}

static pal_status load_structs(pal_scene *scene, yaml_document_t *document,
                               const pal_point_ground *ground, pal_err *err) {
    cyaml_data_t *data = NULL;
    char *text;
    size_t size;
    pal_status status = pal_scene_spell(scene, document, ground, &text, &size, err);
    if (status != PAL_OK) {
        return status;
    }
    cyaml_err_t outcome = cyaml_load_data((const uint8_t *)text, size, &pal_scene_cyaml,
                                          &pal_scene_schema, &data, NULL);
    free(text);
    scene->file = data;
    if (outcome == CYAML_ERR_OOM) {
        return pal_fail_at(err, PAL_ERR_MEMORY, scene->path, 0, "out of memory");
    }
    if (outcome != CYAML_OK || data == NULL) {
        return pal_fail_at(err, PAL_ERR_INPUT, scene->path, 0, "not a scene: %s",
                           cyaml_strerror(outcome));
    }
    return PAL_OK;
}

static pal_status parse(pal_scene *scene, const char *text, size_t size,
                        const pal_point_ground *ground, pal_err *err) {
    if (memchr(text, '\0', size) != NULL) {
        return pal_fail_at(err, PAL_ERR_INPUT, scene->path, 0,
                           "holds NUL characters: not a text file");
    }
    yaml_document_t document;
    pal_status status = pal_yaml_load(scene->path, text, size, &document, err);
    if (status != PAL_OK) {
        return status;
    }
    scene->text = PAL_NEW(char, size + 1, err);
    status = scene->text == NULL ? PAL_ERR_MEMORY
                                 : pal_yaml_match(scene->path, &document, &pal_scene_schema, err);
    if (status == PAL_OK) {
        memcpy(scene->text, text, size);
        status = load_structs(scene, &document, ground, err);
    }
    if (status == PAL_OK) {
        status = pal_scene_check(scene, &document, err);
    }
    yaml_document_delete(&document);
    return status;
}

static pal_status parse_on(const char *path, const char *text, size_t size,
                           const pal_point_ground *ground, pal_scene *scene, pal_err *err) {
    memset(scene, 0, sizeof *scene);
    pal_err own;
    err = err != NULL ? err : &own;
    scene->path = pal_copy_text(path, err);
    pal_status status =
        scene->path == NULL ? PAL_ERR_MEMORY : parse(scene, text, size, ground, err);
    if (status != PAL_OK) {
        make_one_line(err);
        pal_scene_free(scene);
    }
    return status;
}

pal_status pal_scene_parse(const char *path, const char *text, size_t size, pal_scene *scene,
                           pal_err *err) {
    return parse_on(path, text, size, NULL, scene, err);
}

// The scene's text with all places as numbers.
static pal_status spell_out(const pal_scene *scene, const pal_point_ground *ground, char **text,
                            size_t *size, pal_err *err) {
    yaml_document_t document;
    pal_scene again = {.path = scene->path, .text = scene->text};
    pal_status status =
        pal_yaml_load(scene->path, scene->text, strlen(scene->text), &document, err);
    if (status == PAL_OK) {
        status = pal_scene_spell(&again, &document, ground, text, size, err);
        free(again.landmarks.item);
        yaml_document_delete(&document);
    }
    return status;
}

pal_status pal_scene_settle(pal_scene *scene, const pal_surface *surface, bool in_numbers,
                            pal_err *err) {
    const pal_point_ground ground = {surface, scene->live.wall_height};
    pal_scene placed;
    char *text = NULL;
    size_t size = strlen(scene->text);
    if (!scene->unsettled) {
        return PAL_OK;
    }
    pal_status status = in_numbers ? spell_out(scene, &ground, &text, &size, err) : PAL_OK;
    if (status == PAL_OK) {
        status =
            parse_on(scene->path, in_numbers ? text : scene->text, size, &ground, &placed, err);
    }
    free(text);
    if (status == PAL_OK) {
        memcpy(placed.note, scene->note, sizeof placed.note);
        pal_scene_free(scene);
        *scene = placed;
    }
    return status;
}

void pal_scene_free(pal_scene *scene) {
    if (scene->file != NULL) {
        cyaml_free(&pal_scene_cyaml, &pal_scene_schema, scene->file, 0);
    }
    pal_loads_free(scene->basis.loads, scene->basis.load_count);
    for (int32_t h = 0; h < PAL_SCENE_HANDS; h++) {
        const pal_scene_live *live = pal_scene_live_of(scene, h);
        free(live->intent);
        free(live->fault);
        free(live->path);
        free(live->tool.path);
        free(live->edit);
        free(live->surface);
    }
    free(scene->landmarks.item);
    free(scene->path);
    free(scene->text);
    free(scene->name);
    free(scene->about);
    memset(scene, 0, sizeof *scene);
}
