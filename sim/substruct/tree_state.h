// The memory of a tree that steps. Internal to sim/substruct.
//
// Domains of one class at one depth are stepped in blocks of eight, side by side (the same number
// of eight instances is a vector); where there are few, of four, or one by one. The interfaces of
// one domain to its children are worked on eight side by side as well. Numbers inside a block are
// in the class's own units of length and mass: lengths divided by the scale s, wrenches (s f, t)
// and reduced forces by s^5; stiffness then has the factor kappa / s^2.
#ifndef PAL_SUBSTRUCT_TREE_STATE_H
#define PAL_SUBSTRUCT_TREE_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/base/team.h"
#include "sim/reduced/quartic_kernel.h"
#include "sim/substruct/tree_step.h"
#include "sim/substruct/vec8.h"

enum {
    PAL_WRENCH_PAIRS = 21, // unique entries of a symmetric 6 x 6, rows of the upper triangle
    PAL_TREE_THREADS = 2,
    PAL_TRIPLES_AT_ONCE = 12, // as many sums run beside one another, in registers
};

// Of a class, in the order that the kernels read.
typedef struct pal_class_table {
    const pal_domain_class *class_;
    int32_t r, pairs;
    double *p;      // [pairs] P, rows of the upper triangle
    double *rest_l; // [pairs], [r]: its factor D L^T, and 1 / D; of a class that is soft at rest
    double *rest_pivot;
    bool is_firm;     // P is positive definite
    double *quartic;  // [groups of 12 triples][r][12]: S_nl / 2, for blocks
    double *cubic;    // [pairs][r]: Q_sl, for blocks
    uint16_t *triple; // [pairs][r]: the triple of a pair and an index
    double *p_full;   // [ld][ld], for single ones
    pal_kernel_table kernel;
    // int rho U_p U_l^T by its symmetric parts xx, yy, zz, xy + yx, xz + zx, yz + zy and its axial
    // vector int rho U_p x U_l; the same of int rho X U_l^T
    double *mix;      // [l][p][9], for blocks
    double *mix_wide; // [p][9][stride], for single ones
    double *still;    // [9][stride]
    int32_t stride;   // r rounded up to 8
    // x^ 3, C 9, then for each l: a^ 3, B_l 9
    double *port;  // [12 + 12 r][width] of each port block, for single ones
    double *alone; // [12 + 12 r] of each port, for blocks
} pal_class_table;

// Ports side by side. Of a domain that is stepped alone eight of its ports, and of the last ones as
// many as there are (rounded up to 1, 2, 4 or 8); of a block the same port of all its domains. An
// entry of an array is `width` doubles.
typedef struct pal_port_block {
    const double *table; // of the class; entries of `table_width`: of all lanes, or one for all
    double *mass;        // of the subtrees, in units of the parent's class; 0: none
    double *least;       // below this 1 / tr(G^-1) the interface is squeezed into a line
    double *rest;        // [9] R^ of the children
    double *q;           // [9] Q, the turn of the interface
    double *turn;        // [9] R = Q R^
    double *x;           // [3] where it is
    double *bias;        // [6] the child's acceleration without that of the parent and without q''
    double *firm;        // [6] G^-1: with Q and B_l it makes Omega, see pal_port_turns
    int32_t width, table_width;
    int32_t bytes;             // of all these numbers, from `mass` on
    int32_t child[PAL_LANES8]; // -1: none
} pal_port_block;

// A domain, in metres and kilograms: a row of numbers. What is moved to and from blocks at once
// stands together, and begins with a cache line.
typedef struct pal_frame {
    _Alignas(64) double turn[9]; // in the world
    double x[3];                 // in the world
    double twist[6];             // v, w in its own axes
    double accel[6];             // of the last step: inertial, in its own axes
    double scale, to_class;      // s, s^-5
    double net[6];               // loads and gravity, of the whole subtree
    double mass, first[3];       // of the subtree: kg, kg m
    double stiffness;            // kappa
    int32_t block, lane;         // where it is stepped
    int32_t parent;
    int32_t spare[3];                          // inertia begins with a cache line
    double inertia[PAL_WRENCH_PAIRS], bias[6]; // what it hands to its parent
    double held[16];                           // of a tree that flies: mass, first moment, J (6),
                                               // momentum, angular momentum, in its own axes
} pal_frame;

enum { // numbers of a frame's row
    PAL_FRAME_TWIST = 12,
    PAL_FRAME_ACCEL = 18,
    PAL_FRAME_MOTION = 24, // up to here: where it is and how it moves
    PAL_FRAME_NET = 26,
    PAL_FRAME_INERTIA = 40,
    PAL_FRAME_HELD = 67,
    PAL_FRAME_NUMBERS = 83,
};
_Static_assert(offsetof(pal_frame, held) == 8 * PAL_FRAME_HELD &&
                   offsetof(pal_frame, inertia) == 8 * PAL_FRAME_INERTIA &&
                   offsetof(pal_frame, net) == 8 * PAL_FRAME_NET &&
                   offsetof(pal_frame, scale) == 8 * PAL_FRAME_MOTION,
               "a frame is a row of numbers");

