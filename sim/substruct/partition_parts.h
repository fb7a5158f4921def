// The second half of a partition: from a tree of labels to meshes, classes and instances.
#ifndef PAL_SUBSTRUCT_PARTITION_PARTS_H
#define PAL_SUBSTRUCT_PARTITION_PARTS_H

#include "sim/substruct/label_graph.h"
#include "sim/substruct/partition.h"

// partition holds its domains in order, with parent, label and name, and whether it flies; makes
// their vertices and elements, the classes with their ports, and the rest of the instances.
pal_status pal_partition_fill(const pal_partition_spec *spec, const pal_label_graph *graph,
                              pal_partition *partition, pal_err *err);

#endif
