/* SPDX-License-Identifier: Apache-2.0 */
/* The processes of a session, found in /proc. */
#ifndef SESSION_H
#define SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct process_facts {
    pid_t pid, parent, session;
    char state;
    uint64_t resident_pages;
};

/* Calls for every process until it returns false. */
void session_each(bool (*visit)(void *context, const struct process_facts *facts), void *context);
/* The fields of /proc/PID/stat; the name in it is hostile. */
bool session_parse(const char *stat, struct process_facts *facts);
/* KILL to all of it, and to what it started through sudo. */
void session_kill(pid_t session);

#endif
