// palpate indent MESH|SCENE: a ball pressed into the body, by full elements and by the reduced
// body.
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "app/problem.h"
#include "app/progress_bar.h"
#include "app/table.h"
#include "scenes/scene.h"
#include "sim/base/memory.h"
#include "sim/base/packed.h"
#include "sim/base/vec3.h"
#include "sim/contact/local_build.h"
#include "sim/fem/indent.h"
#include "sim/fem/indent_places.h"
#include "sim/mesh/surface.h"

enum { MOST_DEPTHS = 16 };
static const double FALLEN = 0.98; // of the largest force: less is a fall
static const double SKIN = 1e-6;   // m/N: what modes alone leave between two vertices is nothing

static const pal_option options[] = {
    {.name = "--at",
     .kind = PAL_OPTION_TEXT,
     .argument = "POINT",
     .help = "where to press: x,y,z in metres, near:(x,y,z), surface:x,y or a landmark of the "
             "scene; the nearest free vertex of the surface is taken"},
    {.name = "--axis",
     .kind = PAL_OPTION_VECTOR,
     .argument = "x,y,z",
     .help = "which way; straight into the surface when left out"},
    {.name = "--radius",
     .kind = PAL_OPTION_NUMBER,
     .argument = "R",
     .fallback = "0.005",
     .min = 1e-6,
     .max = 1e3,
     .help = "of the ball [m]"},
    {.name = "--depth",
     .kind = PAL_OPTION_TEXT,
     .argument = "D[,D2...]",
     .fallback = "0.001,0.002,0.005",
     .help = "how deep [m], ascending, at most 16"},
    {.name = "--law",
     .kind = PAL_OPTION_TEXT,
     .argument = "LAW[,LAW...]",
     .fallback = "linear,neo-hookean",
     .help = "of the full elements: linear (l), corotational (c), stvk (s), neo-hookean (n)"},
    {.name = NULL},
};

typedef struct indenting {
    pal_problem problem;
    pal_model model; // of a scene
    bool has_model;
    int32_t vertex;
    double depth[MOST_DEPTHS];
    pal_indent_spec spec;
    int law_count;
    pal_law law[PAL_LAWS]; // as asked for
    pal_indent_result full[PAL_LAWS][MOST_DEPTHS], reduced[2][MOST_DEPTHS];
    int32_t reduced_count[2]; // by modes alone, with local compliance
    pal_indent_outcome outcome[PAL_LAWS];
} indenting;

static pal_status read_depths(const char *text, indenting *i, pal_err *err) {
    char part[64];
    while (*text != '\0') {
        size_t length = strcspn(text, ",");
        if (length >= sizeof part || i->spec.count == MOST_DEPTHS) {
            return pal_fail(err, PAL_ERR_USAGE, "--depth takes at most %d numbers", MOST_DEPTHS);
        }
        memcpy(part, text, length);
        part[length] = '\0';
        double value;
        pal_status status = pal_parse_number(part, "a depth in --depth", &value, err);
        if (status != PAL_OK) {
            return status;
        }
        double last = i->spec.count > 0 ? i->depth[i->spec.count - 1] : 0.0;
        if (!(value > last)) {
            return pal_fail(err, PAL_ERR_USAGE,
                            "--depth must ascend from above 0, such as 0.001,0.002");
        }
        i->depth[i->spec.count++] = value;
        text += length + (text[length] == ',');
    }
    i->spec.depth = i->depth;
    return i->spec.count > 0 ? PAL_OK
                             : pal_fail(err, PAL_ERR_USAGE, "--depth needs a depth in metres");
}

static const struct {
    const char *name;
    pal_law law;
} law_names[PAL_LAWS] = {{"linear", PAL_LAW_LINEAR},
                         {"corotational", PAL_LAW_COROTATIONAL},
                         {"stvk", PAL_LAW_STVK},
                         {"neo-hookean", PAL_LAW_NEO_HOOKEAN}};

// Whole names, or how they begin.
static pal_status read_laws(const char *text, indenting *i, pal_err *err) {
    while (*text != '\0') {
        const size_t length = strcspn(text, ",");
        int found = 0;
        while (found < PAL_LAWS &&
               (length == 0 || strncmp(text, law_names[found].name, length) != 0)) {
            found++;
        }
        for (int k = 0; found < PAL_LAWS && k < i->law_count; k++) {
            if (i->law[k] == law_names[found].law) {
                return pal_fail(err, PAL_ERR_USAGE, "--law names %s twice", law_names[found].name);
            }
        }
        if (found == PAL_LAWS) {
            return pal_fail(err, PAL_ERR_USAGE,
                            "--law does not know '%.*s'; it takes linear, corotational, stvk, "
                            "neo-hookean or how they begin, with commas between them",
                            (int)(length < 64 ? length : 64), text);
        }
        i->law[i->law_count++] = law_names[found].law;
        text += length + (text[length] == ',');
    }
    return i->law_count > 0 ? PAL_OK : pal_fail(err, PAL_ERR_USAGE, "--law needs a law");
}

