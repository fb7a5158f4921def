// What comes of the contact forces: on the coordinates, on the tools, and in the surface.
#include <math.h>
#include <string.h>

#include "sim/base/vecn.h"
#include "sim/contact/contacts_parts.h"
#include "sim/contact/domains.h"

// The gap that is left at contact i: where its layer is pressed in.
static double gap_left(const pal_contacts *c, int32_t i) {
    const double *n = c->law[i].normal, gap = pal_dot3(n, c->moved + 3 * i) - c->place[i].offset;
    return pal_dot3(n, c->force + 3 * i) != 0.0 ? fmin(gap, 0.0) : gap;
}

// How fast the tool's point goes across the surface in this tick, m/s.
static void slip_of(const pal_contacts *c, int32_t i, double dt, double slip[3]) {
    const double *n = c->law[i].normal, *moved = c->moved + 3 * i, along = pal_dot3(n, moved);
    for (int a = 0; a < 3; a++) {
        slip[a] = (moved[a] - along * n[a]) / dt;
    }
}

static void remember(const pal_contacts *c, pal_tool *tool, int32_t i) {
    const double *f = c->force + 3 * i;
    const int32_t k = c->place[i].touch;
    memcpy(tool->last.force[k], f, sizeof tool->last.force[k]);
    tool->last.gap[k] = gap_left(c, i);
    if (pal_dot3(f, c->law[i].normal) > 0.0) {
        tool->depth = fmax(tool->depth, -tool->last.gap[k]);
    }
}

static void add_to_tool(const pal_contacts *c, pal_tool *tool, int32_t i) {
    const double *f = c->force + 3 * i;
    double torque[3];
    pal_cross3(c->place[i].arm, f, torque);
    for (int a = 0; a < 3; a++) {
        tool->force[a] += f[a];
        tool->torque[a] += torque[a];
    }
}

// After a change of the shell's level the hand feels the force go on from where it was, and what it
// is off by fades within some ticks. The tool itself goes by the whole force at once: with less of
// it, it would be left in the body, deeper with every change.
static void go_on_smoothly(pal_tool *tool, const double before[3], bool changed) {
    static const double fade = 7.0 / 8.0, most = 0.3; // a tick; of the force
    const double size = pal_norm3(tool->felt);
    for (int a = 0; a < 3; a++) {
        tool->jump[a] = changed ? before[a] - tool->felt[a] : fade * tool->jump[a];
    }
    const double length = pal_norm3(tool->jump);
    for (int a = 0; a < 3; a++) {
        tool->jump[a] *= length > most * size ? most * size / length : 1.0;
        tool->felt[a] += tool->jump[a];
    }
}

static void clear_answer(pal_tool *tool) {
    memset(tool->force, 0, sizeof tool->force);
    memset(tool->torque, 0, sizeof tool->torque);
    tool->depth = 0.0;
    tool->last.level = tool->set.level;
    tool->last.count = tool->set.count;
    tool->last.margin = tool->margin;
    for (int32_t k = 0; k < tool->set.count; k++) {
        const pal_touch *touch = &tool->set.item[k];
        tool->last.id[k] = touch->id;
        tool->last.area[k] = touch->area;
        tool->last.gap[k] = tool->last.found[k] = touch->gap;
        memset(tool->last.force[k], 0, sizeof tool->last.force[k]);
    }
    tool->stiffness = tool->set.count > 0 || tool->held.on ? tool->stiffness : 0.0;
    tool->turn_stiffness = tool->set.count > 0 || tool->held.on ? tool->turn_stiffness : 0.0;
}

static const double first_slip = 5e-4; // m/s, below: none

// How a tool slips as a whole.
typedef struct slipping {
    double speed;       // m/s, when all that push notably slip; before, its rim may creep
    double by[3];       // m/s, and where to, by how they push
    double stick_speed; // m/s, of the surface where it pushes hardest
} slipping;

// The contacts of tool t that push at least so hard, one after the other; -1: no more.
static int32_t next_pushing(const pal_contacts *c, int32_t t, double least, int32_t from) {
    for (int32_t i = from; i < c->count; i++) {
        const double push = pal_dot3(c->force + 3 * i, c->law[i].normal);
        if (c->place[i].tool == t && !c->law[i].held && push > 0.0 && push >= least) {
            return i;
        }
    }
    return -1;
}

static slipping slip_of_tool(const pal_contacts *c, const pal_contact_scene *scene, int32_t t) {
    static const double notable = 0.1; // of the hardest push
    double most = 0.0, least = INFINITY, all = 0.0, sum[3] = {0.0, 0.0, 0.0};
    slipping out = {.speed = 0.0};
    for (int32_t i = next_pushing(c, t, 0.0, 0); i >= 0; i = next_pushing(c, t, most, i + 1)) {
        most = pal_dot3(c->force + 3 * i, c->law[i].normal);
        out.stick_speed = pal_contacts_law(scene, c->place[i].triangle)->stick_speed;
    }
    const double from = notable * most;
    for (int32_t i = next_pushing(c, t, from, 0); i >= 0; i = next_pushing(c, t, from, i + 1)) {
        const double push = pal_dot3(c->force + 3 * i, c->law[i].normal);
        double slip[3];
        slip_of(c, i, scene->dt, slip);
        least = fmin(least, pal_norm3(slip));
        all += push;
        for (int a = 0; a < 3; a++) {
            sum[a] += push * slip[a];
        }
    }
    pal_add_scaled(3, all > 0.0 && least > first_slip ? 1.0 / all : 0.0, sum, out.by);
    out.speed = pal_norm3(out.by);
    return out;
}

