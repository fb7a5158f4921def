// Changed materials and another basis, written into a scene's own text.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/scene_file.h"
#include "scenes/units.h"
#include "scenes/yaml_patch.h"
#include "scenes/yaml_text.h"
#include "sim/base/file.h"
#include "sim/base/memory.h"

enum { VALUE = 96, PATH = 128 };

typedef struct saving {
    const pal_scene *scene;
    const pal_model *model;
    pal_yaml_patch *patch;
    pal_err *err;
} saving;

// ---- numbers as people write them

// Digits to begin with: as many as stand before the point, so that 30 is not written as 3e+01.
static int least_digits(double value) {
    const double size = fabs(value);
    return size >= 10.0 && size < 1e7 ? (int)floor(log10(size)) + 1 : 1;
}

// The fewest digits that are read as the same number again.
static void write_number(double value, char out[VALUE]) {
    for (int digits = least_digits(value); digits <= 17; digits++) {
        snprintf(out, VALUE, "%.*g", digits, value);
        if (strtod(out, NULL) == value) {
            return;
        }
    }
}

// In the unit that the scene has there now, else in `usual`.
static void write_quantity(double value, pal_dimension dimension, const char *now,
                           const char *usual, char out[VALUE]) {
    char unit[VALUE / 2], probe[VALUE];
    double factor = 1.0, back;
    snprintf(unit, sizeof unit, "%s", usual);
    if (now != NULL) {
        char *end;
        strtod(now, &end);
        end += strspn(end, " ");
        snprintf(probe, sizeof probe, "1 %.40s", end);
        if (strlen(end) <= 40 && pal_quantity_parse(probe, dimension, &back, NULL) == PAL_OK) {
            snprintf(unit, sizeof unit, "%.40s", end);
        }
    }
    snprintf(probe, sizeof probe, "1 %.40s", unit);
    pal_quantity_parse(probe, dimension, &factor, NULL);
    for (int digits = least_digits(value / factor); digits <= 17; digits++) {
        snprintf(out, VALUE, "%.*g %.40s", digits, value / factor, unit);
        if (pal_quantity_parse(out, dimension, &back, NULL) == PAL_OK && back == value) {
            return;
        }
    }
}

// ---- where a region's material stands

static bool is_listed(const pal_scene_file_body *body, const char *name, uint32_t *at) {
    for (*at = 0; *at < body->regions_count; ++*at) {
        if (strcmp(body->regions[*at].name, name) == 0) {
            return true;
        }
    }
    return false;
}

// The path of the material of region g, and what it is now; false: the scene does not have one for
// it alone.
static bool find_material(const pal_scene *scene, const pal_model *model, int32_t g,
                          char path[PATH], pal_material *now) {
    const pal_scene_file_body *body = scene->file->body;
    uint32_t at, other;
    int unlisted = 0;
    if (is_listed(body, model->region[g].name, &at)) {
        snprintf(path, PATH, "body.regions.%u.material", at);
        *now = body->regions[at].material.si;
        return true;
    }
    const char *hidden = body->hidden != NULL ? body->hidden->name : "";
    if (strcmp(model->region[g].name, hidden) == 0) {
        snprintf(path, PATH, "body.hidden.material");
        *now = body->hidden->material.si;
        return true;
    }
    for (int32_t k = 0; k < model->region_count; k++) {
        unlisted += !is_listed(body, model->region[k].name, &other) &&
                    strcmp(model->region[k].name, hidden) != 0;
    }
    if (body->material != NULL) {
        snprintf(path, PATH, "body.material");
        *now = body->material->si;
    }
    return body->material != NULL && unlisted == 1;
}

static pal_status set_value(const saving *s, const char *owner, const char *key,
                            pal_dimension dimension, const char *usual, double value) {
    char path[PATH + 24], text[VALUE];
    snprintf(path, sizeof path, "%s.%s", owner, key);
    write_quantity(value, dimension, pal_yaml_patch_get(s->patch, path), usual, text);
    return pal_yaml_patch_set(s->patch, path, text, s->err);
}

// What has changed in a material that the scene has.
static pal_status change_material(const saving *s, const char *owner, const pal_material *before,
                                  const pal_material *now) {
    pal_status status = PAL_OK;
    if (now->young != before->young) {
        status = set_value(s, owner, "young", PAL_PRESSURE, "kPa", now->young);
    }
    if (status == PAL_OK && now->poisson != before->poisson) {
        char path[PATH + 24], text[VALUE];
        snprintf(path, sizeof path, "%s.poisson", owner);
        write_number(now->poisson, text);
        status = pal_yaml_patch_set(s->patch, path, text, s->err);
    }
    if (status == PAL_OK && now->density != before->density) {
        status = set_value(s, owner, "density", PAL_DENSITY, "kg/m3", now->density);
    }
    return status;
}

