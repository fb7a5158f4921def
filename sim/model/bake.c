#include "sim/model/bake.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/clock.h"
#include "sim/base/memory.h"
#include "sim/fem/mass.h"
#include "sim/mesh/embed_build.h"
#include "sim/model/bake_basis.h"
#include "sim/reduced/quartic_build.h"

static pal_status copy_mesh(const pal_volmesh *from, pal_volmesh *to, pal_err *err) {
    pal_status status = pal_volmesh_alloc(to, from->kind, from->vertex_count, from->element_count,
                                          from->region_count, err);
    if (status == PAL_OK) {
        size_t n = (size_t)from->vertex_count, e = (size_t)from->element_count;
        memcpy(to->x, from->x, 3 * n * sizeof *to->x);
        memcpy(to->element, from->element, e * (size_t)from->kind * sizeof *to->element);
        memcpy(to->region, from->region, e * sizeof *to->region);
        memcpy(to->regions, from->regions, (size_t)from->region_count * sizeof *to->regions);
        memcpy(to->file_vertex, from->file_vertex, n * sizeof *to->file_vertex);
        to->dropped_count = from->dropped_count;
        to->turned_count = from->turned_count;
        status = pal_volmesh_copy_share(from, NULL, to, err);
    }
    return status;
}

static pal_status copy_surface(const pal_bake_spec *spec, pal_surface *to, pal_err *err) {
    const pal_surface *from = spec->surface;
    if (from == NULL) {
        return pal_surface_of_volmesh(spec->mesh, to, NULL, err);
    }
    pal_status status = pal_surface_alloc(to, from->vertex_count, from->triangle_count, err);
    if (status == PAL_OK) {
        memcpy(to->x, from->x, 3 * (size_t)from->vertex_count * sizeof *to->x);
        memcpy(to->triangle, from->triangle,
               3 * (size_t)from->triangle_count * sizeof *to->triangle);
    }
    return status;
}

// The parts that are copied: mesh, surface and its embedding, names, and the arrays to fill.
static pal_status start_model(const pal_bake_spec *spec, int32_t mode_count, pal_model *model,
                              pal_err *err) {
    model->r = spec->rigid ? 0 : spec->basis.size;
    model->region_count = spec->mesh->region_count;
    model->mode_count = mode_count;
    model->lumped_mass = spec->mass_kind == PAL_MASS_LUMPED;
    model->damping_alpha = spec->damping_alpha;
    model->damping_beta = spec->damping_beta;
    model->name = pal_copy_text(spec->name, err);
    model->scene_text = pal_copy_text(spec->scene_text, err);
    pal_status status = model->name && model->scene_text ? PAL_OK : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        status = copy_mesh(spec->mesh, &model->mesh, err);
    }
    if (status == PAL_OK) {
        status = copy_surface(spec, &model->surface, err);
    }
    if (status == PAL_OK) {
        status = pal_embedding_build(&model->mesh, model->surface.x, model->surface.vertex_count,
                                     &model->embedding, NULL, err);
    }
    if (status == PAL_OK) {
        status = pal_model_alloc(model, err);
    }
    if (status == PAL_OK && spec->held != NULL) {
        memcpy(model->held, spec->held, (size_t)model->mesh.vertex_count);
    }
    return status;
}

// out [pairs] = U^T M_g U, M_g the region's mass at density 1.
static pal_status reduce_region_mass(const pal_fem *fem, const double *basis, int32_t r,
                                     int32_t region, double *out, pal_err *err) {
    int n = (int)pal_fem_dofs(fem);
    double *mass = PAL_NEW(double, fem->block_start[fem->free_count], err);
    double *u = PAL_NEW(double, (size_t)r *(size_t)n, err);
    double *mu = PAL_NEW(double, n, err);
    pal_status status = mass && u && mu ? PAL_OK : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        status = pal_fem_add_region_mass(fem, region, 1.0, mass, NULL, err);
    }
    if (status == PAL_OK) {
        pal_fem_basis_to_free(fem, basis, r, u);
    }
    for (int32_t k = 0; status == PAL_OK && k < r; k++) {
        pal_fem_multiply_blocks(fem, mass, u + (int64_t)k * n, mu);
        for (int32_t j = 0; j <= k; j++) {
            out[pal_pair_at(j, k)] = cblas_ddot(n, u + (int64_t)j * n, 1, mu, 1);
        }
    }
    free(mass);
    free(u);
    free(mu);
    return status;
}

