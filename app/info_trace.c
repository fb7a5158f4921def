// Traces.
#include <math.h>
#include <string.h>

#include "app/info.h"
#include "app/style.h"
#include "app/table.h"
#include "app/traces.h"
#include "haptics/fault.h"
#include "sim/base/vec3.h"

typedef struct facts {
    double seconds, max_force, max_depth;
    double max_torque;
    int64_t ticks, touching;
    char profiles[160];           // of all hands
    const pal_tick_record *fault; // the first row without force for a fault; NULL: none
} facts;

static facts gather(const pal_trace_data *trace) {
    facts f = {.ticks = trace->count / trace->info.hand_count};
    uint64_t counted = UINT64_MAX;
    f.seconds = (double)f.ticks * trace->info.dt;
    for (int32_t h = 0; h < trace->info.hand_count; h++) {
        strcat(strcat(f.profiles, h > 0 ? ", " : ""), trace->info.limits[h].name);
    }
    for (int64_t k = 0; k < trace->count; k++) {
        const pal_tick_record *record = &trace->record[k];
        f.max_force = fmax(f.max_force, pal_norm3(record->force));
        f.max_depth = fmax(f.max_depth, record->depth);
        f.max_torque = fmax(f.max_torque, pal_norm3(record->torque));
        f.fault = f.fault == NULL && record->fault != PAL_CAUSE_NONE ? record : f.fault;
        if (record->touching > 0 && record->tick != counted) {
            counted = record->tick;
            f.touching++;
        }
    }
    return f;
}

static int64_t count_lines(const char *text) {
    int64_t count = 0;
    for (; *text != '\0'; text++) {
        count += *text == '\n';
    }
    return count;
}

static void print_trace(const char *path, const pal_trace_data *trace, const facts *f) {
    const pal_trace_info *info = &trace->info;
    printf("%s%s%s - a trace of the scene '%s'\n", pal_style_bold(stdout), path,
           pal_style_plain(stdout), info->scene);
    pal_table_fact(stdout, "made", "%s by %s, in %s time", info->started, info->program,
                   info->virtual_time ? "virtual" : "real");
    if (info->kernels[0] != '\0') {
        pal_table_fact(stdout, "kernels", "%s", info->kernels);
    }
    pal_table_fact(stdout, "device", "%s (%s), seed %llu", info->device, f->profiles,
                   (unsigned long long)info->seed);
    if (info->single) {
        pal_table_fact(stdout, "precision", "single");
    }
    if (info->no_local) {
        pal_table_fact(stdout, "local compliance", "left out");
    }
    if (info->penalty) {
        pal_table_fact(stdout, "contact", "penalty form");
    }
    for (const char *line = info->edits; line != NULL && *line != '\0';) {
        int length = (int)strcspn(line, "\n");
        pal_table_fact(stdout, "edit", "%.*s", length, line);
        line += length + (line[length] != '\0');
    }
    if (trace->live_edits != NULL) {
        pal_table_fact(stdout, "edits in the run", "%s",
                       pal_say_count(count_lines(trace->live_edits)).text);
    }
    pal_table_fact(stdout, "ticks", "%s (%s), %s dropped", pal_say_count(f->ticks).text,
                   pal_say_time(f->seconds).text, pal_say_count((int64_t)trace->dropped).text);
    pal_table_fact(stdout, "in contact", "%s ticks", pal_say_count(f->touching).text);
    pal_table_fact(stdout, "largest force", "%.3f N", f->max_force);
    if (f->max_torque > 0.0) {
        pal_table_fact(stdout, "largest torque", "%.2f mN m", 1e3 * f->max_torque);
    }
    pal_table_fact(stdout, "deepest contact", "%s", pal_say_length(f->max_depth).text);
    if (f->fault != NULL) {
        pal_table_fact(stdout, "fault", "hand %u at %.3f s: %s", f->fault->hand + 1, f->fault->time,
                       pal_fault_say((unsigned)f->fault->fault)->text);
    }
    pal_table_fact(stdout, "trace hash", "%s",
                   trace->hash[0] != '\0' ? trace->hash : "none: the run was cut off");
    pal_table_fact(stdout, "the file is", "%s%s%s", pal_traces_state(trace),
                   trace->note[0] != '\0' ? ": " : "", trace->note);
}

static pal_status json_trace(const char *path, const pal_trace_data *trace, const facts *f,
                             pal_err *err) {
    const pal_trace_info *info = &trace->info;
    cJSON *root = pal_json_object();
    pal_json_text(root, "kind", "trace");
    pal_json_text(root, "file", path);
    pal_json_text(root, "scene", info->scene);
    pal_json_text(root, "device", info->device);
    pal_json_text(root, "profile", f->profiles);
    pal_json_text(root, "started", info->started);
    pal_json_text(root, "program", info->program);
    pal_json_text(root, "kernels", info->kernels);
    pal_json_bool(root, "virtual_time", info->virtual_time);
    pal_json_number(root, "seed", (double)info->seed);
    pal_json_bool(root, "single_precision", info->single);
    pal_json_bool(root, "no_local", info->no_local);
    pal_json_text(root, "response", info->penalty ? "penalty" : "compliance");
    pal_json_text(root, "edits", info->edits != NULL ? info->edits : "");
    pal_json_text(root, "live_edits", trace->live_edits != NULL ? trace->live_edits : "");
    pal_json_number(root, "dt_s", info->dt);
    pal_json_number(root, "hands", (double)trace->info.hand_count);
    pal_json_number(root, "ticks", (double)f->ticks);
    pal_json_number(root, "dropped", (double)trace->dropped);
    pal_json_number(root, "ticks_in_contact", (double)f->touching);
    pal_json_number(root, "max_force_n", f->max_force);
    pal_json_number(root, "max_torque_nm", f->max_torque);
    pal_json_number(root, "max_penetration_m", f->max_depth);
    pal_json_text(root, "fault",
                  pal_fault_say(f->fault != NULL ? (unsigned)f->fault->fault : 0)->key);
    pal_json_number(root, "fault_time_s", f->fault != NULL ? f->fault->time : NAN);
    pal_json_text(root, "trace_hash", trace->hash);
    pal_json_text(root, "state", pal_traces_state(trace));
    pal_json_text(root, "note", trace->note);
    return pal_json_print(root, err);
}

pal_status pal_info_trace(const pal_job *job, const char *path, pal_err *err) {
    pal_trace_data trace;
    pal_status status = pal_traces_read(path, &trace, err);
    if (status != PAL_OK) {
        return status;
    }
    facts f = gather(&trace);
    if (job->json) {
        status = json_trace(path, &trace, &f, err);
    } else {
        print_trace(path, &trace, &f);
    }
    pal_trace_data_free(&trace);
    return status;
}
