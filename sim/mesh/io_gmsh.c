// Gmsh .msh, ASCII: 1.0 ($NOD, $ELM), 2.x and 4.1. Volume elements are read; sections that we do
// not know are passed over. Physical groups of volumes are the regions (the first one of a volume
// that is in several, which are sets of elements too then); those of points, curves and surfaces
// are sets of the vertices on them.
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/mesh/readers.h"

typedef struct pair { // a number in the file and what it stands for
    int64_t tag, value;
    int64_t place; // where a pair must keep its order among those of its tag
} pair;

typedef struct reader {
    pal_scan scan;
    pal_draft *draft;
    double version;
    bool has_elements;
    int64_t node_count;
    pair *node;                              // [node_count] tag -> vertex, ascending tags
    int64_t entity_count[4], entity_room[4]; // by dimension
    pair *entity[4];                         // [entity_count] entities of 4.1 -> physical groups
    bool has_entities, has_overlaps;         // overlaps: some volume is in several groups
    int32_t list[4];                         // of the draft, by dimension
} reader;

typedef struct groups { // the physical groups of an element
    int dimension;
    int64_t count;
    const pair *at; // [count] the values are the groups
} groups;

static int compare_pairs(const void *a, const void *b) {
    int64_t left = ((const pair *)a)->tag, right = ((const pair *)b)->tag;
    return (left > right) - (left < right);
}

static const pair *find_pair(const pair *pairs, int64_t count, int64_t tag) {
    const pair wanted = {.tag = tag};
    // most files count without gaps
    if (count > 0 && tag >= pairs[0].tag && tag - pairs[0].tag < count &&
        pairs[tag - pairs[0].tag].tag == tag) {
        return &pairs[tag - pairs[0].tag];
    }
    return count == 0 ? NULL : bsearch(&wanted, pairs, (size_t)count, sizeof *pairs, compare_pairs);
}

static pair *new_pairs(reader *in, int64_t count) {
    pair *pairs = PAL_NEW(pair, count, in->draft->err);
    in->scan.status = pairs == NULL ? PAL_ERR_MEMORY : PAL_OK;
    return pairs;
}

static void need_end(reader *in, const char *keyword) {
    if (in->scan.status == PAL_OK && !pal_word_is(pal_scan_word(&in->scan), keyword)) {
        pal_scan_fail(&in->scan, PAL_ERR_INPUT, "%s should be here; is the count before it right?",
                      keyword);
    }
}

static void begin_nodes(reader *in, int64_t count) {
    if (in->scan.status == PAL_OK) {
        in->scan.status = pal_draft_vertices(in->draft, count);
    }
    if (in->scan.status == PAL_OK) {
        in->node = new_pairs(in, count);
        in->node_count = in->node != NULL ? count : 0;
    }
}

static void end_nodes(reader *in) {
    if (in->scan.status != PAL_OK) {
        return;
    }
    qsort(in->node, (size_t)in->node_count, sizeof *in->node, compare_pairs);
    for (int64_t i = 1; i < in->node_count; i++) {
        if (in->node[i].tag == in->node[i - 1].tag) {
            pal_scan_fail(&in->scan, PAL_ERR_INPUT, "node %lld is given twice",
                          (long long)in->node[i].tag);
        }
    }
}

// $NOD and $Nodes of 1.0 and 2.x: number x y z
static void read_nodes(reader *in, const char *end) {
    int64_t count = pal_scan_count(&in->scan, "nodes", 4);
    begin_nodes(in, count);
    for (int64_t v = 0; v < count && in->scan.status == PAL_OK; v++) {
        int64_t tag = pal_scan_int(&in->scan, "a node number");
        in->node[v] = (pair){.tag = tag, .value = v};
        pal_scan_point(&in->scan, tag, in->draft->x + 3 * v);
    }
    need_end(in, end);
    end_nodes(in);
}

