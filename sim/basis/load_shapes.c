#include "sim/basis/load_shapes.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/fem/static.h"

static double force_distance(const double *a, const double *b, int64_t rows) {
    double sum = 0.0;
    for (int64_t v = 0; v < rows; v += 3) {
        double difference[3];
        pal_sub3(a + v, b + v, difference);
        sum += pal_norm3(difference);
    }
    return sum;
}

// |a - b| in the mass metric; work [2 free dofs].
static double mass_distance(const pal_fem *fem, const double *a, const double *b, double *work) {
    int n = (int)pal_fem_dofs(fem);
    double *difference = work, *product = work + n;
    for (int i = 0; i < n; i++) {
        int64_t row = 3 * (int64_t)fem->free_vertex[i / 3] + i % 3;
        difference[i] = a[row] - b[row];
    }
    pal_fem_multiply_mass(fem, difference, product);
    return sqrt(cblas_ddot(n, difference, 1, product, 1));
}

static pal_status solve_load(pal_fem *fem, const double *force, int32_t number, double *u,
                             pal_err *err) {
    pal_static_report report;
    pal_err inner = {0};
    pal_status status = pal_static_solve(fem, force, NULL, NULL, u, &report, &inner);
    return status == PAL_OK ? PAL_OK
                            : pal_fail(err, status, "load %d: %.900s", number + 1, inner.text);
}

pal_status pal_shapes_under_loads(pal_fem *fem, const double *force, int32_t load_count,
                                  double force_separation, double shape_separation,
                                  const pal_progress *progress, pal_shapes *shapes, pal_err *err) {
    int64_t rows = 3 * (int64_t)fem->mesh->vertex_count;
    *shapes = (pal_shapes){0};
    shapes->u = PAL_NEW(double, (size_t)load_count *(size_t)rows, err);
    double *work = PAL_NEW(double, 2 * (size_t)pal_fem_dofs(fem), err);
    double *rest =
        PAL_NEW(double, rows, err); // no load, no displacement: what the first is far from
    pal_status status = shapes->u && work && rest ? PAL_OK : PAL_ERR_MEMORY;
    const double *last_force = rest, *last_shape = rest;
    for (int32_t k = 0; status == PAL_OK && k < load_count; k++) {
        const double *f = force + k * rows;
        pal_progress_report(progress, "load shapes", (double)k / load_count);
        if (force_distance(f, last_force, rows) < force_separation) {
            continue;
        }
        double *u = shapes->u + shapes->count * rows;
        status = solve_load(fem, f, k, u, err);
        last_force = f;
        if (status == PAL_OK && mass_distance(fem, u, last_shape, work) >= shape_separation) {
            last_shape = u;
            shapes->count++;
        }
    }
    pal_progress_report(progress, "load shapes", 1.0);
    free(work);
    free(rest);
    if (status != PAL_OK) {
        pal_shapes_free(shapes);
    }
    return status;
}

void pal_shapes_free(pal_shapes *shapes) {
    free(shapes->u);
    *shapes = (pal_shapes){0};
}
