// Editing which elements are which domain's: what the window and scripts share. Every element is
// always in one domain: what is taken from another goes to the first. Every change is one step that
// can be undone, exactly. Copies share a class with what they are copies of, until one of them
// loses or gets an element. Not real-time; one thread.
#ifndef PAL_SCENES_DOMAIN_EDIT_H
#define PAL_SCENES_DOMAIN_EDIT_H

#include <stdbool.h>

#include "scenes/domain_list.h"

typedef struct pal_domain_edit pal_domain_edit;

// The mesh is borrowed, the labels are copied (NULL: one domain "body" of all elements).
pal_status pal_domain_edit_open(const pal_volmesh *mesh, const pal_domain_labels *labels,
                                pal_domain_edit **edit, pal_err *err);
void pal_domain_edit_close(pal_domain_edit *edit);

const pal_volmesh *pal_domain_edit_mesh(const pal_domain_edit *edit);
const pal_domain_labels *pal_domain_edit_labels(const pal_domain_edit *edit);
int32_t pal_domain_edit_current(const pal_domain_edit *edit); // the domain that is edited
int32_t pal_domain_edit_count(const pal_domain_edit *edit, int32_t domain); // of its elements

// A new empty domain, which is edited then; another one to edit; another name for that one; no such
// domain any more, its elements go to the first.
pal_status pal_domain_edit_new(pal_domain_edit *edit, const char *name, pal_err *err);
pal_status pal_domain_edit_choose(pal_domain_edit *edit, const char *name, pal_err *err);
pal_status pal_domain_edit_rename(pal_domain_edit *edit, const char *name, pal_err *err);
pal_status pal_domain_edit_drop(pal_domain_edit *edit, const char *name, pal_err *err);

// The selected elements [element_count] go to the domain that is edited, or (take) those of it go
// back to the first. *moved (may be NULL) = how many changed; none is no step.
pal_status pal_domain_edit_give(pal_domain_edit *edit, const uint8_t *selected, bool take,
                                int32_t *moved, pal_err *err);

// A copy of the domain that is edited, under a new name, moved by `shift` (m): the elements there
// must be those of the domain to a thousandth of their size, corner by corner, and all of the first
// domain. The copy is edited then. It shares the class of the domain; why: "", or why it cannot.
enum { PAL_EDIT_WHY = 200 };
pal_status pal_domain_edit_copy(pal_domain_edit *edit, const char *name, const double shift[3],
                                char why[PAL_EDIT_WHY], pal_err *err);

// The domain that is edited shares the class of another one, to which it must be congruent (see
// congruence.h); or it has a class of its own again.
pal_status pal_domain_edit_like(pal_domain_edit *edit, const char *name, pal_err *err);
pal_status pal_domain_edit_unlike(pal_domain_edit *edit, pal_err *err);

// The elements that lie where those of a domain are after a shift, all of them of the first domain:
// selected [element_count]; an error where one is not there.
pal_status pal_domain_find_shifted(const pal_volmesh *mesh, const pal_domain_labels *labels,
                                   int32_t domain, const double shift[3], uint8_t *selected,
                                   pal_err *err);

// False when there is nothing to undo or redo.
bool pal_domain_edit_undo(pal_domain_edit *edit);
bool pal_domain_edit_redo(pal_domain_edit *edit);
int32_t pal_domain_edit_steps(const pal_domain_edit *edit); // that can be undone

// The middle of an element: the mean of its corners.
void pal_domain_middle(const pal_volmesh *mesh, int32_t e, double x[3]);

// Elements whose middle is in a box, or within a radius of a point: selected [element_count];
// returns how many.
int32_t pal_domain_select_box(const pal_volmesh *mesh, const double low[3], const double high[3],
                              uint8_t *selected);
int32_t pal_domain_select_ball(const pal_volmesh *mesh, const double centre[3], double radius,
                               uint8_t *selected);

#endif