// $Nodes of 4.1: blocks of (dimension, entity, parametric, count), their tags, their coordinates
static void read_nodes_41(reader *in) {
    pal_scan *scan = &in->scan;
    int64_t blocks = pal_scan_int(scan, "the count of node blocks");
    int64_t count = pal_scan_count(scan, "nodes", 4);
    pal_scan_int(scan, "the smallest node tag");
    pal_scan_int(scan, "the largest node tag");
    begin_nodes(in, count);
    int64_t read = 0;
    for (int64_t b = 0; b < blocks && scan->status == PAL_OK; b++) {
        int64_t dimension = pal_scan_int(scan, "the dimension of an entity");
        pal_scan_int(scan, "the tag of an entity");
        bool parametric = pal_scan_int(scan, "0 or 1 for parametric nodes") != 0;
        int64_t size = pal_scan_count(scan, "nodes of a block", 4);
        if (size > count - read) {
            pal_scan_fail(scan, PAL_ERR_INPUT, "the blocks hold more than the %lld nodes promised",
                          (long long)count);
        }
        for (int64_t i = 0; i < size && scan->status == PAL_OK; i++) {
            in->node[read + i] = (pair){.tag = pal_scan_int(scan, "a node tag"), .value = read + i};
        }
        for (int64_t i = 0; i < size && scan->status == PAL_OK; i++) {
            pal_scan_point(scan, in->node[read + i].tag, in->draft->x + 3 * (read + i));
            for (int64_t p = 0; parametric && p < dimension && p < 3; p++) {
                pal_scan_real(scan, "a parametric coordinate");
            }
        }
        read += size;
    }
    if (scan->status == PAL_OK && read != count) {
        pal_scan_fail(scan, PAL_ERR_INPUT, "%lld nodes were promised, %lld are there",
                      (long long)count, (long long)read);
    }
    need_end(in, "$EndNodes");
    end_nodes(in);
}

// By tags; those of one tag in the order of the file.
static int compare_entities(const void *a, const void *b) {
    const int order = compare_pairs(a, b);
    const int64_t left = ((const pair *)a)->place, right = ((const pair *)b)->place;
    return order != 0 ? order : (left > right) - (left < right);
}

static void add_entity(reader *in, int dimension, int64_t tag, int64_t group) {
    void *list = in->entity[dimension];
    in->scan.status = pal_grow(&list, sizeof(pair), in->entity_count[dimension],
                               &in->entity_room[dimension], in->draft->err);
    in->entity[dimension] = list;
    if (in->scan.status == PAL_OK) {
        in->entity[dimension][in->entity_count[dimension]] =
            (pair){.tag = tag, .value = llabs(group), .place = in->entity_count[dimension]};
        in->entity_count[dimension]++;
    }
}

// One entity: its tag, a point or a box, its physical groups, what bounds it
static void read_entity(reader *in, int dimension) {
    pal_scan *scan = &in->scan;
    int64_t tag = pal_scan_int(scan, "the tag of an entity");
    for (int c = 0; c < (dimension == 0 ? 3 : 6); c++) {
        pal_scan_real(scan, "a coordinate");
    }
    int64_t count = pal_scan_count(scan, "physical groups", 1);
    for (int64_t g = 0; g < count && scan->status == PAL_OK; g++) {
        int64_t group = pal_scan_int(scan, "a physical group");
        if (scan->status == PAL_OK) {
            add_entity(in, dimension, tag, group);
        }
    }
    in->has_overlaps = in->has_overlaps || (dimension == 3 && count > 1);
    int64_t sides = dimension == 0 ? 0 : pal_scan_count(scan, "bounding entities", 1);
    for (int64_t s = 0; s < sides && scan->status == PAL_OK; s++) {
        pal_scan_int(scan, "a bounding entity");
    }
}

// $Entities of 4.1: points, curves, surfaces, volumes and their physical groups
static void read_entities(reader *in) {
    pal_scan *scan = &in->scan;
    int64_t counts[4];
    for (int d = 0; d < 4; d++) {
        counts[d] = pal_scan_count(scan, "entities", 5);
    }
    for (int d = 0; d < 4; d++) {
        for (int64_t i = 0; i < counts[d] && scan->status == PAL_OK; i++) {
            read_entity(in, d);
        }
        if (in->entity_count[d] > 0) {
            qsort(in->entity[d], (size_t)in->entity_count[d], sizeof(pair), compare_entities);
        }
    }
    in->has_entities = true;
    need_end(in, "$EndEntities");
}

