// A baked tree of domains, const while it is used: every class once, and the tree of its instances.
#ifndef PAL_MODEL_TREE_MODEL_H
#define PAL_MODEL_TREE_MODEL_H

#include "sim/contact/joint.h"
#include "sim/model/model.h"
#include "sim/substruct/tree.h"

typedef struct pal_tree_model {
    char *name;
    char *scene_text; // the scene that made it, "" if none
    char hash[PAL_HASH_TEXT];
    char key[PAL_HASH_TEXT]; // of the scene that it was baked from (scenes/scene.h), "": none
    int32_t class_count;
    // Each class as a single body, whose held vertices are the interface to the parent: mesh (in
    // the frame F), basis, surface without its interfaces, embedding, tables by region. r = 0:
    // rigid, no basis and no tables.
    pal_model *body;          // [class_count]
    pal_domain_class *class_; // [class_count] the same for the run time; owns its arrays
    int32_t domain_count;
    pal_domain *domain;                   // [domain_count]
    char (*domain_name)[PAL_DOMAIN_NAME]; // [domain_count]
    pal_tree tree;                        // of the arrays above
    pal_joints joints;                    // where they meet
} pal_tree_model;

// class_count and domain_count must be set; makes body, class_, domain and domain_name, zeroed, and
// points the tree to them. On failure *model is empty. Set-up only.
pal_status pal_tree_model_alloc(pal_tree_model *model, pal_err *err);
void pal_tree_model_free(pal_tree_model *model);

// The domains of a name, which may end in '*' for any end: domain [domain_count]. How many; none is
// an error. Any thread.
int32_t pal_tree_model_find(const pal_tree_model *model, const char *name, int32_t *domain,
                            pal_err *err);

#endif
