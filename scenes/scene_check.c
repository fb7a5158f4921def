// What the schema cannot say: units, ranges, keys that need or exclude each other, selectors.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/checking.h"
#include "scenes/domain_shapes.h"
#include "scenes/shapes.h"
#include "sim/base/memory.h"
#include "sim/mesh/mesh_io.h"

// ---- materials

// "body.material" + ".young"
static const char *join(char *out, size_t size, const char *path, const char *key) {
    snprintf(out, size, "%s.%s", path, key);
    return out;
}

static pal_status preset(const pal_checking *c, const char *path, pal_scene_material *material) {
    const pal_material_preset *found = pal_material_find_preset(material->preset);
    if (found != NULL) {
        material->si = found->material;
        return PAL_OK;
    }
    char list[512] = "";
    for (int i = 0; pal_material_preset_at(i) != NULL; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "",
                 pal_material_preset_at(i)->name);
    }
    return pal_check_fail(c, path, "unknown preset '%.40s'; known presets: %s", material->preset,
                          list);
}

// The line of the number that pal_material_check would refuse.
static const char *refused_key(const pal_material *m) {
    return !(m->young > 0.0)                          ? "young"
           : !(m->poisson > -1.0 && m->poisson < 0.5) ? "poisson"
                                                      : "density";
}

pal_status pal_check_material(const pal_checking *c, const char *path,
                              pal_scene_material *material) {
    char key[96];
    pal_status status = PAL_OK;
    if (material->preset != NULL) {
        status = preset(c, join(key, sizeof key, path, "preset"), material);
    } else if (material->young == NULL || material->poisson == NULL || material->density == NULL) {
        return pal_check_fail(c, path,
                              "give a preset, or young, poisson and density together, such as "
                              "{young: 12 kPa, poisson: 0.45, density: 1060 kg/m3}");
    }
    if (status == PAL_OK) {
        status = pal_check_quantity(c, join(key, sizeof key, path, "young"), material->young,
                                    PAL_PRESSURE, &material->si.young);
    }
    if (status == PAL_OK) {
        status = pal_check_quantity(c, join(key, sizeof key, path, "density"), material->density,
                                    PAL_DENSITY, &material->si.density);
    }
    if (status != PAL_OK) {
        return status;
    }
    material->si.poisson = material->poisson != NULL ? *material->poisson : material->si.poisson;
    pal_err inner;
    if (pal_material_check(&material->si, "material", &inner) != PAL_OK) {
        return pal_check_fail(c, join(key, sizeof key, path, refused_key(&material->si)), "%s",
                              inner.text);
    }
    return PAL_OK;
}

// ---- the body

static pal_status check_shape(const pal_checking *c, pal_scene_shape *shape) {
    pal_status status =
        pal_check_quantity(c, "body.shape.size", shape->size, PAL_LENGTH, &shape->size_si);
    if (status != PAL_OK) {
        return status;
    }
    if (!(shape->size_si > 0.0)) {
        return pal_check_fail(c, "body.shape.size", "must be above 0");
    }
    pal_err inner;
    if (pal_domain_shape_find(shape->name) == NULL && pal_shape_find(shape->name, &inner) == NULL) {
        char known[160] = "";
        for (int i = 0; pal_domain_shape_at(i) != NULL; i++) {
            size_t used = strlen(known);
            snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "",
                     pal_domain_shape_at(i)->name);
        }
        return pal_check_fail(c, "body.shape.name", "%s; with domains: %s", inner.text, known);
    }
    return PAL_OK;
}

static pal_status check_mesh(const pal_checking *c, const char *path, const pal_scene_mesh *mesh,
                             bool (*known)(const char *path), const char *endings) {
    char key[64];
    if (mesh == NULL) {
        return PAL_OK;
    }
    join(key, sizeof key, path, "file");
    if (!known(mesh->file)) {
        return pal_check_fail(c, key, "'%.200s' has none of the endings %s", mesh->file, endings);
    }
    if (mesh->scale != NULL && !(*mesh->scale > 0.0)) {
        return pal_check_fail(c, join(key, sizeof key, path, "scale"), "must be above 0");
    }
    return pal_check_file(c, key, mesh->file);
}

