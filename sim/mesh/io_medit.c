// MEDIT .mesh, ASCII: keywords in any order, each with a count and rows. Vertices, Tetrahedra and
// Hexahedra are read, their references are the regions; the rest is passed over.
#include "sim/mesh/readers.h"

typedef struct section {
    const char *keyword;
    int vertices; // of one row, before the reference
} section;

static const section volumes[] = {{"Tetrahedra", 4}, {"Hexahedra", 8}, {"Hexaedra", 8}};

// Elements that are counted only.
static const struct {
    const char *keyword;
    pal_draft_skipped kind;
} others[] = {{"Triangles", PAL_SKIPPED_TRIANGLE},  {"TrianglesP2", PAL_SKIPPED_FLAT},
              {"Quadrilaterals", PAL_SKIPPED_FLAT}, {"Edges", PAL_SKIPPED_FLAT},
              {"Prisms", PAL_SKIPPED_SOLID},        {"Pentahedra", PAL_SKIPPED_SOLID},
              {"Pyramids", PAL_SKIPPED_SOLID},      {"TetrahedraP2", PAL_SKIPPED_SOLID},
              {"HexahedraQ2", PAL_SKIPPED_SOLID}};

// The next keyword: passes over all numbers before it. Empty at the end.
static pal_word next_keyword(pal_scan *scan) {
    double number;
    pal_word word = pal_scan_word(scan);
    while (word.size > 0 && pal_word_real(word, &number)) {
        word = pal_scan_word(scan);
    }
    return pal_word_is(word, "End") ? (pal_word){.at = scan->end, .size = 0} : word;
}

static void read_vertices(pal_scan *scan, pal_draft *draft) {
    int64_t count = pal_scan_count(scan, "vertices", 4);
    if (scan->status == PAL_OK) {
        scan->status = pal_draft_vertices(draft, count);
    }
    for (int64_t v = 0; v < count && scan->status == PAL_OK; v++) {
        pal_scan_point(scan, v + 1, draft->x + 3 * v);
        pal_scan_int(scan, "a vertex reference");
    }
}

static void read_elements(pal_scan *scan, pal_draft *draft, int nodes) {
    int64_t count = pal_scan_count(scan, "elements", nodes + 1);
    for (int64_t e = 0; e < count && scan->status == PAL_OK; e++) {
        int32_t vertex[8];
        for (int i = 0; i < nodes; i++) {
            vertex[i] = pal_scan_vertex(scan, 1, draft->vertex_count);
        }
        int64_t label = pal_scan_int(scan, "a reference");
        if (scan->status == PAL_OK) {
            scan->status = pal_draft_add(draft, (pal_element_kind)nodes, vertex, label);
        }
    }
}

static void read_section(pal_scan *scan, pal_draft *draft, pal_word keyword) {
    for (size_t i = 0; i < sizeof volumes / sizeof *volumes; i++) {
        if (pal_word_is(keyword, volumes[i].keyword)) {
            read_elements(scan, draft, volumes[i].vertices);
        }
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (pal_word_is(keyword, others[i].keyword)) {
            draft->skipped[others[i].kind] += pal_scan_count(scan, others[i].keyword, 3);
        }
    }
}

pal_status pal_medit_read(const pal_text *text, pal_draft *draft) {
    pal_scan scan;
    pal_scan_begin(&scan, text, '#', draft->err);
    if (!pal_word_is(pal_scan_word(&scan), "MeshVersionFormatted")) {
        pal_scan_fail(&scan, PAL_ERR_INPUT, "a MEDIT file starts with MeshVersionFormatted");
    }
    // the vertices first, so that every index can be checked where it stands
    const pal_scan start = scan;
    for (pal_word word = next_keyword(&scan); word.size > 0; word = next_keyword(&scan)) {
        if (pal_word_is(word, "Dimension") && pal_scan_int(&scan, "the dimension") != 3) {
            pal_scan_fail(&scan, PAL_ERR_INPUT, "the dimension must be 3");
        }
        if (pal_word_is(word, "Vertices")) {
            read_vertices(&scan, draft);
        }
    }
    if (scan.status == PAL_OK && draft->x == NULL) {
        pal_scan_fail(&scan, PAL_ERR_INPUT, "there are no Vertices; is the file cut short?");
    }
    pal_status status = scan.status;
    if (status == PAL_OK) {
        scan = start;
        for (pal_word word = next_keyword(&scan); word.size > 0; word = next_keyword(&scan)) {
            read_section(&scan, draft, word);
        }
        status = scan.status;
    }
    return status;
}
