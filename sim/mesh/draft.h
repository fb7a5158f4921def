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
} pal_draft;

// Makes x for `count` vertices, once; fails when there are none.
pal_status pal_draft_vertices(pal_draft *draft, int64_t count);

// Adds one element; vertices in range, order as in volmesh.h. Elements of one label make a region.
pal_status pal_draft_add(pal_draft *draft, pal_element_kind kind, const int32_t *vertex,
                         int64_t label);

// Gives the region of a label its name (and a material, which may be NULL).
pal_status pal_draft_name(pal_draft *draft, int64_t label, pal_word name,
                          const pal_material *material);

// Makes the mesh. Regions come in ascending order of labels and are named as pal_draft_name said,
// otherwise by their label; a single region without a name is "body".
pal_status pal_draft_finish(pal_draft *draft, pal_volmesh *mesh);

void pal_draft_free(pal_draft *draft);

#endif
