// The body that contact sees of a tree (see domains.h).
#include <math.h>
#include <string.h>

#include "sim/contact/domains_build.h"
#include "sim/contact/domains_parts.h"

static pal_domains *of(const pal_body *body) {
    return body->stepper;
}

static int32_t owner_of_point(const pal_domains *d, int32_t point) {
    for (int k = 0; k < PAL_DOMAIN_SLOTS; k++) { // mostly one that is near
        const int32_t domain = d->slot[k].domain;
        if (domain >= 0 && point >= d->first_point[domain] && point < d->first_point[domain + 1]) {
            return domain;
        }
    }
    return pal_domains_search(d->first_point, pal_tree_of(d->state)->domain_count, point);
}

static int32_t corner(const pal_body *body, int32_t triangle, int k) {
    const pal_domains *d = of(body);
    const int32_t domain = pal_domains_owner(d, triangle);
    const pal_body *own = &pal_domains_form(d, domain)->body;
    return d->first_point[domain] +
           own->triangle[3 * (int64_t)(triangle - d->first_triangle[domain]) + k];
}

static void rest_place(const pal_body *body, int32_t point, double x[3]) {
    const pal_domains *d = of(body);
    const int32_t domain = owner_of_point(d, point);
    const double scale = pal_tree_of(d->state)->domain[domain].scale;
    const double *rest = pal_domains_form(d, domain)->body.rest;
    for (int k = 0; k < 3; k++) {
        x[k] = scale * rest[3 * (int64_t)(point - d->first_point[domain]) + k];
    }
}

// The point's place in its frame and its rows of U, in the size of the class.
static const double *local_place(const pal_domains *d, const pal_domain_slot *slot, int32_t point,
                                 double x[3]) {
    const int32_t own = point - d->first_point[slot->domain], r = slot->form->body.size;
    const double *rows = slot->form->body.basis + 3 * (int64_t)own * r;
    for (int k = 0; k < 3; k++) {
        x[k] = slot->form->body.rest[3 * (int64_t)own + k];
        for (int32_t l = 0; l < r; l++) {
            x[k] += rows[k * r + l] * slot->q[l];
        }
    }
    return rows;
}

// The slot of a point; one of its own when it is far from all tools.
static const pal_domain_slot *find_slot(pal_domains *d, int32_t point, pal_domain_slot *own) {
    const int32_t domain = owner_of_point(d, point);
    const pal_domain_slot *slot = pal_domains_slot(d, domain);
    if (slot == NULL) {
        own->domain = domain;
        own->form = pal_domains_form(d, domain);
        own->body.dent = NULL;
        pal_domains_load(d, own);
        slot = own;
    }
    return slot;
}

static void undented(const pal_body *body, int32_t point, double x[3]) {
    pal_domain_slot far;
    const pal_domain_slot *slot = find_slot(of(body), point, &far);
    double local[3];
    local_place(of(body), slot, point, local);
    pal_slot_to_world(slot, local, x);
}

// A displacement of the point by its domain's dent, by a function of the domain's own body.
static void carry(const pal_body *body, int32_t point,
                  void (*of_own)(const pal_body *body, int32_t point, double u[3]), double u[3]) {
    pal_domains *d = of(body);
    const pal_domain_slot *slot = d->dents ? pal_domains_slot(d, owner_of_point(d, point)) : NULL;
    u[0] = u[1] = u[2] = 0.0;
    if (slot == NULL || slot->body.dent == NULL) {
        return;
    }
    double own[3];
    of_own(&slot->body, point - d->first_point[slot->domain], own);
    for (int k = 0; k < 3; k++) {
        own[k] *= slot->scale;
    }
    pal_slot_turn_to_world(slot, own, u);
}

static void dent(const pal_body *body, int32_t point, double u[3]) {
    carry(body, point, pal_body_dent, u);
}

static void yielding(const pal_body *body, int32_t point, double u[3]) {
    carry(body, point, pal_body_yielding, u);
}

static void position(const pal_body *body, int32_t point, double x[3]) {
    double u[3];
    undented(body, point, x);
    dent(body, point, u);
    for (int k = 0; k < 3; k++) {
        x[k] += u[k];
    }
}

