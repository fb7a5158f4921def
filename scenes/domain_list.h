// Which elements of a mesh are which domain's, and the text file that says so: one line for each,
// "NAME ; SELECTOR" or "NAME ; elements:0-99,120" (counted from 0), and after them "; like OTHER"
// where it is congruent to another one and shares its class; '#' begins a comment. Later lines win;
// every element must be in one.
#ifndef PAL_SCENES_DOMAIN_LIST_H
#define PAL_SCENES_DOMAIN_LIST_H

#include "sim/mesh/volmesh.h"
#include "sim/substruct/domain.h"

typedef struct pal_domain_labels {
    int32_t count;
    char (*name)[PAL_DOMAIN_NAME]; // [count]
    int32_t *label;                // [element_count], 0..count-1
    int32_t *like; // [count] the domain whose class it shares, itself of its own; -1: its own.
                   // NULL: all of their own
} pal_domain_labels;
void pal_domain_labels_free(pal_domain_labels *labels);

// *labels is empty on failure.
pal_status pal_domain_list_read(const char *path, const pal_volmesh *mesh,
                                pal_domain_labels *labels, pal_err *err);

// Writes such a file by element numbers, atomically; read back it gives the same labels. Elements
// with the label -1 are left out, and so are domains without an element.
pal_status pal_domain_list_write(const char *path, const pal_volmesh *mesh,
                                 const pal_domain_labels *labels, pal_err *err);

// The same as reading one by one: begin, then add the elements of each domain, then finish. `name`
// is that of a new domain or of one that is there.
pal_status pal_domain_labels_begin(pal_domain_labels *labels, const pal_volmesh *mesh, int32_t most,
                                   pal_err *err);
pal_status pal_domain_labels_add(pal_domain_labels *labels, const pal_volmesh *mesh,
                                 const char *name, const char *selector, pal_err *err);
pal_status pal_domain_labels_finish(pal_domain_labels *labels, const pal_volmesh *mesh,
                                    pal_err *err);

// Domain d and all that are like it share the class of the domain of this name.
pal_status pal_domain_labels_join(pal_domain_labels *labels, int32_t d, const char *other,
                                  pal_err *err);
// Domain d has a class of its own; those that were like it are like the first of them.
void pal_domain_labels_part(pal_domain_labels *labels, int32_t d);
// The class of each domain, class_of [count]; returns how many there are.
int32_t pal_domain_labels_classes(const pal_domain_labels *labels, int32_t *class_of);

// Whether a list can say this name: 1 to PAL_DOMAIN_NAME - 1 characters, none of them ';', '#' or
// a line's end, no blanks at its ends.
pal_status pal_domain_name_check(const char *name, pal_err *err);

// The elements of a selector or of "elements:0-99,120": selected [element_count]. Selecting nothing
// is no error here.
pal_status pal_domain_select(const pal_volmesh *mesh, const char *selector, uint8_t *selected,
                             pal_err *err);

#endif
