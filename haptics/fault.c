#include "haptics/fault.h"

static const pal_fault_words words[] = {
#define FAULT_ROW(name, key, text, remedy) {key, text, remedy},
    PAL_FAULT_LIST(FAULT_ROW)
#undef FAULT_ROW
};

const pal_fault_words *pal_fault_say(unsigned cause) {
    return &words[cause < PAL_CAUSE_COUNT ? cause : PAL_CAUSE_NONE];
}
