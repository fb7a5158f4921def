// Shared by the files of scenes/ that handle one pal_scene: error lines and paths.
#ifndef PAL_SCENES_SCENE_FILE_H
#define PAL_SCENES_SCENE_FILE_H

#include <yaml.h>

#include "scenes/domain_list.h"
#include "scenes/scene.h"
#include "scenes/schema.h"

// Checks what a schema cannot, turns text into numbers, and fills the scene's public members. The
// scene's path, text and file must be set.
pal_status pal_scene_check(pal_scene *scene, yaml_document_t *document, pal_err *err);

// Reads which way is up and the landmarks, and makes a text (heap) in which every place is a list
// of three lengths: on the ground, without one about there, and scene->unsettled says so. The
// scene's path and text must be set, and the document must match the schema.
pal_status pal_scene_spell(pal_scene *scene, yaml_document_t *document,
                           const pal_point_ground *ground, char **text, size_t *size, pal_err *err);

// The loads in a text file: one a line, "SELECTOR ; fx fy fz" in newtons, '#' begins a comment.
// Appends to *loads (heap, [*count]).
// A selector may be a place (point.h), of these names.
pal_status pal_loads_read(const char *path, const pal_landmarks *names, pal_load **loads,
                          int32_t *count, pal_err *err);
// Says the places among loads [count] as selectors of the mesh. `loads` is theirs, changed.
pal_status pal_loads_settle(pal_load *loads, int32_t count, const pal_landmarks *names,
                            const pal_volmesh *mesh, pal_err *err);
// Whether one of them is a place.
bool pal_loads_have_places(const pal_load *loads, int32_t count, const pal_landmarks *names);

pal_status pal_loads_append(pal_load **loads, int32_t *count, const char *selector,
                            const double force[3], pal_err *err);
void pal_loads_free(pal_load *loads, int32_t count);

// pal_scene_build; and the domains that its regions were before the scene gave some of the elements
// to others (labels NULL: not wanted).
pal_status pal_scene_build_labelled(const pal_scene *scene, const pal_progress *progress,
                                    pal_scene_body *body, pal_domain_labels *labels, pal_err *err);

// What the hand wants, from a text file: a line "time_s,x_m,y_m,z_m", then the numbers, times from
// 0 on and growing; '#' begins a comment. *sample is on the heap, [*count], NULL on failure.
pal_status pal_probe_file_read(const char *path, pal_path_sample **sample, int32_t *count,
                               pal_err *err);

// The path of the file with this key and ending in the cache (see pal_scene_model), in a folder
// that exists then.
enum { PAL_CACHE_PATH = 4096 };
pal_status pal_cache_path(const char *key, const char *ending, char path[PAL_CACHE_PATH],
                          pal_err *err);

// Writes "WORDS: why" to a note, and tells who listens (pal_cache_listen).
void pal_cache_say(char *note, size_t size, const char *words, const pal_err *why);

// The error for a kept file that carries another key than its name.
pal_status pal_cache_stranger(const char *path, pal_err *err);

// A file named in the scene, relative to the scene's folder; on the heap.
char *pal_scene_file_path(const pal_scene *scene, const char *file, pal_err *err);

#endif
