// What the schema cannot say of a body of domains: body.domains, tree, wind, gravity.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scenes/checking.h"
#include "scenes/domain_shapes.h"
#include "sim/base/vec3.h"

static const pal_domain_shape *shape_of(const pal_scene_file_body *body) {
    return body->shape != NULL ? pal_domain_shape_find(body->shape->name) : NULL;
}

// Where the domains are: regions, a list, a file, or cut by the program.
static pal_status check_origin(const pal_checking *c, const pal_scene_file_domains *domains) {
    const int ways =
        (domains->list != NULL) + (domains->file != NULL) + (domains->automatic != NULL);
    if (ways > 1) {
        return pal_check_fail(c, "body.domains",
                              "say once where the domains are: by list, file or auto; without "
                              "them they are the regions of the mesh");
    }
    const pal_domain_shape *shape = shape_of(c->scene->file->body);
    if (ways > 0 && shape != NULL && shape->has_classes) {
        return pal_check_fail(c, "body.domains",
                              "'%s' is made of classes and instances already; remove list, file "
                              "and auto",
                              shape->name);
    }
    if (domains->congruent && shape != NULL && shape->has_classes) {
        return pal_check_fail(c, "body.domains.congruent",
                              "'%s' is made of classes and instances already; remove this key",
                              shape->name);
    }
    if (ways == 0 && shape == NULL && c->scene->file->body->mesh == NULL) {
        return pal_check_fail(c, "body.domains",
                              "this body has no regions to take as domains; add auto: 8, or a "
                              "list: [{name: base, where: z<0.1}, ...]");
    }
    if (domains->automatic == NULL && domains->cut != PAL_CUT_GRAPH) {
        return pal_check_fail(c, "body.domains.cut", "only 'auto' cuts; remove this key");
    }
    if (domains->file != NULL) {
        return pal_check_file(c, "body.domains.file", domains->file);
    }
    return domains->automatic != NULL
               ? pal_check_range(c, "body.domains.auto", *domains->automatic, 1, 10000)
               : PAL_OK;
}

static pal_status check_list(const pal_checking *c, const pal_scene_file_domains *domains) {
    enum { MOST = 10000 };
    pal_status status = pal_check_range(c, "body.domains.list", domains->list_count, 0, MOST);
    for (uint32_t i = 0; status == PAL_OK && i < domains->list_count; i++) {
        char path[64], key[96];
        const pal_scene_domain *domain = &domains->list[i];
        snprintf(path, sizeof path, "body.domains.list.%u", i);
        if (strlen(domain->name) >= PAL_DOMAIN_NAME) {
            return pal_check_fail(c, pal_check_join(key, path, "name"), "longer than %d characters",
                                  PAL_DOMAIN_NAME - 1);
        }
        for (uint32_t k = 0; k < i; k++) {
            if (strcmp(domains->list[k].name, domain->name) == 0) {
                return pal_check_fail(c, pal_check_join(key, path, "name"),
                                      "'%s' is the name of another domain", domain->name);
            }
        }
        status = pal_check_selector(c, pal_check_join(key, path, "where"), domain->where);
    }
    return status;
}

static pal_status check_modes(const pal_checking *c, const pal_scene_file_domains *domains) {
    enum { MOST_IN_ALL = 1000000 };
    const pal_scene_mode_share *modes = domains->modes;
    if (modes == NULL) {
        return PAL_OK;
    }
    if ((modes->each != NULL) == (modes->total != NULL)) {
        return pal_check_fail(c, "body.domains.modes",
                              "write {each: 20}, or {total: 240, share: logarithmic}");
    }
    if (modes->each != NULL && modes->share != PAL_SHARE_PROPORTIONAL) {
        return pal_check_fail(c, "body.domains.modes.share",
                              "only a total is shared; remove this key");
    }
    const pal_domain_shape *shape = shape_of(c->scene->file->body);
    if (modes->total != NULL && shape != NULL && shape->has_classes) {
        return pal_check_fail(c, "body.domains.modes.total",
                              "the instances of a class have the same modes; write {each: 20}, or "
                              "leave 'modes' out for the shape's own");
    }
    return modes->each != NULL
               ? pal_check_range(c, "body.domains.modes.each", *modes->each, 1,
                                 PAL_DOMAIN_MOST_MODES)
               : pal_check_range(c, "body.domains.modes.total", *modes->total, 1, MOST_IN_ALL);
}

