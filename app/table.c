#include "app/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "app/style.h"
#include "sim/base/visible.h"

enum { FACT_COLUMN = 18 };

// Characters, not bytes, of UTF-8 text.
static int width(const char *text) {
    int count = 0;
    for (; *text != '\0'; text++) {
        count += ((unsigned char)*text & 0xC0) != 0x80;
    }
    return count;
}

static char *next_cell(pal_table *table) {
    if (table->count == table->room) {
        size_t room = table->room == 0 ? 64 : 2 * table->room;
        void *grown = realloc(table->cell, room * sizeof table->cell[0]);
        if (grown == NULL) {
            table->short_of_memory = true;
            return NULL;
        }
        table->cell = grown;
        table->room = room;
    }
    return table->cell[table->count++];
}

void pal_table_start(pal_table *table, const char *headings) {
    memset(table, 0, sizeof *table);
    for (const char *at = headings; table->columns < PAL_TABLE_COLUMNS;) {
        int length = (int)strcspn(at, "|");
        bool right = *at == '>';
        table->right[table->columns++] = right;
        table->headed = table->headed || length > right;
        pal_table_cell(table, "%.*s", length - right, at + right);
        if (at[length] == '\0') {
            break;
        }
        at += length + 1;
    }
}

void pal_table_cell(pal_table *table, const char *format, ...) {
    char *cell = next_cell(table);
    if (cell != NULL) {
        va_list args;
        va_start(args, format);
        char text[PAL_TABLE_CELL];
        vsnprintf(text, sizeof text, format, args);
        va_end(args);
        pal_visible_copy(text, cell, PAL_TABLE_CELL); // a name with a newline stays in its row
    }
}

static void print_row(const pal_table *table, size_t first, const int *widths, FILE *out) {
    // Blanks are owed, and paid only when something follows: no line ends in blanks.
    int owed = 2;
    for (int c = 0; c < table->columns && first + (size_t)c < table->count; c++) {
        const char *text = table->cell[first + (size_t)c];
        int pad = widths[c] - width(text);
        if (text[0] != '\0') {
            fprintf(out, "%*s%s", owed + (table->right[c] ? pad : 0), "", text);
            owed = table->right[c] ? 2 : pad + 2;
        } else {
            owed += pad + 2;
        }
    }
    fputc('\n', out);
}

void pal_table_print(pal_table *table, FILE *out) {
    int widths[PAL_TABLE_COLUMNS] = {0};
    size_t columns = (size_t)table->columns;
    for (size_t i = 0; i < table->count; i++) {
        int w = width(table->cell[i]);
        widths[i % columns] = w > widths[i % columns] ? w : widths[i % columns];
    }
    if (table->headed) {
        fputs(pal_style_bold(out), out);
        print_row(table, 0, widths, out);
        fputs(pal_style_plain(out), out);
    }
    for (size_t i = columns; i < table->count; i += columns) {
        print_row(table, i, widths, out);
    }
    if (table->short_of_memory) {
        fprintf(out, "  (out of memory: the rest of this table is missing)\n");
    }
    pal_table_drop(table);
}

void pal_table_drop(pal_table *table) {
    free(table->cell);
    memset(table, 0, sizeof *table);
}

void pal_table_fact(FILE *out, const char *name, const char *format, ...) {
    fprintf(out, "  %s%-*s%s", pal_style_dim(out), FACT_COLUMN, name, pal_style_plain(out));
    va_list args;
    va_start(args, format);
    vfprintf(out, format, args);
    va_end(args);
    fputc('\n', out);
}
