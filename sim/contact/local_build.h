// Bakes the local compliance beyond a basis (see local.h).
#ifndef PAL_CONTACT_LOCAL_BUILD_H
#define PAL_CONTACT_LOCAL_BUILD_H

#include "sim/base/progress.h"
#include "sim/contact/local.h"
#include "sim/fem/problem.h"

typedef enum pal_local_choice {
    PAL_LOCAL_WANT_NONE,
    PAL_LOCAL_WANT_AUTO, // exact where it costs little, else fast
    PAL_LOCAL_WANT_EXACT,
    PAL_LOCAL_WANT_FAST,
} pal_local_choice;

typedef struct pal_local_spec {
    pal_local_choice choice;
    double radius;        // m; 0: 15 mm, and three elements at least
    const uint8_t *touch; // [vertex_count] vertices within the touch region; NULL: all
} pal_local_spec;

typedef struct pal_local_report {
    double seconds;
    double element; // m, mean edge of the elements that may be touched
    double cost;    // multiply-adds that the exact way takes
    bool is_cut;    // the radius asked for would not have fitted into PAL_LOCAL_BYTES
    char note[256]; // what a user should know, "" if nothing
} pal_local_report;

enum { PAL_LOCAL_BYTES = 200000000 }; // the most of a body, or of all classes of a tree

// The vertices that carry surface points, if they are free and in the touch region; their pairs
// nearer than the radius; and the blocks of G for the basis [3 vertex_count][r]. Assembles K at
// rest in fem->stiffness. A body without anything held is given the flexibility in the complement
// of its rigid motions, by the exact way only; where that costs too much *local is empty and the
// note says so. The blocks do not depend on the number of threads.
pal_status pal_local_build(pal_fem *fem, const double *basis, int32_t r,
                           const pal_embedding *embedding, const pal_local_spec *spec,
                           const pal_progress *progress, pal_local *local, pal_local_report *report,
                           pal_err *err);
void pal_local_free(pal_local *local);

// Arrays for vertex_count vertices, row_count rows and `blocks` blocks, zeroed.
pal_status pal_local_alloc(pal_local *local, int32_t vertex_count, int32_t row_count,
                           int32_t blocks, pal_err *err);

// Sets `row` from `vertex`; whether the rest is in order (its indices being within range; `owner`,
// the file's name, opens the message).
void pal_local_index(pal_local *local);
pal_status pal_local_check(const pal_local *local, const char *owner, pal_err *err);

// w [3 count][3 count] += G between vertices of the mesh, plainly and without limit of count; zero
// where one has no row or they are farther apart than the radius.
void pal_local_add_vertices(const pal_local *local, int32_t count, const int32_t *vertex,
                            double *w);

// Of several tables under one cap: how much each may take, so that those which need less than their
// equal share (need [count], bytes) leave it to the others. INFINITY: all fit; below 0: no memory.
double pal_local_allowance(const double *need, int32_t count, double most, pal_err *err);

// Cuts the radius until the table takes no more than these bytes; the blocks that stay are as they
// were, each vertex with itself among them. x [vertex_count][3]: the mesh that it was baked for.
pal_status pal_local_trim(pal_local *local, const double *x, double bytes, pal_err *err);

double pal_local_bytes(const pal_local *local);
const char *pal_local_way_text(const pal_local *local); // "exact", "fast" or "none"

// rows [row_count] on the heap: the surface at rest at the vertices of the table's rows.
pal_status pal_local_find_rows(const pal_local *local, const pal_body *body, pal_row_surface **rows,
                               pal_err *err);

pal_status pal_dent_alloc(const pal_local *local, pal_dent *dent, pal_err *err);
void pal_dent_free(pal_dent *dent);

#endif