// The physical groups of an entity of 4.1
static groups find_groups(const reader *in, int dimension, int64_t tag) {
    const pair *list = in->entity[dimension];
    int64_t low = 0, high = in->entity_count[dimension];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (list[middle].tag < tag) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    int64_t end = low;
    while (end < in->entity_count[dimension] && list[end].tag == tag) {
        end++;
    }
    return (groups){
        .dimension = dimension, .count = end - low, .at = end > low ? list + low : NULL};
}

static pal_status name_group(reader *in, int dimension, int64_t group, pal_word name) {
    const pal_draft_tag of = {.list = in->list[dimension], .number = group};
    const pal_status status = pal_draft_name_set(in->draft, of, name);
    return status == PAL_OK && dimension == 3 ? pal_draft_name(in->draft, group, name, NULL)
                                              : status;
}

// $PhysicalNames: dimension, group, "name"
static void read_names(reader *in) {
    pal_scan *scan = &in->scan;
    int64_t count = pal_scan_count(scan, "physical names", 3);
    for (int64_t i = 0; i < count && scan->status == PAL_OK; i++) {
        int64_t dimension = pal_scan_int(scan, "the dimension of a physical group");
        int64_t group = pal_scan_int(scan, "the number of a physical group");
        pal_word name = pal_scan_line(scan);
        if (scan->status == PAL_OK &&
            (name.size < 3 || name.at[0] != '"' || name.at[name.size - 1] != '"')) {
            scan->line -= 1;
            pal_scan_fail(scan, PAL_ERR_INPUT, "a name in quotes should be here");
        } else if (scan->status == PAL_OK && dimension >= 0 && dimension <= 3) {
            name = (pal_word){.at = name.at + 1, .size = name.size - 2};
            scan->status = name_group(in, (int)dimension, group, name);
        }
    }
    need_end(in, "$EndPhysicalNames");
}

static bool is_solid(int64_t type) {
    static const uint8_t solid[] = {6,  7,  11, 12, 13, 14, 17, 18,  19,
                                    29, 30, 31, 90, 91, 92, 93, 118, 119};
    for (size_t i = 0; i < sizeof solid; i++) {
        if (type == solid[i]) {
            return true;
        }
    }
    return false;
}

// Of an element of this type: 0 of a point, 1 of lines, 3 of solids, 2 of all others.
static int dimension_of(int64_t type) {
    static const uint8_t lines[] = {1, 8, 26, 27, 28, 62, 63, 64, 65, 66};
    for (size_t i = 0; i < sizeof lines; i++) {
        if (type == lines[i]) {
            return 1;
        }
    }
    return type == 15 ? 0 : type == 4 || type == 5 || is_solid(type) ? 3 : 2;
}

static int64_t scan_node(reader *in) {
    int64_t tag = pal_scan_int(&in->scan, "a node number");
    const pair *found = find_pair(in->node, in->node_count, tag);
    if (found == NULL) {
        pal_scan_fail(&in->scan, PAL_ERR_INPUT, "there is no node %lld", (long long)tag);
    }
    return found != NULL ? found->value : 0;
}

static void put_into_groups(reader *in, const groups *of, int64_t index) {
    for (int64_t g = 0; g < of->count && in->scan.status == PAL_OK; g++) {
        const pal_draft_tag tag = {.list = in->list[of->dimension], .number = of->at[g].value};
        if (tag.number != 0) {
            in->scan.status = pal_draft_put(in->draft, tag, index);
        }
    }
}

