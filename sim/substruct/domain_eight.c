// Eight domains of one class at a time.
#define WIDTH 8
#include "sim/substruct/domain_abreast.inc"

const pal_block_functions pal_block_eight = {assemble, factor, condense, advance, alone, hold};
