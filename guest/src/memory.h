/* SPDX-License-Identifier: Apache-2.0 */
/* The memory guard, for runtimes whose own limit would end the whole sandbox. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdint.h>

/* Watches from now on; 0 stops. */
void memory_watch(uint64_t limit);
/* A command has started: looks more often again. */
void memory_wake(void);
/* From how many bytes on something is killed. */
uint64_t memory_threshold(uint64_t limit);
/* How many milliseconds it is until the next look. */
int64_t memory_pause(uint64_t limit, uint64_t used);

#endif
