#include "sim/substruct/tree_touch.h"

#include <math.h>
#include <string.h>

#include "sim/base/vec3.h"
#include "sim/substruct/tree_state.h"

// Loads on one domain that wait to be passed up, a column each: g on its modes (units of the
// class), p the change of the bias of its frame (N, N m, its own axes).
typedef struct loads {
    int32_t domain;
    double *g, *p; // [r][columns], [6][columns]
} loads;

static const pal_tree_block *block_of(const pal_tree_state *s, const pal_frame *f) {
    return &s->block[f->block];
}

// to [columns] += by from
static void add_row(double *to, double by, const double *from, int32_t columns) {
    for (int32_t c = 0; c < columns; c += PAL_LANES8) {
        *(pal_vec8 *)(to + c) += by * *(const pal_vec8 *)(from + c);
    }
}

// ---- up the tree

// g [r][columns] becomes L^-1 g; entries of l and pivot are `width` apart.
static void forward(int32_t r, const double *l, const double *pivot, int32_t width, double *g,
                    int32_t columns) {
    for (int32_t k = 0; k < r; k++) {
        const double *row = l + (int64_t)(pal_row_start(r, k) - k) * width;
        for (int32_t i = k + 1; i < r; i++) {
            add_row(g + (int64_t)i * columns, -row[(int64_t)i * width] * pivot[(int64_t)k * width],
                    g + (int64_t)k * columns, columns);
        }
    }
}

// g becomes L^-1 g, and p += P H^-1 g where the frame knows of the modes.
static void pass_modes(const pal_tree_state *s, const loads *at, int32_t columns) {
    const pal_frame *f = &s->frame[at->domain];
    const pal_tree_block *b = block_of(s, f);
    const int32_t r = b->table->r;
    forward(r, pal_lane(s, f, b->l, 0), pal_lane(s, f, b->pivot, 0), b->width, at->g, columns);
    if (!b->forwarded) {
        return;
    }
    const double s2 = f->scale * f->scale, force = s2 * s2;
    for (int k = 0; k < 6; k++) {
        const double to_si = k < 3 ? force : force * f->scale;
        for (int32_t l = 0; l < r; l++) {
            add_row(at->p + k * columns,
                    to_si * *pal_lane(s, f, b->p, k * r + l) * *pal_lane(s, f, b->pivot, l),
                    at->g + (int64_t)l * columns, columns);
        }
    }
}

// What comes of it on the parent, added to what waits there.
static void pass_to_parent(const pal_tree_state *s, const loads *at, const loads *to,
                           int32_t columns) {
    int lane;
    const pal_port_block *port = pal_port_of(s, at->domain, &lane);
    const pal_frame *f = &s->frame[s->frame[at->domain].parent];
    const int32_t r = block_of(s, f)->table->r;
    double x[3], omega[3 * PAL_DOMAIN_MOST_MODES];
    _Alignas(64) double turned[6][PAL_TOUCH_SIZE];
    for (int k = 0; k < 3; k++) {
        x[k] = f->scale * port->x[k * port->width + lane];
    }
    memset(turned, 0, sizeof turned);
    for (int k = 0; k < 3; k++) {
        for (int m = 0; m < 3; m++) {
            const double by = port->turn[(3 * k + m) * port->width + lane];
            add_row(turned[k], by, at->p + m * columns, columns);
            add_row(turned[3 + k], by, at->p + (3 + m) * columns, columns);
        }
    }
    for (int k = 0; k < 3; k++) {
        const int one = (k + 1) % 3, two = (k + 2) % 3;
        add_row(to->p + k * columns, 1.0, turned[k], columns);
        add_row(to->p + (3 + k) * columns, 1.0, turned[3 + k], columns);
        add_row(to->p + (3 + k) * columns, x[one], turned[two], columns);
        add_row(to->p + (3 + k) * columns, -x[two], turned[one], columns);
    }
    const double force = f->scale * f->to_class, torque = f->to_class;
    pal_port_turns(port, lane, r, omega);
    for (int32_t l = 0; l < r; l++) {
        double *row = to->g + (int64_t)l * columns;
        for (int k = 0; k < 3; k++) {
            const double along = pal_port_number(port, 12 + 12 * l + k, lane);
            add_row(row, -force * along, turned[k], columns);
            add_row(row, -torque * omega[k * r + l], turned[3 + k], columns);
        }
    }
}

