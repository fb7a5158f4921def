// Laws of one element: shape functions and St. Venant-Kirchhoff energy, force and stiffness.
#include "sim/fem/stvk.h"

#include "sim/base/mat3.h"
#include "sim/base/vec3.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

enum { TRIALS = 20, DOFS = 3 * PAL_MAX_NODES };

static const double lambda = 3.7, mu = 2.3;

static const double corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                    {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

static test_random rng;

void setUp(void) {
    rng.state = 42;
}
void tearDown(void) {
}

// ---- Elements to try ----

typedef struct element {
    pal_element_kind kind;
    double x[8][3];
    double u[8][3];
    pal_quadrature quadrature;
} element;

static double max_abs(const double *a, size_t count) {
    double largest = 0.0;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(a[i]));
    }
    return largest;
}

static double evaluate(element *e, double *force, double *stiffness) {
    return pal_stvk_element(&e->quadrature, lambda, mu, e->u, force, stiffness);
}

// A right frame that is neither flat nor far from unit size.
static void random_frame(double frame[3][3]) {
    do {
        random_fill(&rng, 1.0, &frame[0][0], 9);
    } while (pal_mat3_det(frame) < 0.1);
}

static element random_tet(void) {
    element e = {.kind = PAL_TET4};
    double frame[3][3];
    random_frame(frame);
    random_fill(&rng, 1.0, e.x[0], 3);
    for (int a = 1; a < 4; a++) { // the edges from vertex 0 are the columns of the frame
        for (int c = 0; c < 3; c++) {
            e.x[a][c] = e.x[0][c] + frame[c][a - 1];
        }
    }
    random_fill(&rng, 0.3, e.u[0], 12);
    TEST_ASSERT_TRUE(pal_quadrature_make(&e.quadrature, e.kind, e.x, 1));
    return e;
}

// A cube sheared, turned and dented.
static element random_hex(int order) {
    element e = {.kind = PAL_HEX8};
    double frame[3][3];
    do {
        random_frame(frame);
        for (int a = 0; a < 8; a++) {
            for (int c = 0; c < 3; c++) {
                e.x[a][c] = pal_dot3(frame[c], corner[a]) + 0.05 * random_number(&rng);
            }
        }
    } while (!pal_quadrature_make(&e.quadrature, e.kind, e.x, order));
    random_fill(&rng, 0.3, e.u[0], 24);
    return e;
}

static element voxel(const double size[3], int order) {
    element e = {.kind = PAL_HEX8};
    for (int a = 0; a < 8; a++) {
        for (int c = 0; c < 3; c++) {
            e.x[a][c] = 0.3 + size[c] * corner[a][c];
        }
    }
    random_fill(&rng, 0.3, e.u[0], 24);
    TEST_ASSERT_TRUE(pal_quadrature_make(&e.quadrature, e.kind, e.x, order));
    return e;
}

// Tets and hexahedra by turns.
static element random_element(int trial) {
    return trial % 2 == 0 ? random_tet() : random_hex(PAL_GAUSS_EXACT);
}

// u = G x + t
static void displace(element *e, double (*g)[3], const double t[3]) {
    for (int a = 0; a < (int)e->kind; a++) {
        for (int c = 0; c < 3; c++) {
            e->u[a][c] = pal_dot3(g[c], e->x[a]) + t[c];
        }
    }
}

// A rotation about a random axis by a random angle of up to half a turn (Rodrigues).
static void random_rotation(double r[3][3]) {
    double axis[3];
    random_fill(&rng, 1.0, axis, 3);
    double length = pal_norm3(axis), angle = 3.14159 * random_number(&rng);
    double k[3] = {axis[0] / length, axis[1] / length, axis[2] / length};
    double s = sin(angle), v = 1.0 - cos(angle);
    double cross[3][3] = {{0, -k[2], k[1]}, {k[2], 0, -k[0]}, {-k[1], k[0], 0}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            r[i][j] = (i == j) * (1.0 - v) + s * cross[i][j] + v * k[i] * k[j];
        }
    }
}

// ---- Shape functions ----

