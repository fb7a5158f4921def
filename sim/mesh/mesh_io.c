#include "sim/mesh/mesh_io.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "sim/mesh/include.h"
#include "sim/mesh/readers.h"

static const struct {
    const char *ending;
    pal_mesh_format format;
} endings[] = {{".msh", PAL_MESH_GMSH},       {".node", PAL_MESH_TETGEN}, {".ele", PAL_MESH_TETGEN},
               {".hex", PAL_MESH_TETGEN},     {".mesh", PAL_MESH_MEDIT},  {".vtu", PAL_MESH_VTU},
               {".vtk", PAL_MESH_VTK_LEGACY}, {".veg", PAL_MESH_VEGA}};

// The ending of a path, from its last dot; "" when it has none.
static const char *ending_of(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot == NULL || strchr(dot, '/') != NULL ? "" : dot;
}

static bool find_format(const char *path, pal_mesh_format *format) {
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (strcasecmp(ending_of(path), endings[i].ending) == 0) {
            *format = endings[i].format;
            return true;
        }
    }
    return false;
}

bool pal_mesh_is_volume_path(const char *path) {
    pal_mesh_format format;
    return find_format(path, &format);
}

static pal_status fill_draft(pal_mesh_format format, const pal_text *first, const pal_text *second,
                             pal_draft *draft) {
    switch (format) {
    case PAL_MESH_GMSH:
        return pal_gmsh_read(first, draft);
    case PAL_MESH_TETGEN:
        return pal_tetgen_read(first, second, draft);
    case PAL_MESH_MEDIT:
        return pal_medit_read(first, draft);
    case PAL_MESH_VTU:
        return pal_vtu_read(first, draft);
    case PAL_MESH_VTK_LEGACY:
        return pal_vtk_read(first, draft);
    case PAL_MESH_VEGA:
        return pal_vega_read(first, draft);
    }
    return pal_fail(draft->err, PAL_ERR_UNSUPPORTED, "mesh format %d is not known", (int)format);
}

pal_status pal_mesh_parse(pal_mesh_format format, const pal_text *first, const pal_text *second,
                          pal_volmesh *mesh, pal_err *err) {
    memset(mesh, 0, sizeof *mesh);
    bool pair = format == PAL_MESH_TETGEN;
    pal_draft draft = {.name = pair ? second->name : first->name, .err = err};
    pal_status status = fill_draft(format, first, second, &draft);
    if (status == PAL_OK) {
        status = pal_draft_finish(&draft, mesh);
    }
    pal_draft_free(&draft);
    return status;
}

// Reads a file that must hold something.
static pal_status read_text(const char *path, char **data, pal_text *text, pal_err *err) {
    size_t size = 0;
    pal_status status = pal_file_read(path, data, &size, err);
    if (status == PAL_OK && size == 0) {
        status = pal_fail(err, PAL_ERR_INPUT, "%s: is empty", path);
    }
    *text = (pal_text){.name = path, .data = *data, .size = size};
    return status;
}

static pal_status read_pair(const char *nodes, const char *elements, pal_volmesh *mesh,
                            pal_err *err) {
    char *node_data = NULL, *element_data = NULL;
    pal_text first, second;
    pal_status status = read_text(nodes, &node_data, &first, err);
    if (status == PAL_OK) {
        status = read_text(elements, &element_data, &second, err);
    }
    if (status == PAL_OK) {
        status = pal_mesh_parse(PAL_MESH_TETGEN, &first, &second, mesh, err);
    }
    free(node_data);
    free(element_data);
    return status;
}

// `path` with another ending, in capitals when path's is.
static char *sibling(const char *path, const char *ending, pal_err *err) {
    const char *old = ending_of(path);
    size_t stem = strlen(path) - strlen(old), room = stem + strlen(ending) + 1;
    char *made = PAL_NEW(char, room, err);
    if (made != NULL) {
        memcpy(made, path, stem);
        for (size_t i = 0; i < strlen(ending); i++) {
            bool capital = isupper((unsigned char)old[1]);
            made[stem + i] = (char)(capital ? toupper((unsigned char)ending[i]) : ending[i]);
        }
    }
    return made;
}

