#include "scenes/limbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"

typedef double frame3[3][3]; // rows: u, v, w

static void fail(pal_limbs *limbs, const char *text) {
    if (!limbs->failed) {
        pal_fail(limbs->err, PAL_ERR_NUMERIC, "limb %d: %s", (int)limbs->limb_count, text);
    }
    limbs->failed = true;
}

void pal_limbs_free(pal_limbs *limbs) {
    for (int32_t i = 0; i < limbs->limb_count; i++) {
        free(limbs->limb[i].vertex);
    }
    free(limbs->limb);
    free(limbs->x);
    free(limbs->region);
    memset(limbs, 0, sizeof *limbs);
}

// A larger copy of an array, which is freed.
static void *grow_array(pal_limbs *limbs, void *old, int32_t used, int32_t room, size_t size) {
    void *array = pal_alloc((size_t)room, size, limbs->err);
    if (array == NULL) {
        limbs->failed = true;
        return NULL;
    }
    if (used > 0) {
        memcpy(array, old, (size_t)used * size);
    }
    free(old);
    return array;
}

static bool make_room(pal_limbs *limbs, int32_t vertices) {
    if (limbs->limb_count == limbs->limb_room) {
        int32_t room = 2 * limbs->limb_room + 16;
        void *limb = grow_array(limbs, limbs->limb, limbs->limb_count, room, sizeof *limbs->limb);
        limbs->limb = limb != NULL ? limb : limbs->limb;
        void *region = limb == NULL ? NULL
                                    : grow_array(limbs, limbs->region, limbs->region_count, room,
                                                 sizeof *limbs->region);
        limbs->region = region != NULL ? region : limbs->region;
        limbs->limb_room = room;
    }
    if (!limbs->failed && limbs->vertex_count + vertices > limbs->vertex_room) {
        int32_t room = 2 * limbs->vertex_room + vertices;
        void *x = grow_array(limbs, limbs->x, limbs->vertex_count, room, 3 * sizeof(double));
        limbs->x = x != NULL ? x : limbs->x;
        limbs->vertex_room = room;
    }
    return !limbs->failed;
}

// ---- patches

// Sides on which "across the parent, along the parent" is left-handed seen from outside: the
// child's u runs along the parent there, its v across.
static bool is_swapped(pal_limb_side side) {
    return side == PAL_LIMB_LEFT || side == PAL_LIMB_BACK || side == PAL_LIMB_START;
}

// The vertex of a face at (across, along), counted in vertices; -1 beyond the face.
static int32_t face_vertex(const pal_grown_limb *limb, pal_limb_side side, int32_t across,
                           int32_t along) {
    const int32_t *n = limb->n;
    int32_t at[3] = {across, along, side == PAL_LIMB_START ? 0 : n[2]};
    if (side == PAL_LIMB_LEFT || side == PAL_LIMB_RIGHT) {
        at[0] = side == PAL_LIMB_LEFT ? 0 : n[0];
        at[1] = across;
        at[2] = along;
    } else if (side == PAL_LIMB_FRONT || side == PAL_LIMB_BACK) {
        at[1] = side == PAL_LIMB_FRONT ? 0 : n[1];
        at[2] = along;
    }
    for (int c = 0; c < 3; c++) {
        if (at[c] < 0 || at[c] > n[c]) {
            return -1;
        }
    }
    return limb->vertex[at[0] + (n[0] + 1) * (at[1] + (n[1] + 1) * at[2])];
}

int32_t *pal_limbs_patch(pal_limbs *limbs, int32_t limb, pal_limb_side side, const int32_t at[2],
                         const int32_t size[2], int32_t *count) {
    *count = 0;
    if (limbs->failed) {
        return NULL;
    }
    int32_t *vertex = PAL_NEW(int32_t, (size[0] + 1) * (size[1] + 1), limbs->err);
    if (vertex == NULL) {
        limbs->failed = true;
        return NULL;
    }
    for (int32_t b = 0; b <= size[1]; b++) {
        for (int32_t a = 0; a <= size[0]; a++) {
            vertex[*count] = face_vertex(&limbs->limb[limb], side, at[0] + a, at[1] + b);
            if (vertex[(*count)++] < 0) {
                fail(limbs, "a patch is off its face");
                free(vertex);
                return NULL;
            }
        }
    }
    return vertex;
}

static void normalize(double *v) {
    double length = pal_norm3(v);
    for (int c = 0; c < 3; c++) {
        v[c] /= length;
    }
}

