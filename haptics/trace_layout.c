// The texts before and behind the rows: lines "NAME LENGTH:VALUE".
#include "haptics/trace_layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "haptics/tick_fields.h"
#include "sim/base/memory.h"

#define START "palpate trace\nversion "

// ---- limits

void pal_trace_limits_out(const pal_device_limits *l, double row[PAL_TRACE_LIMITS]) {
    const double numbers[PAL_TRACE_LIMITS] = {l->max_force,          l->max_continuous_force,
                                              l->max_stiffness,      l->max_damping,
                                              l->workspace_radius,   l->resolution,
                                              l->friction,           l->mass,
                                              l->senses_turn,        l->max_torque,
                                              l->max_turn_stiffness, l->max_turn_damping,
                                              l->turn_resolution,    l->inertia};
    memcpy(row, numbers, sizeof numbers);
}

void pal_trace_limits_in(pal_device_limits *l, const double row[PAL_TRACE_LIMITS]) {
    double senses, *numbers[PAL_TRACE_LIMITS] = {&l->max_force,
                                                 &l->max_continuous_force,
                                                 &l->max_stiffness,
                                                 &l->max_damping,
                                                 &l->workspace_radius,
                                                 &l->resolution,
                                                 &l->friction,
                                                 &l->mass,
                                                 &senses,
                                                 &l->max_torque,
                                                 &l->max_turn_stiffness,
                                                 &l->max_turn_damping,
                                                 &l->turn_resolution,
                                                 &l->inertia};
    for (int i = 0; i < PAL_TRACE_LIMITS; i++) {
        *numbers[i] = row[i];
    }
    l->senses_turn = senses != 0.0;
}

void pal_trace_profiles_join(const pal_trace_info *info, char text[PAL_TRACE_PROFILES]) {
    text[0] = '\0';
    for (int32_t h = 0; h < info->hand_count; h++) {
        strcat(strcat(text, h > 0 ? "," : ""), info->limits[h].name);
    }
}

void pal_trace_profiles_split(const char *text, pal_trace_info *info) {
    for (int32_t h = 0; h < info->hand_count; h++) {
        const size_t length = strcspn(text, ",");
        snprintf(info->limits[h].name, sizeof info->limits[h].name, "%.*s", (int)length, text);
        text += length + (text[length] == ',');
    }
}

// ---- lines

static void put_bytes(FILE *out, const char *name, const char *value, size_t length) {
    fprintf(out, "%s %zu:", name, length);
    fwrite(value, 1, length, out);
    fputc('\n', out);
}

static void put_text(FILE *out, const char *name, const char *value) {
    if (value != NULL) {
        put_bytes(out, name, value, strlen(value));
    }
}

static void put_count(FILE *out, const char *name, uint64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    put_text(out, name, text);
}

static void put_number(FILE *out, const char *name, double value) {
    char text[32];
    snprintf(text, sizeof text, "%.17g", value);
    put_text(out, name, text);
}

typedef struct line {
    char name[24];
    const char *value;
    size_t length;
} line;

// The line at *at, which then is behind it; false: none, or not whole.
static bool next_line(const char **at, const char *end, line *l) {
    size_t used = 0;
    uint64_t length = 0;
    const char *p = *at;
    while (p < end && *p != ' ' && used + 1 < sizeof l->name) {
        l->name[used++] = *p++;
    }
    l->name[used] = '\0';
    if (used == 0 || p == end || *p++ != ' ') {
        return false;
    }
    for (; p < end && *p >= '0' && *p <= '9' && length < PAL_TRACE_MOST_HEAD; p++) {
        length = 10 * length + (uint64_t)(*p - '0');
    }
    if (p == end || *p++ != ':' || length >= (uint64_t)(end - p) || p[length] != '\n') {
        return false;
    }
    l->value = p;
    l->length = (size_t)length;
    *at = p + length + 1;
    return true;
}

static char *take_text(const line *l, pal_err *err) {
    char *text = PAL_NEW(char, l->length + 1, err);
    if (text != NULL) {
        memcpy(text, l->value, l->length);
    }
    return text;
}

// Numbers one after the other; false when there are not so many.
static bool take_numbers(const line *l, double *value, int count) {
    char text[512], *at = text, *end;
    snprintf(text, sizeof text, "%.*s", (int)l->length, l->value);
    for (int i = 0; i < count; i++, at = end) {
        value[i] = strtod(at, &end);
        if (end == at) {
            return false;
        }
    }
    return *at == '\0';
}

static uint64_t take_count(const line *l) {
    char text[32];
    snprintf(text, sizeof text, "%.*s", (int)(l->length < 31 ? l->length : 31), l->value);
    return strtoull(text, NULL, 10);
}

// ---- what the head says of the run

