// HDF5 for traces: the table of ticks, the attributes, and reading them again.
#include "haptics/trace_file.h"

#include <errno.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "haptics/tick_fields.h"
#include "sim/base/memory.h"

enum { CHUNK_ROWS = 1024, MOST_ROWS = 1 << 26 };

struct pal_trace_file {
    char *path;
    hid_t file, set, type;
    hsize_t rows;
};

// ---- HDF5's own errors, made ours (it prints nothing, and closing what is not open does no harm)

static void silence(void) {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static herr_t take_first(unsigned depth, const H5E_error2_t *error, void *text) {
    if (depth == 0 && error->desc != NULL) {
        snprintf(text, 256, "%s", error->desc);
    }
    return 0;
}

static pal_status fail_hdf5(const char *path, const char *what, pal_status status, pal_err *err) {
    char why[256] = "no reason given";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, why);
    H5Eclear2(H5E_DEFAULT);
    return pal_fail(err, status, "%s: cannot %s: HDF5 says: %s", path, what, why);
}

// ---- the row

static hid_t row_type(void) {
    const hid_t kinds[] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_UINT64, H5T_NATIVE_UINT32};
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(pal_tick_record));
    const pal_tick_field *field;
    for (int i = 0; (field = pal_tick_field_at(i)) != NULL; i++) {
        hid_t kind = kinds[field->kind];
        const hsize_t count = (hsize_t)field->count;
        hid_t vector = count > 1 ? H5Tarray_create2(kind, 1, &count) : H5Tcopy(kind);
        if (H5Tinsert(type, field->name, field->offset, vector) < 0) {
            H5Tclose(vector);
            H5Tclose(type);
            return H5I_INVALID_HID;
        }
        H5Tclose(vector);
    }
    return type;
}

// ---- attributes

static hid_t text_type(size_t size) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

static bool write_attribute(hid_t file, const char *name, hid_t type, hid_t space,
                            const void *value) {
    hid_t attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    H5Aclose(attribute);
    return ok;
}

static bool write_text(hid_t file, const char *name, const char *text) {
    hid_t space = H5Screate(H5S_SCALAR), type = text_type(strlen(text) + 1);
    bool ok = write_attribute(file, name, type, space, text);
    H5Tclose(type);
    H5Sclose(space);
    return ok;
}

static bool write_number(hid_t file, const char *name, hid_t type, const void *value) {
    hid_t space = H5Screate(H5S_SCALAR);
    bool ok = write_attribute(file, name, type, space, value);
    H5Sclose(space);
    return ok;
}

