// Which contacts dent which part of the body: runs of one tool's contacts on one part.
#include "sim/contact/contacts_parts.h"
#include "sim/contact/domains.h"

typedef struct run {
    int32_t tool, first, count;
    pal_soft_part part;
} run;

// The part that a contact is on; false: it does not dent.
static bool part_of(const pal_contact_scene *scene, const pal_contact_place *place,
                    pal_soft_part *part) {
    if (scene->domains != NULL) {
        return pal_domains_part(scene->domains, place->tool, place->triangle, part);
    }
    *part = (pal_soft_part){.local = scene->local,
                            .rows = scene->local_rows,
                            .footprint = scene->footprint,
                            .body = scene->body,
                            .level = scene->tool[place->tool].set.level,
                            .softer = 1.0,
                            .size = 1.0,
                            .frame = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    return true;
}

// Contacts come tool by tool and domain by domain; what a tool holds is the last of its own, and
// may be a run by itself.
static int32_t list_runs(const pal_contacts *c, const pal_contact_scene *scene, run *list,
                         pal_outcome *outcome) {
    int32_t count = 0;
    for (int32_t i = 0; i < c->count; i++) {
        const int32_t t = c->place[i].tool;
        pal_soft_part part;
        if (!part_of(scene, &c->place[i], &part)) {
            continue;
        }
        run *last = count > 0 ? &list[count - 1] : NULL;
        if (last != NULL && last->tool == t && last->part.number == part.number &&
            last->first + last->count == i && last->count < PAL_MAX_TOUCHES) {
            last->count++;
        } else if (count < PAL_CONTACT_PATCHES) {
            list[count++] = (run){t, i, 1, part};
        } else {
            *outcome |= PAL_OUT_BUDGET;
        }
    }
    return count;
}

static bool fits(const pal_contact_patch *patch, const run *from) {
    return patch->tool == from->tool && patch->part.number == from->part.number &&
           patch->part.local == from->part.local;
}

static void take(pal_contact_patch *patch, const run *from) {
    if (patch->part.local != from->part.local) {
        pal_local_clear(&patch->rows);
    }
    patch->tool = from->tool;
    patch->first = from->first;
    patch->count = from->count;
    patch->part = from->part;
}

pal_outcome pal_contacts_list_patches(pal_contacts *c, const pal_contact_scene *scene) {
    run list[PAL_CONTACT_PATCHES];
    bool placed[PAL_CONTACT_PATCHES] = {false};
    pal_outcome outcome = 0;
    const int32_t count = list_runs(c, scene, list, &outcome);
    for (int p = 0; p < PAL_CONTACT_PATCHES; p++) {
        c->patch[p].count = 0;
        c->patch[p].rows.touch_count = 0;
    }
    // Where they were at the last tick, much is known of them; then the new ones.
    for (int known = 1; known >= 0; known--) {
        for (int32_t r = 0; r < count; r++) {
            for (int p = 0; p < PAL_CONTACT_PATCHES && !placed[r]; p++) {
                if (c->patch[p].count == 0 && (!known || fits(&c->patch[p], &list[r]))) {
                    take(&c->patch[p], &list[r]);
                    placed[r] = true;
                }
            }
        }
    }
    return outcome;
}
