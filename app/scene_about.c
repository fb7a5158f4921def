#include "app/scene_about.h"

#include <stdio.h>
#include <string.h>

pal_scene_sentence pal_scene_about(const pal_scene *scene) {
    pal_scene_sentence sentence = {""};
    const char *line = scene->text;
    while (line != NULL && strncmp(line, "about:", 6) != 0) {
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    if (line == NULL) {
        return sentence;
    }
    // The rest of the line, without blanks and quotes around it.
    const char *start = line + 6 + strspn(line + 6, " \"'");
    const char *end = start + strcspn(start, "\r\n");
    while (end > start && strchr(" \"'", end[-1]) != NULL) {
        end--;
    }
    snprintf(sentence.text, sizeof sentence.text, "%.*s", (int)(end - start), start);
    return sentence;
}
