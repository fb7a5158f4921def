#include "sim/model/sketch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/mesh/select.h"

pal_status pal_sketch_open(pal_sketch *sketch, pal_fem *fem, int32_t modes, double separation,
                           const pal_progress *progress, pal_err *err) {
    *sketch = (pal_sketch){.fem = fem, .separation = separation};
    if (fem->rigid_modes > 0) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "nothing holds the body, and a pull would carry it away; hold it somewhere "
                        "(body.fixed in the scene)");
    }
    if (!(separation >= 0.0 && isfinite(separation))) {
        return pal_fail(err, PAL_ERR_USAGE, "a separation of %g N; it must not be negative",
                        separation);
    }
    pal_status status = pal_modes_solve(fem, modes, progress, &sketch->modes, err);
    if (status == PAL_OK) {
        sketch->q = PAL_NEW(double, modes, err);
        sketch->hold.row = PAL_NEW(double, 3 * (size_t)modes, err);
        status = sketch->q != NULL && sketch->hold.row != NULL ? PAL_OK : PAL_ERR_MEMORY;
    }
    if (status != PAL_OK) {
        pal_sketch_close(sketch);
    }
    return status;
}

void pal_sketch_close(pal_sketch *sketch) {
    for (int32_t i = 0; i < sketch->load_count; i++) {
        free(sketch->load[i].selector);
    }
    free(sketch->load);
    free(sketch->hold.selector);
    free(sketch->hold.row);
    free(sketch->q);
    pal_modes_free(&sketch->modes);
    memset(sketch, 0, sizeof *sketch);
}

// ---- taking hold

// Means over the selected vertices: their place, b_k, and what these make of C.
static void measure_hold(pal_sketch *sketch, const uint8_t *selected, int32_t count) {
    const pal_volmesh *mesh = sketch->fem->mesh;
    double *row = sketch->hold.row;
    const pal_modes *modes = &sketch->modes;
    memset(row, 0, 3 * (size_t)modes->count * sizeof *row);
    memset(sketch->hold.rest, 0, sizeof sketch->hold.rest);
    memset(sketch->hold.c, 0, sizeof sketch->hold.c);
    for (int64_t v = 0; v < mesh->vertex_count; v++) {
        for (int c = 0; selected[v] && c < 3; c++) {
            sketch->hold.rest[c] += mesh->x[3 * v + c] / count;
            for (int32_t k = 0; k < modes->count; k++) {
                row[3 * k + c] += modes->psi[k * modes->rows + 3 * v + c] / count;
            }
        }
    }
    for (int32_t k = 0; k < modes->count; k++) {
        for (int i = 0; i < 9; i++) {
            sketch->hold.c[i / 3][i % 3] +=
                row[3 * k + i / 3] * row[3 * k + i % 3] / modes->lambda[k];
        }
    }
}

static pal_status check_hold(const pal_sketch *sketch, const char *selector,
                             const uint8_t *selected, int32_t count, pal_err *err) {
    bool free_to_move = false;
    for (int32_t v = 0; v < sketch->fem->mesh->vertex_count; v++) {
        free_to_move = free_to_move || (selected[v] && sketch->fem->free_index[v] >= 0);
    }
    if (count == 0) {
        return pal_select_nothing(sketch->fem->mesh, PAL_ERR_USAGE, err,
                                  "'%.200s' selects no vertex to pull at", selector);
    }
    if (!free_to_move) {
        return pal_fail(err, PAL_ERR_USAGE, "'%.200s': all of these vertices are held fast",
                        selector);
    }
    return strpbrk(selector, "#\n") == NULL
               ? PAL_OK
               : pal_fail(err, PAL_ERR_USAGE,
                          "'%.200s': a list of loads cannot hold '#' or a line's end", selector);
}

pal_status pal_sketch_grab(pal_sketch *sketch, const char *selector, pal_err *err) {
    const pal_volmesh *mesh = sketch->fem->mesh;
    uint8_t *selected = PAL_NEW(uint8_t, mesh->vertex_count, err);
    char *copy = pal_copy_text(selector, err);
    int32_t count = 0;
    pal_status status = selected != NULL && copy != NULL
                            ? pal_select_vertices(mesh, selector, selected, &count, err)
                            : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        status = check_hold(sketch, selector, selected, count, err);
    }
    if (status == PAL_OK) {
        pal_sketch_release(sketch);
        free(sketch->hold.selector);
        sketch->hold.selector = copy;
        sketch->hold.count = count;
        copy = NULL;
        measure_hold(sketch, selected, count);
    }
    free(selected);
    free(copy);
    return status;
}

pal_status pal_sketch_grab_at(pal_sketch *sketch, const double x[3], double radius, pal_err *err) {
    const pal_volmesh *mesh = sketch->fem->mesh;
    char selector[128];
    int64_t nearest = -1;
    double least = INFINITY;
    for (int64_t v = 0; v < mesh->vertex_count; v++) {
        double d[3];
        pal_sub3(mesh->x + 3 * v, x, d);
        if (sketch->fem->free_index[v] >= 0 && pal_norm3(d) < least) {
            least = pal_norm3(d);
            nearest = v;
        }
    }
    if (!isfinite(least)) {
        return pal_fail(err, PAL_ERR_USAGE, "there is no vertex near (%g, %g, %g)", x[0], x[1],
                        x[2]);
    }
    if (least < radius) {
        snprintf(selector, sizeof selector, "near:(%.9g,%.9g,%.9g):%.9g", x[0], x[1], x[2], radius);
    } else {
        snprintf(selector, sizeof selector, "vertices:%lld", (long long)nearest);
    }
    return pal_sketch_grab(sketch, selector, err);
}

// ---- pulling

