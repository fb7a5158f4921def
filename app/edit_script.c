#include "app/edit_script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/suggest.h"
#include "sim/base/lines.h"
#include "sim/base/memory.h"
#include "sim/mesh/select.h"

pal_status pal_editing_open(pal_editing *editing, pal_domain_cut *cut, pal_err *err) {
    const pal_volmesh *mesh = &cut->body.mesh;
    *editing = (pal_editing){.cut = cut, .saved_at = -1};
    editing->selected = PAL_NEW(uint8_t, mesh->element_count, err);
    pal_status status = editing->selected != NULL
                            ? pal_domain_edit_open(mesh, &cut->labels, &editing->edit, err)
                            : PAL_ERR_MEMORY;
    if (status != PAL_OK) {
        pal_editing_close(editing);
    }
    return status;
}

void pal_editing_close(pal_editing *editing) {
    pal_domain_edit_close(editing->edit);
    free(editing->selected);
    memset(editing, 0, sizeof *editing);
}

// ---- the commands: each is given what stands after its name

static pal_status give(pal_editing *x, bool take, pal_err *err) {
    return pal_domain_edit_give(x->edit, x->selected, take, &x->moved, err);
}

static pal_status by_selector(pal_editing *x, const char *rest, bool take, pal_err *err) {
    const pal_volmesh *mesh = pal_domain_edit_mesh(x->edit);
    pal_status status = pal_domain_select(mesh, rest, x->selected, err);
    if (status == PAL_OK && memchr(x->selected, 1, (size_t)mesh->element_count) == NULL) {
        status = pal_select_nothing(mesh, PAL_ERR_INPUT, err, "'%.200s' selects no element", rest);
    }
    return status == PAL_OK ? give(x, take, err) : status;
}

// Two words, the second of which is a vector or a number.
static pal_status split_words(const char *rest, const char *usage, char first[128],
                              const char **second, pal_err *err) {
    const size_t length = strcspn(rest, " \t");
    *second = rest + length + strspn(rest + length, " \t");
    if (length == 0 || length >= 128 || **second == '\0') {
        return pal_fail(err, PAL_ERR_INPUT, "write %s", usage);
    }
    memcpy(first, rest, length);
    first[length] = '\0';
    return PAL_OK;
}

static pal_status by_box(pal_editing *x, const char *rest, bool take, pal_err *err) {
    char first[128];
    const char *second;
    double low[3], high[3];
    pal_status status = split_words(rest, "box x0,y0,z0 x1,y1,z1", first, &second, err);
    if (status == PAL_OK) {
        status = pal_parse_vector(first, "the first corner", low, err);
    }
    if (status == PAL_OK) {
        status = pal_parse_vector(second, "the second corner", high, err);
    }
    if (status == PAL_OK &&
        pal_domain_select_box(pal_domain_edit_mesh(x->edit), low, high, x->selected) == 0) {
        status = pal_fail(err, PAL_ERR_INPUT, "no element has its middle in this box");
    }
    return status == PAL_OK ? give(x, take, err) : status;
}

static pal_status by_brush(pal_editing *x, const char *rest, bool take, pal_err *err) {
    char first[128];
    const char *second;
    double centre[3], radius;
    pal_status status = split_words(rest, "brush x,y,z r", first, &second, err);
    if (status == PAL_OK) {
        status = pal_parse_vector(first, "the middle", centre, err);
    }
    if (status == PAL_OK) {
        status = pal_parse_number(second, "the radius", &radius, err);
    }
    if (status == PAL_OK &&
        pal_domain_select_ball(pal_domain_edit_mesh(x->edit), centre, radius, x->selected) == 0) {
        status = pal_fail(err, PAL_ERR_INPUT, "no element has its middle in this ball");
    }
    return status == PAL_OK ? give(x, take, err) : status;
}

