// The built program, run as a user runs it: exit codes, the words of its errors, and the keys of
// its JSON.
#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/program.h"

static const char steel[] = "--young 1e6 --poisson 0.35 --density 1000";

static char beam[256], two_beams[256]; // meshes

// Writes `pieces` beams of 4 x 1 x 1 cubes of 0.1 m, six tets each, one beside the other (MEDIT).
static void write_beams(char *path, size_t size, const char *name, int pieces) {
    static const int step[6][2] = {{1, 3}, {1, 5}, {2, 3}, {2, 6}, {4, 5}, {4, 6}};
    snprintf(path, size, "%s", check_scratch(name));
    FILE *file = fopen(path, "w");
    TEST_ASSERT_NOT_NULL(file);
    fprintf(file, "MeshVersionFormatted 1\nDimension 3\nVertices\n%d\n", 20 * pieces);
    for (int p = 0; p < pieces; p++) {
        for (int v = 0; v < 20; v++) {
            fprintf(file, "%g %g %g 0\n", 0.1 * (v / 4), 0.1 * (v / 2 % 2) + p, 0.1 * (v % 2));
        }
    }
    fprintf(file, "Tetrahedra\n%d\n", 24 * pieces);
    for (int p = 0; p < pieces; p++) {
        for (int e = 0; e < 24; e++) {
            // Corner c of a cube: bits x, y, z of c, from 0 to 7 along two more corners.
            int first = 20 * p + 4 * (e / 6) + 1;
            fprintf(file, "%d %d %d %d 1\n", first, first + step[e % 6][0], first + step[e % 6][1],
                    first + 7);
        }
    }
    fprintf(file, "End\n");
    fclose(file);
}

void setUp(void) {
    if (beam[0] == '\0') {
        write_beams(beam, sizeof beam, "beam.mesh", 1);
        write_beams(two_beams, sizeof two_beams, "two.mesh", 2);
    }
}

void tearDown(void) {
}

static void test_every_command_has_help_with_an_example(void) {
    static const char *commands[] = {"demo", "run",     "replay",   "picture", "film",
                                     "bake", "compare", "modes",    "static",  "dynamic",
                                     "info", "scenes",  "indent",   "bench",   "doctor",
                                     "help", "version", "selftest", "new"};
    char example[64];
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        program_run("%s --help", commands[i]);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, commands[i]);
        snprintf(example, sizeof example, "Examples\n  palpate %s", commands[i]);
        TEST_ASSERT_TRUE_MESSAGE(strstr(program.out, example) != NULL, program.out);
        program_run("--help");
        snprintf(example, sizeof example, "\n  %s ", commands[i]);
        TEST_ASSERT_TRUE_MESSAGE(strstr(program.out, example) != NULL, commands[i]);
    }
}

static void test_no_line_of_help_is_too_wide(void) {
    program_run("static --help");
    for (const char *line = program.out; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        TEST_ASSERT_TRUE_MESSAGE(length <= 100, line);
        line += length + (line[length] == '\n');
    }
}

static void test_wrong_usage_exits_with_2(void) {
    program_run("mdoes");
    program_fails(2, "unknown command 'mdoes'; did you mean 'modes'?");
    program_run("modes '%s' --yung 3", beam);
    program_fails(2, "unknown option '--yung'; did you mean '--young'? (palpate modes --help)");
    program_run("modes '%s' %s --fix 'x<<1'", beam, steel);
    program_fails(2, "x<<1");
    program_run("modes '%s' %s --fix 'x>9'", beam, steel);
    program_fails(2, "selects no vertex");
    program_run("modes");
    program_fails(2, "needs MESH|SCENE");
    program_run("modes leever %s", steel);
    program_fails(2, "there is no file or scene 'leever'");
    program_run("bench nothing");
    program_fails(2, "there is no benchmark 'nothing'");
    program_run("help nothing");
    program_fails(2, "unknown command 'nothing'");
    program_run("modes '%s' %s --voxels 8", beam, steel);
    program_fails(2, "--voxels is for surfaces");
}

