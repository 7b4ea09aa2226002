/* SPDX-License-Identifier: Apache-2.0 */
#include "sudo.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "log.h"
#include "loop.h"
#include "session.h"
#include "spawn.h"

#define SERVED_MOST 64

/* Each connection is served by a child that leads a session of its own; nothing of it is read here. */
static pid_t served[SERVED_MOST];
static volatile pid_t *owners; /* the session of each caller: shared memory, the child writes it */
static struct source listener = {.fd = -1};

pid_t sudo_owner(pid_t session) {
    for (size_t hops = 0; hops < SERVED_MOST; hops++) { /* sudo may be called from sudo */
        size_t i = 0;
        while (i < SERVED_MOST && (served[i] != session || session <= 1)) {
            i++;
        }
        if (i == SERVED_MOST || owners[i] <= 1) {
            break;
        }
        session = owners[i];
    }
    return session;
}

void sudo_kill_of(pid_t session) {
    for (size_t i = 0; session > 1 && i < SERVED_MOST; i++) {
        if (served[i] > 1 && owners[i] == session && served[i] != session) {
            owners[i] = 0; /* so that this ends, whoever owns whom */
            session_kill(served[i]);
        }
    }
}

bool sudo_serves(pid_t pid) {
    size_t i = 0;
    while (i < SERVED_MOST && served[i] != pid) {
        i++;
    }
    return i < SERVED_MOST;
}

void sudo_reaped(pid_t pid) {
    for (size_t i = 0; i < SERVED_MOST; i++) {
        if (served[i] == pid) {
            served[i] = 0;
        }
    }
}

static _Noreturn void serve(int connection, volatile pid_t *owner) {
    setsid();
    if (dup2(connection, 3) < 0) {
        _exit(1);
    }
    dup2(STDIN_FILENO, STDERR_FILENO); /* not the agent's log */
    child_close_from(4, source_highest);
    child_reset(spawn_file_limit(), spawn_process_limit(), true);
    sudo_answer(owner);
}

static void accept_one(void *owner, uint32_t events) {
    (void)owner;
    (void)events;
    int connection = accept4(listener.fd, NULL, NULL, SOCK_CLOEXEC);
    if (connection < 0) {
        return;
    }
    source_highest = connection > source_highest ? connection : source_highest;
    size_t slot = 0;
    while (slot < SERVED_MOST && served[slot]) {
        slot++;
    }
    pid_t pid = -1;
    if (slot < SERVED_MOST) {
        owners[slot] = 0;
        pid = fork();
    }
    if (pid == 0) {
        serve(connection, &owners[slot]);
    }
    close(connection); /* too many: the caller sees an end */
    if (pid > 0) {
        served[slot] = pid;
    }
}

static int open_listener(void) {
    struct sockaddr_un address;
    socklen_t length = sudo_address(&address);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), yes = 1;
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes) == 0 &&
        bind(fd, (struct sockaddr *)&address, length) == 0 && listen(fd, SERVED_MOST) == 0) {
        return fd;
    }
    log_line("sudo service: %m");
    if (fd >= 0) {
        close(fd);
    }
    return -1;
}

static bool map_owners(void) {
    if (!owners) {
        void *shared = mmap(NULL, sizeof(pid_t) * SERVED_MOST, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        owners = shared == MAP_FAILED ? NULL : shared;
    }
    return owners != NULL;
}

void sudo_serve(bool on) {
    if (!on) {
        source_close(&listener);
    } else if (listener.fd < 0 && map_owners()) {
        int fd = open_listener();
        if (fd >= 0) {
            source_init(&listener, fd, accept_one, NULL);
            source_want(&listener, EPOLLIN);
        }
    }
}
