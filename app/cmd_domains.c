// palpate domains MESH|SCENE: the tree of domains that a mesh is cut into, and its interfaces.
#include <math.h>
#include <string.h>

#include "app/domain_facts.h"
#include "app/domain_show.h"
#include "app/json.h"
#include "app/output.h"
#include "app/problem.h"
#include "app/progress_bar.h"
#include "app/style.h"
#include "app/table.h"
#include "render/colormap.h"

static const pal_option options[] = {
    {.name = "--modes",
     .kind = PAL_OPTION_COUNT,
     .argument = "R",
     .min = 1,
     .max = PAL_DOMAIN_MOST_MODES,
     .help = "modes of each domain, where no scene says"},
    {.name = "--total",
     .kind = PAL_OPTION_COUNT,
     .argument = "R",
     .min = 1,
     .max = 1000000,
     .help =
         "modes of all domains, shared by the logarithm of their elements, where no scene says"},
    {.name = "--bend",
     .kind = PAL_OPTION_NUMBER,
     .argument = "A",
     .max = 2.0,
     .open = true,
     .help =
         "also how far interfaces are from rigid, |A - R| / |R|, when every domain is bent along "
         "its own lowest mode by A of its length; bakes the scene when it is not in the cache"},
    {.name = NULL},
};

static const pal_option file_options[] = {
    {.name = "--output",
     .letter = 'o',
     .kind = PAL_OPTION_TEXT,
     .argument = "FILE",
     .help = "write the list of domains, for domains: {file: FILE} in a scene and for --by"},
    {.name = "--graph",
     .kind = PAL_OPTION_TEXT,
     .argument = "FILE.dot",
     .help = "write the graph of domains for Graphviz"},
    {.name = "--picture",
     .kind = PAL_OPTION_TEXT,
     .argument = "FILE.png",
     .help = "draw the domains in colours, apart from one another; bakes a scene of instances when "
             "it is not in the cache"},
    {.name = "--apart",
     .kind = PAL_OPTION_NUMBER,
     .argument = "A",
     .fallback = "0.15",
     .max = 2.0,
     .help =
         "in the picture, how far domains are moved from the middle, of their distance from it"},
    {.name = "--all", .help = "a line for every domain, however many (default: the first 60)"},
    {.name = NULL},
};

enum { SHOWN = 60 };

typedef struct telling {
    const pal_job *job;
    pal_domain_cut cut;
    pal_domain_facts facts;
    double bend; // NAN: not asked for
} telling;

// ---- words

static void print_extent(pal_table *table, const pal_domain_fact *d) {
    pal_table_cell(table, "%.3g x %.3g x %.3g", 1e3 * d->spread[0], 1e3 * d->spread[1],
                   1e3 * d->spread[2]);
    pal_table_cell(table, "%.2g", pow(d->spread[1] / d->spread[0], 2.0));
}

static void print_tree_row(const telling *t, const pal_domain_fact *d, pal_table *table) {
    const pal_domain_facts *f = &t->facts;
    pal_table_cell(table, "%s", d->name);
    pal_table_cell(table, "%s", d->parent >= 0 ? f->domain[d->parent].name : "");
    if (f->class_count < f->count) {
        pal_table_cell(table, "%s", f->class_name[d->kind]);
    }
    pal_table_cell(table, "%d", (int)d->depth);
    pal_table_cell(table, "%s", pal_say_count(d->elements).text);
    pal_table_cell(table, "%s", pal_say_count(d->vertices).text);
    if (d->r >= 0) {
        pal_table_cell(table, "%d", (int)d->r);
    } else {
        pal_table_cell(table, "%s", "");
    }
    pal_table_cell(table, "%s", isnan(d->mass) ? "" : pal_say_mass(d->mass).text);
    if (d->parent < 0) {
        for (int k = 0; k < (isnan(t->bend) ? 4 : 5); k++) {
            pal_table_cell(table, "%s", "");
        }
        return;
    }
    pal_table_cell(table, "%d", (int)d->shared);
    pal_table_cell(table, "%.4g", 1e6 * d->area);
    print_extent(table, d);
    if (!isnan(t->bend)) {
        pal_table_cell(table, "%.2g %%", 100.0 * d->deviation);
    }
}

