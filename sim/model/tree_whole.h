// A tree of domains as one body at rest, for those who look at it from outside: what is drawn,
// picked, and measured against tools.
#ifndef PAL_MODEL_TREE_WHOLE_H
#define PAL_MODEL_TREE_WHOLE_H

#include "sim/model/tree_model.h"

// The surfaces of all instances one after the other, domain by domain, in the world at rest; each
// domain is a region of its name. No coordinates, no mesh. Free with pal_model_free. Set-up only.
pal_status pal_tree_whole(const pal_tree_model *tree, pal_model *whole, pal_err *err);

#endif