// A region of the mesh file's own becomes one of the scene's.
static void write_region(const char *name, const pal_material *now, char *out, size_t size) {
    char young[VALUE], poisson[VALUE], density[VALUE], quoted[2 * PAL_REGION_NAME];
    size_t used = 0;
    for (; *name != '\0' && used + 3 < sizeof quoted; name++) {
        if (*name == '"' || *name == '\\') {
            quoted[used++] = '\\';
        }
        quoted[used++] = *name;
    }
    quoted[used] = '\0';
    write_quantity(now->young, PAL_PRESSURE, NULL, "kPa", young);
    write_number(now->poisson, poisson);
    write_quantity(now->density, PAL_DENSITY, NULL, "kg/m3", density);
    snprintf(out, size, "{name: \"%s\", material: {young: %s, poisson: %s, density: %s}}", quoted,
             young, poisson, density);
}

static pal_status change_materials(const saving *s, const pal_material *now) {
    enum { ENTRY = 2 * PAL_REGION_NAME + 3 * VALUE + 80 };
    const bool has_regions = pal_yaml_patch_has(s->patch, "body.regions");
    const size_t room = (size_t)s->model->region_count * ENTRY + 3;
    char *list = PAL_NEW(char, room, s->err); // "[{...}, {...}]" for a scene without regions
    pal_status status = list != NULL ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t g = 0; status == PAL_OK && g < s->model->region_count; g++) {
        const pal_material *baked = &s->model->region[g].material;
        char path[PATH], entry[ENTRY];
        pal_material before;
        if (now[g].young == baked->young && now[g].poisson == baked->poisson &&
            now[g].density == baked->density) {
            continue;
        }
        if (find_material(s->scene, s->model, g, path, &before)) {
            status = change_material(s, path, &before, &now[g]);
            continue;
        }
        write_region(s->model->region[g].name, &now[g], entry, sizeof entry);
        if (has_regions) {
            status = pal_yaml_patch_push(s->patch, "body.regions", entry, s->err);
        } else {
            strcat(strcat(list, list[0] == '\0' ? "[" : ", "), entry);
        }
    }
    if (status == PAL_OK && list[0] != '\0') {
        status = pal_yaml_patch_set(s->patch, "body.regions", strcat(list, "]"), s->err);
    }
    free(list);
    return status;
}

static pal_status change_damping(const saving *s, double alpha, double beta) {
    const bool mass = alpha != s->model->damping_alpha;
    const bool stiffness = beta != s->model->damping_beta;
    if ((mass || stiffness) && !pal_yaml_patch_has(s->patch, "body.damping")) {
        char first[VALUE], second[VALUE], text[2 * VALUE + 32];
        write_quantity(alpha, PAL_RATE, NULL, "1/s", first);
        write_quantity(beta, PAL_TIME, NULL, "ms", second);
        snprintf(text, sizeof text, "{mass: %s, stiffness: %s}", first, second);
        return pal_yaml_patch_set(s->patch, "body.damping", text, s->err);
    }
    pal_status status =
        mass ? set_value(s, "body.damping", "mass", PAL_RATE, "1/s", alpha) : PAL_OK;
    return status == PAL_OK && stiffness
               ? set_value(s, "body.damping", "stiffness", PAL_TIME, "ms", beta)
               : status;
}

// ---- writing

static bool near(double a, double b) {
    return fabs(a - b) <= 1e-12 * fabs(b);
}

// What was written, read again.
static bool says_so(const pal_scene *scene, const pal_model *model, const pal_material *now,
                    double alpha, double beta) {
    bool same = near(scene->damping_alpha, alpha) && near(scene->damping_beta, beta);
    for (int32_t g = 0; same && g < model->region_count; g++) {
        char path[PATH];
        pal_material is;
        if (find_material(scene, model, g, path, &is)) {
            same = near(is.young, now[g].young) && near(is.poisson, now[g].poisson) &&
                   near(is.density, now[g].density);
        }
    }
    return same;
}

