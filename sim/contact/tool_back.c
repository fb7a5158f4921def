#include "sim/contact/tool_back.h"

#include <string.h>

#include "sim/base/sym3.h"
#include "sim/base/vecn.h"

// Where a tool pushed at the last tick.
typedef struct pushed {
    bool on;
    double force[3];                       // N, of its touches
    double dent[3];                        // m, of the surface there
    _Alignas(32) double row[3][PAL_MAX_R]; // J of the surface there, by what pushes
} pushed;

static void find_pushed(const pal_tool *tool, const pal_body *body, pushed *p) {
    double push[PAL_MAX_TOUCHES], all = 0.0;
    const int32_t count = tool->last.count < tool->set.count ? tool->last.count : tool->set.count;
    memset(p, 0, sizeof *p);
    for (int32_t k = 0; k < count; k++) {
        push[k] = fmax(0.0, pal_dot3(tool->last.force[k], tool->set.item[k].normal));
        all += push[k];
    }
    for (int32_t k = 0; k < count && all > 0.0; k++) {
        const pal_touch *touch = &tool->set.item[k];
        for (int a = 0; a < 3; a++) {
            p->force[a] += tool->last.force[k][a];
        }
        for (int i = 0; i < 3 && push[k] > 0.0; i++) {
            const int32_t corner = pal_body_corner(body, touch->triangle, i);
            const double share = push[k] / all * touch->weight[i];
            double dent[3];
            body->functions->add_rows(body, corner, share, p->row[0], PAL_MAX_R);
            body->functions->dent(body, corner, dent);
            for (int a = 0; a < 3; a++) {
                p->dent[a] += share * dent[a];
            }
        }
    }
    p->on = all > 0.0 && pal_norm3(p->force) > 0.0;
}

// W_0 = J K^-1 J^T; false: not known.
static bool lasting_compliance(const pal_body *body, const pushed *p, double (*w)[3]) {
    _Alignas(32) double x[PAL_MAX_R];
    for (int a = 0; a < 3; a++) {
        memcpy(x, p->row[a], sizeof x);
        if (!body->functions->settle(body, x)) {
            return false;
        }
        for (int b = 0; b < 3; b++) {
            w[b][a] = pal_dot(body->size, p->row[b], x);
        }
    }
    return true;
}

static double along_force(const pushed *p, double (*w)[3]) {
    double sum = 0.0;
    for (int k = 0; k < 9; k++) {
        sum += p->force[k / 3] * w[k / 3][k % 3] * p->force[k % 3];
    }
    return sum / pal_dot3(p->force, p->force);
}

// kappa = part W_0^-1, at most 1 in each of the axes of W_0.
static void share_of_motion(double (*w)[3], double part, double (*kappa)[3]) {
    double axes[3][3], whole[3];
    pal_sym3_eigen(w, whole, axes);
    memset(kappa, 0, 9 * sizeof **kappa);
    for (int i = 0; i < 3; i++) {
        const double share = whole[i] > part ? part / whole[i] : 1.0;
        for (int k = 0; k < 9; k++) {
            kappa[k / 3][k % 3] += share * axes[k / 3][i] * axes[k % 3][i];
        }
    }
}

// How far the coordinates have taken the surface there since they were `from` (NULL: from rest).
static void moved_from(const pal_body *body, const pushed *p, const double *from, double moved[3]) {
    for (int a = 0; a < 3; a++) {
        moved[a] = pal_dot(body->size, p->row[a], body->q) -
                   (from != NULL ? pal_dot(body->size, p->row[a], from) : 0.0);
    }
}

// What of the coupling is to be taken back, 0..1, of a body that has given way by so much, m/N.
static double share_of(const pal_tool *tool, double given) {
    const double lacks = 1.0 / tool->options.stiffness - given;
    return tool->compliance > 0.0 ? fmin(fmax(1.0 - lacks / tool->compliance, 0.0), 1.0) : 0.0;
}

// 1: by the body's own motion, 0: by a lag; between them where the body is nearly as hard as the
// device bears. What other tools do to the surface is no answer to this one's force, and a soft
// body swings by itself.
static double trust_in_motion(const pal_tool *tool) {
    static const double least = 0.9; // of the coupling is to be taken back
    return tool->alone && !tool->back.soft ? fmax(0.0, (tool->back.share - least) / (1.0 - least))
                                           : 0.0;
}

