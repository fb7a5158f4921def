#include "app/domain_show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/studio.h"
#include "sim/base/memory.h"
#include "sim/mesh/embed_build.h"
#include "sim/mesh/keymap.h"

enum { WIDTH = 1600, HEIGHT = 1000 };

// ---- meshes

static void take_name(pal_volmesh *mesh, int32_t region, const char *name) {
    snprintf(mesh->regions[region].name, PAL_REGION_NAME, "%s", name);
}

// Vertices once for every domain that they are of; elements stay in their order.
static pal_status split_mesh(const pal_volmesh *mesh, const pal_domain_labels *labels,
                             pal_volmesh *out, pal_err *err) {
    const int32_t nodes = (int32_t)mesh->kind, corners = mesh->element_count * nodes;
    pal_keymap map;
    if (pal_keymap_alloc(&map, 2, corners, err) != PAL_OK) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t k = 0; k < corners; k++) {
        pal_keymap_add(&map, (int32_t[2]){mesh->element[k], labels->label[k / nodes]});
    }
    pal_status status =
        pal_volmesh_alloc(out, mesh->kind, map.count, mesh->element_count, labels->count, err);
    for (int32_t k = 0; status == PAL_OK && k < corners; k++) {
        out->element[k] =
            pal_keymap_add(&map, (int32_t[2]){mesh->element[k], labels->label[k / nodes]});
        memcpy(out->x + 3 * (int64_t)out->element[k], mesh->x + 3 * (int64_t)mesh->element[k],
               3 * sizeof *mesh->x);
    }
    pal_keymap_free(&map);
    return status;
}

static pal_status copy_mesh(const pal_volmesh *mesh, const pal_domain_labels *labels,
                            pal_volmesh *out, pal_err *err) {
    pal_status status = pal_volmesh_alloc(out, mesh->kind, mesh->vertex_count, mesh->element_count,
                                          labels->count, err);
    if (status == PAL_OK) {
        const size_t corners = (size_t)mesh->element_count * (size_t)mesh->kind;
        memcpy(out->x, mesh->x, 3 * (size_t)mesh->vertex_count * sizeof *mesh->x);
        memcpy(out->element, mesh->element, corners * sizeof *mesh->element);
    }
    return status;
}

// All instances one after the other, where they are at rest.
static pal_status place_tree(const pal_tree_model *tree, pal_volmesh *out, pal_err *err) {
    int64_t vertices = 0, elements = 0;
    const pal_element_kind kind = tree->body[0].mesh.kind;
    for (int32_t d = 0; d < tree->domain_count; d++) {
        const pal_volmesh *mesh = &tree->body[tree->domain[d].kind].mesh;
        vertices += mesh->vertex_count;
        elements += mesh->element_count;
        if (mesh->kind != kind || elements * (int)kind > INT32_MAX) {
            return pal_fail(err, PAL_ERR_USAGE, "%s",
                            mesh->kind != kind
                                ? "a body of tetrahedra and voxels cannot be drawn in one"
                                : "a body with more elements than can be drawn");
        }
    }
    double *x = PAL_NEW(double, 3 * (size_t)tree->domain_count, err);
    double *turn = PAL_NEW(double, 9 * (size_t)tree->domain_count, err);
    pal_status status = x && turn ? pal_volmesh_alloc(out, kind, (int32_t)vertices,
                                                      (int32_t)elements, tree->domain_count, err)
                                  : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        pal_tree_rest_frames(&tree->tree, x, turn);
    }
    int32_t vertex = 0, corner = 0, element = 0;
    for (int32_t d = 0; status == PAL_OK && d < tree->domain_count; d++) {
        const pal_volmesh *mesh = &tree->body[tree->domain[d].kind].mesh;
        const double *r = turn + 9 * (int64_t)d, s = tree->domain[d].scale;
        for (int32_t k = 0; k < mesh->element_count * (int)kind; k++) {
            out->element[corner++] = mesh->element[k] + vertex;
        }
        for (int32_t k = 0; k < mesh->element_count; k++) {
            out->region[element++] = d;
        }
        for (int32_t v = 0; v < mesh->vertex_count; v++, vertex++) {
            const double *from = mesh->x + 3 * (int64_t)v;
            for (int c = 0; c < 3; c++) {
                out->x[3 * (int64_t)vertex + c] =
                    x[3 * (int64_t)d + c] +
                    s * (r[3 * c] * from[0] + r[3 * c + 1] * from[1] + r[3 * c + 2] * from[2]);
            }
        }
        take_name(out, d, tree->domain_name[d]);
    }
    free(x);
    free(turn);
    return status;
}

