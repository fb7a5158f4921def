#include "sim/model/archive.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/cpu_level.h"
#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "sim/model/hdf5_errors.h"
#include "sim/model/model_block.h"

enum { PATH_ROOM = 160 };

// HDF5 wants a name for a file in memory, and no file of that name on the disk.
static const char nowhere[] = "/dev/null/palpate-model";

struct pal_archive {    // an HDF5 file in memory, open for writing or for reading
    const char *name;   // for messages
    pal_status trouble; // what an error of HDF5 means here
    hid_t file;
    size_t size; // bytes of the file that is read
};
typedef struct pal_archive archive;

// "x.h5: cannot write /mesh/x: why HDF5 could not".
static pal_status fail_hdf5(const archive *a, const char *verb, const char *path, pal_err *err) {
    return pal_hdf5_fail(a->name, verb, path, a->trouble, err);
}

static void path_of(const pal_field *field, char path[PATH_ROOM]) {
    snprintf(path, PATH_ROOM, "%s/%s", field->group, field->name);
}

// ---- Types and shapes ----

static bool is_text(const pal_field *field) {
    return field->type == PAL_FIELD_TEXT || field->type == PAL_FIELD_STRING;
}

static hid_t file_type(const pal_field *field) {
    return field->type == PAL_FIELD_F64   ? H5T_IEEE_F64LE
           : field->type == PAL_FIELD_F32 ? H5T_IEEE_F32LE
           : field->type == PAL_FIELD_I32 ? H5T_STD_I32LE
                                          : H5T_STD_U8LE;
}

static hid_t memory_type(const pal_field *field) {
    return field->type == PAL_FIELD_F64   ? H5T_NATIVE_DOUBLE
           : field->type == PAL_FIELD_F32 ? H5T_NATIVE_FLOAT
           : field->type == PAL_FIELD_I32 ? H5T_NATIVE_INT32
                                          : H5T_NATIVE_UINT8;
}

// UTF-8 of a fixed size, NUL included. Close it.
static hid_t text_type(const char *text) {
    hid_t type = H5Tcopy(H5T_C_S1);
    if (H5Tset_size(type, strlen(text) + 1) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0) {
        H5Tclose(type);
        return H5I_INVALID_HID;
    }
    return type;
}

static hid_t make_space(const pal_field *field) {
    hsize_t shape[3];
    for (int i = 0; i < field->rank; i++) {
        shape[i] = (hsize_t)field->shape[i];
    }
    return field->rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(field->rank, shape, NULL);
}

// ---- Writing ----

static bool write_attribute(hid_t object, const char *name, const char *text) {
    hid_t space = H5Screate(H5S_SCALAR), type = text_type(text);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = H5Awrite(attribute, type, text) >= 0;
    H5Aclose(attribute);
    H5Tclose(type);
    H5Sclose(space);
    return ok;
}

// Neither groups nor datasets may store the time: the same model gives the same bytes.
static bool write_group(hid_t file, const pal_field *field) {
    hid_t plist = H5Pcreate(H5P_GROUP_CREATE);
    bool ok = H5Pset_obj_track_times(plist, 0) >= 0;
    hid_t group = H5Gcreate2(file, field->group, H5P_DEFAULT, plist, H5P_DEFAULT);
    ok = ok && group >= 0 && write_attribute(group, "description", field->about);
    H5Gclose(group);
    H5Pclose(plist);
    return ok;
}

static bool write_dataset(hid_t file, const char *path, const pal_field *field) {
    const void *data = field->type == PAL_FIELD_STRING ? *(char **)field->data : field->data;
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE), space = make_space(field);
    hid_t type = is_text(field) ? text_type(data) : H5Tcopy(file_type(field));
    bool ok =
        H5Pset_obj_track_times(plist, 0) >= 0 && H5Pset_fill_time(plist, H5D_FILL_TIME_NEVER) >= 0;
    hid_t set = H5Dcreate2(file, path, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    ok = ok && set >= 0 && (field->units == NULL || write_attribute(set, "units", field->units)) &&
         write_attribute(set, "description", field->about) &&
         H5Dwrite(set, is_text(field) ? type : memory_type(field), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                  data) >= 0;
    H5Dclose(set);
    H5Tclose(type);
    H5Sclose(space);
    H5Pclose(plist);
    return ok;
}

