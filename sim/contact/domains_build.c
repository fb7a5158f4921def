#include "sim/contact/domains_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/base/vecn.h"
#include "sim/contact/bdtree_build.h"
#include "sim/contact/shell_build.h"

// The class drawn `scale` times as large.
static pal_status make_form(pal_domain_form *form, const pal_domain_skin *skin, int32_t kind,
                            int32_t r, double scale, double feature, pal_err *err) {
    const size_t points = (size_t)skin->point_count;
    form->kind = kind;
    form->scale = scale;
    form->rest = PAL_NEW(double, 3 * points, err);
    form->basis = PAL_NEW(double, 3 * points * (size_t)r, err);
    if (form->rest == NULL || form->basis == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (size_t k = 0; k < 3 * points; k++) {
        form->rest[k] = scale * skin->x[k];
    }
    for (size_t k = 0; k < 3 * points * (size_t)r; k++) {
        form->basis[k] = scale * skin->basis[k];
    }
    for (size_t i = 0; i < points; i++) {
        form->reach = fmax(form->reach, pal_norm3(form->rest + 3 * i));
        form->row_bound =
            fmax(form->row_bound, pal_norm(3 * (int64_t)r, form->basis + 3 * i * (size_t)r));
    }
    pal_body_init_linear(&form->body, r, skin->point_count, skin->triangle_count, skin->triangle,
                         form->rest, form->basis, NULL, NULL);
    pal_status status = pal_bdtree_build(&form->body, &form->tree, err);
    if (status == PAL_OK) {
        const pal_shell_spec spec = {.spacing = 1.0 / 3.0 * feature}; // as a single body
        status = pal_shell_build(&form->body, &form->tree, &spec, &form->shell, err);
    }
    return status;
}

// The form of a domain's class and scale, made when it is the first of its kind.
static pal_status find_form(pal_domains *d, const pal_domain_skin *skin, int32_t domain,
                            double feature, pal_err *err) {
    const pal_tree *tree = pal_tree_of(d->state);
    const pal_domain *instance = &tree->domain[domain];
    for (int32_t k = 0; k < d->form_count; k++) {
        if (d->form[k].kind == instance->kind && d->form[k].scale == instance->scale) {
            d->form_of[domain] = k;
            return PAL_OK;
        }
    }
    d->form_of[domain] = d->form_count;
    return make_form(&d->form[d->form_count++], &skin[instance->kind], instance->kind,
                     tree->class_[instance->kind].r, instance->scale, feature, err);
}

static pal_status number_surface(pal_domains *d, pal_err *err) {
    const int32_t n = pal_tree_of(d->state)->domain_count;
    int64_t triangles = 0, points = 0, ids = 0;
    for (int32_t i = 0; i <= n; i++) {
        d->first_triangle[i] = (int32_t)triangles;
        d->first_point[i] = (int32_t)points;
        d->first_id[i] = (int32_t)ids;
        if (i < n) {
            const pal_domain_form *form = &d->form[d->form_of[i]];
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

static pal_status open(pal_domains *d, const pal_domain_skin *skin, double feature, pal_err *err) {
    const int32_t n = pal_tree_of(d->state)->domain_count;
    d->form = PAL_NEW(pal_domain_form, n, err);
    d->form_of = PAL_NEW(int32_t, n, err);
    d->first_triangle = PAL_NEW(int32_t, n + 1, err);
    d->first_point = PAL_NEW(int32_t, n + 1, err);
    d->first_id = PAL_NEW(int32_t, n + 1, err);
    if (!d->form || !d->form_of || !d->first_triangle || !d->first_point || !d->first_id) {
        return PAL_ERR_MEMORY;
    }
    pal_status status = pal_tree_touch_open(&d->touch, d->state, err);
    for (int32_t i = 0; status == PAL_OK && i < n; i++) {
        status = find_form(d, skin, i, feature, err);
    }
    return status == PAL_OK ? number_surface(d, err) : status;
}

pal_status pal_domains_open(pal_domains *domains, pal_tree_state *state,
                            const pal_domain_skin *skin, double feature, pal_err *err) {
    memset(domains, 0, sizeof *domains);
    domains->state = state;
    domains->body.functions = &pal_domains_functions;
    domains->body.stepper = domains;
    for (int k = 0; k < PAL_DOMAIN_SLOTS; k++) {
        domains->slot[k].domain = -1;
    }
    const pal_status status = open(domains, skin, feature, err);
    if (status != PAL_OK) {
        pal_domains_close(domains);
    }
    return status;
}

void pal_domains_close(pal_domains *domains) {
    for (int32_t k = 0; k < domains->form_count; k++) {
        pal_shell_free(&domains->form[k].shell);
        pal_bdtree_free(&domains->form[k].tree);
        free(domains->form[k].rest);
        free(domains->form[k].basis);
    }
    pal_tree_touch_close(&domains->touch);
    free(domains->form);
    free(domains->form_of);
    free(domains->first_triangle);
    free(domains->first_point);
    free(domains->first_id);
    memset(domains, 0, sizeof *domains);
}
