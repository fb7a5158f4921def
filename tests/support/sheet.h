// A thin sheet (60 x 60 x 2 mm, held at its rim) under a tool: for laws of not passing through.
#ifndef PAL_TESTS_SHEET_H
#define PAL_TESTS_SHEET_H

#include "haptics/live_body.h"

#define SHEET_SIDE  0.06
#define SHEET_THICK 0.002

typedef struct sheet {
    pal_live_body live;
    pal_world *world;
    pal_tool tool;
    double load[PAL_MAX_R];
} sheet;

// Bakes once per program; the model is shared. local: with local compliance.
const pal_model *sheet_model(bool local);

// The tool is a sphere (length 0) or a capsule of that radius; its device bears `stiffness`, N/m.
void sheet_open(sheet *sheet, const pal_model *model, double radius, double length,
                double stiffness);
void sheet_close(sheet *sheet);

// The sheet at rest, the tool wherever it is aimed next.
void sheet_reset(sheet *sheet);

// One tick with the hand at this pose.
pal_outcome sheet_go(sheet *sheet, const pal_pose *goal);

// On which side of the deformed sheet x is: 1 above, -1 below, 0 beside it; 2 inside.
int sheet_side(const sheet *sheet, const double x[3]);

#endif
