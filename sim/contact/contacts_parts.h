// The parts of contacts.c that stand in files of their own. Private to it. RT safe.
#ifndef PAL_CONTACT_CONTACTS_PARTS_H
#define PAL_CONTACT_CONTACTS_PARTS_H

#include "sim/contact/contacts.h"

// How the surface answers at a triangle.
const pal_surface_law *pal_contacts_law(const pal_contact_scene *scene, int32_t triangle);

// W holds what gives way beside the tools in their hands: chooses each tool's coupling by it, and
// adds it.
void pal_contacts_add_coupling(pal_contacts *contacts, const pal_contact_scene *scene);

#endif
