// Volume meshes and surfaces.
#include <math.h>
#include <stdlib.h>

#include "app/info.h"
#include "app/progress_bar.h"
#include "app/style.h"
#include "app/table.h"
#include "scenes/unit_guess.h"
#include "sim/base/memory.h"
#include "sim/mesh/mesh_io.h"
#include "sim/mesh/surface.h"
#include "sim/mesh/tidy.h"

// A scene says its own scale, and has trees and dragons, too: there only what is far off is told.
static const double smallest_body = 1e-4, largest_body = 10.0; // m

typedef struct unit_hint {
    char text[320];
} unit_hint;

// When the coordinates of a file look as if they were in another unit than `scale` makes of them;
// "" otherwise. A scale that the user gave (0: a scene) and that makes a body to be pressed is
// right.
static unit_hint hint_unit(const double box_min[3], const double box_max[3], double scale) {
    unit_hint hint = {""};
    double longest = 0.0;
    for (int c = 0; c < 3; c++) {
        longest = fmax(longest, box_max[c] - box_min[c]);
    }
    const bool right = scale == 0.0   ? longest <= largest_body && longest >= smallest_body
                       : scale == 1.0 ? false
                                      : pal_unit_is_plausible(longest);
    const double raw = longest / (scale > 0.0 ? scale : 1.0);
    const pal_length_unit *unit = pal_unit_guess(raw);
    if (longest > 0.0 && !right && fabs(unit->metres - (scale > 0.0 ? scale : 1.0)) > 1e-12) {
        char reason[240];
        pal_unit_reason(raw, unit, reason, sizeof reason);
        snprintf(hint.text, sizeof hint.text, "%s; if so: %s%g", reason,
                 scale > 0.0 ? "--scale " : "scale times ", unit->metres);
    }
    return hint;
}

static void print_box(const double box_min[3], const double box_max[3], double scale) {
    for (int c = 0; c < 3; c++) {
        char axis[2] = {(char)('x' + c), '\0'};
        pal_table_fact(stdout, axis, "%.6g to %.6g m (%s)", box_min[c], box_max[c],
                       pal_say_length(box_max[c] - box_min[c]).text);
    }
    const unit_hint hint = hint_unit(box_min, box_max, scale);
    if (hint.text[0] != '\0') {
        pal_table_fact(stdout, "hint", "%s", hint.text);
    }
}

static void json_box(cJSON *object, const double box_min[3], const double box_max[3],
                     double scale) {
    pal_json_numbers(object, "box_min_m", box_min, 3);
    pal_json_numbers(object, "box_max_m", box_max, 3);
    const unit_hint hint = hint_unit(box_min, box_max, scale);
    if (hint.text[0] != '\0') {
        pal_json_text(object, "hint", hint.text);
    }
}

// How many elements each region has, on the heap.
static int32_t *count_regions(const pal_volmesh *mesh, pal_err *err) {
    int32_t *count = PAL_NEW(int32_t, mesh->region_count, err);
    for (int32_t e = 0; count != NULL && e < mesh->element_count; e++) {
        count[mesh->region[e]]++;
    }
    return count;
}

