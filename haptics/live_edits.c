// Edits of materials in a run as text, for traces.
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "haptics/material_desk.h"
#include "sim/base/memory.h"

enum { NUMBERS = 5, LINE = PAL_REGION_NAME + 256 };
static const char *const names[NUMBERS] = {"young", "poisson", "density", "mass_damping",
                                           "stiffness_damping"};

static void numbers_of(const pal_live_edit *edit, double number[NUMBERS]) {
    const double all[NUMBERS] = {edit->to.young, edit->to.poisson, edit->to.density, edit->alpha,
                                 edit->beta};
    memcpy(number, all, sizeof all);
}

char *pal_live_edits_print(const pal_model *model, const pal_live_edit *edit, int count,
                           pal_err *err) {
    char *text = PAL_NEW(char, (size_t)count *LINE + 1, err);
    size_t used = 0;
    for (int i = 0; text != NULL && i < count; i++) {
        double number[NUMBERS];
        numbers_of(&edit[i], number);
        used += (size_t)snprintf(text + used, LINE, "%" PRIu64 ":%s:", edit[i].tick,
                                 model->region[edit[i].region].name);
        for (int k = 0; k < NUMBERS; k++) {
            used += (size_t)snprintf(text + used, LINE, "%s%s=%.17g", k > 0 ? "," : "", names[k],
                                     number[k]);
        }
        text[used++] = '\n';
    }
    return text;
}

// "young=..,poisson=..", all five in their order.
static bool read_numbers(const char *text, double number[NUMBERS]) {
    for (int k = 0; k < NUMBERS; k++) {
        const size_t length = strlen(names[k]);
        char *end;
        if (strncmp(text, names[k], length) != 0 || text[length] != '=') {
            return false;
        }
        number[k] = strtod(text + length + 1, &end);
        if (end == text + length + 1 || !isfinite(number[k]) ||
            *end != (k + 1 < NUMBERS ? ',' : '\0')) {
            return false;
        }
        text = end + 1;
    }
    return true;
}

// One line, which is cut into pieces; the region's name may hold colons.
static bool read_line(const pal_model *model, char *line, pal_live_edit *edit) {
    char *name = strchr(line, ':'), *rest = strrchr(line, ':'), *end;
    double number[NUMBERS];
    if (name == NULL || rest == name || !isdigit((unsigned char)line[0])) {
        return false;
    }
    *name++ = *rest++ = '\0';
    edit->tick = strtoull(line, &end, 10);
    edit->region = pal_model_find_region(model, name, NULL);
    if (*end != '\0' || edit->region < 0 || !read_numbers(rest, number)) {
        return false;
    }
    edit->to = (pal_material){number[0], number[1], number[2]};
    edit->alpha = number[3];
    edit->beta = number[4];
    return pal_material_check(&edit->to, name, NULL) == PAL_OK && edit->alpha >= 0.0 &&
           edit->beta >= 0.0;
}

pal_status pal_live_edits_parse(const pal_model *model, const char *text, const char *source,
                                pal_live_edit **edit, int *count, pal_err *err) {
    int lines = 0;
    for (const char *c = text; *c != '\0'; c++) {
        lines += *c == '\n';
    }
    *count = 0;
    *edit = PAL_NEW(pal_live_edit, lines + 1, err);
    char *copy = *edit != NULL ? pal_copy_text(text, err) : NULL;
    if (copy == NULL) {
        free(*edit);
        *edit = NULL;
        return PAL_ERR_MEMORY;
    }
    bool good = true;
    for (char *line = copy, *next; good && *line != '\0'; line = next) {
        const size_t length = strcspn(line, "\n");
        next = line + length + (line[length] != '\0');
        line[length] = '\0';
        good = read_line(model, line, *edit + *count) &&
               (*count == 0 || (*edit)[*count].tick >= (*edit)[*count - 1].tick);
        *count += good;
    }
    free(copy);
    if (!good) {
        free(*edit);
        *edit = NULL;
        return pal_fail(err, PAL_ERR_INPUT, "%s: edit %d of its materials cannot be read", source,
                        *count + 1);
    }
    return PAL_OK;
}
