// Local compliance beyond the basis: the dent that no mode can make (MATH.md 5.1).
//
//     G = K^-1 - U (U^T K U)^-1 U^T      K the linear stiffness at rest
//
// is positive semidefinite and short-ranged. Its 3x3 blocks between vertices of the volume mesh
// that are nearer than `radius` are baked; a point of contact is a weighted mean of such vertices
// (barycentric on its triangle, embedded in its element). The blocks turn with the surface. With H
// the rows of the contacts, W_res = H G H^T adds to the compliance of the modes, and the dent is
// G H^T lambda.
#ifndef PAL_CONTACT_LOCAL_H
#define PAL_CONTACT_LOCAL_H

#include "sim/base/outcome.h"
#include "sim/contact/footprint.h"
#include "sim/contact/stiffening.h"
#include "sim/contact/touch.h"
#include "sim/reduced/body.h"

typedef enum pal_local_way { PAL_LOCAL_NONE, PAL_LOCAL_EXACT, PAL_LOCAL_FAST } pal_local_way;

typedef struct pal_local { // const while it is used
    int32_t way;           // pal_local_way: how it was baked
    int32_t vertex_count;  // of the volume mesh
    int32_t row_count;     // vertices that may be touched; 0: no local compliance
    int32_t block_count;
    double radius;   // m
    int32_t *row;    // [vertex_count] the row of a vertex, -1: none
    int32_t *vertex; // [row_count] ascending
    int32_t *first;  // [row_count + 1]
    int32_t *column; // [block_count] rows, ascending in each row; symmetric
    float *block;    // [block_count][9] m/N, row-major; block (b, a) is (a, b)^T
} pal_local;

enum {
    PAL_LOCAL_VERTICES = 240,
    PAL_LOCAL_CHUNK = 64, // columns of G that are kept together, in floats
    PAL_LOCAL_CHUNKS = (9 * PAL_LOCAL_VERTICES + PAL_LOCAL_CHUNK - 1) / PAL_LOCAL_CHUNK,
    PAL_LOCAL_TOGETHER = 4, // forces whose work is done at once
    PAL_LOCAL_WORK =
        (PAL_MAX_TOUCHES + PAL_LOCAL_TOGETHER) * (PAL_LOCAL_CHUNKS * PAL_LOCAL_CHUNK + 16),
    PAL_LOCAL_SLOTS = 1024,
    PAL_LOCAL_SHARE = PAL_FOOTPRINT_VERTICES, // also: three points of at most eight vertices
    PAL_LOCAL_SHARES = PAL_MAX_TOUCHES * PAL_LOCAL_SHARE,
};

typedef struct pal_dent pal_dent;

typedef struct pal_local_share { // of a touch in vertices
    int32_t count;
    int32_t vertex[PAL_LOCAL_SHARE]; // index into pal_local_rows.row
    double weight[PAL_LOCAL_SHARE];
} pal_local_share;

// The vertices behind a set of touches, each once: those that carry the point where a touch is
// (its displacement is theirs), and those over which its force is spread; and G between them. From
// one tick to the next they are mostly the same, so they are kept: vertices that no touch uses any
// more stay until they are too many. All zero to begin with.
typedef struct pal_local_rows {
    int32_t touch_count, vertex_count;
    int32_t row[PAL_LOCAL_VERTICES]; // of pal_local
    int16_t slot[PAL_LOCAL_SLOTS];   // where a row is in `row`: hashed, 1 + place, 0: empty
    // G: [vertex][9] of each vertex, cut into chunks
    _Alignas(64) float block[PAL_LOCAL_CHUNKS][PAL_LOCAL_VERTICES][PAL_LOCAL_CHUNK];
    pal_local_share point[PAL_MAX_TOUCHES];
    pal_local_share spread[PAL_MAX_TOUCHES];
    bool spreads[PAL_MAX_TOUCHES]; // false: its spread is its point
    // Spread by vertex: its touches are user[user_first[v]] .. user[user_first[v + 1] - 1].
    int32_t user_first[PAL_LOCAL_VERTICES + 1];
    int32_t user[PAL_LOCAL_SHARES];
    float user_share[PAL_LOCAL_SHARES];
    int32_t width;                           // of a row of work
    _Alignas(64) float work[PAL_LOCAL_WORK]; // [touch][width] what its force does to each vertex
    // As stiff as the dent has grown (stiffening.h)
    bool stiffened;                           // some share is below 1
    float least;                              // of the shares
    float share[PAL_LOCAL_VERTICES];          // s of each vertex
    float normal[PAL_LOCAL_VERTICES][3];      // n
    float touch_normal[PAL_MAX_TOUCHES][3];   // n under each touch, which its force goes by
    _Alignas(64) float along[PAL_LOCAL_WORK]; // as work, of the forces times 1 - s
} pal_local_rows;

