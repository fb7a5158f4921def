// What there is to say about a body of domains, before and after its bake: for `info` and `bake`.
#ifndef PAL_APP_TREE_FACTS_H
#define PAL_APP_TREE_FACTS_H

#include <stdio.h>

#include "app/json.h"
#include "scenes/scene.h"

typedef struct pal_class_facts {
    const char *name;
    int32_t r, instances, ports;
    int32_t vertices, elements; // of one instance
    double mass;                // kg, of one at scale 1; NAN before the bake
    double lowest_hz;           // its lowest frequency at scale 1; NAN: not known
    double seconds;             // of its bake; NAN: none
    const pal_local *local;     // its dents; NULL before the bake
    const char *note;           // what was cut from them in the bake, "": nothing; borrowed
} pal_class_facts;

typedef struct pal_tree_facts {
    int32_t class_count;
    pal_class_facts *class_;    // [class_count]; the names are borrowed
    int64_t vertices, elements; // over all instances; a vertex of an interface counts once where
                                // there is one whole mesh
    int32_t domains, depth, modes;
    bool flies;
    const pal_joints *joints; // where dents go on from one domain to another; NULL before the bake
    const struct pal_domain_shape *paper; // NULL: none to compare with
} pal_tree_facts;

// Of a scene's tree; of a model (times [class_count] or NULL). Free with pal_tree_facts_free.
pal_status pal_tree_facts_of_scene(const pal_scene *scene, const pal_scene_tree *tree,
                                   pal_tree_facts *facts, pal_err *err);
pal_status pal_tree_facts_of_model(const pal_tree_model *model, const pal_class_times *times,
                                   pal_tree_facts *facts, pal_err *err);
void pal_tree_facts_free(pal_tree_facts *facts);

void pal_tree_facts_print(const pal_tree_facts *facts, FILE *out);
void pal_tree_facts_json(const pal_tree_facts *facts, cJSON *object);

#endif
