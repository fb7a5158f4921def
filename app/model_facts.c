#include "app/model_facts.h"

#include "app/style.h"
#include "app/table.h"
#include "sim/contact/local_build.h"

// Coefficients that the run time works on: one quartic.
static int64_t coefficient_count(const pal_model *model) {
    return pal_pairs(model->r) + pal_triples(model->r) + pal_quadruples(model->r);
}

static int32_t held_count(const pal_model *model) {
    int32_t count = 0;
    for (int32_t v = 0; v < model->mesh.vertex_count; v++) {
        count += model->held[v] != 0;
    }
    return count;
}

void pal_model_facts_print(const pal_model *model, FILE *out) {
    int64_t coefficients = coefficient_count(model);
    pal_table_fact(
        out, "mesh", "%s vertices (%s held), %s %s", pal_say_count(model->mesh.vertex_count).text,
        pal_say_count(held_count(model)).text, pal_say_count(model->mesh.element_count).text,
        model->mesh.kind == PAL_TET4 ? "tets" : "voxels");
    pal_table_fact(out, "surface", "%s triangles, %s vertices",
                   pal_say_count(model->surface.triangle_count).text,
                   pal_say_count(model->surface.vertex_count).text);
    pal_table_fact(out, "mass", "%s (%s mass matrix)", pal_say_mass(model->total_mass).text,
                   model->lumped_mass ? "lumped" : "consistent");
    pal_table_fact(out, "basis", "%d vectors from %d linear modes", (int)model->r,
                   (int)model->mode_count);
    pal_table_fact(out, "quartic", "%s coefficients (%s), kept per region and Lame constant",
                   pal_say_count(coefficients).text,
                   pal_say_bytes(8.0 * (double)coefficients).text);
    if (model->local.row_count > 0) {
        pal_table_fact(out, "local", "%s vertices, %s blocks within %.3g mm (%s), %s way",
                       pal_say_count(model->local.row_count).text,
                       pal_say_count(model->local.block_count).text, 1e3 * model->local.radius,
                       pal_say_bytes(pal_local_bytes(&model->local)).text,
                       pal_local_way_text(&model->local));
    } else {
        pal_table_fact(out, "local", "no compliance beyond the basis");
    }
    pal_table_fact(out, "damping", "alpha %.4g 1/s, beta %.4g s", model->damping_alpha,
                   model->damping_beta);
    for (int32_t g = 0; g < model->region_count; g++) {
        const pal_model_region *region = &model->region[g];
        pal_table_fact(out, g == 0 ? "material" : "", "%s: E %s, nu %.4g, density %.4g kg/m^3",
                       region->name, pal_say_pressure(region->material.young).text,
                       region->material.poisson, region->material.density);
    }
    pal_table_fact(out, "content hash", "%s", model->hash);
}

cJSON *pal_local_json(const pal_local *local) {
    cJSON *item = pal_json_object();
    pal_json_text(item, "way", pal_local_way_text(local));
    pal_json_number(item, "vertices", local->row_count);
    pal_json_number(item, "blocks", local->block_count);
    pal_json_number(item, "radius_m", local->radius);
    pal_json_number(item, "bytes", pal_local_bytes(local));
    return item;
}

void pal_model_facts_json(const pal_model *model, cJSON *object) {
    pal_json_text(object, "name", model->name);
    pal_json_text(object, "hash", model->hash);
    pal_json_number(object, "vertices", model->mesh.vertex_count);
    pal_json_number(object, "elements", model->mesh.element_count);
    pal_json_text(object, "element_kind", model->mesh.kind == PAL_TET4 ? "tet" : "voxel");
    pal_json_number(object, "held_vertices", held_count(model));
    pal_json_number(object, "surface_triangles", model->surface.triangle_count);
    pal_json_number(object, "surface_vertices", model->surface.vertex_count);
    pal_json_number(object, "mass_kg", model->total_mass);
    pal_json_text(object, "mass_matrix", model->lumped_mass ? "lumped" : "consistent");
    pal_json_number(object, "basis_size", model->r);
    pal_json_number(object, "linear_modes", model->mode_count);
    pal_json_numbers(object, "frequencies_hz", model->frequencies_hz, model->mode_count);
    pal_json_number(object, "quartic_coefficients", (double)coefficient_count(model));
    pal_json_add(object, "local", pal_local_json(&model->local));
    pal_json_number(object, "damping_alpha_per_s", model->damping_alpha);
    pal_json_number(object, "damping_beta_s", model->damping_beta);
    cJSON *list = pal_json_array();
    for (int32_t g = 0; g < model->region_count; g++) {
        const pal_model_region *region = &model->region[g];
        cJSON *item = pal_json_object();
        pal_json_text(item, "name", region->name);
        pal_json_number(item, "young_pa", region->material.young);
        pal_json_number(item, "poisson", region->material.poisson);
        pal_json_number(item, "density_kg_m3", region->material.density);
        pal_json_append(list, item);
    }
    pal_json_add(object, "regions", list);
}

void pal_model_facts_modes(const pal_model *model, int most, FILE *out) {
    if (model->mode_count == 0) {
        return;
    }
    pal_table table;
    pal_table_start(&table, ">mode|>frequency [Hz]|>period [ms]");
    for (int i = 0; i < model->mode_count && i < most; i++) {
        pal_table_cell(&table, "%d", i + 1);
        pal_table_cell(&table, "%#.6g", model->frequencies_hz[i]);
        pal_table_cell(&table, "%.4g", 1e3 / model->frequencies_hz[i]);
    }
    pal_table_print(&table, out);
}
