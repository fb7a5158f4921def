// One table-driven option parser for all commands. A table says what an option is called, what it
// takes, within which bounds, and its default; from it come the parsing, the checks, the error
// messages and the text of --help, so that they cannot disagree.
#ifndef PAL_APP_OPTIONS_H
#define PAL_APP_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/base/status.h"

typedef enum pal_option_kind {
    PAL_OPTION_FLAG,   // takes nothing
    PAL_OPTION_TEXT,   // as it stands
    PAL_OPTION_NUMBER, // a finite plain number
    PAL_OPTION_COUNT,  // a whole number
    PAL_OPTION_VECTOR, // three finite numbers "x,y,z"
    PAL_OPTION_CHOICE, // one of the words in `argument`, "consistent|lumped"
} pal_option_kind;

typedef struct pal_option {
    const char *name; // "--young"; a table ends where this is NULL
    char letter;      // 'o' when -o means the same, else 0
    pal_option_kind kind;
    bool repeatable;
    const char *argument; // what it takes, as shown in the help: "E", "SEL"
    const char *fallback; // the default, written as the user would; NULL: none
    double min, max;      // bounds of a number or count; both 0: unbounded
    bool open;            // the bounds themselves are excluded
    const char *help;     // what it does, with the unit
} pal_option;

typedef struct pal_option_group {
    const char *title; // "Material"
    const pal_option *options;
} pal_option_group;

enum { PAL_MAX_GROUPS = 6, PAL_MAX_OPTIONS = 48, PAL_MAX_REPEATS = 64, PAL_MAX_OPERANDS = 4 };

// How a command is called. All texts are constants.
typedef struct pal_usage {
    const char *command;                    // "modes"
    const char *summary;                    // one line without a full stop
    const char *operands;                   // "MESH|SCENE", "" when there are none
    int min_operands;                       //
    int max_operands;                       // at most PAL_MAX_OPERANDS
    const char *about;                      // a paragraph or two, NULL: none
    const char *examples;                   // one per line, each beginning with "palpate "
    pal_option_group group[PAL_MAX_GROUPS]; // up to the first without options
    void (*more)(FILE *out);                // what else the help says, by pal_options_entry; NULL
} pal_usage;

typedef struct pal_option_value {
    const pal_option *option;
    int count; // how often it was given; the default counts as 0
    const char *text[PAL_MAX_REPEATS];
    double number[3];
    int choice; // place among the choices, -1: not given
} pal_option_value;

typedef struct pal_args {
    const pal_usage *usage;
    bool help; // --help was asked for: nothing else was checked
    int operand_count;
    const char *operand[PAL_MAX_OPERANDS];
    int value_count;
    pal_option_value value[PAL_MAX_OPTIONS];
} pal_args;

// argv without the program and command names. Texts are borrowed from argv and from the tables.
// Every error is PAL_ERR_USAGE and names the option, and the nearest one where it is unknown.
pal_status pal_options_parse(const pal_usage *usage, int argc, const char *const *argv,
                             pal_args *args, pal_err *err);

// What an option was given, or its default. The name must be in the tables (else the program
// aborts). A number without a value is NAN, a text NULL, a choice -1, a count 0.
bool pal_args_given(const pal_args *args, const char *name);
bool pal_args_flag(const pal_args *args, const char *name);
const char *pal_args_text(const pal_args *args, const char *name);
double pal_args_number(const pal_args *args, const char *name);
int pal_args_count(const pal_args *args, const char *name);
int pal_args_choice(const pal_args *args, const char *name);
const double *pal_args_vector(const pal_args *args, const char *name); // [3]

// All texts of a repeatable option, in the order given.
const char *const *pal_args_list(const pal_args *args, const char *name, int *count);

// The text of --help.
void pal_options_help(const pal_usage *usage, FILE *out);

// A heading of the help, and an entry under it: a name and what is said of it, wrapped.
void pal_options_heading(FILE *out, const char *title);
void pal_options_entry(FILE *out, const char *name, const char *text);

// Numbers as the parser reads them, for texts that hold more than one thing. `what` names the
// number in the message ("--young", "the force in --load '...'").
pal_status pal_parse_number(const char *text, const char *what, double *value, pal_err *err);
pal_status pal_parse_vector(const char *text, const char *what, double value[3], pal_err *err);

#endif
