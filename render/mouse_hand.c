#include "render/mouse_hand.h"

#include <math.h>
#include <string.h>

#include "sim/base/vec3.h"

static const double turn_a_pixel = 0.01; // rad
static const double patience = 2.0;      // s, to reach a point
static const double above = 3.0;         // tool sizes over the surface
static const double arrived = 0.5;       // tool sizes from there
static const double grasp = 1.3;         // tool sizes from the point: the tool can take hold
static const double nearest = 0.01;      // m in front of the eye

double pal_view_depth(const pal_camera *camera, const double x[3]) {
    double d[3];
    pal_sub3(camera->eye, x, d);
    return pal_dot3(d, camera->back);
}

bool pal_view_plane_point(const pal_camera *camera, const double through[3], double x, double y,
                          double out[3]) {
    const double depth = pal_view_depth(camera, through);
    double ray[3];
    pal_camera_ray(camera, x, y, ray); // of length 1 along the axis
    for (int c = 0; c < 3; c++) {
        out[c] = camera->eye[c] + depth * ray[c];
    }
    return depth > 0.0 && isfinite(out[0] + out[1] + out[2]);
}

void pal_mouse_hand_init(pal_mouse_hand *hand, const pal_pose *at) {
    *hand = (pal_mouse_hand){.wish = {.pose = *at}};
}

// ---- single motions

// Where the stylus is on the screen, from the cursor.
static void take_grip(pal_mouse_hand *hand, const pal_mouse_input *in, const pal_camera *camera,
                      const double x[3]) {
    double screen[3];
    pal_camera_project(camera, x, screen);
    hand->grip[0] = screen[0] - in->x;
    hand->grip[1] = screen[1] - in->y;
}

static void drag(pal_mouse_hand *hand, const pal_mouse_input *in, const pal_camera *camera) {
    double to[3];
    if (pal_view_plane_point(camera, hand->wish.pose.x, in->x + hand->grip[0],
                             in->y + hand->grip[1], to)) {
        memcpy(hand->wish.pose.x, to, sizeof to);
    }
}

// Along the line of sight, so that its place on the screen stays; not through the eye.
static void roll(pal_mouse_hand *hand, const pal_mouse_input *in, const pal_mouse_view *view) {
    double sight[3];
    pal_sub3(hand->wish.pose.x, view->camera->eye, sight);
    const double distance = pal_norm3(sight), step = view->notch * in->wheel;
    if (distance > 0.0 && isfinite(step)) {
        const double scale = fmax(nearest, distance + step) / distance;
        for (int c = 0; c < 3; c++) {
            hand->wish.pose.x[c] = view->camera->eye[c] + scale * sight[c];
        }
    }
}

static void turn(pal_mouse_hand *hand, const pal_mouse_input *in, const pal_camera *camera) {
    const double dx = turn_a_pixel * (in->x - hand->last[0]);
    const double dy = turn_a_pixel * (in->y - hand->last[1]);
    double by[3];
    for (int c = 0; c < 3; c++) {
        by[c] = dx * camera->up[c] + dy * camera->right[c];
    }
    pal_pose_move(&hand->wish.pose, (double[3]){0.0, 0.0, 0.0}, by);
}

// ---- a pull

static void pick(pal_mouse_hand *hand, const pal_mouse_input *in, const pal_mouse_view *view) {
    double ray[3];
    pal_camera_ray(view->camera, in->x, in->y, ray);
    const bool hit =
        view->surface != NULL &&
        pal_pick_surface(view->surface, view->x, view->camera->eye, ray, &hand->picked);
    hand->mode = hit ? PAL_MOUSE_ABOVE : PAL_MOUSE_MISS;
    hand->reaching = 0.0;
}

// Over the picked point, by so many tool sizes.
static void place_over(const pal_mouse_hand *hand, double sizes, double reach, double out[3]) {
    for (int c = 0; c < 3; c++) {
        out[c] = hand->picked.point[c] + sizes * reach * hand->picked.normal[c];
    }
}

static double distance(const double a[3], const double b[3]) {
    double d[3];
    pal_sub3(a, b, d);
    return pal_norm3(d);
}

static void reach_for(pal_mouse_hand *hand, const pal_mouse_view *view) {
    double to[3], start[3], foot[3];
    hand->reaching += view->dt;
    pal_pick_follow(view->surface, view->x, &hand->picked); // the body moves on
    place_over(hand, above, view->reach, start);
    place_over(hand, 1.0, view->reach, foot);
    if (hand->mode == PAL_MOUSE_ABOVE && distance(view->tool, start) < arrived * view->reach) {
        hand->mode = PAL_MOUSE_DOWN;
    }
    memcpy(to, hand->mode == PAL_MOUSE_ABOVE ? start : foot, sizeof to);
    memcpy(hand->wish.pose.x, to, sizeof to);
    if (hand->mode == PAL_MOUSE_DOWN &&
        distance(view->tool, hand->picked.point) < grasp * view->reach) {
        // From here on the stylus is where the cursor is, as the point was when it was picked
        double point[3], tool[3];
        pal_camera_project(view->camera, hand->picked.point, point);
        pal_camera_project(view->camera, foot, tool);
        hand->grip[0] = tool[0] - point[0];
        hand->grip[1] = tool[1] - point[1];
        hand->mode = PAL_MOUSE_HOLD;
    } else if (hand->reaching > patience) {
        hand->mode = PAL_MOUSE_MISS;
        memcpy(hand->wish.pose.x, view->tool, sizeof view->tool);
    }
}

// ---- the machine

static bool is_pulling(pal_mouse_mode mode) {
    return mode == PAL_MOUSE_ABOVE || mode == PAL_MOUSE_DOWN || mode == PAL_MOUSE_HOLD ||
           mode == PAL_MOUSE_MISS;
}

// What the buttons ask for now, when that is something new.
static void change_mode(pal_mouse_hand *hand, const pal_mouse_input *in,
                        const pal_mouse_view *view) {
    const pal_mouse_mode wanted = in->turn   ? PAL_MOUSE_TURN
                                  : in->drag ? PAL_MOUSE_DRAG
                                             : PAL_MOUSE_IDLE;
    if (in->pull) {
        if (!is_pulling(hand->mode)) {
            pick(hand, in, view);
        }
    } else if (hand->mode != wanted) {
        hand->mode = wanted;
        take_grip(hand, in, view->camera, hand->wish.pose.x);
        memcpy(hand->last, (double[2]){in->x, in->y}, sizeof hand->last);
    }
}

void pal_mouse_hand_step(pal_mouse_hand *hand, const pal_mouse_input *in,
                         const pal_mouse_view *view) {
    change_mode(hand, in, view);
    switch (hand->mode) {
    case PAL_MOUSE_DRAG:
    case PAL_MOUSE_HOLD:
        drag(hand, in, view->camera);
        break;
    case PAL_MOUSE_TURN:
        turn(hand, in, view->camera);
        break;
    case PAL_MOUSE_ABOVE:
    case PAL_MOUSE_DOWN:
        reach_for(hand, view);
        break;
    case PAL_MOUSE_IDLE:
    case PAL_MOUSE_MISS:
        break;
    }
    if (in->wheel != 0.0 && hand->mode != PAL_MOUSE_ABOVE && hand->mode != PAL_MOUSE_DOWN) {
        roll(hand, in, view);
    }
    memcpy(hand->last, (double[2]){in->x, in->y}, sizeof hand->last);
    hand->wish.buttons = hand->mode == PAL_MOUSE_HOLD || in->button ? 1u : 0u;
}
