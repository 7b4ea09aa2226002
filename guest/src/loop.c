/* SPDX-License-Identifier: Apache-2.0 */
#include "loop.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "log.h"

#define EVENTS 64
#define REFUSED_MS 100

int source_highest;

static int epoll_fd = -1;
static struct timer *timers; /* in order of due */
static struct source *refused;
static struct timer refused_again;

struct grave {
    struct grave *next;
    void *memory;
};
static struct grave *graves;

bool loop_open(void) {
    epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    source_highest = epoll_fd > source_highest ? epoll_fd : source_highest;
    return epoll_fd >= 0;
}

static int64_t milliseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t loop_now(void) {
    return milliseconds(CLOCK_MONOTONIC);
}

int64_t loop_wall(void) {
    return milliseconds(CLOCK_REALTIME);
}

void source_init(struct source *source, int fd, void (*ready)(void *owner, uint32_t events), void *owner) {
    *source = (struct source){.fd = fd, .ready = ready, .owner = owner};
    source_highest = fd > source_highest ? fd : source_highest;
}

static void withdraw(struct source *source) {
    for (struct source **at = &refused; source->refused && *at; at = &(*at)->next_refused) {
        if (*at == source) {
            *at = source->next_refused;
            break;
        }
    }
    source->refused = 0;
}

static void ask_again(void *owner) {
    (void)owner;
    struct source *those = refused;
    refused = NULL;
    while (those) {
        struct source *source = those;
        those = source->next_refused;
        uint32_t events = source->refused;
        source->refused = 0;
        source_want(source, events);
    }
}

/* Watching takes memory of the kernel's, which has a limit that others share. */
static void refuse(struct source *source, uint32_t events) {
    static bool told;
    if (!told) {
        log_line("epoll_ctl: %m; asked again every %d ms", REFUSED_MS);
        told = true;
    }
    source->refused = events;
    source->next_refused = refused;
    refused = source;
    if (!refused_again.due) {
        timer_arm(&refused_again, loop_now() + REFUSED_MS, ask_again, NULL);
    }
}

void source_want(struct source *source, uint32_t events) {
    if (source->fd < 0 || (source->refused ? source->refused : source->wanted) == events) {
        return;
    }
    withdraw(source);
    if (source->wanted == events) {
        return;
    }
    struct epoll_event event = {.events = events, .data.ptr = source};
    int operation = events == 0 ? EPOLL_CTL_DEL : source->wanted == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    if (epoll_ctl(epoll_fd, operation, source->fd, &event) == 0) {
        source->wanted = events;
    } else if (operation == EPOLL_CTL_ADD) {
        refuse(source, events);
    } else {
        log_line("epoll_ctl %d: %m", operation);
    }
}

void source_close(struct source *source) {
    if (source->fd >= 0) {
        source_want(source, 0);
        close(source->fd);
        source->fd = -1;
    }
}

void timer_stop(struct timer *timer) {
    if (timer->due == 0) {
        return;
    }
    for (struct timer **at = &timers; *at; at = &(*at)->next) {
        if (*at == timer) {
            *at = timer->next;
            break;
        }
    }
    timer->due = 0;
}

void timer_arm(struct timer *timer, int64_t due, void (*fire)(void *owner), void *owner) {
    timer_stop(timer);
    timer->due = due > 0 ? due : 1;
    timer->fire = fire;
    timer->owner = owner;
    struct timer **at = &timers;
    while (*at && (*at)->due <= timer->due) {
        at = &(*at)->next;
    }
    timer->next = *at;
    *at = timer;
}

void loop_free_later(void *memory) {
    struct grave *grave = malloc(sizeof *grave);
    if (!grave) {
        return; /* a leak is better than a dangling pointer */
    }
    *grave = (struct grave){graves, memory};
    graves = grave;
}

static void free_graves(void) {
    while (graves) {
        struct grave *grave = graves;
        graves = grave->next;
        free(grave->memory);
        free(grave);
    }
}

static int time_to_wait(bool hurry) {
    if (hurry) {
        return 0;
    }
    if (!timers) {
        return -1;
    }
    int64_t wait = timers->due - loop_now();
    return wait < 0 ? 0 : wait > 60000 ? 60000 : (int)wait;
}

void loop_turn(bool hurry) {
    struct epoll_event events[EVENTS];
    int count = epoll_wait(epoll_fd, events, EVENTS, time_to_wait(hurry));
    if (count < 0 && errno != EINTR) {
        log_line("epoll_wait: %m");
        usleep(10000);
    }
    for (int i = 0; i < count; i++) {
        struct source *source = events[i].data.ptr;
        if (source->fd >= 0 && source->wanted) { /* not closed by an event before it */
            source->ready(source->owner, events[i].events);
        }
    }
    int64_t now = loop_now();
    while (timers && timers->due <= now) {
        struct timer *timer = timers;
        timers = timer->next;
        timer->due = 0;
        timer->fire(timer->owner);
    }
    free_graves();
}
