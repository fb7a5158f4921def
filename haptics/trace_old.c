// HDF5 reads these; new ones are read without it (trace_read.c).
#include "haptics/trace_old.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "haptics/trace_hdf5.h"
#include "haptics/trace_layout.h"
#include "sim/base/memory.h"
#include "sim/model/hdf5_errors.h"

static bool read_text(hid_t file, const char *name, char *text, size_t size) {
    text[0] = '\0';
    if (H5Aexists(file, name) <= 0) {
        return false;
    }
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    hid_t type = pal_trace_text_type(size);
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
        hid_t type = pal_trace_text_type(size + 1);
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
    return count % PAL_TRACE_LIMITS == 0 && count <= PAL_TRACE_HANDS * PAL_TRACE_LIMITS
               ? (int32_t)(count / PAL_TRACE_LIMITS)
               : 0;
}

static bool read_info(hid_t file, pal_trace_data *data) {
    pal_trace_info *info = &data->info;
    double limits[PAL_TRACE_HANDS][PAL_TRACE_LIMITS];
    char profiles[PAL_TRACE_PROFILES];
    int virtual_time, single = 0, no_local = 0, penalty = 0;
    info->hand_count = count_hands(file);
    bool ok = read_text(file, "scene", info->scene, sizeof info->scene) &&
              read_text(file, "device", info->device, sizeof info->device) &&
              read_text(file, "device_profile", profiles, sizeof profiles) &&
              read_text(file, "program", info->program, sizeof info->program) &&
              read_text(file, "started", info->started, sizeof info->started) &&
              read_text(file, "body_hash", info->body_hash, sizeof info->body_hash) &&
              info->hand_count > 0 &&
              read_numbers(file, "device_limits", H5T_NATIVE_DOUBLE,
                           info->hand_count * PAL_TRACE_LIMITS, limits) &&
              read_numbers(file, "dt_s", H5T_NATIVE_DOUBLE, 1, &info->dt) &&
              read_numbers(file, "delay_s", H5T_NATIVE_DOUBLE, 1, &info->delay) &&
              read_numbers(file, "seed", H5T_NATIVE_UINT64, 1, &info->seed) &&
              read_numbers(file, "virtual_time", H5T_NATIVE_INT, 1, &virtual_time);
    if (ok) {
        for (int32_t h = 0; h < info->hand_count; h++) {
            pal_trace_limits_in(&info->limits[h], limits[h]);
        }
        pal_trace_profiles_split(profiles, info);
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
    hid_t space = H5Dget_space(set), type = pal_trace_row_type(sizeof(pal_tick_record));
    hssize_t count = H5Sget_simple_extent_npoints(space);
    pal_status status = PAL_OK;
    if (set < 0 || count < 0 || count > PAL_TRACE_MOST_ROWS) {
        status = pal_hdf5_fail(path, "read", "the table 'ticks'", PAL_ERR_INPUT, err);
    } else if ((status = check_columns(set, path, err)) != PAL_OK) {
        // told
    } else if ((data->record = PAL_NEW(pal_tick_record, count, err)) == NULL) {
        status = PAL_ERR_MEMORY;
    } else if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data->record) < 0) {
        status = pal_hdf5_fail(path, "read", "the table 'ticks'", PAL_ERR_INPUT, err);
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
    if (version < PAL_TRACE_OLDEST || version > PAL_TRACE_NEWEST_OLD) {
        return pal_fail(err, PAL_ERR_VERSION,
                        "%s: trace format %d; this program reads formats %d to %d", path, version,
                        PAL_TRACE_OLDEST, PAL_TRACE_VERSION);
    }
    data->version = version;
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

// Nobody writes to the file any more: what cannot be read the first time never can.
static hid_t open_file(const char *path, unsigned flags) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_metadata_read_attempts(access, 1);
    hid_t file = H5Fopen(path, flags, access);
    H5Pclose(access);
    return file;
}

pal_status pal_trace_read_old(const char *path, pal_trace_data *data, pal_err *err) {
    pal_hdf5_voice before = pal_hdf5_silence();
    hid_t file = open_file(path, H5F_ACC_RDONLY);
    if (file < 0) { // cut off while it was written
        file = open_file(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ);
    }
    pal_status status = file >= 0 ? read_all(file, path, data, err)
                                  : pal_hdf5_fail(path, "open", "the trace", PAL_ERR_IO, err);
    H5Fclose(file);
    pal_hdf5_restore(before);
    return status;
}