// The faces of a trilinear hexahedron are bilinear: the volume behind one is the mean of those
// behind its two triangulations.
static double hex_volume(double (*x)[3]) {
    static const int face[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                   {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
    double volume = 0.0;
    for (int f = 0; f < 6; f++) {
        for (int k = 0; k < 4; k++) { // all four corners' triangles: both triangulations
            double m[3][3];
            for (int v = 0; v < 3; v++) {
                memcpy(m[v], x[face[f][(k + v) % 4]], sizeof m[v]);
            }
            volume += pal_mat3_det(m) / 12.0;
        }
    }
    return volume;
}

static double weight_sum(const pal_quadrature *quadrature) {
    double sum = 0.0;
    for (int p = 0; p < quadrature->points; p++) {
        sum += quadrature->weight[p];
    }
    return sum;
}

static void test_weights_sum_to_volume(void) {
    for (int trial = 0; trial < TRIALS; trial++) {
        element tet = random_tet();
        double edge[3][3];
        for (int a = 0; a < 3; a++) {
            pal_sub3(tet.x[a + 1], tet.x[0], edge[a]);
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, pal_mat3_det(edge) / 6.0, weight_sum(&tet.quadrature));
        for (int order = 2; order <= 4; order++) {
            element hex = random_hex(order);
            TEST_ASSERT_EQUAL_INT(order * order * order, hex.quadrature.points);
            TEST_ASSERT_DOUBLE_WITHIN(1e-13, hex_volume(hex.x), weight_sum(&hex.quadrature));
        }
    }
}

static void test_shapes_sum_to_one_and_gradients_to_zero(void) {
    for (int trial = 0; trial < TRIALS; trial++) {
        element e = random_element(trial);
        TEST_ASSERT_EQUAL_INT(e.kind, e.quadrature.nodes);
        for (int p = 0; p < e.quadrature.points; p++) {
            double shape = 0.0, grad[3] = {0.0, 0.0, 0.0};
            for (int a = 0; a < e.quadrature.nodes; a++) {
                shape += e.quadrature.shape[p][a];
                for (int c = 0; c < 3; c++) {
                    grad[c] += e.quadrature.grad[p][a][c];
                }
            }
            TEST_ASSERT_DOUBLE_WITHIN(1e-14, 1.0, shape);
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.0, max_abs(grad, 3));
        }
    }
}

static void test_gradient_of_linear_field_is_exact(void) {
    for (int trial = 0; trial < TRIALS; trial++) {
        element e = random_element(trial);
        double g[3][3], t[3];
        random_fill(&rng, 1.0, &g[0][0], 9);
        random_fill(&rng, 1.0, t, 3);
        displace(&e, g, t);
        for (int p = 0; p < e.quadrature.points; p++) {
            double found[3][3] = {{0}};
            for (int a = 0; a < e.quadrature.nodes; a++) {
                for (int i = 0; i < 3; i++) {
                    for (int j = 0; j < 3; j++) {
                        found[i][j] += e.u[a][i] * e.quadrature.grad[p][a][j];
                    }
                }
            }
            TEST_ASSERT_TRUE(check_relative_difference(&found[0][0], &g[0][0], 9) < 1e-12);
        }
    }
}

// Gauss with n points is exact to degree 2n - 1 and no further.
static void test_gauss_rules_have_their_degree(void) {
    const double unit[3] = {1.0, 1.0, 1.0};
    for (int order = 1; order <= 4; order++) {
        element e = voxel(unit, order);
        for (int degree = 0; degree <= 2 * order; degree++) {
            double integral = 0.0;
            for (int p = 0; p < e.quadrature.points; p++) {
                double xi[3] = {0.0, 0.0, 0.0};
                for (int a = 0; a < 8; a++) {
                    for (int c = 0; c < 3; c++) {
                        xi[c] += e.quadrature.shape[p][a] * corner[a][c];
                    }
                }
                integral += e.quadrature.weight[p] * pow(xi[0], degree) * pow(xi[1], degree) *
                            pow(xi[2], degree);
            }
            double error = fabs(integral - pow(degree + 1.0, -3.0));
            TEST_ASSERT_TRUE(degree < 2 * order ? error < 1e-14 : error > 1e-7);
        }
    }
}

static void test_elements_inside_out_or_flat_are_refused(void) {
    pal_quadrature quadrature;
    element tet = random_tet(), hex = random_hex(2);
    double x[8][3];
    memcpy(x, tet.x, sizeof x); // two vertices swapped
    memcpy(x[0], tet.x[1], sizeof x[0]);
    memcpy(x[1], tet.x[0], sizeof x[1]);
    TEST_ASSERT_FALSE(pal_quadrature_make(&quadrature, PAL_TET4, x, 1));
    memcpy(x[1], x[0], sizeof x[1]); // two vertices in one place
    TEST_ASSERT_FALSE(pal_quadrature_make(&quadrature, PAL_TET4, x, 1));
    x[1][0] = NAN;
    TEST_ASSERT_FALSE(pal_quadrature_make(&quadrature, PAL_TET4, x, 1));
    memcpy(x, hex.x[4], 4 * sizeof x[0]); // top and bottom swapped
    memcpy(x + 4, hex.x[0], 4 * sizeof x[0]);
    TEST_ASSERT_FALSE(pal_quadrature_make(&quadrature, PAL_HEX8, x, 2));
    memcpy(x, hex.x[4], 4 * sizeof x[0]);
    memcpy(x + 4, hex.x[4], 4 * sizeof x[0]); // no height
    TEST_ASSERT_FALSE(pal_quadrature_make(&quadrature, PAL_HEX8, x, 2));
}

// ---- Energy, force, stiffness ----

static void test_rigid_motion_makes_no_force(void) {
    for (int trial = 0; trial < TRIALS; trial++) {
        element e = random_element(trial);
        double g[3][3], t[3], force[DOFS];
        random_rotation(g);
        random_fill(&rng, 10.0, t, 3);
        for (int c = 0; c < 3; c++) {
            g[c][c] -= 1.0;
        }
        displace(&e, g, t);
        TEST_ASSERT_DOUBLE_WITHIN(1e-24, 0.0, evaluate(&e, force, NULL));
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.0, max_abs(force, 3 * (size_t)e.kind));
    }
}

