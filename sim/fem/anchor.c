#include "sim/fem/anchor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/mesh/tidy.h"

typedef struct anchor { // the held vertices of one component
    int32_t vertices;   // of the component
    int32_t some;       // one vertex of it
    int32_t held;
    int32_t first;   // first held vertex, -1
    int32_t second;  // the held vertex farthest from it so far, -1
    double distance; // between them
    double width;    // farthest held vertex from the line through both
} anchor;

static double distance_to_line(const double *p, const double *a, const double *b) {
    double ab[3], ap[3], cross[3];
    pal_sub3(b, a, ab);
    pal_sub3(p, a, ap);
    pal_cross3(ab, ap, cross);
    return pal_norm3(cross) / pal_norm3(ab);
}

static void count_vertices(const pal_volmesh *mesh, const uint8_t *held, const int32_t *component,
                           anchor *anchors) {
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        anchor *a = &anchors[component[v]];
        a->vertices++;
        a->some = v;
        if (held == NULL || !held[v]) {
            continue;
        }
        if (a->held++ == 0) {
            a->first = v;
            continue;
        }
        double step[3];
        pal_sub3(mesh->x + 3 * (int64_t)v, mesh->x + 3 * (int64_t)a->first, step);
        if (pal_norm3(step) > a->distance) {
            a->distance = pal_norm3(step);
            a->second = v;
        }
    }
}

static void measure_widths(const pal_volmesh *mesh, const uint8_t *held, const int32_t *component,
                           anchor *anchors) {
    for (int32_t v = 0; held != NULL && v < mesh->vertex_count; v++) {
        anchor *a = &anchors[component[v]];
        if (held[v] && a->distance > 0.0) {
            a->width = fmax(a->width, distance_to_line(mesh->x + 3 * (int64_t)v,
                                                       mesh->x + 3 * (int64_t)a->first,
                                                       mesh->x + 3 * (int64_t)a->second));
        }
    }
}

static pal_status judge(const pal_volmesh *mesh, const anchor *anchors, int32_t count,
                        int32_t *rigid_modes, pal_err *err) {
    int32_t held = 0;
    for (int32_t c = 0; c < count; c++) {
        held += anchors[c].held;
    }
    *rigid_modes = held == 0 ? 6 : 0;
    if (held == 0 && count > 1) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "nothing is fixed and the mesh is in %d pieces; a free body must be one "
                        "piece ('palpate info' shows the pieces)",
                        count);
    }
    for (int32_t c = 0; held > 0 && c < count; c++) {
        const anchor *a = &anchors[c];
        if (a->width <= 1e-9 * a->distance || a->held < 3) {
            return pal_fail(err, PAL_ERR_INPUT,
                            "piece %d of %d (%d vertices, vertex %d among them) is fixed at %d "
                            "%s, so it can still move as a whole; fix at least three of "
                            "its vertices that are not in line",
                            c + 1, count, a->vertices, mesh->file_vertex[a->some], a->held,
                            a->held >= 3   ? "vertices that are all in line"
                            : a->held == 1 ? "vertex"
                                           : "vertices");
        }
    }
    return PAL_OK;
}

static int32_t first_of(int32_t *joined, int32_t c) {
    while (joined[c] != c) {
        c = joined[c] = joined[joined[c]];
    }
    return c;
}

// Components that are tied together become one; those that are left count up again.
static pal_status join_tied(const pal_volmesh *mesh, const pal_ties *ties, int32_t *component,
                            int32_t *count, pal_err *err) {
    int32_t *joined = PAL_NEW(int32_t, *count, err), *name = PAL_NEW(int32_t, *count, err),
            used = 0;
    pal_status status = joined != NULL && name != NULL ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t c = 0; status == PAL_OK && c < *count; c++) {
        joined[c] = c;
    }
    for (int32_t t = 0; status == PAL_OK && t < ties->count; t++) {
        const int32_t own = component[ties->vertex[t]];
        for (int32_t k = ties->start[t]; k < ties->start[t + 1]; k++) {
            joined[first_of(joined, component[ties->carrier[k]])] = first_of(joined, own);
        }
    }
    for (int32_t c = 0; status == PAL_OK && c < *count; c++) {
        name[c] = first_of(joined, c) == c ? used++ : -1;
    }
    for (int32_t v = 0; status == PAL_OK && v < mesh->vertex_count; v++) {
        component[v] = name[first_of(joined, component[v])];
    }
    *count = status == PAL_OK ? used : *count;
    free(joined);
    free(name);
    return status;
}

pal_status pal_fem_check_anchors(const pal_volmesh *mesh, const uint8_t *held, const pal_ties *ties,
                                 int32_t *rigid_modes, pal_err *err) {
    int32_t count = 0;
    int32_t *component = PAL_NEW(int32_t, mesh->vertex_count, err);
    if (component == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_status status = pal_mesh_components(mesh, component, &count, err);
    if (status == PAL_OK && ties != NULL) {
        status = join_tied(mesh, ties, component, &count, err);
    }
    anchor *anchors = status == PAL_OK ? PAL_NEW(anchor, count, err) : NULL;
    if (anchors != NULL) {
        count_vertices(mesh, held, component, anchors);
        measure_widths(mesh, held, component, anchors);
        status = judge(mesh, anchors, count, rigid_modes, err);
    } else if (status == PAL_OK) {
        status = PAL_ERR_MEMORY;
    }
    free(anchors);
    free(component);
    return status;
}
