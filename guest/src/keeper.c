/* SPDX-License-Identifier: Apache-2.0 */
#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

struct keeper keeper;

void keeper_say(enum keeper_event event, int32_t status) {
    keeper.last.event = event;
    keeper.last.pid = keeper.main;
    keeper.last.status = status;
    keeper.last.has_status = keeper.has_status;
    if (keeper.control >= 0) {
        ssize_t ignored = send(keeper.control, &keeper.last, sizeof keeper.last, MSG_NOSIGNAL);
        (void)ignored;
    }
}

static enum keeper_result run_all(const struct unit_commands *commands, int64_t until, bool stoppable) {
    for (size_t i = 0; i < commands->count && !(stoppable && keeper.stop_asked); i++) {
        enum keeper_result result = keeper_run(&commands->items[i], until, stoppable, keeper.last.text);
        if (result != RESULT_CLEAN) {
            return result;
        }
    }
    return RESULT_CLEAN;
}

static void set_main(pid_t pid) {
    char text[16];
    keeper.main = pid;
    keeper.main_ended = false;
    snprintf(text, sizeof text, "%d", (int)pid);
    keeper_set_variable("MAINPID", text);
}

/* The number in the PID file, once it is there and its process is one of ours. */
static pid_t read_pid(void) {
    char path[PATH_MAX];
    size_t length;
    snprintf(path, sizeof path, "%s%s", keeper.unit.pid_file[0] == '/' ? "" : "/run/", keeper.unit.pid_file);
    char *text = unit_read(AT_FDCWD, path, 64, &length);
    long pid = text ? strtol(text, NULL, 10) : 0;
    free(text);
    return pid > 1 && pid < INT_MAX && keeper_is_descendant((pid_t)pid) ? (pid_t)pid : 0;
}

/* A daemon that goes to the background by itself. */
static enum keeper_result start_forking(int64_t until) {
    enum keeper_result result = keeper_run(&keeper.unit.start.items[0], until, true, keeper.last.text);
    if (result != RESULT_CLEAN || keeper.stop_asked) {
        return result;
    }
    pid_t pid = keeper.unit.pid_file ? read_pid() : keeper_only_descendant();
    while (pid == 0 && keeper.unit.pid_file && !keeper.stop_asked && keeper_signal_all(0) > 0 && keeper_now() < until) {
        int64_t soon = keeper_now() + 50;
        keeper_wait(soon < until ? soon : until);
        pid = read_pid();
    }
    if (pid > 0) {
        set_main(pid);
    } else if (keeper.unit.pid_file && !keeper.stop_asked) {
        snprintf(keeper.last.text, sizeof keeper.last.text, "PIDFile=%.100s does not name one of its processes", keeper.unit.pid_file);
        return keeper_now() < until ? RESULT_START : RESULT_TIMEOUT;
    }
    return RESULT_CLEAN;
}

static enum keeper_result start_main(int64_t until) {
    if (keeper.unit.type == UNIT_ONESHOT) {
        enum keeper_result result = run_all(&keeper.unit.start, until, true);
        keeper.has_status = result != RESULT_START;
        keeper.main_status = keeper.step_status;
        return result;
    }
    if (keeper.unit.type == UNIT_FORKING) {
        return start_forking(until);
    }
    pid_t pid = keeper_start(&keeper.unit.start.items[0], keeper.last.text);
    if (pid < 0) {
        return RESULT_START;
    }
    set_main(pid);
    return RESULT_CLEAN;
}

static enum keeper_result start(void) {
    int64_t until = keeper_now() + keeper.unit.start_ms;
    enum keeper_result result = run_all(&keeper.unit.pre, until, true);
    if (result == RESULT_CLEAN && !keeper.stop_asked) {
        result = start_main(until);
    }
    if (result == RESULT_CLEAN && !keeper.stop_asked) {
        result = run_all(&keeper.unit.post, until, true);
    }
    return result;
}

static void reload(void) {
    char problem[KEEPER_TEXT];
    int64_t until = keeper_now() + keeper.unit.start_ms;
    keeper.reload_asked = false;
    for (size_t i = 0; i < keeper.unit.reload.count; i++) {
        if (keeper_run(&keeper.unit.reload.items[i], until, true, problem) != RESULT_CLEAN) {
            fprintf(stderr, "reload: %s\n", problem);
            return;
        }
    }
}

/* A `forking` one without a main process runs as long as anything of it does. */
static bool has_ended(void) {
    if (keeper.unit.type == UNIT_ONESHOT) {
        return !keeper.unit.remain;
    }
    return keeper.main ? keeper.main_ended : keeper_signal_all(0) == 0;
}

/* A daemon may hand over to a new process, as at an upgrade of its program; then its PID file names that one. */
static bool has_moved(void) {
    pid_t pid = keeper.unit.type == UNIT_FORKING && keeper.unit.pid_file && keeper.main_ended ? read_pid() : 0;
    if (pid <= 0 || pid == keeper.main) {
        return false;
    }
    set_main(pid);
    keeper.has_status = false;
    keeper_say(KEEPER_RUNS, 0);
    return true;
}

