#include "render/ui_input.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <stdio.h>
#include <string.h>

// ---- keys

static int plain_key(int key) {
    static const int of[][2] = {
        {GLFW_KEY_ESCAPE, PAL_KEY_ESCAPE},
        {GLFW_KEY_F1, PAL_KEY_F1},
        {GLFW_KEY_F12, PAL_KEY_F12},
        {GLFW_KEY_TAB, PAL_KEY_TAB},
        {GLFW_KEY_BACKSPACE, PAL_KEY_BACKSPACE},
        {GLFW_KEY_HOME, PAL_KEY_HOME},
        {GLFW_KEY_LEFT, PAL_KEY_LEFT},
        {GLFW_KEY_RIGHT, PAL_KEY_RIGHT},
        {GLFW_KEY_UP, PAL_KEY_UP},
        {GLFW_KEY_DOWN, PAL_KEY_DOWN},
        {GLFW_KEY_PAGE_UP, PAL_KEY_PAGE_UP},
        {GLFW_KEY_PAGE_DOWN, PAL_KEY_PAGE_DOWN},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        if (of[i][0] == key) {
            return of[i][1];
        }
    }
    return PAL_KEY_NONE;
}

// Letters by what the keyboard has there, whatever its layout. What takes Shift on some layouts
// (the question mark, plus) comes as a character of its own.
static const pal_ui_key *find_key(const pal_ui *ui, int key, int scancode) {
    const char *name = key == GLFW_KEY_SPACE ? " " : glfwGetKeyName(key, scancode);
    const int plain = plain_key(key);
    if (plain != PAL_KEY_NONE) {
        return pal_ui_key_of_key(plain, ui->where);
    }
    if (key == GLFW_KEY_KP_ADD || key == GLFW_KEY_KP_SUBTRACT) {
        return NULL; // as characters
    }
    const bool letter =
        name != NULL && name[1] == '\0' && ((name[0] >= 'a' && name[0] <= 'z') || name[0] == ' ');
    return letter ? pal_ui_key_of_character((unsigned char)name[0], ui->where) : NULL;
}

static void queue(pal_ui *ui, pal_ui_action action) {
    if (ui->gathered.action_count < PAL_UI_QUEUE) {
        ui->gathered.action[ui->gathered.action_count++] = action;
    }
}

// ---- a line of text

void pal_ui_write(pal_ui *ui, const char *start) {
    snprintf(ui->gathered.line, PAL_UI_LINE, "%s", start);
    ui->gathered.writes = true;
}

static void write_key(pal_ui_input *in, int key) {
    size_t length = strlen(in->line);
    if (key == GLFW_KEY_ENTER || key == GLFW_KEY_KP_ENTER || key == GLFW_KEY_ESCAPE) {
        in->writes = false;
        in->line_done = key != GLFW_KEY_ESCAPE;
    } else if (key == GLFW_KEY_BACKSPACE) {
        while (length > 0 && (in->line[--length] & 0xC0) == 0x80) { // all of a character
        }
        in->line[length] = '\0';
    }
}

static void write_character(pal_ui_input *in, unsigned code) {
    static const unsigned first[5] = {0, 0, 0xC0, 0xE0, 0xF0};
    const size_t length = strlen(in->line);
    const unsigned bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (code < ' ' || code == 0x7F || length + bytes >= PAL_UI_LINE) {
        return;
    }
    for (unsigned k = bytes - 1; k > 0; k--, code >>= 6) {
        in->line[length + k] = (char)(0x80 | (code & 0x3F));
    }
    in->line[length] = (char)(first[bytes] | code);
    in->line[length + bytes] = '\0';
}

// ---- what GLFW calls

static void on_key(GLFWwindow *window, int key, int scancode, int what, int mods) {
    pal_ui *ui = glfwGetWindowUserPointer(window);
    const pal_ui_key *found = find_key(ui, key, scancode);
    if (ui->gathered.writes && what != GLFW_RELEASE) {
        write_key(&ui->gathered, key);
        return;
    }
    if (found == NULL || (mods & (GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER)) != 0) {
        if (found == NULL || what != GLFW_RELEASE) {
            return;
        }
    }
    ui->gathered.held[found->action] = what != GLFW_RELEASE;
    if (what == GLFW_PRESS || (what == GLFW_REPEAT && found->repeats)) {
        queue(ui, found->action);
    }
}

