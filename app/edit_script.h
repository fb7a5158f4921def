// Commands of `palpate edit`, one a line: what a script says and what the window does with a key.
#ifndef PAL_APP_EDIT_SCRIPT_H
#define PAL_APP_EDIT_SCRIPT_H

#include "app/domain_cut.h"
#include "scenes/domain_edit.h"

enum { PAL_EDIT_PATH = 4096 };

typedef struct pal_editing {
    pal_domain_cut *cut;
    pal_domain_edit *edit;
    uint8_t *selected;            // [element_count] scratch
    int32_t moved;                // elements that the last command moved
    char note[PAL_EDIT_WHY + 96]; // of the last copy: why it has a class of its own, or ""
    int32_t saved_at;             // steps when it was saved last, -1: not yet
    char saved[PAL_EDIT_PATH];    // where to, "" if not yet
} pal_editing;

// The cut is borrowed, with a whole mesh.
pal_status pal_editing_open(pal_editing *editing, pal_domain_cut *cut, pal_err *err);
void pal_editing_close(pal_editing *editing);

// One command.
pal_status pal_editing_do(pal_editing *editing, const char *command, pal_err *err);

// A copy as by the command; `note` says so where it cannot share the class.
pal_status pal_editing_copy(pal_editing *editing, const char *name, const double shift[3],
                            pal_err *err);

// Saves to a list of domains, or to a scene (.yaml, with its list beside it).
pal_status pal_editing_save(pal_editing *editing, const char *path, pal_err *err);

// All lines of a script; errors name the line.
pal_status pal_editing_play(pal_editing *editing, const char *path, pal_err *err);

// What commands there are, for the help.
void pal_editing_help(FILE *out);

#endif
