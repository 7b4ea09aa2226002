/* SPDX-License-Identifier: Apache-2.0 */
/* One request of a sudo client, in a child of the agent. What it reads is hostile. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "environment.h"
#include "fields.h"
#include "privilege.h"
#include "settings.h"
#include "spawn.h"
#include "sudo.h"
#include "users.h"
#include "wire.h"

#define CONNECTION 3
#define REQUEST_SECONDS 5
#define GRACE_MS 2000 /* for the command of a caller that is gone */

struct request {
    struct bytes raw, arguments, environment, assignments; /* texts, each with a NUL at its end */
    size_t argument_count;
    char *directory, *user;
    uint32_t flags;
    int streams[3];
    struct ucred caller;
};

static void answer(enum sudo_answer kind, const void *data, size_t length) {
    uint8_t header[5] = {(uint8_t)kind};
    put_u32(header + 1, (uint32_t)length);
    if (send(CONNECTION, header, sizeof header, MSG_NOSIGNAL) == sizeof header) {
        send(CONNECTION, data, length, MSG_NOSIGNAL);
    }
}

__attribute__((format(printf, 1, 2))) static _Noreturn void refuse(const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    answer(SUDO_REFUSED, text, length < 0 ? 0 : (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
    _exit(1);
}

/* The first bytes come with the caller's standard streams and, from the kernel, with who the caller is. (SO_PEERCRED will not do: gVisor
 * answers it with who asks.) */
static void receive_first(struct request *request, uint8_t header[4]) {
    union {
        char data[CMSG_SPACE(sizeof(int) * 8) + CMSG_SPACE(sizeof(struct ucred))];
        struct cmsghdr align;
    } control;
    struct iovec part = {header, 4};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    bool has_streams = false, has_caller = false;
    if (recvmsg(CONNECTION, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL) != 4 || message.msg_flags & MSG_CTRUNC) {
        refuse("malformed request");
    }
    for (struct cmsghdr *at = CMSG_FIRSTHDR(&message); at; at = CMSG_NXTHDR(&message, at)) {
        if (at->cmsg_level != SOL_SOCKET) {
            continue;
        }
        if (at->cmsg_type == SCM_RIGHTS && at->cmsg_len == CMSG_LEN(sizeof request->streams)) {
            memcpy(request->streams, CMSG_DATA(at), sizeof request->streams);
            has_streams = true;
        } else if (at->cmsg_type == SCM_CREDENTIALS && at->cmsg_len == CMSG_LEN(sizeof request->caller)) {
            memcpy(&request->caller, CMSG_DATA(at), sizeof request->caller);
            has_caller = request->caller.pid > 0;
        }
    }
    if (!has_streams || !has_caller) {
        refuse("malformed request");
    }
}

static void receive(struct request *request) {
    struct timeval patience = {.tv_sec = REQUEST_SECONDS};
    setsockopt(CONNECTION, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(CONNECTION, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    uint8_t header[4], block[4096];
    receive_first(request, header);
    size_t left = get_u32(header);
    if (left > SUDO_REQUEST_MOST) {
        refuse("arguments and environment are too long");
    }
    while (left > 0) {
        ssize_t got = recv(CONNECTION, block, left < sizeof block ? left : sizeof block, 0);
        if (got <= 0) {
            _exit(1);
        }
        bytes_add(&request->raw, block, (size_t)got);
        left -= (size_t)got;
    }
}

static void add_text(struct bytes *texts, const struct field *field) {
    if (memchr(field->data, 0, field->length)) {
        refuse("malformed request");
    }
    bytes_add(texts, field->data, field->length);
    bytes_add(texts, "", 1);
}

static void add_variable(struct bytes *texts, const struct field *field) {
    const uint8_t *equals = memchr(field->data, '=', field->length);
    if (equals && equals > field->data) {
        add_text(texts, field);
    }
}

static void parse(struct request *request) {
    struct fields fields = fields_of(request->raw.data, bytes_length(&request->raw));
    struct field field;
    while (field_next(&fields, &field)) {
        switch (field.tag) {
            case SUDO_ARGUMENT:
                request->argument_count++;
                add_text(&request->arguments, &field);
                break;
            case SUDO_ENVIRONMENT:
                add_variable(&request->environment, &field);
                break;
            case SUDO_ASSIGNMENT:
                add_variable(&request->assignments, &field);
                break;
            case SUDO_DIRECTORY:
                request->directory = field_text(&field);
                break;
            case SUDO_USER:
                request->user = field_text(&field);
                break;
            case SUDO_FLAGS:
                field_u32(&field, &request->flags);
                break;
            default:
                break;
        }
    }
    if (fields.broken || request->raw.failed || request->arguments.failed || request->environment.failed) {
        refuse("malformed request");
    }
}

static bool may_become_root(const struct users *users, uid_t uid, gid_t gid) {
    char name[NAME_MOST];
    gid_t group;
    if (uid == 0) {
        return true;
    }
    if (!users_name(users, uid, name)) {
        return false;
    }
    return (uid == 1000 && strcmp(name, "user") == 0) || users_is_member(users, name, "sudo") ||
           (users_group(users, "sudo", &group) && group == gid);
}

/* What of the caller's environment goes along: what sudo keeps, or with -E everything that does not say who one is. */
static bool is_kept(const char *entry, uint32_t flags) {
    static const char *const always[] = {"TERM=", "LANG=", "LC_", "COLORTERM=", "DISPLAY=", "TZ=", "DEBIAN_FRONTEND="};
    static const char *const never[] = {"PATH=", "USER=", "LOGNAME=", "SHELL=", "LD_", "SUDO_"};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
        if (strncmp(entry, never[i], strlen(never[i])) == 0) {
            return false;
        }
    }
    if (strncmp(entry, "HOME=", 5) == 0) {
        return (flags & SUDO_KEEP_ENVIRONMENT) && !(flags & (SUDO_SET_HOME | SUDO_LOGIN));
    }
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) {
        if (strncmp(entry, always[i], strlen(always[i])) == 0) {
            return true;
        }
    }
    return flags & SUDO_KEEP_ENVIRONMENT;
}

static void add_format(struct bytes *texts, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_format(struct bytes *texts, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length > 0 && (size_t)length < sizeof text) {
        bytes_add(texts, text, (size_t)length + 1);
    }
}

static char **make_environment(const struct request *request, const struct identity *target, const char *caller_name) {
    static struct bytes texts;
    const char *at = (const char *)request->environment.data, *end = at + bytes_length(&request->environment);
    for (; at < end; at += strlen(at) + 1) {
        if (is_kept(at, request->flags)) {
            bytes_add(&texts, at, strlen(at) + 1);
        }
    }
    add_format(&texts, "SUDO_USER=%s", caller_name);
    add_format(&texts, "SUDO_UID=%u", request->caller.uid);
    add_format(&texts, "SUDO_GID=%u", request->caller.gid);
    if (request->argument_count > 0) {
        add_format(&texts, "SUDO_COMMAND=%.400s", (const char *)request->arguments.data);
    }
    bytes_add(&texts, request->assignments.data, bytes_length(&request->assignments));
    char **environment = texts.failed ? NULL : environment_build(target, false, &settings.environment, &texts);
    if (!environment) {
        refuse("environment is too long");
    }
    return environment;
}

/* For -i and -s the arguments become one line of the shell. */
static char *shell_line(const struct request *request) {
    struct bytes line = {0};
    const char *at = (const char *)request->arguments.data;
    for (size_t i = 0; i < request->argument_count; i++, at++) {
        if (i > 0) {
            bytes_add(&line, " ", 1);
        }
        for (; *at; at++) {
            bool plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') ||
                         strchr("_-$./:=,+@%", *at) || (*at & 0x80);
            if (!plain) {
                bytes_add(&line, "\\", 1);
            }
            bytes_add(&line, at, 1);
        }
    }
    bytes_add(&line, "", 1);
    return line.failed ? NULL : (char *)line.data;
}

struct plan {
    const char *program; /* NULL: searched by its name */
    char **arguments;
};

static struct plan make_plan(const struct request *request, const struct identity *target) {
    struct plan plan = {.arguments = calloc(request->argument_count + 4, sizeof(char *))};
    if (!plan.arguments) {
        refuse("no memory");
    }
    if (request->flags & (SUDO_LOGIN | SUDO_SHELL)) {
        char *name = NULL;
        plan.program = target->shell;
        if (asprintf(&name, "%s%s", request->flags & SUDO_LOGIN ? "-" : "", strrchr(target->shell, '/') ? strrchr(target->shell, '/') + 1 : target->shell) < 0) {
            refuse("no memory");
        }
        plan.arguments[0] = name;
        if (request->argument_count > 0) {
            plan.arguments[1] = "-c";
            plan.arguments[2] = shell_line(request);
        }
        return plan;
    }
    char *at = (char *)request->arguments.data;
    for (size_t i = 0; i < request->argument_count; i++, at += strlen(at) + 1) {
        plan.arguments[i] = at;
    }
    return plan;
}

static _Noreturn void run(const struct request *request, const struct identity *target, char **environment, int status) {
    struct plan plan = make_plan(request, target);
    setpgid(0, 0);
    for (int i = 0; i < 3; i++) {
        if (dup2(request->streams[i], i) < 0) {
            _exit(1);
        }
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    struct spawn_failure failure = {0};
    struct privileges privileges = privileges_now();
    enum privilege_step step = privilege_drop(&privileges, target, &failure.error);
    if (step != PRIVILEGE_DONE) {
        snprintf(failure.reason, sizeof failure.reason, "%s: %s", privilege_step_name(step), strerror(failure.error));
    } else {
        const char *directory = request->flags & SUDO_LOGIN ? target->home : request->directory;
        if (!directory || chdir(directory) < 0) {
            int ignored = chdir("/");
            (void)ignored;
        }
        const char *name = plan.program ? plan.program : plan.arguments[0];
        if (plan.program) {
            execve(plan.program, plan.arguments, environment);
            failure.error = errno;
        } else {
            static char path[PATH_MAX];
            failure.error = child_execute(plan.arguments, environment, path);
        }
        snprintf(failure.reason, sizeof failure.reason, "%.100s: %s", name,
                 failure.error == ENOENT && !strchr(name, '/') ? "command not found" : strerror(failure.error));
    }
    ssize_t ignored = write(status, &failure, sizeof failure);
    (void)ignored;
    _exit(127);
}

static pid_t start(const struct request *request, const struct identity *target, char **environment) {
    int status[2];
    struct spawn_failure failure;
    if (pipe2(status, O_CLOEXEC) < 0) {
        refuse("%s", strerror(errno));
    }
    pid_t pid = fork();
    if (pid == 0) {
        run(request, target, environment, status[1]);
    }
    close(status[1]);
    for (int i = 0; i < 3; i++) {
        close(request->streams[i]); /* a pipe must end when the command closes it */
    }
    if (pid < 0) {
        refuse("%s", strerror(errno));
    }
    if (read(status[0], &failure, sizeof failure) == sizeof failure) {
        failure.reason[sizeof failure.reason - 1] = 0;
        refuse("%s", failure.reason);
    }
    close(status[0]);
    return pid;
}

static void relay_signal(pid_t pid) {
    uint8_t numbers[16];
    ssize_t got = recv(CONNECTION, numbers, sizeof numbers, MSG_DONTWAIT);
    for (ssize_t i = 0; i < got; i++) {
        if (numbers[i] > 0 && numbers[i] < NSIG) {
            kill(-pid, numbers[i]);
        }
    }
}

static bool is_caller_gone(short events) {
    char byte;
    return (events & (POLLHUP | POLLERR)) || recv(CONNECTION, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static void report_if_ended(pid_t pid) {
    int status;
    for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
        if (ended == pid) {
            uint8_t raw[4];
            put_u32(raw, (uint32_t)(WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status)));
            answer(SUDO_STATUS, raw, sizeof raw);
            _exit(0);
        }
    }
}

static _Noreturn void supervise(pid_t pid, int children) {
    bool gone = false;
    for (;;) {
        struct pollfd ready[2] = {{.fd = children, .events = POLLIN}, {.fd = gone ? -1 : CONNECTION, .events = POLLIN}};
        int count = poll(ready, 2, gone ? GRACE_MS : -1);
        if (count == 0) {
            kill(-pid, SIGKILL);
        }
        if (ready[0].revents) {
            struct signalfd_siginfo info;
            ssize_t ignored = read(children, &info, sizeof info);
            (void)ignored;
        }
        report_if_ended(pid);
        if (count > 0 && ready[1].revents) {
            if (is_caller_gone(ready[1].revents)) {
                gone = true; /* killed: what it started must not outlive it */
                kill(-pid, SIGHUP);
                kill(-pid, SIGTERM);
                kill(-pid, SIGCONT);
            } else {
                relay_signal(pid);
            }
        }
    }
}

_Noreturn void sudo_answer(volatile pid_t *owner) {
    static struct request request;
    static struct users users;
    static struct identity target;
    char name[NAME_MOST] = "?";
    receive(&request);
    *owner = getsid(request.caller.pid);
    parse(&request);
    users_load(&users, "");
    users_name(&users, request.caller.uid, name);
    if (!may_become_root(&users, request.caller.uid, request.caller.gid)) {
        refuse("%s (uid %u) is not in the sudo group", name, request.caller.uid);
    }
    const char *wanted = request.user && *request.user ? request.user : "root";
    if (!users_find(&users, *wanted == '#' ? wanted + 1 : wanted, &target)) {
        refuse("unknown user %.100s", wanted);
    }
    if (request.flags & SUDO_ONLY_CHECK) {
        answer(SUDO_STATUS, "\0\0\0\0", 4);
        _exit(0);
    }
    if (request.argument_count == 0 && !(request.flags & (SUDO_LOGIN | SUDO_SHELL))) {
        refuse("no command");
    }
    fcntl(CONNECTION, F_SETFD, FD_CLOEXEC);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    int children = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    pid_t pid = start(&request, &target, make_environment(&request, &target, name));
    supervise(pid, children);
}
