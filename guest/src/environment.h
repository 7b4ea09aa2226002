/* SPDX-License-Identifier: Apache-2.0 */
/* The environment of a command: the user's, then the settings', then the request's, later ones winning. */
#ifndef ENVIRONMENT_H
#define ENVIRONMENT_H

#include <stdbool.h>

#include "bytes.h"
#include "users.h"

#define ENVIRONMENT_ENTRIES 4096
#define DEFAULT_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* `settings` and `request` hold texts `K=V`, each with a NUL at its end. The result is one allocation with texts of its own, to be
 * freed; NULL with errno when it is too much. */
char **environment_build(const struct identity *identity, bool pty, const struct bytes *settings, const struct bytes *request);
const char *environment_value(char *const *environment, const char *name);

#endif