// The limits as one row of numbers, in the order of the struct.
enum { LIMITS = 14 };
static void limits_out(const pal_device_limits *l, double row[LIMITS]) {
    const double numbers[LIMITS] = {l->max_force,          l->max_continuous_force,
                                    l->max_stiffness,      l->max_damping,
                                    l->workspace_radius,   l->resolution,
                                    l->friction,           l->mass,
                                    l->senses_turn,        l->max_torque,
                                    l->max_turn_stiffness, l->max_turn_damping,
                                    l->turn_resolution,    l->inertia};
    memcpy(row, numbers, sizeof numbers);
}
static void limits_in(pal_device_limits *l, const double row[LIMITS]) {
    double senses, *numbers[LIMITS] = {&l->max_force,
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
    for (int i = 0; i < LIMITS; i++) {
        *numbers[i] = row[i];
    }
    l->senses_turn = senses != 0.0;
}

static bool write_long_text(hid_t file, const char *name, const char *text) {
    hid_t space = H5Screate(H5S_SCALAR), type = text_type(strlen(text) + 1);
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    H5Dclose(set);
    H5Tclose(type);
    H5Sclose(space);
    return ok;
}

static bool write_info(hid_t file, const pal_trace_info *info) {
    const int version = PAL_TRACE_VERSION, virtual_time = info->virtual_time, single = info->single;
    const int no_local = info->no_local, penalty = info->penalty;
    const hsize_t count[2] = {(hsize_t)info->hand_count, LIMITS};
    double limits[PAL_TRACE_HANDS][LIMITS];
    char profiles[PAL_TRACE_TEXT + PAL_TRACE_HANDS] = "";
    for (int32_t h = 0; h < info->hand_count; h++) {
        limits_out(&info->limits[h], limits[h]);
        strcat(strcat(profiles, h > 0 ? "," : ""), info->limits[h].name);
    }
    hid_t row = H5Screate_simple(2, count, NULL);
    bool ok = write_number(file, "palpate_trace", H5T_NATIVE_INT, &version) &&
              write_text(file, "scene", info->scene) && write_text(file, "device", info->device) &&
              write_text(file, "device_profile", profiles) &&
              write_text(file, "program", info->program) &&
              write_text(file, "started", info->started) &&
              write_text(file, "body_hash", info->body_hash) &&
              (info->trial[0] == '\0' || write_text(file, "trial", info->trial)) &&
              write_attribute(file, "device_limits", H5T_NATIVE_DOUBLE, row, limits) &&
              write_number(file, "dt_s", H5T_NATIVE_DOUBLE, &info->dt) &&
              write_number(file, "delay_s", H5T_NATIVE_DOUBLE, &info->delay) &&
              write_number(file, "seed", H5T_NATIVE_UINT64, &info->seed) &&
              write_number(file, "virtual_time", H5T_NATIVE_INT, &virtual_time) &&
              write_number(file, "single_precision", H5T_NATIVE_INT, &single) &&
              write_number(file, "no_local", H5T_NATIVE_INT, &no_local) &&
              write_number(file, "penalty", H5T_NATIVE_INT, &penalty) &&
              (info->edits == NULL || write_long_text(file, "edits", info->edits)) &&
              write_long_text(file, "scene_path", info->scene_path) &&
              write_long_text(file, "scene_text", info->scene_text);
    H5Sclose(row);
    return ok;
}

// ---- writing

static hid_t make_table(hid_t file, hid_t type) {
    const hsize_t none = 0, most = H5S_UNLIMITED, chunk = CHUNK_ROWS;
    hid_t space = H5Screate_simple(1, &none, &most), plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(plist, 1, &chunk);
    hid_t set = H5Dcreate2(file, "ticks", type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    H5Pclose(plist);
    H5Sclose(space);
    return set;
}

static pal_status make_file(pal_trace_file *f, const pal_trace_info *info, pal_err *err) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST); // needed for SWMR
    f->file = H5Fcreate(f->path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    if (f->file < 0) {
        return fail_hdf5(f->path, "make the trace", PAL_ERR_IO, err);
    }
    f->type = row_type();
    f->set =
        f->type >= 0 && write_info(f->file, info) ? make_table(f->file, f->type) : H5I_INVALID_HID;
    return f->set >= 0 && H5Fstart_swmr_write(f->file) >= 0
               ? PAL_OK
               : fail_hdf5(f->path, "begin the trace", PAL_ERR_IO, err);
}

static void close_handles(pal_trace_file *f) {
    const hid_t set = f->set, type = f->type, file = f->file;
    f->set = f->type = f->file = H5I_INVALID_HID;
    H5Dclose(set);
    H5Tclose(type);
    H5Fclose(file);
}

static void free_file(pal_trace_file *f) {
    close_handles(f);
    free(f->path);
    free(f);
}

pal_status pal_trace_file_open(pal_trace_file **file, const char *path, const pal_trace_info *info,
                               pal_err *err) {
    silence();
    pal_trace_file *f = *file = PAL_NEW(pal_trace_file, 1, err);
    if (f == NULL) {
        return PAL_ERR_MEMORY;
    }
    f->file = f->set = f->type = H5I_INVALID_HID;
    f->path = pal_copy_text(path, err);
    pal_status status = f->path == NULL ? PAL_ERR_MEMORY : make_file(f, info, err);
    if (status != PAL_OK) {
        free_file(f);
        *file = NULL;
    }
    return status;
}

pal_status pal_trace_file_append(pal_trace_file *f, const pal_tick_record *record, size_t count,
                                 pal_err *err) {
    const hsize_t start = f->rows, block = count, size = f->rows + count;
    bool ok = H5Dset_extent(f->set, &size) >= 0;
    hid_t space = ok ? H5Dget_space(f->set) : H5I_INVALID_HID;
    hid_t memory = H5Screate_simple(1, &block, NULL);
    ok = space >= 0 && memory >= 0 &&
         H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &block, NULL) >= 0 &&
         H5Dwrite(f->set, f->type, memory, space, H5P_DEFAULT, record) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    f->rows = size;
    return ok ? PAL_OK : fail_hdf5(f->path, "write to the trace", PAL_ERR_IO, err);
}

