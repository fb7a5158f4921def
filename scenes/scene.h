// Scene files: YAML by a libcyaml schema, SI quantities with their unit written out ("12 kPa"); an
// unknown key, a wrong or missing unit, or a bad value is an error with the line number.
#ifndef PAL_SCENES_SCENE_H
#define PAL_SCENES_SCENE_H

#include "devices/dev_sim.h"
#include "scenes/domain_list.h"
#include "scenes/point.h"
#include "sim/base/hash.h"
#include "sim/base/keep.h"
#include "sim/base/progress.h"
#include "sim/contact/surface_law.h"
#include "sim/mesh/surface.h"
#include "sim/mesh/volmesh.h"
#include "sim/model/retune.h"
#include "sim/model/tree_bake.h"
#include "sim/step.h"

enum { PAL_SCENE_HANDS = 4 };

typedef enum pal_tool_kind {
    PAL_TOOL_SPHERE,
    PAL_TOOL_CAPSULE,
    PAL_TOOL_CYLINDER,
    PAL_TOOL_MESH,  // of a file
    PAL_TOOL_DRAWN, // one of the procedural shapes
} pal_tool_kind;

typedef struct pal_tool_spec { // what a scene says of its tool; tool_build.h makes it
    pal_tool_kind kind;
    double radius, length, rounding; // m, of the first three
    char *path;                      // the mesh; owned by the scene
    double scale;                    // m per unit of the mesh
    char drawn[32];                  // name of the shape
    double size;                     // m, its longest side
    int32_t cells;                   // of the distance field, along the longest side
} pal_tool_spec;

// What a hand does when a scene runs; a bake does not depend on it.
typedef struct pal_scene_live {
    bool has_wall; // in the place of a body: all below z = wall_height, a spring and damper
    double wall_height, wall_stiffness, wall_damping; // m, N/m, N s/m
    const pal_device_limits *profile;
    pal_hand hand;
    double friction; // N; NAN: the profile's
    double delay;    // s
    double noise;    // m
    uint64_t seed;
    double start[3];      // m, where the device is at first
    double start_turn[3]; // rad, a rotation vector: how it is turned
    pal_tool_spec tool;
    double tool_radius;                  // m, tool.radius
    double tool_stiffness, tool_damping; // N/m, N s/m of the contact on a square of radius / 3
    double tool_grasp;                   // N/m of the spring that holds on; 0: none
    double coupling_stiffness, coupling_damping; // N/m, N s/m; NAN: by the device's limits
    double coupling_turn_stiffness;              // N m/rad; NAN: likewise
    double coupling_mass, coupling_inertia; // kg, kg m^2 of a dynamic coupling; 0: static, NAN: by
                                            // the tool's size
    int32_t intent_count, fault_count;
    pal_intent *intent;    // [intent_count]
    pal_fault *fault;      // [fault_count]
    pal_path_sample *path; // of the probe's file, or of its paths; the intents refer to it
    int32_t edit_count;
    pal_material_edit *edit; // [edit_count]
    pal_contact_form form;   // of contact
    bool stiffening;         // dents grow stiffer with their depth
    bool flat_normals;       // of touches
    bool unwatched;          // the passivity controller adds nothing
    int32_t surface_count;
    pal_surface_rule *surface; // [surface_count]
} pal_scene_live;

// A ball of another material somewhere in a box: for the hand to find.
typedef struct pal_hidden {
    char name[PAL_REGION_NAME]; // of its region; "": nothing is hidden
    double radius;              // m
    double low[3], high[3];     // m, the box of its centre
    double place[3];            // m, its centre, by the seed
    uint64_t seed;
    pal_material material;
} pal_hidden;

// What a scene says of its trials of contact feel (`feel:`); NAN: it does not.
enum { PAL_SCENE_TRIAL_NAME = 32, PAL_SCENE_TRIALS = 32 };
typedef struct pal_scene_trial { // its probe is the value at feel.trials.N.probe, checked
    char name[PAL_SCENE_TRIAL_NAME], kind[PAL_SCENE_TRIAL_NAME];
} pal_scene_trial;
typedef struct pal_scene_feel {
    double at[3], slide[3], edge[3]; // m: where to press, where a slide goes to, where an edge is
    double depth;                    // m, of a press
    int32_t trial_count;
    pal_scene_trial trial[PAL_SCENE_TRIALS];
} pal_scene_feel;

// How a body of domains moves: the inertia of what hangs on a domain, and what acts on all of it.
typedef enum pal_scene_inertia {
    PAL_SCENE_INERTIA_EXACT,     // articulated
    PAL_SCENE_INERTIA_INTERFACE, // lumped at the interface                        [BZ11 L1]
    PAL_SCENE_INERTIA_CENTRE,    // at the centre of mass of the subtree           [BZ11 L2]
} pal_scene_inertia;

