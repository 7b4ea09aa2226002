/* SPDX-License-Identifier: Apache-2.0 */
/* Dropping to what the settings allow. */
#ifndef PRIVILEGE_H
#define PRIVILEGE_H

#include "users.h"

/* Once, at the start of the agent. */
void privilege_prepare(void);
/* Becomes the identity, with no more than settings.capabilities. NULL when done, else the step that failed, with errno: the
 * caller must then end. */
const char *privilege_drop(const struct identity *identity);

#endif
