#include "app/feel/feel_body.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/mat3.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/model/surface_regions.h"
#include "sim/model/tree_whole.h"
#include "sim/substruct/tree_modes.h"

enum { MOST_MODES = 1000 }; // of a tree whose slowest swing is computed: its cube is the time

// ---- where it is held

static pal_status take_held(pal_feel *feel, const pal_model *model, const double x[3],
                            double (*turn)[3], double scale, pal_err *err) {
    int32_t count = 0;
    for (int32_t v = 0; model->held != NULL && v < model->mesh.vertex_count; v++) {
        count += model->held[v] != 0;
    }
    feel->held = pal_alloc((size_t)count + 1, sizeof *feel->held, err);
    if (feel->held == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t v = 0; count > 0 && v < model->mesh.vertex_count; v++) {
        for (int c = 0; model->held[v] && c < 3; c++) {
            feel->held[feel->held_count][c] =
                x[c] + scale * pal_dot3(turn[c], model->mesh.x + 3 * (int64_t)v);
        }
        feel->held_count += model->held[v] != 0;
    }
    return PAL_OK;
}

// ---- trees

static pal_status change_frequencies(const pal_feel *feel, const char *list, char **text,
                                     pal_err *err) {
    char *own = NULL, *whole = NULL;
    pal_status status = pal_scene_value(&feel->scene, "tree", &own, err);
    pal_scene_change change = {"tree.frequency", list};
    if (status == PAL_OK && own == NULL) {
        const size_t room = strlen(list) + 16;
        whole = PAL_NEW(char, room, err);
        status = whole != NULL ? PAL_OK : PAL_ERR_MEMORY;
        if (whole != NULL) {
            snprintf(whole, room, "{frequency: %s}", list);
            change = (pal_scene_change){"tree", whole};
        }
    }
    status = status == PAL_OK ? pal_scene_text_with(&feel->scene, &change, 1, text, err) : status;
    free(own);
    free(whole);
    return status;
}

// The scene and its tree as stiff as wished: the factors on the frequencies of all domains, squared
// on their stiffness, do the same as another modulus in the baking.
static pal_status make_stiffer(pal_feel *feel, pal_err *err) {
    enum { ENTRY = PAL_DOMAIN_NAME + 64 };
    pal_tree_model *tree = &feel->tree;
    const double own = tree->body[tree->domain[0].kind].region[0].material.young;
    const double factor = feel->wish.young / own;
    const size_t room = (size_t)(tree->domain_count + 2) * ENTRY;
    char *list = PAL_NEW(char, room, err), *text = NULL;
    if (list == NULL) {
        return PAL_ERR_MEMORY;
    }
    size_t used = (size_t)snprintf(list, room, "[{domain: \"*\", factor: %.17g}", sqrt(factor));
    for (int32_t d = 0; d < tree->domain_count; d++) {
        const bool other = tree->domain[d].stiffness != 1.0;
        tree->domain[d].stiffness *= factor;
        if (other) {
            used += (size_t)snprintf(list + used, room - used, ", {domain: \"%s\", factor: %.17g}",
                                     tree->domain_name[d], sqrt(tree->domain[d].stiffness));
        }
    }
    snprintf(list + used, room - used, "]");
    pal_scene stiffer;
    pal_status status = change_frequencies(feel, list, &text, err);
    if (status == PAL_OK) {
        status = pal_scene_parse(feel->scene.path, text, strlen(text), &stiffer, err);
    }
    if (status == PAL_OK) {
        pal_scene_free(&feel->scene);
        feel->scene = stiffer;
    }
    free(list);
    free(text);
    return status;
}

// The number of a material among those that there are.
static uint16_t number_of(pal_feel *feel, const pal_material *material) {
    int32_t k = 0;
    while (k < feel->material_count &&
           memcmp(&feel->material[k], material, sizeof *material) != 0) {
        k++;
    }
    feel->material[k] = *material;
    feel->material_count += k == feel->material_count;
    return (uint16_t)k;
}

