/* SPDX-License-Identifier: Apache-2.0 */
#include "say.h"

#include <string.h>
#include <sys/utsname.h>

#include "bytes.h"
#include "command.h"
#include "fields.h"
#include "link.h"
#include "service.h"
#include "stream.h"

#define ABILITY_SERVICES 1
#define ABILITY_OWNERS 2
#define ANSWERS 256
#define ANSWER_BYTES 128

struct answer {
    uint8_t type;
    uint8_t length;
    uint32_t stream;
    uint8_t data[ANSWER_BYTES];
};

static struct answer answers[ANSWERS];
static unsigned answers_first, answers_count;

static enum { QUIET, GREETING, ANNOUNCING } phase;
static uint8_t welcome_nonce[WIRE_NONCE_SIZE];
static struct bytes announcement; /* the COMMAND being sent */
static uint32_t announced_stream;

bool say_is_full(void) {
    return answers_count == ANSWERS;
}

static struct answer *new_answer(uint8_t type, uint32_t stream) {
    if (answers_count == ANSWERS) {
        return NULL; /* not reached: the link is not read then */
    }
    struct answer *answer = &answers[(answers_first + answers_count++) % ANSWERS];
    *answer = (struct answer){.type = type, .stream = stream};
    return answer;
}

void link_pong(const uint8_t *data, size_t length) {
    struct answer *answer = new_answer(PONG, 0);
    if (answer) {
        answer->length = (uint8_t)(length < 64 ? length : 64);
        memcpy(answer->data, data, answer->length);
    }
}

void link_refuse(uint32_t stream, int error, const char *reason) {
    struct answer *answer = new_answer(FAILED, stream);
    if (answer) {
        size_t length = strlen(reason) < ANSWER_BYTES - 5 ? strlen(reason) : ANSWER_BYTES - 5;
        put_u32(answer->data, (uint32_t)error);
        answer->data[4] = REFUSED_REQUEST;
        memcpy(answer->data + 5, reason, length);
        answer->length = (uint8_t)(5 + length);
    }
}

void link_welcome(const uint8_t nonce[WIRE_NONCE_SIZE]) {
    memcpy(welcome_nonce, nonce, WIRE_NONCE_SIZE);
    answers_first = answers_count = 0;
    bytes_free(&announcement);
    phase = GREETING;
    for (struct stream *stream = stream_first; stream; stream = stream->all.next) {
        stream->announce = stream->announced = stream->kind == STREAM_COMMAND && !stream->error;
    }
}

static size_t answer_frame(uint8_t *frame) {
    struct answer *answer = &answers[answers_first];
    answers_first = (answers_first + 1) % ANSWERS;
    answers_count--;
    memcpy(frame + WIRE_HEADER, answer->data, answer->length);
    return frame_build(frame, answer->type, 0, answer->stream, answer->length);
}

static size_t welcome_frame(uint8_t *frame) {
    struct utsname names;
    struct bytes payload = {0};
    uint8_t version[2];
    put_u16(version, WIRE_VERSION);
    bytes_add(&payload, WIRE_MAGIC, WIRE_MAGIC_SIZE);
    bytes_add(&payload, welcome_nonce, WIRE_NONCE_SIZE);
    bytes_add(&payload, version, sizeof version);
    field_put_text(&payload, 1, AGENT_VERSION);
    field_put_text(&payload, 2, uname(&names) == 0 ? names.release : "");
    field_put_u32(&payload, 3, stream_highest);
    field_put_u64(&payload, 4, (uint64_t)stream_idle());
    field_put_u32(&payload, 5, ABILITY_SERVICES | ABILITY_OWNERS);
    field_put_u32(&payload, 6, WIRE_FRAME_MOST);
    size_t length = bytes_length(&payload);
    if (!payload.failed) {
        memcpy(frame + WIRE_HEADER, payload.data, length);
    }
    bytes_free(&payload);
    return frame_build(frame, WELCOME, 0, 0, length);
}

/* The next command to announce; false when all are through. */
static bool describe_next(void) {
    for (struct stream *stream = stream_first; stream; stream = stream->all.next) {
        if (!stream->announce) {
            continue;
        }
        stream->announce = false;
        command_describe(stream, &announcement);
        stream_update(stream);
        if (!announcement.failed) {
            announced_stream = stream->id;
            return true;
        }
        bytes_free(&announcement);
    }
    return false;
}

static size_t announcement_frame(uint8_t *frame) {
    if (bytes_length(&announcement) == 0 && !describe_next()) {
        phase = QUIET;
        return frame_build(frame, READY, 0, 0, 0);
    }
    size_t left = bytes_length(&announcement);
    size_t length = left > WIRE_PAYLOAD ? WIRE_PAYLOAD : left;
    memcpy(frame + WIRE_HEADER, announcement.data + announcement.start, length);
    bytes_take(&announcement, length);
    if (left == length) {
        bytes_free(&announcement);
    }
    return frame_build(frame, COMMAND, left > length ? FLAG_MORE : 0, announced_stream, length);
}

/* A service that changed. */
static size_t change_frame(uint8_t *frame) {
    struct bytes fields = {0};
    size_t size = 0;
    if (service_next_change(&fields) && !fields.failed && bytes_length(&fields) <= WIRE_PAYLOAD) {
        memcpy(frame + WIRE_HEADER, fields.data, bytes_length(&fields));
        size = frame_build(frame, SERVICE_CHANGED, 0, 0, bytes_length(&fields));
    }
    bytes_free(&fields);
    return size;
}

/* Nothing about a stream goes out before READY, so that a new daemon hears of a command before it hears from it. */
size_t link_next_frame(uint8_t frame[WIRE_FRAME_MOST]) {
    if (phase == GREETING) {
        phase = ANNOUNCING;
        return welcome_frame(frame);
    }
    if (answers_count > 0 && (phase == QUIET || bytes_length(&announcement) == 0)) {
        return answer_frame(frame);
    }
    size_t size = phase == ANNOUNCING ? announcement_frame(frame) : change_frame(frame);
    return size > 0 ? size : stream_next_frame(frame);
}
