// What there is to say about a baked model, for `info`, `bake` and `demo`.
#ifndef PAL_APP_MODEL_FACTS_H
#define PAL_APP_MODEL_FACTS_H

#include <stdio.h>

#include "app/json.h"
#include "sim/model/model.h"

void pal_model_facts_print(const pal_model *model, FILE *out);
void pal_model_facts_json(const pal_model *model, cJSON *object);

// What a table of local compliance holds, as an object.
cJSON *pal_local_json(const pal_local *local);

// A table of the first `most` frequencies.
void pal_model_facts_modes(const pal_model *model, int most, FILE *out);

#endif
