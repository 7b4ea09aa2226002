/* SPDX-License-Identifier: Apache-2.0 */
#include "connect.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "flow.h"

#define KEEP 262144u

static void socket_ready(void *owner, uint32_t events);

static bool try_address(struct stream *stream, bool second) {
    struct sockaddr_in first = {.sin_family = AF_INET, .sin_port = htons(stream->port)};
    first.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    struct sockaddr_in6 other = {.sin6_family = AF_INET6, .sin6_port = htons(stream->port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int fd = socket(second ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return false;
    }
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    int done = second ? connect(fd, (struct sockaddr *)&other, sizeof other) : connect(fd, (struct sockaddr *)&first, sizeof first);
    if (done < 0 && errno != EINPROGRESS) {
        int error = errno;
        close(fd);
        errno = error;
        return false;
    }
    source_init(&stream->out[0], fd, socket_ready, stream);
    flow_update(stream);
    return true;
}

static void try_next(struct stream *stream, int error) {
    source_close(&stream->out[0]);
    if (!stream->second_address) {
        stream->second_address = true;
        stream->first_error = error;
        if (try_address(stream, true)) {
            return;
        }
    }
    /* What the first address said counts: ::1 may just not exist. */
    stream_fail(stream, stream->first_error, "port %u: %s", stream->port, strerror(stream->first_error));
}

void connect_start(struct stream *stream, uint16_t port) {
    stream->port = port;
    stream->attached = true;
    ring_init(&stream->ring, KEEP);
    if (!try_address(stream, false)) {
        try_next(stream, errno);
    }
}

bool connect_reads(const struct stream *stream) {
    return stream->connected && !stream->read_ended;
}

static void end_if_both_ended(struct stream *stream) {
    if (stream->read_ended && stream->input_closed && !stream->over) {
        source_close(&stream->out[0]);
        put_u64(stream->exit + 32, stream->ring.end);
        put_u64(stream->exit + 40, (uint64_t)loop_wall());
        stream->over = true;
        stream_update(stream);
    }
}

static void broken(struct stream *stream, int error) {
    source_close(&stream->out[0]);
    stream_fail(stream, error, "port %u: %s", stream->port, strerror(error));
}

void connect_push(struct stream *stream) {
    if (!stream->connected || stream->input_closed || stream->out[0].fd < 0) {
        return;
    }
    if (!flow_write(stream)) {
        broken(stream, errno);
    } else if (stream->input_ended && bytes_length(&stream->input) == 0) {
        stream->input_closed = true;
        shutdown(stream->out[0].fd, SHUT_WR);
        end_if_both_ended(stream);
    }
}

static void finish_connecting(struct stream *stream) {
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(stream->out[0].fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0) {
        error = errno;
    }
    if (error) {
        try_next(stream, error);
        return;
    }
    stream->connected = true;
    stream->grant += WIRE_INPUT_CREDIT;
    stream_update(stream);
    connect_push(stream);
    flow_update(stream);
}

static void socket_ready(void *owner, uint32_t events) {
    struct stream *stream = owner;
    if (!stream->connected) {
        finish_connecting(stream);
        return;
    }
    if (events & EPOLLOUT) {
        connect_push(stream);
    }
    if (stream->out[0].fd >= 0 && !stream->read_ended && (events & (EPOLLIN | EPOLLHUP | EPOLLERR))) {
        ssize_t got = flow_read(stream, 0);
        if (got == 0) {
            stream->read_ended = true;
            stream->say_end = true;
            stream_update(stream);
            end_if_both_ended(stream);
        } else if (got < 0 && errno != EAGAIN && errno != EINTR) {
            broken(stream, errno);
        }
    }
    flow_update(stream);
}
