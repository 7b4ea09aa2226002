/* SPDX-License-Identifier: Apache-2.0 */
#include "resume.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drain.h"
#include "environment.h"
#include "log.h"
#include "loop.h"
#include "session.h"
#include "settings.h"
#include "spawn.h"
#include "worker.h"

#define DIRECTORY "/etc/sandglass/on-resume.d"
#define TIME_MS 10000 /* for all of them */
#define LINES_MOST 100

static pid_t running; /* 0: none */
static struct source outputs[2];
static struct timer limit;
static unsigned said; /* lines */

bool resume_is_running(void) {
    return running != 0;
}

/* -- in the process that runs them */

static void run_one(const char *path, char *const *environment) {
    char *arguments[] = {(char *)path, NULL};
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        execve(path, arguments, environment);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (pid < 0) {
        dprintf(STDERR_FILENO, "%s: %s\n", path, strerror(errno));
    } else if (status != 0) {
        dprintf(STDERR_FILENO, "%s: ended with %s %d\n", path, WIFEXITED(status) ? "status" : "signal",
                WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    }
}

static int run_all(const void *context, const struct identity *identity, const struct users *users) {
    (void)users;
    struct bytes request = {0};
    struct names names;
    char generation[64];
    int length = snprintf(generation, sizeof generation, "SANDGLASS_GENERATION=%llu", *(const unsigned long long *)context);
    bytes_add(&request, generation, (size_t)length + 1);
    char **environment = environment_build(identity, false, &settings.environment, &request);
    const struct rlimit *processes = spawn_process_limit();
    int fd = open(DIRECTORY, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (!environment || fd < 0 || chdir("/") < 0 || (processes && setrlimit(RLIMIT_NPROC, processes) < 0)) {
        dprintf(STDERR_FILENO, "%s: %s\n", DIRECTORY, strerror(errno));
        return 1;
    }
    names_read(&names, fd);
    for (size_t i = 0; i < names.count; i++) {
        struct stat status;
        char *path = worker_join(DIRECTORY, names.list[i]);
        if (names.list[i][0] != '.' && stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0) {
            run_one(path, environment);
        }
        free(path);
    }
    return 0;
}

/* -- in the agent */

static void say(char *text, size_t length) {
    text[length] = 0;
    char *rest;
    for (char *line = strtok_r(text, "\n", &rest); line && said < LINES_MOST; line = strtok_r(NULL, "\n", &rest)) {
        said++;
        log_line("on-resume: %s", line);
    }
}

/* False when there is nothing more for now. */
static bool read_output(struct source *source) {
    char text[400];
    ssize_t got = source->fd >= 0 ? read(source->fd, text, sizeof text - 1) : 0;
    if (got > 0) {
        say(text, (size_t)got);
    }
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        source_close(source);
    }
    return got > 0;
}

static void output_ready(void *owner, uint32_t events) {
    (void)events;
    read_output(owner);
}

/* What they left running may go on writing. */
static void end(void) {
    running = 0;
    timer_stop(&limit);
    for (int i = 0; i < 2; i++) {
        for (int parts = 0; parts < LINES_MOST && read_output(&outputs[i]); parts++) {
        }
        drain_take(&outputs[i]);
    }
}

static void time_is_up(void *owner) {
    (void)owner;
    log_line("on-resume: not done within %d s: killed", TIME_MS / 1000);
    session_kill(running);
    end();
}

void resume_begin(uint64_t generation) {
    unsigned long long number = generation;
    if (running || access(DIRECTORY, F_OK) < 0) {
        return;
    }
    struct spawn request = {.user = "root", .work = run_all, .context = &number};
    struct spawned spawned;
    struct spawn_failure failure;
    if (!spawn(&request, &spawned, &failure)) {
        log_line("on-resume: %s", failure.reason);
        return;
    }
    spawn_plan_free(spawned.plan); /* a worker has a memory of its own */
    close(spawned.status);
    running = spawned.pid;
    said = 0;
    int ends[2] = {spawned.out, spawned.err};
    for (int i = 0; i < 2; i++) {
        source_init(&outputs[i], ends[i], output_ready, &outputs[i]);
        source_want(&outputs[i], EPOLLIN);
    }
    timer_arm(&limit, loop_now() + TIME_MS, time_is_up, NULL);
}

void resume_reaped(pid_t pid) {
    if (running && pid == running) {
        end();
    }
}
