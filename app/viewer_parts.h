// The inside of the window, for viewer*.c.
#ifndef PAL_APP_VIEWER_PARTS_H
#define PAL_APP_VIEWER_PARTS_H

#include "app/film_sink.h"
#include "app/viewer.h"
#include "app/window_files.h"
#include "render/gl_stage.h"
#include "render/hud.h"
#include "render/layout.h"
#include "render/mouse_hand.h"
#include "render/slider_panel.h"
#include "render/ui_input.h"

struct pal_viewer {
    pal_session *session;
    pal_viewer_options options;

    // What is drawn with
    pal_gl_context context;
    pal_gl_target target;
    pal_overlay *overlay;
    pal_stage *stage;
    pal_stage_spec spec;
    bool gone;          // the window is no more; the run may go on
    bool no_target;     // there is no room for a picture of this size
    int32_t refused[2]; // that size

    // What is seen
    pal_snapshot shot; // the newest
    pal_view view;
    pal_hud hud;
    double peak;       // of what is coloured, lately
    pal_layout layout; // of the picture of now
    bool fitted, shows_hud, shows_sliders;
    int help; // page of the keys that is shown, from 1; 0: none
    char message[300];
    double message_until; // s
    bool alarming;

    // What the person does
    pal_ui ui;
    pal_ui_input in, before;
    pal_slider_panel panel;
    int32_t region; // of the sliders
    bool end;       // the run is to end
    bool mouse;     // leads the stylus, not the camera
    bool led;       // somebody has taken the stylus
    bool pulls;     // at the surface
    pal_mouse_hand hand;
    double *places;   // [vertex_count][3] of the surface
    bool places_told; // the one under the mouse
    int slow;         // index of the slowness

    // Rates
    double now, frame_time; // s
    double rate_since, tick_rate, frame_rate;
    uint64_t rate_tick, rate_frames;

    pal_recorder recorder;

    struct {
        uint64_t frames;
        double since;
        int pulls, slider_moves, pictures, saves;
        char picture[PAL_WINDOW_PATH], saved[PAL_WINDOW_PATH], film[PAL_WINDOW_PATH];
        char place[96]; // the last one that was copied
        char renderer[128];
        bool lost;
    } facts;
};

// A line for the person, for a few seconds.
void pal_viewer_say(pal_viewer *viewer, bool alarming, const char *format, ...) PAL_PRINTF(3, 4);

// What is seen as a file, drawn as finely as can be, however quick the window is.
pal_status pal_viewer_shoot(pal_viewer *viewer, char path[PAL_WINDOW_PATH], pal_err *err);

// The keys of this frame.
void pal_viewer_act(pal_viewer *viewer);

// The mouse and the gamepad of this frame: sliders, camera, stylus.
void pal_viewer_move(pal_viewer *viewer, double dt);
void pal_viewer_lead(pal_viewer *viewer); // from here on somebody leads the stylus
void pal_viewer_sliders(const pal_viewer *viewer, pal_slider_look *look);
void pal_viewer_save_scene(pal_viewer *viewer);

// The place under the mouse (viewer_place.c): copies it, and from then on tells it in each frame.
void pal_viewer_copy_place(pal_viewer *viewer);
void pal_viewer_tell_place(pal_viewer *viewer);

// Where everything is over a picture of the target's size, with what is shown now.
void pal_viewer_lay_out(pal_viewer *viewer);

// The camera so that all is seen beside the instruments.
void pal_viewer_fit(pal_viewer *viewer);

#endif
