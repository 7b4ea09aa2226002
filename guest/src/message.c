/* SPDX-License-Identifier: Apache-2.0 */
#include "message.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"

#define PARTIAL_MOST 64
#define PARTIAL_BYTES ((size_t)16 << 20)

struct partial {
    uint32_t stream;
    uint8_t type;
    bool used;
    bool refused; /* its remaining frames are skipped */
    struct bytes bytes;
};

static struct partial partials[PARTIAL_MOST];
static struct bytes whole; /* the last message that had parts */
static size_t held;

static void forget(struct partial *partial) {
    held -= bytes_length(&partial->bytes);
    bytes_free(&partial->bytes);
    *partial = (struct partial){0};
}

void message_forget_all(void) {
    for (size_t i = 0; i < PARTIAL_MOST; i++) {
        forget(&partials[i]);
    }
}

static struct partial *find(uint32_t stream) {
    for (size_t i = 0; i < PARTIAL_MOST; i++) {
        if (partials[i].used && partials[i].stream == stream) {
            return &partials[i];
        }
    }
    return NULL;
}

static struct partial *open_partial(const struct frame *frame) {
    for (size_t i = 0; i < PARTIAL_MOST; i++) {
        if (!partials[i].used) {
            partials[i] = (struct partial){.stream = frame->stream, .type = frame->type, .used = true};
            return &partials[i];
        }
    }
    return NULL;
}

static bool starts_hello(const struct frame *frame) {
    return frame->type == HELLO && frame->length >= WIRE_MAGIC_SIZE + WIRE_NONCE_SIZE &&
           memcmp(frame->payload, WIRE_MAGIC, WIRE_MAGIC_SIZE) == 0;
}

/* Adds a part; false when it is too much. */
static bool extend(struct partial *partial, const struct frame *frame) {
    if (bytes_length(&partial->bytes) + frame->length > WIRE_MESSAGE || held + frame->length > PARTIAL_BYTES) {
        return false;
    }
    size_t before = bytes_length(&partial->bytes);
    bytes_add(&partial->bytes, frame->payload, frame->length);
    held += bytes_length(&partial->bytes) - before;
    return !partial->bytes.failed;
}

static enum message_result refuse(struct partial *partial, bool more) {
    bool known = partial->refused;
    held -= bytes_length(&partial->bytes);
    bytes_free(&partial->bytes);
    partial->refused = true;
    if (!more) {
        forget(partial);
    }
    return known ? MESSAGE_PARTIAL : MESSAGE_REFUSED;
}

enum message_result message_add(const struct frame *frame, struct message *message) {
    bool more = frame->flags & FLAG_MORE;
    bytes_free(&whole);
    *message = (struct message){frame->type, frame->stream, frame->length, frame->payload};
    struct partial *partial = find(frame->stream);
    if (starts_hello(frame)) {
        message_forget_all(); /* a new daemon, whatever the old one was about to say */
        partial = NULL;
    } else if (frame->type == HELLO && !partial) {
        return MESSAGE_BROKEN;
    }
    if (partial && partial->type != frame->type) {
        if (frame->type == CLOSE) {
            forget(partial); /* a request taken back before it was whole */
            return MESSAGE_WHOLE;
        }
        return MESSAGE_BROKEN;
    }
    if (!partial && !more) {
        return MESSAGE_WHOLE;
    }
    if (!partial && !(partial = open_partial(frame))) {
        return MESSAGE_REFUSED;
    }
    if (partial->refused || !extend(partial, frame)) {
        return refuse(partial, more);
    }
    if (more) {
        return MESSAGE_PARTIAL;
    }
    whole = partial->bytes;
    held -= bytes_length(&whole);
    *partial = (struct partial){0};
    message->data = whole.data;
    message->length = bytes_length(&whole);
    return MESSAGE_WHOLE;
}
