#include "scenes/domain_edit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/substruct/congruence.h"

typedef char domain_name[PAL_DOMAIN_NAME];

// The names of the domains, their classes and which is edited: small, so that a step keeps them
// whole.
typedef struct table {
    int32_t count, current;
    domain_name *name; // [count]
    int32_t *like;     // [count] as in pal_domain_labels
} table;

typedef struct change { // of one element
    int32_t element, before, after;
} change;

typedef struct step {
    table before, after;
    int32_t count;
    change *change; // [count]
} step;

struct pal_domain_edit {
    const pal_volmesh *mesh;
    pal_domain_labels labels; // name and like are those of .now
    table now;
    int32_t name_room;                   // of .now
    int32_t step_count, done, step_room; // steps after `done` can be redone
    step *step;
};

// ---- tables of names

static void free_table(table *t) {
    free(t->name);
    free(t->like);
}

static pal_status copy_table(const table *from, int32_t room, table *to, pal_err *err) {
    *to = (table){from->count, from->current, pal_alloc((size_t)room, sizeof(domain_name), err),
                  PAL_NEW(int32_t, room, err)};
    if (to->name == NULL || to->like == NULL) {
        free_table(to);
        *to = (table){0};
        return PAL_ERR_MEMORY;
    }
    memcpy(to->name, from->name, (size_t)from->count * sizeof(domain_name));
    for (int32_t d = 0; d < from->count; d++) {
        to->like[d] = from->like != NULL ? from->like[d] : -1;
    }
    return PAL_OK;
}

static int32_t find(const table *t, const char *name) {
    for (int32_t d = 0; d < t->count; d++) {
        if (strcmp(t->name[d], name) == 0) {
            return d;
        }
    }
    return -1;
}

static void free_step(step *s) {
    free_table(&s->before);
    free_table(&s->after);
    free(s->change);
    *s = (step){0};
}

// ---- opening

void pal_domain_edit_close(pal_domain_edit *edit) {
    if (edit == NULL) {
        return;
    }
    for (int32_t k = 0; k < edit->step_count; k++) {
        free_step(&edit->step[k]);
    }
    free(edit->step);
    free_table(&edit->now);
    free(edit->labels.label);
    free(edit);
}

static void publish(pal_domain_edit *edit) {
    edit->labels.count = edit->now.count;
    edit->labels.name = edit->now.name;
    edit->labels.like = edit->now.like;
}

pal_status pal_domain_edit_open(const pal_volmesh *mesh, const pal_domain_labels *labels,
                                pal_domain_edit **edit, pal_err *err) {
    static domain_name body = "body";
    const table start = {labels != NULL ? labels->count : 1, 0,
                         labels != NULL ? labels->name : &body,
                         labels != NULL ? labels->like : NULL};
    *edit = NULL;
    pal_domain_edit *made = PAL_NEW(pal_domain_edit, 1, err);
    if (made == NULL) {
        return PAL_ERR_MEMORY;
    }
    made->mesh = mesh;
    made->labels.label = PAL_NEW(int32_t, mesh->element_count, err);
    pal_status status = made->labels.label != NULL
                            ? copy_table(&start, start.count, &made->now, err)
                            : PAL_ERR_MEMORY;
    if (status != PAL_OK) {
        pal_domain_edit_close(made);
        return status;
    }
    if (labels != NULL) {
        memcpy(made->labels.label, labels->label,
               (size_t)mesh->element_count * sizeof *labels->label);
    }
    made->name_room = start.count;
    publish(made);
    *edit = made;
    return PAL_OK;
}

const pal_volmesh *pal_domain_edit_mesh(const pal_domain_edit *edit) {
    return edit->mesh;
}

const pal_domain_labels *pal_domain_edit_labels(const pal_domain_edit *edit) {
    return &edit->labels;
}

int32_t pal_domain_edit_current(const pal_domain_edit *edit) {
    return edit->now.current;
}

int32_t pal_domain_edit_count(const pal_domain_edit *edit, int32_t domain) {
    int32_t count = 0;
    for (int32_t e = 0; e < edit->mesh->element_count; e++) {
        count += edit->labels.label[e] == domain;
    }
    return count;
}

int32_t pal_domain_edit_steps(const pal_domain_edit *edit) {
    return edit->done;
}

// ---- steps

// A step that begins with the table as it is, with room for one more name.
static pal_status begin(const pal_domain_edit *edit, step *s, pal_err *err) {
    *s = (step){0};
    pal_status status = copy_table(&edit->now, edit->now.count, &s->before, err);
    if (status == PAL_OK) {
        status = copy_table(&edit->now, edit->now.count + 1, &s->after, err);
    }
    if (status != PAL_OK) {
        free_step(s);
    }
    return status;
}