static enum keeper_result judge(void) {
    int32_t status = keeper.main_status;
    if (!keeper.main || unit_status_in(&keeper.unit.success, status)) {
        return RESULT_CLEAN;
    }
    snprintf(keeper.last.text, sizeof keeper.last.text, "%.100s ended with %s %d", keeper.unit.start.items[0].words.items[0],
             status < 0 ? "signal" : "status", abs(status));
    return status < 0 ? RESULT_SIGNAL : RESULT_EXIT;
}

/* Until it ends, is to end, or is ill. */
static enum keeper_result keep(void) {
    keeper.last.text[0] = 0; /* of a command that was allowed to fail */
    keeper_say(keeper.unit.type == UNIT_ONESHOT || (keeper.unit.remain && has_ended()) ? KEEPER_DONE : KEEPER_RUNS, 0);
    while (!keeper.stop_asked) {
        bool ill;
        int64_t next = keeper_check_health(&ill);
        if (ill && keeper.unit.restart != UNIT_RESTART_NO) {
            snprintf(keeper.last.text, sizeof keeper.last.text, "unhealthy: %u checks in a row failed", keeper.unit.health_retries);
            return RESULT_HEALTH;
        }
        if (has_ended() && !has_moved()) {
            enum keeper_result result = judge();
            if (result != RESULT_CLEAN || !keeper.unit.remain) {
                return result;
            }
            keeper_say(KEEPER_DONE, keeper.main_status);
            while (!keeper.stop_asked) {
                keeper_wait(keeper_now() + UNIT_FOREVER);
            }
            break;
        }
        if (keeper.reload_asked) {
            reload();
            continue; /* much may have happened meanwhile */
        }
        if (!keeper.main) {
            int64_t soon = keeper_now() + 1000;
            next = next < soon ? next : soon; /* grandchildren are not told of */
        }
        keeper_wait(next);
    }
    return RESULT_CLEAN;
}

/* The order of systemd: ExecStop=, the signal, KILL, ExecStopPost=. */
static void finish(bool started) {
    char problem[KEEPER_TEXT];
    const struct unit *unit = &keeper.unit;
    for (size_t i = 0; started && i < unit->stop.count; i++) {
        keeper_run(&unit->stop.items[i], keeper_now() + unit->stop_ms, false, problem);
    }
    int64_t until = keeper_now() + unit->stop_ms;
    bool main_runs = keeper.main && !keeper.main_ended;
    if (main_runs && unit->kill != UNIT_KILL_ALL && unit->kill != UNIT_KILL_NONE) {
        kill(keeper.main, unit->kill_signal);
        kill(keeper.main, SIGCONT);
        while (!keeper.main_ended && keeper_wait(until)) {
        }
        if (!keeper.main_ended && unit->send_kill) {
            kill(keeper.main, SIGKILL);
        }
    }
    if (unit->kill == UNIT_KILL_ALL) {
        keeper_end_all(unit->kill_signal, until);
    } else if (unit->kill == UNIT_KILL_MIXED) {
        keeper_end_all(0, 0);
    }
    for (size_t i = 0; i < unit->stop_post.count; i++) {
        keeper_run(&unit->stop_post.items[i], keeper_now() + unit->stop_ms, false, problem);
    }
    if (unit->stop_post.count > 0 && (unit->kill == UNIT_KILL_ALL || unit->kill == UNIT_KILL_MIXED)) {
        keeper_end_all(0, 0);
    }
}

static bool open_up(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    keeper.signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    keeper.control = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 4);
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || keeper.signals < 0 || keeper.control < 0) {
        return false;
    }
    close(null);
    return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;
}

static enum keeper_result load(const char *name) {
    struct unit_place place;
    if (!unit_name_is_sound(name) || !unit_find(name, &place)) {
        snprintf(keeper.last.text, sizeof keeper.last.text, "there is no unit file");
        return RESULT_START;
    }
    unit_load(&place, &keeper.unit);
    if (*keeper.unit.problem) {
        snprintf(keeper.last.text, sizeof keeper.last.text, "%s", keeper.unit.problem);
        return RESULT_START;
    }
    if (!keeper_conditions_hold(keeper.last.text)) {
        return RESULT_SKIPPED;
    }
    return keeper_prepare(keeper.last.text) ? RESULT_CLEAN : RESULT_START;
}

int keeper_main(const char *name) {
    keeper.control = -1;
    if (!open_up()) {
        perror("sandglass-agent");
        return 1;
    }
    bool started = false;
    enum keeper_result result = load(name);
    if (result == RESULT_CLEAN) {
        result = start();
        started = result == RESULT_CLEAN && !keeper.stop_asked;
        if (started) {
            result = keep();
        }
        finish(started);
    }
    keeper.last.result = result;
    keeper_say(KEEPER_ENDED, keeper.main_status);
    return 0;
}
