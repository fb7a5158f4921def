#include "sim/model/model_fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/contact/local_build.h"
#include "sim/model/field_list.h"

enum { R_MAX = 10000, GROUP_NAME = 64 };

pal_status pal_model_visit_sizes(pal_model *m, pal_field_visit *visit, void *context,
                                 pal_err *err) {
    const pal_visitor v = {visit, context, err};
    return PAL_VISIT(
        &v, GROUP("/mesh", "the volume mesh"),
        COUNT("/mesh", "nodes_per_element", &m->mesh.kind, "4: tetrahedra, 8: hexahedra"),
        COUNT("/mesh", "vertex_count", &m->mesh.vertex_count, "vertices"),
        COUNT("/mesh", "element_count", &m->mesh.element_count, "elements"),
        COUNT("/mesh", "region_count", &m->mesh.region_count, "parts with their own material"),
        GROUP("/basis", "the reduced coordinates: u = U q"),
        COUNT("/basis", "size", &m->r, "r, the columns of U"),
        COUNT("/basis", "mode_count", &m->mode_count,
              "linear modes behind U, 0 for shapes of loads"),
        GROUP("/surface", "the triangles that are touched and drawn"),
        COUNT("/surface", "vertex_count", &m->surface.vertex_count, "points"),
        COUNT("/surface", "triangle_count", &m->surface.triangle_count, "triangles"),
        GROUP("/local", "compliance beyond the basis: G = K^-1 - U (U^T K U)^-1 U^T near by"),
        COUNT("/local", "row_count", &m->local.row_count, "vertices that may be touched"),
        COUNT("/local", "block_count", &m->local.block_count, "pairs of them with a block"));
}

static pal_status visit_body(pal_model *m, const pal_visitor *v) {
    return PAL_VISIT(
        v, GROUP("/body", "the body as a whole"), STRING("/body", "name", &m->name, "its name"),
        FLAG("/body", "lumped_mass", &m->lumped_mass, "0: consistent mass, 1: lumped"),
        NUMBER("/body", "total_mass", &m->total_mass, "kg", "mass of the whole body"),
        NUMBER("/body", "damping_alpha", &m->damping_alpha, "1/s", "C = alpha M + beta K(q)"),
        NUMBER("/body", "damping_beta", &m->damping_beta, "s", "C = alpha M + beta K(q)"),
        GROUP("/scene", "where the model came from"),
        STRING("/scene", "text", &m->scene_text, "the scene file that made it, empty if none"));
}

// Of a mesh whose elements are not all whole; of any while it is read.
static pal_status visit_share(pal_model *m, const pal_visitor *v) {
    return m->mesh.share == NULL
               ? PAL_OK
               : PAL_VISIT(v, OPTIONAL_LIST("/mesh", "share", m->mesh.share, m->mesh.element_count,
                                            "1",
                                            "how much of each element is body, above 0, at most 1; "
                                            "not there: all of it"));
}

static pal_status visit_mesh(pal_model *m, const pal_visitor *v) {
    pal_volmesh *mesh = &m->mesh;
    int64_t n = mesh->vertex_count, e = mesh->element_count;
    return PAL_VISIT(
        v, TABLE("/mesh", "x", mesh->x, n, 3, "m", "rest position of each vertex"),
        INDEX_TABLE("/mesh", "element", mesh->element, e, (int)mesh->kind, n,
                    "vertices of each element, from 0, in the order of VTK"),
        INDICES("/mesh", "region", mesh->region, e, mesh->region_count, "region of each element"),
        INDICES("/mesh", "file_vertex", mesh->file_vertex, n, INT32_MAX,
                "the vertex's place in the mesh file, from 0"),
        FLAGS("/mesh", "held", m->held, n, "1 where the vertex is fixed"),
        COUNT("/mesh", "dropped_count", &mesh->dropped_count, "vertices that no element used"),
        COUNT("/mesh", "turned_count", &mesh->turned_count, "elements that came inside out"));
}

static pal_status visit_shape(pal_model *m, const pal_visitor *v) {
    int64_t n = m->mesh.vertex_count, points = m->surface.vertex_count;
    int64_t nodes = m->embedding.nodes;
    return PAL_VISIT(
        v,
        {"/basis",
         "U",
         PAL_FIELD_F64,
         m->basis,
         3,
         {n, 3, m->r},
         0,
         "kg^-1/2",
         "u = U q of each vertex and axis; U^T M U = I; any first columns are a basis too"},
        LIST("/basis", "frequencies", m->frequencies_hz, m->mode_count, "Hz",
             "natural frequencies of the linear modes"),
        TABLE("/surface", "x", m->surface.x, points, 3, "m", "rest position of each point"),
        INDEX_TABLE("/surface", "triangle", m->surface.triangle, m->surface.triangle_count, 3,
                    points, "points of each triangle, counter-clockwise seen from outside"),
        GROUP("/embedding", "the surface carried by the mesh: point = sum of weight * vertex"),
        INDEX_TABLE("/embedding", "vertex", m->embedding.vertex, points, nodes, n,
                    "mesh vertices that carry each point of the surface"),
        TABLE("/embedding", "weight", m->embedding.weight, points, nodes, "1",
              "their weights, each row sums to 1"));
}

