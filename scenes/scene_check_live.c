// The keys about a run: what the hand does, with which device and tool, against what.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/checking.h"
#include "sim/base/memory.h"

static const double DEFAULT_MASS = 0.02; // kg, of the tool in a dynamic coupling
enum { MAX_FAULTS = 1000, MAX_SECONDS = 86400 };

// ---- the device

static pal_status profile(const pal_checking *c, const char *name) {
    c->scene->live.profile = pal_device_profile(name);
    if (c->scene->live.profile != NULL) {
        return PAL_OK;
    }
    char list[256] = "";
    for (int i = 0; pal_device_profile_at(i) != NULL; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "",
                 pal_device_profile_at(i)->name);
    }
    return pal_check_fail(c, "device.profile", "unknown device '%.40s'; known devices: %s", name,
                          list);
}

static pal_status grip(const pal_checking *c, const char *name) {
    bool known;
    c->scene->live.hand = pal_hand_grip(name, &known);
    return known ? PAL_OK
                 : pal_check_fail(c, "device.grip",
                                  "unknown grip '%.40s'; write one of: loose, medium, firm, none",
                                  name);
}

static pal_status check_device(const pal_checking *c) {
    static const pal_scene_device none = {0};
    const pal_scene_file *file = c->scene->file;
    const pal_scene_device *device = file->device != NULL ? file->device : &none;
    pal_scene_live *live = &c->scene->live;
    live->friction = NAN;
    live->seed = 1;
    pal_status status = profile(c, device->profile != NULL ? device->profile : "touch");
    if (status == PAL_OK) {
        status = grip(c, device->grip != NULL ? device->grip : "firm");
    }
    if (status == PAL_OK) {
        status = pal_check_amount(c, "device.delay", device->delay, PAL_TIME, false, &live->delay);
    }
    if (status == PAL_OK) {
        status = pal_check_amount(c, "device.friction", device->friction, PAL_FORCE, false,
                                  &live->friction);
    }
    if (status == PAL_OK) {
        pal_up_turn(c->scene->up, live->start_turn); // the shaft goes up
        status = pal_check_triple(c, "device.turn", device->turn, PAL_ANGLE, live->start_turn);
    }
    if (status == PAL_OK) {
        status =
            pal_check_amount(c, "device.noise", device->noise, PAL_LENGTH, false, &live->noise);
    }
    if (status == PAL_OK && device->seed != NULL) {
        status = pal_check_range(c, "device.seed", *device->seed, 0, INT32_MAX);
        live->seed = (uint64_t)*device->seed;
    }
    return status;
}

// ---- the tool's contact, its coupling and the wall