static void test_no_command_shows_the_commands_and_exits_with_2(void) {
    program_run("%s", "");
    TEST_ASSERT_EQUAL_INT(2, program.code);
    TEST_ASSERT_NOT_NULL(strstr(program.errors, "Commands"));
}

static void test_materials_are_needed_and_checked(void) {
    program_run("modes '%s'", beam);
    program_fails(2, "add --young E --poisson NU --density RHO, or a preset such as --material");
    program_run("modes '%s' --young 1e6 --poisson 0.35", beam);
    program_fails(2, "add --density RHO,");
    program_run("modes '%s' --young 1e6 --poisson 0.5 --density 1000", beam);
    program_fails(2, "--poisson must lie between -1 and 0.5 (both excluded)");
    program_run("modes '%s' --young 1e6 --poisson 0.35 --density -1", beam);
    program_fails(2, "--density must be more than 0");
    program_run("modes '%s' --young nan --poisson 0.35 --density 1", beam);
    program_fails(2, "--young takes a finite number");
    program_run("modes '%s' --material livre", beam);
    program_fails(2, "unknown material 'livre'; did you mean 'liver'?");
    program_run("modes '%s' %s --region 'nobody:young=3'", beam, steel);
    program_fails(2, "has no region 'nobody' (it has: ");
}

static void test_materials_of_one_region_are_laid_over_the_rest(void) {
    program_run("info '%s' --json", beam);
    cJSON *root = program_json();
    const cJSON *region = cJSON_GetArrayItem(program_array(root, "regions", 1), 0);
    char name[128];
    snprintf(name, sizeof name, "%s", cJSON_GetObjectItem(region, "name")->valuestring);
    cJSON_Delete(root);
    program_run("modes '%s' %s --region '%s:density=2000' --count 1 --json", beam, steel, name);
    root = program_json();
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 8.0, program_number(root, "mass_kg"));
    cJSON_Delete(root);
    program_run("modes '%s' %s --region '%s:density=-3'", beam, steel, name);
    program_fails(program.code == 1 ? 1 : 2, "density");
    program_run("modes '%s' %s --region '%s:colour=3'", beam, steel, name);
    program_fails(2, "unknown key 'colour'");
    program_run("modes '%s' %s --region '%s:young=3kPa'", beam, steel, name);
    program_fails(2, "leave out 'kPa'");
}

static void test_bodies_that_cannot_be_solved_are_refused(void) {
    program_run("modes '%s' %s", two_beams, steel);
    program_fails(1, "piece");
    program_run("modes '%s' %s --fix 'x<0.01 & y<0.5'", two_beams, steel);
    program_fails(1, "piece");
    program_run("modes '%s' %s --fix all", beam, steel);
    TEST_ASSERT_TRUE(program.code == 1 || program.code == 2);
    program_fails(program.code, "fixed");
    program_run("modes '%s' %s --fix 'x<0.01' --count 49", beam, steel);
    TEST_ASSERT_TRUE(program.code == 1 || program.code == 2);
    program_fails(program.code, "48");
    program_run("static '%s' %s --load 'x>0.3:0,0,-1'", beam, steel);
    TEST_ASSERT_TRUE(program.code == 1 || program.code == 2);
    program_fails(program.code, "");
    program_run("static '%s' %s --fix 'x<0.01'", beam, steel);
    program_fails(2, "nothing loads the body");
    program_run("static '%s' %s --fix 'x<0.01' --load 'x<0.01:0,0,-1' --quiet", beam, steel);
    program_fails(2, "all loaded vertices are held");
    program_run("static '%s' %s --fix 'x<0.01' --load 'x>0.3:0,0,-1' --max-iterations 1 --quiet",
                beam, steel);
    program_fails(1, "allow more iterations");
}

