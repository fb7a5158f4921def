#include "render/gl_body.h"

#include <epoxy/gl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/edges.h"
#include "render/gl_context.h"
#include "render/half.h"
#include "sim/base/memory.h"
#include "sim/model/surface_regions.h"

enum { TEXEL = 4 };           // coordinates in a texel of the basis
enum { PLACE, PAIRS, BASIS }; // textures

static int groups_of(const pal_gl_body *b) {
    return (b->deform.r + TEXEL - 1) / TEXEL;
}

// ---- set-up

static unsigned make_buffer(GLenum target, size_t bytes, const void *data, GLenum use) {
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(target, buffer);
    glBufferData(target, (GLsizeiptr)bytes, data, use);
    return buffer;
}

// Every column by its largest number, as halves: [point][3][groups][TEXEL].
static pal_status make_basis(pal_gl_body *b, pal_err *err) {
    const pal_deform *d = &b->deform;
    const int64_t lanes = PAL_DEFORM_LANES, row = TEXEL * (int64_t)groups_of(b);
    uint16_t *half = PAL_NEW(uint16_t, 3 * row * d->point_count, err);
    if (half == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t l = 0; l < d->r; l++) {
        float most = 0.0F;
        for (int64_t block = 0; block < d->block_count; block++) {
            for (int64_t i = 0; i < 3 * lanes; i++) {
                most = fmaxf(most, fabsf(d->basis[(block * d->r + l) * 3 * lanes + i]));
            }
        }
        b->scale[l] = most > 0.0F ? most : 1.0F;
        for (int64_t i = 0; i < d->point_count; i++) {
            for (int c = 0; c < 3; c++) {
                const float u = d->basis[((i / lanes * d->r + l) * 3 + c) * lanes + i % lanes];
                half[(3 * i + c) * row + l] = pal_half_of(u / b->scale[l]);
            }
        }
    }
    b->basis = make_buffer(GL_TEXTURE_BUFFER, (size_t)(3 * row * d->point_count) * sizeof *half,
                           half, GL_STATIC_DRAW);
    free(half);
    return PAL_OK;
}

static void make_textures(pal_gl_body *b) {
    const struct {
        GLenum format;
        unsigned buffer;
    } part[] = {[PLACE] = {GL_RGBA32F, b->place},
                [PAIRS] = {GL_RG32I, b->pairs},
                [BASIS] = {GL_RGBA16F, b->basis}};
    glGenTextures(3, b->texture);
    for (int i = 0; i < 3; i++) {
        glBindTexture(GL_TEXTURE_BUFFER, b->texture[i]);
        glTexBuffer(GL_TEXTURE_BUFFER, part[i].format, part[i].buffer);
    }
}

// The vertex arrays of the two passes.
static pal_status make_passes(pal_gl_body *b, pal_err *err) {
    const pal_deform *d = &b->deform;
    const pal_facets *f = &b->facets;
    float *rest = PAL_NEW(float, 3 * (size_t)d->point_count, err);
    int32_t *corner = PAL_NEW(int32_t, 3 * (size_t)f->count, err);
    if (rest == NULL || corner == NULL) {
        free(rest);
        free(corner);
        return PAL_ERR_MEMORY;
    }
    const int64_t lanes = PAL_DEFORM_LANES;
    for (int64_t i = 0; i < 3 * (int64_t)d->point_count; i++) {
        rest[i] = d->rest[(i / 3 / lanes * 3 + i % 3) * lanes + i / 3 % lanes];
    }
    for (int64_t i = 0; i < f->count; i++) {
        corner[3 * i] = f->point[i];
        corner[3 * i + 1] = f->first[i];
        corner[3 * i + 2] = f->first[i + 1];
    }
    glGenVertexArrays(1, &b->deform_array);
    glBindVertexArray(b->deform_array);
    b->rest = make_buffer(GL_ARRAY_BUFFER, 3 * (size_t)d->point_count * sizeof *rest, rest,
                          GL_STATIC_DRAW);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, NULL);
    glEnableVertexAttribArray(0);
    b->extra = make_buffer(GL_ARRAY_BUFFER, 4 * (size_t)d->point_count * sizeof *d->extra, d->extra,
                           GL_DYNAMIC_DRAW);
    glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, 0, NULL);
    glEnableVertexAttribArray(1);
    glGenVertexArrays(1, &b->facet_array);
    glBindVertexArray(b->facet_array);
    b->facet =
        make_buffer(GL_ARRAY_BUFFER, 3 * (size_t)f->count * sizeof *corner, corner, GL_STATIC_DRAW);
    glVertexAttribIPointer(0, 3, GL_INT, 0, NULL);
    glEnableVertexAttribArray(0);
    free(rest);
    free(corner);
    return PAL_OK;
}

