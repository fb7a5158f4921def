// A reduced body in time: its memory, its coefficients, and its state between steps.
#include <math.h>
#include <string.h>

#include "sim/reduced/ldlt.h"
#include "sim/reduced/newmark_state.h"
#include "sim/reduced/vec4.h"

// ---- memory: one function measures and carves

typedef struct carver {
    unsigned char *memory; // NULL: only measure
    size_t used;
} carver;

static void *take(carver *c, size_t bytes) {
    void *part = c->memory == NULL ? NULL : c->memory + c->used;
    c->used += (bytes + 63) & ~(size_t)63;
    return part;
}

static pal_coefficients *carve_coefficients(carver *c, int32_t r, pal_precision precision) {
    size_t ld = (size_t)pal_round4(r), square = ld * ld * sizeof(double);
    bool wide = precision == PAL_DOUBLE;
    pal_coefficients measured, *out = take(c, sizeof *out);
    pal_coefficients *k = out == NULL ? &measured : out;
    k->precision = precision;
    k->p = take(c, square);
    k->m = take(c, square);
    k->table.quartic =
        take(c, wide ? pal_kernel_quartic_bytes_double(r) : pal_kernel_quartic_bytes_float(r));
    k->table.cubic =
        take(c, wide ? pal_kernel_cubic_bytes_double(r) : pal_kernel_cubic_bytes_float(r));
    return out;
}

static pal_newmark *carve_body(carver *c, int32_t r, pal_precision precision) {
    size_t ld = (size_t)pal_round4(r), row = ld * sizeof(double);
    pal_newmark measured, *out = take(c, sizeof *out);
    pal_newmark *b = out == NULL ? &measured : out;
    double **rows[] = {&b->q,    &b->v,     &b->a,        &b->q1, &b->v1,      &b->w1,
                       &b->half, &b->force, &b->residual, &b->dq, &b->inertia, &b->pq};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        *rows[k] = take(c, row);
    }
    b->k = take(c, ld * row);
    b->matrix = take(c, ld * (size_t)pal_ldlt_stride(r) * sizeof(double));
    b->lasting = take(c, ld * (size_t)pal_ldlt_stride(r) * sizeof(double));
    b->scratch = take(c, precision == PAL_DOUBLE ? pal_kernel_scratch_bytes_double(r)
                                                 : pal_kernel_scratch_bytes_float(r));
    b->coefficients = carve_coefficients(c, r, precision);
    return out;
}

size_t pal_newmark_bytes(int32_t r, pal_precision precision) {
    carver c = {0};
    carve_body(&c, r, precision);
    return c.used;
}

size_t pal_newmark_coefficient_bytes(int32_t r, pal_precision precision) {
    carver c = {0};
    carve_coefficients(&c, r, precision);
    return c.used;
}

// ---- set-up

// full [ld][ld] from packed [pairs], padding zero.
static void unpack(int32_t r, const double *packed, double *full) {
    int32_t ld = pal_round4(r);
    memset(full, 0, (size_t)ld * (size_t)ld * sizeof *full);
    for (int32_t j = 0; j < r; j++) {
        for (int32_t i = 0; i <= j; i++) {
            full[i * ld + j] = full[j * ld + i] = packed[pal_pair_at(i, j)];
        }
    }
}

static void fill_coefficients(pal_coefficients *out, const pal_quartic *quartic,
                              const double *mass) {
    int32_t r = quartic->r, ld = pal_round4(r);
    unpack(r, quartic->p, out->p);
    out->unit_mass = mass == NULL;
    memset(out->m, 0, (size_t)ld * (size_t)ld * sizeof *out->m);
    if (mass != NULL) {
        unpack(r, mass, out->m);
    } else {
        for (int32_t i = 0; i < r; i++) {
            out->m[i * ld + i] = 1.0;
        }
    }
    if (out->precision == PAL_DOUBLE) {
        pal_kernel_fill_double(&out->table, quartic);
    } else {
        pal_kernel_fill_float(&out->table, quartic);
    }
}

pal_coefficients *pal_newmark_prepare(void *memory, const pal_quartic *quartic, const double *mass,
                                      pal_precision precision) {
    carver c = {.memory = memory};
    pal_coefficients *out = carve_coefficients(&c, quartic->r, precision);
    fill_coefficients(out, quartic, mass);
    return out;
}

pal_coefficients *pal_newmark_swap(pal_newmark *body, pal_coefficients *coefficients) {
    pal_coefficients *before = body->coefficients;
    body->coefficients = coefficients;
    return before;
}

void pal_newmark_set_step(pal_newmark *body, double dt) {
    const double beta = 0.25, gamma = 0.5;
    body->options.dt = dt;
    body->a1 = 1.0 / (beta * dt * dt);
    body->a2 = 1.0 / (beta * dt);
    body->a3 = (1.0 - 2.0 * beta) / (2.0 * beta);
    body->a4 = gamma / (beta * dt);
    body->a5 = 1.0 - gamma / beta;
    body->a6 = (1.0 - gamma / (2.0 * beta)) * dt;
}

void pal_newmark_set_damping(pal_newmark *body, double alpha, double beta) {
    body->options.alpha = alpha;
    body->options.beta = beta;
}

pal_newmark *pal_newmark_init(void *memory, const pal_quartic *quartic, const double *mass,
                              pal_precision precision, const pal_newmark_options *options) {
    carver c = {.memory = memory};
    pal_newmark *body = carve_body(&c, quartic->r, precision);
    body->r = quartic->r;
    body->ld = pal_round4(quartic->r);
    body->options = *options;
    body->most_q = INFINITY;
    body->failed = 0;
    pal_newmark_set_step(body, options->dt);
    memset(body->k, 0, (size_t)body->ld * (size_t)body->ld * sizeof *body->k);
    memset(body->half, 0, (size_t)body->ld * sizeof *body->half);
    fill_coefficients(body->coefficients, quartic, mass);
    pal_newmark_set_state(body, NULL, NULL, NULL);
    return body;
}

// ---- state

const double *pal_newmark_q(const pal_newmark *body) {
    return body->q;
}

const double *pal_newmark_velocity(const pal_newmark *body) {
    return body->v;
}

const double *pal_newmark_acceleration(const pal_newmark *body) {
    return body->a;
}

int32_t pal_newmark_r(const pal_newmark *body) {
    return body->r;
}

void pal_newmark_bound(pal_newmark *body, double most_q) {
    body->most_q = most_q;
}

void pal_newmark_set_state(pal_newmark *body, const double *q, const double *velocity,
                           const double *acceleration) {
    pal_newmark_set_row(body, body->q, q);
    pal_newmark_set_row(body, body->v, velocity);
    pal_newmark_set_row(body, body->a, acceleration);
    body->lasting_made = false;
    body->lasting_shift = 0.0;
    body->strain_before = pal_newmark_strain_energy(body);
}
