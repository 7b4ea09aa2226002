/* SPDX-License-Identifier: Apache-2.0 */
#include "process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drain.h"
#include "fields.h"
#include "flow.h"
#include "log.h"

#define SETTLE_MS 30
#define CANCEL_MS 2000
#define FINISHED_MOST 256
#define FINISHED_BYTES ((size_t)32 << 20)

/* Workers that were told to end, until they are reaped. */
struct doomed {
    struct doomed *next;
    pid_t pid;
    struct timer timer;
};
static struct doomed *doomed_first;

static bool finished_changed;

static void complete_if_drained(struct stream *stream);

static void output_ready(struct stream *stream, int index) {
    if (index == 0 && stream->direct) {
        stream->waiting = flow_waiting(stream->out[0].fd);
    }
    if (index == 0 && stream->waiting > 0) {
        stream_update(stream);
        flow_update(stream);
        return;
    }
    ssize_t got = flow_read(stream, index);
    if (got > 0) {
        if (stream->exited && stream->left[index] > 0) {
            stream->left[index] = stream->left[index] > got ? stream->left[index] - got : 0;
        }
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) { /* EIO: the last user of the pty is gone */
        if (stream->pty) {
            flow_input_close(stream);
        }
        if (stream->pty && !stream->exited) {
            stream->hung_up = true; /* it closes its files before it ends; to close the pty now would kill it with SIGHUP */
        } else {
            source_close(&stream->out[index]);
        }
    } else if (errno == EAGAIN && stream_room(stream) > 0 && stream->left[index] > 0) {
        stream->left[index] = 0; /* somebody else took the bytes */
    }
    complete_if_drained(stream);
    flow_update(stream);
}

static void first_ready(void *owner, uint32_t events) {
    struct stream *stream = owner;
    if (events & EPOLLOUT) {
        process_push(stream);
    }
    if (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) {
        output_ready(stream, 0);
    } else {
        flow_update(stream);
    }
}

static void second_ready(void *owner, uint32_t events) {
    (void)events;
    output_ready(owner, 1);
}

static void input_ready(void *owner, uint32_t events) {
    (void)events;
    process_push(owner);
    flow_update(owner);
}

void process_push(struct stream *stream) {
    if (stream->input_closed) {
        return;
    }
    if (!flow_write(stream)) {
        flow_input_close(stream);
    } else if (stream->input_ended && bytes_length(&stream->input) == 0) {
        if (!stream->pty) {
            flow_input_close(stream);
        } else if (!stream->typed_end) { /* a terminal has no end: the user's way to say it */
            stream->typed_end = true;
            bytes_add(&stream->input, "\004", 1);
            stream->input_window++;
            process_push(stream);
        }
    }
}

static void forget_plan(struct stream *stream) {
    spawn_plan_free(stream->plan);
    stream->plan = NULL;
}

static void status_ready(void *owner, uint32_t events) {
    (void)events;
    struct stream *stream = owner;
    struct child_failure said;
    ssize_t got = read(stream->status.fd, &said, sizeof said);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (got == sizeof said) {
        stream->failure = said;
        return; /* it still runs in the agent's memory: the end of the pipe is its end */
    }
    source_close(&stream->status);
    stream->started = true;
    if (stream->failure.step) {
        struct spawn_failure failure;
        spawn_explain(stream->plan, &stream->failure, &failure);
        stream->pid = 0; /* it has ended by itself */
        source_close(&stream->in);
        source_close(&stream->out[0]);
        source_close(&stream->out[1]);
        stream->refusal = failure.refusal;
        stream_fail(stream, failure.error, "%s", failure.reason);
    } else if (stream->kind == STREAM_COMMAND && !stream->announced) {
        stream->say_started = true;
    }
    forget_plan(stream);
    complete_if_drained(stream);
    stream_update(stream);
}

bool process_start(struct stream *stream, const struct spawn *request) {
    struct spawned spawned;
    struct spawn_failure failure;
    if (!spawn(request, &spawned, &failure)) {
        stream->refusal = failure.refusal;
        stream_fail(stream, failure.error, "%s", failure.reason);
        return false;
    }
    stream->pid = stream->session = spawned.pid;
    stream->plan = spawned.plan;
    stream->start_wall = loop_wall();
    stream->pty = request->pty;
    stream->input_closed = !request->pty && !request->input;
    source_init(&stream->in, spawned.in, input_ready, stream);
    source_init(&stream->out[0], spawned.out, first_ready, stream);
    source_init(&stream->out[1], spawned.err, second_ready, stream);
    source_init(&stream->status, spawned.status, status_ready, stream);
    source_want(&stream->status, EPOLLIN);
    flow_update(stream);
    return true;
}

static bool is_drained(const struct stream *stream, int index) {
    return stream->out[index].fd < 0 || stream->left[index] == 0;
}

/* A worker that died without a word still says why. */
static void explain_death(struct stream *stream) {
    int32_t status = (int32_t)get_u32(stream->exit);
    if (stream->kind != STREAM_FILE || status >= 0) {
        return;
    }
    struct bytes fields = {0};
    field_put_u32(&fields, 1, EINTR);
    field_put_text(&fields, 2, "the file operation was killed");
    if (!fields.failed) {
        ring_add(&stream->ring, KIND_ERR, fields.data, fields.end);
    }
    bytes_free(&fields);
    put_u32(stream->exit, 1);
}

