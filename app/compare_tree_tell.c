// What `palpate compare` says of a body of domains: the table, JSON, and the picture.
#include <math.h>
#include <stdlib.h>

#include "app/compare_tree.h"
#include "app/json.h"
#include "app/style.h"
#include "app/table.h"
#include "render/plot.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"

static const double DEGREE = 3.14159265358979323846 / 180.0;

// What the frequencies and the motions are measured by.
static int true_frequencies(const pal_tree_comparison *c) {
    return c->is_whole ? PAL_WAY_FULL : PAL_WAY_EXACT;
}
static int truth(const pal_tree_comparison *c) {
    return c->has_full ? PAL_WAY_FULL : PAL_WAY_EXACT;
}

static double largest(const double *x, int32_t count) {
    double most = 0.0;
    for (int32_t i = 0; x != NULL && i < count; i++) {
        most = fmax(most, x[i]);
    }
    return most;
}

static double farthest(const pal_motion *motion) {
    double most = 0.0;
    for (int32_t i = 0; i < motion->count; i++) {
        most = fmax(most, pal_norm3(motion->u + 3 * (int64_t)i));
    }
    return most;
}

// ---- words

static void cell(pal_table *table, const char *format, double value) {
    if (isfinite(value)) {
        pal_table_cell(table, format, value);
    } else {
        pal_table_cell(table, "%s", "-");
    }
}

static void print_frequencies(const pal_tree_comparison *c) {
    pal_table table;
    pal_table_start(&table, "lowest frequencies|>Hz|>2|>3|>4|>5|>ratio|>2|>3|>4|>5");
    for (int w = c->is_whole ? 0 : 1; w < PAL_TREE_WAYS; w++) {
        pal_table_cell(&table, "%s", pal_tree_way_name[w]);
        for (int k = 0; k < PAL_TREE_FREQUENCIES; k++) {
            cell(&table, "%.4g", c->way[w].hz[k]);
        }
        for (int k = 0; k < PAL_TREE_FREQUENCIES; k++) {
            cell(&table, "%.3f", c->way[w].hz[k] / c->way[true_frequencies(c)].hz[k]);
        }
    }
    pal_table_print(&table, stdout);
}

static void print_motions(const pal_tree_comparison *c) {
    pal_table table;
    pal_table_start(&table, "motion|>A reaches|>frequency|>path|>B reaches|>frequency|>path|"
                            ">deviation|>step");
    for (int w = c->has_full ? 0 : 1; w < PAL_TREE_WAYS; w++) {
        const pal_tree_way *way = &c->way[w];
        char lost[48] = "";
        if (way->lost) {
            snprintf(lost, sizeof lost, " (torn at %.3g s)", way->lost_after);
        }
        pal_table_cell(&table, "%s%s", pal_tree_way_name[w], lost);
        for (int k = 0; k < PAL_TREE_WATCHED; k++) {
            const pal_difference d =
                pal_motion_compare(&way->motion[k], &c->way[truth(c)].motion[k]);
            pal_table_cell(&table, "%s", pal_say_length(farthest(&way->motion[k])).text);
            cell(&table, "%+.1f %%", w == truth(c) ? (double)NAN : 100.0 * d.frequency);
            cell(&table, "%.1f %%", w == truth(c) ? (double)NAN : 100.0 * d.rms);
        }
        cell(&table, "%.2g %%",
             way->deviation != NULL ? 100.0 * largest(way->deviation, way->motion[0].count)
                                    : (double)NAN);
        pal_table_cell(&table, "%s", pal_say_time(way->motion[0].seconds_per_step).text);
    }
    pal_table_print(&table, stdout);
}

static bool has_rigid(const pal_tree_comparison *c) {
    bool any = false;
    for (int32_t d = 0; d < c->model.domain_count; d++) {
        any = any || c->model.class_[c->model.domain[d].kind].r == 0;
    }
    return any;
}

static void print_united(const pal_tree_comparison *c) {
    const pal_volmesh *mesh = &c->united.model.mesh;
    pal_table_fact(stdout, "united mesh", "%s vertices, %s %s",
                   pal_say_count(mesh->vertex_count).text, pal_say_count(mesh->element_count).text,
                   mesh->kind == PAL_TET4 ? "tets" : "voxels");
    if (c->united.ties.count > 0) {
        pal_table_fact(stdout, "ties",
                       "%s vertices of interfaces do not meet others, and are carried by the "
                       "parent's elements; up to %s beside them",
                       pal_say_count(c->united.ties.count).text,
                       pal_say_length(c->united.beside).text);
    }
}

static void print_no_truth(const pal_tree_comparison *c) {
    static const char after[] = "the inertias are compared with exact";
    if (c->is_whole && c->too_large) {
        pal_table_fact(stdout, "truth",
                       "no full motion: steps of so many vertices take long; %s. For some of them: "
                       "--dt %.2g --seconds %.2g",
                       after, 0.05 / c->hz, 1.5 / c->hz);
    } else {
        pal_table_fact(stdout, "truth", "%s: %s", c->is_whole ? "left out by --no-full" : c->why,
                       after);
    }
}

