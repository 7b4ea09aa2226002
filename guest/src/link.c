/* SPDX-License-Identifier: Apache-2.0 */
#include "link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "dispatch.h"
#include "flow.h"
#include "frame.h"
#include "log.h"
#include "loop.h"
#include "pass.h"
#include "resume.h"
#include "say.h"
#include "settings.h"

#define FIRST_DESCRIPTOR 8 /* above what a child uses for itself; see child_close_from for why not higher */
#define BATCH (4 * WIRE_FRAME_MOST) /* bytes in one write: a call costs more than what it carries */
#define PARTS_PER_TURN 8
#define RETRY_MS 100

static struct source input, output;
static struct frame_reader reader;
static uint8_t batch[BATCH];
static size_t batch_size, batch_done;
static struct timer retry; /* armed: nobody has the other end open */

/* Nothing is taken from the link. */
static bool is_busy(void) {
    return say_is_full() || resume_is_running();
}

static void dispatch_waiting(void) {
    struct frame next;
    while (!is_busy() && frame_next(&reader, &next)) {
        if (!dispatch_frame(&next)) {
            frame_lose(&reader);
        }
    }
    flow_push_waiting();
}

static void input_ready(void *owner, uint32_t events) {
    (void)owner;
    (void)events;
    size_t room;
    uint8_t *space = frame_space(&reader, &room);
    ssize_t got = read(input.fd, space, room);
    if (got > 0) {
        frame_filled(&reader, (size_t)got);
        dispatch_waiting();
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        /* A FIFO that is open both ways has no end; a link that ends will not come back. */
        log_line("the link is gone: %s", got == 0 ? "end-of-file" : strerror(errno));
        source_close(&input);
    }
    link_update();
}

void link_update(void) {
    if (!is_busy()) {
        dispatch_waiting(); /* what was read but had to wait */
    }
    source_want(&input, is_busy() ? 0 : EPOLLIN);
}

bool link_can_go_on(void) {
    return input.fd >= 0 && !input.wanted && !input.refused && !is_busy();
}

static void output_ready(void *owner, uint32_t events) {
    (void)owner;
    (void)events;
    source_want(&output, 0); /* link_send runs in every turn, and asks again if it must */
}

static int take(int from, int flags_to_add) {
    int fd = fcntl(from, F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR);
    if (fd >= 0) {
        int flags = fcntl(fd, F_GETFL);
        if (flags < 0 || fcntl(fd, F_SETFL, flags | flags_to_add) < 0) {
            close(fd);
            return -1;
        }
    }
    return fd;
}

/* 0 and 1 stay taken, by something that nobody can use. */
static bool seal_standard_streams(void) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) {
        return false;
    }
    bool done = dup2(ends[0], STDIN_FILENO) == STDIN_FILENO && dup2(ends[0], STDOUT_FILENO) == STDOUT_FILENO;
    if (fcntl(STDERR_FILENO, F_GETFD) < 0) {
        dup2(ends[0], STDERR_FILENO);
    }
    close(ends[0]);
    close(ends[1]);
    return done;
}

bool link_open(void) {
    int in = take(STDIN_FILENO, O_NONBLOCK), out = take(STDOUT_FILENO, O_NONBLOCK);
    if (in < 0 || out < 0 || !seal_standard_streams()) {
        return false;
    }
    source_init(&input, in, input_ready, NULL);
    source_init(&output, out, output_ready, NULL);
    source_want(&input, EPOLLIN);
    return true;
}

void link_forget_frames(void) {
    batch_size = batch_done = 0;
    pass_forget();
    timer_stop(&retry);      /* the new daemon is there */
    source_want(&output, 0); /* and maybe another pipe, since the sandbox was copied */
}

static void try_again(void *owner) {
    (void)owner; /* link_send runs in every turn */
}

static void fill_batch(void) {
    batch_size = batch_done = 0;
    for (size_t size; !pass_is_on() && batch_size + settings.frame_most <= sizeof batch && (size = link_next_frame(batch + batch_size)) > 0;) {
        batch_size += size;
    }
}

static ssize_t send_part(void) {
    if (batch_done == batch_size) {
        ssize_t passed = pass_on(output.fd);
        if (passed > 0 || (passed < 0 && (errno == EAGAIN || errno == EINTR || errno == EPIPE))) {
            return passed;
        }
        batch_done = 0;
        batch_size = pass_take(batch, sizeof batch);
    }
    ssize_t wrote = write(output.fd, batch + batch_done, batch_size - batch_done);
    if (wrote > 0) {
        batch_done += (size_t)wrote;
    }
    return wrote;
}

/* Whether what was begun is through. */
static bool is_idle(void) {
    return batch_done == batch_size && !pass_is_on();
}

bool link_send(void) {
    if (resume_is_running()) {
        return false;
    }
    for (int i = 0; i < PARTS_PER_TURN; i++) {
        if (is_idle()) {
            fill_batch();
            if (batch_size == 0) {
                return false;
            }
        }
        if (output.fd < 0 || output.wanted || retry.due) {
            return false;
        }
        ssize_t wrote = send_part();
        if (wrote < 0 && errno == EAGAIN) {
            source_want(&output, EPOLLOUT);
            return false;
        } else if (wrote < 0 && errno == EPIPE) {
            /* The daemon died, and the runtime gave us an end that can only be written. It must be of that kind under gVisor, where a
             * checkpoint swallows what is in a pipe that could be read. Polling would report the error for ever. */
            timer_arm(&retry, loop_now() + RETRY_MS, try_again, NULL);
            return false;
        } else if (wrote < 0 && errno != EINTR) {
            log_line("the link takes nothing more: %m");
            source_close(&output);
            return false;
        }
    }
    return true;
}

void link_flush(int milliseconds) {
    int64_t until = loop_now() + milliseconds;
    for (;;) {
        bool more = link_send();
        int64_t left = until - loop_now();
        if (left <= 0 || retry.due || (!more && is_idle())) {
            return;
        }
        if (!more) {
            struct pollfd writable = {.fd = output.fd, .events = POLLOUT};
            poll(&writable, 1, (int)left);
            source_want(&output, 0);
        }
    }
}
