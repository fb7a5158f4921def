// From the command line to a finite-element problem: what `modes`, `static` and `dynamic` share.
#ifndef PAL_APP_PROBLEM_H
#define PAL_APP_PROBLEM_H

#include "app/command.h"
#include "app/json.h"
#include "app/materials.h"
#include "scenes/point.h"
#include "sim/fem/problem.h"

// Options about a mesh as it is read (--scale, --voxels) and about the body (--fix, --mass); the
// materials are in materials.h.
extern const pal_option pal_options_mesh[], pal_options_body[];

// The option groups of a command that works on a body: its own options, then these.
#define PAL_PROBLEM_GROUPS                                                                         \
    {"Body", pal_options_body}, {"Mesh", pal_options_mesh},                                        \
        {"Material (SI units)", pal_options_material}, {                                           \
        "Output", pal_options_work                                                                 \
    }

// What MESH or SCENE may be, for help texts.
#define PAL_PROBLEM_ABOUT                                                                          \
    "MESH is a volume mesh (.msh .node .ele .hex .mesh .vtu .vtk .veg), or a surface (.obj .stl "  \
    ".ply) with --voxels. SCENE is a .yaml file or the name of a shipped scene (palpate scenes). " \
    "Selectors (SEL) name vertices: 'x<0.01', 'z>=20 mm & y<max-10%', 'x<40%', 'vertices:3,7', "   \
    "'region:bone', 'set:top', 'near:(0,0,0.1):20 mm', 'box:(0,0,min):(0.1,0.1,50%)', "            \
    "'surface', 'all', 'none', with & | ! and brackets; lengths in metres or with their unit."

// What a place of the surface may be.
#define PAL_PROBLEM_PLACES                                                                         \
    "A place (POINT) is x,y,z in metres, 'near:(x,y,z)', the nearest place of the surface; "       \
    "'surface:x,y', the highest place there ('surface:-y:x,z': the first one from another side); " \
    "or the name of a landmark of the scene."

typedef struct pal_problem {
    const char *source; // the first operand, borrowed
    pal_volmesh mesh;
    pal_material *material; // [region_count]
    uint8_t *held;          // [vertex_count]
    int32_t held_count;
    pal_mass_kind mass_kind;
    pal_landmarks names; // of a scene
    pal_fem fem;
} pal_problem;

// Reads, scales, takes materials and held vertices, and makes the problem. After a failure there
// is nothing to close.
pal_status pal_problem_open(pal_problem *problem, const pal_job *job, pal_err *err);
void pal_problem_close(pal_problem *problem);

// "liver.msh: 181 vertices, 596 tets, ..." and the same as JSON keys.
void pal_problem_print(const pal_problem *problem, FILE *out);
void pal_problem_json(const pal_problem *problem, cJSON *object);

// The mesh of an operand that is no scene: a volume mesh, or a surface filled with voxels (0: that
// is an error). *mesh is empty on failure.
pal_status pal_problem_read_mesh(const char *source, int voxels, const pal_progress *progress,
                                 pal_volmesh *mesh, pal_err *err);

// held [vertex_count] as --fix says; as it was without it.
pal_status pal_problem_choose_held(const pal_args *args, const pal_volmesh *mesh, uint8_t *held,
                                   pal_err *err);

// An error when --voxels was given for an operand that is no surface.
pal_status pal_problem_check_voxels(const char *source, const pal_args *args, pal_err *err);

// Whether an operand is a scene: a .yaml file or the name of a shipped one.
bool pal_problem_is_scene(const char *source);

// The error for an operand that is no file or scene that we know.
pal_status pal_problem_unknown_source(const char *source, pal_err *err);

// The error for an operand that must be a scene and is not.
pal_status pal_problem_not_a_scene(const char *source, pal_err *err);

#endif
