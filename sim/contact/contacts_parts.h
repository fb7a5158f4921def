// The parts of contacts.c that stand in files of their own. Private to it. RT safe.
#ifndef PAL_CONTACT_CONTACTS_PARTS_H
#define PAL_CONTACT_CONTACTS_PARTS_H

#include "sim/contact/contacts.h"

// How the surface answers at a triangle.
const pal_surface_law *pal_contacts_law(const pal_contact_scene *scene, int32_t triangle);

// W holds what gives way beside the tools in their hands: chooses each tool's coupling by it, and
// adds it.
void pal_contacts_add_coupling(pal_contacts *contacts, const pal_contact_scene *scene);

// How the touches of each tool share its load; contacts_shares.c.
typedef struct pal_contact_shares {
    double by[PAL_MAX_TOOLS];       // m/N, 0: they are free
    double share[PAL_MAX_CONTACTS]; // of a unit vector
} pal_contact_shares;

// By the forces of the last tick, and W as it is without the coupling.
void pal_contacts_find_shares(const pal_contacts *contacts, const pal_contact_scene *scene,
                              pal_contact_shares *shares);

// Adds to W, `times` as much, what holds them.
void pal_contacts_hold_shares(pal_contacts *contacts, const pal_contact_shares *shares,
                              double times);

// Lists what the tools touch and hold: places, laws, and in free the gaps as they were found.
void pal_contacts_list(pal_contacts *contacts, const pal_contact_scene *scene);

// Lists the patches of the contacts: what each tool touches of each part of the body that dents.
// PAL_OUT_BUDGET: there are more than there is room for; the others are hard.
pal_outcome pal_contacts_list_patches(pal_contacts *contacts, const pal_contact_scene *scene);

static inline bool pal_contacts_can_dent(const pal_contact_scene *scene) {
    return scene->local != NULL || scene->domains != NULL;
}

// What the dents add to W, of the contacts that will press; contacts_dents.c. dent: of a body of
// one piece, as it is.
pal_outcome pal_contacts_add_dents(pal_contacts *contacts, const pal_contact_scene *scene,
                                   const pal_dent *dent);
// Whether a contact presses that was not thought to; then W has the columns of all.
bool pal_contacts_add_missing(pal_contacts *contacts, const pal_contact_scene *scene);

// Where patches are near the interfaces of a tree: what W misses there, and the dents. The patches
// are gathered; presses [count]: whose columns are wanted.
void pal_contacts_add_joints(pal_contacts *contacts, const pal_contact_scene *scene,
                             const bool *presses);
void pal_contacts_dent_joints(const pal_contacts *contacts, const pal_contact_scene *scene);

// row [size] = direction . J at the place of a contact.
void pal_contacts_row(const pal_body *body, const pal_contact_place *place,
                      const double direction[3], double *row);

// free += what the tools add: from where they were looked for to where they would be if nothing
// were touched.
void pal_contacts_add_tool_motion(pal_contacts *contacts, const pal_contact_scene *scene);

// Tells the tools how the coordinates give way to them (pal_tool.given); pressed [tool_count]: the
// force on each tool as one on the coordinates. Between the body's begin and finish; still: there
// is no step.
void pal_contacts_find_given(const pal_contacts *contacts, const pal_contact_scene *scene,
                             bool still, double (*pressed)[PAL_MAX_R]);
// The same, of a step that is over: the work of each tool's force by how they moved, and by how
// they give way to it alone in a step, J.
void pal_contacts_tell_given(const pal_contact_scene *scene, double (*pressed)[PAL_MAX_R],
                             const double *work, const double *at_once);

// The forces are known, and where they leave the points: what becomes of the tools.
void pal_contacts_answer(const pal_contacts *contacts, const pal_contact_scene *scene);

#endif