// A force is spread over the footprint of its touch; without one (NULL) over what carries its
// point. Shares of vertices without a row (held ones, or beyond the touch region) are left out: no
// dent there. PAL_OUT_BUDGET: more vertices than there is room for; those with the smallest shares
// were left out. RT safe.
pal_outcome pal_local_gather(const pal_local *local, const pal_body *body,
                             const pal_footprint *footprint, const pal_touch_set *set,
                             pal_local_rows *rows);

// Forgets the vertices that are kept: those of another table follow. RT safe.
void pal_local_clear(pal_local_rows *rows);

// Where a row of the table is among the gathered vertices, -1: it is not. RT safe.
int32_t pal_local_find(const pal_local_rows *rows, int32_t row);

// w [3n][ld] += scale R H G F^T R^T in world axes, three rows a touch: the displacement of the
// point of one touch (H) under the spread force of another (F), H S G S F^T where the dent has
// grown stiffer (pal_local_stiffen). R turns from rest to now; scale: 1 for the materials as baked.
// Symmetric when forces are not spread, and nearly so when they are.
// presses [n]: whose columns are wanted, NULL: all. Uses rows->work. RT safe.
void pal_local_add(pal_local_rows *rows, const bool *presses, double scale, double turn[3][3],
                   double *w, int32_t ld);

// The same for the points of another tool: w [3 n_to][ld] += scale R H_to G F_from^T R^T, with S of
// the dent of `from` (law and dent: its own). RT safe.
void pal_local_add_across(const pal_local *local, const pal_local_rows *from,
                          const pal_local_rows *to, const pal_stiffening *law, const pal_dent *dent,
                          double scale, double turn[3][3], double *w, int32_t ld);

// Displacements of volume vertices, which the body adds to where its coordinates put its points:
// pal_dent_begin, the dents of all tools, pal_dent_end.
enum { PAL_DENT_TOOLS = 4, PAL_DENT_PARTS = 3 };
struct pal_dent {
    double *u;        // [vertex_count][3] m, zero where there is none
    double *yielding; // [vertex_count][3] m, the part of u that is linear in the forces
    int32_t *touched; // [vertex_count + 1] vertices that may have one, also without a row
    uint8_t *marked;  // [vertex_count] 1 where listed
    int32_t touched_count;
    double most;   // m, no shorter than the longest
    double travel; // m, how far the vertex that changed most went at each end, all added up

    double *last;          // [vertex_count][3] m, between begin and end: the last dent; else 0
    int32_t *last_touched; // [vertex_count + 1]
    int32_t last_count;
    float (*sum)[PAL_DENT_PARTS][4]; // [row_count] what a tool adds, before it is turned; else 0
    float (*depth)[PAL_DENT_TOOLS];  // [row_count] x_v of each tool's dent (stiffening.h)
    bool stiffened;                  // some are not zero
    int32_t loaded;                  // rows that carry a force, of all tools
    int32_t *listed;                 // [row_count + 1] rows that may have such a sum
    uint8_t *summed;                 // [row_count] 1 where listed
    int32_t *source;    // [row_count] rows near which they are: their forces make the sums
    uint8_t *is_source; // [row_count] 1 where listed so
    int32_t listed_count, source_count;
};

void pal_dent_begin(pal_dent *dent); // No dent, and the last one remembered. RT safe.
void pal_dent_end(pal_dent *dent);   // How long it is, and has changed. RT safe.
void pal_dent_clear(pal_dent *dent); // Both: no dent. RT safe.

// Adds to the dent of one vertex. RT safe.
void pal_dent_add(pal_dent *dent, int32_t vertex, const double u[3]);

// Adds the dent of forces [n][3] on the body, in world axes. law: how it grows stiffer, NULL: it is
// linear. RT safe.
void pal_local_dent(const pal_local *local, const pal_local_rows *rows, const pal_stiffening *law,
                    double scale, double turn[3][3], const double *force, pal_dent *dent);

// How stiff the dent has grown at the gathered vertices, for pal_local_add and the next dent. law:
// NULL: it stays linear. RT safe.
void pal_local_stiffen(pal_local_rows *rows, const pal_stiffening *law, const pal_dent *dent);

#endif
