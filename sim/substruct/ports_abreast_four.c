// The same port of four domains, side by side.
#define ABREAST 1
#define LANES   4
#include "sim/substruct/ports.inc"

const pal_port_functions pal_ports_abreast_four = {move, retwist, gather_exact, gather_lumped};
