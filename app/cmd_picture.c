// palpate picture SCENE|TRACE: what is to be seen at a time, as a PNG, with or without a display.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/command.h"
#include "app/json.h"
#include "app/output.h"
#include "app/progress_bar.h"
#include "app/shown.h"
#include "app/style.h"
#include "app/traces.h"
#include "app/view_options.h"
#include "sim/base/vec3.h"

static const pal_option options[] = {
    {.name = "--time",
     .kind = PAL_OPTION_NUMBER,
     .argument = "S",
     .min = 0.0,
     .max = 86400.0,
     .help = "seconds into the trace, or into the scene's probe (default: a scene at rest, a trace "
             "at its hardest press)"},
    {.name = "--output",
     .letter = 'o',
     .kind = PAL_OPTION_TEXT,
     .argument = "F.png",
     .fallback = "picture.png",
     .help = "the file"},
    PAL_OPTION_LENIENT,
    {.name = NULL},
};

// A line that says what is seen.
static void describe(const pal_shown *shown, char *text, size_t size) {
    const pal_snapshot *shot = &shown->shot;
    int used = shown->done == 0 ? snprintf(text, size, "at rest")
                                : snprintf(text, size, "%.3f s", shot->time);
    for (int32_t h = 0; shown->done > 0 && h < shot->hand_count; h++) {
        used += snprintf(text + used, size - (size_t)used, "%s %.2f N, %d contact%s",
                         h == 0 ? ":" : ";", pal_norm3(shot->hand[h].force),
                         (int)shot->hand[h].touching, shot->hand[h].touching == 1 ? "" : "s");
    }
}

static pal_status draw(const pal_shown *shown, const pal_view_wish *wish, const char *path,
                       pal_stage_facts *facts, char renderer[128], pal_err *err) {
    pal_stage_spec spec;
    pal_studio studio;
    pal_image image = {0};
    pal_view view = wish->view;
    char caption[256];
    describe(shown, caption, sizeof caption);
    const pal_studio_words words = {shown->session.scene.name, caption};
    pal_shown_spec(&shown->session, &spec);
    spec.way = wish->way;
    pal_status status = pal_studio_open(&studio, &spec, wish->width, wish->height, err);
    if (status != PAL_OK) {
        return status;
    }
    status = pal_studio_fit(&studio, &view, &shown->shot, wish->zoom, err);
    if (status == PAL_OK) {
        status =
            pal_studio_take(&studio, &view, &shown->shot, view.labels ? &words : NULL, &image, err);
    }
    if (status == PAL_OK) {
        status = pal_image_write_png(path, &image, err);
        *facts = pal_stage_tell(studio.stage);
        snprintf(renderer, 128, "%s", studio.context.renderer);
    }
    pal_image_free(&image);
    pal_studio_close(&studio);
    return status;
}

static pal_status print(const pal_job *job, const pal_shown *shown, const pal_view_wish *wish,
                        const pal_stage_facts *facts, const char *renderer, pal_err *err) {
    const char *path = pal_args_text(job->args, "--output");
    if (!job->json) {
        char caption[256];
        describe(shown, caption, sizeof caption);
        printf("%s%s%s - %s\n", pal_style_bold(stdout), shown->session.scene.name,
               pal_style_plain(stdout), caption);
        printf("  written to %s, %d x %d pixels\n", path, (int)wish->width, (int)wish->height);
        return PAL_OK;
    }
    cJSON *root = pal_json_object();
    pal_json_text(root, "picture", path);
    pal_json_text(root, "scene", shown->session.scene.name);
    pal_json_number(root, "width", wish->width);
    pal_json_number(root, "height", wish->height);
    pal_json_number(root, "time", shown->shot.time);
    pal_json_number(root, "force_n", pal_norm3(shown->shot.hand[0].force));
    pal_json_number(root, "contacts", shown->shot.hand[0].touching);
    pal_json_number(root, "dents_left_out", shown->shot.dent_left_out);
    pal_json_bool(root, "trainer", wish->view.trainer);
    pal_json_text(root, "color",
                  wish->view.trainer ? "tissue" : pal_view_colouring_name(wish->view.colouring));
    pal_json_number(root, "color_most", facts->most);
    pal_json_text(root, "deformed_on", facts->way == PAL_DEFORM_GPU ? "gpu" : "cpu");
    pal_json_text(root, "renderer", renderer);
    return pal_json_print(root, err);
}

static pal_status run(const pal_job *job, pal_err *err) {
    const pal_args *args = job->args;
    pal_view_wish wish;
    pal_shown shown;
    pal_stage_facts facts;
    char renderer[128];
    pal_status status = pal_view_read(args, &wish, err);
    if (status == PAL_OK) {
        status = pal_output_check(args, "--output", ".png", err);
    }
    if (status == PAL_OK) {
        status = pal_shown_open(&shown, args->operand[0], job->progress, err);
        pal_bar_end(status);
    }
    if (status != PAL_OK) {
        return status;
    }
    if (pal_args_given(args, "--time")) {
        status = pal_shown_go(&shown, pal_args_number(args, "--time"), job->progress, err);
    } else if (shown.is_trace) {
        status = pal_shown_go(&shown, pal_shown_hardest(&shown.trace), job->progress, err);
    }
    pal_bar_end(status);
    if (status == PAL_OK) {
        status = draw(&shown, &wish, pal_args_text(args, "--output"), &facts, renderer, err);
    }
    if (status == PAL_OK) {
        status = print(job, &shown, &wish, &facts, renderer, err);
    }
    pal_shown_close(&shown);
    return status;
}

const pal_command pal_command_picture = {
    .usage = {.command = "picture",
              .summary = "a picture of a scene or a recorded run at a time",
              .operands = "SCENE|TRACE",
              .min_operands = 1,
              .max_operands = 1,
              .about = "Draws by OpenGL without a display. A scene is drawn at rest, or at a time "
                       "of its probe, which is run in virtual time up to there; a trace is "
                       "repeated up to the time. Arrows are forces on the tools, the blue ghost is "
                       "where the hand is while the body keeps the tool outside.",
              .examples = "palpate picture liver -o liver.png\n"
                          "palpate picture out/demo-trace.h5 --time 1.2 --camera 20,15,3\n"
                          "palpate picture heart --time 1.3 --color energy --size 1920x1080\n"
                          "palpate picture liver --time 1.2 --trainer",
              .group = {{"Options", options},
                        {"View", pal_options_view},
                        {"Output", pal_options_work}}},
    .run = run,
};
