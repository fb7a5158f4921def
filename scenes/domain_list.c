#include "scenes/domain_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/lines.h"
#include "sim/base/memory.h"
#include "sim/mesh/select.h"

void pal_domain_labels_free(pal_domain_labels *labels) {
    free(labels->name);
    free(labels->label);
    free(labels->like);
    memset(labels, 0, sizeof *labels);
}

pal_status pal_domain_labels_begin(pal_domain_labels *labels, const pal_volmesh *mesh, int32_t most,
                                   pal_err *err) {
    *labels = (pal_domain_labels){
        .name = pal_alloc((size_t)most, sizeof *labels->name, err),
        .label = PAL_NEW(int32_t, mesh->element_count, err),
        .like = PAL_NEW(int32_t, most, err),
    };
    if (labels->name == NULL || labels->label == NULL || labels->like == NULL) {
        pal_domain_labels_free(labels);
        return PAL_ERR_MEMORY;
    }
    for (int32_t e = 0; e < mesh->element_count; e++) {
        labels->label[e] = -1;
    }
    return PAL_OK;
}

// "elements:0-99,120": numbers and ranges of them.
static pal_status take_ranges(const char *text, int32_t element_count, uint8_t *selected,
                              pal_err *err) {
    for (const char *at = text;;) {
        char *end;
        long first = strtol(at, &end, 10), last = first;
        bool ok = end != at;
        if (ok && *end == '-') {
            at = end + 1;
            last = strtol(at, &end, 10);
            ok = end != at;
        }
        if (!ok || (*end != ',' && *end != '\0') || first < 0 || last < first) {
            return pal_fail(err, PAL_ERR_INPUT,
                            "'%.40s' is no list of elements such as elements:0-99,120", text);
        }
        if (last >= element_count) {
            return pal_fail(err, PAL_ERR_INPUT, "there is no element %ld; there are %d", last,
                            (int)element_count);
        }
        memset(selected + first, 1, (size_t)(last - first + 1));
        if (*end == '\0') {
            return PAL_OK;
        }
        at = end + 1;
    }
}

static const char elements_word[] = "elements:";

pal_status pal_domain_select(const pal_volmesh *mesh, const char *selector, uint8_t *selected,
                             pal_err *err) {
    const size_t length = sizeof elements_word - 1;
    memset(selected, 0, (size_t)mesh->element_count);
    return strncmp(selector, elements_word, length) == 0
               ? take_ranges(selector + length, mesh->element_count, selected, err)
               : pal_select_elements(mesh, selector, selected, NULL, err);
}

static int32_t find_name(const pal_domain_labels *labels, const char *name) {
    for (int32_t d = 0; d < labels->count; d++) {
        if (strcmp(labels->name[d], name) == 0) {
            return d;
        }
    }
    return -1;
}

pal_status pal_domain_labels_add(pal_domain_labels *labels, const pal_volmesh *mesh,
                                 const char *name, const char *selector, pal_err *err) {
    uint8_t *selected = PAL_NEW(uint8_t, mesh->element_count, err);
    if (selected == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_status status = pal_domain_select(mesh, selector, selected, err);
    int32_t d = find_name(labels, name), count = 0;
    if (status == PAL_OK && d < 0) {
        d = labels->count;
        labels->like[d] = -1;
        snprintf(labels->name[d], sizeof labels->name[d], "%s", name);
        labels->count++;
    }
    for (int32_t e = 0; status == PAL_OK && e < mesh->element_count; e++) {
        count += selected[e];
        labels->label[e] = selected[e] ? d : labels->label[e];
    }
    if (status == PAL_OK && count == 0) {
        status = pal_select_nothing(mesh, PAL_ERR_INPUT, err,
                                    "no element is selected for the domain '%.100s'", name);
    }
    free(selected);
    return status;
}

pal_status pal_domain_labels_finish(pal_domain_labels *labels, const pal_volmesh *mesh,
                                    pal_err *err) {
    int32_t left = 0, first = -1;
    for (int32_t e = mesh->element_count - 1; e >= 0; e--) {
        left += labels->label[e] < 0;
        first = labels->label[e] < 0 ? e : first;
    }
    return left == 0 ? PAL_OK
                     : pal_fail(err, PAL_ERR_INPUT,
                                "%d of %d elements are in no domain, the first is element %d; let "
                                "the first domain take all, the others win over it (a file: is it "
                                "whole, and of this mesh?)",
                                (int)left, (int)mesh->element_count, (int)first);
}

// ---- classes

pal_status pal_domain_labels_join(pal_domain_labels *labels, int32_t d, const char *other,
                                  pal_err *err) {
    int32_t to = find_name(labels, other);
    if (to < 0) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "'%s' is to be like '%.80s', but no domain has this name", labels->name[d],
                        other);
    }
    to = labels->like[to] >= 0 ? labels->like[to] : to;
    if (to == d || labels->like[d] == to) {
        return pal_fail(err, PAL_ERR_INPUT, "'%s' and '%.80s' are of one class already",
                        labels->name[d], other);
    }
    const int32_t from = labels->like[d] >= 0 ? labels->like[d] : d;
    for (int32_t k = 0; k < labels->count; k++) {
        labels->like[k] = k == from || labels->like[k] == from ? to : labels->like[k];
    }
    return PAL_OK;
}

