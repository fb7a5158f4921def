#include "app/tree_facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/model_facts.h"
#include "app/style.h"
#include "app/table.h"
#include "scenes/domain_shapes.h"
#include "sim/base/memory.h"
#include "sim/contact/local_build.h"

void pal_tree_facts_free(pal_tree_facts *facts) {
    free(facts->class_);
    memset(facts, 0, sizeof *facts);
}

static pal_status begin(pal_tree_facts *facts, int32_t class_count, pal_err *err) {
    *facts = (pal_tree_facts){.class_count = class_count,
                              .class_ = PAL_NEW(pal_class_facts, class_count, err)};
    for (int32_t k = 0; facts->class_ != NULL && k < class_count; k++) {
        facts->class_[k].mass = facts->class_[k].lowest_hz = facts->class_[k].seconds = NAN;
        facts->class_[k].note = "";
    }
    return facts->class_ != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

// Sums over the instances.
static void count_domains(pal_tree_facts *facts, int32_t count, const pal_domain *domain) {
    facts->domains = count;
    for (int32_t i = 0; i < count; i++) {
        pal_class_facts *class_ = &facts->class_[domain[i].kind];
        class_->instances++;
        facts->vertices += class_->vertices;
        facts->elements += class_->elements;
        facts->modes += class_->r;
        int32_t depth = 0;
        for (int32_t k = domain[i].parent; k >= 0; k = domain[k].parent) {
            depth++;
        }
        facts->depth = depth > facts->depth ? depth : facts->depth;
    }
}

pal_status pal_tree_facts_of_scene(const pal_scene *scene, const pal_scene_tree *tree,
                                   pal_tree_facts *facts, pal_err *err) {
    const pal_tree_spec *spec = &tree->spec;
    if (begin(facts, spec->class_count, err) != PAL_OK) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t k = 0; k < spec->class_count; k++) {
        const pal_class_spec *from = &spec->class_[k];
        pal_class_facts *to = &facts->class_[k];
        to->name = from->name;
        to->r = from->basis.size;
        to->ports = from->port_count;
        to->vertices = from->mesh->vertex_count;
        to->elements = from->mesh->element_count;
    }
    count_domains(facts, spec->domain_count, spec->domain);
    if (tree->body.mesh.vertex_count > 0) {
        facts->vertices = tree->body.mesh.vertex_count;
    }
    facts->flies = spec->flies;
    facts->paper = pal_scene_domain_shape(scene);
    return PAL_OK;
}

pal_status pal_tree_facts_of_model(const pal_tree_model *model, const pal_class_times *times,
                                   pal_tree_facts *facts, pal_err *err) {
    if (begin(facts, model->class_count, err) != PAL_OK) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t k = 0; k < model->class_count; k++) {
        const pal_model *body = &model->body[k];
        pal_class_facts *to = &facts->class_[k];
        to->name = model->class_[k].name;
        to->r = model->class_[k].r;
        to->ports = model->class_[k].port_count;
        to->vertices = body->mesh.vertex_count;
        to->elements = body->mesh.element_count;
        to->mass = model->class_[k].mass;
        to->lowest_hz = body->mode_count > 0 ? body->frequencies_hz[0] : NAN;
        to->seconds = times != NULL ? times[k].total : NAN;
        to->local = &body->local;
        const pal_local_report *report = times != NULL ? &times[k].bake.local_report : NULL;
        to->note = report != NULL && report->is_cut ? report->note : "";
    }
    count_domains(facts, model->domain_count, model->domain);
    facts->flies = model->tree.flies;
    facts->joints = &model->joints;
    return PAL_OK;
}

// ---- words

typedef struct joint_facts {
    int64_t domains;  // that hang by one
    int64_t vertices; // of all tables
    double bytes;
} joint_facts;

static joint_facts count_joints(const pal_tree_facts *facts) {
    joint_facts sum = {0};
    const pal_joints *joints = facts->joints;
    for (int32_t i = 0; joints != NULL && i < facts->domains; i++) {
        sum.domains += joints->of_child[i] >= 0;
    }
    for (int32_t k = 0; joints != NULL && k < joints->count; k++) {
        sum.vertices += joints->item[k].count;
        sum.bytes += 12.0 * joints->item[k].count * joints->item[k].stride;
    }
    return sum;
}

static void print_joints(const pal_tree_facts *facts, FILE *out) {
    const joint_facts sum = count_joints(facts);
    if (sum.domains > 0) {
        pal_table_fact(out, "joints", "%s hang by %s table%s of %s vertices (%s)",
                       pal_say_count(sum.domains).text, pal_say_count(facts->joints->count).text,
                       facts->joints->count == 1 ? "" : "s", pal_say_count(sum.vertices).text,
                       pal_say_bytes(sum.bytes).text);
    } else if (facts->joints != NULL) {
        pal_table_fact(out, "joints", "dents end where domains meet");
    }
}

static void json_joints(const pal_tree_facts *facts, cJSON *object) {
    const joint_facts sum = count_joints(facts);
    if (facts->joints == NULL) {
        return;
    }
    cJSON *item = pal_json_object();
    pal_json_number(item, "tables", facts->joints->count);
    pal_json_number(item, "domains", (double)sum.domains);
    pal_json_number(item, "vertices", (double)sum.vertices);
    pal_json_number(item, "bytes", sum.bytes);
    pal_json_add(object, "joints", item);
}

