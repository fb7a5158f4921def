// A volume mesh in the making: what the readers fill and pal_draft_finish turns into a tidy
// pal_volmesh. Set-up only, any thread.
#ifndef PAL_MESH_DRAFT_H
#define PAL_MESH_DRAFT_H

#include "sim/mesh/scan.h"
#include "sim/mesh/volmesh.h"

typedef enum pal_draft_skipped { // elements that a reader passes over
    PAL_SKIPPED_TRIANGLE,
    PAL_SKIPPED_FLAT,  // points, lines, polygons
    PAL_SKIPPED_SOLID, // volume elements that we do not know: an error in the end
} pal_draft_skipped;

typedef struct pal_draft_region {
    int64_t label;
    pal_region region;
} pal_draft_region;

typedef struct pal_draft_list {   // what the sets of one list have in common
    char prefix[PAL_REGION_NAME]; // of those without a name, before their tag: "tissue="
    bool of_elements;             // else of vertices
} pal_draft_list;

typedef struct pal_draft_tag { // a set: a list of the draft and a number in it
    int64_t number;
    int32_t list;
} pal_draft_tag;

typedef struct pal_draft_member {
    pal_draft_tag of;
    int32_t index; // a vertex as the file counts them, or an element of the draft
} pal_draft_member;

typedef struct pal_draft_title {
    pal_draft_tag of;
    char name[PAL_REGION_NAME];
} pal_draft_title;

typedef struct pal_draft {
    const char *name; // of the file, for messages
    pal_err *err;
    int32_t vertex_count;
    double *x;             // [vertex_count][3], the reader writes it
    pal_element_kind kind; // of the first element; those of the other kind are only counted
    int64_t element_count, element_room;
    int32_t *element; // [element_count][kind]
    int64_t *label;   // [element_count]
    int64_t other_count;
    int64_t skipped[3]; // by pal_draft_skipped
    int64_t region_count, region_room;
    pal_draft_region *region; // [region_count] labels that have a name
    int64_t list_count, list_room, member_count, member_room, title_count, title_room;
    pal_draft_list *list;     // [list_count]
    pal_draft_member *member; // [member_count] of all sets, in any order
    pal_draft_title *title;   // [title_count] the names of sets that have one
} pal_draft;

// Makes x for `count` vertices, once; fails when there are none.
pal_status pal_draft_vertices(pal_draft *draft, int64_t count);

// Adds one element; vertices in range, order as in volmesh.h. Elements of one label make a region.
pal_status pal_draft_add(pal_draft *draft, pal_element_kind kind, const int32_t *vertex,
                         int64_t label);

// Gives the region of a label its name (and a material, which may be NULL).
pal_status pal_draft_name(pal_draft *draft, int64_t label, pal_word name,
                          const pal_material *material);

// Sets beside the regions (draft_sets.c): a list of them, members by the tags of sets, their names.
// Of a list with more than PAL_DRAFT_NAMELESS tags without a name, such as one of numbers of
// elements, only the named sets are made.
enum { PAL_DRAFT_NAMELESS = 256 };
pal_status pal_draft_add_list(pal_draft *draft, pal_word prefix, bool of_elements, int32_t *list);
pal_status pal_draft_put(pal_draft *draft, pal_draft_tag of, int64_t index);
pal_status pal_draft_name_set(pal_draft *draft, pal_draft_tag of, pal_word name);

// Makes the sets of a mesh that is tidy. On failure it may have some of them.
pal_status pal_draft_make_sets(pal_draft *draft, pal_volmesh *mesh);

// Makes the mesh. Regions come in ascending order of labels and are named as pal_draft_name said,
// otherwise by their label; a single region without a name is "body".
pal_status pal_draft_finish(pal_draft *draft, pal_volmesh *mesh);

void pal_draft_free(pal_draft *draft);

#endif
