#include "app/domain_cut.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/problem.h"
#include "sim/base/memory.h"

const pal_option pal_options_cut[] = {
    {.name = "--by",
     .kind = PAL_OPTION_TEXT,
     .argument = "WAY",
     .help = "'regions' of the mesh; 'auto:N', about N domains by METIS, merged until they form a "
             "tree, and where that leaves less than half (bulky bodies) the best of it and the "
             "next two; "
             "'slices:N' across "
             "the longest side; 'levels:N', slices by the distance along the body from what is "
             "held (or from one end), with a domain of its own for each branch; or a FILE with "
             "lines 'NAME ; SEL' or 'NAME ; elements:0-99,120', later ones win (default: as the "
             "scene says, else regions)"},
    {.name = "--fix",
     .kind = PAL_OPTION_TEXT,
     .argument = "SEL",
     .repeatable = true,
     .help = "hold these vertices: their domain is the root (default: as the scene says; a mesh "
             "flies)"},
    {.name = NULL},
};

enum { MOST_DOMAINS = 10000 };

// ---- ways to cut

static pal_status by_regions(pal_domain_cut *cut, bool one_will_do, pal_err *err) {
    const pal_volmesh *mesh = &cut->body.mesh;
    if (mesh->region_count < 2 && !one_will_do) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "%s is of one region and says of no domains: cut it by --by auto:8, --by "
                        "slices:8, or by a list of domains, --by FILE (palpate edit makes one)",
                        cut->source);
    }
    cut->labels = (pal_domain_labels){
        .count = mesh->region_count,
        .name = pal_alloc((size_t)mesh->region_count, PAL_DOMAIN_NAME, err),
        .label = PAL_NEW(int32_t, mesh->element_count, err),
    };
    if (cut->labels.name == NULL || cut->labels.label == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t g = 0; g < mesh->region_count; g++) {
        snprintf(cut->labels.name[g], PAL_DOMAIN_NAME, "%s", mesh->regions[g].name);
    }
    memcpy(cut->labels.label, mesh->region, (size_t)mesh->element_count * sizeof *mesh->region);
    return PAL_OK;
}

static pal_status by_cutting(pal_domain_cut *cut, pal_cut_way way, const char *number,
                             const pal_progress *progress, pal_err *err) {
    const pal_volmesh *mesh = &cut->body.mesh;
    double count;
    pal_status status = pal_parse_number(number, "the count in --by", &count, err);
    if (status == PAL_OK && !(count >= 1.0 && count <= MOST_DOMAINS && count == floor(count))) {
        status = pal_fail(err, PAL_ERR_USAGE, "--by cuts into 1 to %d domains, not %s",
                          MOST_DOMAINS, number);
    }
    if (status == PAL_OK) {
        cut->labels.label = PAL_NEW(int32_t, mesh->element_count, err);
        status = cut->labels.label != NULL ? PAL_OK : PAL_ERR_MEMORY;
    }
    if (status == PAL_OK) {
        pal_progress_report(progress, "cutting", 0.0);
        status = pal_partition_cut(mesh, cut->body.held, way, (int32_t)count, cut->labels.label,
                                   &cut->labels.count, &cut->report, err);
        status = pal_fail_in(err, status, cut->source);
    }
    if (status == PAL_OK) {
        cut->wanted = (int32_t)count;
        cut->labels.name = pal_alloc((size_t)cut->labels.count, PAL_DOMAIN_NAME, err);
        status = cut->labels.name != NULL ? PAL_OK : PAL_ERR_MEMORY;
    }
    for (int32_t d = 0; status == PAL_OK && d < cut->labels.count; d++) {
        snprintf(cut->labels.name[d], PAL_DOMAIN_NAME, "domain %d", (int)d);
    }
    return status;
}

static pal_status by_way(pal_domain_cut *cut, const char *way, bool one_will_do,
                         const pal_progress *progress, pal_err *err) {
    static const char *const cuts[] = {
        [PAL_CUT_GRAPH] = "auto:", [PAL_CUT_AXIS] = "slices:", [PAL_CUT_DISTANCE] = "levels:"};
    pal_domain_labels_free(&cut->labels);
    if (strcmp(way, "regions") == 0) {
        return by_regions(cut, one_will_do, err);
    }
    for (pal_cut_way k = PAL_CUT_GRAPH; k <= PAL_CUT_DISTANCE; k++) {
        if (strncmp(way, cuts[k], strlen(cuts[k])) == 0) {
            return by_cutting(cut, k, way + strlen(cuts[k]), progress, err);
        }
    }
    if (access(way, F_OK) != 0) {
        return pal_fail(
            err, PAL_ERR_USAGE,
            "--by '%s' is neither 'regions', 'auto:N', 'slices:N', 'levels:N' nor a file that is "
            "there",
            way);
    }
    return pal_domain_list_read(way, &cut->body.mesh, &cut->labels, err);
}

// ---- opening