static void print_local(const pal_tree_facts *facts, FILE *out) {
    double bytes = 0.0, rows = 0.0, blocks = 0.0, least = INFINITY, most = 0.0;
    for (int32_t k = 0; k < facts->class_count; k++) {
        const pal_local *local = facts->class_[k].local;
        bytes += local != NULL ? pal_local_bytes(local) : 0.0;
        rows += local != NULL ? local->row_count : 0;
        blocks += local != NULL ? local->block_count : 0;
        if (local != NULL && local->row_count > 0) {
            least = fmin(least, local->radius);
            most = fmax(most, local->radius);
        }
    }
    if (rows > 0.0) {
        pal_table_fact(out, "local",
                       "%s vertices, %s blocks within %.3g to %.3g mm in all classes (%s)",
                       pal_say_count((int64_t)rows).text, pal_say_count((int64_t)blocks).text,
                       1e3 * least, 1e3 * most, pal_say_bytes(bytes).text);
        for (int32_t k = 0; k < facts->class_count; k++) {
            if (facts->class_[k].note[0] != '\0') {
                pal_table_fact(out, "note", "%s", facts->class_[k].note);
            }
        }
    } else if (facts->class_[0].local != NULL) {
        pal_table_fact(out, "local", "no compliance beyond the bases");
    }
}

static void print_paper(const pal_tree_facts *facts, FILE *out) {
    const pal_domain_shape *paper = facts->paper;
    if (paper == NULL || paper->domains == 0) {
        return;
    }
    pal_table table;
    pal_table_start(&table, "|>vertices|>elements|>domains|>modes|>depth");
    const struct {
        const char *name;
        int64_t value[5];
    } rows[2] = {
        {"here", {facts->vertices, facts->elements, facts->domains, facts->modes, facts->depth}},
        {"[BZ11 table 1]",
         {paper->vertices, paper->elements, paper->domains, paper->modes, paper->depth}}};
    for (int i = 0; i < 2; i++) {
        pal_table_cell(&table, "%s", rows[i].name);
        for (int c = 0; c < 5; c++) {
            pal_table_cell(&table, "%s", pal_say_count(rows[i].value[c]).text);
        }
    }
    fputc('\n', out);
    pal_table_print(&table, out);
}

void pal_tree_facts_print(const pal_tree_facts *facts, FILE *out) {
    pal_table_fact(out, "domains", "%s of %s class%s, depth %d%s",
                   pal_say_count(facts->domains).text, pal_say_count(facts->class_count).text,
                   facts->class_count == 1 ? "" : "es", (int)facts->depth,
                   facts->flies ? ", flying" : "");
    pal_table_fact(out, "modes", "%s", pal_say_count(facts->modes).text);
    pal_table_fact(out, "mesh", "%s vertices, %s elements over all instances",
                   pal_say_count(facts->vertices).text, pal_say_count(facts->elements).text);
    print_local(facts, out);
    print_joints(facts, out);
    fputc('\n', out);
    pal_table table;
    pal_table_start(&table,
                    "class|>instances|>r|>ports|>vertices|>elements|>mass|>lowest Hz|dents|>bake");
    for (int32_t k = 0; k < facts->class_count; k++) {
        const pal_class_facts *c = &facts->class_[k];
        pal_table_cell(&table, "%s", c->name);
        pal_table_cell(&table, "%s", pal_say_count(c->instances).text);
        pal_table_cell(&table, "%d", (int)c->r);
        pal_table_cell(&table, "%d", (int)c->ports);
        pal_table_cell(&table, "%s", pal_say_count(c->vertices).text);
        pal_table_cell(&table, "%s", pal_say_count(c->elements).text);
        pal_table_cell(&table, "%s", isnan(c->mass) ? "" : pal_say_mass(c->mass).text);
        if (isnan(c->lowest_hz)) {
            pal_table_cell(&table, "%s", "");
        } else {
            pal_table_cell(&table, "%.3g", c->lowest_hz);
        }
        pal_table_cell(&table, "%s", c->local != NULL ? pal_local_way_text(c->local) : "");
        pal_table_cell(&table, "%s", isnan(c->seconds) ? "" : pal_say_time(c->seconds).text);
    }
    pal_table_print(&table, out);
    print_paper(facts, out);
}

void pal_tree_facts_json(const pal_tree_facts *facts, cJSON *object) {
    pal_json_number(object, "domains", facts->domains);
    pal_json_number(object, "depth", facts->depth);
    pal_json_number(object, "modes", facts->modes);
    pal_json_number(object, "vertices", (double)facts->vertices);
    pal_json_number(object, "elements", (double)facts->elements);
    pal_json_bool(object, "flies", facts->flies);
    json_joints(facts, object);
    cJSON *list = pal_json_array();
    for (int32_t k = 0; k < facts->class_count; k++) {
        const pal_class_facts *c = &facts->class_[k];
        cJSON *item = pal_json_object();
        pal_json_text(item, "name", c->name);
        pal_json_number(item, "instances", c->instances);
        pal_json_number(item, "r", c->r);
        pal_json_number(item, "ports", c->ports);
        pal_json_number(item, "vertices", c->vertices);
        pal_json_number(item, "elements", c->elements);
        pal_json_number(item, "mass_kg", c->mass);
        pal_json_number(item, "lowest_hz", c->lowest_hz);
        pal_json_number(item, "seconds", c->seconds);
        pal_json_text(item, "note", c->note);
        if (c->local != NULL) {
            pal_json_add(item, "local", pal_local_json(c->local));
        }
        pal_json_append(list, item);
    }
    pal_json_add(object, "classes", list);
    if (facts->paper != NULL && facts->paper->domains > 0) {
        cJSON *paper = pal_json_object();
        pal_json_number(paper, "vertices", facts->paper->vertices);
        pal_json_number(paper, "elements", facts->paper->elements);
        pal_json_number(paper, "domains", facts->paper->domains);
        pal_json_number(paper, "modes", facts->paper->modes);
        pal_json_number(paper, "depth", facts->paper->depth);
        pal_json_add(object, "paper", paper);
    }
}
