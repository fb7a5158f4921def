#include "haptics/trace_hdf5.h"

#include <hdf5.h>

#include "haptics/tick_fields.h"

int64_t pal_trace_row_type(size_t bytes) {
    const hid_t kinds[] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_UINT64, H5T_NATIVE_UINT32};
    hid_t type = H5Tcreate(H5T_COMPOUND, bytes);
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

int64_t pal_trace_text_type(size_t size) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}
