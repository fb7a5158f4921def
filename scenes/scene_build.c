// A scene's body made real: geometry, then regions, then materials, then what is held.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/domain_shapes.h"
#include "scenes/scene_file.h"
#include "scenes/shapes.h"
#include "sim/base/memory.h"
#include "sim/mesh/mesh_io.h"
#include "sim/mesh/select.h"
#include "sim/mesh/tidy.h"
#include "sim/mesh/voxelize.h"

typedef struct building {
    const pal_scene *scene;
    const pal_progress *progress;
    pal_scene_body *body;
    pal_err *err;
} building;

void pal_scene_body_free(pal_scene_body *body) {
    pal_volmesh_free(&body->mesh);
    pal_surface_free(&body->surface);
    free(body->material);
    free(body->held);
    free(body->touch);
    memset(body, 0, sizeof *body);
}

static pal_status fail(const building *b, const char *key, pal_status status, const char *text) {
    pal_err inner = {.status = status};
    snprintf(inner.text, sizeof inner.text, "%s", text);
    return pal_scene_fail(b->scene, key, &inner, b->err);
}

// ---- geometry

static pal_status read_surface(const building *b, const pal_scene_mesh *from) {
    char *path = pal_scene_file_path(b->scene, from->file, b->err);
    pal_status status =
        path == NULL ? PAL_ERR_MEMORY : pal_surface_read(path, &b->body->surface, b->err);
    free(path);
    if (status == PAL_OK && from->scale != NULL) {
        pal_surface_scale(&b->body->surface, *from->scale);
    }
    return status;
}

static pal_status read_mesh(const building *b, const pal_scene_mesh *from) {
    char *path = pal_scene_file_path(b->scene, from->file, b->err);
    pal_status status = path == NULL ? PAL_ERR_MEMORY : pal_mesh_read(path, &b->body->mesh, b->err);
    free(path);
    if (status == PAL_OK && from->scale != NULL) {
        pal_volmesh_scale(&b->body->mesh, *from->scale);
    }
    return status;
}

// A body of domains that is one whole mesh.
static pal_status make_domain_shape(const building *b, const pal_domain_shape *shape) {
    pal_domain_body made;
    if (shape->has_classes) {
        return pal_fail(b->err, PAL_ERR_USAGE,
                        "the scene '%.100s' is a tree of instances of classes and has no mesh of "
                        "the whole",
                        b->scene->name);
    }
    pal_progress_report(b->progress, "shape", 0.0);
    pal_status status =
        pal_domain_shape_make(shape->name, b->scene->file->body->shape->size_si, &made, b->err);
    if (status == PAL_OK) {
        b->body->mesh = made.mesh;
        memset(&made.mesh, 0, sizeof made.mesh);
        pal_domain_body_free(&made);
        status = pal_surface_of_volmesh(&b->body->mesh, &b->body->surface, NULL, b->err);
    }
    return status;
}

// The shapes of the program keep whole voxels, as the papers have them; a surface of a file is what
// it is where it can be.
static pal_status fill_surface(const building *b) {
    const pal_scene_file_body *from = b->scene->file->body;
    const pal_fill fill = from->fill != NULL    ? *from->fill
                          : from->shape != NULL ? PAL_FILL_WHOLE
                                                : PAL_FILL_AUTO;
    pal_err inner;
    pal_status status =
        pal_voxelize(&b->body->surface, *from->voxels, fill, b->progress, &b->body->mesh, &inner);
    return status == PAL_OK ? PAL_OK
           : from->fill != NULL && fill == PAL_FILL_SHARE
               ? pal_scene_fail(b->scene, "body.fill", &inner, b->err)
               : pal_fail(b->err, status, "%s", inner.text);
}