// The nearest free vertex of the surface, and the mean normal there, inwards.
static pal_status find_place(indenting *i, const char *text, pal_err *err) {
    pal_surface surface;
    pal_point point;
    pal_point_found found;
    pal_err inner;
    int32_t *of = NULL;
    pal_status status = pal_surface_of_volmesh(&i->problem.mesh, &surface, &of, err);
    if (status != PAL_OK) {
        return status;
    }
    status = pal_point_parse(text, &i->problem.names, &point, &inner);
    if (status == PAL_OK) {
        status = pal_point_find(&point, &(pal_point_ground){.surface = &surface}, &found, &inner);
    }
    if (status != PAL_OK) {
        free(of);
        pal_surface_free(&surface);
        return pal_fail(err, PAL_ERR_USAGE, "--at: %.900s", inner.text);
    }
    const double *at = found.x;
    double best = INFINITY, d[3], e[3], n[3], sum[3] = {0.0, 0.0, 0.0};
    int32_t nearest = -1;
    for (int32_t p = 0; p < surface.vertex_count; p++) {
        pal_sub3(surface.x + 3 * (int64_t)p, at, d);
        if (i->problem.fem.free_index[of[p]] >= 0 && pal_norm3(d) < best) {
            best = pal_norm3(d);
            nearest = p;
        }
    }
    for (int32_t t = 0; t < surface.triangle_count; t++) {
        const int32_t *c = surface.triangle + 3 * (int64_t)t;
        if (c[0] == nearest || c[1] == nearest || c[2] == nearest) {
            pal_sub3(surface.x + 3 * (int64_t)c[1], surface.x + 3 * (int64_t)c[0], d);
            pal_sub3(surface.x + 3 * (int64_t)c[2], surface.x + 3 * (int64_t)c[0], e);
            pal_cross3(d, e, n);
            for (int k = 0; k < 3; k++) {
                sum[k] -= n[k];
            }
        }
    }
    for (int k = 0; nearest >= 0 && k < 3; k++) {
        i->spec.at[k] = surface.x[3 * (int64_t)nearest + k];
        i->spec.axis[k] = sum[k] / pal_norm3(sum);
    }
    i->vertex = nearest >= 0 ? of[nearest] : -1;
    free(of);
    pal_surface_free(&surface);
    return nearest >= 0 ? PAL_OK
                        : pal_fail(err, PAL_ERR_INPUT, "no vertex of the surface is free to move");
}

static pal_status take_options(indenting *i, const pal_args *args, pal_err *err) {
    if (!pal_args_given(args, "--at")) {
        return pal_fail(
            err, PAL_ERR_USAGE,
            "say where to press: --at x,y,z in metres, 'near:(x,y,z)', surface:x,y or a "
            "landmark of the scene");
    }
    i->spec.radius = pal_args_number(args, "--radius");
    pal_status status = read_depths(pal_args_text(args, "--depth"), i, err);
    if (status == PAL_OK) {
        status = read_laws(pal_args_text(args, "--law"), i, err);
    }
    if (status == PAL_OK && pal_args_given(args, "--axis") &&
        !(pal_norm3(pal_args_vector(args, "--axis")) > 0.0)) {
        status = pal_fail(err, PAL_ERR_USAGE, "--axis must not be 0,0,0");
    }
    return status;
}

// ---- The reduced body ---------------------------------------------------------------------------

// w += U_i (U^T K U)^-1 U_j^T at the vertices; U^T K U is the P of the quartic.
static pal_status add_modes(const pal_model *model, int32_t count, const int32_t *vertex, double *w,
                            pal_err *err) {
    int32_t r = model->r, m = 3 * count;
    double *kr = PAL_NEW(double, r *(int64_t)r, err), *v = PAL_NEW(double, m *(int64_t)r, err);
    pal_status status = kr && v ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t k = 0; status == PAL_OK && k < r * r; k++) {
        int32_t a = k / r, b = k % r;
        kr[k] = model->quartic.p[a < b ? pal_pair_at(a, b) : pal_pair_at(b, a)];
    }
    for (int32_t i = 0; status == PAL_OK && i < count; i++) {
        memcpy(v + 3 * (int64_t)i * r, model->basis + 3 * (int64_t)vertex[i] * r,
               3 * (size_t)r * sizeof *v);
    }
    if (status == PAL_OK && LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', r, kr, r) != 0) {
        status = pal_fail(err, PAL_ERR_NUMERIC, "the basis has a shape without stiffness");
    }
    if (status == PAL_OK) {
        cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, m, r, 1.0, kr,
                    r, v, r);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, m, r, 1.0, v, r, v, r, 1.0, w, m);
    }
    free(kr);
    free(v);
    return status;
}