static void print_tree(const telling *t) {
    const pal_domain_facts *f = &t->facts;
    const int32_t shown =
        f->count > SHOWN && !pal_args_flag(t->job->args, "--all") ? SHOWN : f->count;
    char headings[256];
    snprintf(
        headings, sizeof headings,
        "domain|parent|%s>depth|>elements|>vertices|>r|>mass|>shared|>area mm2|>spread mm|>round%s",
        f->class_count < f->count ? "class|" : "", isnan(t->bend) ? "" : "|>deviation");
    pal_table table;
    pal_table_start(&table, headings);
    for (int32_t i = 0; i < shown; i++) {
        print_tree_row(t, &f->domain[i], &table);
    }
    pal_table_print(&table, stdout);
    if (shown < f->count) {
        printf("  and %s more (--all)\n", pal_say_count(f->count - shown).text);
    }
    printf(
        "\n  shared, area: vertices and faces of the interface to the parent; spread: roots of the "
        "eigenvalues of its C;\n  round: middle eigenvalue / largest, 1 round, 0 in line (below "
        "1e-6 an interface keeps no frame)\n");
    if (!isnan(t->bend)) {
        printf(
            "  deviation: of the interface from rigid, |A - R| / |R| with both times C (flat ones "
            "have no A across themselves);\n  its parent is bent along its lowest mode by %g of "
            "its length\n",
            t->bend);
    }
}

static void print_labels(const telling *t) {
    const pal_domain_facts *f = &t->facts;
    pal_table table;
    pal_table_start(&table, "domain|>elements|>vertices|neighbours");
    for (int32_t i = 0; i < f->count; i++) {
        const pal_domain_fact *d = &f->domain[i];
        char text[PAL_TABLE_CELL] = "";
        for (int32_t e = 0; e < f->edge_count; e++) {
            const size_t used = strlen(text);
            const int32_t *edge = f->edge[e];
            if (edge[0] == i || edge[1] == i) {
                snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? ", " : "",
                         f->domain[edge[0] == i ? edge[1] : edge[0]].name);
            }
        }
        pal_table_cell(&table, "%s", d->name);
        pal_table_cell(&table, "%s", pal_say_count(d->elements).text);
        pal_table_cell(&table, "%s", pal_say_count(d->vertices).text);
        pal_table_cell(&table, "%s", text);
    }
    pal_table_print(&table, stdout);
}

static void print_problems(const pal_domain_problems *p) {
    for (int32_t k = 0; k < p->count && k < PAL_DOMAIN_PROBLEMS; k++) {
        printf("%s  %s%s%s%s\n", k == 0 ? "\n" : "", pal_style_alarm(stdout),
               "no tree: ", pal_style_plain(stdout), p->text[k]);
    }
    if (p->count > PAL_DOMAIN_PROBLEMS) {
        printf("  and %d more\n", (int)p->count - PAL_DOMAIN_PROBLEMS);
    }
}

static const char *const cut_name[] = {
    [PAL_CUT_GRAPH] = "METIS", [PAL_CUT_AXIS] = "slices", [PAL_CUT_DISTANCE] = "levels"};

// "levels, 6 pieces, merged twice until they were a tree (METIS came to 1 domain of 6)"
static void print_cut(const pal_domain_cut *cut) {
    const pal_cut_report *r = &cut->report;
    char metis[64] = "", merged[64] = "";
    if (r->graph_count > 0 && r->way != PAL_CUT_GRAPH) {
        snprintf(metis, sizeof metis, " (METIS came to %d domain%s of %d)", (int)r->graph_count,
                 r->graph_count == 1 ? "" : "s", (int)cut->wanted);
    }
    if (r->merges > 0) {
        snprintf(merged, sizeof merged, ", merged %d time%s until they were a tree", (int)r->merges,
                 r->merges == 1 ? "" : "s");
    }
    pal_table_fact(stdout, "cut by", "%s, %d pieces%s%s", cut_name[r->way], (int)r->pieces, merged,
                   metis);
}