typedef struct info_field {
    const char *name;
    enum { SHORT, COUNT, NUMBER, FLAG } kind;
    size_t offset;
} info_field;

#define FIELD(name, kind)                                                                          \
    { #name, kind, offsetof(pal_trace_info, name) }
static const info_field info_fields[] = {
    FIELD(scene, SHORT),  FIELD(device, SHORT),      FIELD(program, SHORT), FIELD(started, SHORT),
    FIELD(trial, SHORT),  FIELD(body_hash, SHORT),   FIELD(dt, NUMBER),     FIELD(delay, NUMBER),
    FIELD(seed, COUNT),   FIELD(virtual_time, FLAG), FIELD(single, FLAG),   FIELD(no_local, FLAG),
    FIELD(penalty, FLAG), FIELD(kernels, SHORT),
};
enum { INFO_FIELDS = sizeof info_fields / sizeof *info_fields };

static size_t room_of(const info_field *field) {
    return field->offset == offsetof(pal_trace_info, body_hash) ? PAL_HASH_TEXT : PAL_TRACE_TEXT;
}

static void put_info(FILE *out, const pal_trace_info *info) {
    for (int i = 0; i < INFO_FIELDS; i++) {
        const info_field *field = &info_fields[i];
        const void *value = (const char *)info + field->offset;
        if (field->kind == SHORT) {
            put_text(out, field->name, value);
        } else if (field->kind == NUMBER) {
            put_number(out, field->name, *(const double *)value);
        } else {
            put_count(out, field->name,
                      field->kind == FLAG ? *(const bool *)value : *(const uint64_t *)value);
        }
    }
    for (int32_t h = 0; h < info->hand_count; h++) {
        double number[PAL_TRACE_LIMITS];
        char text[32 * PAL_TRACE_LIMITS];
        size_t used = 0;
        pal_trace_limits_out(&info->limits[h], number);
        for (int i = 0; i < PAL_TRACE_LIMITS; i++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%.17g", i > 0 ? " " : "",
                                     number[i]);
        }
        put_text(out, "profile", info->limits[h].name);
        put_text(out, "limits", text);
    }
    put_text(out, "edits", info->edits);
    put_text(out, "scene_path", info->scene_path);
    put_text(out, "scene_text", info->scene_text);
}

static bool take_info(const info_field *field, const line *l, pal_trace_info *info) {
    void *to = (char *)info + field->offset;
    if (field->kind == SHORT) {
        snprintf(to, room_of(field), "%.*s", (int)l->length, l->value);
    } else if (field->kind == NUMBER) {
        return take_numbers(l, to, 1);
    } else if (field->kind == COUNT) {
        *(uint64_t *)to = take_count(l);
    } else {
        *(bool *)to = take_count(l) != 0;
    }
    return true;
}

static bool take_hand(const line *l, pal_trace_info *info) {
    double number[PAL_TRACE_LIMITS];
    if (strcmp(l->name, "profile") == 0) {
        if (info->hand_count == PAL_TRACE_HANDS) {
            return false;
        }
        pal_device_limits *limits = &info->limits[info->hand_count++];
        snprintf(limits->name, sizeof limits->name, "%.*s", (int)l->length, l->value);
        return true;
    }
    if (info->hand_count == 0 || !take_numbers(l, number, PAL_TRACE_LIMITS)) {
        return false;
    }
    pal_trace_limits_in(&info->limits[info->hand_count - 1], number);
    return true;
}

// ---- columns

static const char *const kind_names[] = {"f64", "u64", "u32"};
static const size_t kind_sizes[] = {8, 8, 4};

static void put_columns(FILE *out) {
    const pal_tick_field *field;
    for (int i = 0; (field = pal_tick_field_at(i)) != NULL; i++) {
        char text[96];
        snprintf(text, sizeof text, "%s %s %d %zu", field->name, kind_names[field->kind],
                 field->count, field->offset);
        put_text(out, "column", text);
    }
}

// Columns that we do not know are passed over.
static bool take_column(const line *l, pal_trace_head *head) {
    char text[96], name[32], kind[8];
    int count;
    size_t offset;
    snprintf(text, sizeof text, "%.*s", (int)(l->length < 95 ? l->length : 95), l->value);
    if (sscanf(text, "%31s %7s %d %zu", name, kind, &count, &offset) != 4) {
        return false;
    }
    const pal_tick_field *field;
    for (int i = 0; (field = pal_tick_field_at(i)) != NULL; i++) {
        if (strcmp(field->name, name) != 0) {
            continue;
        }
        const size_t size = kind_sizes[field->kind] * (size_t)field->count;
        if (strcmp(kind, kind_names[field->kind]) != 0 || count != field->count ||
            head->column_count == PAL_TRACE_COLUMNS || head->row_bytes < PAL_TRACE_SEAL + size ||
            offset > head->row_bytes - PAL_TRACE_SEAL - size) {
            return false;
        }
        head->column[head->column_count++] = (pal_trace_column){field, offset};
    }
    return true;
}

