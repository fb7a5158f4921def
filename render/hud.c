#include "render/hud.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/hud_style.h"
#include "render/view.h"
#include "sim/base/vec3.h"

enum { LEFT = 12, WIDTH = 300, PAD = 10, GAP = 8 };   // points
static const double title_height = 74.0, foot = 70.0; // kept for the title and the scale bar

// ---- what was

void pal_hud_init(pal_hud *hud) {
    memset(hud, 0, sizeof *hud);
    for (int s = 0; s < PAL_HUD_SLOTS; s++) {
        for (int h = 0; h < PAL_SNAPSHOT_HANDS; h++) {
            hud->low[h][s] = hud->high[h][s] = NAN;
        }
        hud->strain[s] = hud->kinetic[s] = hud->ledger[s] = NAN;
    }
}

static void feed_forces(pal_hud *hud, const pal_snapshot *shot, uint64_t tick, bool first) {
    const int s = (int)(tick / PAL_HUD_SLOT % PAL_HUD_SLOTS);
    const bool known = shot->tick - tick < PAL_SNAPSHOT_RECENT;
    for (int32_t h = 0; h < shot->hand_count; h++) {
        const float force = known ? shot->hand[h].recent[tick % PAL_SNAPSHOT_RECENT] : NAN;
        if (first || tick % PAL_HUD_SLOT == 0) {
            hud->low[h][s] = hud->high[h][s] = force;
        } else {
            hud->low[h][s] = fminf(hud->low[h][s], force);
            hud->high[h][s] = fmaxf(hud->high[h][s], force);
        }
    }
}

void pal_hud_feed(pal_hud *hud, const pal_snapshot *shot) {
    const uint64_t most = (uint64_t)PAL_HUD_SLOT * PAL_HUD_SLOTS;
    uint64_t from = hud->begun ? hud->next : shot->tick;
    if (shot->tick + 1 <= from && hud->begun) {
        return;
    }
    from = shot->tick - from >= most ? shot->tick - most + 1 : from;
    double ledger = 0.0;
    for (int32_t h = 0; h < shot->hand_count; h++) {
        ledger += shot->hand[h].ledger;
    }
    for (uint64_t tick = from; tick <= shot->tick; tick++) {
        const int s = (int)(tick / PAL_HUD_SLOT % PAL_HUD_SLOTS);
        feed_forces(hud, shot, tick, !hud->begun);
        hud->begun = true;
        hud->strain[s] = (float)shot->strain;
        hud->kinetic[s] = (float)shot->kinetic;
        hud->ledger[s] = (float)ledger;
    }
    hud->next = shot->tick + 1;
}

// ---- diagrams over time

typedef struct frame {
    double x, y, width, height; // points
    double low, high;           // of the values
} frame;

// The slot of so many slots ago; -1: before the start.
static int slot_before(const pal_hud *hud, int ago) {
    const int64_t slot = (int64_t)((hud->next - 1) / PAL_HUD_SLOT) - ago;
    return slot < 0 ? -1 : (int)(slot % PAL_HUD_SLOTS);
}

// The oldest slot is being written over.
enum { SHOWN = PAL_HUD_SLOTS - 1 };

static void draw_curve(const pal_hud *hud, pal_overlay *o, const frame *f, const float *low,
                       const float *high, pal_rgba colour) {
    float point[2 * SHOWN][2];
    int32_t count = 0;
    for (int ago = SHOWN - 1; ago >= 0; ago--) {
        const int s = slot_before(hud, ago);
        const double x = f->x + f->width * (1.0 - (double)ago / (SHOWN - 1));
        const float value[2] = {s < 0 ? NAN : low[s], s < 0 ? NAN : high[s]};
        for (int k = 0; k < 2; k++) {
            if (k == 1 && value[1] == value[0]) {
                continue;
            }
            const double share = (value[k] - f->low) / (f->high - f->low);
            point[count][0] = (float)x;
            point[count][1] = (float)(f->y + f->height * (1.0 - fmin(fmax(share, 0.0), 1.0)));
            point[count][1] = isfinite(value[k]) ? point[count][1] : NAN;
            count++;
        }
    }
    pal_overlay_polyline(o, &point[0][0], count, 1.5, colour);
}

