// Ports of a domain, four at a time.
#define LANES 4
#include "sim/substruct/ports.inc"

const pal_port_functions pal_ports_four = {move, retwist, gather_exact, gather_lumped};
