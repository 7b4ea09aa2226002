/* SPDX-License-Identifier: Apache-2.0 */
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "environment.h"
#include "loop.h"
#include "privilege.h"
#include "settings.h"

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

/* The agent's descriptors lie close together, and all of them are closed at execve anyway. */
void spawn_close_from(int first) {
    if (syscall(SYS_close_range, (unsigned)first, ~0u, 0) < 0) { /* gVisor has none */
        for (int fd = first; fd <= source_highest; fd++) {
            close(fd);
        }
    }
}

static void raise_oom_score(void) {
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        ssize_t ignored = write(fd, "500", 3);
        (void)ignored;
        close(fd);
    }
}

void spawn_settle_child(int first) {
    spawn_close_from(first);
    signal(SIGPIPE, SIG_DFL); /* the only one that the agent changed: see spawn_prepare */
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (has_inherited_files) {
        setrlimit(RLIMIT_NOFILE, &inherited_files);
    }
    umask(022);
    raise_oom_score();
}

__attribute__((format(printf, 3, 4))) static _Noreturn void fail(int status, int error, const char *format, ...) {
    struct spawn_failure failure = {.error = error};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure.reason, sizeof failure.reason, format, arguments);
    va_end(arguments);
    ssize_t ignored = write(status, &failure, sizeof failure);
    (void)ignored;
    _exit(127);
}

static void enter_directory(int status, const struct spawn *request, const struct identity *identity) {
    if (request->directory) {
        if (chdir(request->directory) < 0) {
            fail(status, errno, "working directory %.100s: %s", request->directory, strerror(errno));
        }
    } else if (chdir(identity->home) < 0 && chdir("/") < 0) {
        fail(status, errno, "working directory /: %s", strerror(errno));
    }
}

void spawn_execute(char *const *arguments, char *const *environment) {
    const char *name = arguments[0];
    if (strchr(name, '/') || !*name) {
        execve(name, arguments, environment);
        return;
    }
    const char *path = environment_value(environment, "PATH");
    int error = ENOENT;
    for (const char *at = path ? path : DEFAULT_PATH; at;) {
        const char *end = strchrnul(at, ':');
        char file[PATH_MAX];
        int length = snprintf(file, sizeof file, "%.*s%s%s", (int)(end - at), at, end > at ? "/" : "", name);
        if (length > 0 && (size_t)length < sizeof file) {
            execve(file, arguments, environment);
            if (errno == EACCES) {
                error = EACCES;
            } else if (errno != ENOENT && errno != ENOTDIR) {
                return;
            }
        }
        at = *end ? end + 1 : NULL;
    }
    errno = error;
}

struct ends {
    int in, out, err, status; /* the child's */
};

/* Puts the child's ends on 0, 1, 2 and the status on 3. None of the ends is below 4: see above_standard. */
static void place_ends(const struct ends *ends) {
    int failed = dup2(ends->in, 0) < 0 || dup2(ends->out, 1) < 0 || dup2(ends->err, 2) < 0 ||
                 (ends->status != 3 && dup3(ends->status, 3, O_CLOEXEC) < 0);
    if (failed) {
        fail(ends->status, errno, "descriptors: %s", strerror(errno));
    }
}

static _Noreturn void run_child(const struct spawn *request, const struct ends *ends) {
    enum { STATUS = 3 };
    setsid();
    place_ends(ends);
    spawn_settle_child(STATUS + 1);
    struct users users;
    struct identity identity;
    users_load(&users, "");
    if (!users_find(&users, request->user, &identity)) {
        fail(STATUS, EINVAL, "unknown user %.100s", request->user);
    }
    if (request->pty) {
        if (ioctl(0, TIOCSCTTY, 0) < 0) {
            fail(STATUS, errno, "controlling terminal: %s", strerror(errno));
        }
        int ignored = fchown(0, identity.uid, (gid_t)-1); /* so that the user can open /dev/tty's name again */
        (void)ignored;
    }
    char **environment = NULL;
    if (request->arguments) {
        environment = environment_build(&identity, request->pty, &settings.environment, request->environment);
        if (!environment) {
            fail(STATUS, errno, "environment: %s", strerror(errno));
        }
    }
    const char *step = privilege_drop(&identity);
    if (step) {
        fail(STATUS, errno, "%s: %s", step, strerror(errno));
    }
    if (!request->arguments) {
        close(STATUS);
        _exit(request->work(request->context, &identity, &users));
    }
    enter_directory(STATUS, request, &identity);
    spawn_execute(request->arguments, environment);
    fail(STATUS, errno, "%.100s: %s", request->arguments[0], strerror(errno));
}

/* A pipe whose ends are not 0 to 3, so that place_ends overwrites none of them. */
static bool make_pipe(int ends[2]) {
    int low[2];
    if (pipe2(low, O_CLOEXEC) < 0) {
        return false;
    }
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

static void close_all(const int *fds, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
    }
}

static void set_nonblocking(int fd) {
    if (fd >= 0) {
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    }
}

/* fds: the agent's end and the child's end of in, out, err, status. */
enum { IN, CHILD_IN, OUT, CHILD_OUT, ERR, CHILD_ERR, STATUS_END, CHILD_STATUS, FDS };

static bool open_ends(const struct spawn *request, int fds[FDS]) {
    int pair[2];
    if (!make_pipe(pair)) {
        return false;
    }
    fds[STATUS_END] = pair[0];
    fds[CHILD_STATUS] = pair[1];
    if (request->pty) {
        return pty_open(&fds[OUT], &fds[CHILD_OUT], request->columns, request->rows);
    }
    if (request->input) {
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

bool spawn(const struct spawn *request, struct spawned *spawned) {
    int fds[FDS];
    memset(fds, -1, sizeof fds);
    if (!open_ends(request, fds)) {
        int error = errno;
        close_all(fds, FDS);
        errno = error;
        return false;
    }
    for (int i = 0; i < FDS; i++) {
        source_highest = fds[i] > source_highest ? fds[i] : source_highest; /* a worker must not keep any of them */
    }
    struct ends ends = {
        .in = request->pty ? fds[CHILD_OUT] : request->input ? fds[CHILD_IN] : null_fd,
        .out = fds[CHILD_OUT],
        .err = request->pty ? fds[CHILD_OUT] : fds[CHILD_ERR],
        .status = fds[CHILD_STATUS],
    };
    pid_t pid = fork();
    if (pid == 0) {
        run_child(request, &ends);
    }
    int error = errno;
    int childs[] = {fds[CHILD_IN], fds[CHILD_OUT], fds[CHILD_ERR], fds[CHILD_STATUS]};
    close_all(childs, 4);
    int ours[] = {fds[IN], fds[OUT], fds[ERR], fds[STATUS_END]};
    if (pid < 0) {
        close_all(ours, 4);
        errno = error;
        return false;
    }
    for (int i = 0; i < 4; i++) {
        set_nonblocking(ours[i]);
    }
    *spawned = (struct spawned){pid, fds[IN], fds[OUT], fds[ERR], fds[STATUS_END]};
    return true;
}