static pal_status visit_local(pal_model *m, const pal_visitor *v) {
    pal_local *local = &m->local;
    int32_t rows = local->row_count, blocks = local->block_count;
    return PAL_VISIT(v,
                     {"/local",
                      "way",
                      PAL_FIELD_I32,
                      &local->way,
                      0,
                      {0},
                      PAL_LOCAL_FAST + 1,
                      "1",
                      "how it was baked: 0 not at all, 1 exactly, 2 by patches"},
                     NUMBER("/local", "radius", &local->radius, "m", "pairs nearer than this"),
                     INDICES("/local", "vertex", local->vertex, rows, m->mesh.vertex_count,
                             "the mesh vertex of each row, ascending"),
                     INDICES("/local", "first", local->first, rows + (int64_t)1, INT32_MAX,
                             "where the blocks of each row begin"),
                     INDICES("/local", "column", local->column, blocks, rows > 0 ? rows : 1,
                             "the other row of each block, ascending in each row"),
                     {"/local",
                      "block",
                      PAL_FIELD_F32,
                      local->block,
                      2,
                      {blocks, 9},
                      0,
                      "m/N",
                      "G between the two vertices, row by row"});
}

// The three tables of a quartic; `per` is the unit that its weight brings, "" if none.
static pal_status visit_quartic(pal_quartic *t, const char *group, const char *per,
                                const char *about, const pal_visitor *v) {
    char units[3][GROUP_NAME];
    snprintf(units[0], GROUP_NAME, "s^-2%s", per);
    snprintf(units[1], GROUP_NAME, "s^-2 kg^-1/2 m^-1%s", per);
    snprintf(units[2], GROUP_NAME, "s^-2 kg^-1 m^-2%s", per);
    return PAL_VISIT(
        v, GROUP(group, about),
        LIST(group, "P", t->p, pal_pairs(t->r), units[0],
             "P_ij, second derivatives of V at 0, at place C(j+1,2) + i, i <= j"),
        LIST(group, "Q", t->q, pal_triples(t->r), units[1],
             "Q_ijk, third, at place C(k+2,3) + C(j+1,2) + i, i <= j <= k"),
        LIST(group, "S", t->s, pal_quadruples(t->r), units[2],
             "S_ijkl, fourth, at C(l+3,4) + C(k+2,3) + C(j+1,2) + i, i <= j <= k <= l"));
}

static pal_status visit_region(pal_model *m, int32_t g, const pal_visitor *v) {
    pal_model_region *region = &m->region[g];
    pal_region *source = &m->mesh.regions[g];
    char group[GROUP_NAME], per_lambda[GROUP_NAME], per_mu[GROUP_NAME];
    snprintf(group, sizeof group, "/regions/%d", (int)g);
    snprintf(per_lambda, sizeof per_lambda, "/regions/%d/per_lambda", (int)g);
    snprintf(per_mu, sizeof per_mu, "/regions/%d/per_mu", (int)g);
    pal_status status = PAL_VISIT(
        v, GROUP(group, "one part of the body"), TEXT(group, "name", region->name, "its name"),
        NUMBER(group, "young", &region->material.young, "Pa", "as baked"),
        NUMBER(group, "poisson", &region->material.poisson, "1", "as baked"),
        NUMBER(group, "density", &region->material.density, "kg/m^3", "as baked"),
        TEXT(group, "mesh_name", source->name, "its name in the mesh"),
        FLAG(group, "mesh_has_material", &source->has_material, "1: the mesh file gave one"),
        NUMBER(group, "mesh_young", &source->material.young, "Pa", "of the mesh file"),
        NUMBER(group, "mesh_poisson", &source->material.poisson, "1", "of the mesh file"),
        NUMBER(group, "mesh_density", &source->material.density, "kg/m^3", "of the mesh file"),
        LIST(group, "per_density", region->per_density, pal_pairs(m->r), "m^3/kg",
             "its share of U^T M U at density 1, packed as P"));
    if (status == PAL_OK) {
        status = visit_quartic(&region->per_lambda, per_lambda, " Pa^-1",
                               "its part of the energy for lambda = 1 Pa, mu = 0", v);
    }
    if (status == PAL_OK) {
        status = visit_quartic(&region->per_mu, per_mu, " Pa^-1",
                               "its part of the energy for lambda = 0, mu = 1 Pa", v);
    }
    return status;
}

