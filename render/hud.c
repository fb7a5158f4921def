#include "render/hud.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "render/hud_style.h"
#include "render/quantity.h"
#include "render/view.h"
#include "sim/base/vec3.h"

enum { PAD = 10, ROW = 16 }; // points
static const double rows_top = 36.0;

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

static void open_panel(pal_overlay *o, const pal_frame *p, const char *name) {
    pal_overlay_box(o, p->left, p->top, p->width, p->height, 8.0, pal_hud_panel);
    pal_hud_write_bold(o, p->left + PAD, p->top + 18.0, 14.0, pal_hud_ink, name);
}

// The part of a panel under its words.
static frame under(const pal_frame *p, double words, double high) {
    return (frame){p->left + PAD, p->top + words, p->width - 2 * PAD, p->height - words - 20.0, 0.0,
                   high};
}

static void draw_force(const pal_hud *hud, pal_overlay *o, const pal_snapshot *shot,
                       const pal_hud_words *words, const pal_frame *p) {
    frame f = under(p, 38.0, 0.5);
    char text[64];
    open_panel(o, p, "Force");
    for (int32_t h = 0; h < shot->hand_count; h++) {
        f.high = largest(hud, hud->high[h], f.high);
    }
    f.high = pal_round_up(f.high);
    pal_say_quantity(f.high, 0.0, 3, "N", text, sizeof text);
    draw_axes(o, &f, text);
    if (words->max_force > 0.0 && words->max_force < f.high) { // what the device can do
        const double line = f.y + f.height * (1.0 - words->max_force / f.high);
        pal_overlay_line(o, f.x, line, f.x + f.width, line, 1.0, pal_hud_alarm);
        pal_hud_write(o, f.x, line + 11.0, 11.0, pal_hud_alarm, PAL_LEFT, "the device's limit");
    }
    double right = p->left + p->width - PAD;
    const double room = (right - p->left - PAD - 60.0) / fmax(shot->hand_count, 1.0); // Force
    for (int32_t h = shot->hand_count - 1; h >= 0; h--) {
        draw_curve(hud, o, &f, hud->low[h], hud->high[h], pal_hud_data[h]);
        const double size = pal_norm3(shot->hand[h].force);
        snprintf(text, sizeof text, "%.*f N", size < 10.0 ? 2 : size < 100.0 ? 1 : 0, size);
        const pal_text_style style = {
            .weight = PAL_FONT_BOLD, .size = 14.0, .colour = pal_hud_data[h], .align = PAL_RIGHT};
        right -= pal_overlay_text_within(o, &style, right, p->top + 18.0, room - 8.0, text) + 8.0;
    }
}

// Not a wall.
static bool has_body(const pal_snapshot *shot) {
    return shot->r > 0 || shot->domain_count > 0;
}

