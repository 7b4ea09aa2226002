/* SPDX-License-Identifier: Apache-2.0 */
/* The processes of a kept service. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "environment.h"
#include "bytes.h"
#include "keeper.h"
#include "session.h"
#include "users.h"

extern char **environ;

#define DESCENDANTS_MOST 8192
#define PASS_MS 20
#define KILL_MS 5000

int64_t keeper_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void reap(void) {
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
        int32_t code = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
        if (pid == keeper.main) {
            keeper.main_ended = keeper.has_status = true;
            keeper.main_status = code;
        }
        if (pid == keeper.step) {
            keeper.step_ended = true;
            keeper.step_status = code;
        }
        if (pid == keeper.health) {
            keeper.health_ended = true;
            keeper.health_status = code;
        }
    }
}

static void take_orders(void) {
    uint8_t orders[8];
    ssize_t got = recv(keeper.control, orders, sizeof orders, MSG_DONTWAIT);
    for (ssize_t i = 0; i < got; i++) {
        keeper.stop_asked |= orders[i] == KEEPER_STOP;
        keeper.reload_asked |= orders[i] == KEEPER_RELOAD;
    }
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) { /* nobody watches any more */
        keeper.stop_asked = true;
        close(keeper.control);
        keeper.control = -1;
    }
}

bool keeper_wait(int64_t until) {
    struct pollfd ready[2] = {{.fd = keeper.signals, .events = POLLIN}, {.fd = keeper.control, .events = POLLIN}};
    int64_t left = until - keeper_now();
    int count = poll(ready, 2, left <= 0 ? 0 : left > 60000 ? 60000 : (int)left);
    struct signalfd_siginfo info;
    while (count > 0 && read(keeper.signals, &info, sizeof info) == sizeof info) {
        keeper.stop_asked |= info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT;
    }
    if (count > 0 && ready[1].revents && keeper.control >= 0) {
        take_orders();
    }
    reap();
    return keeper_now() < until;
}

bool keeper_become(bool as_root, char problem[KEEPER_TEXT]) {
    static struct identity identity;
    char text[2 * NAME_MOST];
    const char *user = !as_root && keeper.unit.user ? keeper.unit.user : "root", *group = as_root ? NULL : keeper.unit.group;
    snprintf(text, sizeof text, "%.250s%s%.250s", user, group ? ":" : "", group ? group : "");
    if (!users_find(users_now(), text, &identity)) {
        snprintf(problem, KEEPER_TEXT, "unknown user %.100s", text);
        return false;
    }
    if (setgroups(identity.group_count, identity.groups) < 0 || setresgid(identity.gid, identity.gid, identity.gid) < 0 ||
        setresuid(identity.uid, identity.uid, identity.uid) < 0) {
        snprintf(problem, KEEPER_TEXT, "cannot become %.100s: %s", text, strerror(errno));
        return false;
    }
    if (keeper.unit.user && !as_root) {
        setenv("HOME", identity.home, 1);
        setenv("USER", identity.name, 1);
        setenv("LOGNAME", identity.name, 1);
        setenv("SHELL", identity.shell, 1);
    }
    if (strcmp(keeper.directory, "~") == 0) {
        snprintf(keeper.directory, sizeof keeper.directory, "%s", identity.home);
    }
    return true;
}

static const char *value_of(const char *name, size_t length) {
    char key[256];
    if (length >= sizeof key) {
        return NULL;
    }
    memcpy(key, name, length);
    key[length] = 0;
    return environment_value(environ, key);
}

static size_t variable_length(const char *at) {
    size_t length = 0;
    while (at[length] == '_' || (at[length] >= 'A' && at[length] <= 'Z') || (at[length] >= 'a' && at[length] <= 'z') ||
           (length > 0 && at[length] >= '0' && at[length] <= '9')) {
        length++;
    }
    return length;
}