// Every region, which shares no vertex with another, is moved from the middle.
static pal_status explode(pal_volmesh *mesh, double apart, pal_err *err) {
    const int32_t n = mesh->region_count;
    double *middle = PAL_NEW(double, 4 * (size_t)(n + 1), err); // sums and counts; the last: of all
    int32_t *region = PAL_NEW(int32_t, mesh->vertex_count, err);
    if (middle == NULL || region == NULL) {
        free(middle);
        free(region);
        return PAL_ERR_MEMORY;
    }
    for (int32_t k = 0; k < mesh->element_count * (int)mesh->kind; k++) {
        region[mesh->element[k]] = mesh->region[k / (int)mesh->kind];
    }
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        for (int which = 0; which < 2; which++) {
            double *sum = middle + 4 * (int64_t)(which == 0 ? region[v] : n);
            for (int c = 0; c < 3; c++) {
                sum[c] += mesh->x[3 * (int64_t)v + c];
            }
            sum[3] += 1.0;
        }
    }
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        const double *own = middle + 4 * (int64_t)region[v], *all = middle + 4 * (int64_t)n;
        for (int c = 0; c < 3; c++) {
            mesh->x[3 * (int64_t)v + c] += apart * (own[c] / own[3] - all[c] / all[3]);
        }
    }
    free(middle);
    free(region);
    return PAL_OK;
}

// ---- the model

pal_status pal_show_finish(pal_model *model, const char *name, pal_err *err) {
    model->r = 1;
    model->name = pal_copy_text(name, err);
    model->scene_text = pal_copy_text("", err);
    model->region_count = model->mesh.region_count;
    pal_status status = model->name && model->scene_text ? PAL_OK : PAL_ERR_MEMORY;
    if (status == PAL_OK && model->surface.triangle_count == 0) {
        status = pal_surface_of_volmesh(&model->mesh, &model->surface, NULL, err);
    }
    if (status == PAL_OK) {
        status = pal_embedding_build(&model->mesh, model->surface.x, model->surface.vertex_count,
                                     &model->embedding, NULL, err);
    }
    if (status == PAL_OK) {
        status = pal_model_alloc(model, err);
    }
    for (int32_t g = 0; status == PAL_OK && g < model->region_count; g++) {
        snprintf(model->region[g].name, PAL_REGION_NAME, "%s", model->mesh.regions[g].name);
        model->region[g].material = (pal_material){1.0, 0.3, 1.0};
    }
    return status;
}

pal_status pal_domain_show_mesh(const pal_volmesh *mesh, const pal_domain_labels *labels,
                                double apart, pal_model *model, pal_err *err) {
    memset(model, 0, sizeof *model);
    pal_status status = apart > 0.0 ? split_mesh(mesh, labels, &model->mesh, err)
                                    : copy_mesh(mesh, labels, &model->mesh, err);
    for (int32_t d = 0; status == PAL_OK && d < labels->count; d++) {
        take_name(&model->mesh, d, labels->name[d]);
    }
    if (status == PAL_OK) {
        memcpy(model->mesh.region, labels->label,
               (size_t)mesh->element_count * sizeof *labels->label);
    }
    if (status == PAL_OK && apart > 0.0) {
        status = explode(&model->mesh, apart, err);
    }
    if (status == PAL_OK) {
        status = pal_show_finish(model, "domains", err);
    }
    if (status != PAL_OK) {
        pal_model_free(model);
    }
    return status;
}

pal_status pal_domain_show_tree(const pal_tree_model *tree, double apart, pal_model *model,
                                pal_err *err) {
    memset(model, 0, sizeof *model);
    pal_status status = place_tree(tree, &model->mesh, err);
    if (status == PAL_OK && apart > 0.0) {
        status = explode(&model->mesh, apart, err);
    }
    if (status == PAL_OK) {
        status = pal_show_finish(model, "domains", err);
    }
    if (status != PAL_OK) {
        pal_model_free(model);
    }
    return status;
}

// ---- the picture

void pal_domain_show_shot(pal_snapshot *shot) {
    memset(shot, 0, sizeof *shot);
    shot->r = 1;
    shot->rate = 1.0;
    for (int i = 0; i < PAL_SNAPSHOT_REGIONS; i++) {
        shot->softer[i] = 1.0;
    }
}

pal_status pal_domain_show_write(const char *path, const pal_model *model, pal_up up,
                                 const char *title, const char *caption, pal_err *err) {
    const pal_stage_spec spec = {.model = model, .up = up};
    const pal_studio_words words = {title, caption};
    pal_snapshot *shot = PAL_NEW(pal_snapshot, 1, err);
    pal_image image = {0};
    pal_studio studio;
    pal_view view;
    if (shot == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_domain_show_shot(shot);
    pal_view_defaults(&view);
    view.colouring = PAL_BY_REGION;
    pal_status status = pal_studio_open(&studio, &spec, WIDTH, HEIGHT, err);
    if (status == PAL_OK) {
        status = pal_studio_fit(&studio, &view, shot, 1.0, err);
        if (status == PAL_OK) {
            status = pal_studio_take(&studio, &view, shot, &words, &image, err);
        }
        if (status == PAL_OK) {
            status = pal_image_write_png(path, &image, err);
        }
        pal_image_free(&image);
        pal_studio_close(&studio);
    }
    free(shot);
    return status;
}
