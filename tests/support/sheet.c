#include "tests/support/sheet.h"

#include <stdlib.h>
#include <string.h>

#include "sim/contact/track.h"
#include "sim/mesh/block.h"
#include "sim/model/bake.h"
#include "tests/support/check.h"

static const double dt = 1e-3;
static pal_model shared[2];

static void free_shared(void) {
    pal_model_free(&shared[0]);
    pal_model_free(&shared[1]);
}

static void bake(pal_model *model, bool local) {
    static const int32_t cells[3] = {30, 30, 1};
    static const pal_material rubber = {2e6, 0.4, 1100.0};
    pal_volmesh mesh;
    pal_err err = {0};
    pal_bake_times times;
    CHECK_OK(pal_mesh_block(PAL_HEX8, cells, SHEET_THICK, &mesh, &err), err);
    uint8_t *held = calloc((size_t)mesh.vertex_count, 1);
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        const double *x = mesh.x + 3 * (int64_t)v, side = SHEET_SIDE - 1e-9;
        held[v] = x[0] < 1e-9 || x[1] < 1e-9 || x[0] > side || x[1] > side;
    }
    pal_bake_spec spec = {.name = "sheet",
                          .scene_text = "",
                          .mesh = &mesh,
                          .held = held,
                          .material = &rubber,
                          .damping_alpha = 0.5,
                          .damping_beta = 2e-4,
                          .local = {.choice = local ? PAL_LOCAL_WANT_EXACT : PAL_LOCAL_WANT_NONE},
                          .basis = {.kind = PAL_BASIS_DERIVATIVES, .size = 12, .modes = 5}};
    CHECK_OK(pal_bake(&spec, NULL, model, &times, &err), err);
    free(held);
    pal_volmesh_free(&mesh);
}

const pal_model *sheet_model(bool local) {
    if (shared[0].r == 0 && shared[1].r == 0) {
        atexit(free_shared);
    }
    if (shared[local].r == 0) {
        bake(&shared[local], local);
    }
    return &shared[local];
}

void sheet_open(sheet *s, const pal_model *model, double radius, double length, double stiffness) {
    pal_err err = {0};
    memset(s, 0, sizeof *s);
    pal_tool_options tool = {
        .stiffness = stiffness, .max_force = 4.0, .look_budget = 2000, .most = PAL_MAX_TOUCHES};
    CHECK_OK(length > 0.0 ? pal_shape_capsule(&tool.shape, radius, length, &err)
                          : pal_shape_sphere(&tool.shape, radius, &err),
             err);
    const pal_live_options how = {.dt = dt, .feature = tool.shape.feature};
    CHECK_OK(pal_live_body_open(&s->live, model, &how, &err), err);
    tool.shell = &s->live.shell;
    pal_tool_init(&s->tool, &tool);
    s->world = aligned_alloc(64, (sizeof *s->world + 63) & ~(size_t)63);
    pal_live_body_world(&s->live, s->world);
    s->world->load = s->load;
    s->world->scene.tool = &s->tool;
    s->world->scene.tool_count = 1;
    s->world->scene.dt = dt;
    s->world->scene.visits = 640;
}

void sheet_close(sheet *s) {
    pal_live_body_close(&s->live);
    free(s->world);
}

void sheet_reset(sheet *s) {
    pal_newmark_set_state(s->live.newmark, NULL, NULL, NULL);
    pal_step_forget(s->world);
}

pal_outcome sheet_go(sheet *s, const pal_pose *goal) {
    pal_tool_aim(&s->tool, goal, false);
    return pal_step(s->world);
}

int sheet_side(const sheet *s, const double x[3]) {
    const pal_body *body = &s->live.body;
    pal_nearest nearest;
    double out[3], normal[3];
    int above = 0, below = 0;
    pal_bdtree_nearest(&s->live.tree, body, x, INFINITY, -1, s->live.tree.node_count, &nearest);
    pal_track_normal(&s->live.tree, body, &nearest, normal);
    pal_sub3(x, nearest.point, out);
    for (int k = 0; k < 3; k++) {
        const double *rest = body->rest + 3 * (int64_t)body->triangle[3 * nearest.triangle + k];
        above += rest[2] > 0.5 * SHEET_THICK;
        below += rest[2] < 0.5 * SHEET_THICK;
    }
    return pal_dot3(out, normal) < 0.0 ? 2 : above == 3 ? 1 : below == 3 ? -1 : 0;
}
