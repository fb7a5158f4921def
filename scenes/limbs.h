// Bodies that branch (flowers, dragons, oaks, vessels) as volume meshes: limbs that grow out of
// each other. A limb is a block of cells, swept along a smooth curve; its first layer of vertices
// is a patch of cells on its parent's side or end, so the mesh is conforming wherever limbs meet.
// Every cell is cut into six tets around its diagonal, all cells alike, as pal_mesh_block does.
//
// Limbs of one region name are one region: one domain of the body, or a class of domains by itself.
#ifndef PAL_SCENES_LIMBS_H
#define PAL_SCENES_LIMBS_H

#include "sim/mesh/volmesh.h"

// The faces of a limb. A limb has its own axes: u and v across, w along its curve, (u, v, w)
// right-handed. Cells of a side are counted across the limb and along its curve, those of the ends
// along u and v.
typedef enum pal_limb_side {
    PAL_LIMB_END,   // +w
    PAL_LIMB_START, // -w, of the first limb alone: the others have their parent there
    PAL_LIMB_LEFT,  // -u
    PAL_LIMB_RIGHT, // +u
    PAL_LIMB_FRONT, // -v
    PAL_LIMB_BACK,  // +v
} pal_limb_side;

typedef struct pal_limb_point { // of a limb's curve
    double x[3];                // m: from the middle of the patch that it grows from
    double half[2];             // m: half sizes of the section there, across and along the parent
} pal_limb_point;

typedef struct pal_limb {
    const char *region;
    int32_t parent;     // a limb that is there; -1: the first one, which begins at `origin`
    pal_limb_side side; // of the parent
    int32_t at[2];      // the first cell of the patch: across and along the parent
    int32_t cells[3];   // across and along the parent, then along its own curve
    double round;       // of the section: 0 a rectangle, 1 an ellipse
    int32_t point_count;
    const pal_limb_point *point; // [point_count]; the curve begins in the middle of the patch
    double origin[3], half[2];   // m: where the first limb begins, and its section there
    double u[3], v[3];           // the axes of that section, unit vectors; zeros: x and y
} pal_limb;

typedef struct pal_grown_limb { // as the mesh has it
    int32_t n[3];               // cells along u, v, w
    int32_t *vertex;            // [(n2+1)(n1+1)(n0+1)], u fastest
    int32_t region;
} pal_grown_limb;

typedef struct pal_limbs {
    int32_t limb_count, limb_room;
    pal_grown_limb *limb; // [limb_count]
    int32_t vertex_count, vertex_room;
    double *x; // [vertex_count][3]
    int32_t region_count;
    char (*region)[PAL_REGION_NAME]; // [limb_count] room for so many
    pal_err *err;                    // what went wrong first; may be NULL
    bool failed;                     // what has been grown since then is missing
} pal_limbs;

// The index of the new limb. After a failure (no memory, a patch off its parent) nothing more
// grows.
int32_t pal_limbs_grow(pal_limbs *limbs, const pal_limb *limb);

// The vertices of a patch of cells [size] on a face, on the heap, *count of them; NULL on failure.
int32_t *pal_limbs_patch(pal_limbs *limbs, int32_t limb, pal_limb_side side, const int32_t at[2],
                         const int32_t size[2], int32_t *count);
// The outward normal of that patch (unit) and its middle.
void pal_limbs_patch_frame(pal_limbs *limbs, int32_t limb, pal_limb_side side, const int32_t at[2],
                           const int32_t size[2], double middle[3], double normal[3]);

// The mesh of all limbs: regions in the order of their first limbs. An element without a positive
// volume is an error that names its region.
pal_status pal_limbs_mesh(const pal_limbs *limbs, pal_volmesh *mesh, pal_err *err);
void pal_limbs_free(pal_limbs *limbs);

#endif