// A spring that grows harder with time works on what swings against it: a light body would bounce
// on the coupling higher and higher. Taking back by dx does the work f dx; of that the coupling
// holds p f^2 / 2, and what goes beyond it, swing by swing, is kept below a 20th of the most that
// it has held of late: taking back slows down, 1 to 0, and stops there. (A body that gives way less
// than five times as much as the coupling is heavy beside it, and the hand would feel what is not
// taken back.)
static double pace(const pal_tool *tool) {
    static const double bearable = 0.05;
    const double room = bearable * tool->back.work.most;
    return tool->back.bent && room > 0.0 ? fmin(fmax(1.0 - tool->back.work.beyond / room, 0.0), 1.0)
                                         : 1.0;
}

static void book_work(pal_tool *tool, const double force[3], double work, double dt) {
    static const double late = 2.0; // s
    const double fade = late / (late + dt);
    const double held = 0.5 * tool->back.part * pal_dot3(force, force);
    tool->back.work.beyond =
        fmax(0.0, fade * (tool->back.work.beyond + work - (held - tool->back.work.held)));
    tool->back.work.most = fmax(held, fade * tool->back.work.most);
    tool->back.work.held = held;
}

// s goes to p f with a lag.
static void lag_behind(pal_tool *tool, const double force[3], double time, double dt) {
    double step[3];
    for (int a = 0; a < 3; a++) {
        step[a] = (tool->back.part * force[a] - tool->back.by[a]) * dt / (dt + time);
    }
    const double work = pal_dot3(step, force), share = work > 0.0 ? pace(tool) : 1.0;
    pal_add_scaled(3, share, step, tool->back.by);
    book_work(tool, force, share * work, dt);
}

// s += f dp - kappa du, and slowly to p f.
static void follow(pal_tool *tool, const pal_body *body, const pushed *p, double dt) {
    static const double share_time = 30e-3, slow = 0.1, lag = 5e-3; // s
    static const double softer = 5.0;                               // than the coupling
    double w[3][3], kappa[3][3] = {{0.0}}, moved[3], all[3];
    const bool known = lasting_compliance(body, p, w);
    moved_from(body, p, NULL, all);
    pal_add_scaled(3, 1.0, p->dent, all);
    moved_from(body, p, tool->back.q, moved);
    const double given = -pal_dot3(all, p->force) / pal_dot3(p->force, p->force);
    const double in_the_end = known ? along_force(p, w) : given;
    tool->back.soft = in_the_end >= softer * tool->compliance;
    tool->back.bent = given >= softer * tool->compliance;
    if (!tool->back.on) { // it has not given way yet, but will: in a step, and in the long run
        const double at_once = tool->stiffness > 0.0 ? 1.0 / tool->stiffness : 0.0;
        const bool told = known && tool->alone && !tool->back.soft;
        tool->back.share = told ? share_of(tool, in_the_end + at_once) : 0.0;
        tool->back.part = tool->back.share * tool->compliance;
    }
    tool->back.share += (share_of(tool, given) - tool->back.share) * dt / (dt + share_time);
    const double part = tool->back.share * tool->compliance, grown = part - tool->back.part;
    const double trust = known ? trust_in_motion(tool) : 0.0;
    const double time = 1.0 / (trust / slow + (1.0 - trust) / lag);
    if (trust > 0.0) {
        share_of_motion(w, part, kappa);
    }
    for (int a = 0; a < 3; a++) {
        tool->back.by[a] += trust * (grown * p->force[a] - pal_dot3(kappa[a], moved));
    }
    tool->back.part = part;
    lag_behind(tool, p->force, time, dt);
}

// A push that has ended: what was taken back fades, of a soft body at once.
static void let_go(pal_tool *tool, double dt) {
    static const double none[3] = {0.0, 0.0, 0.0}, left = 5e-3; // s
    const double kept = tool->back.soft ? 0.0 : left / (left + dt);
    for (int a = 0; a < 3; a++) {
        tool->back.by[a] *= kept;
    }
    book_work(tool, none, 0.0, dt);
}

void pal_tool_take_back(pal_tool *tool, const pal_body *body, double dt) {
    pushed p;
    if (tool->options.fixed_coupling || body->functions->settle == NULL) {
        return;
    }
    find_pushed(tool, body, &p);
    if (p.on) {
        follow(tool, body, &p, dt);
    } else {
        let_go(tool, dt);
    }
    pal_add_scaled(3, -1.0, tool->back.by, tool->goal.x);
    tool->back.on = p.on;
    memcpy(tool->back.q, body->q, (size_t)body->size * sizeof *tool->back.q);
}
