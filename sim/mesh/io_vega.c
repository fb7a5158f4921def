// VEGA .veg: *VERTICES, *ELEMENTS (TET or CUBIC), *MATERIAL (ENU), *SET and *REGION. A region is
// named after its set, or after its material when the set is allElements. An element in several
// regions belongs to the last; every set is a set of the mesh too. Lines *INCLUDE stand for the
// file that they name, TetGen's .node and .ele behind *VERTICES and *ELEMENTS among them.
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/mesh/include.h"
#include "sim/mesh/readers.h"

enum { PARTS_MAX = 1024 }; // materials, sets and regions, each

typedef struct part { // a material, a set or a region
    pal_word name;    // of a region: its set
    pal_word other;   // of a region: its material
    pal_scan place;   // of a set: where its numbers start; of a region: its line
    pal_material material;
} part;

typedef struct parts {
    int count;
    part *list; // [PARTS_MAX]
} parts;

typedef struct reader {
    pal_scan scan;
    pal_draft *draft;
    int64_t first_vertex, first_element;
    parts materials, sets, regions;
} reader;

static part *add_part(reader *in, parts *to, pal_word name) {
    if (in->scan.status == PAL_OK && name.size == 0) {
        pal_scan_fail(&in->scan, PAL_ERR_INPUT, "a name is missing");
    }
    if (in->scan.status == PAL_OK && to->list == NULL) {
        to->list = PAL_NEW(part, PARTS_MAX, in->draft->err);
        in->scan.status = to->list == NULL ? PAL_ERR_MEMORY : PAL_OK;
    }
    if (to->count == PARTS_MAX) {
        pal_scan_fail(&in->scan, PAL_ERR_UNSUPPORTED, "more than %d materials, sets or regions",
                      PARTS_MAX);
    }
    if (in->scan.status != PAL_OK) {
        return NULL;
    }
    part *made = &to->list[to->count++];
    *made = (part){.name = name};
    return made;
}

static bool same_word(pal_word a, pal_word b) {
    return a.size == b.size && memcmp(a.at, b.at, a.size) == 0;
}

static const part *find_part(const parts *in, pal_word name) {
    for (int i = 0; i < in->count; i++) {
        if (same_word(in->list[i].name, name)) {
            return &in->list[i];
        }
    }
    return NULL;
}

static bool is_all(pal_word set) {
    return pal_word_is(set, "allElements");
}

// *VERTICES: count, 3, attributes, markers, then number x y z ...
static void read_vertices(reader *in) {
    pal_scan *scan = &in->scan;
    int64_t count = pal_scan_count(scan, "vertices", 4);
    int64_t extra[3]; // dimension, attributes, markers
    pal_scan_header(scan, extra, 3);
    if (extra[0] != 3) {
        pal_scan_fail(scan, PAL_ERR_INPUT, "the dimension must be 3");
    }
    pal_scan_line(scan);
    if (scan->status == PAL_OK) {
        scan->status = pal_draft_vertices(in->draft, count);
    }
    for (int64_t v = 0; v < count && scan->status == PAL_OK; v++) {
        int64_t number = pal_scan_int(scan, "a vertex number");
        if (v == 0) {
            in->first_vertex = number == 0 ? 0 : 1;
        }
        if (scan->status == PAL_OK && number != in->first_vertex + v) {
            pal_scan_fail(scan, PAL_ERR_INPUT, "vertex %lld where %lld should be",
                          (long long)number, (long long)(in->first_vertex + v));
        }
        pal_scan_point(scan, number, in->draft->x + 3 * v);
        pal_scan_skip(scan, extra[1] + extra[2]);
    }
}

