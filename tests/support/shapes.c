#include "tests/support/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/vec3.h"
#include "sim/mesh/block.h"
#include "tests/support/check.h"

static const int corner_of_cube[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                         {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

void shape_box(pal_volmesh *mesh, pal_element_kind kind, int nx, int ny, int nz,
               const double size[3]) {
    pal_err err;
    const int32_t n[3] = {nx, ny, nz};
    CHECK_OK(pal_mesh_block(kind, n, 1.0, mesh, &err), err);
    for (int i = 0; i < 3 * mesh->vertex_count; i++) {
        mesh->x[i] *= size[i % 3] / n[i % 3];
    }
}

// Room for more vertices and triangles at the end of a surface.
static void extend(pal_surface *surface, int32_t vertices, int32_t triangles) {
    pal_surface larger;
    pal_err err;
    CHECK_OK(pal_surface_alloc(&larger, surface->vertex_count + vertices,
                               surface->triangle_count + triangles, &err),
             err);
    if (surface->vertex_count > 0) {
        memcpy(larger.x, surface->x, 3 * (size_t)surface->vertex_count * sizeof(double));
        memcpy(larger.triangle, surface->triangle,
               3 * (size_t)surface->triangle_count * sizeof(int32_t));
    }
    pal_surface_free(surface);
    *surface = larger;
}

// An octahedron with each face cut into n^2, pushed out to the sphere. Faces do not share vertices.
void shape_add_sphere(pal_surface *surface, const double *centre, double radius, int n) {
    int32_t v = surface->vertex_count, t = surface->triangle_count;
    int32_t per_face = (n + 1) * (n + 2) / 2;
    extend(surface, 8 * per_face, 8 * n * n);
    for (int face = 0; face < 8; face++) {
        double sign[3] = {face & 1 ? -1.0 : 1.0, face & 2 ? -1.0 : 1.0, face & 4 ? -1.0 : 1.0};
        bool mirrored = sign[0] * sign[1] * sign[2] < 0.0;
        for (int i = 0; i <= n; i++) {
            for (int j = 0; j <= n - i; j++, v++) {
                double p[3] = {sign[0] * i, sign[1] * j, sign[2] * (n - i - j)};
                double scale = radius / pal_norm3(p);
                int32_t right = v + n - i + 1; // the same j in the row of i + 1
                for (int c = 0; c < 3; c++) {
                    surface->x[3 * v + c] = centre[c] + p[c] * scale;
                }
                for (int half = 0; half < 2 && i + j + half < n; half++, t++) {
                    int32_t corner[3] = {half ? v + 1 : v, right, half ? right + 1 : v + 1};
                    surface->triangle[3 * t] = corner[0];
                    surface->triangle[3 * t + 1] = corner[mirrored ? 2 : 1];
                    surface->triangle[3 * t + 2] = corner[mirrored ? 1 : 2];
                }
            }
        }
    }
}

void shape_add_box(pal_surface *surface, const double *low, const double *high) {
    static const int face[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                   {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
    int32_t v = surface->vertex_count, t = surface->triangle_count;
    extend(surface, 8, 12);
    for (int a = 0; a < 8; a++) {
        for (int c = 0; c < 3; c++) {
            surface->x[3 * (v + a) + c] = corner_of_cube[a][c] ? high[c] : low[c];
        }
    }
    for (int i = 0; i < 12; i++, t++) {
        const int *f = face[i / 2];
        surface->triangle[3 * t] = v + f[0];
        surface->triangle[3 * t + 1] = v + f[1 + i % 2];
        surface->triangle[3 * t + 2] = v + f[2 + i % 2];
    }
}