// The nodes of one element to the end of its line: a tetrahedron (type 4), a hexahedron (5), or
// what is only known by its vertices, which go into its groups.
static void read_element(reader *in, int64_t type, const groups *of) {
    pal_scan *scan = &in->scan;
    if (type != 4 && type != 5) {
        pal_draft_skipped kind = type == 2        ? PAL_SKIPPED_TRIANGLE
                                 : is_solid(type) ? PAL_SKIPPED_SOLID
                                                  : PAL_SKIPPED_FLAT;
        in->draft->skipped[kind]++;
        while (of->dimension < 3 && of->count > 0 && !pal_scan_line_done(scan)) {
            put_into_groups(in, of, scan_node(in));
        }
        pal_scan_line(scan);
        return;
    }
    const bool solid = of->dimension == 3;
    pal_element_kind kind = type == 4 ? PAL_TET4 : PAL_HEX8;
    int32_t vertex[8];
    for (int i = 0; i < (int)kind && scan->status == PAL_OK; i++) {
        vertex[i] = (int32_t)scan_node(in);
    }
    if (scan->status == PAL_OK) {
        const int64_t label = solid && of->count > 0 ? of->at[0].value : 0;
        scan->status = pal_draft_add(in->draft, kind, vertex, label);
    }
    if (scan->status == PAL_OK && solid && in->has_overlaps) {
        put_into_groups(in, of, in->draft->element_count - 1);
    }
}

// $ELM of 1.0: number type group entity count nodes; $Elements of 2.x: number type tags... nodes
static void read_elements(reader *in, const char *end) {
    pal_scan *scan = &in->scan;
    int64_t count = pal_scan_count(scan, "elements", 4);
    for (int64_t e = 0; e < count && scan->status == PAL_OK; e++) {
        pal_scan_int(scan, "an element number");
        int64_t type = pal_scan_int(scan, "an element type"), label = 0;
        if (in->version < 2.0) {
            label = pal_scan_int(scan, "a physical group");
            pal_scan_int(scan, "an elementary entity");
            pal_scan_int(scan, "a count of nodes");
        } else {
            int64_t tags = pal_scan_count(scan, "tags of an element", 1);
            for (int64_t t = 0; t < tags && scan->status == PAL_OK; t++) {
                int64_t tag = pal_scan_int(scan, "a tag of an element");
                label = t == 0 ? tag : label;
            }
        }
        const pair group = {.value = label};
        const groups of = {.dimension = dimension_of(type), .count = 1, .at = &group};
        read_element(in, type, &of);
    }
    need_end(in, end);
}

// $Elements of 4.1: blocks of (dimension, entity, type, count), then tag and nodes
static void read_elements_41(reader *in) {
    pal_scan *scan = &in->scan;
    int64_t blocks = pal_scan_int(scan, "the count of element blocks");
    int64_t count = pal_scan_count(scan, "elements", 2), read = 0;
    pal_scan_int(scan, "the smallest element tag");
    pal_scan_int(scan, "the largest element tag");
    for (int64_t b = 0; b < blocks && scan->status == PAL_OK; b++) {
        int64_t dimension = pal_scan_int(scan, "the dimension of an entity");
        int64_t entity = pal_scan_int(scan, "the tag of an entity");
        int64_t type = pal_scan_int(scan, "an element type");
        int64_t size = pal_scan_count(scan, "elements of a block", 2);
        const bool known = dimension >= 0 && dimension <= 3;
        const groups of = known ? find_groups(in, (int)dimension, entity) : (groups){.count = 0};
        for (int64_t e = 0; e < size && scan->status == PAL_OK; e++) {
            pal_scan_int(scan, "an element tag");
            read_element(in, type, &of);
        }
        read += size;
    }
    if (scan->status == PAL_OK && read != count) {
        pal_scan_fail(scan, PAL_ERR_INPUT, "%lld elements were promised, %lld are there",
                      (long long)count, (long long)read);
    }
    need_end(in, "$EndElements");
}

