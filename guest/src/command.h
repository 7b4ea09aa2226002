/* SPDX-License-Identifier: Apache-2.0 */
/* Commands: START and what can be done with one. */
#ifndef COMMAND_H
#define COMMAND_H

#include "message.h"
#include "stream.h"

void command_start(struct stream *stream, const uint8_t *data, size_t length);
void command_attach(struct stream *stream, uint64_t offset, uint32_t credit);
void command_detach(struct stream *stream);
void command_signal(struct stream *stream, int number);
void command_resize(struct stream *stream, uint16_t columns, uint16_t rows);
/* The payload of COMMAND. */
void command_describe(struct stream *stream, struct bytes *fields);
/* To the group of every running command. */
void command_signal_all(int number);

#endif