static pal_status write_visit(void *context, const pal_field *field, pal_err *err) {
    archive *a = context;
    char path[PATH_ROOM];
    if (field->type == PAL_FIELD_GROUP) {
        return write_group(a->file, field) ? PAL_OK : fail_hdf5(a, "make", field->group, err);
    }
    path_of(field, path);
    return write_dataset(a->file, path, field) ? PAL_OK : fail_hdf5(a, "make", path, err);
}

static pal_status write_all(archive *a, const pal_archive_kind *kind,
                            const pal_archive_marks *marks, pal_archive_walk *walk, void *object,
                            pal_err *err) {
    char kernels[PAL_CPU_TEXT];
    pal_cpu_kernels(kernels);
    hid_t root = H5Gopen2(a->file, "/", H5P_DEFAULT);
    bool ok = write_attribute(root, "description", kind->about) &&
              write_attribute(root, "program", "palpate " PAL_VERSION) &&
              write_attribute(root, "kernels", kernels) &&
              write_attribute(root, "content_hash", marks->hash);
    if (marks->key != NULL && marks->key[0] != '\0') {
        ok = ok && write_attribute(root, "scene_key", marks->key);
    }
    H5Gclose(root);
    return ok ? walk(object, write_visit, a, err) : fail_hdf5(a, "describe", "/", err);
}

// The finished file as a heap array; HDF5 leaves the user block out of its image.
static pal_status take_image(archive *a, char **data, size_t *size, const pal_archive_kind *kind,
                             pal_err *err) {
    ssize_t length =
        H5Fflush(a->file, H5F_SCOPE_GLOBAL) < 0 ? -1 : H5Fget_file_image(a->file, NULL, 0);
    if (length < 0) {
        return fail_hdf5(a, "finish", "the file", err);
    }
    char *bytes = PAL_NEW(char, PAL_MODEL_BLOCK + length, err);
    if (bytes == NULL) {
        return PAL_ERR_MEMORY;
    }
    if (H5Fget_file_image(a->file, bytes + PAL_MODEL_BLOCK, (size_t)length) != length) {
        free(bytes);
        return fail_hdf5(a, "finish", "the file", err);
    }
    *size = PAL_MODEL_BLOCK + (size_t)length;
    *data = bytes;
    pal_model_block_fill(bytes, *size, kind);
    return PAL_OK;
}

static pal_status make_image(const char *name, const pal_archive_kind *kind, double bytes,
                             const pal_archive_marks *marks, pal_archive_walk *walk, void *object,
                             char **data, size_t *size, pal_err *err) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), create = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_fapl_core(access, (size_t)(bytes / 8.0) + 65536, 0);
    H5Pset_userblock(create, PAL_MODEL_BLOCK);
    archive a = {name, PAL_ERR_IO, H5Fcreate(nowhere, H5F_ACC_TRUNC, create, access), 0};
    pal_status status = a.file >= 0 ? write_all(&a, kind, marks, walk, object, err)
                                    : fail_hdf5(&a, "make", "it", err);
    if (status == PAL_OK) {
        status = take_image(&a, data, size, kind, err);
    }
    H5Fclose(a.file);
    H5Pclose(create);
    H5Pclose(access);
    return status;
}

pal_status pal_archive_image(const char *name, const pal_archive_kind *kind, double bytes,
                             const pal_archive_marks *marks, pal_archive_walk *walk, void *object,
                             char **data, size_t *size, pal_err *err) {
    *data = NULL;
    *size = 0;
    pal_hdf5_voice before = pal_hdf5_silence();
    pal_status status = make_image(name, kind, bytes, marks, walk, object, data, size, err);
    pal_hdf5_restore(before);
    return status;
}

