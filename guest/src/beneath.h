/* SPDX-License-Identifier: Apache-2.0 */
/* Opening below a directory without ever passing through a link or out of it. */
#ifndef BENEATH_H
#define BENEATH_H

#include <stdbool.h>

/* Opens the directory `path`, a clean relative name ("" is the root itself), with O_PATH; missing ones are made when `make`. -1 with errno: ELOOP or
 * ENOTDIR when a part is not a directory. */
int beneath_open(int root, const char *path, bool make);

#endif
