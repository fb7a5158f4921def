// A report of contact feel: a folder with a page for people, a file for programs, and the traces.
#include <stdio.h>
#include <string.h>

#include "app/feel/feel_report_parts.h"
#include "sim/base/file.h"

enum { PATH = 1024 };

// ---- the folder

// The folder with those above it, and its folder of traces.
static pal_status make_folders(const char *dir, pal_err *err) {
    char path[PATH];
    if (strlen(dir) + 64 > sizeof path) {
        return pal_fail(err, PAL_ERR_USAGE, "the name of the report's folder is too long");
    }
    snprintf(path, sizeof path, "%s/traces", dir);
    return pal_file_make_folders(path, err);
}

static void trace_path(const char *dir, const pal_feel_trial *trial, char path[PATH]) {
    snprintf(path, PATH, "%s/traces/%s.h5", dir, trial->name);
}

// ---- the page

// A recording of another program is no trace of ours.
static bool has_trace(const pal_feel_trial *trial) {
    return trial->trace.count > 0 && trial->trace.scene_text != NULL;
}

// The trials of which a picture tells most.
static bool is_pictured(const pal_feel_trial *trial) {
    return trial->kind == PAL_TRIAL_PRESS || trial->kind == PAL_TRIAL_BEND ||
           trial->kind == PAL_TRIAL_EDGE || trial->kind == PAL_TRIAL_TWO_TOOLS ||
           trial->kind == PAL_TRIAL_ANY;
}

// The map takes a second, which a quick suite does not have, and a device that is known.
static bool has_stability(const pal_feel *feel) {
    const pal_feel_trial *first = pal_feel_first_run(feel);
    return !feel->wish.quick && first != NULL && first->seen.limits.mass > 0.0 &&
           first->seen.limits.max_stiffness > 0.0;
}

static void add_links(pal_html *html, const pal_feel *feel) {
    pal_html_links(html, "Contents");
    pal_html_link(html, "verdicts", "verdicts");
    for (int i = 0; i < feel->trial_count; i++) {
        char id[PAL_TRIAL_NAME + 8];
        snprintf(id, sizeof id, "trial-%s", feel->trial[i].name);
        pal_html_link(html, id, feel->trial[i].name);
    }
    pal_html_link(html, "times", "compute time");
    if (has_stability(feel)) {
        pal_html_link(html, "stability", "stability");
    }
    pal_html_link(html, "definitions", "definitions");
    pal_html_links_end(html);
}

static pal_status add_trial(pal_html *html, const pal_feel_trial *trial,
                            const pal_feel_trial *other, const char *dir, pal_err *err) {
    char id[PAL_TRIAL_NAME + 8], path[PATH];
    snprintf(id, sizeof id, "trial-%s", trial->name);
    trace_path(dir, trial, path);
    pal_html_heading(html, 2, id, trial->name);
    pal_html_remark(html, "about", "%s", trial->about);
    if (trial->incident.kind != PAL_INCIDENT_NONE) {
        pal_html_remark(html, "unknown", "This trial: %s. %s",
                        pal_incident_name(trial->incident.kind), trial->incident.why);
    }
    if (trial->seen.count == 0) {
        return PAL_OK;
    }
    pal_report_scores(html, trial, other);
    pal_status status = pal_report_charts(html, trial, other, err);
    if (status == PAL_OK && is_pictured(trial) && has_trace(trial)) {
        status = pal_report_pictures(html, trial, path, err);
    }
    return status;
}

static pal_status fill_page(pal_html *html, const pal_feel *feel, const pal_feel *other,
                            const char *dir, const pal_progress *progress, pal_err *err) {
    const char *about = feel->scene.about;
    pal_status status = PAL_OK;
    if (about != NULL && about[0] != '\0') {
        pal_html_remark(html, "about", "%s", about);
    }
    pal_report_verdicts(html, feel, other);
    pal_report_incidents(html, feel);
    pal_report_left_out(html, feel);
    add_links(html, feel);
    for (int i = 0; status == PAL_OK && i < feel->trial_count; i++) {
        const pal_feel_trial *trial = &feel->trial[i];
        pal_progress_report(progress, "report", (double)i / feel->trial_count);
        status = add_trial(html, trial, pal_report_find(other, trial->name), dir, err);
    }
    if (status == PAL_OK) {
        pal_html_heading(html, 2, "times", "Compute time");
        pal_report_tick_times(html, feel);
        status = pal_report_times(html, feel, other, err);
    }
    if (status == PAL_OK && has_stability(feel)) {
        status = pal_report_stability(html, feel, progress, err);
    }
    pal_report_definitions(html);
    pal_report_origin(html, feel,
                      other != NULL ? "Where this comes from" : "Where the numbers come from");
    if (other != NULL) {
        pal_report_origin(html, other, "Where the other comes from");
    }
    return status;
}

static pal_status write_page(const pal_feel *feel, const pal_feel *other, const char *dir,
                             const pal_progress *progress, pal_err *err) {
    char title[256], path[PATH];
    pal_html html;
    const char *name = feel->scene.name != NULL ? feel->scene.name : "a trace";
    snprintf(path, sizeof path, "%s/report.html", dir);
    snprintf(title, sizeof title, "Contact feel: %s%s", name,
             other != NULL ? ", beside another" : "");
    pal_status status = pal_html_open(&html, title, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_html_heading(&html, 1, NULL, title);
    status = fill_page(&html, feel, other, dir, progress, err);
    if (status != PAL_OK) {
        pal_html_drop(&html);
        return status;
    }
    return pal_html_close(&html, path, err);
}

pal_status pal_feel_report(const pal_feel *feel, const pal_feel *other, const char *dir,
                           const pal_progress *progress, pal_err *err) {
    char path[PATH];
    pal_status status = pal_chart_ready(err); // all of it or nothing
    status = status == PAL_OK ? make_folders(dir, err) : status;
    for (int i = 0; status == PAL_OK && i < feel->trial_count; i++) {
        if (has_trace(&feel->trial[i])) {
            trace_path(dir, &feel->trial[i], path);
            status = pal_feel_save_trace(&feel->trial[i], path, err);
        }
    }
    if (status == PAL_OK) {
        snprintf(path, sizeof path, "%s/feel.json", dir);
        status = pal_report_json(feel, other, path, err);
    }
    return status == PAL_OK ? write_page(feel, other, dir, progress, err) : status;
}