pal_status pal_scene_check_domains(const pal_checking *c) {
    const pal_scene_file_body *body = c->scene->file->body;
    const pal_scene_file_domains *domains = body->domains;
    const pal_domain_shape *shape = shape_of(body);
    const bool has_classes = shape != NULL && shape->has_classes;
    c->scene->has_domains = domains != NULL;
    if (has_classes && domains == NULL) {
        return pal_check_fail(c, "body.shape",
                              "'%s' is a body of domains; add domains: {boundary: true}",
                              shape->name);
    }
    if (domains == NULL) {
        return PAL_OK;
    }
    if (has_classes && body->fixed != NULL) {
        return pal_check_fail(c, "body.fixed",
                              "'%s' is held where its shape says; remove this key, or write free: "
                              "true for a body that floats",
                              shape->name);
    }
    if (has_classes && domains->root != NULL) {
        return pal_check_fail(c, "body.domains.root", "'%s' has its root; remove this key",
                              shape->name);
    }
    if (body->hidden != NULL || body->touch != NULL || body->surface != NULL) {
        return pal_check_fail(c,
                              body->hidden != NULL  ? "body.hidden"
                              : body->touch != NULL ? "body.touch"
                                                    : "body.surface",
                              "is for a body without domains; remove this key");
    }
    pal_status status = check_origin(c, domains);
    if (status == PAL_OK) {
        status = check_list(c, domains);
    }
    return status == PAL_OK ? check_modes(c, domains) : status;
}

// ---- how they move

static pal_status check_frequencies(const pal_checking *c, const pal_scene_file_tree *tree) {
    for (uint32_t i = 0; i < tree->frequency_count; i++) {
        const double factor = tree->frequency[i].factor;
        if (!(factor >= 0.01 && factor <= 100.0)) {
            char path[64];
            snprintf(path, sizeof path, "tree.frequency.%u.factor", i);
            return pal_check_fail(c, path, "%g is outside 0.01 to 100", factor);
        }
    }
    return PAL_OK;
}

static pal_status check_wind(const pal_checking *c, const pal_scene_file_wind *wind) {
    const double usual_period = 3.0; // s
    pal_scene_motion *motion = &c->scene->motion;
    motion->wind_period = usual_period;
    pal_status status =
        pal_check_amount(c, "wind.speed", wind->speed, PAL_SPEED, false, &motion->wind_speed);
    if (status == PAL_OK) {
        status = pal_check_amount(c, "wind.gust", wind->gust, PAL_SPEED, false, &motion->wind_gust);
    }
    if (status == PAL_OK) {
        status =
            pal_check_amount(c, "wind.period", wind->period, PAL_TIME, true, &motion->wind_period);
    }
    const double length = pal_norm3(wind->direction);
    if (status == PAL_OK && !(length > 0.0 && isfinite(length))) {
        return pal_check_fail(c, "wind.direction", "write three numbers that are not all 0");
    }
    for (int k = 0; status == PAL_OK && k < 3; k++) {
        motion->wind_direction[k] = wind->direction[k] / length;
    }
    return status;
}

pal_status pal_scene_check_motion(const pal_checking *c) {
    const pal_scene_file *file = c->scene->file;
    const bool given[3] = {file->tree != NULL, file->wind != NULL, file->gravity[0] != NULL};
    static const char *const name[3] = {"tree", "wind", "gravity"};
    for (int i = 0; i < 3; i++) {
        if (given[i] && !c->scene->has_domains) {
            return pal_check_fail(c, name[i],
                                  "is for a body of domains; remove this key, or add "
                                  "body.domains");
        }
    }
    pal_status status = PAL_OK;
    if (file->tree != NULL) {
        c->scene->motion.inertia = file->tree->inertia;
        status = check_frequencies(c, file->tree);
    }
    if (status == PAL_OK && file->wind != NULL) {
        status = check_wind(c, file->wind);
    }
    return status == PAL_OK ? pal_check_triple(c, "gravity", file->gravity, PAL_ACCELERATION,
                                               c->scene->motion.gravity)
                            : status;
}