static void test_bad_files_give_one_line_and_exit_with_1(void) {
    char path[256];
    static const char *names[] = {"bad.msh", "bad.mesh", "bad.vtu", "bad.vtk",
                                  "bad.veg", "bad.stl",  "bad.h5",  "bad.yaml"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s", check_scratch(names[i]));
        program_run("info '%s'", path); // not there
        program_fails(1, names[i]);
        FILE *file = fopen(path, "w");
        TEST_ASSERT_NOT_NULL(file);
        fprintf(file, "this is: [not what it seems\n");
        fclose(file);
        program_run("info '%s'", path);
        program_fails(1, names[i]);
    }
    snprintf(path, sizeof path, "%s", check_scratch("bad.xyz"));
    fclose(fopen(path, "w"));
    program_run("info '%s'", path);
    program_fails(2, "unknown file type .xyz; known are");
}

static void test_modes_json_has_the_promised_keys(void) {
    program_run("modes '%s' %s --fix 'x<0.01' --count 5 --json", beam, steel);
    cJSON *root = program_json();
    TEST_ASSERT_EQUAL_INT(20, (int)program_number(root, "vertices"));
    TEST_ASSERT_EQUAL_INT(24, (int)program_number(root, "elements"));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 4.0, program_number(root, "mass_kg"));
    const cJSON *hz = program_array(root, "frequencies_hz", 5);
    double last = 0.0;
    for (int i = 0; i < 5; i++) {
        double f = cJSON_GetArrayItem(hz, i)->valuedouble;
        TEST_ASSERT_TRUE(f >= last && f > 0.0);
        last = f;
    }
    TEST_ASSERT_TRUE(program_number(root, "residual_max") < 1e-6);
    TEST_ASSERT_EQUAL_INT(0, (int)program_number(root, "rigid_modes"));
    cJSON_Delete(root);
}

static double first_frequency(void) {
    cJSON *root = program_json();
    double hz = cJSON_GetArrayItem(program_array(root, "frequencies_hz", 1), 0)->valuedouble;
    cJSON_Delete(root);
    return hz;
}

static void test_frequency_scales_as_the_theory_says(void) {
    program_run("modes '%s' %s --count 1 --json", beam, steel);
    double hz = first_frequency();
    // Twice the size: half the frequency. Four times as stiff: twice.
    program_run("modes '%s' %s --count 1 --json --scale 2", beam, steel);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6 * hz, 0.5 * hz, first_frequency());
    program_run("modes '%s' --young 4e6 --poisson 0.35 --density 1000 --count 1 --json", beam);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6 * hz, 2.0 * hz, first_frequency());
}

static void test_static_json_has_the_promised_keys(void) {
    program_run("static '%s' %s --fix 'x<0.01' --load 'x>0.39:0,0,-1' --load 'vertices:19:0,1,0' "
                "--probe 'x>0.39' --probe all --json",
                beam, steel);
    cJSON *root = program_json();
    const cJSON *probes = program_array(root, "probes", 2);
    const cJSON *tip = cJSON_GetArrayItem(probes, 0);
    TEST_ASSERT_EQUAL_STRING("x>0.39", cJSON_GetObjectItem(tip, "selector")->valuestring);
    const cJSON *mean = program_array(tip, "mean_displacement_m", 3);
    TEST_ASSERT_TRUE(cJSON_GetArrayItem(mean, 1)->valuedouble > 0.0);
    TEST_ASSERT_TRUE(cJSON_GetArrayItem(mean, 2)->valuedouble < 0.0);
    TEST_ASSERT_TRUE(program_number(root, "energy_j") > 0.0);
    TEST_ASSERT_TRUE(program_number(root, "newton_iterations") >= 1.0);
    TEST_ASSERT_TRUE(program_number(root, "residual") < 1e-9);
    cJSON_Delete(root);
}

