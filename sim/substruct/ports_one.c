// Ports of one domain, one by one.
#define ABREAST 0
#define LANES   1
#include "sim/substruct/ports.inc"

const pal_port_functions pal_ports_one = {move, retwist, gather_exact, gather_lumped};
