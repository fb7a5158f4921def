#include "tests/support/model_sample.h"

#include <stdio.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/contact/local_build.h"
#include "tests/support/random.h"

static void fill(double *out, int64_t count, uint64_t seed) {
    test_random random = {seed};
    random_fill(&random, 1.0, out, (size_t)count);
}

static void fill_indices(int32_t *out, int64_t count, int32_t limit) {
    for (int64_t i = 0; i < count; i++) {
        out[i] = (int32_t)((i * 7 + i / 5) % limit);
    }
}

static void fill_quartic(pal_quartic *quartic, uint64_t seed) {
    fill(quartic->p, pal_pairs(quartic->r), seed);
    fill(quartic->q, pal_triples(quartic->r), seed + 1);
    fill(quartic->s, pal_quadruples(quartic->r), seed + 2);
}

static pal_status make_room(const sample_size *size, pal_model *model, pal_err *err) {
    pal_status status = pal_volmesh_alloc(&model->mesh, size->kind, size->vertices, size->elements,
                                          size->regions, err);
    if (status == PAL_OK) {
        status = pal_surface_alloc(&model->surface, size->points, size->triangles, err);
    }
    model->name = pal_copy_text("sample", err);
    model->scene_text = pal_copy_text("name: sample\n# r\xc3\xa9sum\xc3\xa9\n", err);
    int64_t carriers = (int64_t)size->points * (int)size->kind;
    model->embedding.point_count = size->points;
    model->embedding.nodes = (int32_t)size->kind;
    model->embedding.vertex = PAL_NEW(int32_t, carriers, err);
    model->embedding.weight = PAL_NEW(double, carriers, err);
    if (status != PAL_OK || !model->name || !model->scene_text || !model->embedding.vertex ||
        !model->embedding.weight) {
        return PAL_ERR_MEMORY;
    }
    model->r = size->r;
    model->mode_count = size->modes;
    model->region_count = size->regions;
    model->local.row_count = 2;
    model->local.block_count = 3;
    return pal_model_alloc(model, err);
}

// Two rows: the first with both columns, the second with its own.
static void fill_local(pal_local *local) {
    test_random random = {9};
    local->way = PAL_LOCAL_EXACT;
    local->radius = 0.01;
    local->vertex[1] = local->vertex_count - 1;
    local->first[1] = 2;
    local->first[2] = 3;
    local->column[1] = 1;
    local->column[2] = 1;
    for (int k = 0; k < 27; k++) {
        local->block[k] = (float)random_number(&random);
    }
    pal_local_index(local);
}

static void fill_model(pal_model *m) {
    int32_t n = m->mesh.vertex_count, e = m->mesh.element_count;
    int64_t carriers = (int64_t)m->embedding.point_count * m->embedding.nodes;
    fill(m->mesh.x, 3 * (int64_t)n, 1);
    fill_indices(m->mesh.element, (int64_t)e * (int)m->mesh.kind, n);
    fill_indices(m->mesh.region, e, m->region_count);
    fill(m->basis, 3 * (int64_t)n * m->r, 2);
    fill(m->frequencies_hz, m->mode_count, 3);
    fill(m->surface.x, 3 * (int64_t)m->surface.vertex_count, 4);
    fill_indices(m->surface.triangle, 3 * (int64_t)m->surface.triangle_count,
                 m->surface.vertex_count);
    fill_indices(m->embedding.vertex, carriers, n);
    fill(m->embedding.weight, carriers, 5);
    fill_quartic(&m->quartic, 6);
    fill_local(&m->local);
    m->mesh.file_vertex[0] = 17;
    m->mesh.dropped_count = 2;
    m->held[n - 1] = 1;
    m->lumped_mass = true;
    m->damping_alpha = 0.25;
    m->damping_beta = 1e-3;
    m->total_mass = 1.5;
    for (int32_t g = 0; g < m->region_count; g++) {
        pal_model_region *region = &m->region[g];
        snprintf(region->name, sizeof region->name, "a/b 'c' %d", (int)g);
        snprintf(m->mesh.regions[g].name, sizeof m->mesh.regions[g].name, "%d", (int)g);
        region->material = (pal_material){1e4 + g, 0.3, 1000.0};
        m->mesh.regions[g].has_material = g == 1;
        m->mesh.regions[g].material = region->material;
        fill_quartic(&region->per_lambda, 10 + 20 * (uint64_t)g);
        fill_quartic(&region->per_mu, 15 + 20 * (uint64_t)g);
        fill(region->per_density, pal_pairs(m->r), 18 + 20 * (uint64_t)g);
    }
}

pal_status sample_model(const sample_size *size, pal_model *model, pal_err *err) {
    memset(model, 0, sizeof *model);
    pal_status status = make_room(size, model, err);
    if (status != PAL_OK) {
        pal_model_free(model);
        return status;
    }
    fill_model(model);
    return PAL_OK;
}

pal_status sample_small_model(pal_model *model, pal_err *err) {
    const sample_size size = {PAL_TET4, 7, 5, 2, 3, 2, 4, 3};
    return sample_model(&size, model, err);
}
