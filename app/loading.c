#include "app/loading.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/mesh/select.h"

const pal_option pal_options_loading[] = {
    {.name = "--load",
     .kind = PAL_OPTION_TEXT,
     .argument = "SEL:fx,fy,fz",
     .repeatable = true,
     .help =
         "a total force in N that keeps its direction, shared equally by the selected vertices; "
         "SEL may be a POINT, for the nearest vertex of the surface"},
    {.name = "--gravity",
     .kind = PAL_OPTION_VECTOR,
     .argument = "gx,gy,gz",
     .help = "gravity in m/s^2, such as 0,0,-9.81"},
    {.name = "--probe",
     .kind = PAL_OPTION_TEXT,
     .argument = "SEL",
     .repeatable = true,
     .help = "report the mean displacement of these vertices (default: of the loaded ones)"},
    {.name = NULL},
};

pal_status pal_loading_split(const char *option, const char *text, char **selector, double force[3],
                             pal_err *err) {
    char what[320];
    const char *colon = strrchr(text, ':');
    if (colon == NULL || colon == text) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "%s takes SEL:fx,fy,fz, such as 'x>0.9:0,0,-5' (N), not '%s'", option,
                        text);
    }
    snprintf(what, sizeof what, "the force in %s '%s'", option, text);
    pal_status status = pal_parse_vector(colon + 1, what, force, err);
    if (status == PAL_OK) {
        *selector = pal_copy_text(text, err);
        if (*selector == NULL) {
            return PAL_ERR_MEMORY;
        }
        (*selector)[colon - text] = '\0';
    }
    return status;
}

// A load that only held vertices carry is a slip: nothing would move.
static pal_status check_effect(const pal_problem *problem, const double *f, pal_err *err) {
    bool on_free = false, on_held = false;
    for (int32_t v = 0; v < problem->mesh.vertex_count; v++) {
        const double *force = f + 3 * (int64_t)v;
        bool loaded = force[0] != 0.0 || force[1] != 0.0 || force[2] != 0.0;
        on_held = on_held || (loaded && problem->held[v]);
        on_free = on_free || (loaded && !problem->held[v]);
    }
    return on_free || !on_held
               ? PAL_OK
               : pal_fail(err, PAL_ERR_USAGE,
                          "all loaded vertices are held, so nothing would move; load others "
                          "(--load) or hold fewer (--fix)");
}

// A place (point.h) becomes a selector of its vertex; *selector is on the heap before and after.
static pal_status settle(const pal_problem *problem, const char *option, char **selector,
                         pal_err *err) {
    char vertex[32];
    pal_err inner;
    if (!pal_point_is(*selector, &problem->names)) {
        return PAL_OK;
    }
    if (pal_point_selector(*selector, &problem->names, &problem->mesh, vertex, &inner) != PAL_OK) {
        return pal_fail(err, PAL_ERR_USAGE, "%s: %.900s", option, inner.text);
    }
    free(*selector);
    *selector = pal_copy_text(vertex, err);
    return *selector != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

pal_status pal_loading_make(const pal_problem *problem, const pal_args *args, double **f,
                            pal_err *err) {
    int count = 0;
    const char *const *loads = pal_args_list(args, "--load", &count);
    *f = NULL;
    if (count == 0 && !pal_args_given(args, "--gravity")) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "nothing loads the body: add --load 'SEL:fx,fy,fz' or --gravity gx,gy,gz");
    }
    double *total = PAL_NEW(double, 3 * (size_t)problem->mesh.vertex_count, err);
    pal_status status = total == NULL ? PAL_ERR_MEMORY : PAL_OK;
    for (int i = 0; i < count && status == PAL_OK; i++) {
        char *selector = NULL;
        double force[3];
        status = pal_loading_split("--load", loads[i], &selector, force, err);
        if (status == PAL_OK) {
            status = settle(problem, "--load", &selector, err);
        }
        if (status == PAL_OK) {
            status = pal_fem_add_load(&problem->fem, selector, force, total, err);
        }
        free(selector);
    }
    if (status == PAL_OK && pal_args_given(args, "--gravity")) {
        status = pal_fem_add_gravity(&problem->fem, pal_args_vector(args, "--gravity"), total, err);
    }
    if (status == PAL_OK) {
        status = check_effect(problem, total, err);
    }
    if (status != PAL_OK) {
        free(total);
        return status;
    }
    *f = total;
    return PAL_OK;
}

pal_status pal_probe_make(const pal_volmesh *mesh, const char *option, const char *selector,
                          pal_probe *probe, pal_err *err) {
    *probe = (pal_probe){.selector = pal_copy_text(selector, err)};
    uint8_t *selected = PAL_NEW(uint8_t, mesh->vertex_count, err);
    pal_status status = probe->selector && selected ? PAL_OK : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        status = pal_select_vertices(mesh, selector, selected, &probe->count, err);
    }
    if (status == PAL_OK && probe->count == 0) {
        status = pal_select_nothing(mesh, PAL_ERR_USAGE, err, "%s '%.200s' selects no vertex",
                                    option, selector);
    }
    if (status == PAL_OK) {
        probe->vertex = PAL_NEW(int32_t, probe->count, err);
        status = probe->vertex ? PAL_OK : PAL_ERR_MEMORY;
    }
    for (int32_t v = 0, n = 0; status == PAL_OK && v < mesh->vertex_count; v++) {
        if (selected[v]) {
            probe->vertex[n++] = v;
        }
    }
    free(selected);
    if (status != PAL_OK) {
        pal_probe_free(probe);
    }
    return status;
}

void pal_probe_free(pal_probe *probe) {
    free(probe->selector);
    free(probe->vertex);
    *probe = (pal_probe){0};
}

pal_status pal_probes_make(const pal_problem *problem, const pal_args *args, pal_probes *probes,
                           pal_err *err) {
    int probe_count = 0, load_count = 0;
    const char *const *given = pal_args_list(args, "--probe", &probe_count);
    const char *const *loads = pal_args_list(args, "--load", &load_count);
    memset(probes, 0, sizeof *probes);
    pal_status status = PAL_OK;
    int count = probe_count > 0 ? probe_count : load_count > 0 ? load_count : 1;
    for (int i = 0; i < count && status == PAL_OK; i++) {
        char *selector = NULL;
        double force[3];
        if (probe_count == 0 && load_count > 0) {
            status = pal_loading_split("--load", loads[i], &selector, force, err);
        } else {
            selector = pal_copy_text(probe_count > 0 ? given[i] : "all", err);
            status = selector == NULL ? PAL_ERR_MEMORY : PAL_OK;
        }
        if (status == PAL_OK) {
            status = settle(problem, "--probe", &selector, err);
        }
        if (status == PAL_OK) {
            status = pal_probe_make(&problem->mesh, "--probe", selector,
                                    &probes->probe[probes->count++], err);
        }
        free(selector);
    }
    if (status != PAL_OK) {
        pal_probes_free(probes);
    }
    return status;
}

void pal_probes_free(pal_probes *probes) {
    for (int i = 0; i < probes->count; i++) {
        pal_probe_free(&probes->probe[i]);
    }
    memset(probes, 0, sizeof *probes);
}

void pal_probe_read(const pal_probe *probe, const double *u, double mean[3]) {
    mean[0] = mean[1] = mean[2] = 0.0;
    for (int32_t i = 0; i < probe->count; i++) {
        for (int c = 0; c < 3; c++) {
            mean[c] += u[3 * (int64_t)probe->vertex[i] + c];
        }
    }
    for (int c = 0; c < 3; c++) {
        mean[c] /= probe->count;
    }
}