static pal_status make_geometry(const building *b) {
    const pal_scene_file_body *from = b->scene->file->body;
    pal_scene_body *body = b->body;
    pal_status status = PAL_OK;
    if (from->shape != NULL && pal_domain_shape_find(from->shape->name) != NULL) {
        return make_domain_shape(b, pal_domain_shape_find(from->shape->name));
    }
    if (from->shape != NULL) {
        pal_progress_report(b->progress, "shape", 0.0);
        status = pal_shape_make(from->shape->name, from->shape->size_si, &body->surface, b->err);
    } else if (from->surface != NULL) {
        status = read_surface(b, from->surface);
    }
    if (status != PAL_OK) {
        return status;
    }
    status = from->mesh != NULL ? read_mesh(b, from->mesh) : fill_surface(b);
    if (status == PAL_OK && body->surface.triangle_count == 0) {
        status = pal_surface_of_volmesh(&body->mesh, &body->surface, NULL, b->err);
    }
    return status;
}

// ---- regions

// Makes room for `more` regions after those of the mesh.
static pal_status grow_regions(const building *b, uint32_t more) {
    pal_volmesh *mesh = &b->body->mesh;
    pal_region *regions = PAL_NEW(pal_region, mesh->region_count + (int64_t)more, b->err);
    if (regions == NULL) {
        return PAL_ERR_MEMORY;
    }
    memcpy(regions, mesh->regions, (size_t)mesh->region_count * sizeof *regions);
    free(mesh->regions);
    mesh->regions = regions;
    return PAL_OK;
}

static int32_t find_region(const pal_volmesh *mesh, const char *name) {
    for (int32_t g = 0; g < mesh->region_count; g++) {
        if (strcmp(mesh->regions[g].name, name) == 0) {
            return g;
        }
    }
    return -1;
}

// Gives the selected elements to the scene's region, which is made if the mesh has none of its
// name.
static pal_status apply_region(const building *b, const pal_scene_region *region, const char *key,
                               uint8_t *selected) {
    pal_volmesh *mesh = &b->body->mesh;
    int32_t g = find_region(mesh, region->name);
    if (region->where == NULL) {
        if (g < 0) {
            return fail(b, key, PAL_ERR_INPUT,
                        "the mesh has no region of this name; add 'where' to say which elements");
        }
    } else {
        pal_err inner;
        int32_t count;
        pal_status status = pal_select_elements(mesh, region->where, selected, &count, &inner);
        if (status != PAL_OK) {
            return pal_scene_fail(b->scene, key, &inner, b->err);
        }
        if (count == 0) {
            pal_select_nothing(mesh, PAL_ERR_INPUT, &inner, "no element is selected");
            return pal_scene_fail(b->scene, key, &inner, b->err);
        }
        if (g < 0) {
            g = mesh->region_count++;
            snprintf(mesh->regions[g].name, PAL_REGION_NAME, "%s", region->name);
        }
        for (int32_t e = 0; e < mesh->element_count; e++) {
            mesh->region[e] = selected[e] ? g : mesh->region[e];
        }
    }
    mesh->regions[g].has_material = true;
    mesh->regions[g].material = region->material.si;
    return PAL_OK;
}