static void print_words(const pal_tree_comparison *c, const char *picture) {
    printf("%s%s%s\n", pal_style_bold(stdout), c->scene->name, pal_style_plain(stdout));
    pal_table_fact(stdout, "domains", "%d", (int)c->model.domain_count);
    pal_table_fact(stdout, "blow",
                   "a velocity along %s, to turn the most turned domain by %.3g degrees",
                   c->is_whole           ? "the first eigenmode of the united mesh"
                   : c->model.tree.flies ? "the root's own lowest mode, without drift and spin"
                                         : "the root's own lowest mode",
                   c->angle / DEGREE);
    pal_table_fact(stdout, "time", "%d steps of %s, of the tree in %d, without gravity and wind",
                   (int)c->trial.steps, pal_say_time(c->trial.dt).text, (int)c->parts);
    for (int k = 0; k < PAL_TREE_WATCHED; k++) {
        char name[8] = {(char)('A' + k), '\0'};
        pal_table_fact(stdout, name, "vertex %d of '%s'", (int)c->watched[k].vertex,
                       c->model.domain_name[c->watched[k].domain]);
    }
    if (c->is_whole) {
        print_united(c);
    }
    if (!c->has_full) {
        print_no_truth(c);
    }
    if (c->is_whole && has_rigid(c)) {
        pal_table_fact(stdout, "rigid",
                       "in the united mesh, domains that are rigid are %g times "
                       "as stiff",
                       PAL_TREE_STIFF);
    }
    fputc('\n', stdout);
    print_frequencies(c);
    fputc('\n', stdout);
    print_motions(c);
    printf(
        "\n  frequency: of the swinging, against %s; path: r.m.s. distance from its path, of its "
        "reach;\n  deviation: largest of any interface from rigid, |A - R| / |R|; torn: it came to "
        "100 %%, and the "
        "tree is no body any more\n\n",
        pal_tree_way_name[truth(c)]);
    printf("  picture: written to %s\n", picture);
}

// ---- JSON

static cJSON *json_way(const pal_tree_comparison *c, int w) {
    const pal_tree_way *way = &c->way[w];
    cJSON *item = pal_json_object(), *watched = pal_json_array();
    double ratio[PAL_TREE_FREQUENCIES];
    for (int k = 0; k < PAL_TREE_FREQUENCIES; k++) {
        ratio[k] = way->hz[k] / c->way[true_frequencies(c)].hz[k];
    }
    pal_json_text(item, "inertia", pal_tree_way_key[w]);
    pal_json_bool(item, "lost", way->lost);
    if (way->lost) {
        pal_json_number(item, "lost_after_s", way->lost_after);
    }
    pal_json_numbers(item, "frequencies_hz", way->hz, PAL_TREE_FREQUENCIES);
    pal_json_numbers(item, "frequency_ratios", ratio, PAL_TREE_FREQUENCIES);
    pal_json_number(item, "seconds_per_step", way->motion[0].seconds_per_step);
    if (way->deviation != NULL) {
        pal_json_number(item, "deviation_most", largest(way->deviation, way->motion[0].count));
        pal_json_numbers(item, "deviation", way->deviation, way->motion[0].count);
    }
    for (int k = 0; k < PAL_TREE_WATCHED; k++) {
        const pal_motion *motion = &way->motion[k];
        const pal_difference d = pal_motion_compare(motion, &c->way[truth(c)].motion[k]);
        cJSON *one = pal_json_object();
        pal_json_number(one, "reach_m", farthest(motion));
        pal_json_number(one, "swing_hz", pal_motion_frequency(motion, 64, NULL));
        pal_json_number(one, "frequency_error_percent", 100.0 * d.frequency);
        pal_json_number(one, "path_error_percent", 100.0 * d.rms);
        pal_json_vectors(one, "displacement_m", motion->u, motion->count);
        pal_json_append(watched, one);
    }
    pal_json_add(item, "watched", watched);
    return item;
}