static double largest(const pal_hud *hud, const float *value, double at_least) {
    double most = at_least;
    for (int ago = 0; ago < SHOWN; ago++) {
        const int s = slot_before(hud, ago);
        most = s >= 0 && isfinite(value[s]) ? fmax(most, value[s]) : most;
    }
    return most;
}

static double smallest(const pal_hud *hud, const float *value) {
    double least = 0.0;
    for (int ago = 0; ago < SHOWN; ago++) {
        const int s = slot_before(hud, ago);
        least = s >= 0 && isfinite(value[s]) ? fmin(least, value[s]) : least;
    }
    return least;
}

static void draw_axes(pal_overlay *o, const frame *f, const char *top) {
    const double zero = f->y + f->height * f->high / (f->high - f->low);
    pal_overlay_line(o, f->x, zero, f->x + f->width, zero, 1.0, pal_hud_faint);
    pal_overlay_line(o, f->x, f->y, f->x + f->width, f->y, 1.0, pal_hud_faint);
    pal_hud_write(o, f->x, f->y - 3.0, 11.0, pal_hud_quiet, PAL_LEFT, top);
    pal_hud_write(o, f->x, f->y + f->height + 12.0, 11.0, pal_hud_quiet, PAL_LEFT, "8 s ago");
    pal_hud_write(o, f->x + f->width, f->y + f->height + 12.0, 11.0, pal_hud_quiet, PAL_RIGHT,
                  "now");
}

static void open_panel(pal_overlay *o, double y, double height, const char *name) {
    pal_overlay_box(o, LEFT, y, WIDTH, height, 8.0, pal_hud_panel);
    pal_hud_write_bold(o, LEFT + PAD, y + 18.0, 14.0, pal_hud_ink, name);
}

static void draw_force(const pal_hud *hud, pal_overlay *o, const pal_snapshot *shot,
                       const pal_hud_words *words, double y, double height) {
    frame f = {LEFT + PAD, y + 38.0, WIDTH - 2 * PAD, height - 38.0 - 20.0, 0.0, 0.5};
    char text[64];
    open_panel(o, y, height, "Force");
    for (int32_t h = 0; h < shot->hand_count; h++) {
        f.high = largest(hud, hud->high[h], f.high);
    }
    f.high = pal_round_up(f.high);
    snprintf(text, sizeof text, "%.3g N", f.high);
    draw_axes(o, &f, text);
    if (words->max_force > 0.0 && words->max_force < f.high) { // what the device can do
        const double line = f.y + f.height * (1.0 - words->max_force / f.high);
        pal_overlay_line(o, f.x, line, f.x + f.width, line, 1.0, pal_hud_alarm);
        pal_hud_write(o, f.x, line + 11.0, 11.0, pal_hud_alarm, PAL_LEFT, "the device's limit");
    }
    double right = LEFT + WIDTH - PAD;
    for (int32_t h = shot->hand_count - 1; h >= 0; h--) {
        draw_curve(hud, o, &f, hud->low[h], hud->high[h], pal_hud_data[h]);
        snprintf(text, sizeof text, "%.2f N", pal_norm3(shot->hand[h].force));
        const pal_text_style style = {
            .weight = PAL_FONT_BOLD, .size = 14.0, .colour = pal_hud_data[h], .align = PAL_RIGHT};
        right -= pal_overlay_text(o, &style, right, y + 18.0, text) + 10.0;
    }
}

// Not a wall.
static bool has_body(const pal_snapshot *shot) {
    return shot->r > 0 || shot->domain_count > 0;
}