static void read_format(reader *in) {
    in->version = pal_scan_real(&in->scan, "the version");
    bool binary = pal_scan_int(&in->scan, "0 for ASCII") != 0;
    if (in->scan.status != PAL_OK) {
        return;
    }
    if (!(in->version >= 2.0 && in->version < 3.0) && in->version != 4.1) {
        pal_scan_fail(&in->scan, PAL_ERR_UNSUPPORTED,
                      "Gmsh format %g is not supported; save as 4.1 or 2.2 (ASCII)", in->version);
    } else if (binary) {
        pal_scan_fail(&in->scan, PAL_ERR_UNSUPPORTED,
                      "binary Gmsh files are not supported; save as ASCII (gmsh -save -format msh4 "
                      "without -bin)");
    }
    pal_scan_int(&in->scan, "the size of a number");
    need_end(in, "$EndMeshFormat");
}

// Passes over a section up to its end, which is named $End... or $END... as its start.
static void skip_section(reader *in, pal_word keyword) {
    for (pal_word word = pal_scan_word(&in->scan); word.size > 0; word = pal_scan_word(&in->scan)) {
        if (word.size == keyword.size + 3 && strncmp(word.at, "$End", 4) == 0 &&
            memcmp(word.at + 4, keyword.at + 1, keyword.size - 1) == 0) {
            return;
        }
        pal_scan_line(&in->scan);
    }
    char name[40];
    pal_word_copy(keyword, name, sizeof name);
    pal_scan_fail(&in->scan, PAL_ERR_INPUT, "section %s has no end; is the file cut short?", name);
}

static void read_section(reader *in, pal_word keyword) {
    bool elements = pal_word_is(keyword, "$ELM") || pal_word_is(keyword, "$Elements");
    bool nodes = pal_word_is(keyword, "$NOD") || pal_word_is(keyword, "$Nodes");
    bool old = pal_word_is(keyword, "$NOD") || pal_word_is(keyword, "$ELM");
    if (keyword.at[0] != '$') {
        pal_scan_fail(&in->scan, PAL_ERR_INPUT, "a section ($...) should start here");
    } else if (elements && in->draft->x == NULL) {
        pal_scan_fail(&in->scan, PAL_ERR_INPUT, "elements come before the nodes");
    } else if (old ? in->version != 0.0 : (nodes || elements) && in->version == 0.0) {
        pal_scan_fail(&in->scan, PAL_ERR_INPUT, "this section does not fit the $MeshFormat");
    } else if (pal_word_is(keyword, "$MeshFormat")) {
        read_format(in);
    } else if (pal_word_is(keyword, "$PhysicalNames")) {
        read_names(in);
    } else if (pal_word_is(keyword, "$Entities") && in->version > 4.0 && !in->has_entities) {
        read_entities(in);
    } else if (nodes && in->version > 4.0) {
        read_nodes_41(in);
    } else if (nodes) {
        read_nodes(in, old ? "$ENDNOD" : "$EndNodes");
    } else if (elements && in->version > 4.0) {
        read_elements_41(in);
    } else if (elements) {
        read_elements(in, old ? "$ENDELM" : "$EndElements");
    } else {
        skip_section(in, keyword);
    }
    in->has_elements = in->has_elements || elements;
}

pal_status pal_gmsh_read(const pal_text *text, pal_draft *draft) {
    reader in = {.draft = draft};
    static const char *const prefix[4] = {"point=", "curve=", "surface=", "volume="};
    pal_scan_begin(&in.scan, text, '\0', draft->err);
    for (int d = 0; d < 4 && in.scan.status == PAL_OK; d++) {
        const pal_word word = {.at = prefix[d], .size = strlen(prefix[d])};
        in.scan.status = pal_draft_add_list(draft, word, d == 3, &in.list[d]);
    }
    for (pal_word word = pal_scan_word(&in.scan); word.size > 0; word = pal_scan_word(&in.scan)) {
        read_section(&in, word);
    }
    if (in.scan.status == PAL_OK && !in.has_elements) {
        pal_scan_fail(&in.scan, PAL_ERR_INPUT, "there are no elements; is the file cut short?");
    }
    free(in.node);
    for (int d = 0; d < 4; d++) {
        free(in.entity[d]);
    }
    return in.scan.status;
}