static void complete_if_drained(struct stream *stream) {
    if (!stream->exited || stream->over || !stream->started || stream->error || !is_drained(stream, 0) ||
        !is_drained(stream, 1)) {
        return;
    }
    explain_death(stream);
    put_u64(stream->exit + 32, stream->ring.end);
    stream->over = true;
    stream_use();
    timer_stop(&stream->limit);
    timer_stop(&stream->settle);
    if (!stream->input_closed) {
        flow_input_close(stream);
    }
    finished_changed = true;
    stream_update(stream);
    flow_update(stream);
}

void process_passed(struct stream *stream) {
    stream->passing = false;
    stream->waiting = flow_waiting(stream->out[0].fd);
    if (stream->exited) {
        stream->left[0] = (long)stream->waiting;
    }
    complete_if_drained(stream);
    stream_update(stream);
    flow_update(stream);
}

/*
 * What a process wrote to its pty reaches the other side a moment later, so the count is taken after that moment; on a busy
 * machine it may be a long one, but asking whether there is anything lets the kernel bring it over first.
 */
static void pty_settled(void *owner) {
    struct stream *stream = owner;
    struct pollfd asked = {.fd = stream->out[0].fd, .events = POLLIN};
    (void)poll(&asked, 1, 0);
    stream->left[0] = (long)flow_waiting(stream->out[0].fd);
    complete_if_drained(stream);
    flow_update(stream);
}

static void record_exit(struct stream *stream, int status, const struct rusage *usage) {
    int32_t code = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    uint8_t *at = stream->exit;
    put_u32(at, (uint32_t)code);
    put_u32(at + 4, stream->exit_flags);
    put_u64(at + 8, (uint64_t)usage->ru_utime.tv_sec * 1000000 + (uint64_t)usage->ru_utime.tv_usec);
    put_u64(at + 16, (uint64_t)usage->ru_stime.tv_sec * 1000000 + (uint64_t)usage->ru_stime.tv_usec);
    put_u64(at + 24, (uint64_t)usage->ru_maxrss);
    put_u64(at + 32, 0); /* end offset, when it is known */
    put_u64(at + 40, (uint64_t)loop_wall());
}

static void stop_doom(pid_t pid) {
    for (struct doomed **at = &doomed_first; *at; at = &(*at)->next) {
        if ((*at)->pid == pid) {
            struct doomed *doomed = *at;
            *at = doomed->next;
            timer_stop(&doomed->timer);
            free(doomed);
            return;
        }
    }
}

void process_reaped(pid_t pid, int status, const struct rusage *usage) {
    stop_doom(pid);
    struct stream *stream = stream_find_pid(pid);
    if (!stream) {
        return; /* an orphan */
    }
    stream->pid = 0;
    stream->exited = true;
    record_exit(stream, status, usage);
    if (stream->hung_up) {
        source_close(&stream->out[0]);
    }
    if (stream->pty && stream->out[0].fd >= 0) {
        stream->left[0] = -1;
        timer_arm(&stream->settle, loop_now() + SETTLE_MS, pty_settled, stream);
    } else {
        stream->left[0] = (long)flow_waiting(stream->out[0].fd);
        stream->left[1] = (long)flow_waiting(stream->out[1].fd);
    }
    complete_if_drained(stream);
    flow_update(stream);
}

static void kill_doomed(void *owner) {
    struct doomed *doomed = owner;
    kill(doomed->pid, SIGKILL);
}

void process_cancel(struct stream *stream) {
    if (stream->pid > 0) {
        struct doomed *doomed = calloc(1, sizeof *doomed);
        kill(stream->pid, doomed ? SIGTERM : SIGKILL);
        if (doomed) {
            doomed->pid = stream->pid;
            doomed->next = doomed_first;
            doomed_first = doomed;
            timer_arm(&doomed->timer, loop_now() + CANCEL_MS, kill_doomed, doomed);
        }
    }
    forget_plan(stream); /* a worker has its own copy */
    stream_free(stream);
}

void process_forget(struct stream *stream) {
    drain_take(&stream->out[0]);
    drain_take(&stream->out[1]);
    stream_free(stream);
}

static size_t weight(const struct stream *stream) {
    return ring_weight(&stream->ring) + stream->arguments.capacity;
}

static void forget_finished(size_t *count, size_t *bytes, bool unsaid) {
    for (struct stream *next, *stream = stream_first; stream && (*count > FINISHED_MOST || *bytes > FINISHED_BYTES);
         stream = next) {
        next = stream->all.next;
        /* One that is being read is not taken away: nothing is lost while attached. */
        bool free_to_go = stream->exit_sent || (unsaid && !stream_is_lossless(stream));
        if (stream->kind == STREAM_COMMAND && stream->over && free_to_go) {
            *count -= 1;
            *bytes -= weight(stream);
            process_forget(stream);
        }
    }
}

void process_bound_finished(void) {
    if (!finished_changed) {
        return;
    }
    finished_changed = false;
    size_t count = 0, bytes = 0;
    for (struct stream *stream = stream_first; stream; stream = stream->all.next) {
        if (stream->kind == STREAM_COMMAND && stream->over) {
            count++;
            bytes += weight(stream);
        }
    }
    forget_finished(&count, &bytes, false);
    forget_finished(&count, &bytes, true);
}