/* A word with ${NAME} in it; `$NAME` alone becomes as many words as its value has. */
static bool expand_word(const char *word, struct unit_list *to) {
    struct bytes text = {0};
    if (word[0] == '$' && variable_length(word + 1) > 0 && !word[1 + variable_length(word + 1)]) {
        const char *value = value_of(word + 1, strlen(word + 1));
        return !value || unit_words(value, NULL, to);
    }
    for (const char *at = word; *at; at++) {
        const char *end = at[0] == '$' && at[1] == '{' ? strchr(at, '}') : NULL;
        if (end && variable_length(at + 2) == (size_t)(end - at - 2)) {
            const char *value = value_of(at + 2, (size_t)(end - at - 2));
            bytes_add(&text, value ? value : "", value ? strlen(value) : 0);
            at = end;
        } else {
            at += at[0] == '$' && at[1] == '$';
            bytes_add(&text, at, 1);
        }
    }
    bool added = !text.failed && unit_list_add(to, (char *)text.data, bytes_length(&text));
    if (!text.data) {
        added = unit_list_add(to, "", 0);
    }
    bytes_free(&text);
    return added;
}

static _Noreturn void execute(const struct unit_command *command, int status) {
    static char path[PATH_MAX];
    char problem[KEEPER_TEXT] = "";
    struct unit_list words = {0};
    sigset_t none;
    sigemptyset(&none);
    setsid();
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (keeper_become(command->as_root, problem)) {
        for (size_t i = 0; i < keeper.variables.count; i++) {
            putenv(keeper.variables.items[i]);
        }
        bool sound = true;
        for (size_t i = 0; sound && i < command->words.count; i++) {
            sound = i == 0 || command->literal ? unit_list_add(&words, command->words.items[i], strlen(command->words.items[i]))
                                               : expand_word(command->words.items[i], &words);
        }
        const char *directory = keeper.directory[0] == '-' ? keeper.directory + 1 : keeper.directory;
        if (!sound) {
            snprintf(problem, sizeof problem, "its arguments are too many or too long");
        } else if (*directory && chdir(directory) < 0 && keeper.directory[0] != '-') {
            snprintf(problem, sizeof problem, "working directory %.100s: %s", directory, strerror(errno));
        } else {
            char *program = words.items[0];
            int error;
            if (command->renamed && strchr(program, '/')) {
                execve(program, words.items + 1, environ);
                error = errno;
            } else {
                error = child_execute(words.items, environ, path);
            }
            snprintf(problem, sizeof problem, "%.100s: %s", program, error == ENOENT && !strchr(program, '/') ? "command not found" : strerror(error));
        }
    }
    ssize_t ignored = write(status, problem, sizeof problem);
    (void)ignored;
    _exit(127);
}

pid_t keeper_start(const struct unit_command *command, char problem[KEEPER_TEXT]) {
    int status[2];
    if (pipe2(status, O_CLOEXEC) < 0) {
        snprintf(problem, KEEPER_TEXT, "cannot make a process: %s", strerror(errno));
        return -1;
    }
    pid_t pid = fork();
    if (pid == 0) {
        execute(command, status[1]);
    }
    int error = errno;
    close(status[1]);
    ssize_t got = pid > 0 ? read(status[0], problem, KEEPER_TEXT) : 0;
    close(status[0]);
    if (pid < 0) {
        snprintf(problem, KEEPER_TEXT, "cannot make a process: %s", strerror(error));
    }
    problem[KEEPER_TEXT - 1] = 0;
    return got > 0 ? -1 : pid;
}