// Where the body comes from: exactly one of shape and mesh, or a surface to fill; a surface beside
// a mesh rides on it.
static pal_status check_geometry(const pal_checking *c, pal_scene_file_body *body) {
    if (body->shape != NULL && (body->mesh != NULL || body->surface != NULL)) {
        return pal_check_fail(c, "body.shape",
                              "a body has a shape, or a mesh or surface file, not both");
    }
    if (body->shape == NULL && body->mesh == NULL && body->surface == NULL) {
        return pal_check_fail(c, "body",
                              "give one of: shape: {name: liver, size: 0.2 m}, mesh: {file: "
                              "x.msh}, surface: {file: x.obj} with voxels: 40");
    }
    const bool meshed = body->shape != NULL && pal_domain_shape_find(body->shape->name) != NULL;
    bool filled = body->mesh == NULL && !meshed;
    if (filled && body->voxels == NULL) {
        return pal_check_fail(c, "body",
                              "a shape or surface needs 'voxels', the number of voxels along its "
                              "longest side, such as voxels: 40");
    }
    if (!filled && body->voxels != NULL) {
        return pal_check_fail(c, "body.voxels", "a mesh is used as it is; remove this key");
    }
    if (!filled && body->fill != NULL) {
        return pal_check_fail(c, "body.fill",
                              "a mesh is used as it is; remove this key, which says how a shape or "
                              "surface is filled with voxels");
    }
    pal_status status = filled ? pal_check_range(c, "body.voxels", *body->voxels, 2, 512) : PAL_OK;
    if (status == PAL_OK && body->shape != NULL) {
        status = check_shape(c, body->shape);
    }
    if (status == PAL_OK) {
        status = check_mesh(c, "body.mesh", body->mesh, pal_mesh_is_volume_path,
                            ".msh .node .ele .mesh .vtu .vtk .veg");
    }
    return status == PAL_OK
               ? check_mesh(c, "body.surface", body->surface, pal_surface_is_path, ".obj .stl .ply")
               : status;
}

// Whether the geometry may have named regions of its own.
static bool has_regions(const pal_scene_file_body *body) {
    return body->mesh != NULL ||
           (body->shape != NULL && pal_domain_shape_find(body->shape->name) != NULL);
}

static pal_status check_region(const pal_checking *c, uint32_t index, pal_scene_region *region) {
    char path[64], key[96];
    snprintf(path, sizeof path, "body.regions.%u", index);
    if (strlen(region->name) >= PAL_REGION_NAME) {
        return pal_check_fail(c, join(key, sizeof key, path, "name"), "longer than %d characters",
                              PAL_REGION_NAME - 1);
    }
    const pal_scene_region *all = c->scene->file->body->regions;
    for (uint32_t i = 0; i < index; i++) {
        if (strcmp(all[i].name, region->name) == 0) {
            return pal_check_fail(c, join(key, sizeof key, path, "name"),
                                  "'%s' is the name of another region", region->name);
        }
    }
    pal_status status = PAL_OK;
    if (region->where != NULL) {
        status = pal_check_selector(c, join(key, sizeof key, path, "where"), region->where);
    } else if (!has_regions(c->scene->file->body)) {
        return pal_check_fail(c, path,
                              "'where' is missing: say which elements, such as where: 'z<0.01'");
    }
    return status == PAL_OK
               ? pal_check_material(c, join(key, sizeof key, path, "material"), &region->material)
               : status;
}

static pal_status check_damping(const pal_checking *c, const pal_scene_damping *damping) {
    pal_scene *scene = c->scene;
    if (damping == NULL) {
        return PAL_OK;
    }
    pal_status status =
        pal_check_quantity(c, "body.damping.mass", damping->mass, PAL_RATE, &scene->damping_alpha);
    if (status == PAL_OK) {
        status = pal_check_not_negative(c, "body.damping.mass", scene->damping_alpha);
    }
    if (status == PAL_OK) {
        status = pal_check_quantity(c, "body.damping.stiffness", damping->stiffness, PAL_TIME,
                                    &scene->damping_beta);
    }
    return status == PAL_OK
               ? pal_check_not_negative(c, "body.damping.stiffness", scene->damping_beta)
               : status;
}

// Bodies of classes say themselves where their root is held.
static bool is_held_by_shape(const pal_scene_file_body *body) {
    const pal_domain_shape *shape =
        body->shape != NULL ? pal_domain_shape_find(body->shape->name) : NULL;
    return shape != NULL && shape->has_classes;
}