// Middle of a patch of (n0+1) x (n1+1) vertices, and its axes: u and v along the rows, w out of it.
static void patch_axes(const pal_limbs *limbs, const int32_t *patch, const int32_t n[2],
                       double middle[3], frame3 axes) {
    memset(middle, 0, 3 * sizeof(double));
    memset(axes, 0, sizeof(frame3));
    int32_t count = (n[0] + 1) * (n[1] + 1);
    for (int32_t i = 0; i < count; i++) {
        const double *x = limbs->x + 3 * (int64_t)patch[i];
        double s = 2.0 * (i % (n[0] + 1)) - n[0], t = 2.0 * (i / (n[0] + 1)) - n[1];
        for (int c = 0; c < 3; c++) {
            middle[c] += x[c] / count;
            axes[0][c] += s * x[c];
            axes[1][c] += t * x[c];
        }
    }
    normalize(axes[0]);
    pal_cross3(axes[0], axes[1], axes[2]);
    normalize(axes[2]);
    pal_cross3(axes[2], axes[0], axes[1]);
}

void pal_limbs_patch_frame(pal_limbs *limbs, int32_t limb, pal_limb_side side, const int32_t at[2],
                           const int32_t size[2], double middle[3], double normal[3]) {
    int32_t count;
    int32_t *patch = pal_limbs_patch(limbs, limb, side, at, size, &count);
    if (patch != NULL) {
        frame3 axes;
        patch_axes(limbs, patch, size, middle, axes);
        for (int c = 0; c < 3; c++) {
            normal[c] = is_swapped(side) ? -axes[2][c] : axes[2][c];
        }
    }
    free(patch);
}

// ---- the curve

static double catmull_rom(const double p[4], double t, bool slope) {
    double a = p[2] - p[0], b = 2.0 * p[0] - 5.0 * p[1] + 4.0 * p[2] - p[3];
    double c = 3.0 * (p[1] - p[2]) + p[3] - p[0];
    return slope ? 0.5 * (a + t * (2.0 * b + 3.0 * t * c))
                 : 0.5 * (2.0 * p[1] + t * (a + t * (b + t * c)));
}

typedef struct curve {
    const pal_limb *limb;
    const double *middle; // of the patch
    const double *normal; // where the curve sets out to
    double half[2];       // of the patch
} curve;

// Coordinate c of control point i: the first is the middle of the patch, the one before it lies
// where it makes the curve begin along the normal.
static double control(const curve *k, int32_t i, int c) {
    int32_t last = k->limb->point_count;
    i = i > last ? last : i;
    if (i < 0) {
        const double *next = k->limb->point[0].x;
        return k->middle[c] + next[c] - 2.0 * k->normal[c] * pal_norm3(next);
    }
    return k->middle[c] + (i > 0 ? k->limb->point[i - 1].x[c] : 0.0);
}

static double half_at(const curve *k, int32_t i, int c) {
    return i > 0 ? k->limb->point[i - 1].half[c] : k->half[c];
}

// Place, direction and half sizes at s in 0..1 along the curve, equally far by control points.
static void follow(const curve *k, double s, double x[3], double tangent[3], double half[2]) {
    int32_t spans = k->limb->point_count;
    int32_t i = (int32_t)fmin(floor(s * spans), spans - 1.0);
    double t = s * spans - i;
    for (int c = 0; c < 3; c++) {
        double p[4];
        for (int q = 0; q < 4; q++) {
            p[q] = control(k, i - 1 + q, c);
        }
        x[c] = catmull_rom(p, t, false);
        tangent[c] = catmull_rom(p, t, true);
    }
    normalize(tangent);
    for (int c = 0; c < 2; c++) {
        double ease = t * t * (3.0 - 2.0 * t);
        half[c] = half_at(k, i, c) + ease * (half_at(k, i + 1, c) - half_at(k, i, c));
    }
}

// Turns the axes by the smallest rotation that takes their w to the unit vector `to`.
static void carry(frame3 axes, const double *to) {
    double w[3], axis[3];
    memcpy(w, axes[2], sizeof w);
    pal_cross3(w, to, axis);
    double c = pal_dot3(w, to);
    for (int k = 0; k < 3; k++) { // Rodrigues without trigonometry
        double *v = axes[k], cross[3];
        pal_cross3(axis, v, cross);
        double along = pal_dot3(axis, v) / fmax(1.0 + c, 1e-9);
        for (int i = 0; i < 3; i++) {
            v[i] = c * v[i] + cross[i] + along * axis[i];
        }
    }
    // an error in a length would double with every layer
    memcpy(axes[2], to, sizeof axes[2]);
    pal_cross3(axes[2], axes[0], axes[1]);
    normalize(axes[1]);
    pal_cross3(axes[1], axes[2], axes[0]);
}

// ---- growing

// A point of the unit square on the section: an ellipse, a rectangle, or something between.
static void section(double round, double a, double b, double out[2]) {
    out[0] = a + round * (a * sqrt(1.0 - 0.5 * b * b) - a);
    out[1] = b + round * (b * sqrt(1.0 - 0.5 * a * a) - b);
}