// d/dt of f(u + t e_i) at 0 by five points: exact where f is a polynomial of degree 4 in t.
static double five_points(const double f[4], double h) {
    return (8.0 * (f[2] - f[1]) - (f[3] - f[0])) / (12.0 * h);
}

static void test_force_is_gradient_of_energy(void) {
    const double h = 0.1, step[4] = {-2 * h, -h, h, 2 * h};
    for (int trial = 0; trial < TRIALS; trial++) {
        element e = random_element(trial);
        int dofs = 3 * (int)e.kind;
        double force[DOFS], slope[DOFS];
        evaluate(&e, force, NULL);
        for (int i = 0; i < dofs; i++) {
            double *ui = &e.u[i / 3][i % 3], before = *ui, energy[4];
            for (int k = 0; k < 4; k++) {
                *ui = before + step[k];
                energy[k] = evaluate(&e, NULL, NULL);
            }
            *ui = before;
            slope[i] = five_points(energy, h);
        }
        TEST_ASSERT_TRUE(check_relative_difference(force, slope, (size_t)dofs) < 1e-11);
    }
}

static void test_stiffness_is_gradient_of_force_and_symmetric(void) {
    const double h = 0.1, step[4] = {-2 * h, -h, h, 2 * h};
    for (int trial = 0; trial < TRIALS; trial++) {
        element e = random_element(trial);
        int dofs = 3 * (int)e.kind;
        double stiffness[DOFS * DOFS], slope[DOFS * DOFS], force[4][DOFS];
        evaluate(&e, NULL, stiffness);
        for (int i = 0; i < dofs; i++) {
            double *ui = &e.u[i / 3][i % 3], before = *ui;
            for (int k = 0; k < 4; k++) {
                *ui = before + step[k];
                evaluate(&e, force[k], NULL);
            }
            *ui = before;
            for (int j = 0; j < dofs; j++) {
                const double f[4] = {force[0][j], force[1][j], force[2][j], force[3][j]};
                slope[j * dofs + i] = five_points(f, h);
                TEST_ASSERT_TRUE(stiffness[i * dofs + j] == stiffness[j * dofs + i]);
            }
        }
        TEST_ASSERT_TRUE(check_relative_difference(stiffness, slope, (size_t)(dofs * dofs)) <
                         1e-11);
    }
}