static void test_indent_json_has_the_promised_keys(void) {
    program_run("indent '%s' %s --fix 'x<0.01' --at 0.2,0.05,0.1 --radius 0.05 --depth "
                "0.001,0.003 --law linear,cor,stvk,neo-hookean --json",
                beam, steel);
    cJSON *root = program_json();
    const cJSON *depths = program_array(root, "depths", 2);
    double last = 0.0;
    for (int k = 0; k < 2; k++) {
        const cJSON *item = cJSON_GetArrayItem(depths, k);
        const double linear = program_number(item, "linear_n");
        TEST_ASSERT_TRUE(linear > last);
        TEST_ASSERT_DOUBLE_WITHIN(0.1 * linear, linear, program_number(item, "corotational_n"));
        TEST_ASSERT_DOUBLE_WITHIN(0.1 * linear, linear, program_number(item, "stvk_n"));
        TEST_ASSERT_DOUBLE_WITHIN(0.1 * linear, linear, program_number(item, "neo_hookean_n"));
        TEST_ASSERT_TRUE(program_number(item, "hertz_n") > 0.0);
        TEST_ASSERT_NULL(cJSON_GetObjectItem(item, "modes_n")); // a mesh has no basis
        last = program_number(item, "linear_n");
    }
    TEST_ASSERT_TRUE(program_number(root, "radius_m") == 0.05);
    cJSON_Delete(root);
    program_run("indent '%s' %s --fix 'x<0.01'", beam, steel);
    program_fails(2, "--at x,y,z");
    program_run("indent '%s' %s --fix 'x<0.01' --at 0,0,0 --depth 0.002,0.001", beam, steel);
    program_fails(2, "must ascend");
    program_run("indent '%s' %s --fix 'x<0.01' --at 0,0,0 --law linear,rubber", beam, steel);
    program_fails(2, "neo-hookean");
    program_run("indent '%s' %s --fix 'x<0.01' --at 0,0,0 --law stvk,s", beam, steel);
    program_fails(2, "twice");
    program_run("indent '%s' %s --at 0,0,0 --quiet", beam, steel);
    program_fails(2, "--fix");
}

static void test_static_probes_the_loaded_vertices_by_default(void) {
    program_run("static '%s' %s --fix 'x<0.01' --load 'vertices:19,18:0,0,-1' --json", beam, steel);
    cJSON *root = program_json();
    const cJSON *probe = cJSON_GetArrayItem(program_array(root, "probes", 1), 0);
    TEST_ASSERT_EQUAL_STRING("vertices:19,18", cJSON_GetObjectItem(probe, "selector")->valuestring);
    cJSON_Delete(root);
}

static void test_displacement_file_has_a_line_for_every_vertex(void) {
    char path[256];
    snprintf(path, sizeof path, "%s", check_scratch("u.txt"));
    program_run("static '%s' %s --fix 'x<0.01' --gravity 0,0,-9.81 -o '%s' --quiet", beam, steel,
                path);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    TEST_ASSERT_EQUAL_STRING("", program.errors);
    FILE *file = fopen(path, "r");
    TEST_ASSERT_NOT_NULL(file);
    char line[256];
    int lines = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        int vertex = -1;
        double u[3];
        if (line[0] != '#') {
            TEST_ASSERT_EQUAL_INT(4, sscanf(line, "%d %lf %lf %lf", &vertex, &u[0], &u[1], &u[2]));
            TEST_ASSERT_EQUAL_INT(lines, vertex);
            lines++;
        }
    }
    fclose(file);
    TEST_ASSERT_EQUAL_INT(20, lines);
    program_run("static '%s' %s --fix 'x<0.01' --gravity 0,0,-9.81 -o /nowhere/u.txt", beam, steel);
    program_fails(1, "--displacement '/nowhere/u.txt': cannot write there");
}

static void test_vtu_files_read_back(void) {
    char path[256];
    snprintf(path, sizeof path, "%s", check_scratch("bent.vtu"));
    program_run("static '%s' %s --fix 'x<0.01' --gravity 0,0,-9.81 --vtu '%s' --json", beam, steel,
                path);
    cJSON_Delete(program_json());
    program_run("info '%s' --json", path);
    cJSON *root = program_json();
    TEST_ASSERT_EQUAL_INT(24, (int)program_number(root, "elements"));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.004, program_number(root, "volume_m3"));
    cJSON_Delete(root);
    program_run("modes '%s' %s --vtu '%s' --count 2 --json", beam, steel, path);
    cJSON_Delete(program_json());
    program_run("modes '%s' %s --vtu shapes.txt", beam, steel);
    program_fails(2, "--vtu 'shapes.txt': the name must end in .vtu");
}

