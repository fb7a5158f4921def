// Runs a selector's program over all vertices, or all elements, at once: each operation makes or
// combines arrays of marks.
#include "sim/mesh/select.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/mesh/select_parse.h"
#include "sim/mesh/surface.h"

// What =, <= and >= take as equal: coordinates that differ by less than this share of the mesh's
// longest side. < and > are exact, but for the rounding of a coordinate: this share of the largest.
static const double tolerance_share = 1e-9, rounding_share = 8.0 * DBL_EPSILON;

typedef struct selection {
    const pal_volmesh *mesh;
    const pal_select_program *program;
    bool of_elements;
    int32_t count;              // vertices or elements
    const double *x;            // [count][3] positions or centroids
    double low[3], high[3];     // m, the box of the vertices
    double tolerance, rounding; // m
    uint8_t *vertex_mark;       // [vertex_count] scratch
    pal_err *err;
} selection;

pal_status pal_select_check(const char *selector, pal_err *err) {
    pal_select_program program;
    pal_status status = pal_select_parse(selector, &program, err);
    pal_select_program_free(&program);
    return status;
}

// Place number `index` of an operation, on its axis.
static double resolve(const selection *s, const pal_select_op *op, int index, int axis) {
    const pal_select_place *place = &s->program->place[op->first_place + index];
    const double low = s->low[axis], high = s->high[axis];
    const double from = place->from == PAL_FROM_MIN   ? low
                        : place->from == PAL_FROM_MAX ? high
                                                      : 0.0;
    return from + place->offset + place->share * (high - low);
}

static void mark_compare(const selection *s, const pal_select_op *op, uint8_t *mark) {
    const double bound = resolve(s, op, 0, op->axis);
    for (int32_t i = 0; i < s->count; i++) {
        double difference = s->x[3 * (int64_t)i + op->axis] - bound;
        mark[i] = (op->less && difference < -s->rounding) ||
                  (op->greater && difference > s->rounding) ||
                  (op->equal && fabs(difference) <= s->tolerance);
    }
}

static void mark_near(const selection *s, const pal_select_op *op, uint8_t *mark) {
    const double centre[3] = {resolve(s, op, 0, 0), resolve(s, op, 1, 1), resolve(s, op, 2, 2)};
    for (int32_t i = 0; i < s->count; i++) {
        const double *x = s->x + 3 * (int64_t)i;
        double distance = hypot(hypot(x[0] - centre[0], x[1] - centre[1]), x[2] - centre[2]);
        mark[i] = distance <= op->radius + s->tolerance;
    }
}

static void mark_box(const selection *s, const pal_select_op *op, uint8_t *mark) {
    memset(mark, 1, (size_t)s->count);
    for (int c = 0; c < 3; c++) {
        const double a = resolve(s, op, c, c), b = resolve(s, op, c + 3, c);
        const double low = fmin(a, b) - s->tolerance, high = fmax(a, b) + s->tolerance;
        for (int32_t i = 0; i < s->count; i++) {
            const double x = s->x[3 * (int64_t)i + c];
            mark[i] = mark[i] && x >= low && x <= high;
        }
    }
}

// From marks of vertices (vertex_mark) to what is asked for. An element needs all of its vertices,
// or any.
static void mark_from_vertices(const selection *s, bool all, uint8_t *mark) {
    if (!s->of_elements) {
        memcpy(mark, s->vertex_mark, (size_t)s->count);
        return;
    }
    int nodes = (int)s->mesh->kind;
    for (int32_t e = 0; e < s->count; e++) {
        const int32_t *vertex = pal_volmesh_element(s->mesh, e);
        int marked = 0;
        for (int a = 0; a < nodes; a++) {
            marked += s->vertex_mark[vertex[a]];
        }
        mark[e] = all ? marked == nodes : marked > 0;
    }
}