void pal_domain_labels_part(pal_domain_labels *labels, int32_t d) {
    int32_t next = -1; // takes the place of d
    for (int32_t k = 0; k < labels->count; k++) {
        if (labels->like[k] == d) {
            labels->like[k] = next;
            next = next < 0 ? k : next;
        }
    }
    labels->like[d] = -1;
}

int32_t pal_domain_labels_classes(const pal_domain_labels *labels, int32_t *class_of) {
    int32_t count = 0;
    for (int32_t d = 0; d < labels->count; d++) {
        class_of[d] = labels->like == NULL || labels->like[d] < 0 ? count++ : -1;
    }
    for (int32_t d = 0; d < labels->count; d++) {
        class_of[d] = class_of[d] < 0 ? class_of[labels->like[d]] : class_of[d];
    }
    return count;
}

// ---- the file

typedef struct list_file {
    enum { COUNT, LABEL, JOIN } does; // one after the other
    const pal_volmesh *mesh;
    pal_domain_labels *labels;
    int32_t lines;
} list_file;

// The name of another domain after "like"; NULL: it is none.
static const char *other_of(char *text) {
    static const char word[] = "like";
    char *at = pal_line_trim(text);
    return strncmp(at, word, sizeof word - 1) == 0 && (at[4] == ' ' || at[4] == '\t')
               ? pal_line_trim(at + sizeof word - 1)
               : NULL;
}

static pal_status take_domain(list_file *list, const char *name, const char *selector, char *rest,
                              pal_err *err) {
    const char *other = rest != NULL ? other_of(rest) : NULL;
    if (rest != NULL && (other == NULL || *other == '\0')) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "'%.80s' after the elements; only 'like' and the name of another domain "
                        "can stand there",
                        rest);
    }
    if (list->does == LABEL) {
        return pal_domain_labels_add(list->labels, list->mesh, name, selector, err);
    }
    return list->does == JOIN && other != NULL
               ? pal_domain_labels_join(list->labels, find_name(list->labels, name), other, err)
               : PAL_OK;
}

static pal_status take_line(void *context, const char *path, long number, char *line,
                            pal_err *err) {
    list_file *list = context;
    list->lines++;
    char *middle = strchr(line, ';');
    if (middle == NULL) {
        return pal_fail_at(err, PAL_ERR_INPUT, path, number,
                           "not a domain; write a name, ';' and a selector or elements, such as "
                           "'stem ; z<0.1' or 'stem ; elements:0-99,120'");
    }
    *middle = '\0';
    char *second = strchr(middle + 1, ';');
    if (second != NULL) {
        *second = '\0';
    }
    const char *name = pal_line_trim(line), *selector = pal_line_trim(middle + 1);
    if (name[0] == '\0' || strlen(name) >= PAL_DOMAIN_NAME) {
        return pal_fail_at(err, PAL_ERR_INPUT, path, number,
                           "a domain's name has 1 to %d characters", PAL_DOMAIN_NAME - 1);
    }
    pal_err inner;
    pal_status status =
        take_domain(list, name, selector, second != NULL ? second + 1 : NULL, &inner);
    if (status == PAL_OK) {
        return PAL_OK;
    }
    status = status == PAL_ERR_USAGE ? PAL_ERR_INPUT : status; // it is a file that is wrong
    return pal_fail_at(err, status, path, number, "%.900s", inner.text);
}