static void test_dynamic_json_has_the_promised_keys(void) {
    program_run(
        "dynamic '%s' %s --fix 'x<0.01' --load 'x>0.39:0,0,-1' --dt 0.01 --steps 7 --alpha 0.1 "
        "--beta 0.001 --json",
        beam, steel);
    cJSON *root = program_json();
    const cJSON *probe = cJSON_GetArrayItem(program_array(root, "probes", 1), 0);
    const cJSON *time = program_array(probe, "time_s", 8);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.07, cJSON_GetArrayItem(time, 7)->valuedouble);
    const cJSON *mean = program_array(probe, "mean_displacement_m", 8);
    TEST_ASSERT_EQUAL_INT(3, cJSON_GetArraySize(cJSON_GetArrayItem(mean, 7)));
    program_array(root, "kinetic_j", 8);
    program_array(root, "strain_j", 8);
    cJSON_Delete(root);
    program_run("dynamic '%s' %s --gravity 0,0,-9.81 --steps 3 --seconds 1", beam, steel);
    program_fails(2, "give --steps or --seconds, not both");
}

static void test_a_free_body_falls_as_galilei_says(void) {
    program_run("dynamic '%s' %s --gravity 0,0,-10 --seconds 0.2 --probe all --json", beam, steel);
    cJSON *root = program_json();
    const cJSON *probe = cJSON_GetArrayItem(program_array(root, "probes", 1), 0);
    const cJSON *mean = program_array(probe, "mean_displacement_m", 21);
    double z = cJSON_GetArrayItem(cJSON_GetArrayItem(mean, 20), 2)->valuedouble;
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, -0.2, z);
    cJSON_Delete(root);
}

static void test_dynamic_table_is_thinned_and_csv_is_not(void) {
    char path[256];
    snprintf(path, sizeof path, "%s", check_scratch("steps.csv"));
    program_run(
        "dynamic '%s' %s --fix 'x<0.01' --gravity 0,0,-1 --dt 0.001 --steps 90 --csv '%s' --quiet",
        beam, steel, path);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    int printed = 0, written = 0;
    for (const char *c = program.out; *c != '\0'; c++) {
        printed += *c == '\n';
    }
    TEST_ASSERT_TRUE_MESSAGE(printed < 40, program.out);
    FILE *file = fopen(path, "r");
    TEST_ASSERT_NOT_NULL(file);
    for (int c = fgetc(file); c != EOF; c = fgetc(file)) {
        written += c == '\n';
    }
    fclose(file);
    TEST_ASSERT_EQUAL_INT(92, written);
}

static void test_info_tells_about_a_mesh(void) {
    program_run("info '%s'", two_beams);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    TEST_ASSERT_NOT_NULL(strstr(program.out, "48 tets"));
    TEST_ASSERT_NOT_NULL(strstr(program.out, "separate pieces"));
    program_run("info '%s' --json", two_beams);
    cJSON *root = program_json();
    TEST_ASSERT_EQUAL_INT(2, (int)program_number(root, "components"));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.008, program_number(root, "volume_m3"));
    TEST_ASSERT_NULL(cJSON_GetObjectItem(root, "hint"));
    cJSON_Delete(root);
    program_run("info '%s' --scale 1000", beam);
    TEST_ASSERT_NOT_NULL(strstr(program.out, "if so: --scale 1\n"));
}

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    TEST_ASSERT_NOT_NULL(file);
    fputs(text, file);
    fclose(file);
}