// Friction breaks away over a little distance, on which all that slips comes to slip the same way.
// Sticking takes its time, for a hand that is read in steps of an encoder stops between them; but a
// surface with a stick speed holds on as soon as it is slower than that.
static void remember_slip(pal_tool *tool, slipping slip, double dt) {
    static const double distance = 1e-4, dwell = 0.03; // m, s
    static const double smooth = 0.02;                 // s
    const bool sudden = slip.stick_speed > first_slip;
    const bool slips = slip.speed > (sudden && tool->sliding ? slip.stick_speed : 0.0);
    tool->stuck = slips ? 0.0 : tool->stuck + dt;
    tool->slipped =
        tool->stuck < (sudden ? 0.5 * dt : dwell) ? tool->slipped + slip.speed * dt : 0.0;
    tool->sliding = tool->slipped > (sudden ? 0.0 : distance);
    for (int a = 0; a < 3; a++) {
        tool->slip[a] += (slip.by[a] - tool->slip[a]) * dt / (dt + smooth);
    }
}

// The dent of one patch, in the axes and the size of its part.
static void dent_patch(const pal_contacts *c, const pal_contact_patch *patch, pal_dent *dent) {
    const pal_soft_part *part = &patch->part;
    const double(*frame)[3] = part->frame;
    double on_body[PAL_MAX_TOUCHES][3], turn[3][3];
    for (int32_t k = 0; k < 3 * patch->rows.touch_count; k++) {
        const double *f = c->force + 3 * (patch->first + k / 3);
        const int a = k % 3;
        on_body[k / 3][a] = -(frame[0][a] * f[0] + frame[1][a] * f[1] + frame[2][a] * f[2]);
    }
    for (int k = 0; k < 9; k++) {
        const int a = k / 3, b = k % 3;
        turn[a][b] = frame[0][a] * patch->turn[0][b] + frame[1][a] * patch->turn[1][b] +
                     frame[2][a] * patch->turn[2][b];
    }
    pal_local_dent(part->local, &patch->rows, &patch->law, patch->softer / part->size, turn,
                   &on_body[0][0], dent);
}

static void dent_surface(const pal_contacts *c, const pal_contact_scene *scene, pal_dent *dent) {
    if (scene->domains != NULL) {
        pal_domains_begin_dents(scene->domains);
    } else {
        pal_dent_begin(dent);
    }
    for (int p = 0; c->count > 0 && p < PAL_CONTACT_PATCHES; p++) {
        const pal_contact_patch *patch = &c->patch[p];
        if (patch->count > 0 && patch->rows.touch_count > 0) {
            dent_patch(c, patch, patch->part.dent != NULL ? patch->part.dent : dent);
        }
    }
    if (c->count > 0 && scene->domains != NULL && scene->domains->joints != NULL) {
        pal_contacts_dent_joints(c, scene);
    }
    if (scene->domains != NULL) {
        pal_domains_end_dents(scene->domains);
    } else {
        pal_dent_end(dent);
    }
}

void pal_contacts_answer(const pal_contacts *c, const pal_contact_scene *scene) {
    double before[PAL_MAX_TOOLS][3];
    bool changed[PAL_MAX_TOOLS];
    for (int32_t t = 0; t < scene->tool_count; t++) {
        pal_tool *tool = &scene->tool[t];
        memcpy(before[t], tool->felt, sizeof before[t]);
        changed[t] = tool->last.count > 0 && tool->last.level != tool->set.level;
        clear_answer(&scene->tool[t]);
        remember_slip(&scene->tool[t], slip_of_tool(c, scene, t), scene->dt);
    }
    for (int32_t i = 0; i < c->count; i++) {
        pal_tool *tool = &scene->tool[c->place[i].tool];
        add_to_tool(c, tool, i);
        if (c->place[i].touch >= 0) {
            remember(c, tool, i);
        } else {
            memcpy(tool->held.force, c->force + 3 * i, sizeof tool->held.force);
        }
    }
    for (int32_t t = 0; t < scene->tool_count; t++) {
        pal_tool_move(&scene->tool[t], scene->dt);
        go_on_smoothly(&scene->tool[t], before[t], changed[t]);
    }
}

void pal_contacts_apply(pal_contacts *c, const pal_contact_scene *scene, bool still,
                        double *reduced, pal_dent *dent) {
    const int32_t size = scene->body->size;
    double pressed[PAL_MAX_TOOLS][PAL_MAX_R];
    memset(reduced, 0, (size_t)size * sizeof *reduced);
    for (int32_t t = 0; t < scene->tool_count; t++) {
        memset(pressed[t], 0, (size_t)size * sizeof **pressed);
        for (int32_t k = 3 * c->first[t]; k < 3 * c->first[t + 1]; k++) {
            if (c->force[k] != 0.0) {
                pal_add_scaled(size, c->force[k], c->row[k], pressed[t]);
            }
        }
        pal_add_scaled(size, -1.0, pressed[t], reduced);
    }
    pal_contacts_answer(c, scene);
    pal_contacts_find_given(c, scene, still, pressed);
    if (scene->local != NULL || scene->domains != NULL) {
        dent_surface(c, scene, dent);
    }
}