static pal_status do_add(pal_editing *x, const char *rest, pal_err *err) {
    return by_selector(x, rest, false, err);
}
static pal_status do_take(pal_editing *x, const char *rest, pal_err *err) {
    return by_selector(x, rest, true, err);
}
static pal_status do_box(pal_editing *x, const char *rest, pal_err *err) {
    return by_box(x, rest, false, err);
}
static pal_status do_unbox(pal_editing *x, const char *rest, pal_err *err) {
    return by_box(x, rest, true, err);
}
static pal_status do_brush(pal_editing *x, const char *rest, pal_err *err) {
    return by_brush(x, rest, false, err);
}
static pal_status do_unbrush(pal_editing *x, const char *rest, pal_err *err) {
    return by_brush(x, rest, true, err);
}
static pal_status do_new(pal_editing *x, const char *rest, pal_err *err) {
    return pal_domain_edit_new(x->edit, rest, err);
}
static pal_status do_choose(pal_editing *x, const char *rest, pal_err *err) {
    return pal_domain_edit_choose(x->edit, rest, err);
}
static pal_status do_rename(pal_editing *x, const char *rest, pal_err *err) {
    return pal_domain_edit_rename(x->edit, rest, err);
}
static pal_status do_drop(pal_editing *x, const char *rest, pal_err *err) {
    return pal_domain_edit_drop(x->edit, rest, err);
}

// "dx,dy,dz NAME": the name may have blanks.
static pal_status do_copy(pal_editing *x, const char *rest, pal_err *err) {
    char first[128];
    const char *name;
    double shift[3];
    pal_status status = split_words(rest, "copy dx,dy,dz NAME", first, &name, err);
    if (status == PAL_OK) {
        status = pal_parse_vector(first, "the shift", shift, err);
    }
    return status == PAL_OK ? pal_editing_copy(x, name, shift, err) : status;
}

pal_status pal_editing_copy(pal_editing *x, const char *name, const double shift[3], pal_err *err) {
    char why[PAL_EDIT_WHY] = "";
    pal_status status = pal_domain_edit_copy(x->edit, name, shift, why, err);
    x->note[0] = '\0';
    if (status == PAL_OK && why[0] != '\0') {
        snprintf(x->note, sizeof x->note, "'%.60s' has a class of its own: %s", name, why);
    }
    return status;
}

static pal_status do_like(pal_editing *x, const char *rest, pal_err *err) {
    return pal_domain_edit_like(x->edit, rest, err);
}
static pal_status do_unlike(pal_editing *x, const char *rest, pal_err *err) {
    (void)rest;
    return pal_domain_edit_unlike(x->edit, err);
}

static pal_status do_undo(pal_editing *x, const char *rest, pal_err *err) {
    (void)rest;
    return pal_domain_edit_undo(x->edit) ? PAL_OK : pal_fail(err, PAL_ERR_INPUT, "nothing to undo");
}
static pal_status do_redo(pal_editing *x, const char *rest, pal_err *err) {
    (void)rest;
    return pal_domain_edit_redo(x->edit) ? PAL_OK : pal_fail(err, PAL_ERR_INPUT, "nothing to redo");
}

