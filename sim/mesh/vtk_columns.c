// Arrays over cells and points as regions and sets.
#include <stdlib.h>
#include <string.h>

#include "sim/mesh/vtk_data.h"

void pal_vtk_keep_column(pal_vtk_columns *columns, pal_word name, bool of_cells, int64_t *value) {
    if (columns->count == PAL_VTK_COLUMNS || value == NULL) {
        free(value);
        return;
    }
    pal_vtk_column *made = &columns->list[columns->count++];
    *made = (pal_vtk_column){.of_cells = of_cells, .value = value};
    pal_word_copy(name, made->name, sizeof made->name);
}

void pal_vtk_free_columns(pal_vtk_columns *columns) {
    for (int32_t i = 0; i < columns->count; i++) {
        free(columns->list[i].value);
    }
    columns->count = 0;
}

// How well a name is known for telling regions: 0 the best.
static size_t rank_of(const char *name) {
    static const char *const known[] = {
        "region",    "regions",       "region_id",   "regionid",    "material",
        "materials", "materialid",    "materialids", "material_id", "label",
        "labels",    "gmsh:physical", "medit:ref",   "tetgen:ref",  "cellentityids"};
    const pal_word word = {.at = name, .size = strlen(name)};
    size_t i = 0;
    while (i < sizeof known / sizeof *known && !pal_word_is(word, known[i])) {
        i++;
    }
    return i < sizeof known / sizeof *known ? i : SIZE_MAX;
}

const pal_vtk_column *pal_vtk_label(const pal_vtk_columns *columns) {
    const pal_vtk_column *best = NULL;
    size_t best_rank = SIZE_MAX;
    for (int32_t i = 0; i < columns->count; i++) {
        const pal_vtk_column *column = &columns->list[i];
        const size_t rank = column->of_cells ? rank_of(column->name) : SIZE_MAX;
        if (rank < best_rank) {
            best = column;
            best_rank = rank;
        }
    }
    return best;
}

// Whether an array has few enough values to make sets of; *mask: they are 0 and 1 alone.
static bool has_few_values(const int64_t *value, int64_t count, bool *mask) {
    int64_t seen[PAL_DRAFT_NAMELESS];
    int many = 0, last = 0;
    *mask = true;
    for (int64_t i = 0; i < count; i++) {
        *mask = *mask && (value[i] == 0 || value[i] == 1);
        int k = last < many && seen[last] == value[i] ? last : 0;
        while (k < many && seen[k] != value[i]) {
            k++;
        }
        if (k == PAL_DRAFT_NAMELESS) {
            return false;
        }
        seen[k] = value[i];
        many = k == many ? many + 1 : many;
        last = k;
    }
    return true;
}

// Two lists of one name, of elements and of vertices, and in an array of 0 and 1 its one set.
static pal_status add_lists(pal_draft *draft, const char *name, bool mask, int32_t list[2]) {
    char prefix[PAL_REGION_NAME + 1];
    const size_t length = strlen(name) < 38 ? strlen(name) : 38; // room for a value behind it
    memcpy(prefix, name, length);
    prefix[length] = '=';
    const pal_word title = {.at = name, .size = strlen(name)};
    pal_status status = PAL_OK;
    for (int k = 0; k < 2 && status == PAL_OK; k++) {
        const pal_word word = {.at = prefix, .size = length + 1};
        status = pal_draft_add_list(draft, word, k == 0, &list[k]);
        if (status == PAL_OK && mask) {
            const pal_draft_tag of = {.list = list[k], .number = 1};
            status = pal_draft_name_set(draft, of, title);
        }
    }
    return status;
}

// The vertices of a flat cell.
static pal_status put_vertices(const pal_vtk_cells *cells, int64_t c, pal_draft_tag of,
                               pal_draft *draft) {
    pal_status status = PAL_OK;
    for (int64_t i = c > 0 ? cells->end[c - 1] : 0; i < cells->end[c] && status == PAL_OK; i++) {
        const int64_t v = cells->connectivity[i];
        if (v < 0 || v >= draft->vertex_count) {
            return pal_fail_at(draft->err, PAL_ERR_INPUT, draft->name, 0,
                               "cell %lld (from 0) names point %lld, but there are %d",
                               (long long)c, (long long)v, draft->vertex_count);
        }
        status = pal_draft_put(draft, of, v);
    }
    return status;
}

static pal_status put_column(const pal_vtk_cells *cells, const int64_t *element,
                             const pal_vtk_column *column, bool tells_regions, pal_draft *draft) {
    const int64_t count = column->of_cells ? cells->count : draft->vertex_count;
    bool mask;
    int32_t list[2];
    if (!has_few_values(column->value, count, &mask)) {
        return PAL_OK;
    }
    mask = mask && !tells_regions;
    pal_status status = add_lists(draft, column->name, mask, list);
    for (int64_t i = 0; i < count && status == PAL_OK; i++) {
        const int64_t number = column->value[i];
        const bool flat = column->of_cells && element[i] < 0;
        const pal_draft_tag of = {.list = list[flat || !column->of_cells], .number = number};
        if (mask && number == 0) {
            continue;
        }
        if (flat) {
            status = put_vertices(cells, i, of, draft);
        } else if (!tells_regions) {
            status = pal_draft_put(draft, of, column->of_cells ? element[i] : i);
        }
    }
    return status;
}

pal_status pal_vtk_add_sets(const pal_vtk_cells *cells, const int64_t *element, pal_draft *draft) {
    const pal_vtk_column *label = pal_vtk_label(cells->columns);
    pal_status status = PAL_OK;
    for (int32_t i = 0; i < cells->columns->count && status == PAL_OK; i++) {
        const pal_vtk_column *column = &cells->columns->list[i];
        status = put_column(cells, element, column, column == label, draft);
    }
    return status;
}