typedef struct pal_tree_block {
    const pal_class_table *table;
    int32_t width;  // 1, 4 or 8
    int32_t count;  // instances; lanes beyond repeat the last
    bool forwarded; // g and p have been multiplied by L^-1
    bool mixed;     // n is that of q and q'
    bool pushed;    // there are loads on some
    pal_outcome outcome;
    int32_t domain[PAL_LANES8];
    int32_t first_ports, end_ports; // in `ports`
    double *factor;                 // [width] kappa / s^2
    double *scale, *to_class;       // [width] s, s^-5
    double *blow;                   // [3][width] wind, in the world
    double *load;                   // [6][width] external wrench, in the frames' axes and SI
    double *q, *v, *a, *f;          // [r][width] state, and the load on q
    double *kept;                   // [r][width] q before the step; they change places
    double *n;              // [12][stride][width] what mix() finds, of a tree that flies; NULL: not
    double *h;              // [pairs][width] the step matrix; lent, see below
    double *l, *pivot;      // [pairs][width], [r][width]: its factor, 1 / D
    double *p;              // [6][r][width] coupling to the frame's acceleration, then L^-1 P^T
    double *g;              // [r][width] right-hand side; then L^-1 of it
    double *inertia;        // [21][width] of the frame; lent
    double *bias;           // [6][width]; lent
    double *lump;           // [pairs + 3 r][width] sum of m a^T a and m a over the ports; or NULL
    double strain, kinetic; // J, of its instances when the step began
    double power;           // W, of gravity and wind on them
    double pushing;         // W, of other loads: when the step began and, once over, when it ended
} pal_tree_block;

typedef struct pal_tree_level { // domains of one depth
    int32_t first_block, end_block;
} pal_tree_level;

typedef struct pal_budget { // see tree_guard.c
    bool known;             // what was put in, since the state was set from outside
    bool stepped;           // a step has been taken since the last look
    bool exact;             // it goes on by exact inertia
    double level, credit;   // J
    double owed;            // J: by how much the sum of all work is below its highest
    double still, since;    // s: that it has been at rest, that it was last put right
    double rigid, power;    // J, W: when the last step began
    double pushed;          // W: of loads, when it began and when it ended
    pal_tree_guard count;
} pal_budget;

struct pal_tree_state {
    const pal_tree *tree;
    pal_tree_options options;
    pal_inertia inertia; // of this step
    pal_budget budget;
    int32_t depth; // levels
    pal_tree_level *level;
    int32_t block_count;
    pal_tree_block *block;
    pal_frame *frame; // [domain_count]
    int32_t port_count;
    pal_port_block *ports;             // [port_count]
    pal_class_table *table;            // [class_count]
    double *scratch[PAL_TREE_THREADS]; // of each thread
    // What a block needs only while it is eliminated is lent to it by the thread that does it: a
    // tree has many blocks, and less memory to go through is time.
    double *lent_h[PAL_TREE_THREADS], *lent_inertia[PAL_TREE_THREADS];
    double momentum[6];   // of a root that flies: linear, and about the world's origin
    double root_accel[6]; // of the last step, in the world's axes
    pal_frame root_kept;
    pal_outcome begun;
    int64_t settled; // how often pal_tree_settle was called
    int32_t failed;  // grows with every step that gives no numbers, and falls with every good one
    pal_team team;
    bool awake; // a step has begun
    size_t bytes;
    void *memory; // all of it
};

// Leaves have few modes and are many: where their number is known when compiled, loops over them
// are no loops.
#define OF_SIZE                   static inline __attribute__((always_inline))
#define BY_SIZE(r, function, ...) ((r) == 8 ? function(8, __VA_ARGS__) : function((r), __VA_ARGS__))

static inline int32_t pal_row_start(int32_t r, int32_t k) {
    return k * (2 * r - k + 1) / 2;
}

// Entry e of what the class knows of a port.
static inline double pal_port_number(const pal_port_block *p, int32_t e, int lane) {
    return p->table[e * p->table_width + lane % p->table_width];
}

// The numbers of a domain in its block: entry i of an array that begins at `array`.
static inline double *pal_lane(const pal_tree_state *state, const pal_frame *frame, double *array,
                               int32_t i) {
    return array + (size_t)i * (size_t)state->block[frame->block].width + frame->lane;
}

// ---- blocks, for width 1, 4 and 8 (domain_block.inc)

