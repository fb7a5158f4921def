// What is dented near where two domains meet (joint.h): beside what each of them does by itself.
#include <string.h>

#include "sim/contact/contacts_parts.h"
#include "sim/contact/domains_parts.h"

// A joint near a patch: by which `child` hangs.
typedef struct meeting {
    const pal_joint *joint;
    int32_t domain[PAL_JOINT_SIDES];
    int side;     // of the patch
    double scale; // of the joint's table
} meeting;

static const pal_domain *domains_of(const pal_domains *d) {
    return pal_tree_of(d->state)->domain;
}

// The k-th joint of a domain, its own first, then those of its children; false: there are no more,
// or (no joint) none is known there.
static bool meet(const pal_domains *d, int32_t domain, int32_t k, meeting *m) {
    const pal_joints *joints = d->joints;
    const int32_t first = joints->first_child[domain];
    if (k > joints->first_child[domain + 1] - first) {
        return false;
    }
    const int32_t child = k == 0 ? domain : joints->child[first + k - 1];
    const int32_t parent = domains_of(d)[child].parent;
    *m = (meeting){.domain = {parent, child}, .side = k == 0 ? PAL_CHILD : PAL_PARENT};
    if (joints->of_child[child] >= 0) {
        m->joint = &joints->item[joints->of_child[child]];
        m->scale = 1.0 / (domains_of(d)[parent].scale * pal_tree_stiffness(d->state, parent));
    }
    return true;
}

static pal_joint_contact contact_of(const pal_contact_patch *patch, int side) {
    return (pal_joint_contact){side, &patch->touches, patch->turn};
}

// Where the patch's own dent has grown stiffer, the joint gives way by no more than that: S J S
// with the least s, so that what is taken away from the dents stays less than there is.
static double scale_of(const meeting *m, const pal_contact_patch *from) {
    const double least = (double)from->rows.least;
    return m->scale * least * least;
}

void pal_contacts_add_joints(pal_contacts *c, const pal_contact_scene *scene, const bool *presses) {
    meeting m;
    for (int p = 0; p < PAL_CONTACT_PATCHES; p++) {
        const pal_contact_patch *from = &c->patch[p];
        for (int32_t k = 0; from->count > 0 && meet(scene->domains, from->part.number, k, &m);
             k++) {
            const pal_joint_contact source = contact_of(from, m.side);
            for (int q = 0; q < PAL_CONTACT_PATCHES * PAL_JOINT_SIDES && m.joint != NULL; q++) {
                const pal_contact_patch *to = &c->patch[q / PAL_JOINT_SIDES];
                const int side = q % PAL_JOINT_SIDES;
                if (to->count > 0 && to->part.number == m.domain[side]) {
                    const pal_joint_contact target = contact_of(to, side);
                    pal_joint_add(m.joint, scale_of(&m, from), presses + from->first, &source,
                                  &target, c->w + 3 * (to->first * c->stride + from->first),
                                  c->stride);
                }
            }
        }
    }
}

// How the surface of a domain has turned in its own frame: by what of it is touched, else not.
static void own_turn(const pal_contacts *c, const pal_domain_slot *slot, double turn[3][3]) {
    for (int k = 0; k < 9; k++) {
        turn[k / 3][k % 3] = k % 4 == 0;
    }
    for (int p = 0; p < PAL_CONTACT_PATCHES; p++) {
        const pal_contact_patch *patch = &c->patch[p];
        for (int b = 0; b < 3 && patch->count > 0 && patch->part.number == slot->domain; b++) {
            const double column[3] = {patch->turn[0][b], patch->turn[1][b], patch->turn[2][b]};
            double own[3];
            pal_slot_turn_to_frame(slot, column, own);
            for (int a = 0; a < 3; a++) {
                turn[a][b] = own[a];
            }
        }
    }
}

// u [3 count] of both sides, each in its axes at rest, into their dents.
static void dent_sides(const pal_contacts *c, pal_domains *d, const meeting *m, const double *u) {
    for (int s = 0; s < PAL_JOINT_SIDES; s++) {
        pal_domain_slot *slot = pal_domains_slot(d, m->domain[s]);
        const int32_t first = s == PAL_PARENT ? 0 : m->joint->parent_count;
        const int32_t end = s == PAL_PARENT ? m->joint->parent_count : m->joint->count;
        double turn[3][3];
        if (slot == NULL || slot->body.dent == NULL) {
            continue;
        }
        own_turn(c, slot, turn);
        for (int32_t k = first; k < end; k++) {
            double own[3];
            for (int a = 0; a < 3; a++) {
                own[a] = pal_dot3(turn[a], u + 3 * (int64_t)k) / slot->scale;
            }
            pal_dent_add(&slot->dent, m->joint->vertex[k], own);
        }
    }
}

void pal_contacts_dent_joints(const pal_contacts *c, const pal_contact_scene *scene) {
    meeting m;
    for (int p = 0; p < PAL_CONTACT_PATCHES; p++) {
        const pal_contact_patch *from = &c->patch[p];
        double on_body[3 * PAL_MAX_TOUCHES], u[3 * PAL_JOINT_VERTICES];
        for (int32_t k = 0; k < 3 * from->count; k++) {
            on_body[k] = -c->force[3 * from->first + k];
        }
        for (int32_t k = 0; from->count > 0 && meet(scene->domains, from->part.number, k, &m);
             k++) {
            const pal_joint_contact source = contact_of(from, m.side);
            if (m.joint != NULL &&
                pal_joint_dent(m.joint, scale_of(&m, from), &source, on_body, u)) {
                dent_sides(c, scene->domains, &m, u);
            }
        }
    }
}