// ---- the head

static void hash_of(const char *bytes, size_t size, char text[PAL_HASH_TEXT]) {
    pal_hash hash;
    pal_hash_init(&hash);
    pal_hash_update(&hash, bytes, size);
    pal_hash_text(&hash, text);
}

// The lines of the head, but for its hash, as a heap array.
static char *print_head(const pal_trace_info *info, size_t head, size_t hdf5, size_t *size) {
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (out == NULL) {
        return NULL;
    }
    // As wide for each size, so that the head can be measured by printing it
    fprintf(out, START "%d\nhead %010zu\n", PAL_TRACE_VERSION, head);
    put_count(out, "row_bytes", PAL_TRACE_ROW);
    fprintf(out, "rows_at 12:%012zu\n", head + hdf5);
    put_columns(out);
    put_info(out, info);
    const bool bad = ferror(out) != 0;
    if (fclose(out) != 0 || bad) {
        free(text);
        return NULL;
    }
    return text;
}

pal_status pal_trace_head_make(const pal_trace_info *info, size_t hdf5, char **bytes, size_t *size,
                               pal_err *err) {
    static const char about[] =
        "\nAfter this head and the rows behind it, the run's end adds HDF5: h5dump, Python, MATLAB "
        "and\nJulia read this file as it is. Do not edit it: all of it is under hashes.\n";
    size_t used, head = 1024;
    char *text = print_head(info, head, hdf5, &used);
    while (text != NULL && head < used + sizeof about + PAL_HASH_TEXT + 16) {
        head *= 2;
    }
    free(text);
    text = print_head(info, head, hdf5, &used);
    *size = head;
    *bytes = text != NULL && head <= PAL_TRACE_MOST_HEAD ? PAL_NEW(char, head + 1, err) : NULL;
    if (*bytes == NULL) {
        free(text);
        return text == NULL ? pal_fail(err, PAL_ERR_MEMORY, "out of memory for a trace's head")
               : head > PAL_TRACE_MOST_HEAD
                   ? pal_fail(err, PAL_ERR_UNSUPPORTED, "the scene's text is too long for a trace")
                   : PAL_ERR_MEMORY;
    }
    char hash[PAL_HASH_TEXT];
    hash_of(text, used, hash);
    memset(*bytes, ' ', head);
    memcpy(*bytes, text, used);
    used += (size_t)snprintf(*bytes + used, head - used, "hash 32:%s\n%s", hash, about);
    (*bytes)[used] = ' ';
    (*bytes)[head - 1] = '\n';
    free(text);
    return PAL_OK;
}

size_t pal_trace_head_size(const char *bytes, size_t size) {
    char text[64];
    int version;
    size_t head;
    snprintf(text, sizeof text, "%.*s", (int)(size < 63 ? size : 63), bytes);
    const bool ours = sscanf(text, START "%d\nhead %10zu\n", &version, &head) == 2;
    return ours && version == PAL_TRACE_VERSION && head >= 1024 && head <= PAL_TRACE_MOST_HEAD
               ? head
               : 0;
}

static bool take_line(const line *l, pal_trace_head *head, pal_trace_data *data, pal_err *err) {
    for (int i = 0; i < INFO_FIELDS; i++) {
        if (strcmp(l->name, info_fields[i].name) == 0) {
            return take_info(&info_fields[i], l, &data->info);
        }
    }
    if (strcmp(l->name, "profile") == 0 || strcmp(l->name, "limits") == 0) {
        return take_hand(l, &data->info);
    }
    if (strcmp(l->name, "column") == 0) {
        return take_column(l, head);
    }
    if (strcmp(l->name, "row_bytes") == 0 || strcmp(l->name, "rows_at") == 0) {
        *(l->name[3] == '_' ? &head->row_bytes : &head->rows_at) = take_count(l);
        return true;
    }
    char **text = strcmp(l->name, "edits") == 0        ? &data->edits
                  : strcmp(l->name, "scene_path") == 0 ? &data->scene_path
                  : strcmp(l->name, "scene_text") == 0 ? &data->scene_text
                                                       : NULL;
    if (text != NULL) {
        free(*text);
        *text = take_text(l, err);
    }
    return text == NULL || *text != NULL; // a line that we do not know is passed over
}