static void put_table(pal_domain_edit *edit, const table *from) {
    memcpy(edit->now.name, from->name, (size_t)from->count * sizeof(domain_name));
    memcpy(edit->now.like, from->like, (size_t)from->count * sizeof *from->like);
    edit->now.count = from->count;
    edit->now.current = from->current;
    publish(edit);
}

// Room for the step and for its names; never less than before, so that undo and redo need none.
static pal_status make_room(pal_domain_edit *edit, const step *s, pal_err *err) {
    const int32_t names = s->after.count > edit->name_room ? s->after.count : edit->name_room;
    if (names > edit->name_room) {
        table more;
        if (copy_table(&edit->now, names, &more, err) != PAL_OK) {
            return PAL_ERR_MEMORY;
        }
        free_table(&edit->now);
        edit->now = more;
        edit->name_room = names;
        publish(edit);
    }
    if (edit->done == edit->step_room) {
        const int32_t room = 2 * edit->step_room + 16;
        step *more = PAL_NEW(step, room, err);
        if (more == NULL) {
            return PAL_ERR_MEMORY;
        }
        if (edit->step_count > 0) {
            memcpy(more, edit->step, (size_t)edit->step_count * sizeof *more);
        }
        free(edit->step);
        edit->step = more;
        edit->step_room = room;
    }
    return PAL_OK;
}

// Takes the step over and does it; what could be redone is forgotten.
static pal_status keep(pal_domain_edit *edit, step *s, pal_err *err) {
    pal_status status = make_room(edit, s, err);
    if (status != PAL_OK) {
        free_step(s);
        return status;
    }
    for (int32_t k = edit->done; k < edit->step_count; k++) {
        free_step(&edit->step[k]);
    }
    edit->step[edit->done] = *s;
    edit->step_count = edit->done + 1;
    pal_domain_edit_redo(edit);
    return PAL_OK;
}

bool pal_domain_edit_redo(pal_domain_edit *edit) {
    if (edit->done == edit->step_count) {
        return false;
    }
    const step *s = &edit->step[edit->done++];
    for (int32_t k = 0; k < s->count; k++) {
        edit->labels.label[s->change[k].element] = s->change[k].after;
    }
    put_table(edit, &s->after);
    return true;
}

bool pal_domain_edit_undo(pal_domain_edit *edit) {
    if (edit->done == 0) {
        return false;
    }
    const step *s = &edit->step[--edit->done];
    for (int32_t k = 0; k < s->count; k++) {
        edit->labels.label[s->change[k].element] = s->change[k].before;
    }
    put_table(edit, &s->before);
    return true;
}

// ---- domains

static pal_status check_new_name(const pal_domain_edit *edit, const char *name, pal_err *err) {
    pal_status status = pal_domain_name_check(name, err);
    if (status == PAL_OK && find(&edit->now, name) >= 0) {
        status = pal_fail(err, PAL_ERR_INPUT, "there is a domain '%s' already", name);
    }
    return status;
}

static pal_status find_domain(const pal_domain_edit *edit, const char *name, int32_t *domain,
                              pal_err *err) {
    *domain = find(&edit->now, name);
    return *domain >= 0 ? PAL_OK
                        : pal_fail(err, PAL_ERR_INPUT,
                                   "there is no domain '%.80s'; %d are there, such as "
                                   "'%s'",
                                   name, (int)edit->now.count, edit->now.name[0]);
}

// A new name at the end of the step's table, and edited.
static void append(step *s, const char *name) {
    s->after.current = s->after.count++;
    s->after.like[s->after.current] = -1;
    snprintf(s->after.name[s->after.current], sizeof(domain_name), "%s", name);
}

pal_status pal_domain_edit_new(pal_domain_edit *edit, const char *name, pal_err *err) {
    step s;
    pal_status status = check_new_name(edit, name, err);
    if (status == PAL_OK) {
        status = begin(edit, &s, err);
    }
    if (status != PAL_OK) {
        return status;
    }
    append(&s, name);
    return keep(edit, &s, err);
}

pal_status pal_domain_edit_choose(pal_domain_edit *edit, const char *name, pal_err *err) {
    step s;
    int32_t d;
    pal_status status = find_domain(edit, name, &d, err);
    if (status != PAL_OK || d == edit->now.current) {
        return status;
    }
    status = begin(edit, &s, err);
    if (status == PAL_OK) {
        s.after.current = d;
        status = keep(edit, &s, err);
    }
    return status;
}