// ---- compliance

typedef struct front { // domains whose loads wait
    int32_t count, columns;
    loads item[PAL_TOUCH_DOMAINS + 1];
} front;

static void clear_loads(const pal_tree_state *s, loads *at, int32_t domain, int32_t columns) {
    const int32_t r = block_of(s, &s->frame[domain])->table->r;
    at->domain = domain;
    memset(at->p, 0, 6 * (size_t)columns * sizeof *at->p);
    memset(at->g, 0, (size_t)r * (size_t)columns * sizeof *at->g);
}

static void open_front(front *w, double *work, int32_t columns) {
    w->count = 0;
    w->columns = columns;
    for (int k = 0; k <= PAL_TOUCH_DOMAINS; k++) {
        w->item[k].p = work + (size_t)k * (PAL_DOMAIN_MOST_MODES + 6) * PAL_TOUCH_SIZE;
        w->item[k].g = w->item[k].p + (size_t)(6 * columns);
    }
}

// The loads of a domain, made empty when none wait there.
static loads *waiting(front *w, const pal_tree_state *s, int32_t domain) {
    for (int32_t k = 0; k < w->count; k++) {
        if (w->item[k].domain == domain) {
            return &w->item[k];
        }
    }
    clear_loads(s, &w->item[w->count], domain, w->columns);
    return &w->item[w->count++];
}

// Children have larger numbers than their parents: the largest is next.
static int32_t last_of(const front *w) {
    int32_t last = 0;
    for (int32_t k = 1; k < w->count; k++) {
        last = w->item[k].domain > w->item[last].domain ? k : last;
    }
    return last;
}

static void drop(front *w, int32_t k) {
    const loads gone = w->item[k];
    w->item[k] = w->item[--w->count];
    w->item[w->count] = gone; // its memory
}

// c [size][stride] += by sum_l d_l g_l g_l^T, lower triangle in whole vectors.
static void add_products(double *c, int32_t size, int32_t stride, const double *g, int32_t rows,
                         const double *weight) {
    for (int32_t l = 0; l < rows; l++) {
        const double *row = g + (int64_t)l * stride;
        for (int32_t i = 0; i < size; i++) {
            const double by = weight[l] * row[i];
            if (by != 0.0) {
                add_row(c + (int64_t)i * stride, by, row, (i + 8) & ~7);
            }
        }
    }
}

// A root that flies gives way as a whole: p^T I^-1 p.
static bool add_flight(const pal_tree_state *s, const loads *at, double *c, int32_t size,
                       int32_t stride, double quarter) {
    double a[6][6], weight[6];
    for (int i = 0, e = 0; i < 6; i++) {
        for (int j = i; j < 6; j++, e++) {
            a[i][j] = s->frame[0].inertia[e];
        }
    }
    for (int k = 0; k < 6; k++) {
        if (!(a[k][k] > 0.0)) {
            return false;
        }
        weight[k] = quarter / a[k][k];
        for (int i = k + 1; i < 6; i++) {
            const double by = a[k][i] / a[k][k];
            for (int j = i; j < 6; j++) {
                a[i][j] -= by * a[k][j];
            }
            add_row(at->p + i * stride, -by, at->p + k * stride, stride);
        }
    }
    add_products(c, size, stride, at->p, 6, weight);
    return true;
}

