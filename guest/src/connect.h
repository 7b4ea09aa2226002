/* SPDX-License-Identifier: Apache-2.0 */
/* Connections to ports on the sandbox's loopback. */
#ifndef CONNECT_H
#define CONNECT_H

#include "stream.h"

void connect_start(struct stream *stream, uint16_t port);
void connect_push(struct stream *stream);
/* Whether the other side may still send. */
bool connect_reads(const struct stream *stream);

#endif