pal_status pal_trace_file_flush(pal_trace_file *f, pal_err *err) {
    return H5Dflush(f->set) >= 0 ? PAL_OK
                                 : fail_hdf5(f->path, "write to the trace", PAL_ERR_IO, err);
}

pal_status pal_trace_file_close(pal_trace_file *f, const char *hash, uint64_t dropped,
                                const char *live_edits, pal_err *err) {
    close_handles(f); // attributes cannot be added in the mode of many readers
    pal_status status = PAL_OK;
    if (hash != NULL) {
        hid_t file = f->file = H5Fopen(f->path, H5F_ACC_RDWR, H5P_DEFAULT);
        if (file < 0 || !write_text(file, "trace_hash", hash) ||
            !write_number(file, "dropped", H5T_NATIVE_UINT64, &dropped) ||
            (live_edits != NULL && !write_long_text(file, "live_edits", live_edits)) ||
            H5Fflush(file, H5F_SCOPE_GLOBAL) < 0) {
            status = fail_hdf5(f->path, "end the trace", PAL_ERR_IO, err);
        }
    }
    free_file(f);
    return status;
}

// ---- reading

static bool read_text(hid_t file, const char *name, char *text, size_t size) {
    text[0] = '\0';
    if (H5Aexists(file, name) <= 0) {
        return false;
    }
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    hid_t type = text_type(size);
    bool ok = attribute >= 0 && H5Aread(attribute, type, text) >= 0;
    text[ok ? size - 1 : 0] = '\0';
    H5Tclose(type);
    H5Aclose(attribute);
    return ok;
}

static bool read_numbers(hid_t file, const char *name, hid_t type, hssize_t count, void *value) {
    if (H5Aexists(file, name) <= 0) {
        return false;
    }
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    hid_t space = attribute >= 0 ? H5Aget_space(attribute) : H5I_INVALID_HID;
    bool ok = space >= 0 && H5Sget_simple_extent_npoints(space) == count &&
              H5Aread(attribute, type, value) >= 0;
    H5Sclose(space);
    H5Aclose(attribute);
    return ok;
}

// A scalar text of any length, on the heap.
static char *read_long_text(hid_t file, const char *name, pal_err *err) {
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    hid_t stored = set >= 0 ? H5Dget_type(set) : H5I_INVALID_HID;
    hid_t space = set >= 0 ? H5Dget_space(set) : H5I_INVALID_HID;
    size_t size = stored >= 0 ? H5Tget_size(stored) : 0;
    char *text = NULL;
    if (size > 0 && H5Tget_class(stored) == H5T_STRING && H5Tis_variable_str(stored) == 0 &&
        H5Sget_simple_extent_npoints(space) == 1) {
        text = PAL_NEW(char, size + 1, err);
        hid_t type = text_type(size + 1);
        if (text != NULL && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0) {
            free(text);
            text = NULL;
        }
        H5Tclose(type);
    }
    H5Tclose(stored);
    H5Sclose(space);
    H5Dclose(set);
    return text;
}

// As many hands as rows of limits; 0: more than there can be, or none.
static int32_t count_hands(hid_t file) {
    hid_t attribute = H5Aopen(file, "device_limits", H5P_DEFAULT);
    hid_t space = attribute >= 0 ? H5Aget_space(attribute) : H5I_INVALID_HID;
    const hssize_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : 0;
    H5Sclose(space);
    H5Aclose(attribute);
    return count % LIMITS == 0 && count <= PAL_TRACE_HANDS * LIMITS ? (int32_t)(count / LIMITS) : 0;
}

