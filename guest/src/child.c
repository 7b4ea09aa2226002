/* SPDX-License-Identifier: Apache-2.0 */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "environment.h"
#include "raw.h"

static _Noreturn void end(int status) {
    for (;;) {
        raw1(SYS_exit_group, status);
    }
}

static _Noreturn void fail(int to, long error, enum child_step step, int detail) {
    struct child_failure failure = {.error = (int32_t)-error, .step = step, .detail = detail};
    raw3(SYS_write, to, &failure, sizeof failure);
    end(127);
}

void child_close_from(int first, int highest) {
    if (raw3(SYS_close_range, first, INT_MAX, 0) < 0) { /* older kernels have none; gVisor takes what is larger for a negative number */
        for (int fd = first; fd <= highest; fd++) { /* the agent's lie close together */
            raw1(SYS_close, fd);
        }
    }
}

static void write_oom_score(void) {
    long fd = raw3(SYS_openat, AT_FDCWD, "/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        raw3(SYS_write, fd, "500", 3);
        raw1(SYS_close, fd);
    }
}

void child_reset(const struct rlimit *files, const struct rlimit *processes, bool raise_oom_score) {
    static const uint64_t by_default[4], none;
    raw4(SYS_rt_sigaction, SIGPIPE, by_default, 0, sizeof none); /* the only one that the agent changed: see spawn_prepare */
    raw4(SYS_rt_sigprocmask, SIG_SETMASK, &none, 0, sizeof none);
    if (files) {
        raw4(SYS_prlimit64, 0, RLIMIT_NOFILE, files, 0);
    }
    if (processes) {
        raw4(SYS_prlimit64, 0, RLIMIT_NPROC, processes, 0);
    }
    if (raise_oom_score) {
        write_oom_score();
    }
}

/* Puts the child's ends on 0, 1, 2 and the status on 3. None of the ends is below 4. */
static void place_ends(const struct child_plan *plan) {
    const int ends[] = {plan->in, plan->out, plan->err, plan->status};
    for (int i = 0; i < 4; i++) {
        long result = raw3(SYS_dup3, ends[i], i, i == CHILD_STATUS ? O_CLOEXEC : 0);
        if (result < 0) {
            fail(plan->status, result, CHILD_DESCRIPTORS, 0);
        }
    }
}

static void take_terminal(const struct child_plan *plan) {
    long result = raw3(SYS_ioctl, 0, TIOCSCTTY, 0);
    if (result < 0) {
        fail(CHILD_STATUS, result, CHILD_TERMINAL, 0);
    }
    raw3(SYS_fchown, 0, plan->identity.uid, (gid_t)-1); /* so that the user can open /dev/tty's name again */
}

void child_settle(struct child_plan *plan) {
    raw1(SYS_setsid, 0);
    place_ends(plan);
    child_close_from(CHILD_STATUS + 1, plan->highest);
    child_reset(plan->files, plan->processes, plan->raise_oom_score);
    if (plan->pty) {
        take_terminal(plan);
    }
    int error = 0;
    enum privilege_step step = privilege_drop(&plan->privileges, &plan->identity, &error);
    if (step != PRIVILEGE_DONE) {
        fail(CHILD_STATUS, -error, CHILD_PRIVILEGES, step);
    }
}

int child_execute(char *const *arguments, char *const *environment, char path[PATH_MAX]) {
    const char *name = arguments[0];
    if (strchr(name, '/') || !*name) {
        return (int)-raw3(SYS_execve, name, arguments, environment);
    }
    size_t name_size = strlen(name) + 1;
    const char *search = environment_value(environment, "PATH");
    int error = ENOENT;
    for (const char *at = search ? search : DEFAULT_PATH; at;) {
        const char *stop = strchrnul(at, ':');
        size_t length = (size_t)(stop - at);
        if (length + 1 + name_size <= PATH_MAX) {
            memcpy(path, at, length);
            if (length > 0) {
                path[length++] = '/';
            }
            memcpy(path + length, name, name_size);
            int result = (int)-raw3(SYS_execve, path, arguments, environment);
            if (result == EACCES) {
                error = EACCES;
            } else if (result != ENOENT && result != ENOTDIR) {
                return result;
            }
        }
        at = *stop ? stop + 1 : NULL;
    }
    return error;
}

int child_run(void *context) {
    struct child_plan *plan = context;
    child_settle(plan);
    long result = raw1(SYS_chdir, plan->directory ? plan->directory : plan->identity.home);
    if (result < 0 && !plan->directory) {
        result = raw1(SYS_chdir, "/");
    }
    if (result < 0) {
        fail(CHILD_STATUS, result, CHILD_DIRECTORY, 0);
    }
    fail(CHILD_STATUS, -child_execute(plan->arguments, plan->environment, plan->path), CHILD_PROGRAM, 0);
}
