/* SPDX-License-Identifier: Apache-2.0 */
/* Dropping to what the settings allow. */
#ifndef PRIVILEGE_H
#define PRIVILEGE_H

#include <stdbool.h>
#include <stdint.h>

#include "users.h"

/* What a child may still do, taken from the settings before it is made. */
struct privileges {
    uint64_t capabilities;
    bool no_new_privileges;
};

enum privilege_step {
    PRIVILEGE_DONE,
    PRIVILEGE_FILTER,
    PRIVILEGE_BOUNDING_SET,
    PRIVILEGE_AMBIENT,
    PRIVILEGE_GROUPS,
    PRIVILEGE_GROUP,
    PRIVILEGE_USER,
    PRIVILEGE_CAPABILITIES,
    PRIVILEGE_NO_NEW,
};

/* Once, at the start of the agent. */
void privilege_prepare(void);
/* What the settings say now. */
struct privileges privileges_now(void);
/* In a child, by raw calls only: becomes the identity, with no more than that. PRIVILEGE_DONE, or the step that failed and in `error`
 * why: the caller must then end. */
enum privilege_step privilege_drop(const struct privileges *privileges, const struct identity *identity, int *error);
const char *privilege_step_name(enum privilege_step step);

#endif