static pal_status check_springs(const pal_checking *c) {
    enum { DEFAULT_STIFFNESS = 2800, DEFAULT_DAMPING = 0, DEFAULT_GRASP = 500 };
    const pal_scene_file *file = c->scene->file;
    pal_scene_live *live = &c->scene->live;
    live->tool_stiffness = DEFAULT_STIFFNESS;
    live->tool_damping = DEFAULT_DAMPING;
    live->tool_grasp = DEFAULT_GRASP;
    live->coupling_stiffness = live->coupling_damping = live->coupling_turn_stiffness = NAN;
    live->has_wall = file->wall != NULL;
    static const pal_scene_tool no_tool = {0};
    static const pal_scene_spring no_spring = {0};
    const pal_scene_tool *tool = file->tool != NULL ? file->tool : &no_tool;
    const pal_scene_spring *wall = file->wall != NULL ? file->wall : &no_spring;
    const pal_scene_spring *coupling = file->coupling != NULL ? file->coupling : &no_spring;
    const struct {
        const char *path, *text;
        pal_dimension dimension;
        bool positive;
        double *value;
    } all[] = {
        {"tool.stiffness", tool->stiffness, PAL_STIFFNESS, true, &live->tool_stiffness},
        {"tool.damping", tool->damping, PAL_DAMPING, false, &live->tool_damping},
        {"tool.grasp", tool->grasp, PAL_STIFFNESS, false, &live->tool_grasp},
        {"coupling.stiffness", coupling->stiffness, PAL_STIFFNESS, true, &live->coupling_stiffness},
        {"coupling.damping", coupling->damping, PAL_DAMPING, false, &live->coupling_damping},
        {"coupling.turn_stiffness", coupling->turn_stiffness, PAL_TURN_STIFFNESS, true,
         &live->coupling_turn_stiffness},
        {"coupling.mass", coupling->mass, PAL_WEIGHT, true, &live->coupling_mass},
        {"coupling.inertia", coupling->inertia, PAL_INERTIA, true, &live->coupling_inertia},
        {"wall.stiffness", wall->stiffness, PAL_STIFFNESS, true, &live->wall_stiffness},
        {"wall.damping", wall->damping, PAL_DAMPING, false, &live->wall_damping},
    };
    live->unwatched = coupling->passivity != NULL && !*coupling->passivity;
    if (coupling->kind == PAL_COUPLING_DYNAMIC) {
        live->coupling_mass = DEFAULT_MASS;
        live->coupling_inertia = NAN;
    } else if (coupling->mass != NULL || coupling->inertia != NULL) {
        return pal_check_fail(c, "coupling",
                              "only a dynamic coupling has a mass and an inertia; add kind: "
                              "dynamic, or remove them");
    }
    pal_status status =
        pal_check_quantity(c, "wall.height", wall->height, PAL_LENGTH, &live->wall_height);
    for (size_t i = 0; status == PAL_OK && i < sizeof all / sizeof *all; i++) {
        status = pal_check_amount(c, all[i].path, all[i].text, all[i].dimension, all[i].positive,
                                  all[i].value);
    }
    return status;
}

// ---- the probe

static pal_status check_probe(const pal_checking *c) {
    const pal_scene_file *file = c->scene->file;
    pal_scene_live *live = &c->scene->live;
    pal_status status =
        file->probe_file != NULL ? pal_scene_check_path(c) : pal_scene_check_intents(c);
    if (status != PAL_OK) {
        return status;
    }
    // the device begins where the scene says, else at the first place that the probe goes to
    const pal_intent *first = live->intent;
    const pal_intent *end = first + live->intent_count;
    while (first < end && (first->kind == PAL_INTENT_HOLD || first->kind == PAL_INTENT_RELEASE)) {
        first++;
    }
    if (first < end) {
        memcpy(live->start, first->to, sizeof live->start);
    }
    return file->device != NULL && file->device->start[0] != NULL
               ? pal_check_triple(c, "device.start", file->device->start, PAL_LENGTH, live->start)
               : PAL_OK;
}

static pal_status check_faults(const pal_checking *c) {
    const pal_scene_file *file = c->scene->file;
    pal_scene_live *live = &c->scene->live;
    pal_status status = pal_check_range(c, "faults", file->faults_count, 0, MAX_FAULTS);
    live->fault = status == PAL_OK ? PAL_NEW(pal_fault, file->faults_count, c->err) : NULL;
    if (live->fault == NULL) {
        return status == PAL_OK ? PAL_ERR_MEMORY : status;
    }
    live->fault_count = (int32_t)file->faults_count;
    for (uint32_t i = 0; status == PAL_OK && i < file->faults_count; i++) {
        const pal_scene_fault *from = &file->faults[i];
        pal_fault *fault = &live->fault[i];
        char path[64], key[96];
        snprintf(path, sizeof path, "faults.%u", i);
        fault->kind = from->kind;
        fault->axis = from->axis;
        if (from->kind == PAL_FAULT_STALL && file->wall != NULL) {
            return pal_check_fail(c, path, "a wall has no body that could stall; remove this one");
        }
        if (from->kind != PAL_FAULT_UNPLUG && from->kind != PAL_FAULT_SILENCE &&
            from->seconds == NULL) {
            return pal_check_fail(c, path, "'seconds' is missing, such as seconds: 20 ms");
        }
        status = pal_check_amount(c, pal_check_join(key, path, "at"), from->at, PAL_TIME, false,
                                  &fault->at);
        if (status == PAL_OK) {
            status = pal_check_amount(c, pal_check_join(key, path, "seconds"), from->seconds,
                                      PAL_TIME, true, &fault->seconds);
        }
    }
    return status;
}