// The scene's own domains as the tree that they are: the mesh moves out of it, and so do labels.
static pal_status take_tree(pal_domain_cut *cut, const pal_progress *progress, pal_err *err) {
    pal_status status = pal_scene_tree_build(&cut->scene, progress, &cut->tree, err);
    const pal_partition *parts = &cut->tree.partition;
    if (status != PAL_OK || parts->domain_count == 0) {
        return status;
    }
    const int32_t elements = cut->tree.body.mesh.element_count;
    cut->labels = (pal_domain_labels){
        .count = parts->domain_count,
        .name = pal_alloc((size_t)parts->domain_count, PAL_DOMAIN_NAME, err),
        .label = PAL_NEW(int32_t, elements, err),
        .like = PAL_NEW(int32_t, parts->domain_count, err),
    };
    if (cut->labels.name == NULL || cut->labels.label == NULL || cut->labels.like == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t d = 0; d < parts->domain_count; d++) {
        const int32_t count = parts->part[parts->domain[d].kind].mesh.element_count;
        memcpy(cut->labels.name[d], parts->name[d], PAL_DOMAIN_NAME);
        int32_t first = 0; // of its class
        while (parts->domain[first].kind != parts->domain[d].kind) {
            first++;
        }
        cut->labels.like[d] = first < d ? first : -1;
        for (int32_t k = 0; k < count; k++) {
            cut->labels.label[parts->element[d][k]] = d;
        }
    }
    return PAL_OK;
}

static pal_status open_scene(pal_domain_cut *cut, const pal_job *job, bool labels_only,
                             pal_err *err) {
    const char *way = pal_args_text(job->args, "--by");
    pal_status status = pal_scene_read(cut->source, &cut->scene, err);
    if (status != PAL_OK) {
        return status;
    }
    cut->is_scene = true;
    if (pal_args_given(job->args, "--scale")) {
        return pal_fail(err, PAL_ERR_USAGE, "--scale is for meshes; a scene says how large it is");
    }
    const bool own = way == NULL && !pal_args_given(job->args, "--fix");
    if (own && !labels_only && cut->scene.has_domains) {
        pal_err inner = {0};
        status = take_tree(cut, job->progress, &inner);
        if (status != PAL_ERR_INPUT || cut->tree.spec.class_count > 0) {
            *err = inner;
            return status;
        }
    }
    status = pal_scene_label(&cut->scene, job->progress, &cut->body, &cut->labels, err);
    if (status == PAL_OK && way == NULL && !cut->scene.has_domains) {
        status = by_way(cut, "regions", labels_only, job->progress, err);
    }
    return status;
}

static pal_status open_mesh(pal_domain_cut *cut, const pal_job *job, pal_err *err) {
    pal_scene_body *body = &cut->body;
    pal_status status = pal_problem_read_mesh(cut->source, pal_args_count(job->args, "--voxels"),
                                              job->progress, &body->mesh, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_volmesh_scale(&body->mesh, pal_args_number(job->args, "--scale"));
    body->material = PAL_NEW(pal_material, body->mesh.region_count, err);
    body->held = PAL_NEW(uint8_t, body->mesh.vertex_count, err);
    if (body->material == NULL || body->held == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t g = 0; g < body->mesh.region_count; g++) {
        const pal_region *region = &body->mesh.regions[g];
        body->material[g] = region->has_material
                                ? region->material
                                : (pal_material){(double)NAN, (double)NAN, (double)NAN};
    }
    return PAL_OK;
}

pal_status pal_domain_cut_open(pal_domain_cut *cut, const pal_job *job, bool labels_only,
                               pal_err *err) {
    memset(cut, 0, sizeof *cut);
    cut->source = job->args->operand[0];
    const char *way = pal_args_text(job->args, "--by");
    const bool scene = pal_problem_is_scene(cut->source);
    pal_status status = pal_problem_check_voxels(cut->source, job->args, err);
    if (status == PAL_OK) {
        status = scene ? open_scene(cut, job, labels_only, err) : open_mesh(cut, job, err);
    }
    if (status == PAL_OK && cut->body.mesh.vertex_count > 0) {
        status = pal_problem_choose_held(job->args, &cut->body.mesh, cut->body.held, err);
    }
    if (status == PAL_OK && (way != NULL || !scene)) {
        status = by_way(cut, way != NULL ? way : "regions", labels_only, job->progress, err);
    }
    if (status != PAL_OK) {
        pal_domain_cut_close(cut);
    }
    return status;
}

const pal_scene_body *pal_domain_cut_body(const pal_domain_cut *cut) {
    return cut->body.mesh.vertex_count > 0        ? &cut->body
           : cut->tree.body.mesh.vertex_count > 0 ? &cut->tree.body
                                                  : NULL;
}

void pal_domain_cut_close(pal_domain_cut *cut) {
    pal_scene_body_free(&cut->body);
    pal_domain_labels_free(&cut->labels);
    pal_scene_tree_free(&cut->tree);
    if (cut->is_scene) {
        pal_scene_free(&cut->scene);
    }
    memset(cut, 0, sizeof *cut);
}