static void print_words(const telling *t) {
    const pal_domain_facts *f = &t->facts;
    int32_t depth = 0;
    int64_t modes = 0;
    for (int32_t i = 0; i < f->count; i++) {
        depth = f->domain[i].depth > depth ? f->domain[i].depth : depth;
        modes = f->domain[i].r < 0 || modes < 0 ? -1 : modes + f->domain[i].r;
    }
    printf("%s%s%s\n", pal_style_bold(stdout), t->cut.source, pal_style_plain(stdout));
    if (f->is_tree) {
        pal_table_fact(stdout, "domains", "%s of %s class%s, depth %d, root '%s'%s",
                       pal_say_count(f->count).text, pal_say_count(f->class_count).text,
                       f->class_count == 1 ? "" : "es", (int)depth, f->domain[0].name,
                       f->flies ? ", flying" : ", held");
    } else {
        pal_table_fact(stdout, "domains", "%s that do not form a tree",
                       pal_say_count(f->count).text);
    }
    if (f->is_tree && modes >= 0) {
        pal_table_fact(stdout, "modes", "%s", pal_say_count(modes).text);
    }
    if (t->cut.wanted > 0) {
        print_cut(&t->cut);
    }
    fputc('\n', stdout);
    if (f->is_tree) {
        print_tree(t);
    } else {
        print_labels(t);
    }
    print_problems(&f->problems);
    pal_output_print_written(t->job->args, "--output");
    pal_output_print_written(t->job->args, "--graph");
    pal_output_print_written(t->job->args, "--picture");
}

// ---- JSON

static cJSON *json_domain(const telling *t, const pal_domain_fact *d) {
    cJSON *item = pal_json_object();
    pal_json_text(item, "name", d->name);
    if (d->depth >= 0) {
        pal_json_number(item, "depth", d->depth);
        pal_json_text(item, "parent", d->parent >= 0 ? t->facts.domain[d->parent].name : "");
    }
    pal_json_number(item, "class", d->kind);
    if (t->facts.class_name != NULL) {
        pal_json_text(item, "class_name", t->facts.class_name[d->kind]);
    }
    pal_json_number(item, "elements", d->elements);
    pal_json_number(item, "vertices", d->vertices);
    if (d->r >= 0) {
        pal_json_number(item, "modes", d->r);
    }
    pal_json_number(item, "mass_kg", d->mass);
    if (d->parent >= 0) {
        pal_json_number(item, "interface_vertices", d->shared);
        pal_json_number(item, "interface_area_m2", d->area);
        const double eigenvalue[3] = {d->spread[0] * d->spread[0], d->spread[1] * d->spread[1],
                                      d->spread[2] * d->spread[2]};
        pal_json_numbers(item, "interface_eigenvalues_m2", eigenvalue, 3);
    }
    if (d->parent >= 0 && !isnan(t->bend)) {
        pal_json_number(item, "interface_deviation", d->deviation);
    }
    return item;
}

static pal_status print_json(const telling *t, pal_err *err) {
    const pal_domain_facts *f = &t->facts;
    cJSON *root = pal_json_object(), *list = pal_json_array(), *wrong = pal_json_array();
    pal_json_text(root, "source", t->cut.source);
    pal_json_bool(root, "is_tree", f->is_tree);
    pal_json_bool(root, "flies", f->flies);
    pal_json_number(root, "classes", f->class_count);
    pal_json_number(root, "merges", t->cut.report.merges);
    if (t->cut.wanted > 0) {
        pal_json_text(root, "cut", cut_name[t->cut.report.way]);
        pal_json_number(root, "wanted", t->cut.wanted);
    }
    pal_json_number(root, "loops", f->problems.loops);
    if (!isnan(t->bend)) {
        pal_json_number(root, "bend", t->bend);
    }
    for (int32_t i = 0; i < f->count; i++) {
        pal_json_append(list, json_domain(t, &f->domain[i]));
    }
    for (int32_t k = 0; k < f->problems.count && k < PAL_DOMAIN_PROBLEMS; k++) {
        pal_json_append(wrong, cJSON_CreateString(f->problems.text[k]));
    }
    pal_json_add(root, "domains", list);
    pal_json_add(root, "problems", wrong);
    return pal_json_print(root, err);
}