static void test_info_lists_sets_and_reads_what_a_mesh_includes(void) {
    char path[256];
    snprintf(path, sizeof path, "%s", check_scratch("split.veg"));
    write_text(path, "*VERTICES\n*INCLUDE split.node\n*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n"
                     "*SET base\n1\n");
    write_text(check_scratch("split.node"), "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n");
    program_run("info '%s'", path);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(program.out, "base"), program.out);
    program_run("info '%s' --json", path);
    cJSON *root = program_json();
    const cJSON *sets = cJSON_GetObjectItem(root, "sets");
    TEST_ASSERT_EQUAL_INT(1, cJSON_GetArraySize(sets));
    TEST_ASSERT_EQUAL_INT(1, (int)program_number(cJSON_GetArrayItem(sets, 0), "members"));
    cJSON_Delete(root);
    write_text(check_scratch("split.node"), "4 3 0 0\n1 0 0 0\n*INCLUDE split.veg\n");
    program_run("info '%s'", path);
    program_fails(1, "split.node:3: *INCLUDE goes round in a circle");
}

static void test_second_bake_comes_from_the_cache(void) {
    char scene[256], model[256];
    snprintf(scene, sizeof scene, "%s", check_scratch("small.yaml"));
    snprintf(model, sizeof model, "%s", check_scratch("small.h5"));
    setenv("PALPATE_CACHE", check_scratch("cache"), 1);
    FILE *file = fopen(scene, "w");
    TEST_ASSERT_NOT_NULL(file);
    fprintf(file, "palpate: 1\nname: small\nabout: A small spoon\nbody:\n"
                  "  shape: {name: spoon, size: 0.2 m}\n  voxels: 12\n  fixed: x<0.03\n"
                  "  material: {preset: liver}\nbasis: {kind: derivatives, modes: 2, size: 3}\n");
    fclose(file);
    for (int i = 0; i < 2; i++) {
        program_run("bake '%s' -o '%s' --json", scene, model);
        cJSON *root = program_json();
        const cJSON *cached = cJSON_GetObjectItem(root, "cached");
        TEST_ASSERT_TRUE(i == 0 ? cJSON_IsFalse(cached) : cJSON_IsTrue(cached));
        TEST_ASSERT_EQUAL_INT(3, (int)program_number(root, "basis_size"));
        program_array(root, "frequencies_hz", 2);
        cJSON_Delete(root);
    }
    program_run("info '%s'", model);
    TEST_ASSERT_NOT_NULL(strstr(program.out, "the model 'small'"));
    program_run("info '%s'", scene);
    TEST_ASSERT_NOT_NULL(strstr(program.out, "A small spoon"));
    program_run("bake '%s'", model);
    program_fails(2, "is not a scene");
    program_run("bake '%s' -o '%s.txt'", scene, model);
    program_fails(2, "the name must end in .h5");
}

static void test_shipped_scenes_say_what_they_are(void) {
    program_run("scenes --json");
    cJSON *root = program_json();
    TEST_ASSERT_TRUE(cJSON_GetArraySize(root) >= 5);
    const cJSON *scene = NULL;
    cJSON_ArrayForEach(scene, root) {
        TEST_ASSERT_TRUE(strlen(cJSON_GetObjectItem(scene, "about")->valuestring) > 10);
    }
    cJSON_Delete(root);
}

static void test_surfaces_need_voxels(void) {
    char path[256];
    snprintf(path, sizeof path, "%s", check_scratch("tet.obj"));
    FILE *file = fopen(path, "w");
    TEST_ASSERT_NOT_NULL(file);
    fprintf(file, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    fclose(file);
    program_run("info '%s'", path);
    TEST_ASSERT_NOT_NULL(strstr(program.out, "a surface"));
    program_run("modes '%s' %s", path, steel);
    program_fails(2, "add --voxels N");
    program_run("modes '%s' %s --voxels 5 --count 3 --json", path, steel);
    cJSON *root = program_json();
    program_array(root, "frequencies_hz", 3);
    cJSON_Delete(root);
}

static void test_progress_is_plain_lines_on_standard_error_only(void) {
    program_run("modes '%s' %s --fix 'x<0.01' --count 3", beam, steel);
    TEST_ASSERT_EQUAL_INT(0, program.code);
    TEST_ASSERT_NULL(strchr(program.errors, '\033'));
    TEST_ASSERT_NULL(strchr(program.errors, '\r'));
    TEST_ASSERT_NULL(strchr(program.out, '\033'));
}

static void test_full_disk_is_an_error(void) {
    if (access("/dev/full", W_OK) != 0) {
        TEST_IGNORE_MESSAGE("no /dev/full here");
    }
    program_run("version >/dev/full");
    program_fails(1, "cannot write the results");
}

static void test_a_limit_on_file_sizes_leaves_nothing_behind(void) {
    char folder[256], path[300];
    snprintf(folder, sizeof folder, "%s", check_scratch("limited"));
    snprintf(path, sizeof path, "%s/a.vtu", folder);
    TEST_ASSERT_EQUAL_INT(0, mkdir(folder, 0777));
    // Half-way through: the file has tens of kilobytes, the limit is some 4 or 8
    program_run("version >/dev/null; ulimit -f 8; %s modes '%s' %s --count 40 --quiet --vtu '%s'",
                PAL_PROGRAM, beam, steel, path);
    program_fails(1, "File too large; raise the limit");
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, rmdir(folder), "something was left behind");
}

