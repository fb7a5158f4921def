// Points spread over a surface at rest, and which are near which. Private to shell_build.c.
#ifndef PAL_CONTACT_SHELL_SAMPLE_H
#define PAL_CONTACT_SHELL_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/base/status.h"
#include "sim/contact/shell.h"

// Points whose normals differ by more than this (cosine) stand for different parts of the surface,
// however near they are: the sides of a sheet, the faces of an edge, the way round a wire.
#define PAL_SHELL_ALIKE 0.5

// Points in cells of space, in the order added.
typedef struct pal_shell_grid {
    double size; // of a cell, m
    int32_t mask, room;
    int32_t *head; // [mask + 1] the last point of each bucket, -1
    int32_t *next; // [room]
} pal_shell_grid;

pal_status pal_shell_grid_open(pal_shell_grid *grid, int32_t room, pal_err *err);
void pal_shell_grid_clear(pal_shell_grid *grid, double size);
void pal_shell_grid_add(pal_shell_grid *grid, const double x[3], int32_t index);
void pal_shell_grid_close(pal_shell_grid *grid);

// visit(context, index) for the points of all cells up to `rings` away from x (some twice, and some
// that are farther); ends early when it returns false, and then returns false.
bool pal_shell_grid_visit(const pal_shell_grid *grid, const double x[3], int rings,
                          bool (*visit)(void *context, int32_t index), void *context);

// Places spread evenly by area over the surface, in random order: any first part of them is spread
// evenly too.
typedef struct pal_shell_crowd {
    double area; // m^2 of the surface
    int32_t count;
    pal_shell_point *place; // [count]; no parents
} pal_shell_crowd;

double pal_shell_surface_area(const pal_body *body);
pal_status pal_shell_crowd_make(const pal_body *body, int32_t count, pal_shell_crowd *crowd,
                                pal_err *err);
void pal_shell_crowd_free(pal_shell_crowd *crowd);

#endif