// "touch,premium": the name of each hand's device.
static void split_profiles(const char *text, pal_trace_info *info) {
    for (int32_t h = 0; h < info->hand_count; h++) {
        const size_t length = strcspn(text, ",");
        snprintf(info->limits[h].name, sizeof info->limits[h].name, "%.*s", (int)length, text);
        text += length + (text[length] == ',');
    }
}

static bool read_info(hid_t file, pal_trace_data *data) {
    pal_trace_info *info = &data->info;
    double limits[PAL_TRACE_HANDS][LIMITS];
    char profiles[PAL_TRACE_TEXT + PAL_TRACE_HANDS];
    int virtual_time, single = 0, no_local = 0, penalty = 0;
    info->hand_count = count_hands(file);
    bool ok =
        read_text(file, "scene", info->scene, sizeof info->scene) &&
        read_text(file, "device", info->device, sizeof info->device) &&
        read_text(file, "device_profile", profiles, sizeof profiles) &&
        read_text(file, "program", info->program, sizeof info->program) &&
        read_text(file, "started", info->started, sizeof info->started) &&
        read_text(file, "body_hash", info->body_hash, sizeof info->body_hash) &&
        info->hand_count > 0 &&
        read_numbers(file, "device_limits", H5T_NATIVE_DOUBLE, info->hand_count * LIMITS, limits) &&
        read_numbers(file, "dt_s", H5T_NATIVE_DOUBLE, 1, &info->dt) &&
        read_numbers(file, "delay_s", H5T_NATIVE_DOUBLE, 1, &info->delay) &&
        read_numbers(file, "seed", H5T_NATIVE_UINT64, 1, &info->seed) &&
        read_numbers(file, "virtual_time", H5T_NATIVE_INT, 1, &virtual_time);
    if (ok) {
        for (int32_t h = 0; h < info->hand_count; h++) {
            limits_in(&info->limits[h], limits[h]);
        }
        split_profiles(profiles, info);
        info->virtual_time = virtual_time != 0;
        read_numbers(file, "single_precision", H5T_NATIVE_INT, 1, &single);
        info->single = single != 0;
        read_numbers(file, "no_local", H5T_NATIVE_INT, 1, &no_local);
        info->no_local = no_local != 0;
        read_numbers(file, "penalty", H5T_NATIVE_INT, 1, &penalty);
        info->penalty = penalty != 0;
        read_text(file, "trial", info->trial, sizeof info->trial);
        read_text(file, "trace_hash", data->hash, sizeof data->hash);
        read_numbers(file, "dropped", H5T_NATIVE_UINT64, 1, &data->dropped);
    }
    return ok;
}

// What HDF5 does not find it leaves as it is, and older formats have fewer columns; without these
// there is no run.
static pal_status check_columns(hid_t set, const char *path, pal_err *err) {
    static const char *const needed[] = {"time", "position", "force"};
    hid_t type = H5Dget_type(set);
    pal_status status = PAL_OK;
    for (int i = 0; status == PAL_OK && i < 3; i++) {
        if (H5Tget_class(type) != H5T_COMPOUND || H5Tget_member_index(type, needed[i]) < 0) {
            status =
                pal_fail(err, PAL_ERR_INPUT,
                         "%s: the table 'ticks' has no column '%s'; record again", path, needed[i]);
        }
    }
    H5Tclose(type);
    return status;
}

static pal_status read_rows(hid_t file, const char *path, pal_trace_data *data, pal_err *err) {
    hid_t set = H5Dopen2(file, "ticks", H5P_DEFAULT);
    hid_t space = H5Dget_space(set), type = row_type();
    hssize_t count = H5Sget_simple_extent_npoints(space);
    pal_status status = PAL_OK;
    if (set < 0 || count < 0 || count > MOST_ROWS) {
        status = fail_hdf5(path, "read the table 'ticks'", PAL_ERR_INPUT, err);
    } else if ((status = check_columns(set, path, err)) != PAL_OK) {
        // told
    } else if ((data->record = PAL_NEW(pal_tick_record, count, err)) == NULL) {
        status = PAL_ERR_MEMORY;
    } else if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data->record) < 0) {
        status = fail_hdf5(path, "read the table 'ticks'", PAL_ERR_INPUT, err);
    }
    for (hssize_t k = 0; status == PAL_OK && k < count; k++) {
        if (data->record[k].hand >= (uint32_t)data->info.hand_count) {
            status = pal_fail(err, PAL_ERR_INPUT, "%s: row %lld is of hand %u, and there are %d",
                              path, (long long)k, data->record[k].hand, (int)data->info.hand_count);
        }
    }
    data->count = status == PAL_OK ? count : 0;
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(set);
    return status;
}

