/* SPDX-License-Identifier: Apache-2.0 */
#include "stream.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flow.h"
#include "loop.h"
#include "pass.h"
#include "service.h"
#include "settings.h"

#define BUCKETS 1024

struct stream *stream_first;
uint32_t stream_highest;
unsigned stream_count;

static int64_t last_use;
static struct stream *stream_last, *buckets[BUCKETS];
static struct stream *urgent_first, *urgent_last, *ready_first, *ready_last, *push_first, *push_last;

#define LIST_ADD(stream, link, first, last)       \
    do {                                          \
        (stream)->link.in = true;                 \
        (stream)->link.next = NULL;               \
        (stream)->link.previous = last;           \
        if (last) (last)->link.next = (stream);   \
        else (first) = (stream);                  \
        (last) = (stream);                        \
    } while (0)

#define LIST_REMOVE(stream, link, first, last)                                                    \
    do {                                                                                          \
        if (!(stream)->link.in) break;                                                            \
        (stream)->link.in = false;                                                                \
        if ((stream)->link.previous) (stream)->link.previous->link.next = (stream)->link.next;    \
        else (first) = (stream)->link.next;                                                       \
        if ((stream)->link.next) (stream)->link.next->link.previous = (stream)->link.previous;    \
        else (last) = (stream)->link.previous;                                                    \
    } while (0)

void stream_use(void) {
    last_use = loop_now();
}

int64_t stream_idle(void) {
    if (last_use == 0) { /* it has not been used yet: from the first question on */
        stream_use();
    }
    return loop_now() - last_use;
}

struct stream *stream_find(uint32_t id) {
    struct stream *stream = buckets[id % BUCKETS];
    while (stream && stream->id != id) {
        stream = stream->next_same_bucket;
    }
    return stream;
}

struct stream *stream_find_pid(pid_t pid) {
    struct stream *stream = stream_first;
    while (stream && stream->pid != pid) {
        stream = stream->all.next;
    }
    return stream;
}

struct stream *stream_new(uint32_t id, enum stream_kind kind, uint32_t keep) {
    stream_use();
    if (id > stream_highest) {
        stream_highest = id;
    }
    if (stream_count >= WIRE_STREAMS) {
        errno = EAGAIN;
        return NULL;
    }
    struct stream *stream = calloc(1, sizeof *stream);
    if (!stream) {
        return NULL;
    }
    stream->id = id;
    stream->kind = kind;
    stream->input_window = WIRE_INPUT_CREDIT;
    stream->in.fd = stream->out[0].fd = stream->out[1].fd = stream->status.fd = -1;
    ring_init(&stream->ring, keep);
    stream->next_same_bucket = buckets[id % BUCKETS];
    buckets[id % BUCKETS] = stream;
    LIST_ADD(stream, all, stream_first, stream_last);
    stream_count++;
    return stream;
}

void stream_free(struct stream *stream) {
    stream_use();
    struct stream **at = &buckets[stream->id % BUCKETS];
    while (*at != stream) {
        at = &(*at)->next_same_bucket;
    }
    *at = stream->next_same_bucket;
    LIST_REMOVE(stream, all, stream_first, stream_last);
    LIST_REMOVE(stream, urgent, urgent_first, urgent_last);
    LIST_REMOVE(stream, ready, ready_first, ready_last);
    LIST_REMOVE(stream, push, push_first, push_last);
    stream_count--;
    if (stream->kind == STREAM_SERVICE) {
        service_forget_stream(stream);
    }
    pass_keep(stream);
    source_close(&stream->in);
    source_close(&stream->out[0]);
    source_close(&stream->out[1]);
    source_close(&stream->status);
    timer_stop(&stream->limit);
    timer_stop(&stream->settle);
    ring_free(&stream->ring);
    bytes_free(&stream->input);
    bytes_free(&stream->arguments);
    free(stream->directory);
    free(stream->user);
    loop_free_later(stream);
}

bool stream_is_lossless(const struct stream *stream) {
    return stream->attached || stream->held;
}

size_t stream_room(const struct stream *stream) {
    return stream_is_lossless(stream) ? ring_room(&stream->ring, stream->sent) : stream->ring.limit;
}

static bool all_sent(const struct stream *stream) {
    return !stream_is_lossless(stream) || stream->sent >= stream->ring.end;
}

/* A file operation's error is one frame: it waits until the credit covers it. */
static bool can_send_output(const struct stream *stream) {
    if (!stream->attached || stream->credit == 0) {
        return false;
    }
    if (stream->sent >= stream->ring.end) {
        return stream->waiting > 0 && !stream->passing;
    }
    if (stream->kind != STREAM_FILE && stream->kind != STREAM_SERVICE) {
        return true;
    }
    uint8_t kind;
    size_t run = ring_run(&stream->ring, stream->sent, &kind);
    return kind == KIND_OUT || stream->credit >= run;
}

static bool can_exit(const struct stream *stream) {
    return stream->over && !stream->exit_sent && !stream->say_started && !stream->say_end && all_sent(stream) &&
           !stream->held;
}

