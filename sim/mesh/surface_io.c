// Surfaces in and out of files. Reading is by assimp, which is handed only what has passed a look
// of our own (surface_clean.c).
#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "sim/mesh/surface.h"
#include "sim/mesh/surface_parse.h"

static const char *const endings[] = {"obj", "stl", "ply"}; // as in pal_surface_format

// The format by the ending of path, or -1.
static int format_of_path(const char *path) {
    const char *dot = strrchr(path, '.');
    for (int f = 0; dot != NULL && f < 3; f++) {
        if (strcasecmp(dot + 1, endings[f]) == 0) {
            return f;
        }
    }
    return -1;
}

bool pal_surface_is_path(const char *path) {
    return format_of_path(path) >= 0;
}

// Sizes of all parts together.
static pal_status count_scene(const struct aiScene *scene, const char *name, int32_t *vertex_count,
                              int32_t *triangle_count, pal_err *err) {
    int64_t vertices = 0, triangles = 0;
    for (unsigned m = 0; m < scene->mNumMeshes; m++) {
        const struct aiMesh *part = scene->mMeshes[m];
        vertices += part->mNumVertices;
        for (unsigned f = 0; f < part->mNumFaces; f++) {
            triangles += part->mFaces[f].mNumIndices == 3;
        }
    }
    if (triangles == 0) {
        return pal_fail(err, PAL_ERR_INPUT, "%s: no triangles in it", name);
    }
    if (vertices > INT32_MAX || triangles > INT32_MAX / 3) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED, "%s: too large", name);
    }
    *vertex_count = (int32_t)vertices;
    *triangle_count = (int32_t)triangles;
    return PAL_OK;
}

// All parts one after the other into *soup, which has room for them.
static pal_status copy_scene(const struct aiScene *scene, const char *name, pal_surface *soup,
                             pal_err *err) {
    int32_t base = 0;
    int32_t *corner = soup->triangle;
    for (unsigned m = 0; m < scene->mNumMeshes; m++) {
        const struct aiMesh *part = scene->mMeshes[m];
        for (unsigned v = 0; v < part->mNumVertices; v++) {
            const struct aiVector3D *from = &part->mVertices[v];
            double *x = soup->x + 3 * (int64_t)(base + (int32_t)v);
            x[0] = (double)from->x;
            x[1] = (double)from->y;
            x[2] = (double)from->z;
        }
        for (unsigned f = 0; f < part->mNumFaces; f++) {
            for (unsigned a = 0; part->mFaces[f].mNumIndices == 3 && a < 3; a++) {
                unsigned v = part->mFaces[f].mIndices[a];
                if (v >= part->mNumVertices) {
                    return pal_fail(err, PAL_ERR_INPUT,
                                    "%s: a triangle names a vertex that is "
                                    "not there",
                                    name);
                }
                *corner++ = base + (int32_t)v;
            }
        }
        base += (int32_t)part->mNumVertices;
    }
    return PAL_OK;
}

// Joins equal positions; keeps the vertices that triangles use, in the order in which they do.
static pal_status join_vertices(pal_surface *surface, const char *name, pal_err *err) {
    int32_t *same = PAL_NEW(int32_t, surface->vertex_count, err);
    int32_t *place = PAL_NEW(int32_t, surface->vertex_count, err); // new number + 1
    double *x = PAL_NEW(double, 3 * (size_t)surface->vertex_count, err);
    pal_status status = same && place && x ? pal_surface_weld(surface, same, err) : PAL_ERR_MEMORY;
    int32_t count = 0;
    for (int64_t i = 0; i < 3 * (int64_t)surface->triangle_count && status == PAL_OK; i++) {
        int32_t v = same[surface->triangle[i]];
        const double *from = surface->x + 3 * (int64_t)v;
        if (place[v] == 0) {
            memcpy(x + 3 * (int64_t)count, from, 3 * sizeof *x);
            place[v] = ++count;
        }
        surface->triangle[i] = place[v] - 1;
        if (!isfinite(from[0]) || !isfinite(from[1]) || !isfinite(from[2])) {
            status = pal_fail(err, PAL_ERR_INPUT,
                              "%s: triangle %lld has a vertex that is not finite (%g, %g, %g)",
                              name, (long long)(i / 3), from[0], from[1], from[2]);
        }
    }
    free(same);
    free(place);
    if (status == PAL_OK) {
        free(surface->x);
        surface->x = x;
        surface->vertex_count = count;
    } else {
        free(x);
    }
    return status;
}

