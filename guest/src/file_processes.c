/* SPDX-License-Identifier: Apache-2.0 */
/* The processes of the sandbox, without the agent's own. What they call themselves is theirs to choose, so it is only cut. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fields.h"
#include "stream.h"
#include "sudo.h"
#include "worker.h"

#define PROCESSES_MOST 4096
#define COMMAND_MOST 512
#define STATUS_MOST 4096

struct process {
    long pid, parent;
    uint32_t user;
    char command[COMMAND_MOST + 3]; /* a name stands in brackets */
};

static size_t read_some(long pid, const char *name, char *text, size_t room) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/%s", pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, text, room - 1) : 0;
    if (fd >= 0) {
        close(fd);
    }
    text[got > 0 ? got : 0] = 0;
    return got > 0 ? (size_t)got : 0;
}

/* The last one: the first lines tell the name, in which a process may have written lines of its own. */
static const char *value_of(const char *status, const char *key) {
    const char *value = NULL;
    for (const char *at = status; (at = strstr(at, key));) {
        at += strlen(key);
        value = at;
    }
    return value;
}

/* False when it has ended. */
static bool read_status(struct process *process) {
    char status[STATUS_MOST];
    if (read_some(process->pid, "status", status, sizeof status) == 0) {
        return false;
    }
    const char *state = value_of(status, "\nState:\t"), *parent = value_of(status, "\nPPid:\t"), *users = value_of(status, "\nUid:\t");
    if (!state || *state == 'Z' || *state == 'X' || !parent) {
        return false;
    }
    process->parent = strtol(parent, NULL, 10);
    unsigned effective;
    if (users && sscanf(users, "%*u %u", &effective) == 1) {
        process->user = effective;
        return true;
    }
    char path[64];
    struct stat owner;
    snprintf(path, sizeof path, "/proc/%ld", process->pid);
    process->user = stat(path, &owner) == 0 ? owner.st_uid : 0;
    return true;
}

static void read_command(struct process *process) {
    size_t length = read_some(process->pid, "cmdline", process->command, COMMAND_MOST + 1);
    while (length > 0 && process->command[length - 1] == 0) {
        length--;
    }
    for (size_t i = 0; i < length; i++) {
        process->command[i] = process->command[i] ? process->command[i] : ' ';
    }
    if (length > 0) {
        return;
    }
    char name[64]; /* it has no arguments, or has wiped them out */
    length = read_some(process->pid, "comm", name, sizeof name);
    if (length > 0 && name[length - 1] == '\n') {
        name[length - 1] = 0;
    }
    snprintf(process->command, sizeof process->command, "[%s]", name);
}

/*
 * The agent, its workers and what has not become a command yet all have its arguments. Others may give them to themselves, but not
 * its program too; where that cannot be seen, the agent's own list, as it was when this worker was made, says what is its.
 */
static bool is_agents(const struct process *process, const struct process *self) {
    if (process->pid == self->pid || process->pid == self->parent) {
        return true;
    }
    if (strcmp(process->command, self->command) != 0) {
        return false;
    }
    char path[64];
    struct stat program, own;
    snprintf(path, sizeof path, "/proc/%ld/exe", process->pid);
    if (stat(path, &program) == 0 && stat("/proc/self/exe", &own) == 0) {
        return program.st_dev == own.st_dev && program.st_ino == own.st_ino;
    }
    const struct stream *stream = stream_find_pid((pid_t)process->pid);
    return (stream && stream->kind == STREAM_FILE) || sudo_serves((pid_t)process->pid);
}

static void report(const struct process *process) {
    struct bytes record = {0};
    field_put_u32(&record, 1, (uint32_t)process->pid);
    field_put_u32(&record, 2, (uint32_t)process->parent);
    field_put_u32(&record, 3, process->user);
    field_put_text(&record, 4, process->command);
    worker_record(&record);
}

static void report_more(void) {
    struct bytes record = {0};
    field_put_u8(&record, 5, 1);
    worker_record(&record);
}

void file_processes(const struct file_request *request) {
    (void)request;
    struct process self = {.pid = getpid(), .parent = getppid()};
    read_command(&self);
    DIR *processes = opendir("/proc");
    if (!processes) {
        worker_fail(errno, "/proc");
    }
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(processes));) {
        struct process process = {.pid = isdigit((unsigned char)entry->d_name[0]) ? strtol(entry->d_name, NULL, 10) : 0};
        if (process.pid <= 0 || !read_status(&process)) {
            continue;
        }
        read_command(&process);
        if (is_agents(&process, &self)) {
            continue;
        }
        if (count++ == PROCESSES_MOST) {
            report_more();
            break;
        }
        report(&process);
    }
    closedir(processes);
}
