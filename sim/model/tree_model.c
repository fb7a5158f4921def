#include "sim/model/tree_model.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/contact/joint_build.h"

pal_status pal_tree_model_alloc(pal_tree_model *model, pal_err *err) {
    model->body = PAL_NEW(pal_model, model->class_count, err);
    model->class_ = PAL_NEW(pal_domain_class, model->class_count, err);
    model->domain = PAL_NEW(pal_domain, model->domain_count, err);
    model->domain_name = pal_alloc((size_t)model->domain_count, PAL_DOMAIN_NAME, err);
    if (!model->body || !model->class_ || !model->domain || !model->domain_name) {
        pal_tree_model_free(model);
        return PAL_ERR_MEMORY;
    }
    model->tree = (pal_tree){.class_count = model->class_count,
                             .class_ = model->class_,
                             .domain_count = model->domain_count,
                             .domain = model->domain};
    return PAL_OK;
}

void pal_tree_model_free(pal_tree_model *model) {
    for (int32_t k = 0; k < model->class_count; k++) {
        if (model->body != NULL) {
            pal_model_free(&model->body[k]);
        }
        if (model->class_ != NULL) {
            pal_domain_class_free(&model->class_[k]);
        }
    }
    pal_joints_free(&model->joints);
    free(model->body);
    free(model->class_);
    free(model->domain);
    free(model->domain_name);
    free(model->name);
    free(model->scene_text);
    memset(model, 0, sizeof *model);
}

static bool is_meant(const char *pattern, const char *name) {
    const size_t length = strlen(pattern);
    return length > 0 && pattern[length - 1] == '*' ? strncmp(pattern, name, length - 1) == 0
                                                    : strcmp(pattern, name) == 0;
}

int32_t pal_tree_model_find(const pal_tree_model *model, const char *name, int32_t *domain,
                            pal_err *err) {
    int32_t count = 0;
    for (int32_t d = 0; d < model->domain_count; d++) {
        if (is_meant(name, model->domain_name[d])) {
            domain[count++] = d;
        }
    }
    if (count == 0) {
        pal_fail(err, PAL_ERR_INPUT, "there is no domain '%.64s'; a name may end in *", name);
    }
    return count;
}