static int32_t add_vertex(pal_limbs *limbs, const double x[3]) {
    memcpy(limbs->x + 3 * (int64_t)limbs->vertex_count, x, 3 * sizeof(double));
    return limbs->vertex_count++;
}

// One layer of vertices across the limb. `from` [(n0+1)(n1+1)][3]: the patch in its own axes, which
// the first layers turn from into the section.
static void add_layer(pal_limbs *limbs, const pal_limb *limb, const pal_grown_limb *grown,
                      double (*from)[3], double share, const double *x, double (*axes)[3],
                      const double *half, int32_t *vertex) {
    const int32_t *n = grown->n;
    for (int32_t j = 0, k = 0; j <= n[1]; j++) {
        for (int32_t i = 0; i <= n[0]; i++, k++) {
            double p[3], at[3] = {0};
            section(limb->round, 2.0 * i / n[0] - 1.0, 2.0 * j / n[1] - 1.0, at);
            for (int c = 0; c < 3; c++) {
                double wanted = c < 2 ? half[c] * at[c] : 0.0;
                at[c] = share * wanted + (1.0 - share) * from[k][c];
            }
            for (int c = 0; c < 3; c++) {
                p[c] = x[c] + at[0] * axes[0][c] + at[1] * axes[1][c] + at[2] * axes[2][c];
            }
            vertex[k] = add_vertex(limbs, p);
        }
    }
}

// The layers after the first, which is there.
static bool add_layers(pal_limbs *limbs, const pal_limb *limb, const curve *k,
                       pal_grown_limb *grown, frame3 axes, bool swapped) {
    enum { BLEND = 3 }; // layers until the patch has become the section
    const int32_t *n = grown->n, layer = (n[0] + 1) * (n[1] + 1);
    double(*from)[3] = (double(*)[3])pal_alloc((size_t)layer, sizeof *from, limbs->err);
    if (from == NULL) {
        limbs->failed = true;
        return false;
    }
    for (int32_t i = 0; i < layer; i++) {
        double d[3];
        pal_sub3(limbs->x + 3 * (int64_t)grown->vertex[i], k->middle, d);
        for (int c = 0; c < 3; c++) {
            from[i][c] = pal_dot3(d, axes[c]);
        }
    }
    for (int32_t c = 1; c <= n[2]; c++) {
        double x[3], tangent[3], half[2];
        follow(k, (double)c / n[2], x, tangent, half);
        carry(axes, tangent);
        const double own[2] = {half[swapped], half[!swapped]};
        add_layer(limbs, limb, grown, from, fmin(1.0, (double)c / BLEND), x, axes, own,
                  grown->vertex + (int64_t)c * layer);
    }
    free(from);
    return true;
}

static int32_t region_of(pal_limbs *limbs, const char *name) {
    int32_t g = 0;
    while (g < limbs->region_count && strcmp(limbs->region[g], name) != 0) {
        g++;
    }
    if (g == limbs->region_count) {
        strncpy(limbs->region[g], name, PAL_REGION_NAME - 1);
        limbs->region_count++;
    }
    return g;
}

// The first layer of the first limb, where it begins.
static void add_root_layer(pal_limbs *limbs, const pal_limb *limb, pal_grown_limb *grown) {
    const int32_t *n = grown->n;
    static const double x_axis[3] = {1.0, 0.0, 0.0}, y_axis[3] = {0.0, 1.0, 0.0};
    const bool turned = pal_norm3(limb->u) > 0.0;
    const double *u = turned ? limb->u : x_axis, *v = turned ? limb->v : y_axis;
    for (int32_t j = 0, k = 0; j <= n[1]; j++) {
        for (int32_t i = 0; i <= n[0]; i++, k++) {
            double at[2], x[3];
            section(limb->round, 2.0 * i / n[0] - 1.0, 2.0 * j / n[1] - 1.0, at);
            for (int c = 0; c < 3; c++) {
                x[c] =
                    limb->origin[c] + limb->half[0] * at[0] * u[c] + limb->half[1] * at[1] * v[c];
            }
            grown->vertex[k] = add_vertex(limbs, x);
        }
    }
}

// The first layer of another limb: a patch of its parent.
static bool take_patch(pal_limbs *limbs, const pal_limb *limb, pal_grown_limb *grown) {
    int32_t count;
    int32_t *patch =
        pal_limbs_patch(limbs, limb->parent, limb->side, limb->at, limb->cells, &count);
    if (patch == NULL) {
        return false;
    }
    bool swapped = is_swapped(limb->side);
    int32_t row = limb->cells[0] + 1, own_row = grown->n[0] + 1;
    for (int32_t i = 0; i < count; i++) {
        int32_t across = i % row, along = i / row;
        grown->vertex[swapped ? along + own_row * across : i] = patch[i];
    }
    free(patch);
    return true;
}

