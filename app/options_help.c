// The text of --help, made from the same tables that the parser uses.
#include <math.h>
#include <string.h>

#include "app/options.h"
#include "app/style.h"

enum { WIDTH = 92, INDENT = 2, HELP_COLUMN = 28 };

// Prints words from column `at` on, broken at WIDTH; further lines begin at `indent`.
static void wrap(FILE *out, const char *text, int at, int indent) {
    bool first = true;
    for (const char *word = text; *word != '\0';) {
        int length = (int)strcspn(word, " \n");
        if (!first && at + 1 + length > WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
            first = true;
        }
        at += fprintf(out, "%s%.*s", first ? "" : " ", length, word);
        first = false;
        word += length;
        // A newline in the text begins a new line.
        for (; *word == ' ' || *word == '\n'; word++) {
            if (*word == '\n') {
                fprintf(out, "\n%*s", indent, "");
                at = indent;
                first = true;
            }
        }
    }
    fputc('\n', out);
}

void pal_options_heading(FILE *out, const char *title) {
    fprintf(out, "\n%s%s%s\n", pal_style_bold(out), title, pal_style_plain(out));
}

void pal_options_entry(FILE *out, const char *name, const char *text) {
    int at = fprintf(out, "%*s%s", INDENT, "", name);
    if (at + 2 > HELP_COLUMN) {
        fputc('\n', out);
        at = 0;
    }
    fprintf(out, "%*s", HELP_COLUMN - at, "");
    wrap(out, text, HELP_COLUMN, HELP_COLUMN);
}

static void show_option(FILE *out, const pal_option *o) {
    char name[96], help[1024];
    char letter[8] = "";
    if (o->letter != 0) {
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    }
    snprintf(name, sizeof name, "%s%s%s%s", letter, o->name, o->argument != NULL ? " " : "",
             o->argument != NULL ? o->argument : "");
    snprintf(help, sizeof help, "%s%s%s%s%s", o->help, o->repeatable ? " (repeatable)" : "",
             o->fallback != NULL ? " (default " : "", o->fallback != NULL ? o->fallback : "",
             o->fallback != NULL ? ")" : "");
    pal_options_entry(out, name, help);
}

void pal_options_help(const pal_usage *usage, FILE *out) {
    const char *bold = pal_style_bold(out), *plain = pal_style_plain(out);
    fprintf(out, "%spalpate %s%s - %s\n\n", bold, usage->command, plain, usage->summary);
    fprintf(out, "%sUsage%s\n  %s %s%s%s [options]\n", bold, plain, pal_style_program(),
            usage->command, usage->operands[0] != '\0' ? " " : "", usage->operands);
    if (usage->about != NULL) {
        fprintf(out, "\n%*s", INDENT, "");
        wrap(out, usage->about, INDENT, INDENT);
    }
    for (int g = 0; g < PAL_MAX_GROUPS && usage->group[g].options != NULL; g++) {
        pal_options_heading(out, usage->group[g].title);
        for (const pal_option *o = usage->group[g].options; o->name != NULL; o++) {
            show_option(out, o);
        }
    }
    if (usage->more != NULL) {
        usage->more(out);
    }
    pal_options_heading(out, "Examples");
    pal_style_commands(out, usage->examples);
}
