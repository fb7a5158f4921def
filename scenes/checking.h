// Helps of the checks that a schema cannot make: errors at the line of a key, quantities, ranges.
// Private to scenes/.
#ifndef PAL_SCENES_CHECKING_H
#define PAL_SCENES_CHECKING_H

#include "scenes/scene_file.h"
#include "scenes/units.h"

typedef struct pal_checking {
    pal_scene *scene;
    yaml_document_t *document;
    pal_err *err;
    const char *prefix; // before the paths, but for the wall's: "hands.1."; NULL: none
} pal_checking;

// Fails at the line of the value at `path` (see pal_yaml_line).
pal_status pal_check_fail(const pal_checking *c, const char *path, const char *format, ...)
    PAL_PRINTF(3, 4);

// A quantity that may be left out (text NULL: *value stays).
pal_status pal_check_quantity(const pal_checking *c, const char *path, const char *text,
                              pal_dimension dimension, double *value);
pal_status pal_check_not_negative(const pal_checking *c, const char *path, double value);
pal_status pal_check_range(const pal_checking *c, const char *path, long value, long low,
                           long high);

// A quantity that may be left out, and may not be below 0, or not 0 either when `positive`.
pal_status pal_check_amount(const pal_checking *c, const char *path, const char *text,
                            pal_dimension dimension, bool positive, double *value);
// Three quantities of one dimension; those that are left out stay.
pal_status pal_check_triple(const pal_checking *c, const char *path, char *const text[3],
                            pal_dimension dimension, double value[3]);
const char *pal_check_join(char out[96], const char *path, const char *key); // "path.key"
// Whether the file (relative to the scene's folder) can be read.
pal_status pal_check_file(const pal_checking *c, const char *path, const char *file);

// A material by a preset or its three numbers: fills material->si.
pal_status pal_check_material(const pal_checking *c, const char *path,
                              pal_scene_material *material);

// A selector, its syntax.
pal_status pal_check_selector(const pal_checking *c, const char *path, const char *text);
// The same, or a place of the surface (point.h).
pal_status pal_check_load_place(const pal_checking *c, const char *path, const char *text);

// The domains of the body. Fills scene->has_domains.
pal_status pal_scene_check_domains(const pal_checking *c);
// How they move: tree, wind, gravity. Fills scene->motion.
pal_status pal_scene_check_motion(const pal_checking *c);

// What is hidden in the body. Fills scene->hidden.
pal_status pal_scene_check_hidden(const pal_checking *c);

// What the tool is made of. Fills scene->live.tool.
pal_status pal_scene_check_tool(const pal_checking *c);

// The list of surfaces: fills scene->live.surface.
pal_status pal_scene_check_surface_list(const pal_checking *c);

// The list of intents at "probe" of c->scene->file: fills scene->live's intent, intent_count, path.
pal_status pal_scene_check_intents(const pal_checking *c);
// The same from its probe_file, as one path; `to` is its first place.
pal_status pal_scene_check_path(const pal_checking *c);
// The trials of contact feel: fills scene->feel.
pal_status pal_scene_check_feel(const pal_checking *c);

// The keys about a run: device, tool, coupling, probe, faults, of one hand or of several; wall,
// contact, edits, surfaces. Fills scene->live and scene->other.
pal_status pal_scene_check_live(const pal_checking *c);

#endif