static pal_status make_gpu(pal_gl_body *b, pal_err *err) {
    const pal_facets *f = &b->facets;
    pal_status status = make_passes(b, err);
    if (status != PAL_OK) {
        return status;
    }
    b->place = make_buffer(GL_TEXTURE_BUFFER, 4 * (size_t)b->deform.point_count * sizeof(float),
                           NULL, GL_DYNAMIC_COPY);
    b->pairs = make_buffer(GL_TEXTURE_BUFFER, 2 * (size_t)f->first[f->count] * sizeof *f->pair,
                           f->pair, GL_STATIC_DRAW);
    status = make_basis(b, err);
    if (status == PAL_OK) {
        make_textures(b);
        status = pal_gl_check("putting the body into graphics memory", err);
    }
    return status;
}

// What is drawn, whoever fills it.
static pal_status make_drawn(pal_gl_body *b, const pal_model *model, pal_err *err) {
    const pal_facets *f = &b->facets;
    float *kept = PAL_NEW(float, 4 * (size_t)f->count, err); // place at rest, region
    pal_edges edges = {0};
    pal_status status = kept != NULL
                            ? pal_edges_of_triangles(f->triangle, f->triangle_count, &edges, err)
                            : PAL_ERR_MEMORY;
    if (status != PAL_OK) {
        free(kept);
        return status;
    }
    for (int32_t i = 0; i < f->count; i++) {
        const double *x = model->surface.x + 3 * (int64_t)f->point[i];
        float *to = kept + 4 * (int64_t)i;
        for (int c = 0; c < 3; c++) {
            to[c] = (float)x[c];
        }
        to[3] = f->region[i];
    }
    glGenVertexArrays(1, &b->array);
    glBindVertexArray(b->array);
    b->corner = make_buffer(GL_ARRAY_BUFFER, (size_t)f->count * sizeof(pal_facet_corner), NULL,
                            GL_DYNAMIC_COPY);
    pal_stage_attributes();
    b->kept =
        make_buffer(GL_ARRAY_BUFFER, 4 * (size_t)f->count * sizeof *kept, kept, GL_STATIC_DRAW);
    glVertexAttribPointer(2, 4, GL_FLOAT, GL_FALSE, 0, NULL);
    glEnableVertexAttribArray(2);
    b->index =
        make_buffer(GL_ELEMENT_ARRAY_BUFFER, 3 * (size_t)f->triangle_count * sizeof *f->triangle,
                    f->triangle, GL_STATIC_DRAW);
    glGenVertexArrays(1, &b->wire_array);
    glBindVertexArray(b->wire_array);
    glBindBuffer(GL_ARRAY_BUFFER, b->corner);
    pal_stage_attributes();
    b->wire = make_buffer(GL_ELEMENT_ARRAY_BUFFER, 2 * (size_t)edges.count * sizeof *edges.end,
                          edges.end, GL_STATIC_DRAW);
    b->wire_count = 2 * edges.count;
    glBindVertexArray(0);
    free(kept);
    pal_edges_free(&edges);
    return pal_gl_check("making room for the body", err);
}

// Only when it is looked at first: finding the boundary of a large mesh takes longer than all else
// here. Without memory for it, it is left out.
static void make_cage(pal_gl_body *b, const pal_model *model) {
    pal_edges edges;
    b->has_cage = true;
    if (pal_edges_of_volmesh(&model->mesh, &edges, NULL) != PAL_OK) {
        return;
    }
    glGenVertexArrays(1, &b->cage_array);
    glBindVertexArray(b->cage_array);
    b->cage_place =
        make_buffer(GL_ARRAY_BUFFER, 3 * (size_t)model->mesh.vertex_count * sizeof(float), NULL,
                    GL_STREAM_DRAW);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, NULL);
    glEnableVertexAttribArray(0);
    b->cage = make_buffer(GL_ELEMENT_ARRAY_BUFFER, 2 * (size_t)edges.count * sizeof *edges.end,
                          edges.end, GL_STATIC_DRAW);
    b->cage_count = 2 * edges.count;
    glBindVertexArray(0);
    pal_edges_free(&edges);
}