pal_status pal_model_visit_content(pal_model *m, pal_field_visit *visit, void *context,
                                   pal_err *err) {
    const pal_visitor v = {visit, context, err};
    pal_status status = visit_body(m, &v);
    if (status == PAL_OK) {
        status = visit_mesh(m, &v);
    }
    if (status == PAL_OK) {
        status = visit_share(m, &v);
    }
    if (status == PAL_OK) {
        status = visit_shape(m, &v);
    }
    if (status == PAL_OK) {
        status = visit_local(m, &v);
    }
    if (status == PAL_OK) {
        status = visit_quartic(
            &m->quartic, "/quartic", "",
            "V(q) = P_ij qi qj / 2 + Q_ijk qi qj qk / 6 + S_ijkl qi qj qk ql / 24, symmetric; "
            "unique coefficients, largest index first: the first r' coordinates are a prefix",
            &v);
    }
    if (status == PAL_OK) {
        status = PAL_VISIT(&v, GROUP("/regions", "/quartic is the sum over regions of "
                                                 "lambda * per_lambda + mu * per_mu"));
    }
    for (int32_t g = 0; status == PAL_OK && g < m->region_count; g++) {
        status = visit_region(m, g, &v);
    }
    return status;
}

static int64_t field_count(const pal_field *field) {
    int64_t count = 1;
    for (int i = 0; i < field->rank; i++) {
        count *= field->shape[i];
    }
    return count;
}

static size_t field_bytes(const pal_field *field) {
    size_t size = field->type == PAL_FIELD_F64   ? sizeof(double)
                  : field->type == PAL_FIELD_F32 ? sizeof(float)
                  : field->type == PAL_FIELD_I32 ? sizeof(int32_t)
                                                 : sizeof(uint8_t);
    return (size_t)field_count(field) * size;
}

pal_status pal_field_check(const pal_field *field, const char *owner, pal_err *err) {
    bool single = field->type == PAL_FIELD_F32, number = field->type == PAL_FIELD_F64 || single;
    if (!number && field->type != PAL_FIELD_I32 && field->type != PAL_FIELD_BYTE) {
        return PAL_OK;
    }
    int64_t count = field_count(field);
    for (int64_t i = 0; i < count; i++) {
        if (number) {
            double value =
                single ? (double)((const float *)field->data)[i] : ((const double *)field->data)[i];
            if (!isfinite(value)) {
                return pal_fail(err, PAL_ERR_INPUT, "%s: %s/%s: value %lld is %g, not a number",
                                owner, field->group, field->name, (long long)i, value);
            }
            continue;
        }
        int64_t value = field->type == PAL_FIELD_I32 ? ((const int32_t *)field->data)[i]
                                                     : ((const uint8_t *)field->data)[i];
        if (value < 0 || value >= field->limit) {
            return pal_fail(err, PAL_ERR_INPUT, "%s: %s/%s: value %lld is %lld, not in 0..%lld",
                            owner, field->group, field->name, (long long)i, (long long)value,
                            (long long)field->limit - 1);
        }
    }
    return PAL_OK;
}

pal_status pal_model_check_sizes(const pal_model *m, const char *owner, pal_model_softness softness,
                                 pal_err *err) {
    if (m->mesh.kind != PAL_TET4 && m->mesh.kind != PAL_HEX8) {
        return pal_fail(err, PAL_ERR_INPUT, "%s: elements of %d vertices; 4 or 8 are known", owner,
                        (int)m->mesh.kind);
    }
    if (m->mesh.vertex_count < 1 || m->mesh.element_count < 1 || m->mesh.region_count < 1) {
        return pal_fail(err, PAL_ERR_INPUT, "%s: a mesh of %d vertices, %d elements, %d regions",
                        owner, (int)m->mesh.vertex_count, (int)m->mesh.element_count,
                        (int)m->mesh.region_count);
    }
    if (m->r < (int32_t)softness || m->r > R_MAX || m->mode_count < 0) {
        return pal_fail(err, PAL_ERR_INPUT, "%s: a basis of %d vectors from %d modes; 1 to %d fit",
                        owner, (int)m->r, (int)m->mode_count, (int)R_MAX);
    }
    if (m->surface.vertex_count < 0 || m->surface.triangle_count < 0) {
        return pal_fail(err, PAL_ERR_INPUT, "%s: a surface of %d points and %d triangles", owner,
                        (int)m->surface.vertex_count, (int)m->surface.triangle_count);
    }
    if (m->local.row_count < 0 || m->local.row_count > m->mesh.vertex_count ||
        m->local.block_count < 0) {
        return pal_fail(err, PAL_ERR_INPUT, "%s: local compliance of %d vertices, %d blocks", owner,
                        (int)m->local.row_count, (int)m->local.block_count);
    }
    return PAL_OK;
}

