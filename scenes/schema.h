// What a scene file may hold: the structs that libcyaml fills and the schema that it fills them by.
// To add a key, add a member and a line in schema.c; README.md lists the keys for people. Private
// to scenes/.
#ifndef PAL_SCENES_SCHEMA_H
#define PAL_SCENES_SCHEMA_H

#include <cyaml/cyaml.h>
#include <stdint.h>

#include "devices/dev_sim.h"
#include "scenes/scene.h"
#include "sim/base/material.h"
#include "sim/base/up.h"
#include "sim/fem/problem.h"
#include "sim/mesh/voxelize.h"
#include "sim/model/tree_bake.h"
#include "sim/step.h"

// Pointers are NULL where the file does not have the key. Quantities are text here; the members
// that end in _si are set from them when the scene is checked.

typedef struct pal_scene_material {
    char *preset, *young, *density;
    double *poisson;
    pal_material si;
} pal_scene_material;

typedef struct pal_scene_shape {
    char *name, *size;
    double size_si; // m
} pal_scene_shape;

typedef struct pal_scene_mesh { // a mesh or surface file
    char *file;
    double *scale;
} pal_scene_mesh;

typedef struct pal_scene_region {
    char *name, *where;
    pal_scene_material material;
} pal_scene_region;

typedef struct pal_scene_hidden { // a ball somewhere in a box, by seed
    char *name, *diameter, *low[3], *high[3];
    int32_t *seed;
    pal_scene_material material;
} pal_scene_hidden;

typedef struct pal_scene_damping {
    char *mass, *stiffness;
} pal_scene_damping;

typedef struct pal_scene_mode_share { // of modes among domains
    int32_t *each, *total;
    pal_mode_share share;
} pal_scene_mode_share;

typedef struct pal_scene_domain { // by a selector
    char *name, *where;
    char *like; // another one, whose class it shares
} pal_scene_domain;

typedef struct pal_scene_file_domains { // a body of domains
    pal_scene_domain *list;
    uint32_t list_count;
    char *file;
    int32_t *automatic; // the key is `auto`
    pal_cut_way cut;
    pal_scene_mode_share *modes;
    bool *boundary;
    bool congruent; // those that can share a class do
    char *root;
    char **rigid; // [rigid_count]
    uint32_t rigid_count;
} pal_scene_file_domains;

typedef struct pal_scene_file_body {
    pal_scene_shape *shape;
    pal_scene_mesh *mesh, *surface;
    int32_t *voxels;
    pal_fill *fill;
    char *fixed, *touch;
    bool free;
    pal_mass_kind mass;
    pal_scene_material *material;
    pal_scene_region *regions;
    uint32_t regions_count;
    pal_scene_hidden *hidden;
    pal_scene_damping *damping;
    pal_scene_file_domains *domains;
} pal_scene_file_body;

typedef struct pal_scene_load {
    char *at;
    char *force[3];
} pal_scene_load;

typedef struct pal_scene_basis {
    pal_basis_kind kind;
    int32_t *modes, *size;
    pal_scene_load *loads;
    uint32_t loads_count;
    char *loads_file, *force_separation, *shape_separation;
} pal_scene_basis;

typedef struct pal_scene_local {
    pal_local_choice *way;
    char *radius;
} pal_scene_local;

// ---- what happens in a run; a bake does not depend on it

typedef enum pal_coupling_kind { PAL_COUPLING_STATIC, PAL_COUPLING_DYNAMIC } pal_coupling_kind;

typedef struct pal_scene_device {
    char *profile, *grip, *delay, *friction, *noise;
    int32_t *seed;
    char *start[3], *turn[3];
} pal_scene_device;

typedef struct pal_scene_tool {
    char *shape, *radius, *length, *rounding, *size, *file;
    double *scale;
    int32_t *cells;
    char *stiffness, *damping, *grasp;
} pal_scene_tool;

typedef struct pal_scene_spring { // the coupling, or the wall
    char *height, *stiffness, *damping;
    char *turn_stiffness, *mass, *inertia; // of the coupling
    pal_coupling_kind kind;
    bool *passivity;
} pal_scene_spring;