// A .node was named: takes the .ele or the .hex beside it.
static pal_status read_beside_nodes(const char *nodes, pal_volmesh *mesh, pal_err *err) {
    char *tets = sibling(nodes, ".ele", err), *hexes = sibling(nodes, ".hex", err);
    pal_status status = PAL_ERR_MEMORY;
    if (tets != NULL && hexes != NULL) {
        bool has_tets = access(tets, F_OK) == 0, has_hexes = access(hexes, F_OK) == 0;
        if (has_tets && has_hexes) {
            status = pal_fail(err, PAL_ERR_INPUT,
                              "%s: both %s and %s are there; name the one that "
                              "you mean",
                              nodes, tets, hexes);
        } else if (!has_tets && !has_hexes && access(nodes, F_OK) == 0) {
            status =
                pal_fail(err, PAL_ERR_IO, "%s: there is no %s or %s beside it", nodes, tets, hexes);
        } else {
            status = read_pair(nodes, has_hexes ? hexes : tets, mesh, err);
        }
    }
    free(tets);
    free(hexes);
    return status;
}

static pal_status read_tetgen(const char *path, pal_volmesh *mesh, pal_err *err) {
    if (strcasecmp(ending_of(path), ".node") == 0) {
        return read_beside_nodes(path, mesh, err);
    }
    char *nodes = sibling(path, ".node", err);
    pal_status status = nodes != NULL ? read_pair(nodes, path, mesh, err) : PAL_ERR_MEMORY;
    free(nodes);
    return status;
}

static pal_status read_disk(void *context, const char *path, char **data, size_t *size,
                            pal_err *err) {
    (void)context;
    return pal_file_read(path, data, size, err);
}

pal_status pal_mesh_read(const char *path, pal_volmesh *mesh, pal_err *err) {
    static const pal_mesh_files disk = {.read = read_disk};
    memset(mesh, 0, sizeof *mesh);
    pal_mesh_format format;
    if (!find_format(path, &format)) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED,
                        "%s: is not a volume mesh by its ending; known are .msh .node .ele .hex "
                        ".mesh .vtu .vtk .veg",
                        path);
    }
    if (format == PAL_MESH_TETGEN) {
        return read_tetgen(path, mesh, err);
    }
    char *data = NULL;
    pal_text text;
    pal_status status = read_text(path, &data, &text, err);
    if (status == PAL_OK) {
        text.files = &disk;
        status = pal_mesh_parse(format, &text, NULL, mesh, err);
    }
    free(data);
    return status;
}

// ---- what a mesh is read from

typedef struct visitor {
    pal_status (*visit)(void *context, const pal_text *text, pal_err *err);
    void *context;
} visitor;

// A file that another one names: visited on its way.
static pal_status read_visited(void *context, const char *path, char **data, size_t *size,
                               pal_err *err) {
    const visitor *v = context;
    pal_status status = pal_file_read(path, data, size, err);
    if (status == PAL_OK) {
        const pal_text text = {.name = path, .data = *data, .size = *size};
        status = v->visit(v->context, &text, err);
    }
    if (status != PAL_OK) {
        free(*data);
        *data = NULL;
    }
    return status;
}

static pal_status visit_beside(visitor *v, const char *path, pal_err *err) {
    static const char *const parts[] = {".node", ".ele", ".hex"};
    pal_status status = PAL_OK;
    for (int i = 0; i < 3 && status == PAL_OK; i++) {
        char *beside = sibling(path, parts[i], err), *data = NULL;
        size_t size;
        if (beside == NULL) {
            return PAL_ERR_MEMORY;
        }
        if (strcmp(beside, path) != 0 && access(beside, R_OK) == 0) {
            status = read_visited(v, beside, &data, &size, err);
        }
        free(data);
        free(beside);
    }
    return status;
}

pal_status pal_mesh_sources(const char *path,
                            pal_status (*visit)(void *context, const pal_text *text, pal_err *err),
                            void *context, pal_err *err) {
    visitor v = {.visit = visit, .context = context};
    const pal_mesh_files files = {.read = read_visited, .context = &v};
    pal_mesh_format format;
    const bool known = find_format(path, &format);
    pal_text text = {.name = path, .files = &files};
    char *data = NULL;
    pal_status status = read_visited(&v, path, &data, &text.size, err);
    text.data = data;
    if (status == PAL_OK && known && format == PAL_MESH_TETGEN) {
        status = visit_beside(&v, path, err);
    } else if (status == PAL_OK && known && format == PAL_MESH_VEGA) {
        pal_included whole;
        status = pal_include(&text, &whole, err);
        pal_included_free(&whole);
    }
    free(data);
    return status;
}
