/* SPDX-License-Identifier: Apache-2.0 */
/* The one thread's event loop: descriptors and timers. */
#ifndef LOOP_H
#define LOOP_H

#include <stdbool.h>
#include <stdint.h>

struct source {
    int fd; /* owned; -1 when closed */
    uint32_t wanted;
    uint32_t ticket; /* of this time that it is watched */
    uint32_t refused; /* wanted too, but the kernel will not tell of it yet; asked again and again */
    struct source *next_refused;
    void (*ready)(void *owner, uint32_t events);
    void *owner;
};

extern int source_highest; /* the highest descriptor that the agent ever had */

struct timer {
    int64_t due; /* 0: not armed */
    struct timer *next;
    void (*fire)(void *owner);
    void *owner;
};

bool loop_open(void);
/* Runs sources and timers once, waiting at most until the next timer; at once when `hurry`. */
void loop_turn(bool hurry);
/* Frees memory at the end of this turn, when no event can point to it any more. */
void loop_free_later(void *memory);

void source_init(struct source *source, int fd, void (*ready)(void *owner, uint32_t events), void *owner);
/* Which of EPOLLIN and EPOLLOUT to be told of; 0 leaves the descriptor alone. */
void source_want(struct source *source, uint32_t events);
void source_close(struct source *source);

int64_t loop_now(void); /* monotonic ms */
int64_t loop_wall(void); /* ms since 1970 */
void timer_arm(struct timer *timer, int64_t due, void (*fire)(void *owner), void *owner);
void timer_stop(struct timer *timer);

#endif
