// The body of a new scene: its mesh in metres, and which way it stands.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/new_parts.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/mesh/mesh_io.h"
#include "sim/mesh/voxelize.h"

enum { LEAST_VOXELS = 12, MOST_VOXELS = 96 };
static const double wanted_cells = 4000.0; // of a surface that is filled

double pal_new_round(double value) {
    static const double step[] = {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0};
    if (!(value > 0.0)) {
        return 0.0;
    }
    const double power = pow(10.0, floor(log10(value)));
    double best = power;
    for (size_t i = 0; i < sizeof step / sizeof *step; i++) {
        best = fabs(step[i] * power - value) < fabs(best - value) ? step[i] * power : best;
    }
    return best;
}

// ---- the mesh

static pal_status choose_unit(pal_new_scene *made, const pal_new_wish *wish, const double low[3],
                              const double high[3], pal_err *err) {
    double longest = 0.0;
    for (int c = 0; c < 3; c++) {
        longest = fmax(longest, high[c] - low[c]);
    }
    if (!(longest > 0.0)) {
        return pal_fail(err, PAL_ERR_INPUT, "%s: all vertices are at one place", made->file);
    }
    made->unit = wish->unit != NULL ? pal_length_unit_find(wish->unit) : pal_unit_guess(longest);
    if (made->unit == NULL) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "there is no unit '%s'; it is one of m, dm, cm, mm, um, nm, km, in",
                        wish->unit);
    }
    pal_unit_reason(longest, made->unit, made->unit_reason, sizeof made->unit_reason);
    made->size = longest * made->unit->metres;
    for (int c = 0; c < 3; c++) {
        made->low[c] = low[c] * made->unit->metres;
        made->high[c] = high[c] * made->unit->metres;
    }
    return PAL_OK;
}

static pal_status check_closed(const pal_new_scene *made, const pal_surface_quality *q,
                               pal_err *err) {
    if (q->open_edges > 0) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "%s: the surface is open (%d edges have a triangle on one side alone), so "
                        "nothing says what is inside; close its holes (in MeshLab 'Close Holes', "
                        "in Blender 'Make Manifold'), or give a volume mesh",
                        made->file, (int)q->open_edges);
    }
    return PAL_OK;
}

// As many as fill about wanted_cells: those inside and half of those that the surface goes through.
static int32_t choose_voxels(const pal_new_scene *made, const pal_surface_quality *q) {
    int32_t n = LEAST_VOXELS;
    for (; n < MOST_VOXELS; n++) {
        const double h = made->size / n;
        if (fabs(q->volume) / (h * h * h) + 0.5 * q->area / (h * h) > wanted_cells) {
            break;
        }
    }
    return n;
}

static pal_status read_surface(pal_new_scene *made, const pal_new_wish *wish,
                               const pal_progress *progress, pal_err *err) {
    pal_surface_quality q;
    pal_status status = pal_surface_read(made->file, &made->surface, err);
    if (status == PAL_OK) {
        status = pal_surface_measure(&made->surface, &q, err);
    }
    if (status == PAL_OK) {
        status = check_closed(made, &q, err);
    }
    if (status == PAL_OK) {
        status = choose_unit(made, wish, q.box_min, q.box_max, err);
    }
    if (status != PAL_OK) {
        return status;
    }
    pal_surface_scale(&made->surface, made->unit->metres);
    q.area *= pow(made->unit->metres, 2.0);
    q.volume *= pow(made->unit->metres, 3.0);
    made->voxels = choose_voxels(made, &q);
    status = pal_voxelize(&made->surface, made->voxels, PAL_FILL_AUTO, progress, &made->mesh, err);
    return pal_fail_in(err, status, made->file);
}

