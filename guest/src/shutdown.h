/* SPDX-License-Identifier: Apache-2.0 */
/* SHUTDOWN: TERM to everything, KILL after the grace, sync, exit. */
#ifndef SHUTDOWN_H
#define SHUTDOWN_H

#include <stdbool.h>
#include <stdint.h>

void shutdown_start(uint32_t grace_ms);
bool shutdown_is_on(void);
/* After children were reaped; does not return when the last one is gone. */
void shutdown_check(bool has_children);

#endif
