/* SPDX-License-Identifier: Apache-2.0 */
/* What a copy of the sandbox does before anybody talks to it: the executables in /etc/sandglass/on-resume.d, in order, as root. */
#ifndef RESUME_H
#define RESUME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Starts them, when there are any. */
void resume_begin(uint64_t generation);
/* While they run, at most some seconds, nothing is read from the link and nothing said on it. */
bool resume_is_running(void);
/* A child was reaped, of whatever kind. */
void resume_reaped(pid_t pid);

#endif
