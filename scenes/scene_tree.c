// A scene's body of domains made real: one whole mesh that is cut, or classes and their instances.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/domain_shapes.h"
#include "scenes/scene_file.h"
#include "sim/base/memory.h"

enum { LEAST_MODES = 4, DEFAULT_MODES = 20 };

typedef struct growing {
    const pal_scene *scene;
    const pal_progress *progress;
    pal_scene_tree *tree;
    pal_err *err;
} growing;

void pal_scene_tree_free(pal_scene_tree *tree) {
    pal_scene_body_free(&tree->body);
    if (tree->shape != NULL) {
        pal_domain_body_free(tree->shape);
    }
    free(tree->shape);
    pal_partition_free(&tree->partition);
    free(tree->class_);
    free(tree->material);
    memset(tree, 0, sizeof *tree);
}

static pal_status fail(const growing *g, const char *key, pal_status status, const char *text) {
    pal_err inner = {.status = status};
    snprintf(inner.text, sizeof inner.text, "%s", text);
    return pal_scene_fail(g->scene, key, &inner, g->err);
}

// What every class has from the scene.
static void fill_class(const growing *g, pal_class_spec *spec, int32_t size) {
    const pal_scene_file_domains *domains = g->scene->file->body->domains;
    const bool boundary = domains->boundary == NULL || *domains->boundary;
    spec->mass_kind = g->scene->mass_kind;
    spec->damping_alpha = g->scene->damping_alpha;
    spec->damping_beta = g->scene->damping_beta;
    spec->local = g->scene->local;
    spec->basis.size = size;
    spec->basis.kind =
        boundary && spec->port_count > 0 ? PAL_BASIS_BOUNDARY : PAL_BASIS_DERIVATIVES;
    // enough linear modes that their derivatives are more than there is room for
    spec->basis.modes = size < LEAST_MODES ? size : (2 * size + 2) / 3;
}

// Whether the scene says that this domain (or class) is rigid.
static bool is_rigid(const growing *g, const char *name) {
    const pal_scene_file_domains *domains = g->scene->file->body->domains;
    for (uint32_t i = 0; i < domains->rigid_count; i++) {
        if (strcmp(domains->rigid[i], name) == 0) {
            return true;
        }
    }
    return false;
}

// Every name under `rigid` must be one of names [count], `stride` bytes apart.
static pal_status check_rigid(const growing *g, const char *name, size_t stride, int32_t count) {
    const pal_scene_file_domains *domains = g->scene->file->body->domains;
    for (uint32_t i = 0; i < domains->rigid_count; i++) {
        bool found = false;
        for (int32_t k = 0; k < count && !found; k++) {
            found = strcmp(domains->rigid[i], name + (size_t)k * stride) == 0;
        }
        if (!found) {
            char key[64], text[160];
            snprintf(key, sizeof key, "body.domains.rigid.%u", i);
            snprintf(text, sizeof text, "there is no '%.64s'", domains->rigid[i]);
            return fail(g, key, PAL_ERR_INPUT, text);
        }
    }
    return PAL_OK;
}

// ---- one whole mesh

static pal_status list_labels(const growing *g, pal_domain_labels *labels) {
    const pal_scene_file_domains *domains = g->scene->file->body->domains;
    const pal_volmesh *mesh = &g->tree->body.mesh;
    pal_err inner;
    char key[64] = "body.domains.list";
    pal_status status = pal_domain_labels_begin(labels, mesh, (int32_t)domains->list_count, &inner);
    for (uint32_t i = 0; status == PAL_OK && i < domains->list_count; i++) {
        snprintf(key, sizeof key, "body.domains.list.%u", i);
        status = pal_domain_labels_add(labels, mesh, domains->list[i].name, domains->list[i].where,
                                       &inner);
    }
    if (status == PAL_OK) {
        snprintf(key, sizeof key, "body.domains.list");
        status = pal_domain_labels_finish(labels, mesh, &inner);
    }
    for (uint32_t i = 0; status == PAL_OK && i < domains->list_count; i++) {
        if (domains->list[i].like != NULL) { // domains are in the order of the list
            snprintf(key, sizeof key, "body.domains.list.%u.like", i);
            status = pal_domain_labels_join(labels, (int32_t)i, domains->list[i].like, &inner);
        }
    }
    return status == PAL_OK ? PAL_OK : pal_scene_fail(g->scene, key, &inner, g->err);
}