// ---- files

static void print_quoted(FILE *out, const char *text) {
    for (; *text != '\0'; text++) {
        fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    }
}

static pal_status write_graph(const telling *t, const char *path, pal_err *err) {
    const pal_domain_facts *f = &t->facts;
    pal_output output;
    pal_status status = pal_output_open(&output, err);
    if (status != PAL_OK) {
        return status;
    }
    FILE *out = output.stream;
    fprintf(out, "%s domains {\n  node [shape=box, style=\"rounded,filled\", fontname=sans];\n",
            f->is_tree ? "digraph" : "graph");
    for (int32_t i = 0; i < f->count; i++) {
        const pal_rgb colour = pal_colour_of_number(i);
        fprintf(out, "  d%d [label=\"", (int)i);
        print_quoted(out, f->domain[i].name);
        fprintf(out, "\\n%d elements", (int)f->domain[i].elements);
        if (f->domain[i].r >= 0) {
            fprintf(out, ", r %d", (int)f->domain[i].r);
        }
        fprintf(out, "\", fillcolor=\"#%02x%02x%02x\"];\n", colour.r, colour.g, colour.b);
    }
    for (int32_t i = 0; i < f->count; i++) {
        if (f->domain[i].parent >= 0) {
            fprintf(out, "  d%d -> d%d [label=\"%d\"];\n", (int)f->domain[i].parent, (int)i,
                    (int)f->domain[i].shared);
        }
    }
    for (int32_t e = 0; e < f->edge_count; e++) {
        fprintf(out, "  d%d -- d%d;\n", (int)f->edge[e][0], (int)f->edge[e][1]);
    }
    fprintf(out, "}\n");
    return pal_output_close(&output, path, err);
}

static pal_status write_picture(telling *t, const char *path, pal_err *err) {
    const double apart = pal_args_number(t->job->args, "--apart");
    const pal_scene_body *body = pal_domain_cut_body(&t->cut);
    pal_model model = {0};
    char caption[64];
    snprintf(caption, sizeof caption, "%d domains", (int)t->facts.count);
    pal_status status = PAL_OK;
    if (body != NULL) {
        status = pal_domain_show_mesh(&body->mesh, &t->cut.labels, apart, &model, err);
    } else {
        pal_tree_model tree;
        status =
            pal_scene_tree_model(&t->cut.scene, false, t->job->progress, &tree, NULL, NULL, err);
        if (status == PAL_OK) {
            status = pal_domain_show_tree(&tree, apart, &model, err);
            pal_tree_model_free(&tree);
        }
    }
    if (status == PAL_OK) {
        pal_progress_report(t->job->progress, "picture", 0.0);
        status = pal_domain_show_write(path, &model, t->cut.scene.up, t->cut.source, caption, err);
        pal_model_free(&model);
    }
    return status;
}

static pal_status write_files(telling *t, pal_err *err) {
    const char *list = pal_args_text(t->job->args, "--output");
    const char *graph = pal_args_text(t->job->args, "--graph");
    const char *picture = pal_args_text(t->job->args, "--picture");
    const pal_scene_body *body = pal_domain_cut_body(&t->cut);
    pal_status status = PAL_OK;
    if (list != NULL && body == NULL) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "%s is made of classes and instances: there is no whole mesh, and no list "
                        "of its elements",
                        t->cut.source);
    }
    if (list != NULL) {
        status = pal_domain_list_write(list, &body->mesh, &t->cut.labels, err);
    }
    if (status == PAL_OK && graph != NULL) {
        status = write_graph(t, graph, err);
    }
    return status == PAL_OK && picture != NULL ? write_picture(t, picture, err) : status;
}

