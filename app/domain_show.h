// A body of domains made ready for the stage: a model that only stands still, with a region for
// each domain, and a picture of it.
#ifndef PAL_APP_DOMAIN_SHOW_H
#define PAL_APP_DOMAIN_SHOW_H

#include "haptics/snapshot.h"
#include "scenes/domain_list.h"
#include "sim/base/up.h"
#include "sim/model/tree_model.h"

// Of a whole mesh and its labels. apart > 0: every domain is cut free and moved from the middle of
// the body by so much of its distance from there. Free with pal_model_free. Empty on failure.
pal_status pal_domain_show_mesh(const pal_volmesh *mesh, const pal_domain_labels *labels,
                                double apart, pal_model *model, pal_err *err);

// The same of the instances of a tree at rest.
pal_status pal_domain_show_tree(const pal_tree_model *tree, double apart, pal_model *model,
                                pal_err *err);

// Makes a model that stands still of the mesh in *model, whose boundary is drawn, or the surface
// that it has: one mode that does nothing. To be freed on failure, too.
pal_status pal_show_finish(pal_model *model, const char *name, pal_err *err);

// What a stage is given to draw of it.
void pal_domain_show_shot(pal_snapshot *shot);

// A picture of such a model, as PNG.
pal_status pal_domain_show_write(const char *path, const pal_model *model, pal_up up,
                                 const char *title, const char *caption, pal_err *err);

#endif