// The tables of every region, and their sum for the materials as given.
static pal_status fill_regions(const pal_fem *fem, const pal_progress *progress, pal_model *model,
                               pal_err *err) {
    pal_status status = PAL_OK;
    for (int32_t g = 0; status == PAL_OK && g < model->region_count; g++) {
        pal_model_region *region = &model->region[g];
        memcpy(region->name, model->mesh.regions[g].name, sizeof region->name);
        region->material = fem->material[g];
        if (model->r == 0) {
            continue;
        }
        status = pal_quartic_build(&model->mesh, g, model->basis, model->r, progress,
                                   &region->per_lambda, &region->per_mu, err);
        if (status == PAL_OK) {
            status = reduce_region_mass(fem, model->basis, model->r, g, region->per_density, err);
        }
        if (status == PAL_OK) { // [BJ05 6.5]
            pal_quartic_add(&model->quartic, pal_material_lambda(&region->material),
                            &region->per_lambda);
            pal_quartic_add(&model->quartic, pal_material_mu(&region->material), &region->per_mu);
        }
    }
    return status;
}

static pal_status add_local(pal_fem *fem, const pal_local_spec *spec, const pal_progress *progress,
                            pal_model *model, pal_bake_times *spent, pal_err *err) {
    if (spec->choice == PAL_LOCAL_WANT_NONE) {
        return PAL_OK;
    }
    pal_local local;
    pal_status status = pal_local_build(fem, model->basis, model->r, &model->embedding, spec,
                                        progress, &local, &spent->local_report, err);
    spent->local = spent->local_report.seconds;
    if (status == PAL_OK && local.row_count > 0) {
        pal_local_free(&model->local);
        model->local = local;
    }
    return status;
}

static pal_status check_finite(const pal_model *model, pal_err *err) {
    for (int64_t k = 0; k < pal_quadruples(model->r); k++) {
        if (!isfinite(model->quartic.s[k])) {
            return pal_fail(err, PAL_ERR_NUMERIC,
                            "the reduced model has a coefficient that is not "
                            "finite; look at the mesh with 'palpate info'");
        }
    }
    return PAL_OK;
}

pal_status pal_bake(const pal_bake_spec *spec, const pal_progress *progress, pal_model *model,
                    pal_bake_times *times, pal_err *err) {
    pal_bake_times spent = {0};
    pal_fem fem = {0};
    pal_baked_basis baked = {0};
    memset(model, 0, sizeof *model);
    double start = pal_seconds();
    pal_progress_report(progress, "finite elements", 0.0);
    pal_status status =
        pal_fem_init(&fem, spec->mesh, spec->material, spec->held, spec->mass_kind, err);
    pal_progress_report(progress, "finite elements", 1.0);
    spent.setup = pal_seconds() - start;
    if (status == PAL_OK && !spec->rigid) {
        status = pal_bake_basis(&fem, &spec->basis, progress, &baked, &spent, err);
    }
    start = pal_seconds();
    if (status == PAL_OK) {
        status = start_model(spec, baked.mode_count, model, err);
    }
    spent.embedding = pal_seconds() - start;
    start = pal_seconds();
    if (status == PAL_OK) {
        model->total_mass = fem.total_mass;
        if (!spec->rigid) {
            memcpy(model->basis, baked.basis,
                   3 * (size_t)model->mesh.vertex_count * (size_t)model->r * sizeof *model->basis);
        }
        for (int32_t k = 0; k < baked.mode_count; k++) {
            model->frequencies_hz[k] = baked.frequencies_hz[k];
        }
        status = fill_regions(&fem, progress, model, err);
    }
    if (status == PAL_OK) {
        status = check_finite(model, err);
    }
    spent.quartic = pal_seconds() - start;
    if (status == PAL_OK && !spec->rigid) {
        status = add_local(&fem, &spec->local, progress, model, &spent, err);
    }
    pal_baked_basis_free(&baked);
    pal_fem_free(&fem);
    if (status != PAL_OK) {
        pal_model_free(model);
    }
    if (times != NULL) {
        *times = spent;
    }
    return status;
}
