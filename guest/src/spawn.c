/* SPDX-License-Identifier: Apache-2.0 */
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "environment.h"
#include "loop.h"
#include "privilege.h"
#include "settings.h"

#define PIPE_WIDE 262144

static struct rlimit inherited_files;
static bool has_inherited_files;
static int null_fd = -1;

/* What a command without standard input reads. Opened before anything in the sandbox ran. */
static int open_null(void) {
    struct stat status;
    int fd = open("/dev/null", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISCHR(status.st_mode)) {
        return fd;
    }
    if (fd >= 0) {
        close(fd);
    }
    int ends[2]; /* an image without it: a pipe that is at its end */
    if (pipe2(ends, O_CLOEXEC) < 0) {
        return -1;
    }
    close(ends[1]);
    return ends[0];
}

void spawn_prepare(void) {
    /* A call each costs under gVisor, so what is the same for all children is done once. */
    for (int number = 1; number < NSIG; number++) {
        static const uint64_t by_default[4]; /* not signal(3): libc hides 32 and 33, which the runtime may have left ignored */
        syscall(SYS_rt_sigaction, number, by_default, NULL, sizeof(uint64_t));
    }
    signal(SIGPIPE, SIG_IGN);
    privilege_prepare();
    null_fd = open_null();
    source_highest = null_fd > source_highest ? null_fd : source_highest;
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        inherited_files = files;
        has_inherited_files = true;
        files.rlim_cur = files.rlim_max; /* thousands of streams, each with several descriptors */
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

const struct rlimit *spawn_file_limit(void) {
    return has_inherited_files ? &inherited_files : NULL;
}

const struct rlimit *spawn_process_limit(void) {
    static struct rlimit processes;
    processes.rlim_cur = processes.rlim_max = settings.processes;
    return settings.processes > 0 ? &processes : NULL;
}

bool spawn_has_room(unsigned *running) {
    struct sysinfo info;
    if (settings.processes == 0 || sysinfo(&info) < 0 || info.procs / 2 < settings.processes) {
        return true;
    }
    *running = info.procs;
    return false;
}

__attribute__((format(printf, 4, 5))) static bool refuse(struct spawn_failure *failure, enum refusal refusal, int error,
                                                         const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure->reason, sizeof failure->reason, format, arguments);
    va_end(arguments);
    failure->error = error;
    failure->refusal = refusal;
    return false;
}

void spawn_explain(const struct child_plan *plan, const struct child_failure *said, struct spawn_failure *failure) {
    const char *why = strerror(said->error);
    switch (said->step) {
        case CHILD_DESCRIPTORS:
            refuse(failure, REFUSED_REQUEST, said->error, "descriptors: %s", why);
            break;
        case CHILD_TERMINAL:
            refuse(failure, REFUSED_REQUEST, said->error, "controlling terminal: %s", why);
            break;
        case CHILD_PRIVILEGES:
            refuse(failure, REFUSED_REQUEST, said->error, "%s: %s", privilege_step_name((enum privilege_step)said->detail), why);
            break;
        case CHILD_DIRECTORY:
            refuse(failure, REFUSED_DIRECTORY, said->error, "working directory %.100s: %s", plan->directory ? plan->directory : "/", why);
            break;
        default:
            refuse(failure, REFUSED_PROGRAM, said->error, "%.100s: %s", plan->arguments ? plan->arguments[0] : "worker", why);
            break;
    }
}

void spawn_plan_free(struct child_plan *plan) {
    if (plan) {
        free(plan->directory);
        free(plan->arguments);
        free(plan->environment);
        free(plan);
    }
}

/* One allocation, with texts of its own. */
static char **copy_arguments(char *const *arguments) {
    size_t count = 0, size = sizeof(char *);
    for (; arguments[count]; count++) {
        size += sizeof(char *) + strlen(arguments[count]) + 1;
    }
    char **list = malloc(size);
    if (!list) {
        return NULL;
    }
    char *at = (char *)(list + count + 1);
    for (size_t i = 0; i < count; i++) {
        list[i] = at;
        at = stpcpy(at, arguments[i]) + 1;
    }
    list[count] = NULL;
    return list;
}

/* Everything about the child that does not need a process. NULL, and why. */
static struct child_plan *make_plan(const struct spawn *request, struct spawn_failure *failure) {
    struct child_plan *plan = malloc(sizeof *plan);
    if (!plan) {
        refuse(failure, REFUSED_REQUEST, ENOMEM, "no memory");
        return NULL;
    }
    memset(plan, 0, offsetof(struct child_plan, identity));
    plan->directory = NULL;
    plan->arguments = plan->environment = NULL;
    plan->pty = request->pty;
    plan->files = spawn_file_limit();
    plan->privileges = privileges_now();
    if (request->mounts && !request->arguments) {
        plan->privileges.capabilities |= UINT64_C(1) << CAP_SYS_ADMIN;
    }
    if (!users_find(users_now(), request->user, &plan->identity)) {
        refuse(failure, REFUSED_USER, EINVAL, "unknown user %.100s", request->user);
        spawn_plan_free(plan);
        return NULL;
    }
    if (!request->arguments) {
        return plan;
    }
    plan->processes = spawn_process_limit();
    plan->arguments = copy_arguments(request->arguments);
    plan->directory = request->directory ? strdup(request->directory) : NULL;
    plan->environment = environment_build(&plan->identity, request->pty, &settings.environment, request->environment);
    if (!plan->arguments || !plan->environment || (request->directory && !plan->directory)) {
        refuse(failure, REFUSED_REQUEST, plan->environment ? ENOMEM : errno, "environment: %s", strerror(plan->environment ? ENOMEM : errno));
        spawn_plan_free(plan);
        return NULL;
    }
    return plan;
}