// F constant: V = volume (lambda/2 (tr E)^2 + mu E:E) with E = (F^T F - I) / 2.
static void test_energy_of_affine_deformation(void) {
    for (int trial = 0; trial < TRIALS; trial++) {
        element e = random_element(trial);
        double g[3][3], t[3], trace = 0.0, e_e = 0.0;
        random_fill(&rng, 0.5, &g[0][0], 9);
        random_fill(&rng, 1.0, t, 3);
        displace(&e, g, t);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                double c = 0.0; // (F^T F)_ij
                for (int k = 0; k < 3; k++) {
                    c += (g[k][i] + (k == i)) * (g[k][j] + (k == j));
                }
                double strain = 0.5 * (c - (i == j));
                trace += i == j ? strain : 0.0;
                e_e += strain * strain;
            }
        }
        double expected = weight_sum(&e.quadrature) * (0.5 * lambda * trace * trace + mu * e_e);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12 * expected, expected, evaluate(&e, NULL, NULL));
    }
}

static void test_internal_forces_balance(void) {
    for (int trial = 0; trial < TRIALS; trial++) {
        element e = random_element(trial);
        double force[DOFS], total[3] = {0.0, 0.0, 0.0}, torque[3] = {0.0, 0.0, 0.0};
        evaluate(&e, force, NULL);
        for (int a = 0; a < (int)e.kind; a++) {
            double y[3], moment[3]; // about the origin, at the deformed place
            for (int c = 0; c < 3; c++) {
                y[c] = e.x[a][c] + e.u[a][c];
                total[c] += force[3 * a + c];
            }
            pal_cross3(y, force + 3 * a, moment);
            for (int c = 0; c < 3; c++) {
                torque[c] += moment[c];
            }
        }
        double size = max_abs(force, 3 * (size_t)e.kind);
        TEST_ASSERT_TRUE(size > 1e-3);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12 * size, 0.0, max_abs(total, 3));
        TEST_ASSERT_DOUBLE_WITHIN(1e-12 * size, 0.0, max_abs(torque, 3));
    }
}

// Turning the deformed element turns its forces and leaves its energy.
static void test_forces_turn_with_the_body(void) {
    for (int trial = 0; trial < TRIALS; trial++) {
        element e = random_element(trial), turned = e;
        double r[3][3], force[DOFS], expected[DOFS], found[DOFS];
        random_rotation(r);
        double energy = evaluate(&e, force, NULL);
        for (int a = 0; a < (int)e.kind; a++) {
            double y[3];
            for (int c = 0; c < 3; c++) {
                y[c] = e.x[a][c] + e.u[a][c];
            }
            for (int c = 0; c < 3; c++) {
                turned.u[a][c] = pal_dot3(r[c], y) - e.x[a][c];
                expected[3 * a + c] = pal_dot3(r[c], force + 3 * a);
            }
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-12 * energy, energy, evaluate(&turned, found, NULL));
        TEST_ASSERT_TRUE(check_relative_difference(found, expected, 3 * (size_t)e.kind) < 1e-12);
    }
}

// Lengths times s at the same strain: energy s^3, force s^2, stiffness s.
static void test_scaling_the_element(void) {
    const double s = 1e-3;
    for (int trial = 0; trial < TRIALS; trial++) {
        element e = random_element(trial), small = e;
        size_t dofs = 3 * (size_t)e.kind;
        double force[2][DOFS], stiffness[2][DOFS * DOFS];
        for (size_t i = 0; i < dofs; i++) {
            small.x[i / 3][i % 3] *= s;
            small.u[i / 3][i % 3] *= s;
        }
        TEST_ASSERT_TRUE(pal_quadrature_make(&small.quadrature, e.kind, small.x, PAL_GAUSS_EXACT));
        double energy = evaluate(&e, force[0], stiffness[0]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12 * energy, energy,
                                  evaluate(&small, force[1], stiffness[1]) / (s * s * s));
        for (size_t i = 0; i < dofs * dofs; i++) {
            force[1][i % dofs] /= i < dofs ? s * s : 1.0;
            stiffness[1][i] /= s;
        }
        TEST_ASSERT_TRUE(check_relative_difference(force[1], force[0], dofs) < 1e-12);
        TEST_ASSERT_TRUE(check_relative_difference(stiffness[1], stiffness[0], dofs * dofs) <
                         1e-12);
    }
}

