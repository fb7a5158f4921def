// The step, every millisecond. What each line does stands in its own header; here is the order.
#include "sim/step.h"

#include "sim/base/vecn.h"

// |J q'| <= |J| |q'|, in our time.
double pal_step_fastest_point(const pal_world *world) {
    const pal_body *body = world->scene.body;
    if (world->still && world->form != PAL_CONTACT_PENALTY) { // (that one steps with its springs)
        return 0.0;
    }
    const double speed = world->domains != NULL
                             ? world->domains->speed
                             : world->row_bound * pal_norm(body->size, body->velocity);
    return world->slowness > 1.0 ? speed / world->slowness : speed;
}

void pal_step_forget(pal_world *world) {
    for (int32_t t = 0; t < world->scene.tool_count; t++) {
        pal_tool_forget(&world->scene.tool[t]);
    }
    if (world->domains != NULL) {
        pal_domains_clear_dents(world->domains);
    } else {
        pal_dent_clear(&world->dent);
    }
}

// Where would the body go by itself, and what gives way by how much? Which forces then keep tools
// and body apart? They move the body, the tools, and the surface beside the coordinates.
static pal_outcome step_by_compliance(pal_world *world) {
    const pal_contact_scene *scene = &world->scene;
    const pal_body *body = scene->body;
    pal_outcome outcome = body->functions->begin(body, world->load);
    outcome |= pal_contacts_solve(&world->contacts, scene, &world->dent);
    pal_contacts_apply(&world->contacts, scene, world->still, world->reduced, &world->dent);
    return world->still ? outcome : outcome | body->functions->finish(body, world->reduced);
}

pal_outcome pal_step(pal_world *world) {
    const pal_contact_scene *scene = &world->scene;
    pal_outcome outcome = 0;
    if (world->domains != NULL) {
        pal_domains_gather(world->domains, scene->tool, scene->tool_count, scene->dt);
    }
    const double speed = pal_step_fastest_point(world);

    // What does each tool touch on its way?
    for (int32_t t = 0; t < scene->tool_count; t++) {
        outcome |= pal_tool_find(&scene->tool[t], scene->body, world->tree, speed, world->slowness,
                                 scene->dt);
    }

    // Both move on, apart from each other.
    outcome |= world->form == PAL_CONTACT_PENALTY
                   ? pal_penalty_step(&world->contacts, scene, world->load)
                   : step_by_compliance(world);
    if (outcome & PAL_OUT_NAN) {
        pal_step_forget(world);
    }
    return outcome;
}