static pal_status make_cpu(pal_gl_body *b, const pal_model *model, pal_err *err) {
    const int64_t triangles = model->surface.triangle_count;
    uint16_t *region = PAL_NEW(uint16_t, triangles, err);
    pal_status status =
        region != NULL ? pal_model_surface_regions(model, region, err) : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        status = pal_facets_build(&model->surface, region, &b->facets, err);
    }
    free(region);
    if (status == PAL_OK) {
        status = pal_deform_open(&b->deform, model, err);
    }
    if (status == PAL_OK) {
        status = pal_strain_open(&b->strain, model, err);
    }
    if (status == PAL_OK) {
        b->place_cpu =
            PAL_NEW(float, 4 * (size_t)PAL_DEFORM_LANES * (size_t)b->deform.block_count, err);
        b->corner_cpu = PAL_NEW(pal_facet_corner, b->facets.count, err);
        status = b->place_cpu != NULL && b->corner_cpu != NULL ? PAL_OK : PAL_ERR_MEMORY;
    }
    return status;
}

// Each domain has a region of its own.
static pal_status make_tree(pal_gl_body *b, const pal_model *model, const pal_tree_model *tree,
                            pal_err *err) {
    uint16_t *region = PAL_NEW(uint16_t, model->surface.triangle_count, err);
    int64_t t = 0;
    for (int32_t i = 0; region != NULL && i < tree->domain_count; i++) {
        const int64_t end = t + tree->body[tree->domain[i].kind].surface.triangle_count;
        for (; t < end; t++) {
            region[t] = (uint16_t)(i % UINT16_MAX);
        }
    }
    pal_status status = region != NULL ? pal_facets_build(&model->surface, region, &b->facets, err)
                                       : PAL_ERR_MEMORY;
    free(region);
    if (status == PAL_OK) {
        status = pal_deform_tree_open(&b->tree, tree, model, err);
    }
    if (status == PAL_OK) {
        b->way = PAL_DEFORM_CPU;
        b->place_cpu = PAL_NEW(float, 4 * (size_t)b->tree.point_count, err);
        b->corner_cpu = PAL_NEW(pal_facet_corner, b->facets.count, err);
        status = b->place_cpu != NULL && b->corner_cpu != NULL ? PAL_OK : PAL_ERR_MEMORY;
    }
    return status;
}

// Where the deformation is done: buffer textures have a largest size.
static pal_status choose_way(pal_gl_body *b, pal_deform_way way, bool software, pal_err *err) {
    GLint most = 0;
    glGetIntegerv(GL_MAX_TEXTURE_BUFFER_SIZE, &most);
    const int64_t texels = 3 * (int64_t)groups_of(b) * b->deform.point_count;
    const bool fits =
        texels <= most && b->facets.first[b->facets.count] <= most && b->deform.point_count <= most;
    if (way == PAL_DEFORM_GPU && !fits) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED,
                        "the driver's buffer textures hold %d texels, and the basis of this body "
                        "has %lld; deform it on the CPU",
                        (int)most, (long long)texels);
    }
    b->way = way == PAL_DEFORM_CPU || (way == PAL_DEFORM_AUTO && (software || !fits))
                 ? PAL_DEFORM_CPU
                 : PAL_DEFORM_GPU;
    return PAL_OK;
}

static pal_status open_single(pal_gl_body *b, const pal_model *model, pal_deform_way way,
                              bool software, pal_err *err) {
    pal_status status = make_cpu(b, model, err);
    return status == PAL_OK ? choose_way(b, way, software, err) : status;
}