static void velocity(const pal_body *body, int32_t point, double v[3]) {
    pal_domain_slot far;
    pal_domains *d = of(body);
    const pal_domain_slot *slot = find_slot(d, point, &far);
    double local[3], linear[3], w[3], own[3];
    const double *rows = local_place(d, slot, point, local);
    const int32_t r = slot->form->body.size;
    pal_tree_twist(d->state, slot->domain, linear, w);
    pal_cross3(w, local, own);
    for (int k = 0; k < 3; k++) {
        for (int32_t l = 0; l < r; l++) {
            own[k] += rows[k * r + l] * slot->v[l];
        }
        own[k] = linear[k] + slot->scale * own[k];
    }
    pal_slot_turn_to_world(slot, own, v);
}

// J = R [I, -s ~X, s U]
static void add_rows(const pal_body *body, int32_t point, double weight, double *rows,
                     int32_t stride) {
    pal_domains *d = of(body);
    const pal_domain_slot *slot = pal_domains_slot(d, owner_of_point(d, point));
    if (slot == NULL || slot->at < 0) {
        return; // no room for its coordinates: it does not give way
    }
    double x[3];
    const double *u = local_place(d, slot, point, x);
    const int32_t r = slot->form->body.size;
    const double part = slot->scale * weight;
    for (int k = 0; k < 3; k++) {
        const double *turn = slot->turn[k];
        double *row = rows + (int64_t)k * stride + slot->at;
        for (int a = 0; a < 3; a++) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            row[a] += weight * turn[a];
            row[3 + a] += part * (turn[c] * x[b] - turn[b] * x[c]); // turn . (e_a x X)
        }
        for (int32_t l = 0; l < r; l++) {
            row[6 + l] += part * (turn[0] * u[l] + turn[1] * u[r + l] + turn[2] * u[2 * r + l]);
        }
    }
}

static pal_outcome begin(const pal_body *body, const double *f) {
    pal_domains *d = of(body);
    pal_outcome outcome = pal_tree_begin(d->state);
    (void)f;
    d->touch.count = d->touch.size = 0;
    for (int k = 0; k < PAL_DOMAIN_SLOTS; k++) {
        pal_domain_slot *slot = &d->slot[k];
        if (slot->domain >= 0 && slot->touched) {
            slot->at = pal_tree_touch_add(&d->touch, d->state, slot->domain);
            outcome |= slot->at < 0 ? PAL_OUT_BUDGET : 0;
        }
    }
    d->body.size = d->touch.size;
    return outcome | pal_tree_touch_solve(&d->touch, d->state);
}

static const double *free_motion(const pal_body *body) {
    return of(body)->touch.way;
}

// x [size][stride] becomes L^T x, so that columns have the dot products of A^-1 = L L^T.
static void halve(const pal_body *body, double *x, int32_t stride) {
    const pal_tree_touch *t = &of(body)->touch;
    for (int32_t k = 0; k < t->size; k++) {
        double *row = x + (int64_t)k * stride;
        const double first = t->root[(int64_t)k * t->stride + k];
        for (int32_t c = 0; c < stride; c++) {
            row[c] *= first;
        }
        for (int32_t i = k + 1; i < t->size; i++) {
            const double by = t->root[(int64_t)i * t->stride + k];
            const double *from = x + (int64_t)i * stride;
            for (int32_t c = 0; c < stride && by != 0.0; c++) {
                row[c] += by * from[c];
            }
        }
    }
}

static pal_outcome finish(const pal_body *body, const double *contact_force) {
    pal_domains *d = of(body);
    if (d->touch.count > 0) {
        pal_tree_touch_push(&d->touch, d->state, contact_force);
    }
    return pal_tree_finish(d->state);
}

static bool lasting(const pal_body *body, int32_t count, const double *force, int32_t stride,
                    double *work) {
    const pal_domains *d = of(body);
    return pal_tree_touch_lasting(&d->touch, d->state, count, force, stride, work);
}

static const pal_body_functions functions = {
    .position = position,
    .velocity = velocity,
    .add_rows = add_rows,
    .undented = undented,
    .yielding = yielding,
    .begin = begin,
    .free_motion = free_motion,
    .halve = halve,
    .finish = finish,
    .lasting = lasting,
    .corner = corner,
    .rest_place = rest_place,
};

const pal_body_functions *pal_domains_functions(void) {
    return &functions;
}