void pal_sketch_pull(pal_sketch *sketch, const double force[3]) {
    const double none[3] = {0.0, 0.0, 0.0};
    const double *f = sketch->hold.count > 0 ? force : none;
    memcpy(sketch->hold.force, f, sizeof sketch->hold.force);
    for (int32_t k = 0; k < sketch->modes.count; k++) {
        sketch->q[k] = pal_dot3(sketch->hold.row + 3 * k, f) / sketch->modes.lambda[k];
    }
    for (int i = 0; i < 3; i++) {
        sketch->hold.moved[i] = pal_dot3(sketch->hold.c[i], f);
    }
}

// A x = b for a symmetric positive definite A, which is destroyed.
static void solve3(double a[3][3], double b[3]) {
    for (int k = 0; k < 3; k++) {
        for (int i = k + 1; i < 3; i++) {
            const double l = a[i][k] / a[k][k];
            for (int j = k; j < 3; j++) {
                a[i][j] -= l * a[k][j];
            }
            b[i] -= l * b[k];
        }
    }
    for (int k = 2; k >= 0; k--) {
        for (int j = k + 1; j < 3; j++) {
            b[k] -= a[k][j] * b[j];
        }
        b[k] /= a[k][k];
    }
}

void pal_sketch_drag(pal_sketch *sketch, const double to[3], double stiffness) {
    double a[3][3], f[3];
    for (int i = 0; i < 3; i++) {
        f[i] = stiffness * (to[i] - sketch->hold.rest[i]);
        for (int j = 0; j < 3; j++) {
            a[i][j] = (i == j) + stiffness * sketch->hold.c[i][j];
        }
    }
    solve3(a, f);
    pal_sketch_pull(sketch, f);
}

void pal_sketch_release(pal_sketch *sketch) {
    sketch->hold.count = 0;
    sketch->hold.kept = false;
    memset(sketch->hold.last, 0, sizeof sketch->hold.last);
    pal_sketch_pull(sketch, (double[3]){0.0, 0.0, 0.0});
}

// ---- keeping

static pal_status make_room(pal_sketch *sketch, pal_err *err) {
    if (sketch->load_count < sketch->load_room) {
        return PAL_OK;
    }
    const int32_t room = sketch->load_room > 0 ? 2 * sketch->load_room : 64;
    pal_load *more = PAL_NEW(pal_load, room, err);
    if (more == NULL) {
        return PAL_ERR_MEMORY;
    }
    if (sketch->load_count > 0) {
        memcpy(more, sketch->load, (size_t)sketch->load_count * sizeof *more);
    }
    free(sketch->load);
    sketch->load = more;
    sketch->load_room = room;
    return PAL_OK;
}

pal_status pal_sketch_keep(pal_sketch *sketch, bool *kept, pal_err *err) {
    static const double rounding = 1e-9;
    double change[3]; // the sum over vertices of the differences is its length [BJ05 5.2]
    pal_sub3(sketch->hold.force, sketch->hold.last, change);
    const double size = pal_norm3(sketch->hold.force), far = pal_norm3(change);
    *kept = false;
    if (!(size > 0.0 && isfinite(size)) || far == 0.0 ||
        far < (1.0 - rounding) * sketch->separation) {
        return PAL_OK;
    }
    pal_status status = make_room(sketch, err);
    char *selector = status == PAL_OK ? pal_copy_text(sketch->hold.selector, err) : NULL;
    if (selector == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_load *load = &sketch->load[sketch->load_count++];
    load->selector = selector;
    memcpy(load->force, sketch->hold.force, sizeof load->force);
    memcpy(sketch->hold.last, sketch->hold.force, sizeof sketch->hold.last);
    sketch->holds += !sketch->hold.kept;
    sketch->hold.kept = *kept = true;
    return PAL_OK;
}

// Holds are counted anew: loads one after the other on the same vertices are one.
bool pal_sketch_undo(pal_sketch *sketch) {
    if (sketch->load_count == 0) {
        return false;
    }
    free(sketch->load[--sketch->load_count].selector);
    memcpy(sketch->hold.last, sketch->hold.force, sizeof sketch->hold.last);
    sketch->holds = 0;
    for (int32_t i = 0; i < sketch->load_count; i++) {
        sketch->holds += i == 0 || strcmp(sketch->load[i].selector, sketch->load[i - 1].selector);
    }
    sketch->hold.kept =
        sketch->load_count > 0 && sketch->hold.count > 0 &&
        strcmp(sketch->load[sketch->load_count - 1].selector, sketch->hold.selector) == 0;
    return true;
}

void pal_sketch_displace(const pal_sketch *sketch, double *u) {
    const pal_modes *modes = &sketch->modes;
    memset(u, 0, (size_t)modes->rows * sizeof *u);
    for (int32_t k = 0; k < modes->count; k++) {
        const double *psi = modes->psi + k * modes->rows, q = sketch->q[k];
        for (int64_t i = 0; i < modes->rows; i++) {
            u[i] += q * psi[i];
        }
    }
}

char *pal_sketch_text(const pal_sketch *sketch, const char *about, pal_err *err) {
    enum { NUMBERS = 128 };
    size_t room = strlen(about) + NUMBERS, used = 0;
    for (int32_t i = 0; i < sketch->load_count; i++) {
        room += strlen(sketch->load[i].selector) + NUMBERS;
    }
    char *text = PAL_NEW(char, room, err);
    if (text == NULL) {
        return NULL;
    }
    used = (size_t)snprintf(text, room, "# %s\n# vertices ; total force in N\n", about);
    for (int32_t i = 0; i < sketch->load_count; i++) {
        const double *f = sketch->load[i].force;
        used += (size_t)snprintf(text + used, room - used, "%s ; %.9g %.9g %.9g\n",
                                 sketch->load[i].selector, f[0], f[1], f[2]);
    }
    return text;
}
