// Scene texts, to be written: of a strip of 120 x 30 x 20 mm, which bakes in a moment.
#ifndef PAL_TESTS_STRIP_SCENE_H
#define PAL_TESTS_STRIP_SCENE_H

#define STRIP(fixed, material, damping)                                                            \
    "palpate: 1\nname: strip\nbody:\n  shape: {name: strip, size: 0.12 m}\n  voxels: 18\n"         \
    "  fixed: " fixed "\n  material: " material "\n  damping: {stiffness: " damping "}\n"          \
    "basis: {modes: 3, size: 5}\n"

// A press from above, at this x.
#define STRIP_PROBE(x)                                                                             \
    "probe:\n  - {move: [" x ", 15 mm, 30 mm], seconds: 0.1 s}\n"                                  \
    "  - {press: [" x ", 15 mm, 22 mm], seconds: 0.3 s}\n"

// Of gelatine on a table.
#define STRIP_SCENE                                                                                \
    STRIP("z<0.001", "{preset: gelatine}", "2 ms") "local: {way: none}\n" STRIP_PROBE("60 mm")

// Writes a text, of a scene or not.
void strip_scene_write(const char *path, const char *text);

#endif