// What is hidden is a region like the others, after them. It must be in the body as a whole, up to
// the steps of coarse elements.
static pal_status apply_hidden(const building *b, uint8_t *selected) {
    const double least_share = 0.6;
    const pal_hidden *hidden = &b->scene->hidden;
    const pal_volmesh *mesh = &b->body->mesh;
    char where[160];
    snprintf(where, sizeof where, "near:(%.17g,%.17g,%.17g):%.17g", hidden->place[0],
             hidden->place[1], hidden->place[2], hidden->radius);
    pal_scene_region region = {.name = b->scene->file->body->hidden->name,
                               .where = where,
                               .material.si = hidden->material};
    pal_status status = apply_region(b, &region, "body.hidden", selected);
    int32_t count = 0;
    for (int32_t e = 0; status == PAL_OK && e < mesh->element_count; e++) {
        count += selected[e];
    }
    pal_mesh_quality q = {0};
    if (status == PAL_OK && mesh->kind == PAL_HEX8) { // of one size; tets are not
        status = pal_mesh_measure(mesh, &q, b->err);
    }
    double cells = 0.0;
    for (int32_t e = 0; status == PAL_OK && mesh->share != NULL && e < mesh->element_count; e++) {
        cells += selected[e] ? mesh->share[e] * pow(q.max_edge, 3.0) : 0.0;
    }
    const double volume = mesh->share != NULL ? cells : q.volume * count / mesh->element_count;
    const double whole = 4.0 / 3.0 * M_PI * pow(hidden->radius, 3.0);
    if (status == PAL_OK && q.volume > 0.0 && volume < least_share * whole) {
        char text[200];
        snprintf(
            text, sizeof text,
            "only %.0f %% of it is in the body with the seed %llu: move its box into the body, "
            "or take more voxels",
            100.0 * volume / whole, (unsigned long long)hidden->seed);
        return fail(b, "body.hidden", PAL_ERR_INPUT, text);
    }
    return status;
}

// Drops regions that later ones took every element of. One that the scene names is an error.
static pal_status drop_empty_regions(const building *b) {
    pal_volmesh *mesh = &b->body->mesh;
    int32_t *place = PAL_NEW(int32_t, mesh->region_count, b->err);
    if (place == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t e = 0; e < mesh->element_count; e++) {
        place[mesh->region[e]] = 1;
    }
    int32_t kept = 0;
    for (int32_t g = 0; g < mesh->region_count; g++) {
        bool used = place[g] != 0;
        place[g] = kept;
        if (used) {
            mesh->regions[kept++] = mesh->regions[g];
        }
    }
    mesh->region_count = kept;
    for (int32_t e = 0; e < mesh->element_count; e++) {
        mesh->region[e] = place[mesh->region[e]];
    }
    free(place);
    const pal_scene_file_body *from = b->scene->file->body;
    for (uint32_t i = 0; i < from->regions_count; i++) {
        if (find_region(mesh, from->regions[i].name) < 0) {
            char key[64];
            snprintf(key, sizeof key, "body.regions.%u", i);
            return fail(b, key, PAL_ERR_INPUT,
                        "later regions take all of its elements; put it after them");
        }
    }
    return PAL_OK;
}

static pal_status apply_regions(const building *b) {
    const pal_scene_file_body *from = b->scene->file->body;
    pal_volmesh *mesh = &b->body->mesh;
    // the body's material stands in for the mesh file's, the regions' for both
    for (int32_t g = 0; from->material != NULL && g < mesh->region_count; g++) {
        mesh->regions[g].has_material = true;
        mesh->regions[g].material = from->material->si;
    }
    const bool hides = from->hidden != NULL;
    if (from->regions_count > 0 || hides) {
        uint8_t *selected = PAL_NEW(uint8_t, mesh->element_count, b->err);
        pal_status status =
            selected == NULL ? PAL_ERR_MEMORY : grow_regions(b, from->regions_count + hides);
        for (uint32_t i = 0; status == PAL_OK && i < from->regions_count; i++) {
            char key[64];
            snprintf(key, sizeof key, "body.regions.%u.where", i);
            status = apply_region(b, &from->regions[i], key, selected);
        }
        if (status == PAL_OK && hides) {
            status = apply_hidden(b, selected);
        }
        free(selected);
        if (status != PAL_OK) {
            return status;
        }
    }
    return drop_empty_regions(b);
}