// How many vertices the file had.
static int32_t count_file_vertices(const pal_volmesh *mesh) {
    int64_t count = (int64_t)mesh->vertex_count + mesh->dropped_count;
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        count = mesh->file_vertex[v] >= count ? (int64_t)mesh->file_vertex[v] + 1 : count;
    }
    return count > INT32_MAX ? INT32_MAX : (int32_t)count;
}

// named [file_count + 1]: how many of the ranges hold each vertex of the file.
static pal_status count_names(const selection *s, const pal_select_op *op, int32_t file_count,
                              int32_t *named) {
    for (int32_t i = 0; i < op->range_count; i++) {
        const pal_select_range *range = s->program->range + op->first_range + i;
        if (range->last >= file_count) {
            return pal_select_fail(s->err, s->program->text, op->column,
                                   "there is no vertex %lld; the file has %d, numbered from 0 to "
                                   "%d",
                                   (long long)range->last, file_count, file_count - 1);
        }
        named[range->first]++;
        named[range->last + 1]--;
    }
    for (int32_t v = 1; v < file_count; v++) {
        named[v] += named[v - 1];
    }
    return PAL_OK;
}

static pal_status mark_vertices(const selection *s, const pal_select_op *op, uint8_t *mark) {
    const pal_volmesh *mesh = s->mesh;
    int32_t file_count = count_file_vertices(mesh);
    int32_t *named = PAL_NEW(int32_t, (size_t)file_count + 1, s->err);
    if (named == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_status status = count_names(s, op, file_count, named);
    if (status != PAL_OK) {
        free(named);
        return status;
    }
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        int32_t *name = named + mesh->file_vertex[v];
        s->vertex_mark[v] = *name != 0;
        *name = 0;
    }
    // What is left was named but is not in the mesh.
    for (int32_t f = 0; f < file_count && status == PAL_OK; f++) {
        if (named[f] != 0) {
            status = pal_select_fail(s->err, s->program->text, op->column,
                                     "vertex %d belongs to no element and is not in the mesh; "
                                     "leave it out",
                                     f);
        }
    }
    free(named);
    mark_from_vertices(s, true, mark);
    return status;
}

// Appends a name to a list for a message.
static void list_name(char list[400], const char *name) {
    size_t used = strlen(list);
    snprintf(list + used, 400 - used, "%s%s", used > 0 ? ", " : "", name);
}

static pal_status fail_unknown_name(const selection *s, const pal_select_op *op) {
    char known[400] = "", sets[400] = "";
    for (int32_t g = 0; g < s->mesh->region_count; g++) {
        list_name(known, s->mesh->regions[g].name);
    }
    for (int32_t k = 0; k < s->mesh->set_count; k++) {
        list_name(sets, s->mesh->sets[k].name);
    }
    return pal_select_fail(s->err, s->program->text, op->column,
                           "there is no %s '%.*s'; the mesh has: %.300s%s%s%.200s%s",
                           op->kind == PAL_SELECT_SET ? "set" : "region",
                           op->name_length > 64 ? 64 : (int)op->name_length,
                           s->program->text + op->name_start, known,
                           strlen(known) > 300 ? "..." : "", sets[0] != '\0' ? "; sets: " : "",
                           sets, strlen(sets) > 200 ? "..." : "");
}

static bool is_named(const selection *s, const pal_select_op *op, const char *name) {
    return strlen(name) == (size_t)op->name_length &&
           memcmp(name, s->program->text + op->name_start, (size_t)op->name_length) == 0;
}

// An element is given to all that are asked for: itself, or its vertices.
static void give_element(const selection *s, int32_t e, uint8_t *mark) {
    if (s->of_elements) {
        mark[e] = 1;
        return;
    }
    const int32_t *vertex = pal_volmesh_element(s->mesh, e);
    for (int a = 0; a < (int)s->mesh->kind; a++) {
        mark[vertex[a]] = 1;
    }
}