// L of c = L L^T, in place; what is above the diagonal becomes zero. Directions that do not give
// way at all stay so.
static bool take_root(double *c, int32_t size, int32_t stride) {
    double largest = 0.0;
    for (int32_t k = 0; k < size; k++) {
        largest = fmax(largest, c[(int64_t)k * stride + k]);
    }
    for (int32_t i = 0; i < size; i++) {
        double *row = c + (int64_t)i * stride;
        for (int32_t k = 0; k <= i; k++) {
            const double *other = c + (int64_t)k * stride;
            double sum = row[k];
            for (int32_t l = 0; l < k; l++) {
                sum -= row[l] * other[l];
            }
            if (k < i) {
                row[k] = other[k] > 0.0 ? sum / other[k] : 0.0;
            } else {
                row[k] = sum > 1e-16 * largest ? sqrt(sum) : 0.0;
            }
        }
        for (int32_t k = i + 1; k < stride; k++) {
            row[k] = 0.0;
        }
    }
    return isfinite(largest);
}

static bool find_compliance(pal_tree_touch *t, const pal_tree_state *s) {
    const double quarter = 0.25 * s->options.dt * s->options.dt;
    const int32_t columns = t->stride;
    front wait;
    open_front(&wait, t->work, columns);
    memset(t->root, 0, (size_t)t->size * (size_t)columns * sizeof *t->root);
    for (int32_t n = 0; n < t->count; n++) { // a unit load on each coordinate
        const pal_frame *f = &s->frame[t->domain[n]];
        loads *at = waiting(&wait, s, t->domain[n]);
        for (int32_t k = 0; k < t->first[n + 1] - t->first[n]; k++) {
            double *row = k < 6 ? at->p + k * columns : at->g + (int64_t)(k - 6) * columns;
            row[t->first[n] + k] = k < 6 ? -1.0 : f->to_class;
        }
    }
    while (wait.count > 0) {
        const int32_t next = last_of(&wait);
        const loads at = wait.item[next];
        const pal_frame *f = &s->frame[at.domain];
        const pal_tree_block *b = block_of(s, f);
        double weight[PAL_DOMAIN_MOST_MODES];
        pass_modes(s, &at, columns);
        for (int32_t l = 0; l < b->table->r; l++) {
            weight[l] = quarter * *pal_lane(s, f, b->pivot, l) / f->to_class;
        }
        add_products(t->root, t->size, columns, at.g, b->table->r, weight);
        if (f->parent >= 0) {
            pass_to_parent(s, &at, waiting(&wait, s, f->parent), columns);
        } else if (s->tree->flies && !add_flight(s, &at, t->root, t->size, columns, quarter)) {
            return false;
        }
        drop(&wait, next);
    }
    return take_root(t->root, t->size, columns);
}

// ---- the way without further forces

// q'' of a domain whose frame accelerates by `accel` (SI, its axes).
static void answer_modes(const pal_tree_state *s, const pal_frame *f, const double *accel,
                         double *z) {
    const pal_tree_block *b = block_of(s, f);
    const int32_t r = b->table->r;
    for (int32_t i = 0; i < r; i++) {
        z[i] = *pal_lane(s, f, b->g, i);
        for (int k = 0; k < 6; k++) {
            z[i] -= *pal_lane(s, f, b->p, k * r + i) * (k < 3 ? accel[k] / f->scale : accel[k]);
        }
    }
    for (int32_t k = 0; k < r && !b->forwarded; k++) {
        const double by = z[k] * *pal_lane(s, f, b->pivot, k);
        for (int32_t i = k + 1; i < r; i++) {
            z[i] -= *pal_lane(s, f, b->l, pal_row_start(r, k) - k + i) * by;
        }
    }
    for (int32_t k = r - 1; k >= 0; k--) {
        for (int32_t i = k + 1; i < r; i++) {
            z[k] -= *pal_lane(s, f, b->l, pal_row_start(r, k) - k + i) * z[i];
        }
        z[k] *= *pal_lane(s, f, b->pivot, k);
    }
}