static void draw_energy(const pal_hud *hud, pal_overlay *o, const pal_snapshot *shot, double y,
                        double height) {
    static const char *const name[3] = {"strain", "motion", "hands' ledger"};
    const float *const value[3] = {hud->strain, hud->kinetic, hud->ledger};
    frame f = {LEFT + PAD, y + 56.0, WIDTH - 2 * PAD, height - 56.0 - 20.0, 0.0, 1e-4};
    char text[64];
    double now[3] = {shot->strain, shot->kinetic, 0.0}, x = LEFT + PAD;
    open_panel(o, y, height, "Energy");
    for (int32_t h = 0; h < shot->hand_count; h++) {
        now[2] += shot->hand[h].ledger;
    }
    for (int k = 0; k < 3; k++) {
        f.high = largest(hud, value[k], f.high);
        f.low = fmin(f.low, smallest(hud, value[k]));
    }
    f.high = pal_round_up(f.high);
    f.low = f.low < -0.02 * f.high ? -pal_round_up(-f.low) : 0.0;
    snprintf(text, sizeof text, "%.3g mJ", 1e3 * f.high);
    draw_axes(o, &f, text);
    for (int k = 0; k < 3; k++) {
        draw_curve(hud, o, &f, value[k], value[k], pal_hud_data[k]);
        snprintf(text, sizeof text, "%s %.3g", name[k], 1e3 * now[k]);
        const pal_text_style style = {.size = 12.0, .colour = pal_hud_data[k]};
        x += pal_overlay_text(o, &style, x, y + 36.0, text) + 12.0;
    }
    pal_hud_write(o, LEFT + WIDTH - PAD, y + 18.0, 12.0, pal_hud_quiet, PAL_RIGHT, "mJ");
}

// ---- times of the ticks

enum { FIRST_BIN = 8, SHOWN_BINS = PAL_SNAPSHOT_BINS - FIRST_BIN }; // from 1 us on

static double bin_place(double us) { // of the bins shown
    return 4.0 * (log2(us) + 2.0) - FIRST_BIN;
}

static double middle_tick(const pal_snapshot *shot) {
    uint64_t all = 0, so_far = 0;
    for (int b = 0; b < PAL_SNAPSHOT_BINS; b++) {
        all += shot->tick_bin[b];
    }
    for (int b = 0; b < PAL_SNAPSHOT_BINS; b++) {
        so_far += shot->tick_bin[b];
        if (2 * so_far >= all && all > 0) {
            return pal_snapshot_bin_us(b);
        }
    }
    return 0.0;
}

static void draw_ticks(pal_overlay *o, const pal_snapshot *shot, double y, double height) {
    static const struct {
        double us;
        const char *text;
    } mark[] = {{1.0, "1"}, {10.0, "10"}, {100.0, "100 \xC2\xB5s"}, {1e3, "1 ms"}, {1e4, "10"}};
    const frame f = {LEFT + PAD, y + 28.0, WIDTH - 2 * PAD, height - 28.0 - 20.0, 0.0, 1.0};
    const double width = f.width / SHOWN_BINS;
    double most = 1.0;
    char text[96];
    open_panel(o, y, height, "Tick time");
    for (int b = FIRST_BIN; b < PAL_SNAPSHOT_BINS; b++) {
        most = fmax(most, log10(1.0 + shot->tick_bin[b]));
    }
    for (int b = FIRST_BIN; b < PAL_SNAPSHOT_BINS; b++) { // counts on a scale of logarithms
        const double tall = f.height * log10(1.0 + shot->tick_bin[b]) / most;
        const bool late = pal_snapshot_bin_us(b) > 1000.0;
        if (tall > 0.0) {
            pal_overlay_box(o, f.x + width * (b - FIRST_BIN), f.y + f.height - tall, width - 0.6,
                            tall, 0.0, late ? pal_hud_alarm : pal_hud_data[0]);
        }
    }
    pal_overlay_line(o, f.x, f.y + f.height, f.x + f.width, f.y + f.height, 1.0, pal_hud_faint);
    for (size_t i = 0; i < sizeof mark / sizeof *mark; i++) {
        const double x = f.x + width * bin_place(mark[i].us);
        const bool deadline = mark[i].us == 1e3;
        pal_overlay_line(o, x, deadline ? f.y : f.y + f.height, x, f.y + f.height + 3.0,
                         deadline ? 2.0 : 1.0, deadline ? pal_hud_alarm : pal_hud_quiet);
        pal_hud_write(o, x, f.y + f.height + 13.0, 11.0, deadline ? pal_hud_alarm : pal_hud_quiet,
                      i == 0 ? PAL_LEFT : PAL_CENTRE, mark[i].text);
    }
    snprintf(text, sizeof text, "median %.0f, max %.0f \xC2\xB5s", middle_tick(shot),
             shot->max_tick_us);
    pal_hud_write(o, LEFT + WIDTH - PAD, y + 18.0, 12.0, pal_hud_quiet, PAL_RIGHT, text);
}

