/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes of commands that are forgotten, read so that what still writes to them does not die of it. */
#ifndef DRAIN_H
#define DRAIN_H

#include "loop.h"

/* Takes the descriptor over, if there is one. */
void drain_take(struct source *source);

#endif
