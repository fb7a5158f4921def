#include "tests/support/live_block.h"

#include <stdlib.h>
#include <string.h>

#include "sim/mesh/block.h"
#include "sim/model/bake.h"
#include "tests/support/check.h"

#define ABOVE                                                                                      \
    { 0.03, 0.03, LIVE_BLOCK_TOP + 0.015 }

const pal_intent live_block_press[3] = {
    {.kind = PAL_INTENT_PRESS, .seconds = 0.4, .to = {0.03, 0.03, LIVE_BLOCK_TOP - 0.005}},
    {.kind = PAL_INTENT_HOLD, .seconds = 0.3},
    {.kind = PAL_INTENT_RELEASE, .seconds = 0.4},
};

static pal_model shared;

static void free_shared(void) {
    pal_model_free(&shared);
}

void live_block_bake(const live_block_spec *how, pal_model *model) {
    static const int32_t cells[3] = {6, 6, 3};
    pal_volmesh mesh;
    pal_err err = {0};
    pal_bake_times times;
    const pal_material material[2] = {{how->young, 0.4, 1000.0}, {how->young, 0.4, 1000.0}};
    CHECK_OK(pal_mesh_block(PAL_HEX8, cells, 0.01, &mesh, &err), err);
    uint8_t *held = calloc((size_t)mesh.vertex_count, 1);
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        held[v] = mesh.x[3 * (int64_t)v + 2] == 0.0;
    }
    if (how->two_regions) {
        mesh.regions = realloc(mesh.regions, 2 * sizeof *mesh.regions);
        mesh.regions[1] = mesh.regions[0];
        strcpy(mesh.regions[1].name, "right");
        mesh.region_count = 2;
        for (int32_t e = 0; e < mesh.element_count; e++) {
            mesh.region[e] = mesh.x[3 * (int64_t)pal_volmesh_element(&mesh, e)[0]] > 0.0299;
        }
    }
    pal_bake_spec spec = {.name = "block",
                          .scene_text = "",
                          .mesh = &mesh,
                          .held = held,
                          .material = material,
                          .damping_alpha = 0.5,
                          .damping_beta = 2e-3,
                          .basis = {.kind = PAL_BASIS_DERIVATIVES, .size = 10, .modes = 4},
                          .local = {.choice = how->local}};
    CHECK_OK(pal_bake(&spec, NULL, model, &times, &err), err);
    free(held);
    pal_volmesh_free(&mesh);
}

const pal_model *live_block_model(void) {
    if (shared.r == 0) {
        live_block_bake(&(live_block_spec){.young = 2e4}, &shared);
        atexit(free_shared);
    }
    return &shared;
}

void live_block_sim(pal_sim_options *sim, const pal_intent *intent, int count) {
    static const double above[3] = ABOVE;
    pal_sim_defaults(sim, pal_device_profile("touch"));
    sim->friction = 0.0;
    sim->seed = 1;
    sim->intent = intent;
    sim->intent_count = count;
    memcpy(sim->start, above, sizeof above);
}

static void open_block(live_block *block, const pal_sim_options *sim, const pal_wall *wall,
                       const pal_model *model, pal_precision precision) {
    pal_err err = {0};
    pal_servo_options options;
    memset(block, 0, sizeof *block);
    CHECK_OK(pal_device_open_sim(&block->device, sim, &err), err);
    pal_servo_defaults(&options, &block->device.limits);
    options.log_capacity = 1 << 12;
    if (wall != NULL) {
        options.wall = *wall;
    } else {
        const pal_live_options how = {
            .dt = options.dt, .precision = precision, .feature = options.tool[0].shape.feature};
        CHECK_OK(pal_live_body_open(&block->body, model, &how, &err), err);
    }
    CHECK_OK(pal_servo_open(&block->servo, &options, &block->device,
                            wall != NULL ? NULL : &block->body, &err),
             err);
}

void live_block_open(live_block *block, const pal_sim_options *sim, const pal_wall *wall) {
    open_block(block, sim, wall, wall != NULL ? NULL : live_block_model(), PAL_DOUBLE);
}

void live_block_open_model(live_block *block, const pal_sim_options *sim, const pal_model *model,
                           pal_precision precision) {
    open_block(block, sim, NULL, model, precision);
}

void live_block_close(live_block *block) {
    pal_servo_close(block->servo);
    pal_device_close(&block->device);
    pal_live_body_close(&block->body);
}

pal_tick_record live_block_tick(live_block *block) {
    pal_tick_record record = {0};
    pal_servo_tick(block->servo, 0, 0.0);
    TEST_ASSERT_TRUE(pal_ring_get(&block->servo->log, &record));
    return record;
}
