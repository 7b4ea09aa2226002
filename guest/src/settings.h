/* SPDX-License-Identifier: Apache-2.0 */
/* What the daemon says about everything the agent starts. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"

struct settings {
    uint64_t capabilities;
    bool no_new_privileges;
    bool sudo;
    bool services; /* the enabled ones are started, and this daemon told of changes */
    bool share_memory; /* a command shares the agent's memory until it executes its program */
    uint64_t memory_limit;
    uint64_t generation; /* of the sandbox: another one after it was copied; 0 = never told */
    uint64_t processes; /* most that a user may have, 0 = as the agent got it */
    uint32_t frame_most; /* the largest frame that this daemon takes */
    struct bytes environment; /* texts `K=V`, each with a NUL at its end */
};

extern struct settings settings;

/* Takes what is present, and acts on it. False, with nothing taken, when it is not a list of fields. */
bool settings_apply(const uint8_t *data, size_t length);

#endif
