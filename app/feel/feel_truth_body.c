// The full elements behind a body: its mesh, or those of a tree's domains joined.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/feel/feel_truth_parts.h"
#include "app/style.h"
#include "sim/base/memory.h"

int pal_truth_law(const pal_session *s, int32_t triangle) {
    return s->body.law_of_triangle != NULL ? s->body.law_of_triangle[triangle] : 0;
}

int32_t pal_truth_body_triangle(const pal_truth_body *body, int32_t triangle) {
    return body->united.triangle != NULL ? body->united.triangle[triangle] : triangle;
}

void pal_truth_body_say(const pal_truth_body *body, char *text, size_t size) {
    const pal_volmesh *mesh = &body->model->mesh;
    const int used = snprintf(text, size, "%s %s", pal_say_count(mesh->element_count).text,
                              mesh->kind == PAL_TET4 ? "tets" : "voxels");
    if (body->domains > 0) {
        snprintf(text + used, size - (size_t)used, " of %d domain%s", (int)body->domains,
                 body->domains == 1 ? "" : "s");
    }
}

// ---- which domains

int32_t pal_truth_domain(const pal_session *s, int32_t triangle) {
    const pal_tree_model *tree = &s->tree;
    int32_t d = 0;
    if (!s->scene.has_domains) {
        return -1;
    }
    while (triangle >= tree->body[tree->domain[d].kind].surface.triangle_count) {
        triangle -= tree->body[tree->domain[d].kind].surface.triangle_count;
        d++;
    }
    return d;
}

// Which domains the full elements are of: all; what bears a load on one of them, with all that
// hangs on that, or with what hangs on the one itself; what bears it alone. (What hangs on
// something without a load of its own does nothing but stiffen the interface.)
typedef enum extent { ALL, WITH_NEIGHBOURS, WITH_CHILDREN, BEARERS, EXTENTS } extent;

// wanted [2 domain_count]: the second half is room.
static void want(const pal_tree_model *tree, int32_t domain, extent how, bool *wanted) {
    bool *carries = wanted + tree->domain_count;
    for (int32_t d = 0; d < tree->domain_count; d++) {
        wanted[d] = how == ALL;
        carries[d] = false;
    }
    for (int32_t d = domain; d >= 0; d = tree->domain[d].parent) {
        carries[d] = how == WITH_NEIGHBOURS || (how == WITH_CHILDREN && d == domain);
        wanted[d] = true;
    }
    for (int32_t d = 1; d < tree->domain_count; d++) {
        wanted[d] = wanted[d] || carries[tree->domain[d].parent];
    }
}

static void say_too_large(int64_t dofs, int64_t most, char *note, size_t size) {
    snprintf(note, size, "full elements left out: %s unknowns, more than %s take too long",
             pal_say_count(dofs).text, pal_say_count(most).text);
}

// The largest extent that fits and can be united; what is wrong with the last one.
static pal_status unite_some(pal_truth_body *body, const pal_tree_model *tree, int32_t domain,
                             int64_t most, bool *wanted, char *note, size_t size, pal_err *err) {
    pal_status status = PAL_ERR_UNSUPPORTED;
    for (int how = ALL; how < EXTENTS && status == PAL_ERR_UNSUPPORTED; how++) {
        pal_err why;
        want(tree, domain, (extent)how, wanted);
        const int64_t dofs = 3 * pal_tree_free_vertices(tree, wanted);
        if (dofs > most) {
            say_too_large(dofs, most, note, size);
            continue;
        }
        status = pal_tree_unite(tree, &(pal_unite_options){.wanted = wanted}, &body->united, &why);
        if (status == PAL_ERR_UNSUPPORTED) {
            snprintf(note, size, "full elements left out: %.90s", why.text);
        } else if (status != PAL_OK) {
            return pal_fail(err, status, "%s", why.text);
        }
    }
    return status;
}

static pal_status unite(pal_truth_body *body, const pal_truth_walk *walk, int64_t tick,
                        int64_t most, bool *fits, char *note, size_t size, pal_err *err) {
    const pal_tree_model *tree = &walk->session.tree;
    if (tree->tree.flies) {
        snprintf(note, size, "full elements left out: nothing is held");
        return PAL_OK;
    }
    bool *wanted = PAL_NEW(bool, 2 * (size_t)tree->domain_count, err);
    pal_status status =
        wanted == NULL
            ? PAL_ERR_MEMORY
            : unite_some(body, tree, pal_truth_domain(&walk->session, walk->triangle[tick]), most,
                         wanted, note, size, err);
    *fits = status == PAL_OK;
    for (int32_t d = 0; *fits && d < tree->domain_count; d++) {
        body->domains += wanted[d];
    }
    free(wanted);
    body->model = &body->united.model;
    return status == PAL_ERR_UNSUPPORTED ? PAL_OK : status;
}

// ---- the whole

static pal_status open_fem(pal_truth_body *body, const pal_truth_walk *walk, int64_t tick,
                           pal_err *err) {
    if (body->domains > 0) {
        return pal_tree_united_fem(&body->united, false, &body->fem, err);
    }
    const pal_model *model = body->model;
    pal_material *material = pal_truth_materials(&walk->session, (uint64_t)tick, err);
    const pal_status status =
        material != NULL
            ? pal_fem_init(&body->fem, &model->mesh, material, model->held,
                           model->lumped_mass ? PAL_MASS_LUMPED : PAL_MASS_CONSISTENT, err)
            : PAL_ERR_MEMORY;
    free(material);
    return status;
}

pal_status pal_truth_body_open(pal_truth_body *body, const pal_truth_walk *walk, int64_t tick,
                               int64_t most, bool *fits, char *note, size_t size, pal_err *err) {
    memset(body, 0, sizeof *body);
    body->model = &walk->session.model;
    *fits = !walk->session.scene.has_domains;
    pal_status status = *fits ? PAL_OK : unite(body, walk, tick, most, fits, note, size, err);
    if (status != PAL_OK || !*fits) {
        return status;
    }
    status = open_fem(body, walk, tick, err);
    if (status == PAL_OK && body->fem.rigid_modes > 0) {
        *fits = false;
        snprintf(note, size, "full elements left out: nothing is held");
    } else if (status == PAL_OK && pal_fem_dofs(&body->fem) > most) {
        *fits = false;
        say_too_large(pal_fem_dofs(&body->fem), most, note, size);
    }
    if (status != PAL_OK || !*fits) {
        pal_truth_body_close(body);
    }
    return status;
}

void pal_truth_body_close(pal_truth_body *body) {
    pal_fem_free(&body->fem);
    pal_tree_united_free(&body->united);
    memset(body, 0, sizeof *body);
}