int32_t pal_limbs_grow(pal_limbs *limbs, const pal_limb *limb) {
    bool swapped = limb->parent >= 0 && is_swapped(limb->side);
    pal_grown_limb grown = {.n = {limb->cells[swapped], limb->cells[!swapped], limb->cells[2]}};
    int32_t layer = (grown.n[0] + 1) * (grown.n[1] + 1), vertices = layer * (grown.n[2] + 1);
    if (limbs->failed || !make_room(limbs, vertices)) {
        return 0;
    }
    grown.vertex = PAL_NEW(int32_t, vertices, limbs->err);
    if (grown.vertex == NULL) {
        limbs->failed = true;
        return 0;
    }
    bool ok = true;
    if (limb->parent < 0) {
        add_root_layer(limbs, limb, &grown);
    } else {
        ok = take_patch(limbs, limb, &grown);
    }
    if (ok) {
        double middle[3];
        frame3 axes;
        patch_axes(limbs, grown.vertex, grown.n, middle, axes);
        const double normal[3] = {axes[2][0], axes[2][1], axes[2][2]};
        curve k = {limb, middle, normal, {limb->point[0].half[0], limb->point[0].half[1]}};
        if (limb->parent < 0) {
            memcpy(k.half, limb->half, sizeof k.half);
        }
        ok = add_layers(limbs, limb, &k, &grown, axes, swapped);
    }
    if (!ok) {
        free(grown.vertex);
        return 0;
    }
    grown.region = region_of(limbs, limb->region);
    limbs->limb[limbs->limb_count] = grown;
    return limbs->limb_count++;
}

// ---- the mesh

// The six tets of a cell around its diagonal, corners in the order of a hexahedron; the same on
// every face of it, so that cells fit wherever their vertices do.
static const int cell_tets[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                    {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};

static void put_cells(const pal_grown_limb *limb, pal_volmesh *mesh, int64_t *next) {
    const int32_t *n = limb->n, row = n[0] + 1, layer = row * (n[1] + 1);
    for (int32_t c = 0; c < n[0] * n[1] * n[2]; c++) {
        int32_t v = c % n[0] + row * (c / n[0] % n[1]) + layer * (c / (n[0] * n[1]));
        const int32_t corner[8] = {v,         v + 1,         v + 1 + row,         v + row,
                                   v + layer, v + 1 + layer, v + 1 + row + layer, v + row + layer};
        for (int t = 0; t < 6; t++, (*next)++) {
            for (int a = 0; a < 4; a++) {
                mesh->element[4 * *next + a] = limb->vertex[corner[cell_tets[t][a]]];
            }
            mesh->region[*next] = limb->region;
        }
    }
}

static pal_status check_volumes(const pal_volmesh *mesh, pal_err *err) {
    for (int32_t e = 0; e < mesh->element_count; e++) {
        const int32_t *v = pal_volmesh_element(mesh, e);
        double d[3][3], cross[3];
        for (int k = 0; k < 3; k++) {
            pal_sub3(mesh->x + 3 * (int64_t)v[k + 1], mesh->x + 3 * (int64_t)v[0], d[k]);
        }
        pal_cross3(d[0], d[1], cross);
        if (!(pal_dot3(cross, d[2]) > 0.0)) {
            return pal_fail(err, PAL_ERR_NUMERIC, "element %d of '%s' is inside out", (int)e,
                            mesh->regions[mesh->region[e]].name);
        }
    }
    return PAL_OK;
}

pal_status pal_limbs_mesh(const pal_limbs *limbs, pal_volmesh *mesh, pal_err *err) {
    memset(mesh, 0, sizeof *mesh);
    if (limbs->failed) {
        if (err != NULL && err != limbs->err && limbs->err != NULL) {
            *err = *limbs->err;
        }
        return limbs->err != NULL ? limbs->err->status : PAL_ERR_MEMORY;
    }
    int64_t cells = 0, next = 0;
    for (int32_t i = 0; i < limbs->limb_count; i++) {
        const int32_t *n = limbs->limb[i].n;
        cells += (int64_t)n[0] * n[1] * n[2];
    }
    pal_status status = pal_volmesh_alloc(mesh, PAL_TET4, limbs->vertex_count, (int32_t)(6 * cells),
                                          limbs->region_count, err);
    if (status != PAL_OK) {
        return status;
    }
    memcpy(mesh->x, limbs->x, 3 * sizeof(double) * (size_t)limbs->vertex_count);
    for (int32_t g = 0; g < limbs->region_count; g++) {
        memcpy(mesh->regions[g].name, limbs->region[g], PAL_REGION_NAME);
    }
    for (int32_t i = 0; i < limbs->limb_count; i++) {
        put_cells(&limbs->limb[i], mesh, &next);
    }
    status = check_volumes(mesh, err);
    if (status != PAL_OK) {
        pal_volmesh_free(mesh);
    }
    return status;
}