typedef struct pal_scene_motion {
    pal_scene_inertia inertia;
    double gravity[3];        // m/s^2
    double wind_direction[3]; // a unit vector
    double wind_speed;        // m/s, the mean; 0: no wind
    double wind_gust;         // m/s, how far it strays from the mean
    double wind_period;       // s, of the gusts
} pal_scene_motion;

typedef struct pal_scene {
    char *path; // the file
    char *text; // its text, as read
    char *name;
    char *about;                 // one sentence, "" if none
    struct pal_scene_file *file; // the schema's structs, private to scenes/
    pal_mass_kind mass_kind;
    double damping_alpha, damping_beta;
    pal_basis_spec basis; // its loads belong to the scene
    pal_local_spec local; // its touch region is made with the body
    pal_hidden hidden;
    int32_t hand_count;
    bool lists_hands;    // under `hands`, if one alone
    pal_scene_live live; // of the first hand; wall, edits and contact are here
    pal_scene_live other[PAL_SCENE_HANDS - 1]; // of the others
    pal_scene_feel feel;
    bool has_domains; // pal_scene_tree_model makes its model, not pal_scene_model
    pal_scene_motion motion;
    pal_up up;
    pal_landmarks landmarks; // owned
    bool unsettled;          // places by the surface are about where they will be: pal_scene_settle
    char note[512]; // what the last pal_scene_model could not do though it made the model, or ""
} pal_scene;

static inline const pal_scene_live *pal_scene_live_of(const pal_scene *scene, int32_t hand) {
    return hand == 0 ? &scene->live : &scene->other[hand - 1];
}

// `name` is a path to a .yaml file, or the name of a shipped scene ("liver"), which is looked for
// in $PALPATE_SCENES when that is set. *scene is empty on failure.
pal_status pal_scene_read(const char *name, pal_scene *scene, pal_err *err);
// The same from text; files that it names are relative to the folder of `path` and must exist, but
// only a list of loads is read. No geometry is made.
pal_status pal_scene_parse(const char *path, const char *text, size_t size, pal_scene *scene,
                           pal_err *err);
void pal_scene_free(pal_scene *scene);

// Puts the places that the scene names by its surface (point.h) to where they are on it: on the
// surface at rest of its model, of a wall NULL. The scene is read anew, and its text stays as it is
// (in_numbers: it then has the places as numbers). Nothing to do for a scene without such places.
// On failure the scene is as it was; the error is at the line of a place that is not on the
// surface.
pal_status pal_scene_settle(pal_scene *scene, const pal_surface *surface, bool in_numbers,
                            pal_err *err);

// What is hidden goes to another place of its box, by this seed: as if the scene's text said so,
// and its text does then. An error when nothing is hidden; the scene is as it was on failure.
pal_status pal_scene_hide(pal_scene *scene, long seed, pal_err *err);
bool pal_scene_is_path(const char *path); // ends in .yaml or .yml

// The shipped scenes, by name, NULL past the end. Sorted.
const char *pal_scene_shipped(int index);

// Whether a file is one of them.
bool pal_scene_is_shipped(const char *path);

// What a scene describes, made real: its mesh, surface, materials per region, held vertices.
typedef struct pal_scene_body {
    pal_volmesh mesh;
    pal_surface surface;
    pal_material *material; // [mesh.region_count]
    uint8_t *held;          // [mesh.vertex_count]
    uint8_t *touch;         // [mesh.vertex_count] where it may be touched; NULL: everywhere
} pal_scene_body;
pal_status pal_scene_build(const pal_scene *scene, const pal_progress *progress,
                           pal_scene_body *body, pal_err *err);
void pal_scene_body_free(pal_scene_body *body);

// Builds and bakes, whatever the cache holds. On failure *model is empty.
pal_status pal_scene_bake(const pal_scene *scene, const pal_progress *progress, pal_model *model,
                          pal_bake_times *times, pal_err *err);

// A body of domains, made real: its classes and their instances, ready to be baked. `spec` refers
// to the rest.
typedef struct pal_scene_tree {
    pal_scene_body body;           // of one whole mesh; empty where the shape is one of classes
    struct pal_domain_body *shape; // its classes; NULL where there is one whole mesh
    pal_partition partition;       // of the whole mesh
    pal_class_spec *class_;        // [spec.class_count]
    pal_material *material;        // [spec.class_count] where the shape is one of classes
    pal_tree_spec spec;
} pal_scene_tree;
pal_status pal_scene_tree_build(const pal_scene *scene, const pal_progress *progress,
                                pal_scene_tree *tree, pal_err *err);