// ---- the work

static pal_status bend(telling *t, pal_err *err) {
    if (isnan(t->bend)) {
        return PAL_OK;
    }
    if (t->cut.tree.spec.domain_count == 0) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "--bend needs a scene with domains of its own that form a tree, without "
                        "--by and --fix");
    }
    pal_tree_model model;
    pal_status status =
        pal_scene_tree_model(&t->cut.scene, false, t->job->progress, &model, NULL, NULL, err);
    if (status == PAL_OK) {
        status = pal_domain_facts_bend(&model, t->bend, &t->facts, err);
        pal_tree_model_free(&model);
    }
    return status;
}

static pal_status answer(telling *t, pal_err *err) {
    const pal_args *args = t->job->args;
    pal_status status = pal_domain_facts_make(&t->cut, pal_args_count(args, "--modes"),
                                              pal_args_count(args, "--total"), &t->facts, err);
    if (status != PAL_OK) {
        return status;
    }
    status = bend(t, err);
    if (status == PAL_OK) {
        status = write_files(t, err);
    }
    pal_bar_end(status);
    if (status == PAL_OK && t->job->json) {
        status = print_json(t, err);
    } else if (status == PAL_OK) {
        print_words(t);
    }
    // What was found is shown whole; that it is no tree is an error all the same.
    if (status == PAL_OK && !t->facts.is_tree) {
        const pal_domain_problems *p = &t->facts.problems;
        status = pal_fail(err, PAL_ERR_INPUT, "%s: the domains do not form a tree: %.400s%s",
                          t->cut.source, p->text[0], p->count > 1 ? ", and more (see above)" : "");
    }
    pal_domain_facts_free(&t->facts);
    return status;
}

static pal_status run(const pal_job *job, pal_err *err) {
    telling t = {.job = job, .bend = pal_args_number(job->args, "--bend")};
    pal_status status = pal_output_check(job->args, "--output", NULL, err);
    if (status == PAL_OK) {
        status = pal_output_check(job->args, "--graph", ".dot", err);
    }
    if (status == PAL_OK) {
        status = pal_output_check(job->args, "--picture", ".png", err);
    }
    if (status == PAL_OK && pal_args_given(job->args, "--modes") &&
        pal_args_given(job->args, "--total")) {
        status = pal_fail(err, PAL_ERR_USAGE, "--modes and --total do not go together");
    }
    if (status == PAL_OK) {
        status = pal_domain_cut_open(&t.cut, job, false, err);
    }
    if (status == PAL_OK) {
        status = answer(&t, err);
        pal_domain_cut_close(&t.cut);
    }
    return status;
}

const pal_command pal_command_domains = {
    .usage = {.command = "domains",
              .summary = "the tree of domains of a scene or of a mesh that is cut, its interfaces",
              .operands = "MESH|SCENE",
              .min_operands = 1,
              .max_operands = 1,
              .about = "Shows what a body is cut into for substructuring: each domain with its "
                       "parent, size, mass and modes, and how well the interface to its parent "
                       "keeps a frame. Domains must form a tree: loops, domains in pieces and "
                       "domains that share a vertex but no face are found and named, all of them.",
              .examples =
                  "palpate domains flower --graph flower.dot --picture flower.png\n"
                  "palpate domains flower --bend 0.1\n"
                  "palpate domains beam.msh --by auto:8 --fix 'x<0.001' -o beam-domains.txt\n"
                  "palpate domains beam.msh --by beam-domains.txt",
              .group = {{"Options", options},
                        {"Body", pal_options_cut},
                        {"Mesh", pal_options_mesh},
                        {"Files", file_options},
                        {"Output", pal_options_work}}},
    .run = run,
};
