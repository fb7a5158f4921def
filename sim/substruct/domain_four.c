// Four domains of one class at a time.
#define WIDTH 4
#include "sim/substruct/domain_abreast.inc"

const pal_block_functions pal_block_four = {assemble, factor, condense, advance, alone, hold};
