/* SPDX-License-Identifier: Apache-2.0 */
#include "drain.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#define DRAINS_MOST 1024

struct drain {
    struct drain *next; /* older */
    struct drain *previous;
    struct source source;
};

static struct drain *newest, *oldest;
static unsigned count;

static void end(struct drain *drain) {
    *(drain->previous ? &drain->previous->next : &newest) = drain->next;
    *(drain->next ? &drain->next->previous : &oldest) = drain->previous;
    count--;
    source_close(&drain->source);
    loop_free_later(drain);
}

static void ready(void *owner, uint32_t events) {
    static char scratch[65536];
    (void)events;
    struct drain *drain = owner;
    ssize_t got = read(drain->source.fd, scratch, sizeof scratch);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        end(drain);
    }
}

void drain_take(struct source *source) {
    if (source->fd < 0) {
        return;
    }
    struct drain *drain = calloc(1, sizeof *drain);
    source_want(source, 0);
    if (!drain) {
        source_close(source);
        return;
    }
    source_init(&drain->source, source->fd, ready, drain);
    source->fd = -1;
    drain->next = newest;
    *(newest ? &newest->previous : &oldest) = drain;
    newest = drain;
    count++;
    source_want(&drain->source, EPOLLIN);
    if (count > DRAINS_MOST) {
        end(oldest);
    }
}
