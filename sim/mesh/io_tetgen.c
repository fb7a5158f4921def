// TetGen: a .node file (count, dimension, attributes, markers; then number x y z ...) and an .ele
// file (count, nodes each, attributes; then number, vertices, attributes) or our .hex file of the
// same layout with 8 nodes each. The first attribute of an element, a whole number, is its region.
// Numbers start from 0 or 1. Elements of 10 nodes are refused.
#include <math.h>
#include <string.h>
#include <strings.h>

#include "sim/mesh/readers.h"

// Fills draft->x and finds the number of the first vertex.
static pal_status read_nodes(const pal_text *text, pal_draft *draft, int64_t *first) {
    pal_scan scan;
    pal_scan_begin(&scan, text, '#', draft->err);
    int64_t extra[3]; // dimension, attributes, markers
    int64_t count = pal_scan_int(&scan, "the count of vertices");
    pal_scan_header(&scan, extra, 3);
    if (scan.status == PAL_OK && extra[0] != 3) {
        pal_scan_fail(&scan, PAL_ERR_INPUT, "the dimension must be 3");
    }
    pal_scan_check_count(&scan, "vertices", count, 4 + (int)(extra[1] + extra[2]));
    if (scan.status == PAL_OK) {
        scan.status = pal_draft_vertices(draft, count);
    }
    for (int64_t v = 0; v < count && scan.status == PAL_OK; v++) {
        int64_t number = pal_scan_int(&scan, "a vertex number");
        if (v == 0) {
            *first = number == 0 ? 0 : 1;
        }
        if (scan.status == PAL_OK && number != *first + v) {
            pal_scan_fail(&scan, PAL_ERR_INPUT,
                          "vertex %lld where %lld should be; vertices must "
                          "be numbered without gaps from 0 or 1",
                          (long long)number, (long long)(*first + v));
        }
        pal_scan_point(&scan, number, draft->x + 3 * v);
        pal_scan_skip(&scan, extra[1] + extra[2]);
    }
    return scan.status;
}

// The region of an element: TetGen writes its attributes as real numbers.
static int64_t scan_label(pal_scan *scan) {
    double value = pal_scan_real(scan, "a region");
    if (!(fabs(value) < 1e15) || value != floor(value)) {
        pal_scan_fail(scan, PAL_ERR_INPUT, "the region (first attribute) is not a whole number");
        return 0;
    }
    return (int64_t)value;
}

static pal_status read_elements(const pal_text *text, pal_draft *draft, int64_t first) {
    size_t length = strlen(text->name);
    bool hexes = length >= 4 && strcasecmp(text->name + length - 4, ".hex") == 0;
    pal_element_kind kind = hexes ? PAL_HEX8 : PAL_TET4;
    pal_scan scan;
    pal_scan_begin(&scan, text, '#', draft->err);
    int64_t extra[2]; // nodes per element, attributes
    int64_t count = pal_scan_int(&scan, "the count of elements");
    pal_scan_header(&scan, extra, 2);
    if (extra[0] == 10 && !hexes) {
        pal_scan_fail(&scan, PAL_ERR_UNSUPPORTED,
                      "quadratic (10-node) tetrahedra are not supported; run TetGen without -o2");
    }
    if (scan.status == PAL_OK && extra[0] != (int64_t)kind) {
        pal_scan_fail(&scan, PAL_ERR_INPUT, "elements of %lld nodes; %d were expected",
                      (long long)extra[0], (int)kind);
    }
    pal_scan_check_count(&scan, "elements", count, 1 + (int)(extra[0] + extra[1]));
    for (int64_t e = 0; e < count && scan.status == PAL_OK; e++) {
        int32_t vertex[8];
        pal_scan_int(&scan, "an element number");
        for (int i = 0; i < (int)kind; i++) {
            vertex[i] = pal_scan_vertex(&scan, first, draft->vertex_count);
        }
        int64_t label = extra[1] > 0 ? scan_label(&scan) : 0;
        pal_scan_skip(&scan, extra[1] - 1);
        if (scan.status == PAL_OK) {
            scan.status = pal_draft_add(draft, kind, vertex, label);
        }
    }
    return scan.status;
}

pal_status pal_tetgen_read(const pal_text *nodes, const pal_text *elements, pal_draft *draft) {
    int64_t first = 0;
    pal_status status = read_nodes(nodes, draft, &first);
    return status == PAL_OK ? read_elements(elements, draft, first) : status;
}
