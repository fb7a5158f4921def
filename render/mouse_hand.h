// The mouse as a hand: from the cursor, the wheel and the buttons, as the camera sees the scene, to
// where the stylus should be. A small machine that is stepped once a frame; it draws nothing and
// sends nothing: the window posts `wish` to the device's mailbox.
//
//     drag     the stylus goes with the cursor in the plane through it that faces the camera
//     wheel    along the line of sight, away from the eye and nearer
//     turn     the cursor turns the stylus about the view's vertical and horizontal
//     pull     [BJ05 6.3] the stylus goes to the surface point under the cursor, takes hold of it
//              (the stylus button, tool.h: grasp) and goes with the cursor, so that the tool's
//              spring pulls at the body; let go with the button
//
// For a pull the stylus first goes to a place above the point, so that it comes down on it, and the
// button goes down when the tool is there. What the cursor did meanwhile is made up for then. A
// point that is not reached within two seconds (the body is in the way) is given up.
#ifndef PAL_RENDER_MOUSE_HAND_H
#define PAL_RENDER_MOUSE_HAND_H

#include "render/camera.h"
#include "sim/base/wish.h"
#include "sim/mesh/pick.h"

typedef struct pal_mouse_input { // of this frame
    double x, y;                 // pixels, the cursor
    double wheel;                // notches since the last frame; positive: away from the person
    bool drag, turn, pull;       // which of them the buttons and keys ask for; the last wins
    bool button;                 // the stylus button, by a key of its own
} pal_mouse_input;

typedef struct pal_mouse_view { // what the person sees
    const pal_camera *camera;
    const pal_surface *surface; // NULL: nothing to pull at
    const double *x;            // [vertex_count][3] its vertices now; NULL: as the surface has them
    double tool[3];             // m, where the tool is (of the last snapshot)
    double reach;               // m from the tool's origin to its surface (shape.bound)
    double notch;               // m a notch of the wheel
    double dt;                  // s since the last frame
} pal_mouse_view;

typedef enum pal_mouse_mode {
    PAL_MOUSE_IDLE,
    PAL_MOUSE_DRAG,
    PAL_MOUSE_TURN,
    PAL_MOUSE_ABOVE, // a pull: on the way to above the point,
    PAL_MOUSE_DOWN,  // down on it,
    PAL_MOUSE_HOLD,  // holding it,
    PAL_MOUSE_MISS,  // or there was nothing, until the button is up
} pal_mouse_mode;

typedef struct pal_mouse_hand {
    pal_wish wish; // the outcome
    pal_mouse_mode mode;
    double grip[2];  // pixels from the cursor to the stylus on the screen
    double last[2];  // pixels, the cursor of the frame before
    pal_pick picked; // of a pull
    double reaching; // s, since it was picked
} pal_mouse_hand;

void pal_mouse_hand_init(pal_mouse_hand *hand, const pal_pose *at);
void pal_mouse_hand_step(pal_mouse_hand *hand, const pal_mouse_input *input,
                         const pal_mouse_view *view);

// The point at the pixel (x, y) in the plane through `through` that faces the camera; false: the
// plane is not in front of it. And how far `x` is in front of the camera, along its axis, m.
bool pal_view_plane_point(const pal_camera *camera, const double through[3], double x, double y,
                          double out[3]);
double pal_view_depth(const pal_camera *camera, const double x[3]);

#endif
