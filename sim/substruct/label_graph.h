// The graph of the domains of a labelled mesh, and what keeps it from being a tree. Baking only.
#ifndef PAL_SUBSTRUCT_LABEL_GRAPH_H
#define PAL_SUBSTRUCT_LABEL_GRAPH_H

#include <stdbool.h>

#include "sim/mesh/volmesh.h"

typedef struct pal_label_edge { // an interface
    int32_t a, b;               // labels, a < b
    int32_t face_count;
    double area;          // m^2
    int32_t vertex_first; // in the lists of the graph
    int32_t vertex_count; // all that the two share, also where they share no face
    int32_t patch_count;  // of its faces, those joined that share a vertex; 2: it closes a loop
} pal_label_edge;

typedef struct pal_label_graph {
    const pal_volmesh *mesh; // borrowed
    int32_t label_count;
    const int32_t *label;   // [element_count], borrowed
    int32_t *element_count; // [label_count]
    int32_t edge_count;
    pal_label_edge *edge; // [edge_count] by a, then b
    int32_t *edge_start;  // [label_count + 1] the edges of each label,
    int32_t *edge_of;     // [2 edge_count] by the other label
    int32_t *vertex;      // the vertices of all interfaces, ascending in each
    double *weight;       // by the area of the shared faces, sum 1 in each interface
    int32_t *place;       // [vertex_count + 1] the labels of each vertex,
    int32_t *label_at;    // ascending
} pal_label_graph;

// Labels must be within 0..label_count-1.
pal_status pal_label_graph_make(const pal_volmesh *mesh, const int32_t *label, int32_t label_count,
                                pal_label_graph *graph, pal_err *err);
void pal_label_graph_free(pal_label_graph *graph);

// The edge between two labels, -1 when they are no neighbours; the other label of an edge.
int32_t pal_label_graph_find(const pal_label_graph *graph, int32_t a, int32_t b);
int32_t pal_label_graph_other(const pal_label_graph *graph, int32_t edge, int32_t label);

// Breadth first from a label: order [label_count], from [label_count] (-1 at the first and at those
// that were not reached); returns how many were reached.
int32_t pal_label_graph_walk(const pal_label_graph *graph, int32_t first, int32_t *order,
                             int32_t *from);

// A cycle: its labels one after the other, cycle [label_count]; *count 0 when there is none.
pal_status pal_label_graph_cycle(const pal_label_graph *graph, int32_t *cycle, int32_t *count,
                                 pal_err *err);

// Two labels that share a vertex, but no face.
bool pal_label_graph_hidden(const pal_label_graph *graph, int32_t *a, int32_t *b, int32_t *vertex);

// Whether the interface is in one piece and keeps a frame; the message calls its sides by these
// names.
pal_status pal_label_graph_check_edge(const pal_label_graph *graph, int32_t edge, const char *a,
                                      const char *b, pal_err *err);

// A piece of its own for every part of a label that is connected by faces: piece [element_count],
// numbered by their first element.
pal_status pal_label_pieces(const pal_volmesh *mesh, const int32_t *label, int32_t *piece,
                            int32_t *piece_count, pal_err *err);

#endif
