// The bases that are compared.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/compare.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/basis/mass_pca.h"
#include "sim/model/bake_basis.h"
#include "sim/reduced/quartic_build.h"

void pal_reduction_free(pal_reduction *reduction) {
    free(reduction->basis);
    pal_quartic_free(&reduction->quartic);
    *reduction = (pal_reduction){0};
}

pal_status pal_reduction_of_model(const pal_model *model, pal_basis_kind kind, int32_t r,
                                  pal_reduction *out, pal_err *err) {
    static const char *const key[] = {"derivatives", "modes", "loads"};
    static const char *const name[] = {"modal derivatives", "linear modes", "the scene's loads"};
    int64_t rows = 3 * (int64_t)model->mesh.vertex_count;
    *out = (pal_reduction){.key = key[kind], .name = name[kind], .r = r};
    out->basis = PAL_NEW(double, (size_t)(rows * r), err);
    pal_status status = out->basis ? pal_quartic_alloc(&out->quartic, r, err) : PAL_ERR_MEMORY;
    if (status != PAL_OK) {
        pal_reduction_free(out);
        return status;
    }
    for (int64_t row = 0; row < rows; row++) {
        memcpy(out->basis + row * r, model->basis + row * model->r, (size_t)r * sizeof *out->basis);
    }
    // The coefficients of the first r coordinates are a prefix (quartic.h).
    memcpy(out->quartic.p, model->quartic.p, (size_t)pal_pairs(r) * sizeof(double));
    memcpy(out->quartic.q, model->quartic.q, (size_t)pal_triples(r) * sizeof(double));
    memcpy(out->quartic.s, model->quartic.s, (size_t)pal_quadruples(r) * sizeof(double));
    return PAL_OK;
}

// The quartic of a basis that is there.
static pal_status reduce(const pal_fem *fem, const pal_progress *progress, pal_reduction *out,
                         pal_err *err) {
    const pal_volmesh *mesh = fem->mesh;
    pal_status status = pal_quartic_alloc(&out->quartic, out->r, err);
    for (int32_t g = 0; status == PAL_OK && g < mesh->region_count; g++) {
        pal_quartic per_lambda = {0}, per_mu = {0};
        status = pal_quartic_alloc(&per_lambda, out->r, err);
        if (status == PAL_OK) {
            status = pal_quartic_alloc(&per_mu, out->r, err);
        }
        if (status == PAL_OK) {
            status =
                pal_quartic_build(mesh, g, out->basis, out->r, progress, &per_lambda, &per_mu, err);
        }
        if (status == PAL_OK) {
            pal_quartic_add(&out->quartic, pal_material_lambda(&fem->material[g]), &per_lambda);
            pal_quartic_add(&out->quartic, pal_material_mu(&fem->material[g]), &per_mu);
        }
        pal_quartic_free(&per_lambda);
        pal_quartic_free(&per_mu);
    }
    if (status != PAL_OK) {
        pal_reduction_free(out);
    }
    return status;
}

// A basis as pal_bake makes it.
static pal_status bake(pal_trial *trial, const pal_basis_spec *spec, const pal_progress *progress,
                       pal_reduction *out, pal_err *err) {
    pal_baked_basis baked = {0};
    pal_bake_times times;
    pal_status status = pal_bake_basis(&trial->fem, spec, progress, &baked, &times, err);
    if (status != PAL_OK) {
        return status;
    }
    out->r = spec->size;
    out->basis = baked.basis;
    baked.basis = NULL;
    pal_baked_basis_free(&baked);
    return reduce(&trial->fem, progress, out, err);
}

pal_status pal_reduction_of_modes(pal_trial *trial, int32_t r, const pal_progress *progress,
                                  pal_reduction *out, pal_err *err) {
    pal_basis_spec spec = {.kind = PAL_BASIS_MODES, .size = r, .modes = r};
    *out = (pal_reduction){.key = "modes", .name = "linear modes"};
    return bake(trial, &spec, progress, out, err);
}