// ---- Reading ----

// Whether a dataset is stored plainly, as we write it.
static bool is_plain(hid_t set) {
    hid_t plist = H5Dget_create_plist(set);
    bool plain = H5Pget_layout(plist) == H5D_CONTIGUOUS && H5Pget_external_count(plist) == 0;
    H5Pclose(plist);
    return plain;
}

static bool has_shape(hid_t set, const pal_field *field) {
    hid_t space = H5Dget_space(set);
    hsize_t shape[3] = {0, 0, 0};
    int rank = H5Sget_simple_extent_ndims(space);
    bool same = rank == field->rank && H5Sget_simple_extent_dims(space, shape, NULL) == rank;
    for (int i = 0; same && i < rank; i++) {
        same = shape[i] == (hsize_t)field->shape[i];
    }
    H5Sclose(space);
    return same;
}

static pal_status fail_form(const archive *a, const char *path, pal_err *err) {
    return pal_fail(err, PAL_ERR_INPUT, "%s: %s is not of the type and shape expected", a->name,
                    path);
}

static pal_status read_text(const archive *a, hid_t set, hid_t type, const char *path,
                            const pal_field *field, pal_err *err) {
    size_t size = H5Tget_size(type);
    bool fixed = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
    bool heap = field->type == PAL_FIELD_STRING;
    if (!fixed || size < 1 || size > H5Dget_storage_size(set) ||
        (!heap && size > (size_t)field->limit)) {
        return fail_form(a, path, err);
    }
    char *text = heap ? PAL_NEW(char, size, err) : field->data;
    if (text == NULL) {
        return PAL_ERR_MEMORY;
    }
    if (heap) {
        *(char **)field->data = text;
    }
    if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0) {
        text[0] = '\0';
        return fail_hdf5(a, "read", path, err);
    }
    text[size - 1] = '\0';
    return PAL_OK;
}

static pal_status read_dataset(const archive *a, hid_t set, const char *path,
                               const pal_field *field, pal_err *err) {
    hid_t type = H5Dget_type(set);
    pal_status status = PAL_OK;
    if (!is_plain(set) || !has_shape(set, field)) {
        status = fail_form(a, path, err);
    } else if (is_text(field)) {
        status = read_text(a, set, type, path, field, err);
    } else if (H5Tequal(type, file_type(field)) <= 0) {
        status = fail_form(a, path, err);
    } else if (H5Dread(set, memory_type(field), H5S_ALL, H5S_ALL, H5P_DEFAULT, field->data) < 0) {
        status = fail_hdf5(a, "read", path, err);
    }
    H5Tclose(type);
    return status;
}

pal_status pal_archive_take(void *context, const pal_field *field, pal_err *err) {
    const archive *a = context;
    if (field->type == PAL_FIELD_GROUP) {
        return PAL_OK;
    }
    char path[PATH_ROOM];
    path_of(field, path);
    if (field->limit == PAL_FIELD_OPTIONAL && H5Lexists(a->file, path, H5P_DEFAULT) == 0) {
        return PAL_OK;
    }
    hid_t set = H5Dopen2(a->file, path, H5P_DEFAULT);
    if (set < 0) {
        return fail_hdf5(a, "open", path, err);
    }
    pal_status status = read_dataset(a, set, path, field, err);
    H5Dclose(set);
    return status;
}

// Whether an attribute is a text as long as a hash, which is taken then.
static bool take_mark(const pal_archive *a, const char *name, char text[PAL_HASH_TEXT]) {
    hid_t attribute = H5Aopen(a->file, name, H5P_DEFAULT);
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    bool ok = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
              H5Tget_size(type) == PAL_HASH_TEXT && H5Sget_simple_extent_npoints(space) == 1 &&
              H5Aread(attribute, type, text) >= 0;
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    text[ok ? PAL_HASH_TEXT - 1 : 0] = '\0';
    return ok;
}

