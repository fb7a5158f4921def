// Ports of one domain, eight side by side.
#define ABREAST 0
#define LANES   8
#include "sim/substruct/ports.inc"

const pal_port_functions pal_ports_eight = {move, retwist, gather_exact, gather_lumped};