// A vertex is in every region that one of its elements is in.
static bool mark_region(const selection *s, const pal_select_op *op, uint8_t *mark) {
    const pal_volmesh *mesh = s->mesh;
    bool found = false;
    for (int32_t g = 0; g < mesh->region_count; g++) {
        if (!is_named(s, op, mesh->regions[g].name)) {
            continue;
        }
        found = true;
        for (int32_t e = 0; e < mesh->element_count; e++) {
            if (mesh->region[e] == g) {
                give_element(s, e, mark);
            }
        }
    }
    return found;
}

// Likewise for sets of elements; of those of vertices an element is selected by any.
static bool mark_set(const selection *s, const pal_select_op *op, uint8_t *mark) {
    bool found = false;
    memset(s->vertex_mark, 0, (size_t)s->mesh->vertex_count);
    for (int32_t k = 0; k < s->mesh->set_count; k++) {
        const pal_mesh_set *set = &s->mesh->sets[k];
        if (!is_named(s, op, set->name)) {
            continue;
        }
        found = true;
        for (int32_t i = 0; i < set->count; i++) {
            if (set->of_elements) {
                give_element(s, set->index[i], mark);
            } else {
                s->vertex_mark[set->index[i]] = 1;
            }
        }
    }
    for (int32_t i = 0; found && i < s->count; i++) {
        const int32_t *vertex = s->of_elements ? pal_volmesh_element(s->mesh, i) : &i;
        for (int a = 0; a < (s->of_elements ? (int)s->mesh->kind : 1); a++) {
            mark[i] |= s->vertex_mark[vertex[a]];
        }
    }
    return found;
}

// A name is looked for among what its word says first, then among the others.
static pal_status mark_named(const selection *s, const pal_select_op *op, uint8_t *mark) {
    const bool sets_first = op->kind == PAL_SELECT_SET;
    memset(mark, 0, (size_t)s->count);
    bool found = sets_first ? mark_set(s, op, mark) : mark_region(s, op, mark);
    if (!found) {
        found = sets_first ? mark_region(s, op, mark) : mark_set(s, op, mark);
    }
    return found ? PAL_OK : fail_unknown_name(s, op);
}

static pal_status mark_leaf(const selection *s, const pal_select_op *op, uint8_t *mark) {
    pal_status status = PAL_OK;
    switch (op->kind) {
    case PAL_SELECT_SURFACE:
        status = pal_surface_mark(s->mesh, s->vertex_mark, s->err);
        if (status == PAL_OK) {
            mark_from_vertices(s, false, mark);
        }
        return status;
    case PAL_SELECT_COMPARE:
        mark_compare(s, op, mark);
        return PAL_OK;
    case PAL_SELECT_VERTICES:
        return mark_vertices(s, op, mark);
    case PAL_SELECT_REGION:
    case PAL_SELECT_SET:
        return mark_named(s, op, mark);
    case PAL_SELECT_NEAR:
        mark_near(s, op, mark);
        return PAL_OK;
    case PAL_SELECT_BOX:
        mark_box(s, op, mark);
        return PAL_OK;
    default: // all, none
        memset(mark, op->kind == PAL_SELECT_ALL, (size_t)s->count);
        return PAL_OK;
    }
}

// stack [program depth][count]; the answer ends at its bottom.
static pal_status run_program(const selection *s, uint8_t *stack) {
    uint8_t *top = stack; // the first free row
    for (int32_t o = 0; o < s->program->op_count; o++) {
        const pal_select_op *op = s->program->op + o;
        if (op->kind == PAL_SELECT_AND || op->kind == PAL_SELECT_OR) {
            top -= s->count;
            uint8_t *left = top - s->count;
            for (int32_t i = 0; i < s->count; i++) {
                left[i] = op->kind == PAL_SELECT_AND ? left[i] & top[i] : left[i] | top[i];
            }
        } else if (op->kind == PAL_SELECT_NOT) {
            for (int32_t i = 1; i <= s->count; i++) {
                top[-i] = !top[-i];
            }
        } else {
            pal_status status = mark_leaf(s, op, top);
            if (status != PAL_OK) {
                return status;
            }
            top += s->count;
        }
    }
    return PAL_OK;
}

