// The text of a new scene, with its reasons.
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/new_parts.h"
#include "scenes/scene.h"
#include "scenes/yaml_text.h"
#include "sim/base/memory.h"

enum { LISTED = 64, WIDTH = 96 };

// ---- the mesh's name

// A path from the scene's folder. What was given as an absolute path stays one.
static pal_status name_mesh(const char *mesh, const char *scene_path, char *name, size_t size,
                            pal_err *err) {
    char from[PATH_MAX], to[PATH_MAX], folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", scene_path);
    char *slash = strrchr(folder, '/');
    if (mesh[0] == '/' || slash == NULL) {
        snprintf(name, size, "%s", mesh);
        return PAL_OK;
    }
    slash[slash == folder] = '\0';
    if (realpath(folder, from) == NULL || realpath(mesh, to) == NULL) {
        return pal_fail(err, PAL_ERR_IO, "cannot find the way from the folder %.200s to %.200s",
                        folder, mesh);
    }
    size_t same = 0, i = 0;
    for (; from[i] != '\0' && from[i] == to[i]; i++) {
        same = from[i] == '/' ? i + 1 : same;
    }
    same = from[i] == '\0' && to[i] == '/' ? i + 1 : same;
    size_t used = 0;
    name[0] = '\0';
    for (const char *rest = from + (same < strlen(from) ? same : strlen(from));
         *rest != '\0' && used < size; rest += strcspn(rest, "/")) {
        rest += *rest == '/';
        used += (size_t)snprintf(name + used, size - used, "../");
    }
    if (used < size) {
        snprintf(name + used, size - used, "%s", to + same);
    }
    return PAL_OK;
}

// The file's name without folder and ending.
static void stem_of(const char *path, char *stem, size_t size) {
    const char *slash = strrchr(path, '/');
    snprintf(stem, size, "%s", slash != NULL ? slash + 1 : path);
    char *dot = strrchr(stem, '.');
    if (dot != NULL && dot != stem) {
        *dot = '\0';
    }
}

// ---- words

// A comment, broken into lines.
static void comment(FILE *out, const char *indent, const char *format, ...) PAL_PRINTF(3, 4);
static void comment(FILE *out, const char *indent, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    size_t column = 0;
    for (const char *word = text; *word != '\0';) {
        const size_t length = strcspn(word, " ");
        if (column == 0 || column + 1 + length > WIDTH) {
            fprintf(out, "%s%s#", column > 0 ? "\n" : "", indent);
            column = strlen(indent) + 1;
        }
        fprintf(out, " %.*s", (int)length, word);
        column += 1 + length;
        word += length + (word[length] == ' ');
    }
    fputc('\n', out);
}

static const char *say_mm(double metres, char text[32]) {
    snprintf(text, 32, "%.6g mm", 1e3 * metres);
    return text;
}

// The place that is `out` above the spot.
static const char *say_spot(double out, char text[64]) {
    char length[32];
    snprintf(text, 64, "'spot %c %s'", out < 0.0 ? '-' : '+', say_mm(fabs(out), length));
    return text;
}

// ---- parts of the text

static void write_units(const pal_new_scene *made, FILE *out) {
    char others[200] = "";
    size_t used = 0;
    static const char *const known[] = {"m", "dm", "cm", "mm", "in"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char said[32];
        const pal_length_unit *unit = pal_length_unit_find(known[i]);
        pal_unit_say(made->size / made->unit->metres * unit->metres, said);
        if (unit != made->unit) {
            used += (size_t)snprintf(others + used, sizeof others - used, "%s%s in %s (%g)",
                                     used > 0 ? ", " : "", said, unit->name, unit->metres);
        }
    }
    comment(out, "  ",
            "No mesh file tells its unit. Taken is %s: %s. It would be %s; the number is the scale "
            "then, and `palpate new --unit` makes all of this anew.",
            made->unit->name, made->unit_reason, others);
}

