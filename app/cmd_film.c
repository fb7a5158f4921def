// palpate film TRACE: a recorded run, or a scene under its probe, as a film or as numbered
// pictures.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/command.h"
#include "app/film_sink.h"
#include "app/json.h"
#include "app/output.h"
#include "app/progress_bar.h"
#include "app/shown.h"
#include "app/style.h"
#include "app/traces.h"
#include "app/view_options.h"
#include "sim/base/vec3.h"

static const pal_option options[] = {
    {.name = "--output",
     .letter = 'o',
     .kind = PAL_OPTION_TEXT,
     .argument = "F.mp4",
     .fallback = "film.mp4",
     .help = "the file; pictures go to the folder F"},
    {.name = "--rate",
     .kind = PAL_OPTION_COUNT,
     .argument = "N",
     .fallback = "30",
     .min = 1,
     .max = 240,
     .help = "frames a second of the film"},
    {.name = "--speed",
     .kind = PAL_OPTION_NUMBER,
     .argument = "X",
     .fallback = "1",
     .min = 0.001,
     .max = 100.0,
     .help = "how much faster than real; 0.1: ten times slower"},
    {.name = "--from",
     .kind = PAL_OPTION_NUMBER,
     .argument = "S",
     .fallback = "0",
     .min = 0.0,
     .max = 86400.0,
     .help = "seconds into the run at which the film begins"},
    {.name = "--to",
     .kind = PAL_OPTION_NUMBER,
     .argument = "S",
     .min = 0.0,
     .max = 86400.0,
     .help = "and ends (default: with the run)"},
    {.name = "--pictures", .help = "numbered pictures in the place of a film, as without ffmpeg"},
    PAL_OPTION_LENIENT,
    {.name = NULL},
};

typedef struct film {
    const pal_job *job;
    pal_view_wish wish;
    pal_shown shown;
    pal_studio studio;
    pal_film_sink sink;
    double from, to, step; // s of the run
    int32_t rate, frames;
} film;

static pal_status set_span(film *f, pal_err *err) {
    const pal_args *args = f->job->args;
    const double seconds = pal_shown_seconds(&f->shown);
    f->rate = pal_args_count(args, "--rate");
    f->step = pal_args_number(args, "--speed") / f->rate;
    f->from = pal_args_number(args, "--from");
    f->to = pal_args_given(args, "--to") ? fmin(pal_args_number(args, "--to"), seconds) : seconds;
    f->frames = (int32_t)fmin(floor((f->to - f->from) / f->step + 1e-9) + 1.0, 1e6);
    return f->from < f->to
               ? PAL_OK
               : pal_fail(err, PAL_ERR_USAGE, "a film from %g s to %g s; the run is %g s long",
                          f->from, f->to, seconds);
}

// Where the body is farthest from rest, a camera and colours that do for all of the film.
static pal_status settle_view(film *f, pal_err *err) {
    static const double room = 0.92; // for what moves farther than then
    pal_shown shown;
    pal_status status = pal_shown_open(&shown, f->job->args->operand[0], NULL, err);
    if (status != PAL_OK) {
        return status;
    }
    const double hardest = shown.is_trace ? pal_shown_hardest(&shown.trace) : f->to;
    status = pal_shown_go(&shown, fmin(fmax(hardest, f->from), f->to), f->job->progress, err);
    if (status == PAL_OK) {
        status = pal_studio_fit(&f->studio, &f->wish.view, &shown.shot, room * f->wish.zoom, err);
    }
    if (status == PAL_OK) {
        status = pal_studio_draw(&f->studio, &f->wish.view, &shown.shot, NULL, err);
        f->wish.view.most = pal_stage_tell(f->studio.stage).most;
    }
    pal_shown_close(&shown);
    return status;
}

