// Ports of a domain, eight at a time.
#define LANES 8
#include "sim/substruct/ports.inc"

const pal_port_functions pal_ports_eight = {move, retwist, gather_exact, gather_lumped};
