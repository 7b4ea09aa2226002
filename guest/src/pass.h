/* SPDX-License-Identifier: Apache-2.0 */
/* A frame of output whose bytes the kernel moves from the worker's pipe to the link, so that they are not copied here. One at a time; it is
 * finished whatever becomes of its stream, for the daemon was told its length. */
#ifndef PASS_H
#define PASS_H

#include <sys/types.h>

#include "stream.h"

/* Begins with at most so many of the bytes that wait in the stream's pipe; returns how many. Its header goes out first. */
size_t pass_begin(struct stream *stream, size_t most);
bool pass_is_on(void);
/* Moves on what it can; like write(2). */
ssize_t pass_on(int to);
/* Takes bytes of it, for a caller who copies them where the kernel does not move them. */
size_t pass_take(uint8_t *data, size_t most);
/* The stream goes: its pipe stays while it is needed. */
void pass_keep(struct stream *stream);
/* Nobody waits for the rest. */
void pass_forget(void);

#endif
