// Ports of one domain, two side by side.
#define ABREAST 0
#define LANES   2
#include "sim/substruct/ports.inc"

const pal_port_functions pal_ports_two = {move, retwist, gather_exact, gather_lumped};
