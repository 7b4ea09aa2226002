/* SPDX-License-Identifier: Apache-2.0 */
/* Starting a child: a command, or a worker that runs a function of this program with the same identity and privileges. */
#ifndef SPAWN_H
#define SPAWN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "bytes.h"
#include "child.h"
#include "users.h"
#include "wire.h"

#define REASON_MOST 150

struct spawn {
    char **arguments; /* NULL: a worker */
    const struct bytes *environment;
    const char *directory; /* NULL: the user's home, or / */
    const char *user;
    bool pty, input;
    bool bulk; /* much goes through its pipes */
    bool mounts; /* a worker that may do what the agent may with mounts, where the agent may */
    bool talks; /* its standard input is a socket of datagrams, both ways */
    uint16_t columns, rows;
    int (*work)(const void *context, const struct identity *identity, const struct users *users);
    const void *context;
};

struct spawned {
    pid_t pid;
    int in, out, err;        /* the agent's ends, non-blocking; with a pty only out. -1: none */
    int status;              /* end-of-file: it runs, or ended; before that a struct child_failure: it does not */
    struct child_plan *plan; /* to be freed after that end-of-file */
};

struct spawn_failure {
    int error;
    enum refusal refusal;
    char reason[REASON_MOST];
};

/* False, and why, when there is nobody to become or not even a process could be made. */
bool spawn(const struct spawn *request, struct spawned *spawned, struct spawn_failure *failure);
/* What a child's word on its status pipe means. */
void spawn_explain(const struct child_plan *plan, const struct child_failure *said, struct spawn_failure *failure);
void spawn_plan_free(struct child_plan *plan);

/* Once, at the start of the agent. */
void spawn_prepare(void);
/* Where the host's limit would end the whole sandbox, users are limited one by one, and the agent holds the sum: with twice as
 * many processes as one user may have, there is still room for root to look what goes on. False, and in `running` how many there are. */
bool spawn_has_room(unsigned *running);
/* The limit of open files that a child gets back; NULL when unknown. */
const struct rlimit *spawn_file_limit(void);
/* The limit of processes that a command gets; NULL: the agent's. */
const struct rlimit *spawn_process_limit(void);
/* Opens a pty whose slave cannot be made a trap by what is in /dev. */
bool pty_open(int *master, int *slave, uint16_t columns, uint16_t rows);

#endif
