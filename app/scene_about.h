// The sentence that a scene says about itself.
#ifndef PAL_APP_SCENE_ABOUT_H
#define PAL_APP_SCENE_ABOUT_H

#include "scenes/scene.h"

typedef struct pal_scene_sentence {
    char text[160];
} pal_scene_sentence;

// The value of the key `about`, on one line of the scene; "" when it has none.
pal_scene_sentence pal_scene_about(const pal_scene *scene);

#endif