// *ELEMENTS: TET or CUBIC; count, nodes, attributes; then number and vertices ... Labels are set
// later.
static void read_elements(reader *in) {
    pal_scan *scan = &in->scan;
    pal_word word = pal_scan_word(scan);
    bool tets = pal_word_is(word, "TET") || pal_word_is(word, "TETS");
    pal_element_kind kind = tets ? PAL_TET4 : PAL_HEX8;
    if (!tets && !pal_word_is(word, "CUBIC")) {
        pal_scan_fail(scan, PAL_ERR_UNSUPPORTED, "the kind of elements must be TET or CUBIC");
    } else if (in->draft->x == NULL || in->draft->element_count > 0) {
        pal_scan_fail(scan, PAL_ERR_INPUT, "*ELEMENTS must come once, after *VERTICES");
    }
    int64_t count = pal_scan_count(scan, "elements", 1 + (int)kind);
    int64_t extra[2]; // nodes, attributes
    pal_scan_header(scan, extra, 2);
    if (extra[0] != (int64_t)kind) {
        pal_scan_fail(scan, PAL_ERR_INPUT, "these elements have %d nodes", (int)kind);
    }
    pal_scan_line(scan);
    for (int64_t e = 0; e < count && scan->status == PAL_OK; e++) {
        int32_t vertex[8];
        int64_t number = pal_scan_int(scan, "an element number");
        if (e == 0) {
            in->first_element = number == 0 ? 0 : 1;
        }
        if (scan->status == PAL_OK && number != in->first_element + e) {
            pal_scan_fail(scan, PAL_ERR_INPUT, "element %lld where %lld should be",
                          (long long)number, (long long)(in->first_element + e));
        }
        for (int i = 0; i < (int)kind; i++) {
            vertex[i] = pal_scan_vertex(scan, in->first_vertex, in->draft->vertex_count);
        }
        pal_scan_skip(scan, extra[1]);
        if (scan->status == PAL_OK) {
            scan->status = pal_draft_add(in->draft, kind, vertex, -1);
        }
    }
}

// *MATERIAL name, then ENU, density, Young's modulus, Poisson's ratio
static void read_material(reader *in) {
    pal_scan *scan = &in->scan;
    part *made = add_part(in, &in->materials, pal_scan_line(scan));
    pal_word kind = pal_scan_word(scan);
    if (!pal_word_is(kind, "ENU")) {
        char shown[40];
        pal_word_copy(kind, shown, sizeof shown);
        pal_scan_fail(scan, PAL_ERR_UNSUPPORTED,
                      "material kind '%s' is not supported; only ENU (density, Young's modulus, "
                      "Poisson's ratio) is",
                      shown);
    }
    pal_material material;
    material.density = pal_scan_real(scan, "a density");
    material.young = pal_scan_real(scan, "a Young's modulus");
    material.poisson = pal_scan_real(scan, "a Poisson's ratio");
    if (made != NULL) {
        made->material = material;
    }
}

// *REGION, then set, material
static void read_region(reader *in) {
    pal_scan *scan = &in->scan;
    pal_scan_line(scan);
    while (pal_scan_left(scan) > 0 && pal_scan_line_done(scan)) {
        pal_scan_line(scan);
    }
    pal_scan place = *scan;
    pal_word line = pal_scan_line(scan);
    const char *comma = line.size > 0 ? memchr(line.at, ',', line.size) : NULL;
    if (comma == NULL) {
        pal_scan_fail(&place, PAL_ERR_INPUT, "a region is given by 'set, material'");
        scan->status = scan->status == PAL_OK ? place.status : scan->status;
        return;
    }
    pal_word set = {.at = line.at, .size = (size_t)(comma - line.at)};
    pal_word material = {.at = comma + 1, .size = line.size - set.size - 1};
    while (set.size > 0 && (set.at[set.size - 1] == ' ' || set.at[set.size - 1] == '\t')) {
        set.size--;
    }
    while (material.size > 0 && (*material.at == ' ' || *material.at == '\t')) {
        material.at++;
        material.size--;
    }
    part *made = add_part(in, &in->regions, set);
    if (made != NULL) {
        made->other = material;
        made->place = place;
    }
}

static void read_section(reader *in, pal_word keyword) {
    pal_scan *scan = &in->scan;
    if (pal_word_is(keyword, "*VERTICES")) {
        read_vertices(in);
    } else if (pal_word_is(keyword, "*ELEMENTS")) {
        read_elements(in);
    } else if (pal_word_is(keyword, "*MATERIAL")) {
        read_material(in);
    } else if (pal_word_is(keyword, "*REGION")) {
        read_region(in);
    } else if (pal_word_is(keyword, "*SET")) {
        part *made = add_part(in, &in->sets, pal_scan_line(scan));
        if (made != NULL) {
            made->place = *scan;
        }
        while (pal_scan_left(scan) > 0 && (pal_scan_line_done(scan) || *scan->at != '*')) {
            pal_scan_line(scan);
        }
    } else {
        char shown[40];
        pal_word_copy(keyword, shown, sizeof shown);
        pal_scan_fail(scan, PAL_ERR_INPUT, "'%s' is not a section of a VEGA file", shown);
    }
}

static pal_status label_all(pal_draft *draft, int64_t label) {
    for (int64_t e = 0; e < draft->element_count; e++) {
        draft->label[e] = draft->label[e] < 0 ? label : draft->label[e];
    }
    return PAL_OK;
}