static pal_status draw_frames(film *f, pal_err *err) {
    pal_status status = PAL_OK;
    for (int32_t k = 0; status == PAL_OK && k < f->frames; k++) {
        pal_image image;
        char caption[64];
        const double time = fmin(f->from + k * f->step, f->to);
        const pal_studio_words words = {f->shown.session.scene.name, caption};
        status = pal_shown_go(&f->shown, time, NULL, err);
        snprintf(caption, sizeof caption, "%.2f s", time);
        if (status == PAL_OK) {
            status = pal_studio_take(&f->studio, &f->wish.view, &f->shown.shot,
                                     f->wish.view.labels ? &words : NULL, &image, err);
        }
        if (status == PAL_OK) {
            status = pal_film_add(&f->sink, &image, err);
            pal_image_free(&image);
        }
        pal_progress_report(f->job->progress, "drawing", (k + 1.0) / f->frames);
    }
    return status;
}

static pal_status make(film *f, bool pictures, pal_err *err) {
    const char *path = pal_args_text(f->job->args, "--output");
    pal_stage_spec spec;
    pal_shown_spec(&f->shown.session, &spec);
    spec.way = f->wish.way;
    pal_status status = pal_studio_open(&f->studio, &spec, f->wish.width, f->wish.height, err);
    if (status != PAL_OK) {
        return status;
    }
    status = settle_view(f, err);
    if (status == PAL_OK) {
        status =
            pal_film_open(&f->sink, path, pictures, f->wish.width, f->wish.height, f->rate, err);
        if (status == PAL_OK) {
            status = pal_film_close(&f->sink, draw_frames(f, err), err);
        }
    }
    pal_studio_close(&f->studio);
    return status;
}

static pal_status print(const film *f, bool lacks_encoder, pal_err *err) {
    if (f->job->json) {
        cJSON *root = pal_json_object();
        pal_json_text(root, f->sink.pictures ? "pictures" : "film", f->sink.path);
        pal_json_text(root, "scene", f->shown.session.scene.name);
        pal_json_number(root, "frames", f->sink.frames);
        pal_json_number(root, "rate", f->rate);
        pal_json_number(root, "width", f->wish.width);
        pal_json_number(root, "height", f->wish.height);
        return pal_json_print(root, err);
    }
    printf("%s%s%s - %s frames of %d x %d pixels, %s%s\n", pal_style_bold(stdout),
           f->shown.session.scene.name, pal_style_plain(stdout), pal_say_count(f->sink.frames).text,
           (int)f->wish.width, (int)f->wish.height,
           f->sink.pictures ? "in the folder " : "written to ", f->sink.path);
    if (f->sink.pictures) {
        printf("  %sto a film: ffmpeg -r %d -i %s/%%05d.png -pix_fmt yuv420p %s.mp4\n",
               lacks_encoder ? "there is no ffmpeg here; " : "", (int)f->rate, f->sink.path,
               f->sink.path);
    }
    return PAL_OK;
}

static pal_status run(const pal_job *job, pal_err *err) {
    film f = {.job = job};
    const bool lacks_encoder = !pal_film_has_encoder();
    const bool pictures = lacks_encoder || pal_args_flag(job->args, "--pictures");
    pal_status status = pal_view_read(job->args, &f.wish, err);
    if (status == PAL_OK) {
        status = pal_output_check(job->args, "--output", ".mp4", err);
    }
    if (status == PAL_OK) {
        status = pal_shown_open(&f.shown, job->args->operand[0], job->progress, err);
        pal_bar_end(status);
    }
    if (status != PAL_OK) {
        return status;
    }
    status = set_span(&f, err);
    if (status == PAL_OK) {
        status = make(&f, pictures, err);
        pal_bar_end(status);
    }
    if (status == PAL_OK) {
        status = print(&f, lacks_encoder, err);
    }
    pal_shown_close(&f.shown);
    return status;
}

const pal_command pal_command_film = {
    .usage = {.command = "film",
              .summary = "a recorded run as a film",
              .operands = "TRACE|SCENE",
              .min_operands = 1,
              .max_operands = 1,
              .about = "Repeats a trace, or runs a scene's probe in virtual time, and draws it "
                       "without a display. The film is made by ffmpeg; without that, numbered "
                       "pictures go to a folder.",
              .examples = "palpate film out/demo-trace.h5 -o demo.mp4\n"
                          "palpate film tower --speed 0.25 --from 2 --camera 30,10",
              .group = {{"Options", options},
                        {"View", pal_options_view},
                        {"Output", pal_options_work}}},
    .run = run,
};