typedef enum pal_contact_normals { PAL_NORMALS_SMOOTH, PAL_NORMALS_FLAT } pal_contact_normals;

typedef enum pal_contact_dents { PAL_DENTS_LINEAR, PAL_DENTS_STIFFENING } pal_contact_dents;

typedef struct pal_scene_contact {
    pal_contact_form response;
    pal_contact_normals normals;
    pal_contact_dents dents;
} pal_scene_contact;

typedef struct pal_scene_intent { // one of the first nine, and what it takes
    char *move[3], *press[3], *tap[3], *slide[3], *circle[3], *wander[3];
    char ***path; // [path_count][3]
    uint32_t path_count;
    char *turn[3];
    char *hold, *release;
    char *seconds, *speed, *radius;
    double *turns;
    double axis[3]; // zeros when left out
    bool grasp;     // with the stylus button down
    bool mark;      // likewise: here it is
} pal_scene_intent;

typedef struct pal_scene_fault {
    pal_fault_kind kind;
    char *at, *seconds;
    int32_t axis;
} pal_scene_fault;

typedef struct pal_scene_edit { // of a material
    char *at, *region, *young, *density;
    double *poisson, *frequency;
} pal_scene_edit;

typedef struct pal_scene_hand { // one of several
    pal_scene_device *device;
    pal_scene_tool *tool;
    pal_scene_spring *coupling;
    pal_scene_intent *probe;
    uint32_t probe_count;
    pal_scene_fault *faults;
    uint32_t faults_count;
    char *probe_file;
} pal_scene_hand;

typedef struct pal_scene_texture {
    char *height, *length;
} pal_scene_texture;

typedef struct pal_scene_surface { // how a region feels, or the whole body
    char *region, *stick_speed, *stiffness, *damping, *adhesion;
    double *friction, *static_friction;
    pal_scene_texture *texture;
} pal_scene_surface;

typedef struct pal_scene_own_trial { // of contact feel
    char *name, *kind;
    pal_scene_intent *probe;
    uint32_t probe_count;
} pal_scene_own_trial;

typedef struct pal_scene_file_feel {
    char *at[3], *slide[3], *edge[3];
    char *depth;
    pal_scene_own_trial *trials;
    uint32_t trials_count;
} pal_scene_file_feel;

typedef struct pal_scene_frequency { // of some domains
    char *domain;
    double factor;
} pal_scene_frequency;

typedef struct pal_scene_file_tree { // how a body of domains moves
    pal_scene_inertia inertia;
    pal_scene_frequency *frequency;
    uint32_t frequency_count;
} pal_scene_file_tree;

typedef struct pal_scene_file_wind {
    char *speed, *gust, *period;
    double direction[3];
} pal_scene_file_wind;

typedef struct pal_scene_file {
    int32_t palpate; // version of the format
    char *name, *about;
    pal_scene_file_body *body;
    pal_scene_basis *basis;
    pal_scene_local *local;
    pal_scene_spring *wall;
    pal_scene_device *device;
    pal_scene_tool *tool;
    pal_scene_spring *coupling;
    pal_scene_contact *contact;
    pal_scene_intent *probe;
    uint32_t probe_count;
    pal_scene_fault *faults;
    uint32_t faults_count;
    char *probe_file;
    pal_scene_edit *edits;
    uint32_t edits_count;
    pal_scene_hand *hands;
    uint32_t hands_count;
    pal_scene_surface *surfaces;
    uint32_t surfaces_count;
    pal_scene_file_feel *feel;
    pal_scene_file_tree *tree;
    pal_scene_file_wind *wind;
    char *gravity[3];
    pal_up up;
} pal_scene_file;

enum { PAL_SCENE_VERSION = 1 };

extern const cyaml_schema_value_t pal_scene_schema;
extern const cyaml_config_t pal_scene_cyaml; // for cyaml_load_data and cyaml_free

#endif