pal_status pal_domain_edit_rename(pal_domain_edit *edit, const char *name, pal_err *err) {
    step s;
    pal_status status = check_new_name(edit, name, err);
    if (status == PAL_OK) {
        status = begin(edit, &s, err);
    }
    if (status == PAL_OK) {
        snprintf(s.after.name[s.after.current], sizeof(domain_name), "%s", name);
        status = keep(edit, &s, err);
    }
    return status;
}

// The changes of the step: where the label becomes another one.
static pal_status list_changes(const pal_domain_edit *edit, const int32_t *label, step *s,
                               pal_err *err) {
    const int32_t *now = edit->labels.label;
    for (int32_t e = 0; e < edit->mesh->element_count; e++) {
        s->count += label[e] != now[e];
    }
    s->change = PAL_NEW(change, s->count, err);
    if (s->change == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t e = 0, k = 0; e < edit->mesh->element_count; e++) {
        if (label[e] != now[e]) {
            s->change[k++] = (change){e, now[e], label[e]};
        }
    }
    return PAL_OK;
}

// Whatever has other elements now is of a class of its own.
static void part(table *t, int32_t domain) {
    pal_domain_labels as_labels = {.count = t->count, .like = t->like};
    pal_domain_labels_part(&as_labels, domain);
}

// Keeps a step that ends with these labels (freed here).
static pal_status relabel(pal_domain_edit *edit, step *s, int32_t *label, pal_err *err) {
    pal_status status = list_changes(edit, label, s, err);
    free(label);
    if (status != PAL_OK) {
        free_step(s);
        return status;
    }
    return keep(edit, s, err);
}

static int32_t *copy_labels(const pal_domain_edit *edit, pal_err *err) {
    int32_t *label = PAL_NEW(int32_t, edit->mesh->element_count, err);
    if (label != NULL) {
        memcpy(label, edit->labels.label, (size_t)edit->mesh->element_count * sizeof *label);
    }
    return label;
}

pal_status pal_domain_edit_drop(pal_domain_edit *edit, const char *name, pal_err *err) {
    step s;
    int32_t d;
    pal_status status = find_domain(edit, name, &d, err);
    if (status == PAL_OK && d == 0) {
        status =
            pal_fail(err, PAL_ERR_INPUT,
                     "'%s' is the first domain, which takes what is in no other; it stays", name);
    }
    int32_t *label = status == PAL_OK ? copy_labels(edit, err) : NULL;
    if (label == NULL || begin(edit, &s, err) != PAL_OK) {
        free(label);
        return status == PAL_OK ? PAL_ERR_MEMORY : status;
    }
    part(&s.after, d);
    part(&s.after, 0);
    for (int32_t e = 0; e < edit->mesh->element_count; e++) {
        label[e] = label[e] == d ? 0 : label[e] > d ? label[e] - 1 : label[e];
    }
    s.after.count--;
    memmove(&s.after.name[d], &s.after.name[d + 1],
            (size_t)(s.after.count - d) * sizeof(domain_name));
    memmove(&s.after.like[d], &s.after.like[d + 1],
            (size_t)(s.after.count - d) * sizeof *s.after.like);
    for (int32_t k = 0; k < s.after.count; k++) {
        s.after.like[k] -= s.after.like[k] > d;
    }
    s.after.current = s.after.current == d ? 0 : s.after.current - (s.after.current > d);
    return relabel(edit, &s, label, err);
}

pal_status pal_domain_edit_give(pal_domain_edit *edit, const uint8_t *selected, bool take,
                                int32_t *moved, pal_err *err) {
    const int32_t current = edit->now.current;
    int32_t count = 0;
    if (take && current == 0) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "'%s' is the first domain: what it does not have must be added to another",
                        edit->now.name[0]);
    }
    int32_t *label = copy_labels(edit, err);
    if (label == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t e = 0; e < edit->mesh->element_count; e++) {
        const bool changes = selected[e] && (label[e] == current) == take;
        label[e] = !changes ? label[e] : take ? 0 : current;
        count += changes;
    }
    if (moved != NULL) {
        *moved = count;
    }
    step s;
    if (count == 0 || begin(edit, &s, err) != PAL_OK) {
        free(label);
        return count == 0 ? PAL_OK : PAL_ERR_MEMORY;
    }
    for (int32_t e = 0; e < edit->mesh->element_count; e++) {
        if (label[e] != edit->labels.label[e]) {
            part(&s.after, label[e]);
            part(&s.after, edit->labels.label[e]);
        }
    }
    return relabel(edit, &s, label, err);
}

// ---- copies

// The elements of a domain, ascending: list [element_count]; returns how many.
static int32_t list_elements(const int32_t *label, int32_t count, int32_t domain, int32_t *list) {
    int32_t found = 0;
    for (int32_t e = 0; e < count; e++) {
        if (label[e] == domain) {
            list[found++] = e;
        }
    }
    return found;
}