typedef struct pal_block_functions {
    // K and R, moments and bias: the block's matrix, coupling, inertia and right-hand side, without
    // children.
    void (*assemble)(pal_tree_block *block, const pal_tree_state *state, double *scratch);
    // L D L^T of h; false where a pivot is not safely positive.
    bool (*factor)(pal_tree_block *block);
    // L^-1 of the right-hand side and of P^T, and what is handed to the parent [exact].
    void (*condense)(pal_tree_block *block, pal_tree_state *state, double *scratch);
    // q'' from the frame's acceleration, and the new state.
    void (*advance)(pal_tree_block *block, const pal_tree_state *state, double *scratch);
    // The step of the domains as if each were alone: what a tree is measured by. The state stays.
    void (*alone)(pal_tree_block *block, const pal_tree_state *state, double *scratch);
    // What each instance has: `held` of its frame.
    void (*hold)(pal_tree_block *block, const pal_tree_state *state);
} pal_block_functions;
extern const pal_block_functions pal_block_single, pal_block_four, pal_block_eight;

static inline const pal_block_functions *pal_block_of(const pal_tree_block *block) {
    return block->width == 1   ? &pal_block_single
           : block->width == 4 ? &pal_block_four
                               : &pal_block_eight;
}

// ---- interfaces (ports.c) of the domains of a block to their children

// Where the children's frames are, and how fast: from the domains' frames, q and q'. After a step
// also their accelerations, from the domains' own and their q''. Whether all of it is finite.
bool pal_ports_move(pal_tree_state *state, const pal_tree_block *block, bool stepped);
// The whole tree has got the velocities of a rigid motion, `change` in the world's axes about a
// point there, and the domains know: the children's twists, too.
void pal_ports_retwist(const pal_tree_state *state, const pal_tree_block *block,
                       const double change[6], const double about[3]);
// What the children hand up, added to the block: [exact, centre], and [interface].
void pal_ports_gather(const pal_tree_state *state, const pal_tree_block *block, double *scratch);
void pal_ports_gather_lumped(const pal_tree_state *state, const pal_tree_block *block,
                             double *scratch);
// External wrench and first moment of the subtrees: the children's, added to the domains' own.
void pal_ports_net(pal_tree_state *state, const pal_tree_block *block);

// Omega [3][r] of one port: the angular velocity of the interface for each q'.
void pal_port_turns(const pal_port_block *p, int lane, int32_t r, double *omega);

// The same for port blocks of one kind (ports.inc).
typedef struct pal_port_functions {
    bool (*move)(pal_tree_state *state, const pal_tree_block *block, int32_t first, int32_t end,
                 bool stepped);
    void (*retwist)(const pal_tree_state *state, const pal_tree_block *block, int32_t first,
                    int32_t end, const double *change, const double *about);
    void (*gather)(const pal_tree_state *state, const pal_tree_block *block, int32_t first,
                   int32_t end, double *scratch);
    void (*gather_lumped)(const pal_tree_state *state, const pal_tree_block *block, int32_t first,
                          int32_t end, double *scratch);
} pal_port_functions;
extern const pal_port_functions pal_ports_one, pal_ports_two, pal_ports_four, pal_ports_eight,
    pal_ports_abreast, pal_ports_abreast_four;

// Where the interface that carries a child is: its port block, and its lane there.
static inline const pal_port_block *pal_port_of(const pal_tree_state *state, int32_t child,
                                                int *lane) {
    const pal_frame *f = &state->frame[state->frame[child].parent];
    const pal_tree_block *b = &state->block[f->block];
    const int32_t port = state->tree->domain[child].port;
    *lane = b->width == 1 ? port % PAL_LANES8 : f->lane;
    return &state->ports[b->first_ports + (b->width == 1 ? port / PAL_LANES8 : port)];
}

// ---- what a tree may hold (tree_guard.c)

void pal_guard_open(pal_tree_state *state); // in its rest pose
// The step has begun. *again: the state or the inertia was changed, so that it must begin anew.
pal_outcome pal_guard_check(pal_tree_state *state, bool *again);
void pal_guard_begin(pal_tree_state *state); // it begins so
void pal_guard_end(pal_tree_state *state);
// The last step was bad. A tree that keeps failing, bent beyond all measure, is to go to its rest
// shape: then that is what is kept.
bool pal_tree_give_up(pal_tree_state *state);
// All frames follow q and q' as they are; a root that flies keeps its momentum. Within a team.
void pal_tree_carry(pal_tree_state *state);

// ---- a root that flies (tree_flight.c)

// Its acceleration, from what it was handed, in its own axes; false: it has none. RT safe.
bool pal_flight_accelerate(const pal_tree_state *state, double accel[6]);
// Its pose and twist at the end of the step, and the twist put right, so that the momentum of all
// is what it must be.
void pal_flight_move(pal_tree_state *state);
bool pal_flight_keep_momentum(pal_tree_state *state); // false: it is not finite
// J: what it holds by its momentum alone, as if it were rigid.
double pal_flight_rigid(const pal_tree_state *state);

#endif