// Whether a point of a class's surface is carried by what holds it.
static bool is_held(const pal_model *body, int64_t point) {
    const pal_embedding *e = &body->embedding;
    for (int64_t k = point * e->nodes; body->held != NULL && k < (point + 1) * e->nodes; k++) {
        if (e->weight[k] > 0.5 && body->held[e->vertex[k]]) {
            return true;
        }
    }
    return false;
}

// The triangles of one domain; region [its triangles] of its class.
static void take_domain(pal_feel *feel, int32_t d, const uint16_t *region) {
    const pal_domain *domain = &feel->tree.domain[d];
    const pal_model *body = &feel->tree.body[domain->kind];
    const int32_t first = feel->first[d];
    feel->first[d + 1] = first + body->surface.triangle_count;
    for (int32_t t = 0; t < body->surface.triangle_count; t++) {
        if (t == 0 || region[t] != region[t - 1]) {
            pal_material material = body->region[region[t]].material;
            material.young *= domain->stiffness;
            feel->region[first + t] = number_of(feel, &material);
        } else {
            feel->region[first + t] = feel->region[first + t - 1];
        }
        feel->domain[first + t] = d;
        for (int k = 0; domain->parent >= 0 && k < 3; k++) {
            const int32_t corner = body->surface.triangle[3 * (int64_t)t + k];
            feel->rim[first + t] = feel->rim[first + t] || is_held(body, corner);
        }
    }
}

static pal_status find_regions(pal_feel *feel, pal_err *err) {
    const pal_tree_model *tree = &feel->tree;
    const int32_t count = feel->model.surface.triangle_count;
    uint16_t *region = PAL_NEW(uint16_t, count, err);
    int32_t regions = 0;
    for (int32_t d = 0; d < tree->domain_count; d++) {
        regions += tree->body[tree->domain[d].kind].region_count;
    }
    feel->region = PAL_NEW(uint16_t, count, err);
    feel->domain = PAL_NEW(int32_t, count, err);
    feel->material = PAL_NEW(pal_material, regions + 1, err);
    feel->rim = PAL_NEW(bool, count, err);
    feel->first = PAL_NEW(int32_t, tree->domain_count + 1, err);
    pal_status status =
        feel->region && feel->domain && feel->material && feel->rim && feel->first && region
            ? PAL_OK
            : PAL_ERR_MEMORY;
    for (int32_t d = 0; status == PAL_OK && d < tree->domain_count; d++) {
        const pal_model *body = &tree->body[tree->domain[d].kind];
        status = pal_model_surface_regions(body, region, err);
        if (status == PAL_OK) {
            take_domain(feel, d, region);
        }
    }
    free(region);
    return status;
}

// Its slowest swing, where it is not too large for that.
static pal_status find_slowest(pal_feel *feel, pal_err *err) {
    const pal_tree_model *tree = &feel->tree;
    int32_t modes = 0;
    for (int32_t d = 0; d < tree->domain_count; d++) {
        modes += tree->class_[tree->domain[d].kind].r;
    }
    if (modes == 0 || modes > MOST_MODES) {
        return PAL_OK;
    }
    feel->model.frequencies_hz = PAL_NEW(double, 1, err);
    if (feel->model.frequencies_hz == NULL) {
        return PAL_ERR_MEMORY;
    }
    feel->model.mode_count = 1;
    return pal_tree_frequencies(&tree->tree, PAL_INERTIA_EXACT, 1, feel->model.frequencies_hz, err);
}

static pal_status load_tree(pal_feel *feel, const pal_progress *progress, pal_err *err) {
    pal_tree_model *tree = &feel->tree;
    pal_status status =
        pal_scene_tree_model(&feel->scene, false, progress, tree, NULL, &feel->cached, err);
    if (status == PAL_OK && feel->wish.young > 0.0) {
        status = make_stiffer(feel, err);
    }
    if (status == PAL_OK) {
        status = pal_tree_whole(tree, &feel->model, err);
    }
    if (status == PAL_OK) {
        status = find_regions(feel, err);
    }
    if (status == PAL_OK) {
        status = find_slowest(feel, err);
    }
    return status == PAL_OK ? take_held(feel, &tree->body[tree->domain[0].kind], tree->tree.root_x,
                                        tree->tree.root_turn, tree->domain[0].scale, err)
                            : status;
}

// ---- flight

