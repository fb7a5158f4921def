// Errors: could not do it. Set-up functions return a pal_status and fill a pal_err that says what
// went wrong, where, and what to do. (Outcomes of run-time functions - did it, but - are bits, not
// statuses.) No library function prints or exits.
#ifndef PAL_BASE_STATUS_H
#define PAL_BASE_STATUS_H

#define PAL_STATUS_LIST(X)                                                                         \
    X(PAL_OK, "ok")                                                                                \
    X(PAL_ERR_USAGE, "wrong usage")      /* an argument, option or selector; exit code 2 */        \
    X(PAL_ERR_INPUT, "bad input")        /* a file's content */                                    \
    X(PAL_ERR_IO, "input/output failed") /* cannot open, read, write, disk full */                 \
    X(PAL_ERR_MEMORY, "out of memory")                                                             \
    X(PAL_ERR_NUMERIC, "numerical failure") /* no convergence, singular matrix */                  \
    X(PAL_ERR_UNSUPPORTED, "not supported")                                                        \
    X(PAL_ERR_VERSION, "wrong file version")

typedef enum pal_status {
#define PAL_STATUS_ENUM(name, text) name,
    PAL_STATUS_LIST(PAL_STATUS_ENUM)
#undef PAL_STATUS_ENUM
} pal_status;

typedef struct pal_err {
    pal_status status;
    char text[1024]; // one line: "file:line: what is wrong; what to do"
} pal_err;

#if defined(__GNUC__)
#define PAL_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define PAL_PRINTF(format_index, first)
#endif

// The words for a status. Any thread.
const char *pal_status_text(pal_status status);

// Fills *err (which may be NULL) and returns status, so that one writes `return pal_fail(...)`.
pal_status pal_fail(pal_err *err, pal_status status, const char *format, ...) PAL_PRINTF(3, 4);

// The same with "file:line: " in front ("file: " when line is 0).
pal_status pal_fail_at(pal_err *err, pal_status status, const char *file, long line,
                       const char *format, ...) PAL_PRINTF(5, 6);

// Puts "file: " before the words of an error that came from code that did not know the file; keeps
// words about memory as they are. Returns the status.
pal_status pal_fail_in(pal_err *err, pal_status status, const char *file);

#endif
