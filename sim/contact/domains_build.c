#include "sim/contact/domains_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/base/vecn.h"
#include "sim/contact/local_build.h"
#include "sim/contact/surface_index.h"

static pal_surface_index index_of(pal_domain_form *form) {
    return (pal_surface_index){&form->tree, &form->shell, &form->footprint, &form->kept};
}

static pal_status make_form(pal_domain_form *form, const pal_domain_skin *skin, int32_t r,
                            double feature, const pal_keep *keep, pal_err *err) {
    static const double at_rest[PAL_DOMAIN_MOST_MODES];
    pal_body_init_linear(&form->body, r, skin->point_count, skin->triangle_count, skin->triangle,
                         skin->x, skin->basis, at_rest, at_rest);
    form->local = skin->local;
    form->body.embedding = skin->embedding;
    if (form->local != NULL &&
        pal_local_find_rows(form->local, &form->body, &form->rows, err) != PAL_OK) {
        return PAL_ERR_MEMORY;
    }
    for (int64_t i = 0; i < skin->point_count; i++) {
        form->reach = fmax(form->reach, pal_norm3(skin->x + 3 * i));
        form->row_bound = fmax(form->row_bound, pal_norm(3 * (int64_t)r, skin->basis + 3 * i * r));
    }
    const pal_surface_source source = {.body = &form->body,
                                       .vertex_x = skin->local != NULL ? skin->vertex_x : NULL,
                                       .feature = feature,
                                       .keep = keep};
    const pal_surface_index index = index_of(form);
    return pal_surface_index_open(&source, &index, err);
}

// As fine as its largest instance needs it.
static pal_status make_forms(pal_domains *d, const pal_domain_skin *skin, double feature,
                             const pal_keep *keep, pal_err *err) {
    const pal_tree *tree = pal_tree_of(d->state);
    pal_status status = PAL_OK;
    for (int32_t k = 0; status == PAL_OK && k < tree->class_count; k++) {
        double largest = 0.0;
        for (int32_t i = 0; i < tree->domain_count; i++) {
            const pal_domain *instance = &tree->domain[i];
            largest = instance->kind == k ? fmax(largest, instance->scale) : largest;
        }
        if (largest > 0.0) {
            status =
                make_form(&d->form[k], &skin[k], tree->class_[k].r, feature / largest, keep, err);
        }
    }
    return status;
}

// Room for the dents of any class in each slot.
static pal_status make_dents(pal_domains *d, pal_err *err) {
    pal_local largest = {0};
    pal_status status = PAL_OK;
    for (int32_t k = 0; k < pal_tree_of(d->state)->class_count; k++) {
        const pal_local *local = d->form[k].local;
        if (local != NULL && local->vertex_count > largest.vertex_count) {
            largest.vertex_count = largest.row_count = local->vertex_count; // joints dent any
        }
        d->has_dents = d->has_dents || local != NULL;
    }
    for (int k = 0; k < PAL_DOMAIN_SLOTS && d->has_dents && status == PAL_OK; k++) {
        status = pal_dent_alloc(&largest, &d->slot[k].dent, err);
    }
    return status;
}

static pal_status number_surface(pal_domains *d, pal_err *err) {
    const int32_t n = pal_tree_of(d->state)->domain_count;
    int64_t triangles = 0, points = 0, ids = 0;
    for (int32_t i = 0; i <= n; i++) {
        d->first_triangle[i] = (int32_t)triangles;
        d->first_point[i] = (int32_t)points;
        d->first_id[i] = (int32_t)ids;
        if (i < n) {
            const pal_domain_form *form = &d->form[pal_tree_of(d->state)->domain[i].kind];
            triangles += form->body.triangle_count;
            points += form->body.point_count;
            ids += form->shell.count[form->shell.level_count - 1];
        }
    }
    d->body.triangle_count = d->first_triangle[n];
    d->body.point_count = d->first_point[n];
    return triangles < INT32_MAX && points < INT32_MAX && ids < INT32_MAX
               ? PAL_OK
               : pal_fail(err, PAL_ERR_UNSUPPORTED,
                          "the domains have more than two thousand million triangles together");
}

static pal_status open(pal_domains *d, const pal_domain_skin *skin, double feature,
                       const pal_keep *keep, pal_err *err) {
    const int32_t n = pal_tree_of(d->state)->domain_count;
    d->form = PAL_NEW(pal_domain_form, pal_tree_of(d->state)->class_count, err);
    d->first_triangle = PAL_NEW(int32_t, n + 1, err);
    d->first_point = PAL_NEW(int32_t, n + 1, err);
    d->first_id = PAL_NEW(int32_t, n + 1, err);
    d->watch = PAL_NEW(pal_domain_watch, n, err);
    if (!d->form || !d->first_triangle || !d->first_point || !d->first_id || !d->watch) {
        return PAL_ERR_MEMORY;
    }
    pal_status status = pal_tree_touch_open(&d->touch, d->state, err);
    if (status == PAL_OK) {
        status = make_forms(d, skin, feature, keep, err);
    }
    if (status == PAL_OK) {
        status = make_dents(d, err);
    }
    return status == PAL_OK ? number_surface(d, err) : status;
}

pal_status pal_domains_open(pal_domains *domains, pal_tree_state *state,
                            const pal_domain_skin *skin, const pal_joints *joints, double feature,
                            const pal_keep *keep, pal_err *err) {
    memset(domains, 0, sizeof *domains);
    domains->state = state;
    domains->joints = joints;
    domains->body.functions = pal_domains_functions();
    domains->body.stepper = domains;
    const pal_status status = open(domains, skin, feature, keep, err);
    if (status == PAL_OK) {
        pal_domains_reset(domains, true);
    } else {
        pal_domains_close(domains);
    }
    return status;
}

void pal_domains_close(pal_domains *domains) {
    const int32_t classes = domains->form != NULL ? pal_tree_of(domains->state)->class_count : 0;
    for (int32_t k = 0; k < classes; k++) {
        const pal_surface_index index = index_of(&domains->form[k]);
        pal_surface_index_close(&index);
        free(domains->form[k].rows);
    }
    for (int k = 0; k < PAL_DOMAIN_SLOTS; k++) {
        pal_dent_free(&domains->slot[k].dent);
    }
    pal_tree_touch_close(&domains->touch);
    free(domains->form);
    free(domains->first_triangle);
    free(domains->first_point);
    free(domains->first_id);
    free(domains->watch);
    memset(domains, 0, sizeof *domains);
}
