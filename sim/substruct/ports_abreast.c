// The same port of eight domains, side by side.
#define ABREAST 1
#define LANES   8
#include "sim/substruct/ports.inc"

const pal_port_functions pal_ports_abreast = {move, retwist, gather_exact, gather_lumped};
