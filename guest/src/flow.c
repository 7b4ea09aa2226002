/* SPDX-License-Identifier: Apache-2.0 */
#include "flow.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "connect.h"
#include "log.h"
#include "process.h"

static uint8_t scratch[262144];

struct source *flow_writer(struct stream *stream) {
    return stream->in.fd >= 0 ? &stream->in : &stream->out[0];
}

void flow_update(struct stream *stream) {
    bool thrown_away = stream->over; /* what is left of a finished command goes on writing */
    bool room = thrown_away || stream_room(stream) > 0;
    bool pending = bytes_length(&stream->input) > 0 || (stream->kind == STREAM_CONNECTION && !stream->connected);
    struct source *writer = flow_writer(stream);
    for (int i = 0; i < 2; i++) {
        bool readable = room && !stream->hung_up && !(i == 0 && stream->waiting > 0) && (stream->kind != STREAM_CONNECTION || connect_reads(stream));
        uint32_t events = readable ? EPOLLIN : 0;
        if (writer == &stream->out[i] && pending) {
            events |= EPOLLOUT;
        }
        source_want(&stream->out[i], events);
    }
    if (writer == &stream->in) {
        source_want(writer, pending ? EPOLLOUT : 0);
    }
}

static void give_back(struct stream *stream, size_t length) {
    stream->grant += (uint32_t)length;
    stream_update(stream);
}

bool flow_write(struct stream *stream) {
    struct bytes *input = &stream->input;
    while (bytes_length(input) > 0) {
        ssize_t wrote = write(flow_writer(stream)->fd, input->data + input->start, bytes_length(input));
        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        if (wrote < 0) {
            return errno == EAGAIN;
        }
        bytes_take(input, (size_t)wrote);
        give_back(stream, (size_t)wrote);
    }
    return true;
}

void flow_input_close(struct stream *stream) {
    stream->input_closed = true;
    give_back(stream, bytes_length(&stream->input));
    bytes_free(&stream->input);
    source_close(&stream->in);
}

/* Moves input on, and tells the other side of its end once all is through. */
static void push(struct stream *stream) {
    if (stream->kind == STREAM_CONNECTION) {
        connect_push(stream);
    } else {
        process_push(stream);
    }
    flow_update(stream);
}

void flow_input(struct stream *stream, const uint8_t *data, size_t length) {
    if (stream->error) {
        return;
    }
    if (stream->input_closed || stream->input_ended) {
        give_back(stream, length);
        return;
    }
    if (bytes_length(&stream->input) + length > stream->input_window) {
        log_line("stream %u: %zu bytes of DATA over its credit are dropped", stream->id, length);
        return;
    }
    bytes_add(&stream->input, data, length);
    if (stream->input.failed) {
        log_line("stream %u: no memory for its input", stream->id);
        flow_input_close(stream);
        return;
    }
    stream_push_later(stream); /* more may be on its way: one call for all of it */
}

void flow_push_now(struct stream *stream) {
    if (stream_take_push(stream)) {
        push(stream);
    }
}

void flow_push_waiting(void) {
    for (struct stream *stream; (stream = stream_first_push());) {
        flow_push_now(stream);
    }
}

void flow_input_end(struct stream *stream) {
    if (!stream->error && !stream->input_ended) {
        stream->input_ended = true;
        push(stream);
    }
}

size_t flow_waiting(int fd) {
    int waiting = 0;
    return ioctl(fd, FIONREAD, &waiting) == 0 && waiting > 0 ? (size_t)waiting : 0;
}

ssize_t flow_read(struct stream *stream, int index) {
    size_t room = stream->over ? sizeof scratch : stream_room(stream);
    if (room > sizeof scratch) {
        room = sizeof scratch;
    }
    if (room == 0) {
        errno = EAGAIN;
        return -1;
    }
    ssize_t got = read(stream->out[index].fd, scratch, room);
    if (got > 0 && !stream->over) {
        ring_add(&stream->ring, index == 0 ? KIND_OUT : KIND_ERR, scratch, (size_t)got);
        stream_update(stream);
    }
    return got;
}
