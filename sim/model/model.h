// A baked body, const while it is used: everything that the run time needs. See model_hdf5.h for
// its file.
#ifndef PAL_MODEL_MODEL_H
#define PAL_MODEL_MODEL_H

#include "sim/base/hash.h"
#include "sim/contact/local.h"
#include "sim/mesh/embed.h"
#include "sim/mesh/surface.h"
#include "sim/mesh/volmesh.h"
#include "sim/reduced/quartic.h"

// One part of the body with its own material, kept apart so that materials can be changed at run
// time: quartic = sum over regions of lambda * per_lambda + mu * per_mu           [BJ05 6.5]
typedef struct pal_model_region {
    char name[PAL_REGION_NAME];
    pal_material material; // as baked
    pal_quartic per_lambda;
    pal_quartic per_mu;
    double *per_density; // [pal_pairs(r)] this region's share of U^T M U at density 1
} pal_model_region;

typedef struct pal_model {
    char *name;
    char *scene_text; // the scene that made it, "" if none
    char hash[PAL_HASH_TEXT];
    char key[PAL_HASH_TEXT]; // of the scene that it was baked from (scenes/scene.h), "": none
    int32_t r;
    bool lumped_mass;
    double damping_alpha, damping_beta; // Rayleigh: C = alpha M + beta K(q), 1/s and s
    double total_mass;                  // kg
    pal_volmesh mesh;
    uint8_t *held;          // [mesh.vertex_count]
    double *basis;          // U [3 * vertex_count][r], U^T M U = I
    int32_t mode_count;     // linear modes behind the basis (0 for a basis from loads)
    double *frequencies_hz; // [mode_count]
    pal_surface surface;    // what is touched and drawn
    pal_embedding embedding;
    pal_local local; // compliance beyond the basis; no rows: none
    int32_t region_count;
    pal_model_region *region; // [region_count]
    pal_quartic quartic;      // the sum for the materials as baked
} pal_model;

// Sizes must be set in *model (r, region_count, mode_count, local's row_count and block_count;
// mesh, surface and embedding complete); makes held, basis, frequencies_hz, local, region and
// quartic, zeroed. Set-up only.
pal_status pal_model_alloc(pal_model *model, pal_err *err);
void pal_model_free(pal_model *model);

// The region of that name; -1 with an error that names those there are. Any thread.
int32_t pal_model_find_region(const pal_model *model, const char *name, pal_err *err);

#endif