// ---- the sketch

// Shares of the blow's direction, of one across it, and of the third: along, against, aslant both
// ways, sideways.
static const double pushes[][3] = {{1.0, 0.0, 0.0},  {-1.0, 0.0, 0.0}, {0.8, 0.6, 0.0},
                                   {-0.8, 0.6, 0.0}, {0.8, 0.0, 0.6},  {-0.8, 0.0, 0.6},
                                   {0.0, 1.0, 0.0}};
enum { PUSHES = sizeof pushes / sizeof *pushes, STRENGTHS = 3, LOADS = PUSHES * STRENGTHS };
enum { MOST_WEAKENINGS = 4 };

// Two directions across the blow.
static void across(const double d[3], double e1[3], double e2[3]) {
    int flat = fabs(d[0]) <= fabs(d[1]) && fabs(d[0]) <= fabs(d[2]) ? 0
               : fabs(d[1]) <= fabs(d[2])                           ? 1
                                                                    : 2;
    double axis[3] = {flat == 0, flat == 1, flat == 2};
    pal_cross3(d, axis, e1);
    double norm = pal_norm3(e1);
    for (int c = 0; c < 3; c++) {
        e1[c] /= norm;
    }
    pal_cross3(d, e1, e2);
}

static void write_loads(const pal_trial *trial, double strength, pal_load loads[LOADS]) {
    double frame[3][3];
    memcpy(frame[0], trial->blow.direction, sizeof frame[0]);
    across(frame[0], frame[1], frame[2]);
    for (int n = 0; n < LOADS; n++) {
        double size = strength * (1 + n % STRENGTHS) / STRENGTHS;
        loads[n].selector = trial->probe.selector;
        for (int c = 0; c < 3; c++) {
            loads[n].force[c] = 0.0;
            for (int a = 0; a < 3; a++) {
                loads[n].force[c] += size * pushes[n / STRENGTHS][a] * frame[a][c];
            }
        }
    }
}

pal_status pal_reduction_of_sketch(pal_trial *trial, double strength, int32_t r,
                                   const pal_progress *progress, pal_reduction *out, pal_err *err) {
    pal_load loads[LOADS];
    pal_basis_spec spec = {.kind = PAL_BASIS_LOADS,
                           .size = r < LOADS ? r : LOADS,
                           .load_count = LOADS,
                           .loads = loads};
    pal_status status = PAL_ERR_NUMERIC;
    *out = (pal_reduction){.key = "sketch", .name = "sketched loads"};
    for (int k = 0; status == PAL_ERR_NUMERIC && k < MOST_WEAKENINGS; k++) {
        write_loads(trial, strength, loads);
        status = bake(trial, &spec, progress, out, err);
        strength *= 0.5;
    }
    return status;
}

// ---- the full motion

pal_status pal_reduction_of_shapes(pal_trial *trial, const double *shapes, int32_t count, int32_t r,
                                   const pal_progress *progress, pal_reduction *out, pal_err *err) {
    *out = (pal_reduction){.key = "motion", .name = "PCA of the full motion"};
    int64_t rows = 3 * (int64_t)trial->fem.mesh->vertex_count;
    pal_status status = PAL_ERR_USAGE;
    // A motion that spans fewer dimensions than asked for gets a smaller basis.
    for (out->r = r < count ? r : count; status == PAL_ERR_USAGE && out->r > 0; out->r--) {
        free(out->basis);
        out->basis = PAL_NEW(double, (size_t)(rows * out->r), err);
        status = out->basis
                     ? pal_mass_pca(&trial->fem, shapes, count, out->r, out->basis, NULL, err)
                     : PAL_ERR_MEMORY;
        if (status == PAL_OK) {
            return reduce(&trial->fem, progress, out, err);
        }
    }
    pal_reduction_free(out);
    return status;
}
