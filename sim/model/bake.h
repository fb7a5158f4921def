// The offline half in one call: mesh -> finite elements -> basis -> reduced model.
#ifndef PAL_MODEL_BAKE_H
#define PAL_MODEL_BAKE_H

#include "sim/base/progress.h"
#include "sim/contact/local_build.h"
#include "sim/fem/problem.h"
#include "sim/model/model.h"

typedef enum pal_basis_kind {
    PAL_BASIS_DERIVATIVES, // linear modes and all their modal derivatives, mass-PCA  [BJ05 5.1]
    PAL_BASIS_MODES,       // linear modes only
    PAL_BASIS_LOADS,       // shapes under given loads, mass-PCA                      [BJ05 5.2]
    PAL_BASIS_BOUNDARY,    // static responses to wrenches on the ports, their derivatives, modes
} pal_basis_kind;

typedef struct pal_load { // a total dead force shared equally by the selected vertices
    char *selector;
    double force[3]; // N
} pal_load;

typedef struct pal_basis_port { // an interface to a child, which loads it
    int32_t vertex_count;
    const int32_t *vertex; // [vertex_count]
    const double *weight;  // [vertex_count], sum 1
    double load;           // kg: the mass that hangs there
} pal_basis_port;

typedef struct pal_basis_spec {
    pal_basis_kind kind;
    int32_t size;  // r
    int32_t modes; // k linear modes (kinds DERIVATIVES and MODES; BOUNDARY: at most so many)
    int32_t load_count;
    pal_load *loads;         // [load_count], in the order recorded
    double force_separation; // N: a load nearer than this to the last one taken is skipped
    double shape_separation; // kg^1/2 m: likewise for the shapes, in the mass metric
    int32_t port_count;
    const pal_basis_port *port; // [port_count] (kind BOUNDARY)
} pal_basis_spec;

typedef struct pal_bake_spec {
    const char *name;
    const char *scene_text;       // kept in the model, may be ""
    const pal_volmesh *mesh;      // copied
    const pal_surface *surface;   // what is touched and drawn, copied; NULL: the mesh's boundary
    const uint8_t *held;          // [vertex_count]
    const pal_material *material; // [region_count]
    pal_mass_kind mass_kind;
    double damping_alpha, damping_beta;
    bool rigid; // no basis (its size is 0), no tables, no local compliance
    pal_basis_spec basis;
    pal_local_spec local; // compliance beyond the basis
} pal_bake_spec;

typedef struct pal_bake_times { // s
    double setup, modes, derivatives, pca, quartic, embedding, local;
    pal_local_report local_report; // what came of the local compliance
} pal_bake_times;

pal_status pal_bake(const pal_bake_spec *spec, const pal_progress *progress, pal_model *model,
                    pal_bake_times *times, pal_err *err);

#endif