// How many depths come out with a force that still grows or at least is one.
static pal_status press_compliant(const indenting *i, const pal_indent_places *places,
                                  const double *w, pal_indent_result *result, int32_t *reached,
                                  pal_err *err) {
    pal_status status = PAL_OK;
    pal_err inner;
    *reached = 0;
    for (int32_t k = 0; status == PAL_OK && k < i->spec.count; k++) {
        pal_indent_spec one = i->spec;
        one.count = 1;
        one.depth = i->depth + k;
        status = pal_indent_points(places->count, places->x, w, &one, &result[k], &inner);
        if (status == PAL_OK && !(result[k].force > 0.0)) {
            status = PAL_ERR_NUMERIC;
        }
        *reached += status == PAL_OK;
    }
    return status == PAL_OK || status == PAL_ERR_NUMERIC ? PAL_OK
                                                         : pal_fail(err, status, "%s", inner.text);
}

// The ball on the modes alone, then with local compliance where the model has it.
static pal_status press_reduced(indenting *i, pal_err *err) {
    pal_indent_places places;
    pal_status status = pal_indent_places_make(&places, &i->problem.fem, &i->spec, err);
    const int64_t m = 3 * (int64_t)places.vertex_count, n = 3 * (int64_t)places.count;
    double *of_vertices = PAL_NEW(double, m *m, err), *w = PAL_NEW(double, n *n, err);
    if (status == PAL_OK && (of_vertices == NULL || w == NULL)) {
        status = PAL_ERR_MEMORY;
    }
    if (status == PAL_OK) {
        status = add_modes(&i->model, places.vertex_count, places.vertex, of_vertices, err);
    }
    for (int with_local = 0; status == PAL_OK && with_local < 2; with_local++) {
        if (with_local == 1 && i->model.local.row_count == 0) {
            break;
        }
        if (with_local == 1) {
            pal_local_add_vertices(&i->model.local, places.vertex_count, places.vertex,
                                   of_vertices);
        }
        status = pal_indent_places_carry(&places, of_vertices, w, err);
        for (int64_t k = 0; with_local == 0 && k < n; k++) {
            w[k * n + k] += SKIN;
        }
        if (status == PAL_OK) {
            status = press_compliant(i, &places, w, i->reduced[with_local],
                                     &i->reduced_count[with_local], err);
        }
    }
    pal_indent_places_free(&places);
    free(of_vertices);
    free(w);
    return status;
}

// The scene's model, unless options changed what the body is made of or where it is held.
static pal_status open_model(indenting *i, const pal_job *job, pal_err *err) {
    pal_scene scene;
    if (!pal_problem_is_scene(job->args->operand[0])) {
        return PAL_OK;
    }
    pal_status status = pal_scene_read(job->args->operand[0], &scene, err);
    if (status != PAL_OK) {
        return status;
    }
    status = pal_scene_model(&scene, false, job->progress, &i->model, NULL, NULL, err);
    pal_scene_free(&scene);
    i->has_model = status == PAL_OK && i->model.mesh.vertex_count == i->problem.mesh.vertex_count &&
                   i->model.region_count == i->problem.mesh.region_count &&
                   memcmp(i->model.held, i->problem.held, (size_t)i->model.mesh.vertex_count) == 0;
    for (int32_t g = 0; i->has_model && g < i->model.region_count; g++) {
        const pal_material *a = &i->model.region[g].material, *b = &i->problem.material[g];
        i->has_model = a->young == b->young && a->poisson == b->poisson;
    }
    return status;
}

// ---- Output -------------------------------------------------------------------------------------

static double hertz(const indenting *i, int32_t k) {
    const pal_material *m = &i->problem.material[0];
    return pal_indent_hertz(m->young, m->poisson, i->spec.radius, i->depth[k]);
}

static void force_cell(pal_table *table, bool there, const pal_indent_result *result) {
    if (there) {
        pal_table_cell(table, "%.5g", result->force);
    } else {
        pal_table_cell(table, "-");
    }
}

