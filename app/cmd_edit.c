// palpate edit MESH|SCENE: which elements are which domain's, in the window or by a script.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/domain_facts.h"
#include "app/edit_script.h"
#include "app/edit_window.h"
#include "app/json.h"
#include "app/output.h"
#include "app/problem.h"
#include "app/progress_bar.h"
#include "app/style.h"
#include "app/table.h"
#include "app/window_files.h"
#include "render/gl_context.h"

static const pal_option options[] = {
    {.name = "--script",
     .kind = PAL_OPTION_TEXT,
     .argument = "FILE",
     .help = "edit by the commands in this file, without a window"},
    {.name = "--window", .help = "open the window after a script, too"},
    {.name = "--do",
     .kind = PAL_OPTION_TEXT,
     .argument = "COMMAND",
     .repeatable = true,
     .help = "one such command; after the script, in the order given"},
    {.name = "--output",
     .letter = 'o',
     .kind = PAL_OPTION_TEXT,
     .argument = "FILE",
     .help =
         "save at the end, and by S in the window: the list of domains, or FILE.yaml, the scene "
         "with its list beside it (default in the window: SCENE-cut.yaml, MESH-cut.txt)"},
    {.name = NULL},
};

// ---- the answer

static pal_status tell(const pal_job *job, const pal_editing *editing, const pal_domain_facts *f,
                       pal_err *err) {
    const pal_domain_labels *labels = pal_domain_edit_labels(editing->edit);
    if (!job->json) {
        printf("%s%s%s\n", pal_style_bold(stdout), editing->cut->source, pal_style_plain(stdout));
        pal_table table;
        pal_table_start(&table, "domain|>elements|like");
        for (int32_t d = 0; d < labels->count; d++) {
            pal_table_cell(&table, "%s", labels->name[d]);
            pal_table_cell(&table, "%s",
                           pal_say_count(pal_domain_edit_count(editing->edit, d)).text);
            pal_table_cell(&table, "%s", labels->like[d] >= 0 ? labels->name[labels->like[d]] : "");
        }
        pal_table_print(&table, stdout);
        printf("\n  %s\n", f->is_tree ? "the domains form a tree" : "not a tree yet:");
        for (int32_t k = 0; k < f->problems.count && k < PAL_DOMAIN_PROBLEMS; k++) {
            printf("  - %s\n", f->problems.text[k]);
        }
        if (editing->note[0] != '\0') {
            printf("  note: %s\n", editing->note);
        }
        if (editing->saved[0] != '\0') {
            printf("  saved to %s\n", editing->saved);
        }
        return PAL_OK;
    }
    cJSON *root = pal_json_object(), *list = pal_json_array(), *wrong = pal_json_array();
    pal_json_text(root, "source", editing->cut->source);
    for (int32_t d = 0; d < labels->count; d++) {
        cJSON *item = pal_json_object();
        pal_json_text(item, "name", labels->name[d]);
        pal_json_number(item, "elements", pal_domain_edit_count(editing->edit, d));
        if (labels->like[d] >= 0) {
            pal_json_text(item, "like", labels->name[labels->like[d]]);
        }
        pal_json_append(list, item);
    }
    for (int32_t k = 0; k < f->problems.count && k < PAL_DOMAIN_PROBLEMS; k++) {
        pal_json_append(wrong, cJSON_CreateString(f->problems.text[k]));
    }
    pal_json_add(root, "domains", list);
    pal_json_bool(root, "is_tree", f->is_tree);
    pal_json_add(root, "problems", wrong);
    pal_json_number(root, "steps", pal_domain_edit_steps(editing->edit));
    pal_json_text(root, "note", editing->note);
    pal_json_text(root, "saved", editing->saved);
    return pal_json_print(root, err);
}

// The edited labels in the place of those that were opened, looked at as a tree.
static pal_status look(const pal_editing *editing, pal_domain_facts *facts, pal_err *err) {
    pal_domain_cut now = *editing->cut;
    now.labels = *pal_domain_edit_labels(editing->edit);
    return pal_domain_facts_make(&now, 0, 0, facts, err);
}

// ---- the work

