// From the command line to a body of domains: what `domains` and `edit` share. A mesh is cut as the
// user says, a scene as it says itself or as the user says.
#ifndef PAL_APP_DOMAIN_CUT_H
#define PAL_APP_DOMAIN_CUT_H

#include "app/command.h"
#include "app/domain_problems.h"
#include "scenes/scene.h"

extern const pal_option pal_options_cut[]; // --by, --fix; beside pal_options_mesh

typedef struct pal_domain_cut {
    const char *source; // borrowed
    bool is_scene;
    pal_scene scene;          // where it is one
    pal_scene_body body;      // the whole mesh where .tree has none
    pal_domain_labels labels; // of its elements
    int32_t wanted;           // domains of an automatic cut; 0: it was none
    pal_cut_report report;    // what came of it
    pal_scene_tree tree;      // the scene's own domains where they form a tree; else empty
} pal_domain_cut;

// Reads or builds the mesh and labels its elements, whether or not they form a tree; after a
// failure there is nothing to close. With labels_only, .tree is left empty and a scene of classes
// is an error.
pal_status pal_domain_cut_open(pal_domain_cut *cut, const pal_job *job, bool labels_only,
                               pal_err *err);
// The whole mesh; NULL where there are classes.
const pal_scene_body *pal_domain_cut_body(const pal_domain_cut *cut);
void pal_domain_cut_close(pal_domain_cut *cut);

#endif
