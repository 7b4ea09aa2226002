/* SPDX-License-Identifier: Apache-2.0 */
/* File operations, as the main loop sees them: a request handed to a worker. */
#ifndef OPERATION_H
#define OPERATION_H

#include "stream.h"

void operation_start(struct stream *stream, const uint8_t *data, size_t length);

#endif
