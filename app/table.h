// Aligned tables on a stream.
//
//     pal_table table;
//     pal_table_start(&table, "mode|>frequency [Hz]");   // > : numbers, aligned to the right
//     pal_table_cell(&table, "%d", 1);
//     pal_table_cell(&table, "%.4g", 12.5);
//     pal_table_print(&table, stdout);                   // prints and empties it
#ifndef PAL_APP_TABLE_H
#define PAL_APP_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/base/status.h"

enum { PAL_TABLE_COLUMNS = 16, PAL_TABLE_CELL = 160 };

typedef struct pal_table {
    int columns;
    bool right[PAL_TABLE_COLUMNS];
    bool headed; // false when every heading is empty: a plain list
    bool short_of_memory;
    size_t count, room;           // cells
    char (*cell)[PAL_TABLE_CELL]; // [room], row by row, the headings first
} pal_table;

void pal_table_start(pal_table *table, const char *headings);

// Appends the next cell, row by row. A cell is cut at PAL_TABLE_CELL bytes.
void pal_table_cell(pal_table *table, const char *format, ...) PAL_PRINTF(2, 3);

// Prints the table, indented by two, and frees it. A table that ran out of memory says so in a last
// line.
void pal_table_print(pal_table *table, FILE *out);

// Frees the table without printing it.
void pal_table_drop(pal_table *table);

// One line "  name   value" of a list, in columns that line up between calls.
void pal_table_fact(FILE *out, const char *name, const char *format, ...) PAL_PRINTF(3, 4);

#endif