static void append(char *text, size_t size, const char *format, ...) PAL_PRINTF(3, 4);
static void append(char *text, size_t size, const char *format, ...) {
    const size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + used, size - used, format, list);
    va_end(list);
}

// The deepest law of those that came to depth k; -1: none.
static int deepest_law(const indenting *i, int32_t k) {
    int best = -1;
    for (int l = 0; l < i->law_count; l++) {
        best =
            k < i->outcome[l].reached && (best < 0 || i->law[l] == PAL_LAW_NEO_HOOKEAN) ? l : best;
    }
    return best;
}

static void contact_cell(pal_table *table, const indenting *i, int32_t k) {
    const int l = deepest_law(i, k);
    if (l >= 0) {
        pal_table_cell(table, "%.3g", i->full[l][k].contact_radius);
    } else {
        pal_table_cell(table, "-");
    }
}

// Why a law ended early, in words.
static const char *why_it_ended(pal_indent_end end) {
    return end == PAL_INDENT_LOST       ? "no equilibrium was found"
           : end == PAL_INDENT_INVERTED ? "elements turn inside out"
                                        : "less than half of its largest force is left";
}

static void say_ends(const indenting *i) {
    for (int l = 0; l < i->law_count; l++) {
        const pal_indent_outcome *o = &i->outcome[l];
        if (o->reached < i->spec.count) {
            pal_table_fact(stdout, pal_law_name(i->law[l]), "ends at %.4g m: beyond, %s%s",
                           o->deepest, why_it_ended(o->end),
                           i->law[l] == PAL_LAW_NEO_HOOKEAN ? ""
                                                            : " (the neo-Hookean law goes deeper)");
        }
        if (o->reached > 0 && o->peak < i->depth[o->reached - 1] &&
            i->full[l][o->reached - 1].force < FALLEN * o->largest) {
            pal_table_fact(stdout, pal_law_name(i->law[l]),
                           "the force is largest near %.4g m (%.4g N) and falls from there: the "
                           "dent buckles under the ball",
                           o->peak, o->largest);
        }
        for (int32_t k = 0; k < o->reached; k++) {
            if (i->full[l][k].overlap > PAL_INDENT_OVERLAP * i->depth[k]) {
                pal_table_fact(stdout, "note",
                               "%s at %.4g m: the surface is still %.2g m in the ball",
                               pal_law_name(i->law[l]), i->depth[k], i->full[l][k].overlap);
            }
        }
    }
}

static void print_table(const indenting *i) {
    const double *x = i->spec.at, *a = i->spec.axis;
    pal_problem_print(&i->problem, stdout);
    pal_table_fact(stdout, "ball", "radius %.4g m on vertex %d at (%.4g, %.4g, %.4g) m",
                   i->spec.radius, (int)i->problem.mesh.file_vertex[i->vertex], x[0], x[1], x[2]);
    pal_table_fact(stdout, "direction", "(%.3f, %.3f, %.3f)", a[0], a[1], a[2]);
    say_ends(i);
    putchar('\n');
    char headings[400] = ">depth [m]";
    for (int l = 0; l < i->law_count; l++) {
        append(headings, sizeof headings, "|>%s [N]", pal_law_name(i->law[l]));
    }
    append(headings, sizeof headings, "|>contact radius [m]%s|>Hertz [N]",
           i->has_model ? "|>modes [N]|>modes + local [N]" : "");
    pal_table table;
    pal_table_start(&table, headings);
    for (int32_t k = 0; k < i->spec.count; k++) {
        pal_table_cell(&table, "%.4g", i->depth[k]);
        for (int l = 0; l < i->law_count; l++) {
            force_cell(&table, k < i->outcome[l].reached, &i->full[l][k]);
        }
        contact_cell(&table, i, k);
        if (i->has_model) {
            force_cell(&table, k < i->reduced_count[0], &i->reduced[0][k]);
            force_cell(&table, k < i->reduced_count[1], &i->reduced[1][k]);
        }
        pal_table_cell(&table, "%.5g", hertz(i, k));
    }
    pal_table_print(&table, stdout);
}

// "neo_hookean"
static const char *json_name(pal_law law) {
    static const char *const name[PAL_LAWS] = {[PAL_LAW_LINEAR] = "linear",
                                               [PAL_LAW_COROTATIONAL] = "corotational",
                                               [PAL_LAW_STVK] = "stvk",
                                               [PAL_LAW_NEO_HOOKEAN] = "neo_hookean"};
    return name[law];
}