static pal_status take_scene(const struct aiScene *scene, const char *name, pal_surface *surface,
                             pal_err *err) {
    int32_t vertex_count = 0, triangle_count = 0;
    pal_status status = count_scene(scene, name, &vertex_count, &triangle_count, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_surface soup;
    status = pal_surface_alloc(&soup, vertex_count, triangle_count, err);
    status = status == PAL_OK ? copy_scene(scene, name, &soup, err) : status;
    status = status == PAL_OK ? join_vertices(&soup, name, err) : status;
    if (status != PAL_OK) {
        pal_surface_free(&soup);
        return status;
    }
    *surface = soup;
    return PAL_OK;
}

pal_status pal_surface_parse(pal_surface_format format, const char *name, const char *data,
                             size_t size, pal_surface *surface, pal_err *err) {
    memset(surface, 0, sizeof *surface);
    char *clean;
    size_t clean_size;
    pal_status status = pal_surface_clean(format, name, data, size, &clean, &clean_size, err);
    if (status != PAL_OK) {
        return status;
    }
    if (clean_size > UINT32_MAX) {
        free(clean);
        return pal_fail(err, PAL_ERR_UNSUPPORTED, "%s: too large", name);
    }
    const char *hint = endings[format == PAL_SURFACE_STL ? PAL_SURFACE_STL : PAL_SURFACE_OBJ];
    const struct aiScene *scene =
        aiImportFileFromMemory(clean, (unsigned)clean_size, aiProcess_Triangulate, hint);
    free(clean);
    if (scene == NULL) {
        const char *words = aiGetErrorString();
        return pal_fail(err, PAL_ERR_INPUT, "%s: not a readable %s file: %.400s", name,
                        endings[format], words != NULL ? words : "");
    }
    status = take_scene(scene, name, surface, err);
    aiReleaseImport(scene);
    return status;
}

pal_status pal_surface_read(const char *path, pal_surface *surface, pal_err *err) {
    memset(surface, 0, sizeof *surface);
    int format = format_of_path(path);
    if (format < 0) {
        return pal_fail(err, PAL_ERR_USAGE, "%s: surfaces are read from .obj, .stl and .ply", path);
    }
    char *data;
    size_t size;
    pal_status status = pal_file_read(path, &data, &size, err);
    if (status == PAL_OK) {
        status = pal_surface_parse((pal_surface_format)format, path, data, size, surface, err);
        free(data);
    }
    return status;
}

// Little-endian bytes, whatever the machine.
static char *put_bytes(char *out, uint64_t value, int count) {
    for (int i = 0; i < count; i++) {
        *out++ = (char)(value >> (8 * i) & 0xff);
    }
    return out;
}

pal_status pal_surface_write_ply(const char *path, const pal_surface *surface, pal_err *err) {
    char header[256];
    int header_size = snprintf(header, sizeof header,
                               "ply\nformat binary_little_endian 1.0\nelement vertex %d\n"
                               "property double x\nproperty double y\nproperty double z\n"
                               "element face %d\nproperty list uchar int vertex_indices\n"
                               "end_header\n",
                               surface->vertex_count, surface->triangle_count);
    size_t size = (size_t)header_size + 24 * (size_t)surface->vertex_count +
                  13 * (size_t)surface->triangle_count;
    char *data = PAL_NEW(char, size, err);
    if (data == NULL) {
        return PAL_ERR_MEMORY;
    }
    memcpy(data, header, (size_t)header_size);
    char *out = data + header_size;
    for (int64_t i = 0; i < 3 * (int64_t)surface->vertex_count; i++) {
        uint64_t bits;
        memcpy(&bits, surface->x + i, sizeof bits);
        out = put_bytes(out, bits, 8);
    }
    for (int64_t i = 0; i < 3 * (int64_t)surface->triangle_count; i++) {
        if (i % 3 == 0) {
            *out++ = 3;
        }
        out = put_bytes(out, (uint32_t)surface->triangle[i], 4);
    }
    pal_status status = pal_file_write_atomic(path, data, size, err);
    free(data);
    return status;
}