// The child's acceleration from its parent's and the parent's q''.
static void accelerate_child(const pal_tree_state *s, int32_t child, const double *z,
                             double *accel) {
    int lane;
    const pal_port_block *p = pal_port_of(s, child, &lane);
    const pal_frame *f = &s->frame[s->frame[child].parent];
    const int32_t r = block_of(s, f)->table->r, width = p->width;
    double x[3], arm[3], sum[6], omega[3 * PAL_DOMAIN_MOST_MODES];
    pal_port_turns(p, lane, r, omega);
    for (int k = 0; k < 3; k++) {
        x[k] = f->scale * p->x[k * width + lane];
    }
    pal_cross3(accel + 3, x, arm);
    for (int k = 0; k < 3; k++) {
        double linear = p->bias[k * width + lane], angular = p->bias[(3 + k) * width + lane];
        for (int32_t l = 0; l < r; l++) {
            linear += pal_port_number(p, 12 + 12 * l + k, lane) * z[l];
            angular += omega[k * r + l] * z[l];
        }
        sum[k] = accel[k] + arm[k] + f->scale * linear;
        sum[3 + k] = accel[3 + k] + angular;
    }
    for (int k = 0; k < 3; k++) {
        accel[k] = accel[3 + k] = 0.0;
        for (int m = 0; m < 3; m++) {
            accel[k] += p->turn[(3 * m + k) * width + lane] * sum[m];
            accel[3 + k] += p->turn[(3 * m + k) * width + lane] * sum[3 + m];
        }
    }
}

// Half of an acceleration goes into the way: dt v + dt^2/4 (old + new).
static void find_way(pal_tree_touch *t, const pal_tree_state *s, int32_t n, const double *root) {
    const double dt = s->options.dt;
    double accel[6], z[PAL_DOMAIN_MOST_MODES], *way = t->way + t->first[n];
    int32_t length = 0;
    for (int32_t i = t->domain[n]; i >= 0; i = s->frame[i].parent) {
        t->path[length++] = i;
    }
    memcpy(accel, root, sizeof accel);
    while (length-- > 0) {
        answer_modes(s, &s->frame[t->path[length]], accel, z);
        if (length > 0) {
            accelerate_child(s, t->path[length - 1], z, accel);
        }
    }
    const pal_frame *f = &s->frame[t->domain[n]];
    const pal_tree_block *b = block_of(s, f);
    for (int k = 0; k < 6; k++) {
        way[k] = dt * f->twist[k] + 0.25 * dt * dt * (f->accel[k] + accel[k]);
    }
    for (int32_t l = 0; l < b->table->r; l++) {
        way[6 + l] =
            dt * *pal_lane(s, f, b->v, l) + 0.25 * dt * dt * (*pal_lane(s, f, b->a, l) + z[l]);
    }
}

int32_t pal_tree_touch_add(pal_tree_touch *touch, const pal_tree_state *state, int32_t domain) {
    for (int32_t k = 0; k < touch->count; k++) {
        if (touch->domain[k] == domain) {
            return touch->first[k];
        }
    }
    const int32_t first = touch->count == 0 ? 0 : touch->size;
    const int32_t r = block_of(state, &state->frame[domain])->table->r;
    if (touch->count == PAL_TOUCH_DOMAINS || first + 6 + r > PAL_TOUCH_SIZE) {
        return -1;
    }
    touch->first[touch->count] = first;
    touch->domain[touch->count++] = domain;
    touch->size = touch->first[touch->count] = first + 6 + r;
    touch->stride = (touch->size + 7) & ~7;
    return first;
}

pal_outcome pal_tree_touch_solve(pal_tree_touch *touch, const pal_tree_state *state) {
    double accel[6] = {0.0};
    if (touch->count == 0) {
        return 0;
    }
    if (state->tree->flies && !pal_flight_accelerate(state, accel)) {
        return PAL_OUT_NAN;
    }
    for (int32_t n = 0; n < touch->count; n++) {
        find_way(touch, state, n, accel);
    }
    return find_compliance(touch, state) ? 0 : PAL_OUT_NAN;
}

// ---- in the long run

// What a domain adds to the work of its loads [count] when it gives way to each of them.
static void add_lasting(const pal_tree_state *s, const loads *at, int32_t count, int32_t columns,
                        double *work) {
    const pal_frame *f = &s->frame[at->domain];
    const pal_tree_block *b = block_of(s, f);
    const pal_class_table *t = b->table;
    const double firm = *pal_lane(s, f, b->factor, 0) * f->to_class;
    forward(t->r, t->rest_l, t->rest_pivot, 1, at->g, columns);
    for (int32_t l = 0; l < t->r; l++) {
        const double *g = at->g + (int64_t)l * columns;
        for (int32_t k = 0; k < count; k++) {
            work[k] += g[k] * g[k] * t->rest_pivot[l] / firm;
        }
    }
}

