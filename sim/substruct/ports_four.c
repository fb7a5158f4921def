// Ports of one domain, four side by side.
#define ABREAST 0
#define LANES   4
#include "sim/substruct/ports.inc"

const pal_port_functions pal_ports_four = {move, retwist, gather_exact, gather_lumped};
