#include "tests/support/program.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/support/check.h"

program_result program;
static bool wants_json; // what was run last

static void slurp(FILE *file, char *text) {
    size_t size = file != NULL ? fread(text, 1, PROGRAM_OUTPUT - 1, file) : 0;
    text[size] = '\0';
}

void program_run(const char *format, ...) {
    char command[4096], log[256];
    snprintf(log, sizeof log, "%s", check_scratch("stderr.txt"));
    int used = snprintf(command, sizeof command, "%s ", PAL_PROGRAM);
    va_list args;
    va_start(args, format);
    used += vsnprintf(command + used, sizeof command - (size_t)used, format, args);
    va_end(args);
    snprintf(command + used, sizeof command - (size_t)used, " 2>'%s'", log);
    wants_json = strstr(command, "--json") != NULL;
    FILE *pipe = popen(command, "r");
    TEST_ASSERT_NOT_NULL(pipe);
    slurp(pipe, program.out);
    int status = pclose(pipe);
    program.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    FILE *file = fopen(log, "r");
    slurp(file, program.errors);
    if (file != NULL) {
        fclose(file);
    }
}

void program_ran_in_real_time(void) {
    const bool busy = program.code == 1 && strstr(program.errors, "ticks were missed") != NULL;
    TEST_ASSERT_TRUE_MESSAGE(program.code == 0 || busy, program.errors);
}

void program_fails(int expected, const char *words) {
    TEST_ASSERT_EQUAL_INT_MESSAGE(expected, program.code, program.errors);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, strncmp(program.errors, "palpate: error: ", 16),
                                  program.errors);
    TEST_ASSERT_TRUE_MESSAGE(strstr(program.errors, words) != NULL, program.errors);
    const char *newline = strchr(program.errors, '\n');
    TEST_ASSERT_TRUE_MESSAGE(newline != NULL && newline[1] == '\0', program.errors);
    if (!wants_json) {
        TEST_ASSERT_EQUAL_STRING("", program.out);
        return;
    }
    cJSON *root = cJSON_Parse(program.out);
    const cJSON *error = cJSON_GetObjectItemCaseSensitive(root, "error");
    TEST_ASSERT_TRUE_MESSAGE(cJSON_IsObject(error), program.out);
    TEST_ASSERT_EQUAL_INT(expected, (int)program_number(error, "exit_code"));
    const cJSON *message = cJSON_GetObjectItemCaseSensitive(error, "message");
    TEST_ASSERT_TRUE_MESSAGE(strstr(program.errors, cJSON_GetStringValue(message)) != NULL,
                             program.out);
    cJSON_Delete(root);
}

cJSON *program_json(void) {
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    TEST_ASSERT_EQUAL_STRING("", program.errors);
    cJSON *root = cJSON_Parse(program.out);
    TEST_ASSERT_TRUE_MESSAGE(root != NULL, program.out);
    return root;
}

double program_number(const cJSON *object, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    TEST_ASSERT_TRUE_MESSAGE(cJSON_IsNumber(item), key);
    return item->valuedouble;
}

const cJSON *program_array(const cJSON *object, const char *key, int size) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    TEST_ASSERT_TRUE_MESSAGE(cJSON_IsArray(item), key);
    TEST_ASSERT_EQUAL_INT_MESSAGE(size, cJSON_GetArraySize(item), key);
    return item;
}
