// A scene to begin with, for a mesh of the user's own (`palpate new`): what no mesh file tells is
// guessed - the unit, which way is up, what is held, where and how deep to press, the material -
// and each guess is checked on the mesh: the scene runs as it is. Its text says the reasons.
#ifndef PAL_SCENES_NEW_SCENE_H
#define PAL_SCENES_NEW_SCENE_H

#include "scenes/unit_guess.h"
#include "sim/base/progress.h"
#include "sim/base/up.h"
#include "sim/mesh/surface.h"
#include "sim/mesh/volmesh.h"

typedef struct pal_new_wish { // what the user says; NULL: a guess
    const char *unit;         // pal_length_unit_find
    const char *material;     // a preset
    const char *fixed;        // a selector
    const char *up;           // pal_up_name
} pal_new_wish;

enum { PAL_NEW_FIXED = 1024, PAL_NEW_WORDS = 320 };

typedef struct pal_new_scene {
    char *file;       // the mesh or surface, as given
    bool is_surface;  // filled with `voxels`
    pal_volmesh mesh; // m
    pal_surface surface;
    double low[3], high[3], size; // m: its box and longest side
    double edge;                  // m, of a typical element
    const pal_length_unit *unit;
    pal_up up;
    int32_t voxels;            // along the longest side; 0: a volume mesh
    char fixed[PAL_NEW_FIXED]; // a selector
    uint8_t *held;             // [mesh.vertex_count]
    int32_t held_count;
    int held_percent; // of the body's height, where its lower end is held; 0: it is not
    double spot[3];   // m, on the surface, where the ray from `up` meets it
    double thickness; // m, of the body beneath it
    double facet;     // m, longest edge of the triangle there
    double radius;    // m, of the tool
    double depth;     // m, of the hand below first touch
    double force;     // N, that linear elements foresee there
    char material[64];
    double damping;      // s, Rayleigh's, of stiffness
    double local_radius; // m
    int32_t modes, basis_size;
    double bake_seconds; // a rough guess
    char unit_reason[PAL_NEW_WORDS], up_reason[PAL_NEW_WORDS], fixed_reason[PAL_NEW_WORDS],
        material_reason[PAL_NEW_WORDS];
} pal_new_scene;

// Reads the mesh or surface and decides. Errors say what stands in the way: a file that cannot be
// read, a surface with holes, a body that nothing can hold or that hangs together by hinges. *made
// is empty on failure.
pal_status pal_new_scene_make(const char *path, const pal_new_wish *wish,
                              const pal_progress *progress, pal_new_scene *made, pal_err *err);
void pal_new_scene_free(pal_new_scene *made);

// The YAML, on the heap, for a scene at `scene_path` (which need not be there, its folder must):
// it names the mesh as seen from there. It has been parsed as a scene without fault.
pal_status pal_new_scene_text(const pal_new_scene *made, const char *scene_path, char **text,
                              pal_err *err);

#endif