static void on_character(GLFWwindow *window, unsigned code) {
    pal_ui *ui = glfwGetWindowUserPointer(window);
    if (ui->gathered.writes) {
        write_character(&ui->gathered, code);
        return;
    }
    const bool letter = code == ' ' || (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
    const pal_ui_key *found = letter ? NULL : pal_ui_key_of_character(code, ui->where);
    if (found != NULL) {
        queue(ui, found->action);
    }
}

static void on_wheel(GLFWwindow *window, double dx, double dy) {
    (void)dx;
    ((pal_ui *)glfwGetWindowUserPointer(window))->gathered.wheel += dy;
}

// ---- opening and asking

void pal_ui_open(pal_ui *ui, pal_gl_context *context, unsigned where) {
    memset(ui, 0, sizeof *ui);
    ui->window = context->window;
    ui->where = where;
    glfwSetWindowUserPointer(ui->window, ui);
    glfwSetInputMode(ui->window, GLFW_STICKY_MOUSE_BUTTONS, GLFW_TRUE);
    glfwSetKeyCallback(ui->window, on_key);
    glfwSetCharCallback(ui->window, on_character);
    glfwSetScrollCallback(ui->window, on_wheel);
}

static bool is_down(const pal_ui *ui, int left, int right) {
    return glfwGetKey(ui->window, left) == GLFW_PRESS ||
           glfwGetKey(ui->window, right) == GLFW_PRESS;
}

static void ask_mouse(const pal_ui *ui, pal_ui_input *in) {
    int size[2], pixels[2];
    glfwGetCursorPos(ui->window, &in->x, &in->y);
    glfwGetWindowSize(ui->window, &size[0], &size[1]);
    glfwGetFramebufferSize(ui->window, &pixels[0], &pixels[1]);
    if (size[0] > 0 && size[1] > 0) {
        in->x *= (double)pixels[0] / size[0];
        in->y *= (double)pixels[1] / size[1];
    }
    in->left = glfwGetMouseButton(ui->window, GLFW_MOUSE_BUTTON_LEFT) == GLFW_PRESS;
    in->middle = glfwGetMouseButton(ui->window, GLFW_MOUSE_BUTTON_MIDDLE) == GLFW_PRESS;
    in->right = glfwGetMouseButton(ui->window, GLFW_MOUSE_BUTTON_RIGHT) == GLFW_PRESS;
    in->shift = is_down(ui, GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT);
    in->control = is_down(ui, GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL);
}

static void ask_pad(pal_ui_pad *pad) {
    GLFWgamepadstate state;
    for (int id = GLFW_JOYSTICK_1; id <= GLFW_JOYSTICK_LAST; id++) {
        if (!glfwJoystickIsGamepad(id) || !glfwGetGamepadState(id, &state)) {
            continue;
        }
        pad->present = true;
        snprintf(pad->name, sizeof pad->name, "%s", glfwGetGamepadName(id));
        pad->left[0] = state.axes[GLFW_GAMEPAD_AXIS_LEFT_X];
        pad->left[1] = -state.axes[GLFW_GAMEPAD_AXIS_LEFT_Y];
        pad->right[0] = state.axes[GLFW_GAMEPAD_AXIS_RIGHT_X];
        pad->right[1] = -state.axes[GLFW_GAMEPAD_AXIS_RIGHT_Y];
        pad->trigger[0] = 0.5 * (1.0 + state.axes[GLFW_GAMEPAD_AXIS_LEFT_TRIGGER]);
        pad->trigger[1] = 0.5 * (1.0 + state.axes[GLFW_GAMEPAD_AXIS_RIGHT_TRIGGER]);
        pad->stylus = state.buttons[GLFW_GAMEPAD_BUTTON_A] == GLFW_PRESS;
        pad->precise = state.buttons[GLFW_GAMEPAD_BUTTON_B] == GLFW_PRESS;
        return;
    }
}

void pal_ui_poll(pal_ui *ui, const pal_gl_context *context, double seconds, pal_ui_input *input) {
    if (!context->lost) {
        if (seconds > 0.0) {
            glfwWaitEventsTimeout(seconds);
        } else {
            glfwPollEvents();
        }
    }
    *input = ui->gathered;
    ui->gathered.action_count = 0;
    ui->gathered.wheel = 0.0;
    ui->gathered.line_done = false;
    input->scale = 1.0;
    if (context->lost) {
        return;
    }
    float across = 1.0F, down = 1.0F;
    glfwGetWindowContentScale(ui->window, &across, &down);
    input->scale = across > down ? across : down;
    input->scale = input->scale > 0.5 && input->scale < 8.0 ? input->scale : 1.0;
    input->close = glfwWindowShouldClose(ui->window) != 0;
    ask_mouse(ui, input);
    ask_pad(&input->pad);
}

bool pal_ui_copy(const pal_gl_context *context, const char *text) {
    if (context->lost || context->window == NULL) {
        return false;
    }
    glfwSetClipboardString(context->window, text);
    return true;
}