static void test_energy_is_linear_in_the_lame_constants(void) {
    for (int trial = 0; trial < TRIALS; trial++) {
        element e = random_element(trial);
        size_t dofs = 3 * (size_t)e.kind;
        double force[3][DOFS];
        double both = evaluate(&e, force[0], NULL);
        double first = pal_stvk_element(&e.quadrature, 1.0, 0.0, e.u, force[1], NULL);
        double second = pal_stvk_element(&e.quadrature, 0.0, 1.0, e.u, force[2], NULL);
        for (size_t i = 0; i < dofs; i++) {
            force[1][i] = lambda * force[1][i] + mu * force[2][i];
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-13 * both, both, lambda * first + mu * second);
        TEST_ASSERT_TRUE(check_relative_difference(force[1], force[0], dofs) < 1e-13);
    }
}

// On voxels StVK is a polynomial: three points per axis are exact, two are not.
static void test_three_gauss_points_are_exact_on_voxels(void) {
    const double size[2][3] = {{1.0, 1.0, 1.0}, {0.5, 1.5, 0.8}};
    for (int trial = 0; trial < TRIALS; trial++) {
        element e = voxel(size[trial % 2], 4);
        double force[5][DOFS], stiffness[5][DOFS * DOFS], energy[5];
        for (int order = 4; order >= 2; order--) {
            TEST_ASSERT_TRUE(pal_quadrature_make(&e.quadrature, e.kind, e.x, order));
            energy[order] = evaluate(&e, force[order], stiffness[order]);
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-13 * energy[4], energy[4], energy[3]);
        TEST_ASSERT_TRUE(check_relative_difference(force[3], force[4], 24) < 1e-13);
        TEST_ASSERT_TRUE(check_relative_difference(stiffness[3], stiffness[4], 576) < 1e-13);
        TEST_ASSERT_TRUE(fabs(energy[2] - energy[4]) > 1e-6 * energy[4]);
        TEST_ASSERT_TRUE(check_relative_difference(force[2], force[4], 24) > 1e-6);
    }
}

// A unit voxel under a tiny uniaxial strain is linear elasticity, with no digits lost.
static void test_small_strain_is_linear_elasticity(void) {
    const double unit[3] = {1.0, 1.0, 1.0}, strain = 1e-11;
    element e = voxel(unit, PAL_GAUSS_EXACT);
    double force[DOFS], pull = 0.0, side = 0.0;
    for (int a = 0; a < 8; a++) {
        e.u[a][0] = strain * corner[a][0];
        e.u[a][1] = e.u[a][2] = 0.0;
    }
    evaluate(&e, force, NULL);
    for (int a = 0; a < 8; a++) {
        pull += corner[a][0] * force[3 * a];
        side += corner[a][1] * force[3 * a + 1];
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, lambda + 2.0 * mu, pull / strain);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, lambda, side / strain);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_weights_sum_to_volume);
    RUN_TEST(test_shapes_sum_to_one_and_gradients_to_zero);
    RUN_TEST(test_gradient_of_linear_field_is_exact);
    RUN_TEST(test_gauss_rules_have_their_degree);
    RUN_TEST(test_elements_inside_out_or_flat_are_refused);
    RUN_TEST(test_rigid_motion_makes_no_force);
    RUN_TEST(test_force_is_gradient_of_energy);
    RUN_TEST(test_stiffness_is_gradient_of_force_and_symmetric);
    RUN_TEST(test_energy_of_affine_deformation);
    RUN_TEST(test_internal_forces_balance);
    RUN_TEST(test_forces_turn_with_the_body);
    RUN_TEST(test_scaling_the_element);
    RUN_TEST(test_energy_is_linear_in_the_lame_constants);
    RUN_TEST(test_three_gauss_points_are_exact_on_voxels);
    RUN_TEST(test_small_strain_is_linear_elasticity);
    return UNITY_END();
}
