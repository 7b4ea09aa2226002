/* SPDX-License-Identifier: Apache-2.0 */
/* Streams with a process behind them: commands and workers. */
#ifndef PROCESS_H
#define PROCESS_H

#include <sys/resource.h>

#include "spawn.h"
#include "stream.h"

/* Starts the process of a stream; false when the stream has failed instead. */
bool process_start(struct stream *stream, const struct spawn *request);
void process_push(struct stream *stream);
/* What was taken from the stream's pipe to be passed on has arrived. */
void process_passed(struct stream *stream);
/* A child was reaped, of whatever kind. */
void process_reaped(pid_t pid, int status, const struct rusage *usage);
/* Ends the process of a file operation, gently first so that it can remove what it made, and forgets the stream. */
void process_cancel(struct stream *stream);
/* Forgets a finished command; what it left running can still write to its pipes. */
void process_forget(struct stream *stream);
/* Frees finished commands beyond what is kept. Once a turn. */
void process_bound_finished(void);

#endif
