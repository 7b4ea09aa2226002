/* SPDX-License-Identifier: Apache-2.0 */
/* Starting a child: a command, or a worker that runs a function of this program with the same identity and privileges. */
#ifndef SPAWN_H
#define SPAWN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "bytes.h"
#include "users.h"

#define REASON_MOST 150

struct spawn {
    char **arguments; /* NULL: a worker */
    const struct bytes *environment;
    const char *directory; /* NULL: the user's home, or / */
    const char *user;
    bool pty, input;
    uint16_t columns, rows;
    int (*work)(const void *context, const struct identity *identity, const struct users *users);
    const void *context;
};

struct spawned {
    pid_t pid;
    int in, out, err; /* the agent's ends, non-blocking; with a pty only out. -1: none */
    int status;       /* end-of-file: it runs; else a struct spawn_failure: it does not */
};

struct spawn_failure {
    int32_t error;
    char reason[REASON_MOST];
};

/* False with errno when not even a process could be made. */
bool spawn(const struct spawn *request, struct spawned *spawned);

/* Once, at the start of the agent. */
void spawn_prepare(void);
/* Closes every descriptor from this one on. */
void spawn_close_from(int first);
/* In a child: signals, descriptors from `first` on, limits, umask, oom score as for any child of the agent. */
void spawn_settle_child(int first);
/* Searches PATH of the environment like a shell. Returns only when it failed, with errno. */
void spawn_execute(char *const *arguments, char *const *environment);
/* Opens a pty whose slave cannot be made a trap by what is in /dev. */
bool pty_open(int *master, int *slave, uint16_t columns, uint16_t rows);

#endif