// ---- words

static const char *const outcome_text[PAL_OUTCOME_COUNT] = {
#define OUTCOME_ROW(name, text, fallback) text,
    PAL_OUTCOME_LIST(OUTCOME_ROW)
#undef OUTCOME_ROW
};

typedef struct rows {
    pal_overlay *overlay;
    double y, end;
} rows;

static void row(rows *r, pal_rgba colour, const char *name, const char *value) {
    if (r->y > r->end) {
        return;
    }
    pal_hud_write(r->overlay, LEFT + PAD, r->y, 12.5, pal_hud_quiet, PAL_LEFT, name);
    pal_hud_write(r->overlay, LEFT + WIDTH - PAD, r->y, 12.5, colour, PAL_RIGHT, value);
    r->y += 16.0;
}

static void say_contact(const pal_snapshot *shot, int32_t h, char *text, size_t size) {
    const pal_snapshot_hand *hand = &shot->hand[h];
    if (!hand->present) {
        snprintf(text, size, "device lost");
    } else if (hand->fault != 0) {
        snprintf(text, size, "%s: press R", pal_fault_say(hand->fault)->key);
    } else if (hand->touching > 0) {
        snprintf(text, size, "%d, %.2f mm deep%s", (int)hand->touching, 1e3 * hand->depth,
                 hand->holds ? ", holds on" : "");
    } else {
        snprintf(text, size, "%s", hand->holds ? "holds on" : "none");
    }
}

// A hand whose force is softened, or whose motors are warm: at most a row each. Returns how many
// rows there are; r NULL: they are counted only.
static int say_limits(const pal_snapshot *shot, int32_t h, rows *r) {
    static const double warm = 0.5;
    const pal_snapshot_hand *hand = &shot->hand[h];
    const bool softened = hand->softened != PAL_CAUSE_NONE, hot = hand->heat > warm;
    char name[64], text[96];
    if (softened && r != NULL) {
        snprintf(name, sizeof name, "softened, hand %d", (int)h + 1);
        row(r, pal_hud_alarm, name, pal_fault_say(hand->softened)->key);
    }
    if (hot && r != NULL) {
        snprintf(name, sizeof name, "motors, hand %d", (int)h + 1);
        snprintf(text, sizeof text, "%.0f %% of their heat", 100.0 * hand->heat);
        row(r, hand->heat > 0.9 ? pal_hud_alarm : pal_hud_ink, name, text);
    }
    return softened + hot;
}