static void write_body(const pal_new_scene *made, const char *name, FILE *out) {
    fprintf(out, "body:\n");
    write_units(made, out);
    fprintf(out, "  %s:\n    file: ", made->is_surface ? "surface" : "mesh");
    pal_yaml_print_quoted(out, name);
    fprintf(out, "\n    scale: %g\n\n", made->unit->metres);
    if (made->is_surface) {
        comment(out, "  ",
                "The surface is filled with voxels, so many along its longest side: %d of them; "
                "those that it cuts count by the share that is inside.",
                (int)made->mesh.element_count);
        fprintf(out, "  voxels: %d\n\n", (int)made->voxels);
    }
    comment(out, "  ",
            "The vertices that do not move, %d of %d: %s. A selector: coordinates in metres, or "
            "from the ends of the mesh (README: selectors).",
            (int)made->held_count, (int)made->mesh.vertex_count, made->fixed_reason);
    fprintf(out, "  fixed: ");
    pal_yaml_print_quoted(out, made->fixed);
    fprintf(out, "\n\n");
}

static void write_file_material(const pal_region *region, FILE *out) {
    if (region->has_material) {
        comment(out, "  ",
                "The file says of '%s': {young: %.6g Pa, poisson: %.6g, density: %.6g kg/m3}; "
                "write that in the place of the preset if it is meant.",
                region->name, region->material.young, region->material.poisson,
                region->material.density);
    }
}

static void write_material(const pal_new_scene *made, FILE *out) {
    const pal_volmesh *mesh = &made->mesh;
    comment(out, "  ",
            "A preset (%s), or young, poisson and density. A wrong name here lists all presets.",
            made->material_reason);
    fprintf(out, "  material: {preset: %s}\n", made->material);
    const bool named = mesh->region_count > 1 || strcmp(mesh->regions[0].name, "body") != 0;
    if (named && mesh->region_count > LISTED) {
        comment(out, "  ",
                "The mesh has %d regions, all of this material; palpate info lists them.",
                (int)mesh->region_count);
    } else if (named) {
        comment(out, "  ", "The regions of the mesh, all of the same material to begin with.");
        for (int32_t g = 0; g < mesh->region_count; g++) {
            write_file_material(&mesh->regions[g], out);
        }
        fprintf(out, "  regions:\n");
        for (int32_t g = 0; g < mesh->region_count; g++) {
            fprintf(out, "    - {name: ");
            pal_yaml_print_quoted(out, mesh->regions[g].name);
            fprintf(out, ", material: {preset: %s}}\n", made->material);
        }
    } else {
        write_file_material(&mesh->regions[0], out);
    }
    fprintf(out, "\n");
    comment(out, "  ", "Rayleigh damping: the swing of a press dies out within some periods.");
    fprintf(out, "  damping: {mass: 0.5 1/s, stiffness: %.4g ms}\n\n", 1e3 * made->damping);
}

static void write_bake(const pal_new_scene *made, FILE *out) {
    comment(out, "",
            "What is baked, once: linear modes and their derivatives, of which `size` shapes are "
            "kept. For %d elements this takes about %.2g s; fewer modes take less.",
            (int)made->mesh.element_count, ceil(made->bake_seconds));
    fprintf(out, "basis: {kind: derivatives, modes: %d, size: %d}\n\n", (int)made->modes,
            (int)made->basis_size);
    comment(out, "",
            "The dent under the tip, which modes alone cannot make: between places of the surface "
            "nearer than this. Without it a body is far too hard there.");
    fprintf(out, "local: {way: auto, radius: %.4g mm}\n\n", 1e3 * made->local_radius);
}