static pal_status edit_by_script(const pal_job *job, pal_editing *editing, pal_err *err) {
    int count;
    const char *const *command = pal_args_list(job->args, "--do", &count);
    const char *script = pal_args_text(job->args, "--script");
    pal_status status = script != NULL ? pal_editing_play(editing, script, err) : PAL_OK;
    for (int k = 0; status == PAL_OK && k < count; k++) {
        pal_err inner = {0};
        status = pal_editing_do(editing, command[k], &inner);
        if (status != PAL_OK) {
            status = pal_fail(err, status, "--do '%.200s': %.700s", command[k], inner.text);
        }
    }
    return status;
}

// Where S saves to: --output, else beside the scene, or a list beside the mesh.
static pal_status edit_by_hand(const pal_job *job, pal_editing *editing, pal_err *err) {
    const char *output = pal_args_text(job->args, "--output");
    const char *own = editing->cut->is_scene ? editing->cut->scene.path : editing->cut->source;
    char path[PAL_WINDOW_PATH + 8] = "";
    pal_status status = PAL_OK;
    if (output == NULL) {
        status = pal_window_name_beside(own, "cut", path, err);
        char *dot = strrchr(path, '.');
        if (status == PAL_OK && !editing->cut->is_scene && dot != NULL) {
            strcpy(dot, ".txt");
            if (access(path, F_OK) == 0) {
                status = pal_fail(err, PAL_ERR_USAGE,
                                  "%s is there already: say where S saves to, -o "
                                  "FILE, or begin with it, --by %s",
                                  path, path);
            }
        }
    }
    return status == PAL_OK ? pal_edit_window(editing, output != NULL ? output : path, err)
                            : status;
}

static pal_status work(const pal_job *job, bool by_hand, pal_editing *editing, pal_err *err) {
    const char *output = by_hand ? NULL : pal_args_text(job->args, "--output");
    pal_domain_facts facts;
    pal_status status = edit_by_script(job, editing, err);
    if (status == PAL_OK && by_hand) {
        pal_bar_end(status);
        status = edit_by_hand(job, editing, err);
    }
    if (status == PAL_OK && output != NULL) {
        status = pal_editing_save(editing, output, err);
    }
    if (status == PAL_OK) {
        status = look(editing, &facts, err);
    }
    pal_bar_end(status);
    if (status == PAL_OK) {
        status = tell(job, editing, &facts, err);
        pal_domain_facts_free(&facts);
    }
    return status;
}

static pal_status run(const pal_job *job, pal_err *err) {
    const bool scripted =
        pal_args_given(job->args, "--script") || pal_args_given(job->args, "--do");
    const bool by_hand = pal_args_flag(job->args, "--window") || !scripted;
    pal_domain_cut cut;
    pal_editing editing;
    pal_status status = pal_output_check(job->args, "--output", NULL, err);
    if (status == PAL_OK && by_hand && !pal_gl_has_display()) {
        status =
            pal_fail(err, PAL_ERR_USAGE,
                     "there is no display for a window: edit by --script FILE or --do COMMAND");
    }
    if (status == PAL_OK) {
        status = pal_domain_cut_open(&cut, job, true, err);
    }
    if (status != PAL_OK) {
        return status;
    }
    status = pal_editing_open(&editing, &cut, err);
    if (status == PAL_OK) {
        status = work(job, by_hand, &editing, err);
        pal_editing_close(&editing);
    }
    pal_domain_cut_close(&cut);
    return status;
}

const pal_command pal_command_edit = {
    .usage = {.command = "edit",
              .summary = "edit the domains of a mesh or scene: which elements are whose",
              .operands = "MESH|SCENE",
              .min_operands = 1,
              .max_operands = 1,
              .about =
                  "Every element is in one domain. What is taken from a domain goes back to the "
                  "first, which at the start is all of the mesh where nothing else is said. "
                  "Every command can be undone. Without a script a window opens: F1 lists its "
                  "keys.",
              .examples = "palpate edit flower\n"
                          "palpate edit beam.msh --script cut.txt -o beam-domains.txt\n"
                          "palpate edit beam.msh --do 'new tip' --do 'add x>0.08' -o tip.txt\n"
                          "palpate edit flower --do 'choose leaf 1' --do 'brush 0.1,0.09,0.1 0.01' "
                          "-o my-flower.yaml",
              .group = {{"Options", options},
                        {"Body", pal_options_cut},
                        {"Mesh", pal_options_mesh},
                        {"Output", pal_options_work}},
              .more = pal_editing_help},
    .run = run,
};