static void find_centroids(const pal_volmesh *mesh, double *centroid) {
    int nodes = (int)mesh->kind;
    for (int32_t e = 0; e < mesh->element_count; e++) {
        const int32_t *vertex = pal_volmesh_element(mesh, e);
        for (int c = 0; c < 3; c++) {
            double sum = 0.0;
            for (int a = 0; a < nodes; a++) {
                sum += mesh->x[3 * (int64_t)vertex[a] + c];
            }
            centroid[3 * (int64_t)e + c] = sum / nodes;
        }
    }
}

// The box of the mesh, and what follows from it.
static void measure_box(selection *s) {
    double longest = 0.0, farthest = 0.0;
    pal_volmesh_box(s->mesh, s->low, s->high);
    for (int c = 0; c < 3; c++) {
        longest = fmax(longest, s->high[c] - s->low[c]);
        farthest = fmax(farthest, fmax(fabs(s->low[c]), fabs(s->high[c])));
    }
    s->tolerance = tolerance_share * longest;
    s->rounding = rounding_share * farthest;
}

static pal_status evaluate(selection *s, uint8_t *selected, int32_t *selected_count) {
    const pal_volmesh *mesh = s->mesh;
    pal_err *err = s->err;
    s->count = s->of_elements ? mesh->element_count : mesh->vertex_count;
    measure_box(s);
    double *centroid = PAL_NEW(double, s->of_elements ? 3 * (size_t)s->count : 0, err);
    uint8_t *stack = PAL_NEW(uint8_t, (size_t)s->program->depth * (size_t)s->count, err);
    s->vertex_mark = PAL_NEW(uint8_t, mesh->vertex_count, err);
    pal_status status = !centroid || !stack || !s->vertex_mark ? PAL_ERR_MEMORY : PAL_OK;
    if (status == PAL_OK) {
        if (s->of_elements) {
            find_centroids(mesh, centroid);
        }
        s->x = s->of_elements ? centroid : mesh->x;
        status = run_program(s, stack);
    }
    int32_t count = 0;
    for (int32_t i = 0; i < s->count && status == PAL_OK; i++) {
        selected[i] = stack[i];
        count += selected[i];
    }
    if (selected_count != NULL) {
        *selected_count = count;
    }
    free(centroid);
    free(stack);
    free(s->vertex_mark);
    return status;
}

static pal_status select_by_text(const pal_volmesh *mesh, bool of_elements, const char *selector,
                                 uint8_t *selected, int32_t *count, pal_err *err) {
    pal_select_program program;
    pal_status status = pal_select_parse(selector, &program, err);
    if (status != PAL_OK) {
        return status;
    }
    selection s = {.mesh = mesh, .program = &program, .of_elements = of_elements, .err = err};
    status = evaluate(&s, selected, count);
    pal_select_program_free(&program);
    return status;
}

pal_status pal_select_vertices(const pal_volmesh *mesh, const char *selector, uint8_t *selected,
                               int32_t *count, pal_err *err) {
    return select_by_text(mesh, false, selector, selected, count, err);
}

pal_status pal_select_elements(const pal_volmesh *mesh, const char *selector, uint8_t *selected,
                               int32_t *count, pal_err *err) {
    return select_by_text(mesh, true, selector, selected, count, err);
}

pal_status pal_select_nothing(const pal_volmesh *mesh, pal_status status, pal_err *err,
                              const char *format, ...) {
    char what[400];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    double low[3], high[3];
    pal_volmesh_box(mesh, low, high);
    return pal_fail(err, status,
                    "%s; the body's box is x %.6g to %.6g, y %.6g to %.6g, z %.6g to %.6g m", what,
                    low[0], high[0], low[1], high[1], low[2], high[2]);
}
