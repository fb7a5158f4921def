// The HDF5 of a trace. The library lays it out in memory, with tables that have no place yet; their
// places, which are in the file already, are then put into its bytes: the layout message of a
// contiguous dataset (version 3, class 1: address, size; HDF5 File Format 2.0, IV.A.2.i) and the
// superblock's end of file (version 0, II.A).
#include "haptics/trace_describe.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "haptics/trace_hdf5.h"
#include "sim/base/memory.h"
#include "sim/model/hdf5_errors.h"

// HDF5 wants a name for a file in memory, and no file of that name on the disk.
static const char nowhere[] = "/dev/null/palpate-trace";

// ---- attributes

static bool write_attribute(hid_t file, const char *name, hid_t type, hid_t space,
                            const void *value) {
    hid_t attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    H5Aclose(attribute);
    return ok;
}

static bool write_text(hid_t file, const char *name, const char *text) {
    hid_t space = H5Screate(H5S_SCALAR), type = pal_trace_text_type(strlen(text) + 1);
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

static bool write_long_text(hid_t file, const char *name, const char *text) {
    hid_t space = H5Screate(H5S_SCALAR), type = pal_trace_text_type(strlen(text) + 1);
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
    const hsize_t count[2] = {(hsize_t)info->hand_count, PAL_TRACE_LIMITS};
    double limits[PAL_TRACE_HANDS][PAL_TRACE_LIMITS];
    char profiles[PAL_TRACE_PROFILES];
    pal_trace_profiles_join(info, profiles);
    for (int32_t h = 0; h < info->hand_count; h++) {
        pal_trace_limits_out(&info->limits[h], limits[h]);
    }
    hid_t row = H5Screate_simple(2, count, NULL);
    bool ok = write_number(file, "palpate_trace", H5T_NATIVE_INT, &version) &&
              write_text(file, "scene", info->scene) && write_text(file, "device", info->device) &&
              write_text(file, "device_profile", profiles) &&
              write_text(file, "program", info->program) &&
              (info->kernels[0] == '\0' || write_text(file, "kernels", info->kernels)) &&
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

// ---- the file in memory

// A contiguous dataset that is not written, and therefore has no place.
static bool make_placeless(hid_t file, const char *name, hid_t type, hid_t space) {
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    bool ok = H5Pset_layout(plist, H5D_CONTIGUOUS) >= 0 &&
              H5Pset_alloc_time(plist, H5D_ALLOC_TIME_LATE) >= 0 &&
              H5Pset_fill_time(plist, H5D_FILL_TIME_NEVER) >= 0;
    hid_t set =
        ok ? H5Dcreate2(file, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT) : H5I_INVALID_HID;
    H5Dclose(set);
    H5Pclose(plist);
    return set >= 0;
}

static bool make_tables(hid_t file, const pal_trace_tail *tail) {
    const hsize_t rows = tail->rows;
    hid_t type = pal_trace_row_type(PAL_TRACE_ROW), space = H5Screate_simple(1, &rows, NULL);
    bool ok = H5Tinsert(type, "seal", sizeof(pal_tick_record), H5T_NATIVE_UINT64) >= 0 &&
              make_placeless(file, "ticks", type, space);
    H5Sclose(space);
    H5Tclose(type);
    if (tail->live_edits != NULL && tail->live_edits[0] != '\0') {
        space = H5Screate(H5S_SCALAR);
        type = pal_trace_text_type(strlen(tail->live_edits));
        H5Tset_strpad(type, H5T_STR_NULLPAD);
        ok = ok && make_placeless(file, "live_edits", type, space);
        H5Tclose(type);
        H5Sclose(space);
    }
    return ok;
}

static bool write_all(hid_t file, const pal_trace_info *info, const pal_trace_tail *tail) {
    return write_info(file, info) && write_text(file, "trace_hash", tail->run_hash) &&
           write_number(file, "dropped", H5T_NATIVE_UINT64, &tail->dropped) &&
           make_tables(file, tail) && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
}

static pal_status make_image(const char *path, const pal_trace_info *info,
                             const pal_trace_tail *tail, size_t head, char **bytes, size_t *size,
                             pal_err *err) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), create = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_fapl_core(access, 65536, 0);
    H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18);
    H5Pset_userblock(create, head);
    hid_t file = H5Fcreate(nowhere, H5F_ACC_TRUNC, create, access);
    const bool ok = file >= 0 && write_all(file, info, tail);
    const ssize_t length = ok ? H5Fget_file_image(file, NULL, 0) : -1;
    pal_status status =
        length > 64 ? PAL_OK : pal_hdf5_fail(path, "describe", "the trace", PAL_ERR_IO, err);
    if (status == PAL_OK) {
        *size = (size_t)length;
        *bytes = PAL_NEW(char, length, err);
        status = *bytes == NULL ? PAL_ERR_MEMORY
                 : H5Fget_file_image(file, *bytes, *size) == length
                     ? PAL_OK
                     : pal_hdf5_fail(path, "describe", "the trace", PAL_ERR_IO, err);
    }
    H5Fclose(file);
    H5Pclose(create);
    H5Pclose(access);
    return status;
}

// ---- places

static void put_le(char *to, uint64_t value) {
    for (int i = 0; i < 8; i++) {
        to[i] = (char)(value >> 8 * i);
    }
}

// Gives the one dataset of this size that has no place its own.
static bool place(char *bytes, size_t size, uint64_t extent, uint64_t at) {
    char message[18] = {3, 1};
    int found = 0;
    memset(message + 2, 0xff, 8);
    put_le(message + 10, extent);
    for (size_t i = 0; i + sizeof message <= size; i++) {
        if (memcmp(bytes + i, message, sizeof message) == 0) {
            put_le(bytes + i + 2, at);
            found++;
        }
    }
    return found == 1;
}

static bool place_all(char *bytes, size_t size, const pal_trace_tail *tail,
                      const pal_trace_parts *parts) {
    const uint64_t rows = tail->rows * PAL_TRACE_ROW;
    const size_t edits = tail->live_edits != NULL ? strlen(tail->live_edits) : 0;
    const bool superblock = memcmp(bytes, "\x89HDF\r\n\x1a\n", 8) == 0 && bytes[8] == 0;
    if (!superblock || (edits == rows && edits > 0)) { // which would be which
        return false;
    }
    put_le(bytes + 40, parts->size);
    return (rows == 0 || place(bytes, size, rows, parts->rows_at - parts->head)) &&
           (edits == 0 || place(bytes, size, edits, parts->edits_at - parts->head));
}

pal_status pal_trace_describe(const char *path, const pal_trace_info *info,
                              const pal_trace_tail *tail, const pal_trace_parts *parts,
                              char **bytes, size_t *size, pal_err *err) {
    *bytes = NULL;
    pal_hdf5_voice before = pal_hdf5_silence();
    pal_status status = make_image(path, info, tail, parts->head, bytes, size, err);
    pal_hdf5_restore(before);
    if (status == PAL_OK && !place_all(*bytes, *size, tail, parts)) {
        status = pal_fail(err, PAL_ERR_UNSUPPORTED,
                          "%s: this HDF5 lays out files in a way that is not known here; the trace "
                          "is whole without it and palpate reads it",
                          path);
    }
    if (status != PAL_OK) {
        free(*bytes);
        *bytes = NULL;
    }
    return status;
}