pal_status pal_gl_body_open(pal_gl_body *b, const pal_model *model, const pal_tree_model *tree,
                            pal_deform_way way, bool software, pal_err *err) {
    memset(b, 0, sizeof *b);
    pal_status status =
        tree == NULL ? open_single(b, model, way, software, err)
        : way == PAL_DEFORM_GPU
            ? pal_fail(err, PAL_ERR_UNSUPPORTED, "a body of domains is deformed on the CPU alone")
            : make_tree(b, model, tree, err);
    if (status == PAL_OK) {
        status = make_drawn(b, model, err);
    }
    if (status == PAL_OK && b->way == PAL_DEFORM_GPU) {
        status = make_gpu(b, err);
    }
    if (status != PAL_OK) {
        pal_gl_body_close(b);
    }
    return status;
}

void pal_gl_body_close(pal_gl_body *b) {
    const unsigned array[] = {b->array, b->deform_array, b->facet_array, b->wire_array,
                              b->cage_array};
    const unsigned buffer[] = {b->corner, b->kept,  b->index, b->rest, b->extra,      b->facet,
                               b->place,  b->pairs, b->basis, b->wire, b->cage_place, b->cage};
    if (b->array != 0) { // 0s are left alone
        glDeleteVertexArrays(sizeof array / sizeof *array, array);
        glDeleteBuffers(sizeof buffer / sizeof *buffer, buffer);
        glDeleteTextures(3, b->texture);
    }
    pal_deform_tree_close(&b->tree);
    pal_deform_close(&b->deform);
    pal_facets_free(&b->facets);
    pal_strain_close(&b->strain);
    free(b->place_cpu);
    free(b->corner_cpu);
    memset(b, 0, sizeof *b);
}

// ---- a snapshot

static void bind_buffer_texture(int unit, unsigned texture) {
    glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
    glBindTexture(GL_TEXTURE_BUFFER, texture);
}

// Runs `count` vertices of an array through a program; what comes out goes to a buffer.
static void capture(const pal_stage_shaders *shaders, pal_stage_program which, unsigned array,
                    int32_t count, unsigned into) {
    pal_stage_use(shaders, which);
    glBindVertexArray(array);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, into);
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, count);
    glEndTransformFeedback();
    glDisable(GL_RASTERIZER_DISCARD);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
}

static void update_gpu(pal_gl_body *b, const pal_stage_shaders *shaders, const int32_t span[2]) {
    if (span[1] > span[0]) {
        glBindBuffer(GL_ARRAY_BUFFER, b->extra);
        glBufferSubData(GL_ARRAY_BUFFER, 16 * (GLintptr)span[0],
                        16 * (GLsizeiptr)(span[1] - span[0]),
                        b->deform.extra + 4 * (int64_t)span[0]);
    }
    float q[PAL_SNAPSHOT_R] = {0.0F};
    for (int32_t l = 0; l < b->deform.r; l++) {
        q[l] = b->q[l] * b->scale[l];
    }
    const unsigned program = shaders->program[PAL_STAGE_DEFORM];
    pal_stage_set_int(shaders, PAL_STAGE_DEFORM, "groups", groups_of(b));
    pal_stage_set_int(shaders, PAL_STAGE_DEFORM, "number", b->tone == PAL_DEFORM_NUMBER);
    glUniform4fv(glGetUniformLocation(program, "q"), groups_of(b), q);
    bind_buffer_texture(PAL_UNIT_BASIS, b->texture[BASIS]);
    capture(shaders, PAL_STAGE_DEFORM, b->deform_array, b->deform.point_count, b->place);
    bind_buffer_texture(PAL_UNIT_PLACES, b->texture[PLACE]);
    bind_buffer_texture(PAL_UNIT_PAIRS, b->texture[PAIRS]);
    capture(shaders, PAL_STAGE_FACET, b->facet_array, b->facets.count, b->corner);
}

static void shade(pal_gl_body *b) {
    pal_facets_shade(&b->facets, b->place_cpu, b->corner_cpu);
    glBindBuffer(GL_ARRAY_BUFFER, b->corner);
    glBufferSubData(GL_ARRAY_BUFFER, 0,
                    (GLsizeiptr)((size_t)b->facets.count * sizeof *b->corner_cpu), b->corner_cpu);
}

static void update_cpu(pal_gl_body *b) {
    pal_deform_places(&b->deform, b->q, b->tone, b->place_cpu);
    shade(b);
}

