/* SPDX-License-Identifier: Apache-2.0 */
/* The guest agent: PID 1 of a sandbox. See docs/guest-protocol.md. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "command.h"
#include "link.h"
#include "log.h"
#include "loop.h"
#include "process.h"
#include "resume.h"
#include "service.h"
#include "shutdown.h"
#include "spawn.h"
#include "sudo.h"
#include "systemctl.h"

static struct source signals;

static void reap(void) {
    int status;
    struct rusage usage;
    pid_t pid;
    while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0) {
        process_reaped(pid, status, &usage);
        sudo_reaped(pid);
        resume_reaped(pid);
        service_reaped(pid);
    }
    shutdown_check(pid == 0);
}

static void signals_ready(void *owner, uint32_t events) {
    (void)owner;
    (void)events;
    struct signalfd_siginfo info;
    while (read(signals.fd, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGCHLD) {
            reap();
        } else {
            command_signal_all((int)info.ssi_signo);
        }
    }
}

static bool open_signals(void) {
    static const int numbers[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        sigaddset(&set, numbers[i]);
    }
    sigprocmask(SIG_BLOCK, &set, NULL);
    int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    source_init(&signals, fd, signals_ready, NULL);
    source_want(&signals, EPOLLIN);
    return true;
}

/*
 * gVisor's /proc remembers what was looked at in it, dozens of objects for each process, and they are captured with everything
 * else: a look at the processes before each capture would make it, and every copy, slower. One that remembers nothing can only be
 * asked for at a mount. Others let nobody take theirs away, and one with mounts on it stays as it is. False when there is none.
 */
static bool forget_looks(void) {
    const unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
    if (getpid() != 1 || umount2("/proc", 0) < 0) {
        return true;
    }
    return mount("proc", "/proc", "proc", flags, "dentry_cache_limit=0") == 0 || mount("proc", "/proc", "proc", flags, NULL) == 0;
}

/* gVisor lets the sandbox's root open /proc/1/fd/N whatever prctl says: cover it, where the agent may. */
static void hide_descriptors(void) {
    static const char *const directories[] = {"/proc/1/fd", "/proc/1/task"};
    for (size_t i = 0; getpid() == 1 && i < sizeof directories / sizeof *directories; i++) {
        if (mount("none", directories[i], "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4k,mode=0") < 0 &&
            errno != EPERM) {
            log_line("%s stays visible: %m", directories[i]);
        }
    }
}

static int run_agent(void) {
    /* Nobody in the sandbox, its root included, may look into the agent or open its descriptors. */
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); /* for an agent that is not PID 1: a test */
    umask(022);
    child_close_from(3, 1023); /* whatever the runtime left open */
    if (!forget_looks() || !loop_open() || !link_open() || !open_signals()) {
        log_line("cannot start: %m");
        return 1;
    }
    spawn_prepare();
    hide_descriptors();
    bool hurry = false;
    for (;;) {
        loop_turn(hurry);
        link_update();
        bool answers = service_answer();
        hurry = link_send() || link_can_go_on() || answers;
        if (shutdown_is_on()) {
            reap(); /* there may be nobody to wait for */
        }
        process_bound_finished();
    }
}

int main(int count, char **arguments) {
    const char *name = count > 0 ? strrchr(arguments[0], '/') : NULL;
    name = name ? name + 1 : count > 0 ? arguments[0] : "";
    if (strcmp(name, "sudo") == 0) {
        return sudo_client(count, arguments);
    }
    if (strcmp(name, "systemctl") == 0) {
        return systemctl_client(count, arguments);
    }
    if (count == 3 && strcmp(arguments[1], KEEPER_OPTION) == 0) {
        return keeper_main(arguments[2]);
    }
    if (count > 1 && strcmp(arguments[1], "--version") == 0) {
        puts("sandglass-agent " AGENT_VERSION);
        return 0;
    }
    return run_agent();
}