typedef struct moments { // of a body at rest, in the world
    double mass;         // kg
    double first[3];     // kg m
    double second[3][3]; // kg m^2: of x x^T, about the origin
} moments;

// An instance of a class: x + s R X.
static void add_moments(const pal_domain_class *class_, double s, const double x[3],
                        const double turn[9], moments *sum) {
    const double density = s * s * s;
    double out[3], half[3][3]; // R times the first moments, and times the second
    for (int i = 0; i < 3; i++) {
        out[i] = s * pal_dot3(turn + 3 * i, class_->first);
        for (int j = 0; j < 3; j++) {
            half[i][j] = turn[3 * i] * class_->second[0][j] +
                         turn[3 * i + 1] * class_->second[1][j] +
                         turn[3 * i + 2] * class_->second[2][j];
        }
    }
    sum->mass += density * class_->mass;
    for (int i = 0; i < 3; i++) {
        sum->first[i] += density * (class_->mass * x[i] + out[i]);
        for (int j = 0; j < 3; j++) {
            sum->second[i][j] +=
                density * (class_->mass * x[i] * x[j] + x[i] * out[j] + out[i] * x[j] +
                           s * s * pal_dot3(half[i], turn + 3 * j));
        }
    }
}

double pal_feel_flying_mass(const pal_feel *feel, const double at[3], const double along[3]) {
    const pal_tree_model *tree = &feel->tree;
    double *x = PAL_NEW(double, 12 * (size_t)tree->domain_count, NULL);
    double *turn = x != NULL ? x + 3 * (size_t)tree->domain_count : NULL;
    moments m = {0};
    if (x == NULL) {
        return NAN;
    }
    pal_tree_rest_frames(&tree->tree, x, turn);
    for (int64_t d = 0; d < tree->domain_count; d++) {
        add_moments(&tree->class_[tree->domain[d].kind], tree->domain[d].scale, x + 3 * d,
                    turn + 9 * d, &m);
    }
    free(x);
    double arm[3], torque[3], inertia[3][3], inverse[3][3], trace = 0.0, turned = 0.0;
    for (int i = 0; i < 3; i++) {
        arm[i] = at[i] - m.first[i] / m.mass;
        for (int j = 0; j < 3; j++) {
            m.second[i][j] -= m.first[i] * m.first[j] / m.mass;
        }
        trace += m.second[i][i];
    }
    for (int k = 0; k < 9; k++) {
        inertia[k / 3][k % 3] = (k / 3 == k % 3 ? trace : 0.0) - m.second[k / 3][k % 3];
    }
    pal_mat3_inverse(inertia, inverse);
    pal_cross3(arm, along, torque);
    for (int i = 0; i < 3; i++) {
        turned += torque[i] * pal_dot3(inverse[i], torque);
    }
    return 1.0 / (1.0 / m.mass + turned);
}

// ---- both

pal_status pal_feel_load_body(pal_feel *feel, const pal_progress *progress, pal_err *err) {
    static const double origin[3] = {0.0, 0.0, 0.0};
    double upright[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    pal_status status = PAL_OK;
    if (feel->scene.live.has_wall) {
        return status;
    }
    if (feel->scene.has_domains) {
        status = load_tree(feel, progress, err);
    } else {
        status =
            pal_scene_model(&feel->scene, false, progress, &feel->model, NULL, &feel->cached, err);
        if (status == PAL_OK) {
            status = take_held(feel, &feel->model, origin, upright, 1.0, err);
        }
    }
    feel->has_body = status == PAL_OK;
    return status;
}

void pal_feel_free_body(pal_feel *feel) {
    pal_model_free(&feel->model);
    pal_tree_model_free(&feel->tree);
    free(feel->region);
    free(feel->domain);
    free(feel->material);
    free(feel->rim);
    free(feel->first);
    free(feel->held);
}

void pal_feel_lend(const pal_feel *feel, pal_session_options *options) {
    options->model = feel->has_body ? &feel->model : NULL;
    options->tree = feel->has_body && feel->scene.has_domains ? &feel->tree : NULL;
    options->like = feel->look != NULL ? &feel->look->body : NULL;
    options->one_thread = true; // trials go side by side
}