// ---- edits of materials

// What an edit does not name is as in a material that nobody would refuse.
static pal_status check_edited(const pal_checking *c, const char *path, const pal_material *to) {
    static const char *const keys[] = {"young", "poisson", "density"};
    const double value[] = {to->young, to->poisson, to->density};
    char key[96];
    for (int i = 0; i < 3; i++) {
        pal_err inner;
        pal_material one = {1e4, 0.4, 1000.0};
        double *const member[] = {&one.young, &one.poisson, &one.density};
        *member[i] = isnan(value[i]) ? *member[i] : value[i];
        if (pal_material_check(&one, "edit", &inner) != PAL_OK) {
            return pal_check_fail(c, pal_check_join(key, path, keys[i]), "%s", inner.text);
        }
    }
    return PAL_OK;
}

// A body of one piece has materials, one of domains frequencies.
static pal_status check_edit_kind(const pal_checking *c, const char *path,
                                  const pal_scene_edit *from) {
    const bool material = from->young != NULL || from->poisson != NULL || from->density != NULL;
    char key[96];
    if (c->scene->has_domains) {
        return material || from->frequency == NULL
                   ? pal_check_fail(c, path,
                                    "of a body of domains frequencies can be changed, such as "
                                    "frequency: 0.5")
               : !(*from->frequency >= 0.01 && *from->frequency <= 100.0)
                   ? pal_check_fail(c, pal_check_join(key, path, "frequency"),
                                    "%g is outside 0.01 to 100", *from->frequency)
                   : PAL_OK;
    }
    if (from->frequency != NULL) {
        return pal_check_fail(c, pal_check_join(key, path, "frequency"),
                              "a body without domains has none; give young, such as young: 24 kPa");
    }
    return material ? PAL_OK
                    : pal_check_fail(c, path,
                                     "it changes nothing; give young, poisson or density, such as "
                                     "young: 24 kPa");
}

static pal_status check_edit(const pal_checking *c, uint32_t index, const pal_scene_edit *from,
                             pal_material_edit *edit) {
    char path[64], key[96];
    snprintf(path, sizeof path, "edits.%u", index);
    pal_status status = check_edit_kind(c, path, from);
    if (status != PAL_OK) {
        return status;
    }
    if (strlen(from->region) >= sizeof edit->region) {
        return pal_check_fail(c, pal_check_join(key, path, "region"), "the name is too long");
    }
    snprintf(edit->region, sizeof edit->region, "%s", from->region);
    edit->to = (pal_material){NAN, from->poisson != NULL ? *from->poisson : NAN, NAN};
    edit->frequency = from->frequency != NULL ? *from->frequency : NAN;
    status =
        pal_check_amount(c, pal_check_join(key, path, "at"), from->at, PAL_TIME, false, &edit->at);
    if (status == PAL_OK && edit->at > MAX_SECONDS) {
        return pal_check_fail(c, key, "must be at most a day");
    }
    if (status == PAL_OK) {
        status = pal_check_quantity(c, pal_check_join(key, path, "young"), from->young,
                                    PAL_PRESSURE, &edit->to.young);
    }
    if (status == PAL_OK) {
        status = pal_check_quantity(c, pal_check_join(key, path, "density"), from->density,
                                    PAL_DENSITY, &edit->to.density);
    }
    return status == PAL_OK ? check_edited(c, path, &edit->to) : status;
}

static pal_status check_edits(const pal_checking *c) {
    const pal_scene_file *file = c->scene->file;
    pal_scene_live *live = &c->scene->live;
    pal_status status = pal_check_range(c, "edits", file->edits_count, 0, PAL_EDITS_MAX);
    if (status == PAL_OK && file->edits_count > 0 && file->wall != NULL) {
        return pal_check_fail(c, "edits", "a wall has no material to edit");
    }
    live->edit = status == PAL_OK ? PAL_NEW(pal_material_edit, file->edits_count, c->err) : NULL;
    if (live->edit == NULL) {
        return status == PAL_OK ? PAL_ERR_MEMORY : status;
    }
    live->edit_count = (int32_t)file->edits_count;
    for (uint32_t i = 0; status == PAL_OK && i < file->edits_count; i++) {
        status = check_edit(c, i, &file->edits[i], &live->edit[i]);
    }
    return status;
}