static pal_status print_json(const pal_tree_comparison *c, const char *picture, pal_err *err) {
    cJSON *root = pal_json_object(), *ways = pal_json_array(), *watched = pal_json_array();
    pal_json_text(root, "scene", c->scene->name);
    pal_json_number(root, "domains", c->model.domain_count);
    pal_json_text(root, "truth", pal_tree_way_key[truth(c)]);
    if (c->is_whole) {
        pal_json_number(root, "united_vertices", c->united.model.mesh.vertex_count);
        pal_json_number(root, "united_elements", c->united.model.mesh.element_count);
        pal_json_number(root, "tied_vertices", c->united.ties.count);
        pal_json_number(root, "tied_beside_m", c->united.beside);
        pal_json_numbers(root, "full_frequencies_hz", c->way[PAL_WAY_FULL].hz,
                         PAL_TREE_FREQUENCIES);
    } else {
        pal_json_text(root, "why_no_truth", c->why);
    }
    pal_json_number(root, "bend_degrees", c->angle / DEGREE);
    pal_json_number(root, "slowest_hz", c->hz);
    pal_json_number(root, "dt_s", c->trial.dt);
    pal_json_number(root, "steps", c->trial.steps);
    pal_json_number(root, "tree_steps_in_a_step", c->parts);
    for (int k = 0; k < PAL_TREE_WATCHED; k++) {
        cJSON *one = pal_json_object();
        pal_json_text(one, "domain", c->model.domain_name[c->watched[k].domain]);
        pal_json_number(one, "vertex", c->watched[k].vertex);
        pal_json_append(watched, one);
    }
    for (int w = c->has_full ? 0 : 1; w < PAL_TREE_WAYS; w++) {
        pal_json_append(ways, json_way(c, w));
    }
    pal_json_add(root, "watched", watched);
    pal_json_add(root, "ways", ways);
    pal_json_text(root, "picture", picture);
    return pal_json_print(root, err);
}

pal_status pal_compare_tree_tell(const pal_tree_comparison *c, const char *picture, pal_err *err) {
    if (c->job->json) {
        return print_json(c, picture, err);
    }
    print_words(c, picture);
    return PAL_OK;
}

// ---- the picture

enum { PANELS = 4 };

typedef struct sheet {
    double *x[PAL_TREE_WAYS][PAL_TREE_WATCHED], *y[PAL_TREE_WAYS][PAL_TREE_WATCHED];
    pal_plot_line line[PANELS][PAL_TREE_WAYS];
    pal_plot plot[PANELS];
    char title[PANELS][160];
} sheet;

// The displacement's x and y of every way, as a plot wants them.
static pal_status split(const pal_tree_comparison *c, sheet *s, pal_err *err) {
    for (int w = c->has_full ? 0 : 1; w < PAL_TREE_WAYS; w++) {
        for (int k = 0; k < PAL_TREE_WATCHED; k++) {
            const pal_motion *motion = &c->way[w].motion[k];
            s->x[w][k] = PAL_NEW(double, motion->count, err);
            s->y[w][k] = PAL_NEW(double, motion->count, err);
            if (s->x[w][k] == NULL || s->y[w][k] == NULL) {
                return PAL_ERR_MEMORY;
            }
            for (int32_t i = 0; i < motion->count; i++) {
                s->x[w][k][i] = 1e3 * motion->u[3 * (int64_t)i];
                s->y[w][k][i] = 1e3 * motion->u[3 * (int64_t)i + 1];
            }
        }
    }
    return PAL_OK;
}

static void add_line(sheet *s, int panel, int w, const double *x, const double *y, int32_t count) {
    s->line[panel][s->plot[panel].line_count++] =
        (pal_plot_line){count > 0 ? pal_tree_way_name[w] : NULL, x, y, count};
}

static void fill(const pal_tree_comparison *c, sheet *s) {
    for (int p = 0; p < PANELS; p++) {
        const int k = p == 1;
        const char *name = c->model.domain_name[c->watched[k].domain];
        snprintf(s->title[p], sizeof s->title[p],
                 p < 2    ? "%c: '%s' from above"
                 : p == 2 ? "%c: '%s' over time"
                          : "interfaces: the largest deviation from rigid",
                 'A' + k, name);
        s->plot[p] = (pal_plot){.title = s->title[p],
                                .x_label = p < 2 ? "x (mm)" : "time (s)",
                                .y_label = p < 2    ? "y (mm)"
                                           : p == 2 ? "x (mm)"
                                                    : "|A - R| / |R|",
                                .line = s->line[p],
                                .even = p < 2};
    }
    for (int w = c->has_full ? 0 : 1; w < PAL_TREE_WAYS; w++) {
        const pal_tree_way *way = &c->way[w];
        const int32_t count = way->motion[0].count;
        add_line(s, 0, w, s->x[w][0], s->y[w][0], count);
        add_line(s, 1, w, s->x[w][1], s->y[w][1], count);
        add_line(s, 2, w, way->motion[0].time, s->x[w][0], count);
        // the full body has none; its line is empty, so that all have their colours in all panels
        add_line(s, 3, w, way->motion[0].time, way->deviation, way->deviation != NULL ? count : 0);
    }
}

pal_status pal_compare_tree_draw(const pal_tree_comparison *c, const char *picture, pal_err *err) {
    sheet *s = PAL_NEW(sheet, 1, err);
    if (s == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_status status = split(c, s, err);
    if (status == PAL_OK) {
        fill(c, s);
        status = pal_plot_write_sheet(picture, s->plot, PANELS, 2, err);
    }
    for (int w = 0; w < PAL_TREE_WAYS; w++) {
        for (int k = 0; k < PAL_TREE_WATCHED; k++) {
            free(s->x[w][k]);
            free(s->y[w][k]);
        }
    }
    free(s);
    return status;
}