static pal_status check_body(const pal_checking *c, pal_scene_file_body *body) {
    enum { MAX_REGIONS = 1000 };
    pal_status status = check_geometry(c, body);
    if (status == PAL_OK) {
        status = pal_scene_check_domains(c);
    }
    if (status == PAL_OK && !is_held_by_shape(body) && (body->fixed != NULL) == body->free) {
        return pal_check_fail(c, "body",
                              "say which vertices are held (fixed: 'z<0.01'), or free: true for a "
                              "body that floats; one of the two");
    }
    if (status == PAL_OK && body->fixed != NULL) {
        status = pal_check_selector(c, "body.fixed", body->fixed);
    }
    if (status == PAL_OK && body->touch != NULL) {
        status = pal_check_selector(c, "body.touch", body->touch);
    }
    if (status == PAL_OK && body->material != NULL) {
        status = pal_check_material(c, "body.material", body->material);
    }
    if (status == PAL_OK && body->material == NULL && body->mesh == NULL) {
        return pal_check_fail(c, "body",
                              "'material' is missing, such as material: {preset: liver}");
    }
    if (status == PAL_OK) {
        status = pal_check_range(c, "body.regions", body->regions_count, 0, MAX_REGIONS);
    }
    for (uint32_t i = 0; status == PAL_OK && i < body->regions_count; i++) {
        status = check_region(c, i, &body->regions[i]);
    }
    if (status == PAL_OK && body->hidden != NULL) {
        status = pal_scene_check_hidden(c);
    }
    return status == PAL_OK ? check_damping(c, body->damping) : status;
}

// ---- the compliance beyond the basis

static pal_status check_local(const pal_checking *c, const pal_scene_local *local) {
    pal_local_spec *spec = &c->scene->local;
    spec->choice = PAL_LOCAL_WANT_AUTO;
    if (local == NULL) {
        return PAL_OK;
    }
    spec->choice = local->way != NULL ? *local->way : spec->choice;
    pal_status status =
        pal_check_quantity(c, "local.radius", local->radius, PAL_LENGTH, &spec->radius);
    if (status == PAL_OK && local->radius != NULL && !(spec->radius > 0.0)) {
        return pal_check_fail(c, "local.radius", "must be above 0; way: none leaves it out");
    }
    return status;
}

// ---- the basis

static pal_status check_loads(const pal_checking *c, const pal_scene_basis *basis) {
    pal_basis_spec *spec = &c->scene->basis;
    char path[64];
    for (uint32_t i = 0; i < basis->loads_count; i++) {
        const pal_scene_load *load = &basis->loads[i];
        double force[3];
        snprintf(path, sizeof path, "basis.loads.%u.at", i);
        pal_status status = pal_check_load_place(c, path, load->at);
        for (int k = 0; status == PAL_OK && k < 3; k++) {
            snprintf(path, sizeof path, "basis.loads.%u.force", i);
            status = pal_check_quantity(c, path, load->force[k], PAL_FORCE, &force[k]);
        }
        if (status == PAL_OK) {
            status = pal_loads_append(&spec->loads, &spec->load_count, load->at, force, c->err);
        }
        if (status != PAL_OK) {
            return status;
        }
    }
    if (basis->loads_file != NULL) {
        pal_status status = pal_check_file(c, "basis.loads_file", basis->loads_file);
        char *full =
            status == PAL_OK ? pal_scene_file_path(c->scene, basis->loads_file, c->err) : NULL;
        if (full == NULL) {
            return status != PAL_OK ? status : PAL_ERR_MEMORY;
        }
        status =
            pal_loads_read(full, &c->scene->landmarks, &spec->loads, &spec->load_count, c->err);
        free(full);
        return status;
    }
    return PAL_OK;
}

// How many shapes there are to choose the basis from.
static long candidates(const pal_basis_spec *spec) {
    long k = spec->modes;
    return spec->kind == PAL_BASIS_DERIVATIVES ? k + k * (k + 1) / 2
           : spec->kind == PAL_BASIS_MODES     ? k
                                               : spec->load_count;
}

static pal_status check_separations(const pal_checking *c, const pal_scene_basis *basis) {
    pal_basis_spec *spec = &c->scene->basis;
    pal_status status = pal_check_quantity(c, "basis.force_separation", basis->force_separation,
                                           PAL_FORCE, &spec->force_separation);
    if (status == PAL_OK) {
        status = pal_check_quantity(c, "basis.shape_separation", basis->shape_separation,
                                    PAL_MASS_METRIC, &spec->shape_separation);
    }
    if (status == PAL_OK) {
        status = pal_check_not_negative(c, "basis.force_separation", spec->force_separation);
    }
    return status == PAL_OK
               ? pal_check_not_negative(c, "basis.shape_separation", spec->shape_separation)
               : status;
}