static void draw_energy(const pal_hud *hud, pal_overlay *o, const pal_snapshot *shot,
                        const pal_frame *p) {
    static const char *const name[3] = {"strain", "motion", "hands' ledger"};
    const float *const value[3] = {hud->strain, hud->kinetic, hud->ledger};
    frame f = under(p, 70.0, 1e-4);
    char text[64];
    double now[3] = {shot->strain, shot->kinetic, 0.0};
    open_panel(o, p, "Energy");
    for (int32_t h = 0; h < shot->hand_count; h++) {
        now[2] += shot->hand[h].ledger;
    }
    for (int k = 0; k < 3; k++) {
        f.high = largest(hud, value[k], f.high);
        f.low = fmin(f.low, smallest(hud, value[k]));
    }
    f.high = pal_round_up(f.high);
    f.low = f.low < -0.02 * f.high ? -pal_round_up(-f.low) : 0.0;
    pal_say_quantity(f.high, 0.0, 3, "J", text, sizeof text);
    draw_axes(o, &f, text);
    const double column = f.width / 3.0;
    for (int k = 0; k < 3; k++) {
        const pal_text_style style = {.size = 12.0, .colour = pal_hud_data[k]};
        const double x = f.x + k * column;
        draw_curve(hud, o, &f, value[k], value[k], pal_hud_data[k]);
        pal_say_quantity(now[k], PAL_LEAST_ENERGY, 3, "J", text, sizeof text);
        pal_overlay_text_within(o, &style, x, p->top + 36.0, column - 4.0, name[k]);
        pal_overlay_text_within(o, &style, x, p->top + 51.0, column - 4.0, text);
    }
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

static void draw_ticks(pal_overlay *o, const pal_snapshot *shot, const pal_frame *p) {
    static const struct {
        double us;
        const char *text;
    } mark[] = {{1.0, "1"}, {10.0, "10"}, {100.0, "100 \xC2\xB5s"}, {1e3, "1 ms"}, {1e4, "10"}};
    const frame f = under(p, 28.0, 1.0);
    const double width = f.width / SHOWN_BINS;
    double most = 1.0;
    char text[96], middle[32], longest[32];
    open_panel(o, p, "Tick time");
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
    pal_say_quantity(1e-6 * middle_tick(shot), 0.0, 3, "s", middle, sizeof middle);
    pal_say_quantity(1e-6 * shot->max_tick_us, 0.0, 3, "s", longest, sizeof longest);
    snprintf(text, sizeof text, "median %s, max %s", middle, longest);
    pal_hud_write(o, p->left + p->width - PAD, p->top + 18.0, 12.0, pal_hud_quiet, PAL_RIGHT, text);
}

// ---- words

static const char *const outcome_text[PAL_OUTCOME_COUNT] = {
#define OUTCOME_ROW(name, text, fallback) text,
    PAL_OUTCOME_LIST(OUTCOME_ROW)
#undef OUTCOME_ROW
};

enum { MOST_ROWS = 8 + 4 * PAL_SNAPSHOT_HANDS + PAL_OUTCOME_COUNT };

typedef struct rows { // what there is to say of the run
    int count;
    struct {
        pal_rgba colour;
        char name[64], value[96];
    } row[MOST_ROWS];
} rows;

static void add(rows *r, pal_rgba colour, const char *name, const char *format, ...)
    PAL_PRINTF(4, 5);
static void add(rows *r, pal_rgba colour, const char *name, const char *format, ...) {
    va_list args;
    va_start(args, format);
    r->row[r->count].colour = colour;
    snprintf(r->row[r->count].name, sizeof r->row[0].name, "%s", name);
    vsnprintf(r->row[r->count].value, sizeof r->row[0].value, format, args);
    va_end(args);
    r->count++;
}

static void add_contact(rows *r, const pal_snapshot *shot, int32_t h) {
    const pal_snapshot_hand *hand = &shot->hand[h];
    const bool wrong = !hand->present || hand->fault != 0;
    char name[64], text[96], deep[32];
    snprintf(name, sizeof name, shot->hand_count > 1 ? "contacts, hand %d" : "contacts",
             (int)h + 1);
    if (!hand->present) {
        snprintf(text, sizeof text, "device lost");
    } else if (hand->fault != 0) {
        snprintf(text, sizeof text, "%s: press R", pal_fault_say(hand->fault)->key);
    } else if (hand->touching > 0) {
        pal_say_quantity(hand->depth, 1e-7, 3, "m", deep, sizeof deep);
        snprintf(text, sizeof text, "%d, %s deep%s", (int)hand->touching, deep,
                 hand->holds ? ", holds on" : "");
    } else {
        snprintf(text, sizeof text, "%s", hand->holds ? "holds on" : "none");
    }
    add(r, wrong ? pal_hud_alarm : pal_hud_ink, name, "%s", text);
}

// A hand whose force is softened, or whose motors are warm: at most a row each.
static void add_limits(rows *r, const pal_snapshot *shot, int32_t h) {
    static const double warm = 0.5;
    const pal_snapshot_hand *hand = &shot->hand[h];
    char name[64];
    if (hand->softened != PAL_CAUSE_NONE) {
        snprintf(name, sizeof name, "softened, hand %d", (int)h + 1);
        add(r, pal_hud_alarm, name, "%s", pal_fault_say(hand->softened)->key);
    }
    if (hand->heat > warm) {
        snprintf(name, sizeof name, "motors, hand %d", (int)h + 1);
        add(r, hand->heat > 0.9 ? pal_hud_alarm : pal_hud_ink, name, "%.0f %% of their heat",
            100.0 * hand->heat);
    }
}

static void gather_rows(rows *r, const pal_snapshot *shot, const pal_hud_words *words) {
    r->count = 0;
    add(r, pal_hud_ink, "servo, picture", "%.0f Hz, %.0f fps (%s)", words->tick_rate,
        words->frame_rate, words->drawn_by != NULL ? words->drawn_by : "");
    if (has_body(shot)) {
        add(r, pal_hud_ink, "time", "%.2f s, body %.2f s", shot->time, shot->body_time);
    } else {
        add(r, pal_hud_ink, "time", "%.2f s", shot->time);
    }
    for (int32_t h = 0; h < shot->hand_count; h++) {
        add_contact(r, shot, h);
        add_limits(r, shot, h);
    }
    add(r, shot->missed > 0 ? pal_hud_alarm : pal_hud_ink, "missed deadlines", "%llu",
        (unsigned long long)shot->missed);
    const int before = r->count;
    for (int i = 0; i < PAL_OUTCOME_COUNT; i++) {
        if (shot->counted[i] > 0 && i != PAL_OUT_LATE_NUMBER) { // those are the missed ones
            add(r, shot->outcome >> i & 1 ? pal_hud_alarm : pal_hud_ink, outcome_text[i], "%llu",
                (unsigned long long)shot->counted[i]);
        }
    }
    if (r->count == before) {
        add(r, pal_hud_ink, "safety", "every tick as it should be");
    }
}

static double run_height(const pal_snapshot *shot) {
    rows r;
    gather_rows(&r, shot, &(pal_hud_words){.drawn_by = ""});
    return rows_top + ROW * r.count - 4.0;
}

static void draw_run(pal_overlay *o, const pal_snapshot *shot, const pal_hud_words *words,
                     const pal_frame *p) {
    rows r;
    gather_rows(&r, shot, words);
    const int room = (int)floor((p->height + 4.0 - rows_top) / ROW + 1e-9);
    const int shown = r.count <= room ? r.count : room - 1;
    const double left = p->left + PAD, right = p->left + p->width - PAD;
    double y = p->top + rows_top;
    char text[32];
    open_panel(o, p, "Run");
    for (int i = 0; i < shown; i++, y += ROW) {
        const pal_text_style name = {.size = 12.5, .colour = pal_hud_quiet};
        const pal_text_style value = {.size = 12.5, .colour = r.row[i].colour, .align = PAL_RIGHT};
        const double used = pal_overlay_text_width(o, &name, r.row[i].name);
        const double room_left = fmax(right - left - used - 8.0, 0.5 * (right - left));
        const double wide = pal_overlay_text_within(o, &value, right, y, room_left, r.row[i].value);
        pal_overlay_text_within(o, &name, left, y, right - left - wide - 8.0, r.row[i].name);
    }
    if (shown < r.count) {
        snprintf(text, sizeof text, "and %d more", r.count - shown);
        pal_hud_write(o, left, y, 12.5, pal_hud_quiet, PAL_LEFT, text);
    }
}

void pal_hud_draw(const pal_hud *hud, pal_overlay *o, const pal_snapshot *shot,
                  const pal_hud_words *words, const pal_layout *layout) {
    const pal_frame *panel = layout->panel;
    if (pal_layout_has(layout, PAL_PANEL_FORCE)) {
        draw_force(hud, o, shot, words, &panel[PAL_PANEL_FORCE]);
    }
    if (pal_layout_has(layout, PAL_PANEL_TICKS)) {
        draw_ticks(o, shot, &panel[PAL_PANEL_TICKS]);
    }
    if (pal_layout_has(layout, PAL_PANEL_RUN)) {
        draw_run(o, shot, words, &panel[PAL_PANEL_RUN]);
    }
    if (pal_layout_has(layout, PAL_PANEL_ENERGY)) {
        draw_energy(hud, o, shot, &panel[PAL_PANEL_ENERGY]);
    }
}

void pal_hud_wish(const pal_snapshot *shot, pal_layout_wish *wish) {
    wish->energy = has_body(shot);
    wish->run_height = run_height(shot);
}

static void draw_filming(pal_overlay *o, const pal_frame *p) {
    pal_overlay_box(o, p->left, p->top, p->width, p->height, 8.0, pal_hud_panel);
    pal_overlay_disc(o, p->left + 13.0, p->top + 13.0, 5.0, pal_hud_alarm);
    pal_hud_write(o, p->left + 25.0, p->top + 18.0, 14.0, pal_hud_ink, PAL_LEFT, "filming");
}

void pal_hud_draw_title(pal_overlay *o, const pal_snapshot *shot, const pal_hud_words *words,
                        const pal_layout *layout) {
    const pal_frame *p = &layout->panel[PAL_PANEL_TITLE];
    char time[64] = "", line[160];
    if (words->recording && pal_layout_has(layout, PAL_PANEL_FILMING)) {
        draw_filming(o, &layout->panel[PAL_PANEL_FILMING]);
    }
    if (!pal_layout_has(layout, PAL_PANEL_TITLE)) {
        return;
    }
    pal_overlay_box(o, p->left, p->top, p->width, p->height, 8.0, pal_hud_panel);
    if (shot->paused) {
        snprintf(time, sizeof time, "paused");
    } else if (shot->rate > 0.0 && shot->rate < 0.999) {
        snprintf(time, sizeof time, "%.3g times slower", 1.0 / shot->rate);
    }
    const double left = p->left + PAD, right = p->left + p->width - PAD;
    const pal_text_style name = {.weight = PAL_FONT_BOLD, .size = 20.0, .colour = pal_hud_ink};
    const pal_text_style state = {
        .weight = PAL_FONT_BOLD, .size = 14.0, .colour = pal_hud_alarm, .align = PAL_RIGHT};
    const pal_text_style quiet = {.size = 12.5, .colour = pal_hud_quiet};
    const double used =
        pal_overlay_text_within(o, &state, right, p->top + 21.0, 0.6 * (right - left), time);
    pal_overlay_text_within(o, &name, left, p->top + 22.0,
                            right - left - (used > 0.0 ? used + 8.0 : 0.0), words->scene);
    snprintf(line, sizeof line, "%s: %s", words->device, words->mode);
    pal_overlay_text_within(o, &quiet, left, p->top + 42.0, right - left, line);
}
