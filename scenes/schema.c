#include "scenes/schema.h"

#include <stdlib.h>

#include "scenes/yaml_text.h"
#include "sim/base/memory.h"

enum { REQUIRED = CYAML_FLAG_DEFAULT, OPTIONAL = CYAML_FLAG_OPTIONAL };

#define TEXT(key, flags, type, member)                                                             \
    CYAML_FIELD_STRING_PTR(key, flags, type, member, 1, CYAML_UNLIMITED)

static const cyaml_schema_field_t material_fields[] = {
    TEXT("preset", OPTIONAL, pal_scene_material, preset),
    TEXT("young", OPTIONAL, pal_scene_material, young),
    CYAML_FIELD_FLOAT_PTR("poisson", OPTIONAL, pal_scene_material, poisson),
    TEXT("density", OPTIONAL, pal_scene_material, density),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t shape_fields[] = {
    TEXT("name", REQUIRED, pal_scene_shape, name),
    TEXT("size", REQUIRED, pal_scene_shape, size),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t mesh_fields[] = {
    TEXT("file", REQUIRED, pal_scene_mesh, file),
    CYAML_FIELD_FLOAT_PTR("scale", OPTIONAL, pal_scene_mesh, scale),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t region_fields[] = {
    TEXT("name", REQUIRED, pal_scene_region, name),
    TEXT("where", OPTIONAL, pal_scene_region, where),
    CYAML_FIELD_MAPPING("material", REQUIRED, pal_scene_region, material, material_fields),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t region_entry = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, pal_scene_region, region_fields),
};

static const cyaml_schema_value_t quantity_entry = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 1, CYAML_UNLIMITED),
};

