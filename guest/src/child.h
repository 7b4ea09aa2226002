/* SPDX-License-Identifier: Apache-2.0 */
/* A child between its making and its program. Until execve it may share the agent's memory, so what runs there uses raw calls
 * only: no allocation, no errno, nothing of libc but functions on strings. All that it needs is in the plan, which stays until the
 * status pipe has ended: then the child is out of the agent's memory. */
#ifndef CHILD_H
#define CHILD_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "privilege.h"
#include "users.h"

#define CHILD_STATUS 3 /* the status pipe in the child */
#define CHILD_STACK 16384

/* What did not go; told on the status pipe with the errno. */
enum child_step {
    CHILD_DESCRIPTORS = 1,
    CHILD_TERMINAL,
    CHILD_PRIVILEGES, /* and in `detail` the privilege_step */
    CHILD_DIRECTORY,
    CHILD_PROGRAM,
};

struct child_failure {
    int32_t error, step, detail;
};

struct child_plan {
    int in, out, err, status; /* none below 4 */
    int highest;              /* descriptor that the child may have */
    bool pty, raise_oom_score;
    const struct rlimit *files, *processes; /* NULL: leave it */
    struct privileges privileges;
    struct identity identity;
    char *directory;    /* NULL: the home, else / */
    char **arguments;   /* NULL: a worker */
    char **environment;
    char path[PATH_MAX]; /* room for the search */
    _Alignas(16) uint8_t stack[CHILD_STACK];
};

/* Descriptors, session, terminal, signals, limits, privileges. Ends the process when something does not go. */
void child_settle(struct child_plan *plan);
/* Settles, enters the directory and executes the program. For clone. */
int child_run(void *plan);
/* Searches PATH of the environment like a shell. Returns only when it failed: the errno. */
int child_execute(char *const *arguments, char *const *environment, char path[PATH_MAX]);

/* Parts of it, for a child that serves sudo. */
void child_close_from(int first, int highest);
void child_reset(const struct rlimit *files, const struct rlimit *processes, bool raise_oom_score);

#endif
