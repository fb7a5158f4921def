// palpate bench load: what it costs to open a model that is kept, up to the first tick. A sheet of
// 172,800 tets with a table of dents of nearly 200 MB, made up and not baked, in its parts; then
// shipped scenes as a whole. Times are of all threads together, so that other programs and the
// disk do not count.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/bench.h"
#include "app/progress_bar.h"
#include "app/session.h"
#include "sim/base/clock.h"
#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "sim/contact/local_build.h"
#include "sim/contact/local_pairs.h"
#include "sim/mesh/block.h"
#include "sim/mesh/embed_build.h"
#include "sim/model/model_hdf5.h"

static const double goal_ms = 1000.0;

// ---- a large model, made up

enum { MODES = 25, BLOCK_BYTES = 40 };
static const double feature = 5e-3, dent_radius = 11e-3; // m

// Smooth vectors: waves along the sheet.
static void make_basis(pal_model *m) {
    for (int32_t v = 0; v < m->mesh.vertex_count; v++) {
        const double *x = m->mesh.x + 3 * (int64_t)v;
        double *row = m->basis + 3 * (int64_t)v * m->r;
        for (int32_t l = 0; l < 3 * m->r; l++) {
            const int k = l % m->r;
            row[l] = sin(13.0 * (1 + k % 5) * x[0]) * sin(13.0 * (1 + k / 5) * x[1]) *
                     (l / m->r == 2 ? 1.0 : 0.1);
        }
    }
}

static void make_energy(pal_model *m) {
    for (int32_t i = 0; i < m->r; i++) {
        m->quartic.p[pal_pairs(i) + i] = 1e3 * (1 + i);
    }
    for (int32_t g = 0; g < m->region_count; g++) {
        m->region[g].material = (pal_material){1e4, 0.4, 1000.0};
        snprintf(m->region[g].name, sizeof m->region[g].name, "sheet");
    }
}

// Dents that fade with the distance, between all vertices of the surface.
static pal_status make_local(pal_model *m, const pal_local_pairs *pairs, pal_err *err) {
    pal_local *local = &m->local;
    memcpy(local->vertex, pairs->vertex, (size_t)local->row_count * sizeof *local->vertex);
    memcpy(local->first, pairs->first, ((size_t)local->row_count + 1) * sizeof *local->first);
    memcpy(local->column, pairs->column, (size_t)local->block_count * sizeof *local->column);
    for (int32_t a = 0; a < local->row_count; a++) {
        for (int32_t k = local->first[a]; k < local->first[a + 1]; k++) {
            const double *x = m->mesh.x + 3 * (int64_t)local->vertex[a];
            const double *y = m->mesh.x + 3 * (int64_t)local->vertex[local->column[k]];
            const double far = hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]);
            for (int c = 0; c < 3; c++) {
                local->block[9 * (int64_t)k + 4 * c] = (float)(1e-3 * exp(-far / 2e-3));
            }
        }
    }
    pal_local_index(local);
    return pal_local_check(local, "the sheet", err);
}

static pal_status make_parts(pal_model *m, pal_local_pairs *pairs, pal_err *err) {
    static const int32_t cubes[3] = {120, 120, 2};
    double radius = dent_radius;
    pal_status status = pal_mesh_block(PAL_TET4, cubes, 2e-3, &m->mesh, err);
    if (status == PAL_OK) {
        status = pal_surface_of_volmesh(&m->mesh, &m->surface, NULL, err);
    }
    if (status == PAL_OK) {
        status = pal_embedding_build(&m->mesh, m->surface.x, m->surface.vertex_count, &m->embedding,
                                     NULL, err);
    }
    uint8_t *outside = status == PAL_OK ? PAL_NEW(uint8_t, m->mesh.vertex_count, err) : NULL;
    status = status == PAL_OK && outside == NULL ? PAL_ERR_MEMORY : status;
    if (status == PAL_OK) {
        status = pal_surface_mark(&m->mesh, outside, err);
    }
    if (status == PAL_OK) {
        status = pal_local_find_pairs(&m->mesh, outside, m->surface.vertex_count, &radius,
                                      PAL_LOCAL_BYTES / BLOCK_BYTES, pairs, err);
    }
    free(outside);
    return status;
}

static pal_status make_model(pal_model *m, pal_err *err) {
    pal_local_pairs pairs = {0};
    *m = (pal_model){.r = MODES, .total_mass = 1.0, .damping_beta = 1e-3};
    pal_status status = make_parts(m, &pairs, err);
    if (status == PAL_OK) {
        m->region_count = m->mesh.region_count;
        m->local = (pal_local){.way = PAL_LOCAL_FAST,
                               .row_count = m->surface.vertex_count,
                               .block_count = pairs.first[m->surface.vertex_count],
                               .radius = dent_radius};
        m->name = pal_copy_text("sheet", err);
        m->scene_text = pal_copy_text("", err);
        status = m->name && m->scene_text ? pal_model_alloc(m, err) : PAL_ERR_MEMORY;
    }
    if (status == PAL_OK) {
        make_basis(m);
        make_energy(m);
        status = make_local(m, &pairs, err);
    }
    pal_local_pairs_free(&pairs);
    return status;
}

// ---- its load

typedef struct place { // where it is kept meanwhile
    char folder[64], model[96], index[96];
} place;

static char *take(void *context, const char *key, const char *kind, size_t *size) {
    (void)key;
    (void)kind;
    char *data = NULL;
    pal_file_read(((place *)context)->index, &data, size, NULL);
    return data;
}