static bool has_urgent(const struct stream *stream) {
    bool may_grant = stream->kind != STREAM_COMMAND || stream->started;
    return stream->error || stream->say_started || stream->say_extent || (may_grant && stream->grant >= stream->input_window / 4);
}

static bool has_ready(const struct stream *stream) {
    return !stream->error && (can_send_output(stream) || (stream->say_end && all_sent(stream)) || can_exit(stream));
}

void stream_update(struct stream *stream) {
    bool urgent = has_urgent(stream), ready = has_ready(stream);
    if (urgent && !stream->urgent.in) {
        LIST_ADD(stream, urgent, urgent_first, urgent_last);
    } else if (!urgent) {
        LIST_REMOVE(stream, urgent, urgent_first, urgent_last);
    }
    if (ready && !stream->ready.in) {
        LIST_ADD(stream, ready, ready_first, ready_last);
    } else if (!ready) {
        LIST_REMOVE(stream, ready, ready_first, ready_last);
    }
}

void stream_push_later(struct stream *stream) {
    if (!stream->push.in) {
        LIST_ADD(stream, push, push_first, push_last);
    }
}

bool stream_take_push(struct stream *stream) {
    bool waits = stream->push.in;
    LIST_REMOVE(stream, push, push_first, push_last);
    return waits;
}

struct stream *stream_first_push(void) {
    return push_first;
}

void stream_fail(struct stream *stream, int error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(stream->error_text, sizeof stream->error_text, format, arguments);
    va_end(arguments);
    stream->error = error ? error : EIO;
    stream_update(stream);
}

size_t frame_build(uint8_t *frame, uint8_t type, uint8_t flags, uint32_t stream, size_t length) {
    put_u16(frame, (uint16_t)length);
    frame[2] = type;
    frame[3] = flags;
    put_u32(frame + 4, stream);
    return WIRE_HEADER + length;
}

static size_t urgent_frame(struct stream *stream, uint8_t *frame) {
    uint8_t *payload = frame + WIRE_HEADER;
    if (stream->error) {
        size_t length = strlen(stream->error_text);
        put_u32(payload, (uint32_t)stream->error);
        payload[4] = (uint8_t)stream->refusal;
        memcpy(payload + 5, stream->error_text, length);
        uint32_t id = stream->id;
        stream_free(stream);
        return frame_build(frame, FAILED, 0, id, 5 + length);
    }
    if (stream->say_extent) {
        stream->say_extent = false;
        put_u64(payload, stream->ring.start);
        put_u64(payload + 8, stream->ring.end);
        stream_update(stream);
        return frame_build(frame, EXTENT, 0, stream->id, 16);
    }
    if (stream->say_started) {
        stream->say_started = false;
        put_u32(payload, (uint32_t)stream->session);
        put_u64(payload + 4, (uint64_t)stream->start_wall);
        stream_update(stream);
        return frame_build(frame, STARTED, 0, stream->id, 12);
    }
    put_u32(payload, stream->grant);
    stream->grant = 0;
    stream_update(stream);
    return frame_build(frame, GRANT, 0, stream->id, 4);
}

static size_t output_frame(struct stream *stream, uint8_t *frame) {
    uint8_t *payload = frame + WIRE_HEADER;
    size_t most = settings.frame_most - WIRE_HEADER - WIRE_OUTPUT_HEADER;
    if (most > stream->credit) {
        most = (size_t)stream->credit;
    }
    size_t length, here; /* of the frame's bytes */
    put_u64(payload + 1, stream->sent);
    if (stream->sent < stream->ring.end) {
        length = here = ring_copy(&stream->ring, stream->sent, payload + WIRE_OUTPUT_HEADER, most, payload);
    } else {
        length = pass_begin(stream, most);
        here = 0;
        payload[0] = KIND_OUT;
        ring_skip(&stream->ring, length);
    }
    stream->sent += length;
    stream->credit -= length;
    frame_build(frame, OUTPUT, 0, stream->id, WIRE_OUTPUT_HEADER + length);
    return WIRE_HEADER + WIRE_OUTPUT_HEADER + here;
}

static size_t ready_frame(struct stream *stream, uint8_t *frame) {
    size_t size;
    if (can_send_output(stream)) {
        size = output_frame(stream, frame);
        flow_update(stream);
    } else if (stream->say_end) {
        stream->say_end = false;
        size = frame_build(frame, ENDED, 0, stream->id, 0);
    } else {
        stream->exit_sent = true;
        memcpy(frame + WIRE_HEADER, stream->exit, WIRE_EXIT_SIZE);
        size = frame_build(frame, EXITED, 0, stream->id, WIRE_EXIT_SIZE);
        if (stream->kind != STREAM_COMMAND) {
            stream_free(stream);
            return size;
        }
    }
    LIST_REMOVE(stream, ready, ready_first, ready_last); /* to the end of the line */
    stream_update(stream);
    return size;
}

size_t stream_next_frame(uint8_t frame[WIRE_FRAME_MOST]) {
    if (urgent_first) {
        return urgent_frame(urgent_first, frame);
    }
    return ready_first ? ready_frame(ready_first, frame) : 0;
}
