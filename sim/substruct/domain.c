#include "sim/substruct/domain.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/reduced/quartic_build.h"

static pal_status alloc_port(pal_port *port, int32_t r, int32_t vertex_count, pal_err *err) {
    size_t modes = (size_t)r;
    port->vertex_count = vertex_count;
    port->a = PAL_NEW(double, 3 * modes, err);
    port->b = PAL_NEW(double, 9 * modes, err);
    port->vertex = PAL_NEW(int32_t, vertex_count, err);
    port->weight = PAL_NEW(double, vertex_count, err);
    return port->a && port->b && port->vertex && port->weight ? PAL_OK : PAL_ERR_MEMORY;
}

pal_status pal_domain_class_alloc(pal_domain_class *class_, const int32_t *port_vertices,
                                  pal_err *err) {
    size_t r = (size_t)class_->r;
    class_->quartic = (pal_quartic){0};
    class_->lift = PAL_NEW(double, 3 * r, err);
    class_->xu = PAL_NEW(double, 9 * r, err);
    class_->uu = PAL_NEW(double, 9 * r * r, err);
    class_->port = PAL_NEW(pal_port, class_->port_count, err);
    pal_status status =
        class_->lift && class_->xu && class_->uu && class_->port ? PAL_OK : PAL_ERR_MEMORY;
    if (status == PAL_OK && r > 0) {
        status = pal_quartic_alloc(&class_->quartic, class_->r, err);
    }
    for (int32_t p = 0; status == PAL_OK && p < class_->port_count; p++) {
        status = alloc_port(&class_->port[p], class_->r, port_vertices[p], err);
    }
    if (status != PAL_OK) {
        pal_domain_class_free(class_);
    }
    return status;
}

void pal_domain_class_free(pal_domain_class *class_) {
    for (int32_t p = 0; class_->port != NULL && p < class_->port_count; p++) {
        free(class_->port[p].a);
        free(class_->port[p].b);
        free(class_->port[p].vertex);
        free(class_->port[p].weight);
    }
    pal_quartic_free(&class_->quartic);
    free(class_->lift);
    free(class_->xu);
    free(class_->uu);
    free(class_->port);
    memset(class_, 0, sizeof *class_);
}