static pal_status print_regions(const pal_volmesh *mesh, pal_err *err) {
    int32_t *count = count_regions(mesh, err);
    if (count == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_table table;
    pal_table_start(&table, "region|>elements|>E|>nu|>density [kg/m^3]");
    for (int32_t g = 0; g < mesh->region_count; g++) {
        const pal_region *region = &mesh->regions[g];
        pal_table_cell(&table, "%s", region->name);
        pal_table_cell(&table, "%s", pal_say_count(count[g]).text);
        if (region->has_material) {
            pal_table_cell(&table, "%s", pal_say_pressure(region->material.young).text);
            pal_table_cell(&table, "%.4g", region->material.poisson);
            pal_table_cell(&table, "%.4g", region->material.density);
        } else {
            for (int i = 0; i < 3; i++) {
                pal_table_cell(&table, "-");
            }
        }
    }
    putchar('\n');
    pal_table_print(&table, stdout);
    free(count);
    return PAL_OK;
}

// What `set:` selects beside the regions. A file of many sets shows the first ones.
static void print_sets(const pal_volmesh *mesh) {
    enum { SHOWN = 40 };
    if (mesh->set_count == 0) {
        return;
    }
    pal_table table;
    pal_table_start(&table, "set|>members|of");
    for (int32_t s = 0; s < mesh->set_count && s < SHOWN; s++) {
        pal_table_cell(&table, "%s", mesh->sets[s].name);
        pal_table_cell(&table, "%s", pal_say_count(mesh->sets[s].count).text);
        pal_table_cell(&table, "%s", mesh->sets[s].of_elements ? "elements" : "vertices");
    }
    putchar('\n');
    pal_table_print(&table, stdout);
    if (mesh->set_count > SHOWN) {
        printf("  and %d more sets; --json lists them all\n", (int)(mesh->set_count - SHOWN));
    }
}

static void json_sets(const pal_volmesh *mesh, cJSON *object) {
    cJSON *list = pal_json_array();
    for (int32_t s = 0; s < mesh->set_count; s++) {
        cJSON *item = pal_json_object();
        pal_json_text(item, "name", mesh->sets[s].name);
        pal_json_text(item, "of", mesh->sets[s].of_elements ? "elements" : "vertices");
        pal_json_number(item, "members", mesh->sets[s].count);
        pal_json_append(list, item);
    }
    pal_json_add(object, "sets", list);
}

static void print_volume(double m3, const char *remark) {
    if (m3 < 1.0) {
        pal_table_fact(stdout, "volume", "%s (%.6g m^3)%s", pal_say_volume(m3).text, m3, remark);
    } else {
        pal_table_fact(stdout, "volume", "%.6g m^3%s", m3, remark);
    }
}

pal_status pal_info_print_mesh(const pal_volmesh *mesh, double scale, pal_err *err) {
    pal_mesh_quality q;
    pal_status status = pal_mesh_measure(mesh, &q, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_table_fact(stdout, "vertices", "%s", pal_say_count(mesh->vertex_count).text);
    pal_table_fact(stdout, "elements", "%s %s", pal_say_count(mesh->element_count).text,
                   mesh->kind == PAL_TET4 ? "tets" : "voxels");
    print_volume(q.volume, "");
    print_box(q.box_min, q.box_max, scale);
    pal_table_fact(stdout, "edges", "%s to %s", pal_say_length(q.min_edge).text,
                   pal_say_length(q.max_edge).text);
    pal_table_fact(stdout, "dihedral angles", "%.1f to %.1f degrees; the worst in element %d",
                   q.min_dihedral_degrees, q.max_dihedral_degrees, (int)q.worst_element);
    pal_table_fact(stdout, "components", "%d%s", (int)q.components,
                   q.components > 1 ? " (separate pieces)" : "");
    if (q.face_components > q.components) {
        pal_table_fact(stdout, "hinges", "%d: parts that meet only at a vertex or edge",
                       (int)(q.face_components - q.components));
    }
    pal_table_fact(stdout, "inverted", "%s elements", pal_say_count(q.inverted_count).text);
    if (mesh->turned_count > 0) {
        pal_table_fact(stdout, "turned round", "%s elements that the file has inside out",
                       pal_say_count(mesh->turned_count).text);
    }
    if (mesh->dropped_count > 0) {
        pal_table_fact(stdout, "dropped", "%s vertices that no element uses",
                       pal_say_count(mesh->dropped_count).text);
    }
    status = print_regions(mesh, err);
    print_sets(mesh);
    return status;
}

static pal_status json_regions(const pal_volmesh *mesh, cJSON *object, pal_err *err) {
    int32_t *count = count_regions(mesh, err);
    if (count == NULL) {
        return PAL_ERR_MEMORY;
    }
    cJSON *list = pal_json_array();
    for (int32_t g = 0; g < mesh->region_count; g++) {
        const pal_region *region = &mesh->regions[g];
        cJSON *item = pal_json_object();
        pal_json_text(item, "name", region->name);
        pal_json_number(item, "elements", count[g]);
        if (region->has_material) {
            pal_json_number(item, "young_pa", region->material.young);
            pal_json_number(item, "poisson", region->material.poisson);
            pal_json_number(item, "density_kg_m3", region->material.density);
        }
        pal_json_append(list, item);
    }
    pal_json_add(object, "regions", list);
    free(count);
    return PAL_OK;
}

pal_status pal_info_json_mesh(const pal_volmesh *mesh, double scale, cJSON *object, pal_err *err) {
    pal_mesh_quality q;
    pal_status status = pal_mesh_measure(mesh, &q, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_json_text(object, "element_kind", mesh->kind == PAL_TET4 ? "tet" : "voxel");
    pal_json_number(object, "vertices", mesh->vertex_count);
    pal_json_number(object, "elements", mesh->element_count);
    pal_json_number(object, "volume_m3", q.volume);
    json_box(object, q.box_min, q.box_max, scale);
    pal_json_number(object, "min_edge_m", q.min_edge);
    pal_json_number(object, "max_edge_m", q.max_edge);
    pal_json_number(object, "min_dihedral_degrees", q.min_dihedral_degrees);
    pal_json_number(object, "max_dihedral_degrees", q.max_dihedral_degrees);
    pal_json_number(object, "worst_element", q.worst_element);
    pal_json_number(object, "inverted_elements", q.inverted_count);
    pal_json_number(object, "components", q.components);
    pal_json_number(object, "face_components", q.face_components);
    pal_json_number(object, "dropped_vertices", mesh->dropped_count);
    pal_json_number(object, "turned_elements", mesh->turned_count);
    json_sets(mesh, object);
    return json_regions(mesh, object, err);
}

pal_status pal_info_mesh(const pal_job *job, const char *path, pal_err *err) {
    pal_volmesh mesh;
    pal_status status = pal_mesh_read(path, &mesh, err);
    if (status != PAL_OK) {
        return status;
    }
    const double scale = pal_args_number(job->args, "--scale");
    pal_volmesh_scale(&mesh, scale);
    if (job->json) {
        cJSON *root = pal_json_object();
        pal_json_text(root, "kind", "mesh");
        pal_json_text(root, "file", path);
        status = pal_info_json_mesh(&mesh, scale, root, err);
        if (status == PAL_OK) {
            status = pal_json_print(root, err);
        } else {
            cJSON_Delete(root);
        }
    } else {
        printf("%s%s%s - a volume mesh\n", pal_style_bold(stdout), path, pal_style_plain(stdout));
        status = pal_info_print_mesh(&mesh, scale, err);
    }
    pal_volmesh_free(&mesh);
    return status;
}

static void print_surface(const char *path, const pal_surface *surface,
                          const pal_surface_quality *q, double scale) {
    printf("%s%s%s - a surface\n", pal_style_bold(stdout), path, pal_style_plain(stdout));
    pal_table_fact(stdout, "vertices", "%s", pal_say_count(surface->vertex_count).text);
    pal_table_fact(stdout, "triangles", "%s", pal_say_count(surface->triangle_count).text);
    pal_table_fact(stdout, "area", "%.6g m^2", q->area);
    print_volume(q->volume, q->open_edges > 0 ? ", in doubt: the surface is open" : "");
    print_box(q->box_min, q->box_max, scale);
    pal_table_fact(stdout, "components", "%d", (int)q->components);
    pal_table_fact(stdout, "closed", "%s", q->open_edges == 0 ? "yes" : "no");
    if (q->open_edges > 0) {
        pal_table_fact(stdout, "open edges", "%s", pal_say_count(q->open_edges).text);
    }
    if (q->nonmanifold_edges > 0) {
        pal_table_fact(stdout, "branching edges", "%s, of three or more triangles",
                       pal_say_count(q->nonmanifold_edges).text);
    }
}

static pal_status json_surface(const char *path, const pal_surface *surface,
                               const pal_surface_quality *q, double scale, pal_err *err) {
    cJSON *root = pal_json_object();
    pal_json_text(root, "kind", "surface");
    pal_json_text(root, "file", path);
    pal_json_number(root, "vertices", surface->vertex_count);
    pal_json_number(root, "triangles", surface->triangle_count);
    pal_json_number(root, "area_m2", q->area);
    pal_json_number(root, "volume_m3", q->volume);
    json_box(root, q->box_min, q->box_max, scale);
    pal_json_number(root, "components", q->components);
    pal_json_number(root, "open_edges", q->open_edges);
    pal_json_number(root, "nonmanifold_edges", q->nonmanifold_edges);
    return pal_json_print(root, err);
}

pal_status pal_info_surface(const pal_job *job, const char *path, pal_err *err) {
    pal_surface surface;
    pal_surface_quality quality;
    pal_status status = pal_surface_read(path, &surface, err);
    if (status != PAL_OK) {
        return status;
    }
    const double scale = pal_args_number(job->args, "--scale");
    pal_surface_scale(&surface, scale);
    status = pal_surface_measure(&surface, &quality, err);
    if (status == PAL_OK && job->json) {
        status = json_surface(path, &surface, &quality, scale, err);
    } else if (status == PAL_OK) {
        print_surface(path, &surface, &quality, scale);
    }
    pal_surface_free(&surface);
    return status;
}