// ---- hands

static pal_status check_hand(const pal_checking *c) {
    pal_status status = check_device(c);
    if (status == PAL_OK) {
        status = pal_scene_check_tool(c);
    }
    if (status == PAL_OK) {
        status = check_springs(c);
    }
    if (status == PAL_OK) {
        status = check_probe(c);
    }
    return status == PAL_OK ? check_faults(c) : status;
}

// One of several hands: the same checks on a scene that has this one alone.
static pal_status check_one_of(const pal_checking *c, uint32_t h, pal_scene_live *live) {
    const pal_scene_hand *hand = &c->scene->file->hands[h];
    pal_scene_file file = *c->scene->file;
    pal_scene alone = *c->scene;
    char prefix[32];
    file.device = hand->device;
    file.tool = hand->tool;
    file.coupling = hand->coupling;
    file.probe = hand->probe;
    file.probe_count = hand->probe_count;
    file.faults = hand->faults;
    file.faults_count = hand->faults_count;
    file.probe_file = hand->probe_file;
    alone.file = &file;
    memset(&alone.live, 0, sizeof alone.live);
    snprintf(prefix, sizeof prefix, "hands.%u.", h);
    const pal_checking one = {&alone, c->document, c->err, prefix};
    pal_status status = check_hand(&one);
    *live = alone.live; // also after a failure: the scene frees it
    if (hand->device == NULL || hand->device->seed == NULL) {
        live->seed += h; // no two alike
    }
    if (status == PAL_OK && live->delay != c->scene->live.delay) {
        return pal_check_fail(&one, "device.delay",
                              "all hands have the same delay; the first one's is %g s",
                              c->scene->live.delay);
    }
    return status;
}

static pal_status check_hands(const pal_checking *c) {
    pal_scene *scene = c->scene;
    const pal_scene_file *file = scene->file;
    scene->hand_count = 1;
    scene->lists_hands = file->hands != NULL;
    if (file->hands == NULL) {
        return check_hand(c);
    }
    if (file->device != NULL || file->tool != NULL || file->coupling != NULL ||
        file->probe != NULL || file->probe_file != NULL || file->faults != NULL) {
        return pal_check_fail(c, "hands",
                              "with hands, each has its own device, tool, coupling, probe and "
                              "faults; move those of the scene into a hand");
    }
    pal_status status = pal_check_range(c, "hands", file->hands_count, 1, PAL_SCENE_HANDS);
    for (uint32_t h = 0; status == PAL_OK && h < file->hands_count; h++) {
        scene->hand_count = (int32_t)h + 1;
        status = check_one_of(c, h, h == 0 ? &scene->live : &scene->other[h - 1]);
    }
    return status;
}

static pal_status check_contact(const pal_checking *c) {
    const pal_scene_file *file = c->scene->file;
    if (file->contact != NULL && file->wall != NULL) {
        return pal_check_fail(c, "contact", "a wall is a spring of its own; remove this key");
    }
    if (file->contact != NULL) {
        c->scene->live.form = file->contact->response;
        c->scene->live.stiffening = file->contact->dents == PAL_DENTS_STIFFENING;
        c->scene->live.flat_normals = file->contact->normals == PAL_NORMALS_FLAT;
    }
    return PAL_OK;
}

pal_status pal_scene_check_live(const pal_checking *c) {
    pal_status status = check_hands(c);
    if (status == PAL_OK) {
        status = check_contact(c);
    }
    if (status == PAL_OK) {
        status = check_edits(c);
    }
    if (status == PAL_OK) {
        status = pal_scene_check_surface_list(c);
    }
    return status == PAL_OK ? pal_scene_check_feel(c) : status;
}