static pal_status cut_labels(const growing *g, pal_domain_labels *labels) {
    const pal_scene_file_domains *domains = g->scene->file->body->domains;
    const pal_scene_body *body = &g->tree->body;
    const bool free_body = g->scene->file->body->free;
    pal_err inner;
    labels->label = PAL_NEW(int32_t, body->mesh.element_count, g->err);
    if (labels->label == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_status status =
        pal_partition_cut(&body->mesh, free_body ? NULL : body->held, domains->cut,
                          *domains->automatic, labels->label, &labels->count, NULL, &inner);
    if (status != PAL_OK) {
        return pal_scene_fail(g->scene, "body.domains.auto", &inner, g->err);
    }
    labels->name = pal_alloc((size_t)labels->count, sizeof *labels->name, g->err);
    for (int32_t d = 0; labels->name != NULL && d < labels->count; d++) {
        snprintf(labels->name[d], sizeof labels->name[d], "domain %d", (int)d);
    }
    return labels->name != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

// The domains as the scene says, in the place of the regions that `labels` holds.
static pal_status make_labels(const growing *g, pal_domain_labels *labels) {
    const pal_scene_file_domains *domains = g->scene->file->body->domains;
    if (domains->list == NULL && domains->file == NULL && domains->automatic == NULL) {
        return PAL_OK;
    }
    pal_domain_labels_free(labels);
    if (domains->list != NULL) {
        return list_labels(g, labels);
    }
    if (domains->automatic != NULL) {
        return cut_labels(g, labels);
    }
    char *path = pal_scene_file_path(g->scene, domains->file, g->err);
    pal_status status = path == NULL
                            ? PAL_ERR_MEMORY
                            : pal_domain_list_read(path, &g->tree->body.mesh, labels, g->err);
    free(path);
    return status;
}

// The regions that the scene does not name have one material: they become one, so that no class
// carries the tables of others' regions.
static void merge_regions(const growing *g) {
    const pal_scene_file_body *from = g->scene->file->body;
    pal_scene_body *body = &g->tree->body;
    pal_volmesh *mesh = &body->mesh;
    if (from->material == NULL) {
        return;
    }
    int32_t kept = 0, common = -1;
    for (int32_t r = 0; r < mesh->region_count; r++) {
        bool named = false;
        for (uint32_t i = 0; i < from->regions_count && !named; i++) {
            named = strcmp(from->regions[i].name, mesh->regions[r].name) == 0;
        }
        int32_t to = named || common < 0 ? kept++ : common;
        common = named ? common : to;
        mesh->regions[to] = mesh->regions[r];
        body->material[to] = body->material[r];
        for (int32_t e = 0; to != r && e < mesh->element_count; e++) {
            mesh->region[e] = mesh->region[e] == r ? to : mesh->region[e];
        }
        if (to == common) {
            snprintf(mesh->regions[to].name, PAL_REGION_NAME, "body");
        }
    }
    mesh->region_count = kept;
}

// The root by its name, -1: none is named.
static pal_status find_root(const growing *g, const pal_domain_labels *labels, int32_t *root) {
    const char *name = g->scene->file->body->domains->root;
    *root = -1;
    for (int32_t d = 0; name != NULL && d < labels->count; d++) {
        *root = strcmp(name, labels->name[d]) == 0 ? d : *root;
    }
    return name == NULL || *root >= 0
               ? PAL_OK
               : fail(g, "body.domains.root", PAL_ERR_INPUT, "there is no domain of this name");
}

// The tree of the labels. What is said to be alike must be; `congruent` finds the rest.
static pal_status cut(const growing *g, const pal_domain_labels *labels) {
    const pal_scene_file_body *from = g->scene->file->body;
    const char **name = PAL_NEW(const char *, labels->count, g->err);
    int32_t *class_of = PAL_NEW(int32_t, labels->count, g->err);
    pal_partition_spec spec = {.mesh = &g->tree->body.mesh,
                               .label_count = labels->count,
                               .label = labels->label,
                               .name = name,
                               .fixed = from->free ? NULL : g->tree->body.held};
    pal_err inner;
    pal_status status = name && class_of ? find_root(g, labels, &spec.root) : PAL_ERR_MEMORY;
    for (int32_t d = 0; status == PAL_OK && d < labels->count; d++) {
        name[d] = labels->name[d];
    }
    if (status == PAL_OK) {
        spec.class_of = class_of;
        spec.class_count = pal_domain_labels_classes(labels, class_of);
        status = pal_partition_make(&spec, &g->tree->partition, &inner);
        if (status == PAL_OK && from->domains->congruent) {
            pal_partition_free(&g->tree->partition);
            spec.class_of = NULL;
            spec.congruent = true;
            status = pal_partition_make(&spec, &g->tree->partition, &inner);
        }
        status =
            status == PAL_OK ? PAL_OK : pal_scene_fail(g->scene, "body.domains", &inner, g->err);
    }
    free(name);
    free(class_of);
    return status;
}

// Domains of one class have the same modes: the fewest that one of them would get. All are rigid,
// or none.
static pal_status agree_on_modes(const growing *g, int32_t *r) {
    const pal_partition *cut_ = &g->tree->partition;
    int32_t *first = PAL_NEW(int32_t, cut_->class_count, g->err); // domain of each class + 1
    pal_status status = first != NULL ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t d = 0; status == PAL_OK && d < cut_->domain_count; d++) {
        int32_t *known = &first[cut_->domain[d].kind];
        if (*known == 0) {
            *known = d + 1;
        } else if ((r[d] == 0) != (r[*known - 1] == 0)) {
            char text[240];
            snprintf(text, sizeof text,
                     "'%s' and '%s' are of one class, and only one of them is rigid",
                     cut_->name[*known - 1], cut_->name[d]);
            status = fail(g, "body.domains.rigid", PAL_ERR_INPUT, text);
        } else if (r[d] < r[*known - 1]) {
            r[*known - 1] = r[d];
        }
    }
    for (int32_t d = 0; status == PAL_OK && d < cut_->domain_count; d++) {
        r[d] = r[first[cut_->domain[d].kind] - 1];
    }
    free(first);
    return status;
}

// r of each domain of the partition.
static pal_status share_modes(const growing *g, int32_t *r) {
    const pal_partition *cut_ = &g->tree->partition;
    const pal_scene_mode_share *modes = g->scene->file->body->domains->modes;
    int32_t *elements = PAL_NEW(int32_t, cut_->domain_count, g->err);
    int32_t *shared = PAL_NEW(int32_t, cut_->domain_count, g->err);
    int32_t count = 0;
    pal_status status = elements == NULL || shared == NULL ? PAL_ERR_MEMORY : PAL_OK;
    for (int32_t d = 0; status == PAL_OK && d < cut_->domain_count; d++) {
        r[d] = is_rigid(g, cut_->name[d]) ? 0 : 1;
        elements[count] = cut_->part[cut_->domain[d].kind].mesh.element_count;
        count += r[d];
    }
    pal_err inner;
    if (status == PAL_OK && modes != NULL && modes->total != NULL && count > 0 &&
        pal_tree_share_modes(modes->share, *modes->total, LEAST_MODES, PAL_DOMAIN_MOST_MODES, count,
                             elements, shared, &inner) != PAL_OK) {
        inner.status = inner.status == PAL_ERR_USAGE ? PAL_ERR_INPUT : inner.status;
        status = pal_scene_fail(g->scene, "body.domains.modes.total", &inner, g->err);
    }
    for (int32_t d = 0, k = 0; status == PAL_OK && d < cut_->domain_count; d++) {
        if (r[d] > 0) {
            r[d] = modes == NULL ? DEFAULT_MODES : modes->each != NULL ? *modes->each : shared[k++];
        }
    }
    free(elements);
    free(shared);
    return status == PAL_OK ? agree_on_modes(g, r) : status;
}

static pal_status specify_parts(const growing *g) {
    pal_scene_tree *tree = g->tree;
    const pal_partition *cut_ = &tree->partition;
    int32_t *r = PAL_NEW(int32_t, cut_->domain_count, g->err);
    tree->class_ = PAL_NEW(pal_class_spec, cut_->class_count, g->err);
    pal_status status = r == NULL || tree->class_ == NULL ? PAL_ERR_MEMORY : PAL_OK;
    if (status == PAL_OK) {
        status = check_rigid(g, cut_->name[0], sizeof cut_->name[0], cut_->domain_count);
    }
    if (status == PAL_OK) {
        status = share_modes(g, r);
    }
    for (int32_t d = 0; status == PAL_OK && d < cut_->domain_count; d++) {
        pal_class_spec *spec = &tree->class_[cut_->domain[d].kind];
        if (spec->name != NULL) {
            continue; // one more of a class
        }
        pal_class_spec_take_part(spec, &cut_->part[cut_->domain[d].kind]);
        spec->name = cut_->name[d];
        spec->material = tree->body.material;
        fill_class(g, spec, r[d]);
    }
    if (status == PAL_OK) {
        pal_tree_spec_take_partition(&tree->spec, cut_, tree->class_);
    }
    free(r);
    return status;
}

// The whole mesh, and which of its elements are which domain's.
static pal_status label_whole(const growing *g, pal_domain_labels *labels) {
    pal_status status =
        pal_scene_build_labelled(g->scene, g->progress, &g->tree->body, labels, g->err);
    if (status == PAL_OK && g->scene->has_domains) {
        status = make_labels(g, labels);
    }
    return status;
}

static pal_status grow_whole(const growing *g) {
    pal_domain_labels labels = {0};
    pal_status status = label_whole(g, &labels);
    if (status == PAL_OK) {
        merge_regions(g);
        pal_progress_report(g->progress, "domains", 0.0);
        status = cut(g, &labels);
    }
    pal_domain_labels_free(&labels);
    return status == PAL_OK ? specify_parts(g) : status;
}

// ---- classes

// The materials of the classes: that of the body, or of the region of the class's name.
static pal_status set_materials(const growing *g) {
    const pal_scene_file_body *from = g->scene->file->body;
    const pal_domain_body *shape = g->tree->shape;
    for (int32_t k = 0; k < shape->class_count; k++) {
        g->tree->material[k] = from->material->si;
    }
    for (uint32_t i = 0; i < from->regions_count; i++) {
        int32_t k = 0;
        while (k < shape->class_count &&
               strcmp(shape->class_[k].name, from->regions[i].name) != 0) {
            k++;
        }
        if (k == shape->class_count || from->regions[i].where != NULL) {
            char key[64], text[400] = "";
            snprintf(key, sizeof key, "body.regions.%u", i);
            for (int32_t c = 0; c < shape->class_count; c++) {
                size_t used = strlen(text);
                snprintf(text + used, sizeof text - used, "%s%s",
                         c > 0 ? ", " : "the regions of this shape are its classes, as a whole: ",
                         shape->class_[c].name);
            }
            return fail(g, key, PAL_ERR_INPUT, text);
        }
        g->tree->material[k] = from->regions[i].material.si;
    }
    return PAL_OK;
}

static pal_status specify_classes(const growing *g) {
    pal_scene_tree *tree = g->tree;
    const pal_domain_body *shape = tree->shape;
    const pal_scene_file_body *from = g->scene->file->body;
    const pal_scene_mode_share *modes = from->domains->modes;
    tree->class_ = PAL_NEW(pal_class_spec, shape->class_count, g->err);
    tree->material = PAL_NEW(pal_material, shape->class_count, g->err);
    pal_status status =
        tree->class_ == NULL || tree->material == NULL ? PAL_ERR_MEMORY : set_materials(g);
    if (status == PAL_OK) {
        status = check_rigid(g, shape->class_[0].name, sizeof shape->class_[0], shape->class_count);
    }
    for (int32_t k = 0; status == PAL_OK && k < shape->class_count; k++) {
        const pal_class_shape *class_ = &shape->class_[k];
        tree->class_[k] = (pal_class_spec){.name = class_->name,
                                           .mesh = &class_->mesh,
                                           .held = k == 0 && from->free ? NULL : class_->held,
                                           .port_count = class_->port_count,
                                           .port = class_->port,
                                           .material = &tree->material[k]};
        int32_t r = modes != NULL && class_->modes > 0 ? *modes->each : class_->modes;
        fill_class(g, &tree->class_[k], is_rigid(g, class_->name) ? 0 : r);
    }
    tree->spec = (pal_tree_spec){.class_count = shape->class_count,
                                 .class_ = tree->class_,
                                 .domain_count = shape->domain_count,
                                 .domain = shape->domain,
                                 .domain_name = (const char(*)[PAL_DOMAIN_NAME])shape->domain_name,
                                 .flies = from->free};
    memcpy(tree->spec.root_x, shape->root_x, sizeof shape->root_x);
    memcpy(tree->spec.root_turn, shape->root_turn, sizeof shape->root_turn);
    return status;
}

static pal_status grow_classes(const growing *g) {
    const pal_scene_shape *shape = g->scene->file->body->shape;
    g->tree->shape = PAL_NEW(pal_domain_body, 1, g->err);
    if (g->tree->shape == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_progress_report(g->progress, "shape", 0.0);
    pal_status status = pal_domain_shape_make(shape->name, shape->size_si, g->tree->shape, g->err);
    return status == PAL_OK ? specify_classes(g) : status;
}

const pal_domain_shape *pal_scene_domain_shape(const pal_scene *scene) {
    const pal_scene_file_body *body = scene->file->body;
    return body != NULL && body->shape != NULL ? pal_domain_shape_find(body->shape->name) : NULL;
}

pal_status pal_scene_label(const pal_scene *scene, const pal_progress *progress,
                           pal_scene_body *body, pal_domain_labels *labels, pal_err *err) {
    pal_scene_tree tree = {0};
    const pal_domain_shape *shape = pal_scene_domain_shape(scene);
    memset(labels, 0, sizeof *labels);
    memset(body, 0, sizeof *body);
    if (shape != NULL && shape->has_classes) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "the body of '%.100s' is made of classes and instances: there is no whole "
                        "mesh of it to cut",
                        scene->name);
    }
    const growing g = {scene, progress, &tree, err};
    pal_status status = label_whole(&g, labels);
    if (status == PAL_OK) {
        *body = tree.body;
    } else {
        pal_domain_labels_free(labels);
        pal_scene_tree_free(&tree);
    }
    return status;
}

pal_status pal_scene_tree_build(const pal_scene *scene, const pal_progress *progress,
                                pal_scene_tree *tree, pal_err *err) {
    memset(tree, 0, sizeof *tree);
    if (!scene->has_domains) {
        return pal_fail(err, PAL_ERR_USAGE, "the scene '%.100s' has no domains; add body.domains",
                        scene->name);
    }
    const growing g = {scene, progress, tree, err};
    const pal_domain_shape *shape = pal_scene_domain_shape(scene);
    pal_status status = shape != NULL && shape->has_classes ? grow_classes(&g) : grow_whole(&g);
    if (status == PAL_OK) {
        tree->spec.name = scene->name;
        tree->spec.scene_text = scene->text;
    } else {
        pal_scene_tree_free(tree);
    }
    return status;
}
