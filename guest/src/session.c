/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sudo.h"

/* A session that forks while it is killed is looked through again, but not for ever. */
#define PASSES 16

bool session_parse(const char *stat, struct process_facts *facts) {
    const char *after = strrchr(stat, ')'); /* the name may hold anything */
    long pid = strtol(stat, NULL, 10);
    long parent, group, session, resident;
    unsigned long size;
    char state;
    if (!after ||
        sscanf(after + 1, " %c %ld %ld %ld %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %*u %lu %ld", &state,
               &parent, &group, &session, &size, &resident) != 6) {
        return false;
    }
    *facts = (struct process_facts){.pid = (pid_t)pid,
                                    .parent = (pid_t)parent,
                                    .session = (pid_t)session,
                                    .state = state,
                                    .resident_pages = resident > 0 ? (uint64_t)resident : 0};
    return true;
}

static bool read_facts(const char *name, struct process_facts *facts) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%.20s/stat", name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    ssize_t got = read(fd, text, sizeof text - 1);
    close(fd);
    if (got <= 0) {
        return false;
    }
    text[got] = 0;
    return session_parse(text, facts);
}

void session_each(bool (*visit)(void *context, const struct process_facts *facts), void *context) {
    DIR *directory = opendir("/proc");
    if (!directory) {
        return;
    }
    for (struct dirent *entry; (entry = readdir(directory));) {
        struct process_facts facts;
        if (isdigit((unsigned char)entry->d_name[0]) && read_facts(entry->d_name, &facts) && !visit(context, &facts)) {
            break;
        }
    }
    closedir(directory);
}

struct killing {
    pid_t session;
    bool found;
};

static bool kill_member(void *context, const struct process_facts *facts) {
    struct killing *killing = context;
    if (facts->session == killing->session && facts->state != 'Z' && facts->state != 'X') {
        killing->found = true;
        kill(facts->pid, SIGKILL);
    }
    return true;
}

void session_kill(pid_t session) {
    if (session <= 1) {
        return;
    }
    kill(-session, SIGKILL);
    kill(session, SIGKILL);
    for (int pass = 0; pass < PASSES; pass++) {
        struct killing killing = {.session = session};
        session_each(kill_member, &killing);
        if (!killing.found) {
            break;
        }
    }
    sudo_kill_of(session);
}