static const cyaml_schema_field_t hidden_fields[] = {
    TEXT("name", REQUIRED, pal_scene_hidden, name),
    TEXT("diameter", REQUIRED, pal_scene_hidden, diameter),
    CYAML_FIELD_SEQUENCE_FIXED("low", REQUIRED, pal_scene_hidden, low, &quantity_entry, 3),
    CYAML_FIELD_SEQUENCE_FIXED("high", REQUIRED, pal_scene_hidden, high, &quantity_entry, 3),
    CYAML_FIELD_INT_PTR("seed", OPTIONAL, pal_scene_hidden, seed),
    CYAML_FIELD_MAPPING("material", REQUIRED, pal_scene_hidden, material, material_fields),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t damping_fields[] = {
    TEXT("mass", OPTIONAL, pal_scene_damping, mass),
    TEXT("stiffness", OPTIONAL, pal_scene_damping, stiffness),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t domain_fields[] = {
    TEXT("name", REQUIRED, pal_scene_domain, name),
    TEXT("where", REQUIRED, pal_scene_domain, where),
    TEXT("like", OPTIONAL, pal_scene_domain, like),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t domain_entry = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, pal_scene_domain, domain_fields),
};

static const cyaml_strval_t mode_shares[] = {
    {"proportional", PAL_SHARE_PROPORTIONAL},
    {"logarithmic", PAL_SHARE_LOGARITHMIC},
};

static const cyaml_schema_field_t mode_share_fields[] = {
    CYAML_FIELD_INT_PTR("each", OPTIONAL, pal_scene_mode_share, each),
    CYAML_FIELD_INT_PTR("total", OPTIONAL, pal_scene_mode_share, total),
    CYAML_FIELD_ENUM("share", OPTIONAL | CYAML_FLAG_STRICT, pal_scene_mode_share, share,
                     mode_shares, CYAML_ARRAY_LEN(mode_shares)),
    CYAML_FIELD_END,
};

static const cyaml_strval_t domain_cuts[] = {
    {"graph", PAL_CUT_GRAPH},
    {"axis", PAL_CUT_AXIS},
    {"levels", PAL_CUT_DISTANCE},
};

static const cyaml_schema_field_t domains_fields[] = {
    CYAML_FIELD_SEQUENCE("list", OPTIONAL | CYAML_FLAG_POINTER, pal_scene_file_domains, list,
                         &domain_entry, 1, CYAML_UNLIMITED),
    TEXT("file", OPTIONAL, pal_scene_file_domains, file),
    CYAML_FIELD_INT_PTR("auto", OPTIONAL, pal_scene_file_domains, automatic),
    CYAML_FIELD_ENUM("cut", OPTIONAL | CYAML_FLAG_STRICT, pal_scene_file_domains, cut, domain_cuts,
                     CYAML_ARRAY_LEN(domain_cuts)),
    CYAML_FIELD_MAPPING_PTR("modes", OPTIONAL, pal_scene_file_domains, modes, mode_share_fields),
    CYAML_FIELD_BOOL_PTR("boundary", OPTIONAL, pal_scene_file_domains, boundary),
    CYAML_FIELD_BOOL("congruent", OPTIONAL, pal_scene_file_domains, congruent),
    TEXT("root", OPTIONAL, pal_scene_file_domains, root),
    CYAML_FIELD_SEQUENCE("rigid", OPTIONAL | CYAML_FLAG_POINTER, pal_scene_file_domains, rigid,
                         &quantity_entry, 0, CYAML_UNLIMITED),
    CYAML_FIELD_END,
};

static const cyaml_strval_t mass_kinds[] = {
    {"consistent", PAL_MASS_CONSISTENT},
    {"lumped", PAL_MASS_LUMPED},
};

static const cyaml_strval_t fills[] = {
    {"whole", PAL_FILL_WHOLE},
    {"share", PAL_FILL_SHARE},
};

static const cyaml_schema_field_t body_fields[] = {
    CYAML_FIELD_MAPPING_PTR("shape", OPTIONAL, pal_scene_file_body, shape, shape_fields),
    CYAML_FIELD_MAPPING_PTR("mesh", OPTIONAL, pal_scene_file_body, mesh, mesh_fields),
    CYAML_FIELD_MAPPING_PTR("surface", OPTIONAL, pal_scene_file_body, surface, mesh_fields),
    CYAML_FIELD_INT_PTR("voxels", OPTIONAL, pal_scene_file_body, voxels),
    CYAML_FIELD_ENUM_PTR("fill", OPTIONAL | CYAML_FLAG_STRICT, pal_scene_file_body, fill, fills,
                         CYAML_ARRAY_LEN(fills)),
    TEXT("fixed", OPTIONAL, pal_scene_file_body, fixed),
    TEXT("touch", OPTIONAL, pal_scene_file_body, touch),
    CYAML_FIELD_BOOL("free", OPTIONAL, pal_scene_file_body, free),
    CYAML_FIELD_ENUM("mass", OPTIONAL | CYAML_FLAG_STRICT, pal_scene_file_body, mass, mass_kinds,
                     CYAML_ARRAY_LEN(mass_kinds)),
    CYAML_FIELD_MAPPING_PTR("material", OPTIONAL, pal_scene_file_body, material, material_fields),
    CYAML_FIELD_SEQUENCE("regions", OPTIONAL | CYAML_FLAG_POINTER, pal_scene_file_body, regions,
                         &region_entry, 0, CYAML_UNLIMITED),
    CYAML_FIELD_MAPPING_PTR("hidden", OPTIONAL, pal_scene_file_body, hidden, hidden_fields),
    CYAML_FIELD_MAPPING_PTR("damping", OPTIONAL, pal_scene_file_body, damping, damping_fields),
    CYAML_FIELD_MAPPING_PTR("domains", OPTIONAL, pal_scene_file_body, domains, domains_fields),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t load_fields[] = {
    TEXT("at", REQUIRED, pal_scene_load, at),
    CYAML_FIELD_SEQUENCE_FIXED("force", REQUIRED, pal_scene_load, force, &quantity_entry, 3),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t load_entry = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, pal_scene_load, load_fields),
};

static const cyaml_strval_t basis_kinds[] = {
    {"derivatives", PAL_BASIS_DERIVATIVES},
    {"modes", PAL_BASIS_MODES},
    {"loads", PAL_BASIS_LOADS},
};

static const cyaml_schema_field_t basis_fields[] = {
    CYAML_FIELD_ENUM("kind", OPTIONAL | CYAML_FLAG_STRICT, pal_scene_basis, kind, basis_kinds,
                     CYAML_ARRAY_LEN(basis_kinds)),
    CYAML_FIELD_INT_PTR("modes", OPTIONAL, pal_scene_basis, modes),
    CYAML_FIELD_INT_PTR("size", OPTIONAL, pal_scene_basis, size),
    CYAML_FIELD_SEQUENCE("loads", OPTIONAL | CYAML_FLAG_POINTER, pal_scene_basis, loads,
                         &load_entry, 0, CYAML_UNLIMITED),
    TEXT("loads_file", OPTIONAL, pal_scene_basis, loads_file),
    TEXT("force_separation", OPTIONAL, pal_scene_basis, force_separation),
    TEXT("shape_separation", OPTIONAL, pal_scene_basis, shape_separation),
    CYAML_FIELD_END,
};

static const cyaml_strval_t local_ways[] = {
    {"none", PAL_LOCAL_WANT_NONE},
    {"auto", PAL_LOCAL_WANT_AUTO},
    {"exact", PAL_LOCAL_WANT_EXACT},
    {"fast", PAL_LOCAL_WANT_FAST},
};

static const cyaml_schema_field_t local_fields[] = {
    CYAML_FIELD_ENUM_PTR("way", OPTIONAL | CYAML_FLAG_STRICT, pal_scene_local, way, local_ways,
                         CYAML_ARRAY_LEN(local_ways)),
    TEXT("radius", OPTIONAL, pal_scene_local, radius),
    CYAML_FIELD_END,
};

// Three quantities, NULL when left out; a place can be named instead (point.h).
#define TRIPLE(key, type, member)                                                                  \
    CYAML_FIELD_SEQUENCE_FIXED(key, OPTIONAL, type, member, &quantity_entry, 3)
#define PLACE(key, type, member)                                                                   \
    CYAML_FIELD_SEQUENCE_FIXED(key, OPTIONAL, type, member, &pal_yaml_place_entry, 3)

static const cyaml_schema_field_t device_fields[] = {
    TEXT("profile", OPTIONAL, pal_scene_device, profile),
    TEXT("grip", OPTIONAL, pal_scene_device, grip),
    TEXT("delay", OPTIONAL, pal_scene_device, delay),
    TEXT("friction", OPTIONAL, pal_scene_device, friction),
    TEXT("noise", OPTIONAL, pal_scene_device, noise),
    CYAML_FIELD_INT_PTR("seed", OPTIONAL, pal_scene_device, seed),
    PLACE("start", pal_scene_device, start),
    TRIPLE("turn", pal_scene_device, turn),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t tool_fields[] = {
    TEXT("shape", OPTIONAL, pal_scene_tool, shape),
    TEXT("radius", OPTIONAL, pal_scene_tool, radius),
    TEXT("length", OPTIONAL, pal_scene_tool, length),
    TEXT("rounding", OPTIONAL, pal_scene_tool, rounding),
    TEXT("size", OPTIONAL, pal_scene_tool, size),
    TEXT("file", OPTIONAL, pal_scene_tool, file),
    CYAML_FIELD_FLOAT_PTR("scale", OPTIONAL, pal_scene_tool, scale),
    CYAML_FIELD_INT_PTR("cells", OPTIONAL, pal_scene_tool, cells),
    TEXT("stiffness", OPTIONAL, pal_scene_tool, stiffness),
    TEXT("damping", OPTIONAL, pal_scene_tool, damping),
    TEXT("grasp", OPTIONAL, pal_scene_tool, grasp),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t wall_fields[] = {
    TEXT("height", REQUIRED, pal_scene_spring, height),
    TEXT("stiffness", REQUIRED, pal_scene_spring, stiffness),
    TEXT("damping", OPTIONAL, pal_scene_spring, damping),
    CYAML_FIELD_END,
};

static const cyaml_strval_t coupling_kinds[] = {
    {"static", PAL_COUPLING_STATIC},
    {"dynamic", PAL_COUPLING_DYNAMIC},
};

static const cyaml_schema_field_t coupling_fields[] = {
    CYAML_FIELD_ENUM("kind", OPTIONAL | CYAML_FLAG_STRICT, pal_scene_spring, kind, coupling_kinds,
                     CYAML_ARRAY_LEN(coupling_kinds)),
    TEXT("turn_stiffness", OPTIONAL, pal_scene_spring, turn_stiffness),
    TEXT("mass", OPTIONAL, pal_scene_spring, mass),
    TEXT("inertia", OPTIONAL, pal_scene_spring, inertia),
    TEXT("stiffness", OPTIONAL, pal_scene_spring, stiffness),
    TEXT("damping", OPTIONAL, pal_scene_spring, damping),
    CYAML_FIELD_BOOL_PTR("passivity", OPTIONAL, pal_scene_spring, passivity),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t number_entry = {
    CYAML_VALUE_FLOAT(CYAML_FLAG_DEFAULT, double),
};

static const cyaml_schema_value_t place_entry = {
    CYAML_VALUE_SEQUENCE_FIXED(CYAML_FLAG_POINTER, char *, &pal_yaml_place_entry, 3),
};

static const cyaml_schema_field_t intent_fields[] = {
    PLACE("move", pal_scene_intent, move),
    PLACE("press", pal_scene_intent, press),
    PLACE("tap", pal_scene_intent, tap),
    PLACE("slide", pal_scene_intent, slide),
    PLACE("circle", pal_scene_intent, circle),
    PLACE("wander", pal_scene_intent, wander),
    CYAML_FIELD_SEQUENCE("path", OPTIONAL | CYAML_FLAG_POINTER, pal_scene_intent, path,
                         &place_entry, 2, CYAML_UNLIMITED),
    TRIPLE("turn", pal_scene_intent, turn),
    TEXT("hold", OPTIONAL, pal_scene_intent, hold),
    TEXT("release", OPTIONAL, pal_scene_intent, release),
    TEXT("seconds", OPTIONAL, pal_scene_intent, seconds),
    TEXT("speed", OPTIONAL, pal_scene_intent, speed),
    TEXT("radius", OPTIONAL, pal_scene_intent, radius),
    CYAML_FIELD_FLOAT_PTR("turns", OPTIONAL, pal_scene_intent, turns),
    CYAML_FIELD_SEQUENCE_FIXED("axis", OPTIONAL, pal_scene_intent, axis, &number_entry, 3),
    CYAML_FIELD_BOOL("grasp", OPTIONAL, pal_scene_intent, grasp),
    CYAML_FIELD_BOOL("mark", OPTIONAL, pal_scene_intent, mark),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t intent_entry = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, pal_scene_intent, intent_fields),
};

static const cyaml_strval_t fault_kinds[] = {
    {"unplug", PAL_FAULT_UNPLUG}, {"dropout", PAL_FAULT_DROPOUT}, {"jitter", PAL_FAULT_JITTER},
    {"stuck", PAL_FAULT_STUCK},   {"silence", PAL_FAULT_SILENCE}, {"stall", PAL_FAULT_STALL},
};

static const cyaml_strval_t axes[] = {{"x", 0}, {"y", 1}, {"z", 2}};

static const cyaml_schema_field_t fault_fields[] = {
    CYAML_FIELD_ENUM("kind", CYAML_FLAG_STRICT, pal_scene_fault, kind, fault_kinds,
                     CYAML_ARRAY_LEN(fault_kinds)),
    TEXT("at", REQUIRED, pal_scene_fault, at),
    TEXT("seconds", OPTIONAL, pal_scene_fault, seconds),
    CYAML_FIELD_ENUM("axis", OPTIONAL | CYAML_FLAG_STRICT, pal_scene_fault, axis, axes,
                     CYAML_ARRAY_LEN(axes)),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t fault_entry = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, pal_scene_fault, fault_fields),
};

static const cyaml_schema_field_t edit_fields[] = {
    TEXT("at", REQUIRED, pal_scene_edit, at),
    TEXT("region", REQUIRED, pal_scene_edit, region),
    TEXT("young", OPTIONAL, pal_scene_edit, young),
    CYAML_FIELD_FLOAT_PTR("poisson", OPTIONAL, pal_scene_edit, poisson),
    TEXT("density", OPTIONAL, pal_scene_edit, density),
    CYAML_FIELD_FLOAT_PTR("frequency", OPTIONAL, pal_scene_edit, frequency),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t edit_entry = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, pal_scene_edit, edit_fields),
};

static const cyaml_schema_field_t hand_fields[] = {
    CYAML_FIELD_MAPPING_PTR("device", OPTIONAL, pal_scene_hand, device, device_fields),
    CYAML_FIELD_MAPPING_PTR("tool", OPTIONAL, pal_scene_hand, tool, tool_fields),
    CYAML_FIELD_MAPPING_PTR("coupling", OPTIONAL, pal_scene_hand, coupling, coupling_fields),
    CYAML_FIELD_SEQUENCE("probe", OPTIONAL | CYAML_FLAG_POINTER, pal_scene_hand, probe,
                         &intent_entry, 0, CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("faults", OPTIONAL | CYAML_FLAG_POINTER, pal_scene_hand, faults,
                         &fault_entry, 0, CYAML_UNLIMITED),
    TEXT("probe_file", OPTIONAL, pal_scene_hand, probe_file),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t hand_entry = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, pal_scene_hand, hand_fields),
};

static const cyaml_schema_field_t texture_fields[] = {
    TEXT("height", REQUIRED, pal_scene_texture, height),
    TEXT("length", REQUIRED, pal_scene_texture, length),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t surface_fields[] = {
    TEXT("region", OPTIONAL, pal_scene_surface, region),
    CYAML_FIELD_FLOAT_PTR("friction", OPTIONAL, pal_scene_surface, friction),
    CYAML_FIELD_FLOAT_PTR("static_friction", OPTIONAL, pal_scene_surface, static_friction),
    TEXT("stick_speed", OPTIONAL, pal_scene_surface, stick_speed),
    TEXT("stiffness", OPTIONAL, pal_scene_surface, stiffness),
    TEXT("damping", OPTIONAL, pal_scene_surface, damping),
    TEXT("adhesion", OPTIONAL, pal_scene_surface, adhesion),
    CYAML_FIELD_MAPPING_PTR("texture", OPTIONAL, pal_scene_surface, texture, texture_fields),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t surface_entry = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, pal_scene_surface, surface_fields),
};

static const cyaml_strval_t responses[] = {
    {"compliance", PAL_CONTACT_COMPLIANCE},
    {"penalty", PAL_CONTACT_PENALTY},
};

static const cyaml_strval_t normals[] = {
    {"smooth", PAL_NORMALS_SMOOTH},
    {"flat", PAL_NORMALS_FLAT},
};

static const cyaml_strval_t dents[] = {
    {"linear", PAL_DENTS_LINEAR},
    {"stiffening", PAL_DENTS_STIFFENING},
};

static const cyaml_schema_field_t contact_fields[] = {
    CYAML_FIELD_ENUM("response", OPTIONAL | CYAML_FLAG_STRICT, pal_scene_contact, response,
                     responses, CYAML_ARRAY_LEN(responses)),
    CYAML_FIELD_ENUM("normals", OPTIONAL | CYAML_FLAG_STRICT, pal_scene_contact, normals, normals,
                     CYAML_ARRAY_LEN(normals)),
    CYAML_FIELD_ENUM("dents", OPTIONAL | CYAML_FLAG_STRICT, pal_scene_contact, dents, dents,
                     CYAML_ARRAY_LEN(dents)),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t trial_fields[] = {
    TEXT("name", REQUIRED, pal_scene_own_trial, name),
    TEXT("kind", REQUIRED, pal_scene_own_trial, kind),
    CYAML_FIELD_SEQUENCE("probe", CYAML_FLAG_POINTER, pal_scene_own_trial, probe, &intent_entry, 1,
                         CYAML_UNLIMITED),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t trial_entry = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, pal_scene_own_trial, trial_fields),
};

static const cyaml_schema_field_t feel_fields[] = {
    PLACE("at", pal_scene_file_feel, at),
    PLACE("slide", pal_scene_file_feel, slide),
    PLACE("edge", pal_scene_file_feel, edge),
    TEXT("depth", OPTIONAL, pal_scene_file_feel, depth),
    CYAML_FIELD_SEQUENCE("trials", OPTIONAL | CYAML_FLAG_POINTER, pal_scene_file_feel, trials,
                         &trial_entry, 1, CYAML_UNLIMITED),
    CYAML_FIELD_END,
};

static const cyaml_strval_t inertias[] = {
    {"exact", PAL_SCENE_INERTIA_EXACT},
    {"interface", PAL_SCENE_INERTIA_INTERFACE},
    {"centre", PAL_SCENE_INERTIA_CENTRE},
};

static const cyaml_schema_field_t frequency_fields[] = {
    TEXT("domain", REQUIRED, pal_scene_frequency, domain),
    CYAML_FIELD_FLOAT("factor", REQUIRED, pal_scene_frequency, factor),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t frequency_entry = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, pal_scene_frequency, frequency_fields),
};