static void draw_state(pal_overlay *o, const pal_snapshot *shot, const pal_hud_words *words,
                       double y, double height) {
    rows r = {o, y + 36.0, y + height - 4.0};
    char name[64], text[96];
    int spoken = 0;
    open_panel(o, y, height, "Run");
    snprintf(text, sizeof text, "%.0f Hz, %.0f fps (%s)", words->tick_rate, words->frame_rate,
             words->drawn_by);
    row(&r, pal_hud_ink, "servo, picture", text);
    snprintf(text, sizeof text, has_body(shot) ? "%.2f s, body %.2f s" : "%.2f s", shot->time,
             shot->body_time);
    row(&r, pal_hud_ink, "time", text);
    for (int32_t h = 0; h < shot->hand_count; h++) {
        const bool wrong = !shot->hand[h].present || shot->hand[h].fault != 0;
        snprintf(name, sizeof name, shot->hand_count > 1 ? "contacts, hand %d" : "contacts",
                 (int)h + 1);
        say_contact(shot, h, text, sizeof text);
        row(&r, wrong ? pal_hud_alarm : pal_hud_ink, name, text);
        say_limits(shot, h, &r);
    }
    snprintf(text, sizeof text, "%llu", (unsigned long long)shot->missed);
    row(&r, shot->missed > 0 ? pal_hud_alarm : pal_hud_ink, "missed deadlines", text);
    for (int i = 0; i < PAL_OUTCOME_COUNT; i++) {
        if (shot->counted[i] > 0 && i != PAL_OUT_LATE_NUMBER) { // those are the missed ones
            snprintf(text, sizeof text, "%llu", (unsigned long long)shot->counted[i]);
            row(&r, shot->outcome >> i & 1 ? pal_hud_alarm : pal_hud_ink, outcome_text[i], text);
            spoken++;
        }
    }
    if (spoken == 0) {
        row(&r, pal_hud_ink, "safety", "every tick as it should be");
    }
}

static double state_height(const pal_snapshot *shot) {
    int lines = 3 + shot->hand_count, spoken = 0;
    for (int i = 0; i < PAL_OUTCOME_COUNT; i++) {
        spoken += shot->counted[i] > 0 && i != PAL_OUT_LATE_NUMBER;
    }
    for (int32_t h = 0; h < shot->hand_count; h++) {
        lines += say_limits(shot, h, NULL);
    }
    return 36.0 + 16.0 * (lines + (spoken > 0 ? spoken : 1)) - 4.0;
}

void pal_hud_draw(const pal_hud *hud, pal_overlay *o, const pal_snapshot *shot,
                  const pal_hud_words *words) {
    static const double force_height = 138.0, tick_height = 118.0, energy_height = 138.0;
    const double end = pal_overlay_height(o) - foot;
    double y = title_height;
    if (y + force_height < end) {
        draw_force(hud, o, shot, words, y, force_height);
        y += force_height + GAP;
    }
    if (y + tick_height < end) {
        draw_ticks(o, shot, y, tick_height);
        y += tick_height + GAP;
    }
    const double state = fmin(state_height(shot), end - y);
    if (state > 60.0) {
        draw_state(o, shot, words, y, state);
        y += state + GAP;
    }
    if (has_body(shot) && y + energy_height < end) {
        draw_energy(hud, o, shot, y, energy_height);
    }
}

void pal_hud_draw_title(pal_overlay *o, const pal_snapshot *shot, const pal_hud_words *words) {
    char time[64] = "";
    pal_overlay_box(o, LEFT, 10.0, WIDTH, title_height - 10.0 - GAP, 8.0, pal_hud_panel);
    pal_hud_write_bold(o, LEFT + PAD, 32.0, 20.0, pal_hud_ink, words->scene);
    if (shot->paused) {
        snprintf(time, sizeof time, "paused");
    } else if (shot->rate > 0.0 && shot->rate < 0.999) {
        snprintf(time, sizeof time, "%.3g times slower", 1.0 / shot->rate);
    }
    const pal_text_style state = {
        .weight = PAL_FONT_BOLD, .size = 14.0, .colour = pal_hud_alarm, .align = PAL_RIGHT};
    pal_overlay_text(o, &state, LEFT + WIDTH - PAD, 31.0, time);
    char line[160];
    snprintf(line, sizeof line, "%s: %s", words->device, words->mode);
    pal_hud_write(o, LEFT + PAD, 52.0, 12.5, pal_hud_quiet, PAL_LEFT, line);
    if (words->recording) {
        const double x = pal_overlay_width(o) - 90.0;
        pal_overlay_box(o, x - 12.0, 10.0, 90.0, 26.0, 8.0, pal_hud_panel);
        pal_overlay_disc(o, x, 23.0, 5.0, pal_hud_alarm);
        pal_hud_write(o, x + 12.0, 28.0, 14.0, pal_hud_ink, PAL_LEFT, "filming");
    }
}
