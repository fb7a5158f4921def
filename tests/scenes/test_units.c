#include <math.h>
#include <string.h>

#include "scenes/units.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

static double value_of(const char *text, pal_dimension dimension) {
    pal_err err = {0};
    double value = NAN;
    CHECK_OK(pal_quantity_parse(text, dimension, &value, &err), err);
    return value;
}

static void test_units_become_si(void) {
    static const struct {
        const char *text;
        pal_dimension dimension;
        double value;
    } cases[] = {
        {"12 kPa", PAL_PRESSURE, 12e3},
        {"0.2 m", PAL_LENGTH, 0.2},
        {"5 mm", PAL_LENGTH, 5e-3},
        {"20cm", PAL_LENGTH, 0.2},
        {"7 um", PAL_LENGTH, 7e-6},
        {"7 \xC2\xB5m", PAL_LENGTH, 7e-6},
        {"1060 kg/m3", PAL_DENSITY, 1060},
        {"1.06 g/cm^3", PAL_DENSITY, 1060},
        {"1060 kg/m\xC2\xB3", PAL_DENSITY, 1060},
        {"2 ms", PAL_TIME, 2e-3},
        {"0.5 N", PAL_FORCE, 0.5},
        {"-3 mN", PAL_FORCE, -3e-3},
        {"2 kg*m/s2", PAL_FORCE, 2},
        {"2 kg m/s^2", PAL_FORCE, 2},
        {"9.81 m/s2", PAL_ACCELERATION, 9.81},
        {"9.81 N/kg", PAL_ACCELERATION, 9.81},
        {"0.1 1/s", PAL_RATE, 0.1},
        {"3 Hz", PAL_RATE, 3},
        {"0.1 s^-1", PAL_RATE, 0.1},
        {"2 N/mm2", PAL_PRESSURE, 2e6},
        {"200 GPa", PAL_PRESSURE, 200e9},
        {"1 J/m3", PAL_PRESSURE, 1},
        {"1e-3 kg^0.5 m", PAL_MASS_METRIC, 1e-3},
        {"1 g^0.5*m", PAL_MASS_METRIC, 0.0316227766016838},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = value_of(cases[i].text, cases[i].dimension);
        TEST_ASSERT_TRUE_MESSAGE(fabs(value - cases[i].value) <= 1e-14 * fabs(cases[i].value),
                                 cases[i].text);
    }
}

static void test_every_example_is_a_quantity_of_its_dimension(void) {
#define CHECK_EXAMPLE(name, text, example, kg, m, s) value_of(example, name);
    PAL_DIMENSION_LIST(CHECK_EXAMPLE)
#undef CHECK_EXAMPLE
}

static void test_bad_quantities_say_what_to_write(void) {
    static const struct {
        const char *text;
        pal_dimension dimension;
        const char *part;
    } cases[] = {
        {"12", PAL_PRESSURE, "'12' has no unit; write a pressure such as '12 kPa'"},
        {"12  ", PAL_PRESSURE, "has no unit"},
        {"12 mm", PAL_PRESSURE, "'12 mm' is a length; write a pressure such as '12 kPa'"},
        {"12 Pa/s", PAL_PRESSURE, "quantity of another kind"},
        {"12 psi", PAL_PRESSURE, "unknown unit 'psi'"},
        {"12 kpa", PAL_PRESSURE, "unknown unit 'kpa'"},
        {"12 kPa!", PAL_PRESSURE, "unknown unit"},
        {"12 k", PAL_PRESSURE, "unknown unit"},
        {"12 m4", PAL_LENGTH, "unknown unit"},
        {"12 m23", PAL_LENGTH, "unknown unit"},
        {"12 m^", PAL_LENGTH, "unknown unit"},
        {"12 m/", PAL_LENGTH, "unknown unit"},
        {"12 m m m m m m m m m m m m m m m m m m", PAL_LENGTH, "unknown unit"},
        {"soft", PAL_PRESSURE, "no finite number"},
        {"", PAL_LENGTH, "no finite number"},
        {"nan m", PAL_LENGTH, "no finite number"},
        {"inf m", PAL_LENGTH, "no finite number"},
        {"1e308 GPa", PAL_PRESSURE, "too large"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pal_err err = {0};
        double value;
        pal_status status = pal_quantity_parse(cases[i].text, cases[i].dimension, &value, &err);
        CHECK_FAILS(PAL_ERR_INPUT, cases[i].part, status, err);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_units_become_si);
    RUN_TEST(test_every_example_is_a_quantity_of_its_dimension);
    RUN_TEST(test_bad_quantities_say_what_to_write);
    return UNITY_END();
}