pal_status pal_trace_head_parse(const char *path, const char *bytes, size_t size,
                                pal_trace_head *head, pal_trace_data *data, pal_err *err) {
    const char *at = bytes, *end = bytes + size;
    *head = (pal_trace_head){.size = size};
    for (int i = 0; i < 3 && at < end; i++) { // the first three lines are not of this form
        at = memchr(at, '\n', (size_t)(end - at));
        at = at != NULL ? at + 1 : end;
    }
    bool ok = true, ended = false;
    line l;
    while (ok && !ended && next_line(&at, end, &l)) {
        ended = strcmp(l.name, "hash") == 0;
        ok = ended || take_line(&l, head, data, err);
    }
    char hash[PAL_HASH_TEXT] = "";
    if (ended) {
        const char *of = l.value - strlen("hash 32:");
        hash_of(bytes, (size_t)(of - bytes), hash);
    }
    const uint64_t most_row = 1 << 16;
    ok = ok && ended && l.length == PAL_HASH_TEXT - 1 && memcmp(l.value, hash, l.length) == 0 &&
         data->info.hand_count > 0 && data->scene_path != NULL && data->scene_text != NULL &&
         head->row_bytes > PAL_TRACE_SEAL && head->row_bytes <= most_row && head->rows_at >= size &&
         head->rows_at <= 4 * (uint64_t)PAL_TRACE_MOST_HEAD;
    data->info.edits = data->edits;
    data->info.scene_path = data->scene_path;
    data->info.scene_text = data->scene_text;
    return ok ? PAL_OK
              : pal_fail(err, PAL_ERR_INPUT,
                         "%s: the head of this trace is damaged, so that nothing in it can be "
                         "relied on; record again",
                         path);
}

// ---- the tail

pal_status pal_trace_tail_make(const pal_trace_tail *tail, char **bytes, size_t *size,
                               size_t *edits_at, pal_err *err) {
    FILE *out = open_memstream(bytes, size);
    *edits_at = 0;
    bool ok = out != NULL;
    if (ok) {
        fputs(PAL_TRACE_TAIL_START, out);
        put_count(out, "rows", tail->rows);
        put_count(out, "dropped", tail->dropped);
        put_text(out, "run_hash", tail->run_hash);
        put_text(out, "live_edits", tail->live_edits);
        ok = ferror(out) == 0;
        ok = fclose(out) == 0 && ok;
    }
    if (!ok) {
        free(*bytes);
        *bytes = NULL;
        return pal_fail(err, PAL_ERR_MEMORY, "out of memory for the end of a trace");
    }
    if (tail->live_edits != NULL) { // the last text, before its newline
        *edits_at = *size - 1 - strlen(tail->live_edits);
    }
    return PAL_OK;
}

void pal_trace_tail_close(const pal_hash *all, size_t size, char end[PAL_TRACE_TAIL_HASH + 1]) {
    char hash[PAL_HASH_TEXT];
    pal_hash_text(all, hash);
    snprintf(end, PAL_TRACE_TAIL_HASH + 1, "hash %s\n%016zu\n", hash, size + PAL_TRACE_TAIL_HASH);
}

size_t pal_trace_tail_size(const char last[17]) {
    char *end, text[18];
    snprintf(text, sizeof text, "%.17s", last);
    const unsigned long long size = strtoull(text, &end, 10);
    return end == text + 16 && *end == '\n' && size > PAL_TRACE_TAIL_HASH &&
                   size < PAL_TRACE_MOST_HEAD
               ? (size_t)size
               : 0;
}

bool pal_trace_tail_parse(const char *bytes, size_t size, pal_trace_data *data, uint64_t *rows,
                          char hash[PAL_HASH_TEXT], pal_err *err) {
    const size_t start = strlen(PAL_TRACE_TAIL_START);
    if (size < start + PAL_TRACE_TAIL_HASH || memcmp(bytes, PAL_TRACE_TAIL_START, start) != 0 ||
        memcmp(bytes + size - PAL_TRACE_TAIL_HASH, "hash ", 5) != 0) {
        return false;
    }
    const char *end = bytes + size - PAL_TRACE_TAIL_HASH, *at = bytes + start;
    snprintf(hash, PAL_HASH_TEXT, "%.32s", end + 5);
    line l;
    bool ok = true;
    while (ok && next_line(&at, end, &l)) {
        if (strcmp(l.name, "rows") == 0 || strcmp(l.name, "dropped") == 0) {
            *(l.name[0] == 'r' ? rows : &data->dropped) = take_count(&l);
        } else if (strcmp(l.name, "run_hash") == 0) {
            snprintf(data->hash, sizeof data->hash, "%.*s", (int)l.length, l.value);
        } else if (strcmp(l.name, "live_edits") == 0) {
            free(data->live_edits);
            data->live_edits = take_text(&l, err);
            ok = data->live_edits != NULL;
        }
    }
    return ok && at == end;
}
