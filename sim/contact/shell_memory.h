// What becomes of a tool's memory of the gaps around it as time goes on. Private to shell.c. RT
// safe.
#ifndef PAL_CONTACT_SHELL_MEMORY_H
#define PAL_CONTACT_SHELL_MEMORY_H

#include "sim/contact/shell.h"

// Adds how far tool and surface may have moved against one another since the last query.
void pal_shell_memory_pass(pal_shell_memory *memory, const pal_shell *shell, const pal_body *body,
                           const pal_shell_query *query);

#endif