// Whether two domains can share a class; why [200] not.
static pal_status are_congruent(const pal_volmesh *mesh, const int32_t *label, int32_t a, int32_t b,
                                bool *holds, char *why, pal_err *err) {
    int32_t *list = PAL_NEW(int32_t, 2 * (size_t)mesh->element_count, err);
    int32_t *other = list + mesh->element_count;
    pal_vertex_map map = {0};
    pal_congruence found = {0};
    pal_status status =
        list != NULL ? pal_vertex_map_open(&map, mesh->vertex_count, err) : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        const int32_t count = list_elements(label, mesh->element_count, a, list);
        const int32_t same = list_elements(label, mesh->element_count, b, other);
        if (count != same) {
            snprintf(found.why, sizeof found.why, "it has %d elements, not %d", (int)same,
                     (int)count);
        } else if (count == 0) {
            snprintf(found.why, sizeof found.why, "both are empty");
        } else {
            status = pal_congruence_find(mesh, count, list, other, &map, &found, err);
        }
    }
    *holds = found.holds;
    memcpy(why, found.why, sizeof found.why);
    pal_vertex_map_close(&map);
    free(list);
    return status;
}

pal_status pal_domain_edit_like(pal_domain_edit *edit, const char *name, pal_err *err) {
    const int32_t current = edit->now.current;
    char why[200];
    bool holds = false;
    step s;
    int32_t d;
    pal_status status = find_domain(edit, name, &d, err);
    if (status == PAL_OK) {
        status = are_congruent(edit->mesh, edit->labels.label, d, current, &holds, why, err);
    }
    if (status == PAL_OK && !holds) {
        status = pal_fail(err, PAL_ERR_INPUT, "'%s' is not congruent to '%s': %s",
                          edit->now.name[current], name, why);
    }
    if (status != PAL_OK || (status = begin(edit, &s, err)) != PAL_OK) {
        return status;
    }
    pal_domain_labels labels = {.count = s.after.count, .name = s.after.name, .like = s.after.like};
    status = pal_domain_labels_join(&labels, current, name, err);
    if (status != PAL_OK) {
        free_step(&s);
        return status;
    }
    return keep(edit, &s, err);
}

pal_status pal_domain_edit_unlike(pal_domain_edit *edit, pal_err *err) {
    step s;
    pal_status status = begin(edit, &s, err);
    if (status == PAL_OK) {
        part(&s.after, s.after.current);
        status = keep(edit, &s, err);
    }
    return status;
}

// The copy's labels and its class: that of the domain, or why [200] it is of its own.
static pal_status label_copy(const pal_domain_edit *edit, const uint8_t *selected, step *s,
                             int32_t *label, char *why, pal_err *err) {
    const int32_t from = edit->now.current, to = s->after.current;
    bool holds;
    for (int32_t e = 0; e < edit->mesh->element_count; e++) {
        label[e] = selected[e] ? to : label[e];
    }
    part(&s->after, 0); // whose elements they were
    pal_status status = are_congruent(edit->mesh, label, from, to, &holds, why, err);
    if (status == PAL_OK && holds) {
        s->after.like[to] = s->after.like[from] >= 0 ? s->after.like[from] : from;
    }
    return status;
}

pal_status pal_domain_edit_copy(pal_domain_edit *edit, const char *name, const double shift[3],
                                char why[PAL_EDIT_WHY], pal_err *err) {
    uint8_t *selected = PAL_NEW(uint8_t, edit->mesh->element_count, err);
    int32_t *label = copy_labels(edit, err);
    pal_status status = selected != NULL && label != NULL ? PAL_OK : PAL_ERR_MEMORY;
    if (status == PAL_OK && edit->now.current == 0) {
        status = pal_fail(err, PAL_ERR_INPUT,
                          "'%s' is the first domain, of which copies are made: choose another",
                          edit->now.name[0]);
    }
    if (status == PAL_OK) {
        status = check_new_name(edit, name, err);
    }
    if (status == PAL_OK) {
        status = pal_domain_find_shifted(edit->mesh, &edit->labels, edit->now.current, shift,
                                         selected, err);
    }
    step s = {0};
    if (status == PAL_OK) {
        status = begin(edit, &s, err);
    }
    if (status == PAL_OK) {
        append(&s, name);
        status = label_copy(edit, selected, &s, label, why, err);
    }
    if (status == PAL_OK) {
        status = relabel(edit, &s, label, err);
        label = NULL;
    } else {
        free_step(&s);
    }
    free(selected);
    free(label);
    return status;
}