static pal_status check_basis(const pal_checking *c, const pal_scene_basis *basis) {
    enum { DEFAULT_MODES = 20, DEFAULT_SIZE = 30, MAX_MODES = 1000, MAX_SIZE = 200 };
    pal_basis_spec *spec = &c->scene->basis;
    spec->kind = basis->kind;
    spec->modes = basis->modes != NULL ? *basis->modes : DEFAULT_MODES;
    bool by_loads = basis->kind == PAL_BASIS_LOADS;
    bool has_loads = basis->loads_count > 0 || basis->loads_file != NULL;
    if (by_loads != has_loads) {
        return by_loads
                   ? pal_check_fail(c, "basis", "a basis from loads needs 'loads' or 'loads_file'")
                   : pal_check_fail(c, "basis",
                                    "loads are for kind: loads; remove them or set the kind");
    }
    if (by_loads && basis->modes != NULL) {
        return pal_check_fail(c, "basis.modes", "a basis from loads has no modes; remove this key");
    }
    pal_status status = pal_check_range(c, "basis.modes", spec->modes, 1, MAX_MODES);
    if (status == PAL_OK) {
        status = check_loads(c, basis);
    }
    if (status == PAL_OK) {
        status = check_separations(c, basis);
    }
    if (status != PAL_OK) {
        return status;
    }
    spec->modes = by_loads ? 0 : spec->modes;
    long most = candidates(spec);
    spec->size = basis->size != NULL              ? *basis->size
                 : basis->kind == PAL_BASIS_MODES ? spec->modes
                                                  : (int32_t)fmin((double)most, DEFAULT_SIZE);
    status = pal_check_range(c, "basis.size", spec->size, 1, MAX_SIZE);
    if (status == PAL_OK && spec->size > most) {
        return pal_check_fail(c, "basis.size",
                              "%d is more than the %ld shapes that there are to choose from",
                              spec->size, most);
    }
    return status;
}

pal_status pal_scene_check(pal_scene *scene, yaml_document_t *document, pal_err *err) {
    static const pal_scene_basis default_basis = {.kind = PAL_BASIS_DERIVATIVES};
    pal_scene_file *file = scene->file;
    pal_checking c = {.scene = scene, .document = document, .err = err};
    if (file->palpate != PAL_SCENE_VERSION) {
        return pal_check_fail(&c, "palpate",
                              "version %d of the scene format; this program reads version %d",
                              file->palpate, PAL_SCENE_VERSION);
    }
    if ((file->body != NULL) == (file->wall != NULL)) {
        return pal_check_fail(&c, file->body != NULL ? "wall" : "scene",
                              "a scene has a body to bake, or a wall: {height: 0 m, stiffness: 500 "
                              "N/m}; one of the two");
    }
    if (file->basis != NULL && file->body == NULL) {
        return pal_check_fail(&c, "basis", "a wall has no basis; remove this key");
    }
    if (file->basis != NULL && file->body->domains != NULL) {
        return pal_check_fail(&c, "basis",
                              "a body of domains says its modes under body.domains.modes; remove "
                              "this key");
    }
    if (file->local != NULL && file->body == NULL) {
        return pal_check_fail(&c, "local", "a wall has no local compliance; remove this key");
    }
    pal_status status = file->body != NULL ? check_body(&c, file->body) : PAL_OK;
    if (status == PAL_OK && file->body != NULL) {
        status = check_local(&c, file->local);
    }
    if (status == PAL_OK && file->body != NULL) {
        status = check_basis(&c, file->basis != NULL ? file->basis : &default_basis);
    }
    if (status == PAL_OK) {
        status = pal_scene_check_motion(&c);
    }
    if (status == PAL_OK) {
        status = pal_scene_check_live(&c);
    }
    if (status != PAL_OK) {
        return status;
    }
    scene->name = pal_copy_text(file->name, err);
    scene->about = pal_copy_text(file->about != NULL ? file->about : "", err);
    scene->mass_kind = file->body != NULL ? file->body->mass : PAL_MASS_CONSISTENT;
    return scene->name == NULL || scene->about == NULL ? PAL_ERR_MEMORY : PAL_OK;
}
