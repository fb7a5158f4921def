// A space station of voxels: a hub, modules in two chains, four booms of trusses, and 32 panels of
// one class.                                                              [BZ11 figure 6, table 1]
#include <math.h>
#include <stdio.h>

#include "scenes/lattice.h"
#include "sim/base/vec3.h"

enum { HUB, TRUSS, MODULE, PANEL, CLASSES, DOMAINS = 48 };
enum { BOX = 9, BAY = 8, BAYS = 12, LONG = BAY * BAYS + 1 }; // a truss: cells
enum { ROUND = 18, TUBE = 40, SKIN = 2, RING = 4 };          // a module
enum { ACROSS = 30, REACH = 84, ARM = 6, ARM_WIDE = 4 };     // a panel
enum { CUBE = 20, CUBE_SKIN = 2 };                           // the hub
static const double h = 0.1;                                 // m, a cell

static const double out[6][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                 {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};

// A port of half size `half` (cells) about a place (cells) on the face with this outward normal.
static pal_status add_port(pal_class_shape *class_, const double at[3], const double half[3],
                           const double normal[3], pal_err *err) {
    double low[3], high[3];
    for (int c = 0; c < 3; c++) {
        low[c] = h * (at[c] - half[c]);
        high[c] = h * (at[c] + half[c]);
    }
    return pal_class_shape_box_port(class_, low, high, normal, err);
}

// A hollow cube about the origin, a port on each face, held at its corners where the station does
// not float.
static pal_status make_hub(pal_class_shape *class_, pal_err *err) {
    pal_lattice cells;
    const int32_t all[3] = {CUBE, CUBE, CUBE}, in = CUBE - CUBE_SKIN;
    const double r = 0.5 * CUBE;
    pal_status status = pal_lattice_alloc(&cells, CUBE, CUBE, CUBE, err);
    if (status == PAL_OK) {
        pal_lattice_fill(&cells, (const int32_t[]){0, 0, 0}, all, 0);
        pal_lattice_fill(&cells, (const int32_t[]){CUBE_SKIN, CUBE_SKIN, CUBE_SKIN},
                         (const int32_t[]){in, in, in}, -1);
        status =
            pal_class_shape_voxels(class_, "hub", 25, &cells, (const double[]){r, r, r}, h, err);
    }
    pal_lattice_free(&cells);
    for (int i = 0; status == PAL_OK && i < 8; i++) {
        const double corner[3] = {h * (i & 1 ? r : -r), h * (i & 2 ? r : -r), h * (i & 4 ? r : -r)};
        pal_class_shape_hold(class_, corner, corner);
    }
    for (int i = 0; status == PAL_OK && i < 6; i++) {
        double at[3], half[3];
        for (int c = 0; c < 3; c++) {
            at[c] = r * out[i][c];
            half[c] = out[i][c] != 0.0 ? 0.0 : RING;
        }
        status = add_port(class_, at, half, out[i], err);
    }
    return status;
}

// Four longerons, a frame at each bay, and beams between frames where panels are mounted, on both
// sides.
static void fill_truss(pal_lattice *cells) {
    for (int i = 0; i < 4; i++) {
        const int32_t x = i & 1 ? BOX - 1 : 0, y = i & 2 ? BOX - 1 : 0;
        pal_lattice_fill(cells, (const int32_t[]){x, y, 0}, (const int32_t[]){x + 1, y + 1, LONG},
                         0);
    }
    for (int32_t z = 0; z < LONG; z += BAY) {
        pal_lattice_fill(cells, (const int32_t[]){0, 0, z}, (const int32_t[]){BOX, BOX, z + 1}, 0);
        pal_lattice_fill(cells, (const int32_t[]){1, 1, z},
                         (const int32_t[]){BOX - 1, BOX - 1, z + 1}, -1);
    }
    const int32_t middle = BOX / 2;
    for (int32_t bay = 1; bay < BAYS; bay += 4) {
        for (int side = 0; side < 2; side++) {
            const int32_t x = side == 0 ? BOX - 1 : 0;
            pal_lattice_fill(cells, (const int32_t[]){x, middle, bay * BAY},
                             (const int32_t[]){x + 1, middle + 1, (bay + 1) * BAY}, 0);
        }
    }
}

// Ports: its end, then three panels on its right and three on its left.
static pal_status make_truss(pal_class_shape *class_, pal_err *err) {
    pal_lattice cells;
    const double r = 0.5 * BOX;
    pal_status status = pal_lattice_alloc(&cells, BOX, BOX, LONG, err);
    if (status == PAL_OK) {
        fill_truss(&cells);
        status = pal_class_shape_voxels(class_, "truss", 27, &cells, (const double[]){r, r, 0.0}, h,
                                        err);
    }
    pal_lattice_free(&cells);
    if (status == PAL_OK) {
        pal_class_shape_hold(class_, (const double[]){-r * h, -r * h, 0.0},
                             (const double[]){r * h, r * h, 0.0});
        status = add_port(class_, (const double[]){0.0, 0.0, LONG}, (const double[]){r, r, 0.0},
                          out[4], err);
    }
    for (int i = 0; status == PAL_OK && i < 6; i++) {
        const double z = (1 + 4 * (i % 3) + 0.5) * BAY;
        status = add_port(class_, (const double[]){i < 3 ? r : -r, 0.0, z},
                          (const double[]){0.0, 0.5, 0.5 * ARM_WIDE}, out[i < 3 ? 0 : 1], err);
    }
    return status;
}

// A tube with closed ends. Ports: its far end, then a place on its side.
static pal_status make_module(pal_class_shape *class_, pal_err *err) {
    pal_lattice cells;
    const double r = 0.5 * ROUND;
    pal_status status = pal_lattice_alloc(&cells, ROUND, ROUND, TUBE, err);
    for (int32_t i = 0; status == PAL_OK && i < ROUND * ROUND * TUBE; i++) {
        const int32_t x = i % ROUND, y = i / ROUND % ROUND, z = i / (ROUND * ROUND);
        const double d = hypot(x + 0.5 - r, y + 0.5 - r);
        const bool end = z < SKIN || z >= TUBE - SKIN;
        if (d < r && (end || d > r - SKIN)) {
            *pal_lattice_cell(&cells, x, y, z) = 0;
        }
    }
    if (status == PAL_OK) {
        status = pal_class_shape_voxels(class_, "module", 24, &cells, (const double[]){r, r, 0.0},
                                        h, err);
    }
    pal_lattice_free(&cells);
    if (status == PAL_OK) {
        pal_class_shape_hold(class_, (const double[]){-RING * h, -RING * h, 0.0},
                             (const double[]){RING * h, RING * h, 0.0});
        status = add_port(class_, (const double[]){0.0, 0.0, TUBE},
                          (const double[]){RING, RING, 0.0}, out[4], err);
    }
    return status == PAL_OK ? add_port(class_, (const double[]){r, 0.0, 0.5 * TUBE},
                                       (const double[]){0.0, 2.0, RING}, out[0], err)
                            : status;
}

static pal_status make_panel(pal_class_shape *class_, pal_err *err) {
    pal_lattice cells;
    const int32_t left = (ACROSS - ARM_WIDE) / 2;
    pal_status status = pal_lattice_alloc(&cells, ACROSS, 1, REACH, err);
    if (status == PAL_OK) {
        pal_lattice_fill(&cells, (const int32_t[]){left, 0, 0},
                         (const int32_t[]){left + ARM_WIDE, 1, ARM}, 0);
        pal_lattice_fill(&cells, (const int32_t[]){0, 0, ARM}, (const int32_t[]){ACROSS, 1, REACH},
                         0);
        status = pal_class_shape_voxels(class_, "panel", 16, &cells,
                                        (const double[]){0.5 * ACROSS, 0.5, 0.0}, h, err);
    }
    pal_lattice_free(&cells);
    if (status == PAL_OK) {
        pal_class_shape_hold(class_, (const double[]){-ACROSS * h, -h, 0.0},
                             (const double[]){ACROSS * h, h, 0.0});
    }
    return status;
}

// ---- the tree

// Panels at ports first to last of a truss, their width along it.
static void hang_panels(pal_domain_body *body, int32_t truss, int32_t first, int32_t step) {
    double turn[3][3];
    pal_domain_body_turn(body, truss, turn);
    const double along[3] = {turn[0][2], turn[1][2], turn[2][2]};
    for (int32_t port = first; port <= 6; port += step) {
        double away[3], up[3];
        char name[PAL_DOMAIN_NAME];
        snprintf(name, sizeof name, "panel %d", (int)body->domain_count);
        pal_domain_body_normal(body, truss, port, away);
        pal_cross3(away, along, up);
        pal_domain_body_hang(body, PANEL, truss, port, 1.0, away, up, name);
    }
}

// Two trusses: two panels on the inner one, six on the outer one. `up` is across the panels.
static void hang_boom(pal_domain_body *body, int32_t port, const double up[3]) {
    char name[PAL_DOMAIN_NAME];
    snprintf(name, sizeof name, "inner truss %d", (int)port + 1);
    int32_t inner = pal_domain_body_hang(body, TRUSS, 0, port, 1.0, out[port], up, name);
    snprintf(name, sizeof name, "outer truss %d", (int)port + 1);
    int32_t outer = pal_domain_body_hang(body, TRUSS, inner, 0, 1.0, out[port], up, name);
    hang_panels(body, inner, 2, 3);
    hang_panels(body, outer, 1, 1);
}

static void hang_modules(pal_domain_body *body, int32_t port, int32_t count) {
    const double up[3] = {0.0, 1.0, 0.0};
    int32_t last = 0;
    for (int32_t i = 0; i < count; i++) {
        char name[PAL_DOMAIN_NAME];
        snprintf(name, sizeof name, "module %d", (int)body->domain_count);
        last =
            pal_domain_body_hang(body, MODULE, last, i == 0 ? port : 0, 1.0, out[port], up, name);
    }
}

pal_status pal_domain_shape_station(pal_domain_body *body, pal_err *err) {
    pal_status (*const make[CLASSES])(pal_class_shape *, pal_err *) = {
        [HUB] = make_hub, [TRUSS] = make_truss, [MODULE] = make_module, [PANEL] = make_panel};
    pal_status status = pal_domain_body_alloc(body, CLASSES, DOMAINS, err);
    for (int32_t k = 0; status == PAL_OK && k < CLASSES; k++) {
        status = make[k](&body->class_[k], err);
    }
    if (status == PAL_OK) {
        pal_domain_body_hang(body, HUB, -1, 0, 1.0, out[4], out[2], "hub");
        for (int32_t port = 0; port < 4; port++) { // panels of neighbouring booms at right angles
            hang_boom(body, port, port < 2 ? out[4] : out[0]);
        }
        hang_modules(body, 4, 3);
        hang_modules(body, 5, 3);
        // the last one on the side of the lowest, which has its class's second port there
        double away[3];
        int32_t lowest = body->domain_count - 1;
        pal_domain_body_normal(body, lowest, 1, away);
        pal_domain_body_hang(body, MODULE, lowest, 1, 1.0, away, out[5], "side module");
    }
    return status;
}