pal_status pal_domain_list_read(const char *path, const pal_volmesh *mesh,
                                pal_domain_labels *labels, pal_err *err) {
    memset(labels, 0, sizeof *labels);
    list_file list = {.does = COUNT, .mesh = mesh, .labels = labels};
    pal_status status = pal_lines_read(path, take_line, &list, err);
    if (status == PAL_OK && list.lines == 0) {
        status = pal_fail_at(err, PAL_ERR_INPUT, path, 0, "names no domain");
    }
    if (status == PAL_OK) {
        status = pal_domain_labels_begin(labels, mesh, list.lines, err);
    }
    for (list.does = LABEL; status == PAL_OK && list.does <= JOIN; list.does++) {
        status = pal_lines_read(path, take_line, &list, err);
    }
    if (status == PAL_OK) {
        pal_err inner;
        status = pal_domain_labels_finish(labels, mesh, &inner);
        status =
            status == PAL_OK ? PAL_OK : pal_fail_at(err, status, path, 0, "%.900s", inner.text);
    }
    if (status != PAL_OK) {
        pal_domain_labels_free(labels);
    }
    return status;
}

pal_status pal_domain_name_check(const char *name, pal_err *err) {
    const size_t length = strlen(name);
    const bool fits = length >= 1 && length < PAL_DOMAIN_NAME;
    const bool plain = fits && strpbrk(name, ";#\n\r") == NULL && name[0] != ' ' &&
                       name[0] != '\t' && name[length - 1] != ' ' && name[length - 1] != '\t';
    return plain ? PAL_OK
                 : pal_fail(err, PAL_ERR_INPUT,
                            "'%.80s' cannot name a domain: 1 to %d characters without ';' and '#', "
                            "and no blank at either end",
                            name, PAL_DOMAIN_NAME - 1);
}

// "stem ; elements:0-99,120 ; like root"; nothing where the domain has no element.
static void print_domain(FILE *out, const pal_volmesh *mesh, const pal_domain_labels *labels,
                         int32_t d) {
    bool any = false;
    for (int32_t e = 0; e < mesh->element_count; e++) {
        if (labels->label[e] != d) {
            continue;
        }
        int32_t last = e;
        while (last + 1 < mesh->element_count && labels->label[last + 1] == d) {
            last++;
        }
        if (any) {
            fputc(',', out);
        } else {
            fprintf(out, "%s ; %s", labels->name[d], elements_word);
        }
        if (last > e) {
            fprintf(out, "%d-%d", (int)e, (int)last);
        } else {
            fprintf(out, "%d", (int)e);
        }
        any = true;
        e = last;
    }
    if (any && labels->like != NULL && labels->like[d] >= 0) {
        fprintf(out, " ; like %s", labels->name[labels->like[d]]);
    }
    if (any) {
        fputc('\n', out);
    }
}

pal_status pal_domain_list_write(const char *path, const pal_volmesh *mesh,
                                 const pal_domain_labels *labels, pal_err *err) {
    char *text = NULL;
    size_t size = 0;
    pal_status status = PAL_OK;
    for (int32_t d = 0; status == PAL_OK && d < labels->count; d++) {
        status = pal_domain_name_check(labels->name[d], err);
    }
    FILE *out = status == PAL_OK ? open_memstream(&text, &size) : NULL;
    if (status == PAL_OK && out == NULL) {
        status = pal_fail(err, PAL_ERR_MEMORY, "out of memory for a list of domains: %s",
                          strerror(errno));
    }
    if (status == PAL_OK) {
        fprintf(out, "# domains of a mesh of %d elements\n", (int)mesh->element_count);
        for (int32_t d = 0; d < labels->count; d++) {
            print_domain(out, mesh, labels, d);
        }
        status = fclose(out) == 0
                     ? pal_file_write_atomic(path, text, size, err)
                     : pal_fail(err, PAL_ERR_MEMORY, "out of memory for a list of domains");
    }
    free(text);
    return status;
}
