/* SPDX-License-Identifier: Apache-2.0 */
/* Health checks: a command, a connection, or an HTTP request, each in a child of its own with a time limit. */
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "keeper.h"

static int64_t due, limit;
static uint32_t failures;
static int told; /* 0 nothing yet, 1 healthy, 2 not */

static int connect_to(uint16_t port) {
    struct sockaddr_in first = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 second = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&first, sizeof first) == 0) {
        return fd;
    }
    close(fd);
    fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&second, sizeof second) == 0) {
        return fd;
    }
    close(fd);
    return -1;
}

/* The status line is all that counts: 2xx and 3xx are well. */
static bool answers(int fd, const char *path, uint16_t port) {
    char text[UNIT_TEXT_MOST + 200];
    int length = snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: localhost:%u\r\nUser-Agent: sandglass-health\r\nConnection: close\r\n\r\n", path, port);
    if (send(fd, text, (size_t)length, MSG_NOSIGNAL) != length) {
        return false;
    }
    size_t have = 0;
    for (ssize_t got; have < 12 && (got = recv(fd, text + have, 12 - have, 0)) > 0;) {
        have += (size_t)got;
    }
    return have == 12 && strncmp(text, "HTTP/1.", 7) == 0 && text[8] == ' ' && (text[9] == '2' || text[9] == '3');
}

static pid_t begin(void) {
    char problem[KEEPER_TEXT];
    const struct unit *unit = &keeper.unit;
    if (unit->health.count > 0) {
        return keeper_start(&unit->health.items[0], problem);
    }
    pid_t pid = fork();
    if (pid != 0) {
        return pid;
    }
    setsid();
    if (!keeper_become(false, problem)) {
        _exit(1);
    }
    int fd = connect_to(unit->port);
    _exit(fd >= 0 && (!unit->health_path || answers(fd, unit->health_path, unit->port)) ? 0 : 1);
}

static void judge(bool well) {
    failures = well ? 0 : failures + 1;
    int now = well ? 1 : failures >= keeper.unit.health_retries ? 2 : told;
    if (now != told) {
        told = now;
        keeper_say(KEEPER_HEALTH, told);
    }
}

int64_t keeper_check_health(bool *ill) {
    const struct unit *unit = &keeper.unit;
    int64_t now = keeper_now();
    *ill = false;
    if (unit->health.count == 0 && !unit->health_path && !unit->health_tcp) {
        return now + UNIT_FOREVER;
    }
    if (keeper.health > 0 && !keeper.health_ended && now >= limit) {
        kill(-keeper.health, SIGKILL);
        kill(keeper.health, SIGKILL);
        limit = now + UNIT_FOREVER; /* its end comes now */
    }
    if (keeper.health > 0 && keeper.health_ended) {
        keeper.health = 0;
        judge(keeper.health_status == 0);
        due = now + unit->health_interval_ms;
        *ill = told == 2;
    }
    if (keeper.health == 0 && due == 0) {
        due = now + (unit->health_interval_ms < 1000 ? unit->health_interval_ms : 1000); /* the first soon */
    }
    if (keeper.health == 0 && now >= due) {
        keeper.health_ended = false;
        keeper.health = begin();
        limit = now + unit->health_timeout_ms;
        if (keeper.health < 0) {
            keeper.health = 0;
            judge(false);
            due = now + unit->health_interval_ms;
            *ill = told == 2;
        }
    }
    return keeper.health > 0 ? limit : due;
}