static const cyaml_schema_field_t tree_fields[] = {
    CYAML_FIELD_ENUM("inertia", OPTIONAL | CYAML_FLAG_STRICT, pal_scene_file_tree, inertia,
                     inertias, CYAML_ARRAY_LEN(inertias)),
    CYAML_FIELD_SEQUENCE("frequency", OPTIONAL | CYAML_FLAG_POINTER, pal_scene_file_tree, frequency,
                         &frequency_entry, 0, CYAML_UNLIMITED),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t wind_fields[] = {
    TEXT("speed", REQUIRED, pal_scene_file_wind, speed),
    TEXT("gust", OPTIONAL, pal_scene_file_wind, gust),
    TEXT("period", OPTIONAL, pal_scene_file_wind, period),
    CYAML_FIELD_SEQUENCE_FIXED("direction", REQUIRED, pal_scene_file_wind, direction, &number_entry,
                               3),
    CYAML_FIELD_END,
};

static const cyaml_strval_t ups[] = {
    {"z", PAL_UP_Z},        {"x", PAL_UP_X},        {"y", PAL_UP_Y},
    {"-z", PAL_UP_MINUS_Z}, {"-x", PAL_UP_MINUS_X}, {"-y", PAL_UP_MINUS_Y},
};

static const cyaml_schema_field_t scene_fields[] = {
    CYAML_FIELD_INT("palpate", REQUIRED, pal_scene_file, palpate),
    TEXT("name", REQUIRED, pal_scene_file, name),
    TEXT("about", OPTIONAL, pal_scene_file, about),
    CYAML_FIELD_MAPPING_PTR("body", OPTIONAL, pal_scene_file, body, body_fields),
    CYAML_FIELD_MAPPING_PTR("basis", OPTIONAL, pal_scene_file, basis, basis_fields),
    CYAML_FIELD_MAPPING_PTR("local", OPTIONAL, pal_scene_file, local, local_fields),
    CYAML_FIELD_MAPPING_PTR("wall", OPTIONAL, pal_scene_file, wall, wall_fields),
    CYAML_FIELD_MAPPING_PTR("device", OPTIONAL, pal_scene_file, device, device_fields),
    CYAML_FIELD_MAPPING_PTR("tool", OPTIONAL, pal_scene_file, tool, tool_fields),
    CYAML_FIELD_MAPPING_PTR("coupling", OPTIONAL, pal_scene_file, coupling, coupling_fields),
    CYAML_FIELD_MAPPING_PTR("contact", OPTIONAL, pal_scene_file, contact, contact_fields),
    CYAML_FIELD_SEQUENCE("probe", OPTIONAL | CYAML_FLAG_POINTER, pal_scene_file, probe,
                         &intent_entry, 0, CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("faults", OPTIONAL | CYAML_FLAG_POINTER, pal_scene_file, faults,
                         &fault_entry, 0, CYAML_UNLIMITED),
    TEXT("probe_file", OPTIONAL, pal_scene_file, probe_file),
    CYAML_FIELD_SEQUENCE("edits", OPTIONAL | CYAML_FLAG_POINTER, pal_scene_file, edits, &edit_entry,
                         0, CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("hands", OPTIONAL | CYAML_FLAG_POINTER, pal_scene_file, hands, &hand_entry,
                         1, CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("surfaces", OPTIONAL | CYAML_FLAG_POINTER, pal_scene_file, surfaces,
                         &surface_entry, 0, CYAML_UNLIMITED),
    CYAML_FIELD_MAPPING_PTR("feel", OPTIONAL, pal_scene_file, feel, feel_fields),
    CYAML_FIELD_MAPPING_PTR("tree", OPTIONAL, pal_scene_file, tree, tree_fields),
    CYAML_FIELD_MAPPING_PTR("wind", OPTIONAL, pal_scene_file, wind, wind_fields),
    CYAML_FIELD_SEQUENCE_FIXED("gravity", OPTIONAL, pal_scene_file, gravity, &pal_yaml_down_entry,
                               3),
    CYAML_FIELD_ENUM("up", OPTIONAL | CYAML_FLAG_STRICT, pal_scene_file, up, ups,
                     CYAML_ARRAY_LEN(ups)),
    CYAML_FIELD_IGNORE("landmarks", CYAML_FLAG_OPTIONAL),
    CYAML_FIELD_END,
};

const cyaml_schema_value_t pal_scene_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, pal_scene_file, scene_fields),
};

// New blocks by pal_alloc, so that the failing-allocator tests reach libcyaml as well.
static void *cyaml_memory(void *context, void *memory, size_t size) {
    (void)context;
    if (size == 0) {
        free(memory);
        return NULL;
    }
    return memory == NULL ? pal_alloc(size, 1, NULL) : realloc(memory, size);
}

const cyaml_config_t pal_scene_cyaml = {
    .log_level = CYAML_LOG_ERROR,
    .mem_fn = cyaml_memory,
    .flags = CYAML_CFG_NO_ALIAS,
};
