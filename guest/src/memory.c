/* SPDX-License-Identifier: Apache-2.0 */
/* Under gVisor a process that eats the sandbox's memory would take the whole sandbox along: the host kills all of it. So the agent
 * looks, and ends the greediest command first. Measured there: sysinfo(2) is exact and takes 3 to 50 us; memory is
 * touched at 400 to 1050 MB/s, by the machine; the memory of a killed process comes back within about 200 ms. */
#include "memory.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include "log.h"
#include "loop.h"
#include "service.h"
#include "session.h"
#include "stream.h"
#include "sudo.h"

#define IDLE_MS 2000 /* only what commands left behind runs: a look costs gVisor milliseconds of processor time */
#define CALM_MS 250
#define ALERT_MS 50  /* over half */
#define TENSE_MS 10  /* over three quarters */
#define QUICKEST ((uint64_t)2 << 20) /* bytes in a millisecond: twice what was seen */
#define HOLD_MS 300  /* after a kill: its memory is still on the way back */
#define RESERVE ((uint64_t)32 << 20)
#define SESSIONS_MOST 512

struct usage {
    pid_t session;
    uint64_t pages;
};

struct census {
    struct usage sessions[SESSIONS_MOST];
    size_t count;
};

static uint64_t limit;
static struct timer timer;
static int64_t hold_until;

uint64_t memory_threshold(uint64_t of) {
    uint64_t share = of - of / 12; /* about 92 % */
    uint64_t rest = of > 2 * RESERVE ? of - RESERVE : of / 2;
    return share < rest ? share : rest;
}

/* The next look comes before all that is left can be taken, however small the sandbox. */
int64_t memory_pause(uint64_t of, uint64_t taken) {
    uint64_t threshold = memory_threshold(of);
    int64_t most = taken >= of / 4 * 3 ? TENSE_MS : taken >= of / 2 ? ALERT_MS : CALM_MS;
    uint64_t until = taken < threshold ? (threshold - taken) / QUICKEST : 0; /* ms */
    return until >= (uint64_t)most ? most : until < TENSE_MS ? TENSE_MS : (int64_t)until;
}

static uint64_t used(void) {
    struct sysinfo info;
    if (sysinfo(&info) < 0 || info.freeram > info.totalram) {
        return 0;
    }
    return (uint64_t)(info.totalram - info.freeram) * info.mem_unit;
}

/* As PID 1 the agent sees its sandbox and nothing else. An agent that is not (a test) sees the host's processes, and must not touch them. */
static bool is_ours(pid_t session) {
    if (getpid() == 1) {
        return true;
    }
    for (struct stream *stream = stream_first; stream; stream = stream->all.next) {
        if (stream->session == session) {
            return true;
        }
    }
    return false;
}

static bool count_process(void *context, const struct process_facts *facts) {
    struct census *census = context;
    pid_t session = sudo_owner(facts->session); /* what was started through sudo counts for who started it */
    if (facts->pid == getpid() || session <= 1 || session == getsid(0) || !is_ours(session)) {
        return true;
    }
    for (size_t i = 0; i < census->count; i++) {
        if (census->sessions[i].session == session) {
            census->sessions[i].pages += facts->resident_pages;
            return true;
        }
    }
    if (census->count < SESSIONS_MOST) {
        census->sessions[census->count++] = (struct usage){session, facts->resident_pages};
    }
    return true;
}

static void mark(pid_t session) {
    for (struct stream *stream = stream_first; stream; stream = stream->all.next) {
        if (stream->session == session && !stream->exited) {
            stream->exit_flags |= EXIT_OUT_OF_MEMORY;
        }
    }
}

static void end_greediest(uint64_t now_used) {
    static struct census census;
    census.count = 0;
    session_each(count_process, &census);
    struct usage greediest = {0};
    for (size_t i = 0; i < census.count; i++) {
        if (census.sessions[i].pages >= greediest.pages) {
            greediest = census.sessions[i];
        }
    }
    if (greediest.session <= 1) {
        return;
    }
    log_line("memory: %llu of %llu MiB used: session %d is killed, it holds %llu MiB", (unsigned long long)now_used >> 20,
             (unsigned long long)limit >> 20, (int)greediest.session,
             (unsigned long long)(greediest.pages * (uint64_t)sysconf(_SC_PAGESIZE)) >> 20);
    mark(greediest.session);
    session_kill(greediest.session);
}

static bool idle;

static bool is_idle(void) {
    for (struct stream *stream = stream_first; stream; stream = stream->all.next) {
        if (stream->pid > 0) {
            return false;
        }
    }
    return !service_any_runs();
}

/* Everything in the sandbox is a child of PID 1, or comes to be one. */
static bool is_alone(void) {
    siginfo_t info;
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 && errno == ECHILD;
}

static void look(void *owner) {
    (void)owner;
    uint64_t now_used = used();
    int64_t now = loop_now();
    bool critical = now_used >= limit - limit / 32;
    if (now_used >= memory_threshold(limit) && (now >= hold_until || (critical && now >= hold_until - HOLD_MS * 2 / 3))) {
        end_greediest(now_used);
        hold_until = loop_now() + HOLD_MS;
    }
    idle = now_used < limit / 2 && is_idle();
    if (idle && is_alone()) {
        return; /* nobody is there to take memory: the next command wakes the guard */
    }
    timer_arm(&timer, loop_now() + (idle ? IDLE_MS : memory_pause(limit, now_used)), look, NULL);
}

void memory_wake(void) {
    if (idle && limit > 0) {
        idle = false;
        timer_arm(&timer, loop_now() + memory_pause(limit, used()), look, NULL);
    }
}

void memory_watch(uint64_t new_limit) {
    limit = new_limit;
    if (limit == 0) {
        timer_stop(&timer);
    } else {
        timer_arm(&timer, loop_now(), look, NULL);
    }
}