void pal_scene_tree_free(pal_scene_tree *tree);
// The whole mesh of a scene and the domains that it says (its regions where it says none), whether
// or not they form a tree. An error where the body is made of classes. Both are empty on failure.
pal_status pal_scene_label(const pal_scene *scene, const pal_progress *progress,
                           pal_scene_body *body, pal_domain_labels *labels, pal_err *err);
// The shape of a body of domains, with the sizes of the paper; NULL: it is no shape by name.
const struct pal_domain_shape *pal_scene_domain_shape(const pal_scene *scene);

// Builds and bakes, whatever the cache holds. times [class_count] on the heap, with the time to
// build the meshes in *built; both may be NULL. On failure *model is empty.
pal_status pal_scene_tree_bake(const pal_scene *scene, const pal_progress *progress,
                               pal_tree_model *model, pal_class_times **times, double *built,
                               pal_err *err);

// Whether the model has the regions that the scene's edits name; an error at the line of one that
// it does not have.
pal_status pal_scene_check_edits(const pal_scene *scene, const pal_model *model, pal_err *err);

// The same for the regions that its surfaces name.
pal_status pal_scene_check_surfaces(const pal_scene *scene, const pal_model *model, pal_err *err);

// Writes the scene to `path` (its own or another) with these materials [region_count] of the
// model's regions and this damping in the place of those that were baked; the rest of the text,
// comments included, stays as it is. Only what differs from the model is changed, in the units that
// are there. The new text is read again before it is written, whole or not at all. Files that the
// scene names must be found from the new place.
pal_status pal_scene_save_materials(const pal_scene *scene, const pal_model *model,
                                    const pal_material *now, double alpha, double beta,
                                    const char *path, pal_err *err);

// The same with another basis: of `size` shapes under the loads of a file (a path as seen from the
// new scene), which must be there.
pal_status pal_scene_save_basis(const pal_scene *scene, const char *loads_file, int32_t size,
                                const char *path, pal_err *err);

// The same with other domains: their list is written beside the new scene as NAME-domains.txt, and
// the scene names it; how many modes and the like stay as they are.
pal_status pal_scene_save_domains(const pal_scene *scene, const pal_volmesh *mesh,
                                  const pal_domain_labels *labels, const char *path, pal_err *err);

// The scene's text with other values of some keys, all else as it was. A key is one of the document
// ("probe") or lies in a mapping that is there ("hands.0.probe"); a value is on one line, NULL: the
// key of the document is taken out. No key twice. *text is on the heap, NULL on failure.
typedef struct pal_scene_change {
    const char *key, *value;
} pal_scene_change;
pal_status pal_scene_text_with(const pal_scene *scene, const pal_scene_change *change, int count,
                               char **text, pal_err *err);
// What the text has at a key, on one line, on the heap; NULL: nothing.
pal_status pal_scene_value(const pal_scene *scene, const char *path, char **value, pal_err *err);

// Puts "scene.yaml:line: key: " for the value at `key` ("feel.trials.0.name"; the nearest one above
// it when there is none) before the message of `inner` and returns its status.
pal_status pal_scene_fail(const pal_scene *scene, const char *key, const pal_err *inner,
                          pal_err *err);

// A key of 32 hexadecimal digits over everything a bake depends on: the scene text less comments,
// blank lines and the keys about runs, the content of the files it names, and the version of the
// baking code.
pal_status pal_scene_key(const pal_scene *scene, char key[PAL_HASH_TEXT], pal_err *err);

// The scene's model, from the cache when it is there (*cached = true), else built, baked and
// stored. The cache is $PALPATE_CACHE, else $XDG_CACHE_HOME/palpate, else ~/.cache/palpate; a file
// in it that cannot be read is baked again and replaced. A model that cannot be stored is returned
// all the same, and scene->note says why. `times` and `cached` may be NULL.
pal_status pal_scene_model(pal_scene *scene, bool rebake, const pal_progress *progress,
                           pal_model *model, pal_bake_times *times, bool *cached, pal_err *err);

// The same for a body of domains, with the frequency factors of the scene's `tree` in the domains.
// Where a kept one has joints for other factors they alone are made anew.
// *times is on the heap, NULL when it came from the cache; may be NULL, as may `cached`.
pal_status pal_scene_tree_model(pal_scene *scene, bool rebake, const pal_progress *progress,
                                pal_tree_model *model, pal_class_times **times, bool *cached,
                                pal_err *err);

// Who is told in a line when something kept was not taken (damaged, of another scene, of another
// user), or cannot be kept: nobody, until set. Any thread may tell.
typedef void pal_cache_listener(const char *text);
void pal_cache_listen(pal_cache_listener *listener);

// The same folder as a place for what is made of a model when it is opened (surface_index.h).
const pal_keep *pal_cache_keep(void);

#endif
