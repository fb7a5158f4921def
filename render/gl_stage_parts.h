// The inside of a stage, for gl_stage*.c.
#ifndef PAL_RENDER_GL_STAGE_PARTS_H
#define PAL_RENDER_GL_STAGE_PARTS_H

#include "render/gl_mesh.h"
#include "render/gl_stage.h"

enum { PAL_SOFT_SIDE = 256 }; // pixels a side of the ground's shadow

#define PAL_HANDLE_RADII 7.0 // length of a stylus's handle in radii of its ball

struct pal_stage {
    pal_stage_spec spec;
    pal_stage_shaders shaders;
    bool has_body;
    pal_gl_body body;
    double box[2][3];     // m, of the body at rest
    double reach;         // m, from the middle of that to its corner
    double floor;         // m, height of the ground: the lowest that the body has been
    double upright[3][3]; // rows: what the pictures show to the right, ahead and upwards

    pal_gl_mesh ball, arrow, handle, wall;
    pal_gl_mesh tool[PAL_SNAPSHOT_HANDS];
    double bound[PAL_SNAPSHOT_HANDS];          // m, no point of the tool is farther from its origin
    double tool_box[PAL_SNAPSHOT_HANDS][2][3]; // m, in its frame, with its handle

    unsigned colours; // texture of the colour map
    unsigned regions; // texture of their colours
    int32_t region_count;
    pal_rgb *region_colour; // [region_count]
    unsigned shadow_map, shadow_buffer;
    int32_t shadow_side;                  // pixels
    unsigned soft_map[2], soft_buffer[2]; // the shadow on the ground, and room to blur it
    unsigned line_array, line_buffer;     // a few lines
    unsigned held_array, held_buffer;     // vertices that are held
    int32_t held_count;
    bool has_held; // once they were looked at

    // Of the last picture
    pal_view view;
    pal_snapshot shot;
    pal_camera camera;
    int32_t width, height;
    double most, metre;
    double arrow_tip[PAL_SNAPSHOT_HANDS][3]; // m, where the forces' arrows end
    pal_stage_frame frame;
};

// Light, camera and shadow of a picture: fills stage->frame.
void pal_stage_set_frame(pal_stage *stage);

// The vertices that are held, for `view.fixed`.
void pal_stage_make_held(pal_stage *stage);

// The parts of a picture, in this order; what is behind comes where nothing is in front of it yet.
void pal_stage_draw_shadow(pal_stage *stage);
void pal_stage_begin_picture(pal_stage *stage);
void pal_stage_draw_backdrop(pal_stage *stage);
void pal_stage_draw_body(pal_stage *stage);
void pal_stage_draw_tools(pal_stage *stage);
void pal_stage_draw_marks(pal_stage *stage);

// A mesh with a pose and a size along each axis, in linear colours and with some gloss; alpha < 1:
// blended by the caller's leave.
typedef struct pal_paint {
    float colour[4];
    float gloss;
    bool tissue; // instead of a colour
} pal_paint;
void pal_stage_draw_mesh(const pal_stage *stage, const pal_gl_mesh *mesh, const pal_pose *pose,
                         const double size[3], const pal_paint *paint);

// Lines between pairs of places [count][2][3], `width` points wide.
void pal_stage_draw_lines(const pal_stage *stage, const float *x, int32_t count, double width,
                          const float colour[4]);

// Metres that a pixel is at a place.
double pal_stage_pixel(const pal_stage *stage, const double x[3]);

// How long the arrow of a force (N) is, pixels; 0: there is none.
double pal_stage_arrow(const pal_stage *stage, double force, double height, double scale);

// Whether a hand's ghost is apart enough from its tool to be seen.
bool pal_stage_shows_ghost(const pal_stage *stage, int32_t hand);

#endif