static void update_tree(pal_gl_body *b, const pal_snapshot *shot) {
    if (b->filled && b->last.tick == shot->tick && b->last.domain_count == shot->domain_count) {
        return;
    }
    b->last = *shot;
    b->extent = pal_deform_tree_places(&b->tree, shot, b->place_cpu);
    b->most = b->extent.most;
    shade(b);
    b->filled = true;
    b->updates++;
}

static bool is_same(const pal_gl_body *b, const pal_snapshot *shot, pal_deform_tone tone) {
    const size_t dents = (size_t)shot->dent_count;
    for (int32_t l = 0; l < b->deform.r; l++) {
        if (b->q[l] != (float)shot->q[l]) {
            return false;
        }
    }
    return b->filled && b->tone == tone && b->last.dent_count == shot->dent_count &&
           memcmp(b->last.dent_vertex, shot->dent_vertex, dents * sizeof *shot->dent_vertex) == 0 &&
           memcmp(b->last.dent, shot->dent, dents * sizeof *shot->dent) == 0 &&
           (tone != PAL_DEFORM_NUMBER ||
            memcmp(b->last.softer, shot->softer, sizeof shot->softer) == 0);
}

void pal_gl_body_update(pal_gl_body *b, const pal_stage_shaders *shaders, const pal_snapshot *shot,
                        pal_deform_tone tone) {
    if (b->tree.model != NULL) {
        update_tree(b, shot);
        return;
    }
    if (is_same(b, shot, tone)) {
        return;
    }
    int32_t span[2];
    for (int32_t l = 0; l < b->deform.r; l++) {
        b->q[l] = (float)shot->q[l];
    }
    b->last = *shot;
    b->tone = tone;
    pal_deform_set_dents(&b->deform, shot, 0, span);
    if (tone == PAL_DEFORM_NUMBER) {
        pal_strain_displace(&b->strain, shot);
        b->most = pal_strain_density(&b->strain, shot, b->deform.extra);
        span[0] = 0;
        span[1] = b->deform.point_count;
    }
    b->extent = pal_deform_measure(&b->deform, b->q);
    b->most = tone == PAL_DEFORM_NUMBER ? b->most : b->extent.most;
    if (b->way == PAL_DEFORM_GPU) {
        update_gpu(b, shaders, span);
    } else {
        update_cpu(b);
    }
    b->filled = true;
    b->updates++;
}

const float *pal_gl_body_places(pal_gl_body *b) {
    if (b->tree.model == NULL && (b->way == PAL_DEFORM_GPU || !b->filled)) {
        pal_deform_places(&b->deform, b->q, b->tone, b->place_cpu);
    }
    return b->place_cpu;
}

// ---- drawing

void pal_gl_body_draw(const pal_gl_body *b) {
    glFrontFace(b->facets.turned ? GL_CW : GL_CCW);
    glBindVertexArray(b->array);
    glDrawElements(GL_TRIANGLES, 3 * b->facets.triangle_count, GL_UNSIGNED_INT, NULL);
    glFrontFace(GL_CCW);
}

void pal_gl_body_draw_wire(const pal_gl_body *b) {
    glBindVertexArray(b->wire_array);
    glDrawElements(GL_LINES, b->wire_count, GL_UNSIGNED_INT, NULL);
}

void pal_gl_body_draw_cage(pal_gl_body *b) {
    if (b->tree.model != NULL) {
        return; // the meshes of classes are not drawn
    }
    const pal_volmesh *mesh = &b->strain.model->mesh;
    if (!b->has_cage) {
        make_cage(b, b->strain.model);
    }
    if (b->cage_count == 0) {
        return;
    }
    pal_strain_displace(&b->strain, &b->last);
    for (int64_t i = 0; i < 3 * (int64_t)mesh->vertex_count; i++) {
        b->strain.u[i] += (float)mesh->x[i];
    }
    glBindVertexArray(b->cage_array);
    glBindBuffer(GL_ARRAY_BUFFER, b->cage_place);
    glBufferSubData(GL_ARRAY_BUFFER, 0,
                    (GLsizeiptr)(3 * (size_t)mesh->vertex_count * sizeof *b->strain.u),
                    b->strain.u);
    glDrawElements(GL_LINES, b->cage_count, GL_UNSIGNED_INT, NULL);
}
