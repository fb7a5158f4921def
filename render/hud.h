// The head-up display: instruments over the picture of a run. Force and energy over the last
// seconds, the times of the ticks beside the millisecond that they have, rates, contacts, and what
// safety did; a list of all keys; a line for messages. It only looks at snapshots. Main thread, an
// overlay begun.
#ifndef PAL_RENDER_HUD_H
#define PAL_RENDER_HUD_H

#include "haptics/snapshot.h"
#include "render/gl_overlay.h"

enum {
    PAL_HUD_SLOT = 16,   // ticks that share a place in the diagrams
    PAL_HUD_SLOTS = 512, // some 8 s
};

#define PAL_HUD_WIDTH 316.0 // points from the left edge that the instruments take

typedef struct pal_hud {
    uint64_t next; // tick that is not known yet
    bool begun;
    float low[PAL_SNAPSHOT_HANDS][PAL_HUD_SLOTS]; // N, least and largest force; NAN: not known
    float high[PAL_SNAPSHOT_HANDS][PAL_HUD_SLOTS];
    float strain[PAL_HUD_SLOTS], kinetic[PAL_HUD_SLOTS], ledger[PAL_HUD_SLOTS]; // J
} pal_hud;

typedef struct pal_hud_words { // what snapshots do not tell
    const char *scene, *device;
    const char *mode;     // who leads, what the mouse does
    double tick_rate;     // Hz, as seen
    double frame_rate;    // Hz
    double max_force;     // N, of the first hand's device
    const char *drawn_by; // "GPU", "CPU"
    bool recording;       //
} pal_hud_words;

void pal_hud_init(pal_hud *hud);
void pal_hud_feed(pal_hud *hud, const pal_snapshot *shot); // each new snapshot

// The instruments; those for which the window is not high enough are left out.
void pal_hud_draw(const pal_hud *hud, pal_overlay *overlay, const pal_snapshot *shot,
                  const pal_hud_words *words);

// Name, state of time and the message: also without the instruments.
void pal_hud_draw_title(pal_overlay *overlay, const pal_snapshot *shot, const pal_hud_words *words);

// A line at the foot for a message; NULL: how to get help.
void pal_hud_draw_message(pal_overlay *overlay, const char *message, bool alarming);

// All keys of this place (ui_keys.h).
void pal_hud_draw_help(pal_overlay *overlay, unsigned where);

#endif