static const struct {
    const char *name, *argument, *about;
    pal_status (*run)(pal_editing *x, const char *rest, pal_err *err);
} commands[] = {
    {"new", "NAME", "a new empty domain, which is edited from now on", do_new},
    {"choose", "NAME", "edit this domain", do_choose},
    {"rename", "NAME", "another name for the domain that is edited", do_rename},
    {"drop", "NAME", "no such domain any more: its elements go to the first", do_drop},
    {"add", "SEL", "the elements of a selector, or elements:0-99,120, go to the domain", do_add},
    {"take", "SEL", "those of them that it has go back to the first domain", do_take},
    {"box", "x0,y0,z0 x1,y1,z1", "adds the elements with their middle in this box (m)", do_box},
    {"unbox", "x0,y0,z0 x1,y1,z1", "takes them", do_unbox},
    {"brush", "x,y,z R", "adds the elements with their middle this near (m)", do_brush},
    {"unbrush", "x,y,z R", "takes them", do_unbrush},
    {"copy", "dx,dy,dz NAME",
     "a new domain of the elements that lie where those of this one are after a shift (m); they "
     "must be congruent and in no other domain than the first. The two share a class, which is "
     "baked once, until one of them is changed",
     do_copy},
    {"like", "NAME", "the domain is congruent to this one: they share a class", do_like},
    {"unlike", NULL, "the domain has a class of its own", do_unlike},
    {"undo", NULL, "as it was before the last command; any number of times", do_undo},
    {"redo", NULL, "what was undone", do_redo},
    {"save", "FILE", "write the list of domains; FILE.yaml: the scene with it", pal_editing_save},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

void pal_editing_help(FILE *out) {
    pal_options_heading(out, "Commands of a script, one a line; # begins a comment");
    for (int k = 0; k < COMMANDS; k++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s%s", commands[k].name,
                 commands[k].argument != NULL ? " " : "",
                 commands[k].argument != NULL ? commands[k].argument : "");
        pal_options_entry(out, name, commands[k].about);
    }
}

pal_status pal_editing_do(pal_editing *editing, const char *command, pal_err *err) {
    const size_t length = strcspn(command, " \t");
    const char *rest = command + length + strspn(command + length, " \t");
    char word[32];
    snprintf(word, sizeof word, "%.*s", (int)(length < 31 ? length : 31), command);
    pal_suggestion suggestion = {.word = word};
    editing->moved = 0;
    for (int k = 0; k < COMMANDS; k++) {
        pal_suggest_try(&suggestion, commands[k].name);
        if (strcmp(word, commands[k].name) != 0) {
            continue;
        }
        if ((commands[k].argument == NULL) != (*rest == '\0')) {
            return commands[k].argument != NULL
                       ? pal_fail(err, PAL_ERR_INPUT, "write %s %s", word, commands[k].argument)
                       : pal_fail(err, PAL_ERR_INPUT, "%s takes nothing", word);
        }
        return commands[k].run(editing, rest, err);
    }
    return pal_fail(err, PAL_ERR_INPUT, "unknown command '%s'%s (palpate edit --help)", word,
                    pal_suggest_text(&suggestion));
}

// ---- files

pal_status pal_editing_save(pal_editing *editing, const char *path, pal_err *err) {
    const pal_volmesh *mesh = pal_domain_edit_mesh(editing->edit);
    const pal_domain_labels *labels = pal_domain_edit_labels(editing->edit);
    pal_status status = PAL_OK;
    for (int32_t d = 0; status == PAL_OK && d < labels->count; d++) {
        if (pal_domain_edit_count(editing->edit, d) == 0) {
            status =
                pal_fail(err, PAL_ERR_INPUT, "domain '%s' is empty: add elements to it or drop it",
                         labels->name[d]);
        }
    }
    if (status != PAL_OK) {
        return status;
    }
    if (!pal_scene_is_path(path)) {
        status = pal_domain_list_write(path, mesh, labels, err);
    } else if (!editing->cut->is_scene) {
        status = pal_fail(err, PAL_ERR_USAGE,
                          "%s is a mesh: save a list of domains, for domains: {file: ...} in a "
                          "scene",
                          editing->cut->source);
    } else {
        status = pal_scene_save_domains(&editing->cut->scene, mesh, labels, path, err);
    }
    if (status == PAL_OK) {
        snprintf(editing->saved, sizeof editing->saved, "%s", path);
        editing->saved_at = pal_domain_edit_steps(editing->edit);
    }
    return status;
}

static pal_status take_line(void *context, const char *path, long number, char *line,
                            pal_err *err) {
    pal_err inner = {0};
    pal_status status = pal_editing_do(context, line, &inner);
    return status == PAL_OK ? PAL_OK : pal_fail_at(err, status, path, number, "%.900s", inner.text);
}

pal_status pal_editing_play(pal_editing *editing, const char *path, pal_err *err) {
    return pal_lines_read(path, take_line, editing, err);
}