double pal_model_bytes(const pal_model *m) {
    double n = m->mesh.vertex_count, e = m->mesh.element_count, points = m->surface.vertex_count;
    double nodes = (double)m->mesh.kind, regions = m->mesh.region_count;
    double pairs = (double)pal_pairs(m->r);
    double quartic = pairs + (double)pal_triples(m->r) + (double)pal_quadruples(m->r);
    return n * (24.0 + 4.0 + 1.0 + 24.0 * m->r) + e * (nodes + 1.0) * 4.0 +
           (m->mesh.share != NULL ? 8.0 * e : 0.0) + 8.0 * m->mode_count +
           points * (24.0 + 12.0 * nodes) + 8.0 * m->local.row_count + 40.0 * m->local.block_count +
           12.0 * m->surface.triangle_count + 8.0 * (quartic + regions * (2.0 * quartic + pairs));
}

static pal_status check_shares(const pal_model *m, const char *owner, pal_err *err) {
    for (int32_t e = 0; m->mesh.share != NULL && e < m->mesh.element_count; e++) {
        if (!(m->mesh.share[e] > 0.0 && m->mesh.share[e] <= 1.0)) {
            return pal_fail(err, PAL_ERR_INPUT,
                            "%s: /mesh/share: value %d is %g, not above 0 and at most 1", owner,
                            (int)e, m->mesh.share[e]);
        }
    }
    return PAL_OK;
}

static pal_status check_visit(void *context, const pal_field *field, pal_err *err) {
    return pal_field_check(field, *(const char **)context, err);
}

static pal_status check_materials(const pal_model *m, const char *owner, pal_err *err) {
    for (int32_t g = 0; g < m->region_count; g++) {
        char who[PAL_REGION_NAME + 512];
        snprintf(who, sizeof who, "%.400s: region '%s'", owner, m->region[g].name);
        pal_status status = pal_material_check(&m->region[g].material, who, err);
        if (status != PAL_OK) {
            return status;
        }
    }
    return PAL_OK;
}

pal_status pal_model_check(pal_model *m, const char *owner, pal_model_softness softness,
                           pal_err *err) {
    pal_status status = pal_model_check_sizes(m, owner, softness, err);
    if (status != PAL_OK) {
        return status;
    }
    if (m->region_count != m->mesh.region_count || m->embedding.nodes != (int32_t)m->mesh.kind ||
        m->embedding.point_count != m->surface.vertex_count) {
        return pal_fail(err, PAL_ERR_INPUT, "%s: mesh, surface, embedding and regions do not fit",
                        owner);
    }
    if (m->local.vertex_count != m->mesh.vertex_count || !(m->local.radius >= 0.0)) {
        return pal_fail(err, PAL_ERR_INPUT, "%s: the local compliance does not fit the mesh",
                        owner);
    }
    if (!(m->total_mass > 0.0) || !(m->damping_alpha >= 0.0) || !(m->damping_beta >= 0.0)) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "%s: mass %g kg and damping %g 1/s, %g s; they must be positive", owner,
                        m->total_mass, m->damping_alpha, m->damping_beta);
    }
    status = pal_model_visit_sizes(m, check_visit, &owner, err);
    if (status == PAL_OK) {
        status = pal_model_visit_content(m, check_visit, &owner, err);
    }
    if (status == PAL_OK) {
        status = check_shares(m, owner, err);
    }
    if (status == PAL_OK) {
        status = pal_local_check(&m->local, owner, err);
    }
    return status == PAL_OK ? check_materials(m, owner, err) : status;
}

void pal_field_hash(const pal_field *field, pal_hash *hash) {
    if (field->type == PAL_FIELD_GROUP) {
        return;
    }
    pal_hash_update_string(hash, field->group);
    pal_hash_update_string(hash, field->name);
    if (field->type == PAL_FIELD_TEXT || field->type == PAL_FIELD_STRING) {
        bool heap = field->type == PAL_FIELD_STRING;
        pal_hash_update_string(hash, heap ? *(char **)field->data : (const char *)field->data);
        return;
    }
    pal_hash_update(hash, field->shape, (size_t)field->rank * sizeof field->shape[0]);
    pal_hash_update(hash, field->data, field_bytes(field));
}

static pal_status hash_visit(void *context, const pal_field *field, pal_err *err) {
    (void)err;
    pal_field_hash(field, context);
    return PAL_OK;
}

void pal_model_hash(pal_model *m, char text[PAL_HASH_TEXT]) {
    pal_hash hash;
    pal_hash_init(&hash);
    pal_model_visit_sizes(m, hash_visit, &hash, NULL);
    pal_model_visit_content(m, hash_visit, &hash, NULL);
    pal_hash_text(&hash, text);
}
