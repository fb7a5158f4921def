// A tree of domains as contact sees it: one body whose surface is that of all its instances, and
// whose coordinates, in each tick, are those of the few domains that are touched.
//
// What a tool finds it finds in a domain's own frame and in the size of its class, through the tree
// and the shell of that: for an instance of scale s the tool is 1/s times as large. Triangles and
// points of instances are numbered one after the other, domain by domain. Domains near a tool are
// in slots: their coordinates lie together there, and what tools remember of them stays.
#ifndef PAL_CONTACT_DOMAINS_H
#define PAL_CONTACT_DOMAINS_H

#include "sim/contact/joint.h"
#include "sim/contact/shell.h"
#include "sim/contact/tool.h"
#include "sim/substruct/tree_step.h"
#include "sim/substruct/tree_touch.h"

enum { PAL_DOMAIN_SLOTS = PAL_TOUCH_DOMAINS };

typedef struct pal_domain_form { // a class, in its own frame
    pal_body body;               // its q is that of a slot
    pal_bdtree tree;
    pal_shell shell;
    const pal_local *local;  // its dents; NULL: it has none
    pal_row_surface *rows;   // of their rows, owned
    pal_footprint footprint; // of its touches, when it has dents
    void *kept;       // the file that tree, shell and footprint lie in; NULL: they were built
    double reach;     // m: of the farthest point from the origin, at rest
    double row_bound; // m: the largest |J| of a point, by q
} pal_domain_form;

typedef struct pal_domain_slot {
    int32_t domain; // -1: empty
    bool touched;   // in this tick
    int32_t at;     // its first coordinate in this tick; -1: none
    const pal_domain_form *form;
    double scale;
    pal_body body;
    double q[PAL_DOMAIN_MOST_MODES], v[PAL_DOMAIN_MOST_MODES];
    double x[3], turn[3][3]; // its frame
    double spin[4];          // the same turn
    pal_dent dent;           // in its frame and in the size of the class
    struct {                 // of each tool
        pal_shell_memory memory;
        pal_touch_set last;
    } tool[PAL_MAX_TOOLS];
} pal_domain_slot;

// A domain that is far from all tools is not looked at again as long as nothing can have come near:
// neither has it moved that far, no faster than when it was looked at and a little more, nor have
// the tools.
typedef struct pal_domain_watch {
    double spare; // m, less what it may move and the tools have moved since the first tick
    double rate;  // m, that it moves in a tick at most
} pal_domain_watch;

typedef struct pal_domains {
    pal_body body; // for contact; its stepper is this struct
    pal_tree_state *state;
    pal_tree_touch touch;
    pal_domain_form *form;           // [class_count]
    int32_t *first_triangle;         // [domain_count + 1]
    int32_t *first_point;            // [domain_count + 1]
    int32_t *first_id;               // [domain_count + 1] of the shells' points
    double speed;                    // m/s: no point near a tool is faster
    pal_domain_watch *watch;         // [domain_count]
    int64_t ticks;                   // since all were looked at
    double travel;                   // m, of the tools since then: of the farther one in each tick
    int32_t watched;                 // tools by then
    int64_t settled;                 // of the tree, when it was looked at last
    double middle[PAL_MAX_TOOLS][3]; // of the tools then
    const pal_joints *joints;        // where dented domains meet; NULL: not known
    bool has_dents;                  // some class can be dented
    bool dents;                      // and is
    bool stiffening;                 // its dents grow stiffer with their depth (stiffening.h)
    pal_domain_slot slot[PAL_DOMAIN_SLOTS];
} pal_domains;

// Which domains are near the tools now, or held by them; at the start of a tick. RT safe.
void pal_domains_gather(pal_domains *domains, const pal_tool *tool, int32_t tool_count, double dt);

// As pal_shell_find, over all domains that are near; `tool` is the tool's number. RT safe.
pal_outcome pal_domains_find(pal_domains *domains, int32_t tool, const pal_shell_query *query,
                             pal_touch_set *set);

// The nearest point of those domains to x within reach, and the normal there; no triangle: none. RT
// safe.
void pal_domains_nearest(pal_domains *domains, const double x[3], double reach,
                         pal_nearest *nearest, double normal[3]);

// A tool forgets what it knew of them. RT safe.
void pal_domains_forget(pal_domains *domains, int32_t tool);

// As if it had never been touched; whether its domains are dented where their classes can be. The
// tools should have forgotten them. RT safe.
void pal_domains_reset(pal_domains *domains, bool dents);

// The domain of a triangle as a part that dents, and what the tool found of it; false: it does not.
// RT safe.
bool pal_domains_part(pal_domains *domains, int32_t tool, int32_t triangle, pal_soft_part *part);

// The dents of all domains near tools: anew, all there are; or none. RT safe.
void pal_domains_begin_dents(pal_domains *domains);
void pal_domains_end_dents(pal_domains *domains);
void pal_domains_clear_dents(pal_domains *domains);

// Which domain a triangle is of. RT safe.
int32_t pal_domains_owner(const pal_domains *domains, int32_t triangle);

#endif