enum keeper_result keeper_run(const struct unit_command *command, int64_t until, bool stoppable, char problem[KEEPER_TEXT]) {
    keeper.step_ended = false;
    keeper.step = keeper_start(command, problem);
    if (keeper.step < 0) {
        keeper.step = 0;
        return command->may_fail ? RESULT_CLEAN : RESULT_START;
    }
    bool in_time = true;
    while (!keeper.step_ended && in_time && !(stoppable && keeper.stop_asked)) {
        in_time = keeper_wait(until);
    }
    pid_t step = keeper.step;
    if (!keeper.step_ended) {
        kill(-step, SIGKILL);
        kill(step, SIGKILL);
        while (!keeper.step_ended) {
            keeper_wait(keeper_now() + 1000);
        }
        keeper.step = 0;
        snprintf(problem, KEEPER_TEXT, "%.100s: %s", command->words.items[0], in_time ? "stopped" : "not done in time");
        return in_time ? RESULT_CLEAN : RESULT_TIMEOUT;
    }
    keeper.step = 0;
    if (keeper.step_status == 0 || command->may_fail || unit_status_in(&keeper.unit.success, keeper.step_status)) {
        return RESULT_CLEAN;
    }
    snprintf(problem, KEEPER_TEXT, "%.100s ended with %s %d", command->words.items[0], keeper.step_status < 0 ? "signal" : "status",
             abs(keeper.step_status));
    return keeper.step_status < 0 ? RESULT_SIGNAL : RESULT_EXIT;
}

/* -- all that descend from this process; what they leave behind becomes its child */

struct tree {
    struct { pid_t pid, parent; bool in; } processes[DESCENDANTS_MOST];
    size_t count;
};

static bool add_process(void *context, const struct process_facts *facts) {
    struct tree *tree = context;
    if (tree->count < DESCENDANTS_MOST && facts->state != 'Z' && facts->state != 'X') {
        tree->processes[tree->count].pid = facts->pid;
        tree->processes[tree->count].parent = facts->parent;
        tree->processes[tree->count++].in = false;
    }
    return true;
}

static struct tree *descendants(void) {
    static struct tree tree;
    pid_t self = getpid();
    tree.count = 0;
    session_each(add_process, &tree);
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < tree.count; i++) {
            bool in = tree.processes[i].parent == self;
            for (size_t j = 0; !in && !tree.processes[i].in && j < tree.count; j++) {
                in = tree.processes[j].in && tree.processes[j].pid == tree.processes[i].parent;
            }
            more |= in && !tree.processes[i].in;
            tree.processes[i].in |= in;
        }
    }
    return &tree;
}

size_t keeper_signal_all(int number) {
    struct tree *tree = descendants();
    size_t count = 0;
    for (size_t i = 0; i < tree->count; i++) {
        if (tree->processes[i].in) {
            count++;
            if (number) {
                kill(tree->processes[i].pid, number);
            }
        }
    }
    return count;
}

bool keeper_is_descendant(pid_t pid) {
    struct tree *tree = descendants();
    for (size_t i = 0; i < tree->count; i++) {
        if (tree->processes[i].pid == pid) {
            return tree->processes[i].in;
        }
    }
    return false;
}

pid_t keeper_only_descendant(void) {
    struct tree *tree = descendants();
    pid_t found = 0, self = getpid();
    for (size_t i = 0; i < tree->count; i++) {
        if (tree->processes[i].in && tree->processes[i].parent == self) {
            if (found) {
                return 0;
            }
            found = tree->processes[i].pid;
        }
    }
    return found;
}

void keeper_end_all(int number, int64_t until) {
    size_t left = number ? keeper_signal_all(number) : keeper_signal_all(0);
    if (number && left > 0) {
        keeper_signal_all(SIGCONT);
    }
    while (left > 0 && keeper_now() < until) {
        int64_t pass = keeper_now() + PASS_MS;
        while (keeper_wait(pass < until ? pass : until)) {
        }
        left = keeper_signal_all(0);
    }
    for (int64_t last = keeper_now() + KILL_MS; left > 0 && keeper_now() < last;) {
        left = keeper_signal_all(SIGKILL);
        int64_t pass = keeper_now() + PASS_MS;
        while (left > 0 && keeper_wait(pass)) {
        }
    }
}