static pal_status read_mesh(pal_new_scene *made, const pal_new_wish *wish, pal_err *err) {
    double low[3], high[3];
    pal_status status = pal_mesh_read(made->file, &made->mesh, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_volmesh_box(&made->mesh, low, high);
    status = choose_unit(made, wish, low, high, err);
    if (status == PAL_OK) {
        pal_volmesh_scale(&made->mesh, made->unit->metres);
        status = pal_surface_of_volmesh(&made->mesh, &made->surface, NULL, err);
    }
    return status;
}

// That of an element of the mean volume, as a cube or regular tet.
static double typical_edge(const pal_volmesh *mesh) {
    double sum = 0.0;
    int64_t count = 0;
    for (int32_t e = 0; e < mesh->element_count; e++) {
        const int32_t *vertex = pal_volmesh_element(mesh, e);
        for (int k = 1; k < (int)mesh->kind; k++) {
            double way[3];
            pal_sub3(mesh->x + 3 * (int64_t)vertex[k], mesh->x + 3 * (int64_t)vertex[k - 1], way);
            sum += pal_norm3(way);
            count++;
        }
    }
    return sum / (double)count;
}

pal_status pal_new_read(pal_new_scene *made, const pal_new_wish *wish, const pal_progress *progress,
                        pal_err *err) {
    pal_progress_report(progress, "reading", 0.0);
    made->is_surface = pal_surface_is_path(made->file);
    pal_status status =
        made->is_surface ? read_surface(made, wish, progress, err) : read_mesh(made, wish, err);
    if (status == PAL_OK) {
        made->edge = typical_edge(&made->mesh);
    }
    return status;
}

// ---- which way is up

// How much of a side of the box is covered by flat surface: a base, or where the body was cut off.
static double flat_share(const pal_new_scene *made, pal_up side) {
    const int axis = pal_up_axis(side);
    const double sign = pal_up_sign(side);
    const double end = sign > 0.0 ? made->high[axis] : made->low[axis];
    const double near = 0.02 * (made->high[axis] - made->low[axis]);
    double flat = 0.0, box = 1.0;
    for (int32_t t = 0; t < made->surface.triangle_count; t++) {
        const double *corner[3];
        double e1[3], e2[3], normal[3];
        bool there = true;
        for (int k = 0; k < 3; k++) {
            corner[k] = made->surface.x + 3 * (int64_t)made->surface.triangle[3 * (int64_t)t + k];
            there = there && fabs(corner[k][axis] - end) <= near;
        }
        pal_sub3(corner[1], corner[0], e1);
        pal_sub3(corner[2], corner[0], e2);
        pal_cross3(e1, e2, normal);
        flat +=
            there && sign * normal[axis] > 0.95 * pal_norm3(normal) ? 0.5 * pal_norm3(normal) : 0.0;
    }
    for (int c = 0; c < 3; c++) {
        box *= c != axis ? made->high[c] - made->low[c] : 1.0;
    }
    return flat / box;
}

static pal_up opposite(pal_up up) {
    return pal_up_of(pal_up_axis(up), -pal_up_sign(up));
}

// A base at one end alone.
static bool find_base(pal_new_scene *made) {
    const double least = 0.15, clear = 3.0;
    double best = least;
    bool found = false;
    for (int side = 0; side < PAL_UP_COUNT; side++) {
        const double share = flat_share(made, (pal_up)side);
        if (share > best && share > clear * flat_share(made, opposite((pal_up)side))) {
            best = share;
            made->up = opposite((pal_up)side);
            found = true;
        }
    }
    if (found) {
        snprintf(made->up_reason, sizeof made->up_reason,
                 "the body has a flat base at its %s end, %.0f %% of that side of its box",
                 pal_up_name(opposite(made->up)), 100.0 * best);
    }
    return found;
}

// A body that is much thinner along one axis lies on its broad side.
static bool find_flat(pal_new_scene *made) {
    const double thin = 0.6;
    double extent[3];
    int shortest = 0;
    for (int c = 0; c < 3; c++) {
        extent[c] = made->high[c] - made->low[c];
        shortest = extent[c] < extent[shortest] ? c : shortest;
    }
    if (extent[shortest] > thin * fmin(extent[(shortest + 1) % 3], extent[(shortest + 2) % 3])) {
        return false;
    }
    made->up = pal_up_of(shortest, 1.0);
    snprintf(made->up_reason, sizeof made->up_reason,
             "the body is thinnest along %s, so it is taken to lie on its broad side",
             pal_up_name(made->up));
    return true;
}

static void stand_as_usual(pal_new_scene *made) {
    const char *dot = strrchr(made->file, '.');
    const bool graphics =
        strcmp(dot, ".obj") == 0 || strcmp(dot, ".ply") == 0 || strcmp(dot, ".veg") == 0;
    made->up = graphics ? PAL_UP_Y : PAL_UP_Z;
    snprintf(made->up_reason, sizeof made->up_reason,
             "the shape does not tell (no base at one end alone, no thin side); files %s mostly "
             "have %s up",
             dot, pal_up_name(made->up));
}

// How wide the foot is on which a body stands, of that side of its box: by the second moments of
// its lowest tenth; 1 for one that stands on all of the side.
static double foot_share(const pal_new_scene *made, pal_up up) {
    const double lowest = 0.1;
    const int axis = pal_up_axis(up), a = (axis + 1) % 3, b = (axis + 2) % 3;
    const double tall = made->high[axis] - made->low[axis];
    double sum[6] = {0.0}; // 1, a, b, aa, bb, ab
    for (int32_t v = 0; v < made->mesh.vertex_count; v++) {
        const double *x = made->mesh.x + 3 * (int64_t)v;
        const double height =
            pal_up_sign(up) > 0.0 ? x[axis] - made->low[axis] : made->high[axis] - x[axis];
        if (height <= lowest * tall) {
            const double p = (x[a] - made->low[a]) / (made->high[a] - made->low[a]);
            const double q = (x[b] - made->low[b]) / (made->high[b] - made->low[b]);
            const double term[6] = {1.0, p, q, p * p, q * q, p * q};
            for (int k = 0; k < 6; k++) {
                sum[k] += term[k];
            }
        }
    }
    const double n = fmax(sum[0], 1.0), p = sum[1] / n, q = sum[2] / n;
    const double pp = sum[3] / n - p * p, qq = sum[4] / n - q * q, pq = sum[5] / n - p * q;
    return 12.0 * sqrt(fmax(pp * qq - pq * pq, 0.0));
}

// A body that would stand on a tip stands along the axis where its foot is widest; on its head only
// if somebody says so.
static void find_foot(pal_new_scene *made) {
    const double least = 0.15;
    const pal_up usual = made->up;
    const double narrow = foot_share(made, usual);
    double widest = 1.5 * narrow;
    for (int up = 0; up < PAL_UP_MINUS_Z && narrow < least; up++) {
        const double share = foot_share(made, (pal_up)up);
        if (share > widest) {
            widest = share;
            made->up = (pal_up)up;
        }
    }
    if (made->up != usual) {
        snprintf(made->up_reason, sizeof made->up_reason,
                 "with %s up it would stand on a tip, %.0f %% of that side of its box; so its foot "
                 "is widest, %.0f %%",
                 pal_up_name(usual), 100.0 * narrow, 100.0 * widest);
    }
}

pal_status pal_new_stand(pal_new_scene *made, const pal_new_wish *wish, pal_err *err) {
    if (wish->up != NULL) {
        for (int up = 0; up < PAL_UP_COUNT; up++) {
            if (strcmp(wish->up, pal_up_name((pal_up)up)) == 0) {
                made->up = (pal_up)up;
                snprintf(made->up_reason, sizeof made->up_reason, "as it was asked for");
                return PAL_OK;
            }
        }
        return pal_fail(err, PAL_ERR_USAGE, "up is one of x, y, z, -x, -y, -z, not '%s'", wish->up);
    }
    if (!find_base(made) && !find_flat(made)) {
        stand_as_usual(made);
        find_foot(made);
    }
    return PAL_OK;
}
