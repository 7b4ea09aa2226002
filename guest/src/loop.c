/* SPDX-License-Identifier: Apache-2.0 */
#include "loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
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

/*
 * What is watched, by descriptor. An event names a descriptor and a ticket, never memory: gVisor, after a restore, may tell of descriptors that were closed
 * before, for which nobody is left.
 */
static struct source **watched;
static size_t watched_room;
static uint32_t tickets;

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

static struct source *watched_by(uint64_t name) {
    size_t fd = (uint32_t)name;
    struct source *source = fd < watched_room ? watched[fd] : NULL;
    return source && source->ticket == (uint32_t)(name >> 32) ? source : NULL;
}

static bool watch_fits(int fd) {
    size_t room = watched_room;
    while (room <= (size_t)fd) {
        room = room ? room * 2 : 64;
    }
    if (room > watched_room) {
        struct source **more = realloc(watched, room * sizeof *more);
        if (!more) {
            errno = ENOMEM;
            return false;
        }
        memset(more + watched_room, 0, (room - watched_room) * sizeof *more);
        watched = more;
        watched_room = room;
    }
    return true;
}

static int control(int operation, struct source *source, uint32_t events) {
    struct epoll_event event = {.events = events, .data.u64 = (uint64_t)source->ticket << 32 | (uint32_t)source->fd};
    return epoll_ctl(epoll_fd, operation, source->fd, &event);
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
    int operation = events == 0 ? EPOLL_CTL_DEL : source->wanted == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    if (operation == EPOLL_CTL_ADD) {
        source->ticket = ++tickets;
    }
    if ((operation != EPOLL_CTL_ADD || watch_fits(source->fd)) && control(operation, source, events) == 0) {
        source->wanted = events;
        watched[source->fd] = events ? source : NULL;
    } else if (operation == EPOLL_CTL_ADD) {
        refuse(source, events);
    } else {
        log_line("epoll_ctl %d: %m", operation);
    }
}

/* Begins to watch anew, with nothing but what is wanted. */
static void renew(void) {
    int old = epoll_fd;
    int fresh = epoll_create1(EPOLL_CLOEXEC);
    if (fresh < 0) {
        log_line("epoll_create1: %m");
        usleep(10000);
        return;
    }
    epoll_fd = fresh;
    source_highest = fresh > source_highest ? fresh : source_highest;
    for (size_t fd = 0; fd < watched_room; fd++) {
        struct source *source = watched[fd];
        if (source && control(EPOLL_CTL_ADD, source, source->wanted) < 0) {
            uint32_t events = source->wanted;
            source->wanted = 0;
            watched[fd] = NULL;
            refuse(source, events);
        }
    }
    close(old);
    log_line("told of a descriptor that is not watched: all are watched anew");
}

void source_close(struct source *source) {
    if (source->fd >= 0) {
        source_want(source, 0);
        if (source->wanted) { /* the kernel would not hear of it */
            watched[source->fd] = NULL;
            source->wanted = 0;
        }
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
    bool stale = false;
    for (int i = 0; i < count; i++) {
        stale |= !watched_by(events[i].data.u64);
    }
    for (int i = 0; i < count; i++) {
        struct source *source = watched_by(events[i].data.u64);
        if (source) { /* not closed by an event before it */
            source->ready(source->owner, events[i].events);
        }
    }
    if (stale) {
        renew();
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