// The top-level keys but one, as a hash.
static pal_status hash_rest(const pal_scene *scene, const char *but, char text[PAL_HASH_TEXT],
                            pal_err *err) {
    const char *const skipped[] = {but, NULL};
    yaml_document_t document;
    pal_hash hash;
    pal_hash_init(&hash);
    const pal_status status =
        pal_yaml_load(scene->path, scene->text, strlen(scene->text), &document, err);
    if (status == PAL_OK) {
        pal_yaml_hash(&document, skipped, &hash);
        yaml_document_delete(&document);
    }
    pal_hash_text(&hash, text);
    return status;
}

// The patched text as a scene at `path`, whose keys but one are the old ones.
static pal_status read_again(const pal_scene *old, pal_yaml_patch *patch, const char *path,
                             const char *but, pal_scene *scene, pal_err *err) {
    char before[PAL_HASH_TEXT], after[PAL_HASH_TEXT];
    size_t size;
    pal_err inner = {0};
    char *text = pal_yaml_patch_apply(patch, &size, err);
    if (text == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_status status = pal_scene_parse(path, text, size, scene, &inner);
    free(text);
    if (status != PAL_OK) {
        return pal_fail(err, status,
                        "the scene cannot be saved as %.200s: %.600s (files that a scene names are "
                        "looked for beside it)",
                        path, inner.text);
    }
    status = hash_rest(old, but, before, err);
    if (status == PAL_OK) {
        status = hash_rest(scene, but, after, err);
    }
    if (status == PAL_OK && strcmp(before, after) != 0) {
        status = pal_fail(err, PAL_ERR_UNSUPPORTED,
                          "%.300s: its text is laid out in a way that cannot be changed safely; "
                          "edit it by hand",
                          old->path);
    }
    if (status != PAL_OK) {
        pal_scene_free(scene);
    }
    return status;
}

static pal_status write_checked(const pal_scene *scene, const char *path, bool right,
                                pal_err *err) {
    return right ? pal_file_write_atomic(path, scene->text, strlen(scene->text), err)
                 : pal_fail(err, PAL_ERR_UNSUPPORTED,
                            "%.300s: its text is laid out in a way that cannot be changed safely; "
                            "edit it by hand",
                            scene->path);
}

pal_status pal_scene_save_materials(const pal_scene *scene, const pal_model *model,
                                    const pal_material *now, double alpha, double beta,
                                    const char *path, pal_err *err) {
    yaml_document_t document;
    pal_yaml_patch patch;
    pal_scene changed;
    if (scene->file->body == NULL) {
        return pal_fail(err, PAL_ERR_USAGE, "the scene '%.100s' has a wall and no material to save",
                        scene->name);
    }
    pal_status status =
        pal_yaml_load(scene->path, scene->text, strlen(scene->text), &document, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_yaml_patch_begin(&patch, scene->text, strlen(scene->text), &document);
    const saving s = {scene, model, &patch, err};
    status = change_materials(&s, now);
    if (status == PAL_OK) {
        status = change_damping(&s, alpha, beta);
    }
    if (status == PAL_OK) {
        status = read_again(scene, &patch, path, "body", &changed, err);
    }
    if (status == PAL_OK) {
        status = write_checked(&changed, path, says_so(&changed, model, now, alpha, beta), err);
        pal_scene_free(&changed);
    }
    pal_yaml_patch_end(&patch);
    yaml_document_delete(&document);
    return status;
}

pal_status pal_scene_save_basis(const pal_scene *scene, const char *loads_file, int32_t size,
                                const char *path, pal_err *err) {
    yaml_document_t document;
    pal_yaml_patch patch;
    pal_scene changed;
    char *text = PAL_NEW(char, 2 * strlen(loads_file) + 80, err);
    pal_status status =
        text == NULL ? PAL_ERR_MEMORY
                     : pal_yaml_load(scene->path, scene->text, strlen(scene->text), &document, err);
    if (status != PAL_OK) {
        free(text);
        return status;
    }
    char *to = text + sprintf(text, "{kind: loads, loads_file: \"");
    for (const char *c = loads_file; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') {
            *to++ = '\\';
        }
        *to++ = *c;
    }
    sprintf(to, "\", size: %d}", (int)size);
    pal_yaml_patch_begin(&patch, scene->text, strlen(scene->text), &document);
    status = pal_yaml_patch_set(&patch, "basis", text, err);
    if (status == PAL_OK) {
        status = read_again(scene, &patch, path, "basis", &changed, err);
    }
    if (status == PAL_OK) {
        const bool right = changed.basis.kind == PAL_BASIS_LOADS && changed.basis.size == size;
        status = write_checked(&changed, path, right, err);
        pal_scene_free(&changed);
    }
    pal_yaml_patch_end(&patch);
    yaml_document_delete(&document);
    free(text);
    return status;
}
