/* SPDX-License-Identifier: Apache-2.0 */
/* One open stream: a command, a file operation, a connection or a request about services. What it has to say is state, not a queue: the link asks it for
 * the next frame when there is room for one. */
#ifndef STREAM_H
#define STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "bytes.h"
#include "child.h"
#include "loop.h"
#include "ring.h"
#include "wire.h"

enum stream_kind { STREAM_COMMAND, STREAM_FILE, STREAM_CONNECTION, STREAM_SERVICE };

struct stream_link {
    struct stream *next, *previous;
    bool in;
};

struct stream {
    uint32_t id;
    enum stream_kind kind;
    struct stream *next_same_bucket;
    struct stream_link all, urgent, ready, push; /* lists: of all, with control frames to send, with output or an end to send, with new input */

    /* to the daemon */
    struct ring ring;
    uint64_t sent;   /* offset of the next byte to send */
    uint64_t credit; /* bytes that the daemon takes */
    bool attached, held;
    bool announce;  /* COMMAND is to be sent */
    bool announced; /* COMMAND was sent, so STARTED is not needed */
    bool say_started, say_extent;
    bool say_end;      /* EOF of a connection, after its bytes */
    bool over;         /* EXIT may go once all bytes went */
    bool exit_sent;
    uint32_t grant;    /* DATA credit to be given back */
    int error;         /* ERROR instead of anything else */
    enum refusal refusal;
    char error_text[160];
    uint8_t exit[WIRE_EXIT_SIZE];

    /* from the daemon */
    struct bytes input;
    uint32_t input_window; /* the most that input may hold */
    bool input_ended;      /* EOF came */
    bool input_closed;     /* nobody reads any more: DATA is dropped */
    bool typed_end;        /* the pty was told of the end */

    /* a process and its pipes; of a connection only `in`, both ways */
    pid_t pid; /* 0: none, or reaped */
    pid_t session;
    bool started, exited, closed, pty;
    bool direct;    /* its output goes from the pipe to the link without coming by here */
    bool passing;   /* a part of it is on its way so */
    size_t waiting; /* bytes of it that are known to be in the pipe */
    bool hung_up; /* nobody has the pty open any more, and the process has not ended yet */
    struct child_plan *plan;      /* of a child that has not executed its program yet */
    struct child_failure failure; /* what it said about that */
    struct source in, out[2], status; /* out: standard output or pty, standard error */
    long left[2];                     /* bytes that were in the pipes when the process ended; -1: unknown */
    uint32_t exit_flags;
    int64_t start_wall;
    struct timer limit, settle;
    struct bytes arguments; /* as fields, for COMMAND */
    char *directory, *user;

    bool connected, second_address, read_ended; /* of a connection */
    uint16_t port;
    int first_error;
};

extern struct stream *stream_first; /* of all, oldest first */
extern uint32_t stream_highest;
extern unsigned stream_count;

struct stream *stream_find(uint32_t id);
struct stream *stream_find_pid(pid_t pid);
/* NULL, with errno, when there are too many or no memory. */
struct stream *stream_new(uint32_t id, enum stream_kind kind, uint32_t keep);
void stream_free(struct stream *stream);
/* Somebody uses the sandbox: a stream came, went or was spoken to, or what runs behind one has ended. */
void stream_use(void);
/* For how many ms nobody has; of streams that are open it says nothing. */
int64_t stream_idle(void);

bool stream_is_lossless(const struct stream *stream);
size_t stream_room(const struct stream *stream);
/* Puts the stream into the lists that its state asks for. Call after every change. */
void stream_update(struct stream *stream);
/* New input that is to be handed on. */
void stream_push_later(struct stream *stream);
bool stream_take_push(struct stream *stream);
struct stream *stream_first_push(void);
void stream_fail(struct stream *stream, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The next frame of some stream, round robin, control frames first; of one that is passed on only what comes before its bytes. 0: nothing to send. */
size_t stream_next_frame(uint8_t frame[WIRE_FRAME_MOST]);
size_t frame_build(uint8_t *frame, uint8_t type, uint8_t flags, uint32_t stream, size_t length);

#endif
