// Trilinear shape functions of a hexahedron; its vertices in the order of volmesh.h. RT safe.
#ifndef PAL_MESH_HEX_H
#define PAL_MESH_HEX_H

// Which end of each axis vertex a is at.
static const int pal_hex_corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                         {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

// shape [8] and its derivatives slope [8][3] by the local coordinates xi in [0,1]^3.
static inline void pal_hex_shape(const double xi[3], double *shape, double (*slope)[3]) {
    for (int a = 0; a < 8; a++) {
        double n[3], d[3];
        for (int c = 0; c < 3; c++) {
            n[c] = pal_hex_corner[a][c] ? xi[c] : 1.0 - xi[c];
            d[c] = pal_hex_corner[a][c] ? 1.0 : -1.0;
        }
        shape[a] = n[0] * n[1] * n[2];
        slope[a][0] = d[0] * n[1] * n[2];
        slope[a][1] = n[0] * d[1] * n[2];
        slope[a][2] = n[0] * n[1] * d[2];
    }
}

#endif
