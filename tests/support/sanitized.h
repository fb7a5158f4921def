// Whether this is a build with sanitizers, which take several times as long: tests that repeat a
// thing very often repeat it less there. What they check stays the same.
#ifndef PAL_TESTS_SANITIZED_H
#define PAL_TESTS_SANITIZED_H

#if defined(__SANITIZE_THREAD__)
#define THREAD_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREAD_SANITIZED 1
#endif
#endif

#ifdef THREAD_SANITIZED
enum { IS_THREAD_SANITIZED = 1 };
#else
enum { IS_THREAD_SANITIZED = 0 };
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED
enum { IS_SANITIZED = 1 };
#else
enum { IS_SANITIZED = 0 };
#endif

#define SANITIZED_OR(few, many) (IS_SANITIZED ? (few) : (many))

// The same of string literals, which join their neighbours.
#ifdef SANITIZED
#define SANITIZED_TEXT(few, many) few
#else
#define SANITIZED_TEXT(few, many) many
#endif

// A surface is sampled as finely as the tool is small, which takes long under the sanitizers: where
// nothing depends on the radius, twice the one that scenes have.
#define SANITIZED_RADIUS SANITIZED_TEXT("10 mm", "5 mm")

// A test in which no two threads meet, or only as in others of its program: for all builds but that
// of the thread sanitizer.
#define RUN_TEST_OF_ONE_THREAD(test)                                                               \
    do {                                                                                           \
        if (!IS_THREAD_SANITIZED) {                                                                \
            RUN_TEST(test);                                                                        \
        }                                                                                          \
    } while (0)

#endif
