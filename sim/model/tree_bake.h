// Bakes a tree of domains: each class once, whatever the number of its instances. [BZ11 3, 4]
#ifndef PAL_MODEL_TREE_BAKE_H
#define PAL_MODEL_TREE_BAKE_H

#include "sim/model/bake.h"
#include "sim/model/tree_model.h"
#include "sim/substruct/partition.h"

// The mesh may lie anywhere, with the axes of the class; the baker moves it, its surface too, so
// that the centroid of the held vertices (weighted as pal_interface_weights says) is the origin, or
// the centre of mass where nothing is held.
typedef struct pal_class_spec { // all borrowed
    const char *name;
    const pal_volmesh *mesh;
    const pal_surface *surface; // what is touched and drawn; NULL: the mesh's boundary without its
                                // interfaces (a root that is the only one of its class keeps the
                                // faces that are held)
    const uint8_t *held; // [vertex_count] the interface to the parent; root: the vertices fixed
                         // to the ground. NULL: the root of a tree that flies
    const double *held_weight; // [vertex_count] of the held vertices, sum 1; NULL: by area
    int32_t port_count;
    const pal_port_vertices *port; // [port_count]
    const pal_material *material;  // [mesh->region_count]
    pal_mass_kind mass_kind;
    double damping_alpha, damping_beta;
    pal_basis_spec basis; // size 0: rigid; basis.port is the baker's to fill
    pal_local_spec local;
} pal_class_spec;

typedef struct pal_tree_spec { // all borrowed
    const char *name;
    const char *scene_text; // kept in the model, may be ""
    int32_t class_count;
    const pal_class_spec *class_; // [class_count]
    int32_t domain_count;
    const pal_domain *domain;                   // [domain_count]
    const char (*domain_name)[PAL_DOMAIN_NAME]; // [domain_count]
    bool flies;
    double local_bytes; // the most that the local compliance of all classes may take; 0:
                        // PAL_LOCAL_BYTES. Classes that need little keep it, the others share
    // Where the mesh of the root's class, as given, stands in the world.
    double root_x[3];
    double root_turn[3][3];
} pal_tree_spec;

typedef struct pal_class_times { // s
    pal_bake_times bake;
    double moments;
    double total;
} pal_class_times;

// times [class_count], or NULL. On failure *model is empty; the message names the class. The result
// does not depend on the number of threads, but for the rounding of a factor so large that BLAS
// shares it (see sparse_chol.c).
pal_status pal_tree_bake(const pal_tree_spec *spec, const pal_progress *progress,
                         pal_tree_model *model, pal_class_times *times, pal_err *err);

// A class of a partition into its spec: mesh, held and ports. And the tree of it all, standing
// where the whole mesh is; class_ [partition->class_count].
void pal_class_spec_take_part(pal_class_spec *spec, const pal_part *part);
void pal_tree_spec_take_partition(pal_tree_spec *spec, const pal_partition *partition,
                                  const pal_class_spec *class_);

typedef enum pal_mode_share {
    PAL_SHARE_PROPORTIONAL, // r_i ~ elements
    PAL_SHARE_LOGARITHMIC,  // r_i ~ log(elements)                                    [BZ11 6]
} pal_mode_share;

// Shares `total` modes among domains of so many elements, r [count], one after the other to the one
// farthest below its share: the sum is exact unless the limits least <= r_i <= most forbid it. An
// error when count * least > total.
pal_status pal_tree_share_modes(pal_mode_share how, int32_t total, int32_t least, int32_t most,
                                int32_t count, const int32_t *elements, int32_t *r, pal_err *err);

#endif