// Gives the elements of a set that have no region yet to region `label`; label < 0: puts
// all of them into the set `of` of the mesh.
static pal_status take_set(reader *in, const part *set, int64_t label, pal_draft_tag of) {
    pal_draft *draft = in->draft;
    pal_scan scan = set->place;
    while (pal_scan_left(&scan) > 0) {
        if (pal_scan_line_done(&scan)) {
            pal_scan_line(&scan);
            continue;
        }
        if (*scan.at == '*') {
            break;
        }
        int64_t number = pal_scan_int(&scan, "an element number"), e = number - in->first_element;
        if (scan.status == PAL_OK && (number < 0 || e < 0 || e >= draft->element_count)) {
            pal_scan_fail(&scan, PAL_ERR_INPUT, "there is no element %lld", (long long)number);
        } else if (scan.status == PAL_OK && label < 0) {
            scan.status = pal_draft_put(draft, of, e);
        } else if (scan.status == PAL_OK && draft->label[e] < 0) {
            draft->label[e] = label;
        }
    }
    return scan.status;
}

// All sets, named as they are.
static pal_status make_sets(reader *in) {
    int32_t list = 0;
    pal_status status = pal_draft_add_list(in->draft, (pal_word){.at = "", .size = 0}, true, &list);
    for (int i = 0; i < in->sets.count && status == PAL_OK; i++) {
        const pal_draft_tag of = {.list = list, .number = i};
        status = pal_draft_name_set(in->draft, of, in->sets.list[i].name);
        if (status == PAL_OK) {
            status = take_set(in, &in->sets.list[i], -1, of);
        }
    }
    return status;
}

// Whether a later region uses the same set, so that this one keeps nothing.
static bool is_overruled(const reader *in, int region) {
    for (int i = region + 1; i < in->regions.count; i++) {
        if (same_word(in->regions.list[i].name, in->regions.list[region].name)) {
            return true;
        }
    }
    return false;
}

// From the last region to the first, since later ones take from earlier ones. A file that says
// nothing of materials is a mesh like any other.
static pal_status apply_regions(reader *in) {
    pal_draft *draft = in->draft;
    if (in->regions.count == 0 && in->materials.count == 0) {
        return in->scan.status;
    }
    for (int i = in->regions.count - 1; i >= 0 && in->scan.status == PAL_OK; i--) {
        part *region = &in->regions.list[i];
        const part *set = find_part(&in->sets, region->name);
        const part *material = find_part(&in->materials, region->other);
        if (material == NULL || (set == NULL && !is_all(region->name))) {
            char shown[64];
            pal_word_copy(material == NULL ? region->other : region->name, shown, sizeof shown);
            pal_scan_fail(&region->place, PAL_ERR_INPUT, "there is no %s '%s'",
                          material == NULL ? "material" : "set", shown);
            return region->place.status;
        }
        if (!is_overruled(in, i)) {
            in->scan.status = set == NULL ? label_all(draft, i)
                                          : take_set(in, set, i, (pal_draft_tag){.list = 0});
        }
        if (in->scan.status == PAL_OK) {
            in->scan.status = pal_draft_name(draft, i, set == NULL ? material->name : set->name,
                                             &material->material);
        }
    }
    for (int64_t e = 0; e < draft->element_count && in->scan.status == PAL_OK; e++) {
        if (draft->label[e] < 0) {
            return pal_fail_at(draft->err, PAL_ERR_INPUT, draft->name, 0,
                               "element %lld is in no *REGION, so it has no material",
                               (long long)(e + in->first_element));
        }
    }
    return in->scan.status;
}

static pal_status read_all(reader *in) {
    pal_scan *scan = &in->scan;
    for (pal_word word = pal_scan_word(scan); word.size > 0; word = pal_scan_word(scan)) {
        read_section(in, word);
    }
    if (in->draft->element_count == 0) {
        pal_scan_fail(scan, PAL_ERR_INPUT, "there are no elements; is the file cut short?");
    }
    pal_status status = scan->status;
    if (status == PAL_OK) {
        status = apply_regions(in);
    }
    return status == PAL_OK ? make_sets(in) : status;
}

pal_status pal_vega_read(const pal_text *text, pal_draft *draft) {
    reader in = {.draft = draft};
    pal_included whole;
    pal_status status = pal_include(text, &whole, draft->err);
    if (status == PAL_OK) {
        pal_scan_begin(&in.scan, &whole.text, '#', draft->err);
        in.scan.part = whole.part;
        in.scan.part_count = whole.part_count;
        in.scan.commas = true;
        status = read_all(&in);
    }
    free(in.materials.list);
    free(in.sets.list);
    free(in.regions.list);
    pal_included_free(&whole);
    return status;
}