static void add_law_json(cJSON *item, const indenting *i, int l, int32_t k) {
    char name[32];
    if (k >= i->outcome[l].reached) {
        return;
    }
    snprintf(name, sizeof name, "%s_n", json_name(i->law[l]));
    pal_json_number(item, name, i->full[l][k].force);
    if (l == deepest_law(i, k)) {
        pal_json_number(item, "contact_radius_m", i->full[l][k].contact_radius);
        pal_json_number(item, "overlap_m", i->full[l][k].overlap);
    }
}

static pal_status print_json(const indenting *i, pal_err *err) {
    cJSON *root = pal_json_object(), *list = pal_json_array();
    pal_problem_json(&i->problem, root);
    pal_json_number(root, "radius_m", i->spec.radius);
    pal_json_number(root, "vertex", i->problem.mesh.file_vertex[i->vertex]);
    pal_json_numbers(root, "at_m", i->spec.at, 3);
    pal_json_numbers(root, "axis", i->spec.axis, 3);
    for (int32_t k = 0; k < i->spec.count; k++) {
        cJSON *item = pal_json_object();
        pal_json_number(item, "depth_m", i->depth[k]);
        for (int l = 0; l < i->law_count; l++) {
            add_law_json(item, i, l, k);
        }
        for (int r = 0; r < 2; r++) {
            if (k < i->reduced_count[r]) {
                pal_json_number(item, r == 0 ? "modes_n" : "local_n", i->reduced[r][k].force);
            }
        }
        pal_json_number(item, "hertz_n", hertz(i, k));
        pal_json_append(list, item);
    }
    pal_json_add(root, "depths", list);
    for (int l = 0; l < i->law_count; l++) {
        char name[32];
        snprintf(name, sizeof name, "%s_deepest_m", json_name(i->law[l]));
        pal_json_number(root, name, i->outcome[l].deepest);
        if (i->outcome[l].reached < i->spec.count) {
            snprintf(name, sizeof name, "%s_ends", json_name(i->law[l]));
            pal_json_text(root, name, why_it_ended(i->outcome[l].end));
        }
    }
    return pal_json_print(root, err);
}

static pal_status press(indenting *i, const pal_job *job, pal_err *err) {
    pal_status status = find_place(i, pal_args_text(job->args, "--at"), err);
    if (status == PAL_OK && pal_args_given(job->args, "--axis")) {
        const double *axis = pal_args_vector(job->args, "--axis");
        for (int c = 0; c < 3; c++) {
            i->spec.axis[c] = axis[c] / pal_norm3(axis);
        }
    }
    for (int l = 0; status == PAL_OK && l < i->law_count; l++) {
        status = pal_indent_full(&i->problem.fem, i->law[l], &i->spec, NULL, job->progress,
                                 i->full[l], &i->outcome[l], err);
    }
    if (status == PAL_OK) {
        status = open_model(i, job, err);
    }
    return status == PAL_OK && i->has_model ? press_reduced(i, err) : status;
}

static pal_status run(const pal_job *job, pal_err *err) {
    indenting *i = PAL_NEW(indenting, 1, err);
    pal_status status = i != NULL ? take_options(i, job->args, err) : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        status = pal_problem_open(&i->problem, job, err);
    }
    if (status != PAL_OK) {
        free(i);
        return status;
    }
    status = press(i, job, err);
    pal_bar_end(status);
    if (status == PAL_OK && job->json) {
        status = print_json(i, err);
    } else if (status == PAL_OK) {
        print_table(i);
    }
    pal_model_free(&i->model);
    pal_problem_close(&i->problem);
    free(i);
    return status;
}

const pal_command pal_command_indent = {
    .usage = {.command = "indent",
              .summary = "a ball pressed into the body: full elements against the reduced body",
              .operands = "MESH|SCENE",
              .min_operands = 1,
              .max_operands = 1,
              .about = "The force on a rigid ball without friction, at rest, by full elements "
                       "of the laws asked for, in contact all over their surface, by Hertz for a "
                       "half space, and for a scene by "
                       "its modes alone and with local compliance. " PAL_PROBLEM_PLACES
                       " " PAL_PROBLEM_ABOUT,
              .examples =
                  "palpate indent liver --at 0.12,0.03,0.1\n"
                  "palpate indent liver --at surface:0.12,0.03\n"
                  "palpate indent body.msh --material liver --fix 'z<0.001' "
                  "--at 0,0,0.05 --radius 0.005 --depth 0.001,0.002 --law stvk,neo-hookean --json",
              .group = {{"Ball", options}, PAL_PROBLEM_GROUPS}},
    .run = run,
};