static void write_probe(const pal_new_scene *made, FILE *out) {
    const int up = pal_up_axis(made->up), a = up == 0 ? 1 : 0, b = up == 2 ? 1 : 2;
    const double over = made->radius + pal_new_round(fmax(2.0 * made->radius, 2e-3));
    char first[32], second[32], place[64], thick[32], radius[32];
    pal_unit_say(made->thickness, thick);
    say_mm(made->radius, radius);
    comment(out, "", "Where up is: %s (x, y, z, -x, -y, -z). Places by `surface` come from there.",
            made->up_reason);
    fprintf(out, "up: %s\n\n", pal_up_name(made->up));
    comment(out, "",
            "Where the probe presses: what is highest at these %c and %c. The body is %s thick "
            "beneath it.",
            'x' + a, 'x' + b, thick);
    if (made->is_surface && made->facet > 4.0 * made->radius) {
        comment(out, "",
                "The triangles of the surface are coarse there, %s beside a ball of %s: it is felt "
                "to yield as a triangle, not as a dent. Divide them more finely for a true press.",
                say_mm(made->facet, first), radius);
    }
    fprintf(out, "landmarks:\n  spot: 'surface:%s, %s'\n\n", say_mm(made->spot[a], first),
            say_mm(made->spot[b], second));
    comment(
        out, "",
        "A ball in the hand, held at the simulated stylus (profiles: palpate selftest --help).");
    fprintf(out, "device: {profile: touch, grip: firm}\ntool: {radius: %s}\n\n", radius);
    comment(out, "",
            "What the hand does. Places are those of the ball's centre, %s above what it touches; "
            "the hand goes %.4g mm deeper than first touch, against about %.2g N.",
            radius, 1e3 * made->depth, made->force);
    fprintf(out, "probe:\n  - {move: %s, seconds: 0.3 s}\n", say_spot(over, place));
    fprintf(out, "  - {press: %s, seconds: 1 s}\n", say_spot(made->radius - made->depth, place));
    fprintf(out, "  - hold: 0.7 s\n  - release: 0.7 s\n");
    fprintf(out, "  - {tap: %s, speed: 0.1 m/s, seconds: 1 s}\n",
            say_spot(made->radius - 0.5 * made->depth, place));
}

static pal_status write_text(const pal_new_scene *made, const char *scene_path, char **text,
                             pal_err *err) {
    char name[2 * PATH_MAX], stem[256], scene[256];
    size_t size;
    pal_status status = name_mesh(made->file, scene_path, name, sizeof name, err);
    if (status != PAL_OK) {
        return status;
    }
    FILE *out = open_memstream(text, &size);
    if (out == NULL) {
        return pal_fail(err, PAL_ERR_MEMORY, "out of memory for a scene");
    }
    stem_of(made->file, stem, sizeof stem);
    stem_of(scene_path, scene, sizeof scene);
    comment(out, "",
            "Made by `palpate new` for %s: a scene to begin with, which runs as it is (palpate run "
            "%s.yaml). What the mesh does not tell is guessed; the reasons stand beside it. "
            "Quantities have their units; all keys are in scenes/README.md.",
            stem, strcmp(scene, "-") == 0 ? stem : scene);
    fprintf(out, "palpate: 1\nname: ");
    pal_yaml_print_quoted(out, stem);
    fprintf(out, "\n\n");
    write_body(made, name, out);
    write_material(made, out);
    write_bake(made, out);
    write_probe(made, out);
    const bool bad = ferror(out) != 0;
    return fclose(out) != 0 || bad ? pal_fail(err, PAL_ERR_MEMORY, "out of memory for a scene")
                                   : PAL_OK;
}

pal_status pal_new_scene_text(const pal_new_scene *made, const char *scene_path, char **text,
                              pal_err *err) {
    pal_scene scene;
    *text = NULL;
    pal_status status = write_text(made, scene_path, text, err);
    if (status == PAL_OK) {
        status = pal_scene_parse(scene_path, *text, strlen(*text), &scene, err);
        if (status == PAL_OK) {
            pal_scene_free(&scene);
        }
    }
    if (status != PAL_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}
