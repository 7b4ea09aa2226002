/* SPDX-License-Identifier: Apache-2.0 */
/* What the agent says on the link besides its streams: pongs, refusals, and the welcome of a new daemon. */
#ifndef SAY_H
#define SAY_H

#include <stdbool.h>

/* Too many answers wait: read nothing more. */
bool say_is_full(void);

#endif