static pal_status set_materials(const building *b) {
    pal_scene_body *body = b->body;
    body->material = PAL_NEW(pal_material, body->mesh.region_count, b->err);
    if (body->material == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t g = 0; g < body->mesh.region_count; g++) {
        const pal_region *region = &body->mesh.regions[g];
        char text[400], owner[PAL_REGION_NAME + 16];
        if (!region->has_material) {
            snprintf(text, sizeof text,
                     "region '%s' has no material in the mesh file; give 'material' here, or list "
                     "the region under 'regions'",
                     region->name);
            return fail(b, "body", PAL_ERR_INPUT, text);
        }
        snprintf(owner, sizeof owner, "region '%s'", region->name);
        pal_status status = pal_material_check(&region->material, owner, b->err);
        if (status != PAL_OK) {
            return status;
        }
        body->material[g] = region->material;
    }
    return PAL_OK;
}

// ---- held vertices

// The vertices that the selector at `key` names, into an array of the body's; at least one.
static pal_status choose_vertices(const building *b, const char *key, const char *selector,
                                  uint8_t **chosen) {
    const pal_volmesh *mesh = &b->body->mesh;
    pal_err inner;
    int32_t count = 0;
    *chosen = PAL_NEW(uint8_t, mesh->vertex_count, b->err);
    if (*chosen == NULL || selector == NULL) {
        return *chosen != NULL ? PAL_OK : PAL_ERR_MEMORY;
    }
    pal_status status = pal_select_vertices(mesh, selector, *chosen, &count, &inner);
    if (status == PAL_OK && count == 0) {
        status = pal_select_nothing(mesh, PAL_ERR_INPUT, &inner, "no vertex is selected");
    }
    return status == PAL_OK ? PAL_OK : pal_scene_fail(b->scene, key, &inner, b->err);
}

static pal_status set_held(const building *b) {
    return choose_vertices(b, "body.fixed", b->scene->file->body->fixed, &b->body->held);
}

// ---- where it may be touched

static pal_status set_touch(const building *b) {
    const char *touch = b->scene->file->body->touch;
    return touch == NULL ? PAL_OK : choose_vertices(b, "body.touch", touch, &b->body->touch);
}

// The regions of the mesh as it is, as domains.
static pal_status take_labels(const building *b, pal_domain_labels *labels) {
    const pal_volmesh *mesh = &b->body->mesh;
    labels->count = mesh->region_count;
    labels->name = pal_alloc((size_t)mesh->region_count, sizeof *labels->name, b->err);
    labels->label = PAL_NEW(int32_t, mesh->element_count, b->err);
    if (labels->name == NULL || labels->label == NULL) {
        pal_domain_labels_free(labels);
        return PAL_ERR_MEMORY;
    }
    for (int32_t g = 0; g < mesh->region_count; g++) {
        memcpy(labels->name[g], mesh->regions[g].name, sizeof labels->name[g]);
    }
    memcpy(labels->label, mesh->region, (size_t)mesh->element_count * sizeof *labels->label);
    return PAL_OK;
}

pal_status pal_scene_build(const pal_scene *scene, const pal_progress *progress,
                           pal_scene_body *body, pal_err *err) {
    return pal_scene_build_labelled(scene, progress, body, NULL, err);
}

pal_status pal_scene_build_labelled(const pal_scene *scene, const pal_progress *progress,
                                    pal_scene_body *body, pal_domain_labels *labels, pal_err *err) {
    memset(body, 0, sizeof *body);
    if (scene->file->body == NULL) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "the scene '%.100s' has a wall and no body to build; "
                        "palpate run takes it",
                        scene->name);
    }
    building b = {.scene = scene, .progress = progress, .body = body, .err = err};
    pal_status status = make_geometry(&b);
    if (status == PAL_OK && labels != NULL) {
        status = take_labels(&b, labels);
    }
    if (status == PAL_OK) {
        status = apply_regions(&b);
    }
    if (status == PAL_OK) {
        status = set_materials(&b);
    }
    if (status == PAL_OK) {
        status = set_held(&b);
    }
    if (status == PAL_OK) {
        status = set_touch(&b);
    }
    if (status != PAL_OK) {
        pal_scene_body_free(body);
        if (labels != NULL) {
            pal_domain_labels_free(labels);
        }
    }
    return status;
}