pal_status pal_archive_check_hash(const pal_archive *a, const char *actual, pal_err *err) {
    char stored[PAL_HASH_TEXT];
    if (!take_mark(a, "content_hash", stored) || strcmp(stored, actual) != 0) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "%s: the content is not what its hash says; bake the scene again", a->name);
    }
    return PAL_OK;
}

void pal_archive_take_key(const pal_archive *a, char key[PAL_HASH_TEXT]) {
    key[0] = '\0';
    if (H5Aexists(a->file, "scene_key") > 0) {
        take_mark(a, "scene_key", key);
    }
}

pal_status pal_archive_check_room(const pal_archive *a, double bytes, pal_err *err) {
    return bytes <= (double)a->size
               ? PAL_OK
               : pal_fail(err, PAL_ERR_INPUT, "%s: its counts need more bytes than it has",
                          a->name);
}

const char *pal_archive_name(const pal_archive *a) {
    return a->name;
}

// HDF5 reads the bytes where they lie: what it would copy them to is the same place.
typedef struct lent {
    const void *data;
    size_t size;
} lent;

static void *lend(size_t size, H5FD_file_image_op_t op, void *user) {
    (void)op;
    const lent *l = user;
    return size == l->size ? (void *)l->data : NULL;
}
static void *copy_nothing(void *to, const void *from, size_t size, H5FD_file_image_op_t op,
                          void *user) {
    (void)size;
    (void)op;
    (void)user;
    return to == from ? to : NULL;
}
static void *grow_nothing(void *data, size_t size, H5FD_file_image_op_t op, void *user) {
    (void)op;
    const lent *l = user;
    return size == l->size ? data : NULL;
}
static herr_t free_nothing(void *data, H5FD_file_image_op_t op, void *user) {
    (void)data;
    (void)op;
    (void)user;
    return 0;
}
static void *same_user(void *user) {
    return user;
}
static herr_t keep_user(void *user) {
    (void)user;
    return 0;
}

static bool lend_image(hid_t access, lent *l) {
    H5FD_file_image_callbacks_t calls = {.image_malloc = lend,
                                         .image_memcpy = copy_nothing,
                                         .image_realloc = grow_nothing,
                                         .image_free = free_nothing,
                                         .udata_copy = same_user,
                                         .udata_free = keep_user,
                                         .udata = l};
    return H5Pset_file_image_callbacks(access, &calls) >= 0 &&
           H5Pset_file_image(access, (void *)l->data, l->size) >= 0;
}

static pal_status read_image(const char *name, const char *data, size_t size,
                             pal_archive_parse *parse, void *object, pal_err *err) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    archive a = {name, PAL_ERR_INPUT, H5I_INVALID_HID, size};
    lent image = {data, size};
    // the bytes do not change: what cannot be read the first time never can (HDF5 would wait)
    if (H5Pset_fapl_core(access, 65536, 0) >= 0 && H5Pset_metadata_read_attempts(access, 1) >= 0 &&
        lend_image(access, &image)) {
        a.file = H5Fopen(nowhere, H5F_ACC_RDONLY, access);
    }
    pal_status status = a.file >= 0 ? parse(object, &a, err) : fail_hdf5(&a, "open", "it", err);
    H5Fclose(a.file);
    H5Pclose(access);
    return status;
}

pal_status pal_archive_open(const char *name, const pal_archive_kind *kind, const void *data,
                            size_t size, pal_archive_parse *parse, void *object, pal_err *err) {
    pal_status status = pal_model_block_check(name, data, size, kind, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_hdf5_voice before = pal_hdf5_silence();
    status = read_image(name, data, size, parse, object, err);
    pal_hdf5_restore(before);
    return status;
}