bool pal_tree_touch_lasting(const pal_tree_touch *t, const pal_tree_state *s, int32_t count,
                            const double *force, int32_t stride, double *work) {
    enum { COLUMNS = PAL_LANES8 }; // no more come at once (body.h)
    front wait;
    bool firm = !s->tree->flies && count <= COLUMNS;
    open_front(&wait, t->work, COLUMNS);
    memset(work, 0, (size_t)count * sizeof *work);
    for (int32_t n = 0; n < t->count && firm; n++) {
        const loads *at = waiting(&wait, s, t->domain[n]);
        for (int32_t e = t->first[n]; e < t->first[n + 1]; e++) {
            const int32_t k = e - t->first[n];
            double *row = k < 6 ? at->p + k * COLUMNS : at->g + (int64_t)(k - 6) * COLUMNS;
            for (int32_t c = 0; c < count; c++) {
                const double f = force[(int64_t)c * stride + e];
                row[c] = k < 6 ? -f : s->frame[t->domain[n]].to_class * f;
            }
        }
    }
    while (wait.count > 0 && firm) {
        const int32_t next = last_of(&wait);
        const loads at = wait.item[next];
        const pal_frame *f = &s->frame[at.domain];
        firm = block_of(s, f)->table->is_firm;
        if (f->parent >= 0) {
            pass_to_parent(s, &at, waiting(&wait, s, f->parent), COLUMNS);
        }
        add_lasting(s, &at, count, COLUMNS, work);
        drop(&wait, next);
    }
    return firm;
}

// ---- forces

void pal_tree_touch_push(const pal_tree_touch *t, pal_tree_state *s, const double *force) {
    enum { COLUMNS = PAL_LANES8 };
    front wait;
    open_front(&wait, t->work, COLUMNS);
    for (int32_t n = 0; n < t->count; n++) {
        pal_frame *f = &s->frame[t->domain[n]];
        pal_tree_block *b = &s->block[f->block];
        b->pushed = true;
        loads *at = waiting(&wait, s, t->domain[n]);
        const double *own = force + t->first[n];
        for (int k = 0; k < 6; k++) {
            at->p[k * COLUMNS] = -own[k];
            at->p[k * COLUMNS + 1] = -own[k]; // as if all were rigid: what the whole tree gets
            *pal_lane(s, f, b->load, k) += own[k];
            b->pushing += own[k] * f->twist[k];
        }
        for (int32_t l = 0; l < b->table->r; l++) {
            at->g[l * COLUMNS] = f->to_class * own[6 + l];
            *pal_lane(s, f, b->f, l) += f->to_class * own[6 + l]; // of what the work is found
            b->pushing += own[6 + l] * *pal_lane(s, f, b->v, l);
        }
    }
    while (wait.count > 0) {
        const int32_t next = last_of(&wait);
        const loads at = wait.item[next];
        pal_frame *f = &s->frame[at.domain];
        const pal_tree_block *b = block_of(s, f);
        for (int32_t l = 0; l < b->table->r; l++) {
            at.g[l * COLUMNS + 1] = 0.0;
            *pal_lane(s, f, b->g, l) += b->forwarded ? 0.0 : at.g[l * COLUMNS];
        }
        pass_modes(s, &at, COLUMNS);
        for (int32_t l = 0; l < b->table->r && b->forwarded; l++) {
            *pal_lane(s, f, b->g, l) += at.g[l * COLUMNS];
        }
        if (f->parent >= 0) {
            pass_to_parent(s, &at, waiting(&wait, s, f->parent), COLUMNS);
        } else {
            for (int k = 0; k < 6; k++) {
                f->bias[k] += at.p[k * COLUMNS];
                f->net[k] -= at.p[k * COLUMNS + 1];
            }
        }
        drop(&wait, next);
    }
}