static void test_words_of_garbled_files_give_the_terminal_no_orders(void) {
    char path[256];
    snprintf(path, sizeof path, "%s", check_scratch("orders.mesh"));
    FILE *file = fopen(path, "w");
    TEST_ASSERT_NOT_NULL(file);
    fputs("MeshVersionFormatted 1\nDimension 3\nVertices\n\033[31mred\n", file);
    fclose(file);
    program_run("info %s", path);
    program_fails(1, "orders.mesh:4");
    TEST_ASSERT_NULL_MESSAGE(strchr(program.errors, '\033'), program.errors);
}

static void test_names_of_outputs_are_looked_at_before_the_work(void) {
    program_run("modes %s %s --quiet --vtu no/such/folder/a.vtu", beam, steel);
    program_fails(1, "make the folder first");
    program_run("static %s %s --fix 'x<0.01' --load 'x>0.39:0,0,1' --quiet -o /", beam, steel);
    program_fails(1, "is not a regular file");
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_every_command_has_help_with_an_example);
    RUN_TEST(test_no_line_of_help_is_too_wide);
    RUN_TEST(test_wrong_usage_exits_with_2);
    RUN_TEST(test_no_command_shows_the_commands_and_exits_with_2);
    RUN_TEST(test_materials_are_needed_and_checked);
    RUN_TEST(test_materials_of_one_region_are_laid_over_the_rest);
    RUN_TEST(test_bodies_that_cannot_be_solved_are_refused);
    RUN_TEST(test_bad_files_give_one_line_and_exit_with_1);
    RUN_TEST(test_modes_json_has_the_promised_keys);
    RUN_TEST(test_frequency_scales_as_the_theory_says);
    RUN_TEST(test_static_json_has_the_promised_keys);
    RUN_TEST(test_indent_json_has_the_promised_keys);
    RUN_TEST(test_static_probes_the_loaded_vertices_by_default);
    RUN_TEST(test_displacement_file_has_a_line_for_every_vertex);
    RUN_TEST(test_vtu_files_read_back);
    RUN_TEST(test_dynamic_json_has_the_promised_keys);
    RUN_TEST(test_a_free_body_falls_as_galilei_says);
    RUN_TEST(test_dynamic_table_is_thinned_and_csv_is_not);
    RUN_TEST(test_info_tells_about_a_mesh);
    RUN_TEST(test_info_lists_sets_and_reads_what_a_mesh_includes);
    RUN_TEST(test_second_bake_comes_from_the_cache);
    RUN_TEST(test_shipped_scenes_say_what_they_are);
    RUN_TEST(test_surfaces_need_voxels);
    RUN_TEST(test_progress_is_plain_lines_on_standard_error_only);
    RUN_TEST(test_full_disk_is_an_error);
    RUN_TEST(test_a_limit_on_file_sizes_leaves_nothing_behind);
    RUN_TEST(test_words_of_garbled_files_give_the_terminal_no_orders);
    RUN_TEST(test_names_of_outputs_are_looked_at_before_the_work);
    return UNITY_END();
}