/* Copying a process is dear under gVisor: there a command shares the agent's memory until it executes its program. The agent goes on
 * meanwhile (the child could be stopped by one of the user's processes), and nobody can look into that memory through the child: it is not
 * dumpable. The kernel's killer would count the two as one, so elsewhere, where there is one, the memory is copied. */
static pid_t make_process(const struct spawn *request, struct child_plan *plan) {
    plan->raise_oom_score = !settings.share_memory;
    if (request->arguments && settings.share_memory) {
        return clone(child_run, plan->stack + sizeof plan->stack, CLONE_VM | SIGCHLD, plan);
    }
    pid_t pid = fork();
    if (pid == 0 && request->arguments) {
        _exit(child_run(plan));
    }
    if (pid == 0) {
        child_settle(plan);
        close(CHILD_STATUS);
        _exit(request->work(request->context, &plan->identity, users_now()));
    }
    return pid;
}

/* Ends that are not 0 to 3, so that the child overwrites none of them when it puts them there. */
static bool raise_ends(const int low[2], int ends[2]) {
    for (int i = 0; i < 2; i++) {
        ends[i] = low[i] > 3 ? low[i] : fcntl(low[i], F_DUPFD_CLOEXEC, 4);
        if (ends[i] != low[i]) {
            close(low[i]);
        }
    }
    if (ends[0] >= 0 && ends[1] >= 0) {
        return true;
    }
    int error = errno;
    close(ends[0]);
    close(ends[1]);
    errno = error;
    return false;
}

static bool make_pipe(int ends[2]) {
    int low[2];
    return pipe2(low, O_CLOEXEC) == 0 && raise_ends(low, ends);
}

static bool make_pair(int ends[2]) {
    int low[2];
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, low) == 0 && raise_ends(low, ends);
}

static void close_all(const int *fds, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
    }
}

/* As much as the kernel allows, up to what one call moves. */
static void widen(int fd) {
    for (int size = PIPE_WIDE; fd >= 0 && size > 65536 && fcntl(fd, F_SETPIPE_SZ, size) < 0; size /= 2) {
    }
}

/* fds: the agent's end and the child's end of in, out, err, status. */
enum { IN, CHILD_IN, OUT, CHILD_OUT, ERR, CHILD_ERR, STATUS_END, CHILD_STATUS_END, FDS };

static bool open_ends(const struct spawn *request, int fds[FDS]) {
    int pair[2];
    if (!make_pipe(pair)) {
        return false;
    }
    fds[STATUS_END] = pair[0];
    fds[CHILD_STATUS_END] = pair[1];
    if (request->pty) {
        return pty_open(&fds[OUT], &fds[CHILD_OUT], request->columns, request->rows);
    }
    if (request->talks) {
        if (!make_pair(pair)) {
            return false;
        }
        fds[CHILD_IN] = pair[0];
        fds[IN] = pair[1];
    } else if (request->input) {
        if (!make_pipe(pair)) {
            return false;
        }
        fds[CHILD_IN] = pair[0];
        fds[IN] = pair[1];
    }
    if (!make_pipe(pair)) {
        return false;
    }
    fds[OUT] = pair[0];
    fds[CHILD_OUT] = pair[1];
    if (!make_pipe(pair)) {
        return false;
    }
    fds[ERR] = pair[0];
    fds[CHILD_ERR] = pair[1];
    return true;
}

/* The agent's pipe ends; a pty is opened so. */
static void set_nonblocking(const int *fds, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (fds[i] >= 0) {
            fcntl(fds[i], F_SETFL, O_NONBLOCK);
        }
    }
}

bool spawn(const struct spawn *request, struct spawned *spawned, struct spawn_failure *failure) {
    int fds[FDS];
    memset(fds, -1, sizeof fds);
    struct child_plan *plan = make_plan(request, failure);
    if (!plan) {
        return false;
    }
    if (!open_ends(request, fds)) {
        int error = errno;
        close_all(fds, FDS);
        spawn_plan_free(plan);
        return refuse(failure, REFUSED_REQUEST, error, "cannot make a process: %s", strerror(error));
    }
    if (request->bulk) {
        widen(fds[IN]);
        widen(fds[OUT]);
    }
    for (int i = 0; i < FDS; i++) {
        source_highest = fds[i] > source_highest ? fds[i] : source_highest; /* a child must not keep any of them */
    }
    plan->in = request->pty ? fds[CHILD_OUT] : request->input || request->talks ? fds[CHILD_IN] : null_fd;
    plan->out = fds[CHILD_OUT];
    plan->err = request->pty ? fds[CHILD_OUT] : fds[CHILD_ERR];
    plan->status = fds[CHILD_STATUS_END];
    plan->highest = source_highest;
    pid_t pid = make_process(request, plan);
    int error = errno;
    int childs[] = {fds[CHILD_IN], fds[CHILD_OUT], fds[CHILD_ERR], fds[CHILD_STATUS_END]};
    close_all(childs, 4);
    int ours[] = {fds[IN], fds[OUT], fds[ERR], fds[STATUS_END]};
    if (pid < 0) {
        close_all(ours, 4);
        spawn_plan_free(plan);
        return refuse(failure, REFUSED_REQUEST, error, "cannot make a process: %s", strerror(error));
    }
    set_nonblocking(ours, 4);
    *spawned = (struct spawned){pid, fds[IN], fds[OUT], fds[ERR], fds[STATUS_END], plan};
    return true;
}
