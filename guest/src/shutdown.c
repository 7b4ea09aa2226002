/* SPDX-License-Identifier: Apache-2.0 */
#include "shutdown.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "command.h"
#include "link.h"
#include "loop.h"
#include "service.h"
#include "session.h"

#define KILL_MS 2000
#define FLUSH_MS 200

static bool on, killed;
static struct timer timer;

/* Everything in the sandbox; an agent that is not its first process (a test) touches only what it started. */
static void signal_everything(int number) {
    if (getpid() == 1) {
        kill(-1, number);
        return;
    }
    service_signal_all(number);
    for (struct stream *stream = stream_first; stream; stream = stream->all.next) {
        if (stream->session > 0 && !stream->exited) {
            if (number == SIGKILL) {
                session_kill(stream->session);
            } else {
                kill(-stream->session, number);
            }
        }
    }
}

static _Noreturn void leave(void) {
    link_flush(FLUSH_MS);
    sync();
    _exit(0);
}

static void due(void *owner) {
    (void)owner;
    if (killed) {
        leave(); /* something does not die: the end of PID 1 takes it along */
    }
    killed = true;
    signal_everything(SIGKILL);
    timer_arm(&timer, loop_now() + KILL_MS, due, NULL);
}

bool shutdown_is_on(void) {
    return on;
}

void shutdown_start(uint32_t grace_ms) {
    if (!on) {
        on = true;
        signal_everything(SIGTERM);
        signal_everything(SIGCONT);
    }
    timer_arm(&timer, loop_now() + grace_ms, due, NULL);
}

void shutdown_check(bool has_children) {
    if (on && !has_children) {
        leave();
    }
}