static pal_status read_all(hid_t file, const char *path, pal_trace_data *data, pal_err *err) {
    int version = 0;
    if (!read_numbers(file, "palpate_trace", H5T_NATIVE_INT, 1, &version)) {
        return pal_fail(err, PAL_ERR_INPUT, "%s: not a trace of palpate", path);
    }
    if (version < PAL_TRACE_OLDEST || version > PAL_TRACE_VERSION) {
        return pal_fail(err, PAL_ERR_VERSION,
                        "%s: trace format %d; this program reads formats %d to %d", path, version,
                        PAL_TRACE_OLDEST, PAL_TRACE_VERSION);
    }
    data->scene_path = read_long_text(file, "scene_path", err);
    data->scene_text = read_long_text(file, "scene_text", err);
    const bool edited = H5Lexists(file, "edits", H5P_DEFAULT) > 0;
    data->edits = edited ? read_long_text(file, "edits", err) : NULL;
    const bool live = H5Lexists(file, "live_edits", H5P_DEFAULT) > 0;
    data->live_edits = live ? read_long_text(file, "live_edits", err) : NULL;
    data->info.edits = data->edits;
    data->info.scene_path = data->scene_path;
    data->info.scene_text = data->scene_text;
    if (data->scene_path == NULL || data->scene_text == NULL || (edited && data->edits == NULL) ||
        (live && data->live_edits == NULL) || !read_info(file, data)) {
        return pal_fail(err, PAL_ERR_INPUT, "%s: a trace without all of its attributes", path);
    }
    return read_rows(file, path, data, err);
}

// Why a file was not opened, as plainly as can be.
static pal_status fail_open(const char *path, pal_err *err) {
    static const char signature[] = "\x89HDF\r\n\x1a\n"; // of HDF5
    char start[8] = "";
    errno = 0;
    FILE *file = fopen(path, "rb");
    const size_t size = file != NULL ? fread(start, 1, sizeof start, file) : 0;
    const int code = errno;
    if (file != NULL) {
        fclose(file);
    }
    if (code == 0 && size == sizeof start && memcmp(start, signature, size) == 0) {
        return fail_hdf5(path, "open the trace", PAL_ERR_IO, err);
    }
    return pal_fail(err, PAL_ERR_IO, "%s: cannot open the trace: %s", path,
                    code != 0   ? strerror(code)
                    : size == 0 ? "the file is empty"
                                : "it is no HDF5 file, as run --trace writes one");
}

pal_status pal_trace_read(const char *path, pal_trace_data *data, pal_err *err) {
    memset(data, 0, sizeof *data);
    silence();
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) { // cut off while it was written
        file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT);
    }
    if (file < 0) {
        return fail_open(path, err);
    }
    pal_status status = read_all(file, path, data, err);
    H5Fclose(file);
    if (status != PAL_OK) {
        pal_trace_data_free(data);
    }
    return status;
}

void pal_trace_data_free(pal_trace_data *data) {
    free(data->record);
    free(data->scene_path);
    free(data->scene_text);
    free(data->edits);
    free(data->live_edits);
    memset(data, 0, sizeof *data);
}

bool pal_trace_is_path(const char *path) {
    static const char signature[] = "\x89HDF\r\n\x1a\n"; // a model has a block of text before it
    char start[8] = "";
    FILE *file = fopen(path, "rb");
    bool is = file != NULL && fread(start, 1, sizeof start, file) == sizeof start &&
              memcmp(start, signature, sizeof start) == 0;
    if (file != NULL) {
        fclose(file);
    }
    return is;
}
