/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes between a stream and its descriptors. */
#ifndef FLOW_H
#define FLOW_H

#include "stream.h"

/* Reads and writes only where there is room and data. Call after every change of either. */
void flow_update(struct stream *stream);
/* DATA and EOF from the daemon. */
void flow_input(struct stream *stream, const uint8_t *data, size_t length);
void flow_input_end(struct stream *stream);
/* Hands on what came as DATA; of all streams, once everything that was read is through. */
void flow_push_now(struct stream *stream);
void flow_push_waiting(void);
/* Nobody will read the input any more. */
void flow_input_close(struct stream *stream);
/* The descriptor that input goes to. */
struct source *flow_writer(struct stream *stream);
/* Writes what it can; false with errno when the other side is gone. */
bool flow_write(struct stream *stream);
/* The bytes that are in a pipe now. */
size_t flow_waiting(int fd);
/* Reads once into the stream. Returns what read(2) did; 0 bytes of room is EAGAIN. */
ssize_t flow_read(struct stream *stream, int index);

#endif
