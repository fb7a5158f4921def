// The head-up display: instruments over the picture of a run. Force and energy over the last
// seconds, the times of the ticks beside the millisecond that they have, rates, contacts, and what
// safety did; a list of all keys; a line for messages. It only looks at snapshots. Main thread, an
// overlay begun.
#ifndef PAL_RENDER_HUD_H
#define PAL_RENDER_HUD_H

#include "haptics/snapshot.h"
#include "render/gl_overlay.h"
#include "render/layout.h"

enum {
    PAL_HUD_SLOT = 16,   // ticks that share a place in the diagrams
    PAL_HUD_SLOTS = 512, // some 8 s
};

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

// What a layout has to know of the instruments, and of the help at its place (ui_keys.h).
void pal_hud_wish(const pal_snapshot *shot, pal_layout_wish *wish);
void pal_hud_wish_help(const pal_overlay *overlay, unsigned where, pal_layout_wish *wish);

// The instruments that the layout has room for.
void pal_hud_draw(const pal_hud *hud, pal_overlay *overlay, const pal_snapshot *shot,
                  const pal_hud_words *words, const pal_layout *layout);

// Name, state of time and whether it is filmed: also without the instruments.
void pal_hud_draw_title(pal_overlay *overlay, const pal_snapshot *shot, const pal_hud_words *words,
                        const pal_layout *layout);

// A message over the foot, in as many lines as it needs and has room for; NULL: none.
void pal_hud_draw_message(pal_overlay *overlay, const pal_layout *layout, const char *message,
                          bool alarming);

// A line at the foot that stays.
void pal_hud_draw_status(pal_overlay *overlay, const pal_layout *layout, const char *text);

// A page, from 0, of the keys of this place.
void pal_hud_draw_help(pal_overlay *overlay, const pal_layout *layout, unsigned where, int page);

// The force of the trainer's view as a bar: its share of the largest one that the device makes.
// alarming: it is taken away.
void pal_hud_draw_force_bar(pal_overlay *overlay, const pal_layout *layout, double share,
                            bool alarming);

#endif