static void give(void *context, const char *key, const char *kind, const void *data, size_t size) {
    (void)key;
    (void)kind;
    pal_file_write_atomic(((place *)context)->index, data, size, NULL);
}

typedef struct parts { // ms
    double read, open, all;
} parts;

// Reads it and brings it to life, with or without what is kept of its surface.
static pal_status load(const place *at, const pal_keep *keep, parts *took, pal_err *err) {
    const pal_live_options how = {.dt = 1e-3, .feature = feature, .keep = keep};
    pal_model model;
    pal_live_body live;
    const double start = pal_process_seconds();
    pal_status status = pal_model_read(at->model, &model, err);
    if (status != PAL_OK) {
        return status;
    }
    took->read = 1e3 * (pal_process_seconds() - start);
    status = pal_live_body_open(&live, &model, &how, err);
    if (status == PAL_OK) {
        took->all = 1e3 * (pal_process_seconds() - start);
        took->open = took->all - took->read;
        pal_live_body_close(&live);
    }
    pal_model_free(&model);
    return status;
}

static double megabytes(const char *path) {
    pal_file_view file;
    const double size =
        pal_file_view_open(path, &file, NULL) == PAL_OK ? 1e-6 * (double)file.size : (double)NAN;
    pal_file_view_close(&file);
    return size;
}

static pal_status report_sheet(pal_bench *bench, const place *at, const parts *kept,
                               const parts *built, pal_err *err) {
    static const char same_run[] = "built anew, same run";
    const struct {
        const char *name;
        double value;
        const char *unit;
        double reference;
        const char *source;
    } rows[] = {
        {"sheet of 172,800 tets: model file", megabytes(at->model), "MB", NAN, ""},
        {"sheet: kept index of its surface", megabytes(at->index), "MB", megabytes(at->model),
         "the model file"},
        {"sheet: model checked and read", kept->read, "ms", NAN, ""},
        {"sheet: brought to life, with its surface's index", kept->open, "ms", built->open,
         same_run},
        {"sheet: both", kept->all, "ms", built->all, same_run},
        {"sheet: both", kept->all, "ms", goal_ms, "goal"},
    };
    pal_status status = PAL_OK;
    for (size_t i = 0; status == PAL_OK && i < sizeof rows / sizeof *rows; i++) {
        status = pal_bench_report(bench, rows[i].name, rows[i].value, rows[i].unit, PAL_BENCH_LESS,
                                  rows[i].reference, rows[i].source, err);
    }
    return status;
}

static pal_status bench_sheet(pal_bench *bench, pal_err *err) {
    pal_model model;
    place at = {.folder = "/tmp/palpate-bench-XXXXXX"};
    if (mkdtemp(at.folder) == NULL) {
        return pal_fail(err, PAL_ERR_IO, "cannot make a folder in /tmp; free some space there");
    }
    snprintf(at.model, sizeof at.model, "%s/sheet.h5", at.folder);
    snprintf(at.index, sizeof at.index, "%s/sheet.surface", at.folder);
    const pal_keep keep = {.take = take, .give = give, .context = &at};
    parts built = {0}, kept = {0};
    pal_progress_report(bench->job->progress, "making a sheet", 0.0);
    pal_status status = make_model(&model, err);
    if (status == PAL_OK) {
        status = pal_model_write(at.model, &model, err);
    }
    pal_model_free(&model);
    if (status == PAL_OK) {
        status = load(&at, NULL, &built, err);
    }
    for (int k = 0; status == PAL_OK && k < 2; k++) { // the first one keeps
        status = load(&at, &keep, &kept, err);
    }
    if (status == PAL_OK) {
        status = report_sheet(bench, &at, &kept, &built, err);
    }
    unlink(at.model);
    unlink(at.index);
    rmdir(at.folder);
    return status;
}

// ---- shipped scenes

static pal_status open_scene(pal_bench *bench, const char *scene, bool anew, double *took,
                             pal_err *err) {
    const pal_session_options options = {.device = "sim", .seed = -1, .anew = anew};
    pal_session session;
    const double start = pal_process_seconds();
    pal_status status = pal_session_open(&session, scene, &options, bench->job->progress, err);
    if (status == PAL_OK) {
        pal_servo_tick(session.servo, 0, 0.0);
        *took = 1e3 * (pal_process_seconds() - start);
        pal_session_close(&session);
    }
    return status;
}

static pal_status bench_scene(pal_bench *bench, const char *scene, pal_err *err) {
    double kept = 0.0, built = 0.0;
    char name[96];
    pal_status status = open_scene(bench, scene, false, &kept, err); // bakes and keeps, if need be
    if (status == PAL_OK) {
        status = open_scene(bench, scene, true, &built, err);
    }
    if (status == PAL_OK) {
        status = open_scene(bench, scene, false, &kept, err);
    }
    snprintf(name, sizeof name, "%s: scene to first tick", scene);
    return status == PAL_OK ? pal_bench_report(bench, name, kept, "ms", PAL_BENCH_LESS, built,
                                               "its surface's index built anew, same run", err)
                            : status;
}

pal_status pal_bench_load(pal_bench *bench, pal_err *err) {
    static const char *const scenes[] = {"liver", "bridge", "flower"};
    pal_status status = bench_sheet(bench, err);
    for (size_t i = 0; status == PAL_OK && i < sizeof scenes / sizeof *scenes; i++) {
        status = bench_scene(bench, scenes[i], err);
    }
    return status;
}
