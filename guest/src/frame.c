/* SPDX-License-Identifier: Apache-2.0 */
#include "frame.h"

#include <string.h>

uint8_t *frame_space(struct frame_reader *reader, size_t *room) {
    if (reader->start > 0) {
        memmove(reader->data, reader->data + reader->start, reader->end - reader->start);
        reader->end -= reader->start;
        reader->start = 0;
    }
    *room = sizeof reader->data - reader->end;
    return reader->data + reader->end;
}

void frame_filled(struct frame_reader *reader, size_t length) {
    reader->end += length;
}

void frame_lose(struct frame_reader *reader) {
    reader->lost = true;
}

static void read_header(const uint8_t *at, struct frame *frame) {
    frame->length = get_u16(at);
    frame->type = at[2];
    frame->flags = at[3];
    frame->stream = get_u32(at + 4);
    frame->payload = at + WIRE_HEADER;
}

static bool may_be_split(uint8_t type) {
    return type == HELLO || type == START || type == FILE_OPERATION || type == SERVICE || type == SETTINGS;
}

static bool is_of_link(uint8_t type) {
    return type == HELLO || type == PING || type == SETTINGS || type == SHUTDOWN;
}

static bool is_short_enough(const struct frame *frame) {
    return frame->length <= (frame->type == DATA ? WIRE_FRAME_MOST : WIRE_FRAME) - WIRE_HEADER;
}

static bool is_sound(const struct frame *frame) {
    return is_short_enough(frame) && frame->type >= HELLO && frame->type <= SERVICE &&
           (frame->flags == 0 || (frame->flags == FLAG_MORE && may_be_split(frame->type))) &&
           frame->stream <= WIRE_STREAM_MAX && (frame->stream == 0) == is_of_link(frame->type);
}

/* Moves start to the header of the first HELLO, or to where one could still begin. */
static bool find_hello(struct frame_reader *reader) {
    for (; reader->end - reader->start >= WIRE_HEADER + WIRE_MAGIC_SIZE; reader->start++) {
        const uint8_t *from = reader->data + reader->start;
        const uint8_t *magic =
            memmem(from + WIRE_HEADER, reader->end - reader->start - WIRE_HEADER, WIRE_MAGIC, WIRE_MAGIC_SIZE);
        if (!magic) {
            reader->start = reader->end - (WIRE_HEADER + WIRE_MAGIC_SIZE - 1);
            return false;
        }
        reader->start += (size_t)(magic - WIRE_HEADER - from);
        struct frame frame;
        read_header(reader->data + reader->start, &frame);
        if (is_sound(&frame) && frame.type == HELLO && frame.length >= WIRE_MAGIC_SIZE + WIRE_NONCE_SIZE) {
            return true;
        }
    }
    return false;
}

bool frame_next(struct frame_reader *reader, struct frame *frame) {
    if (!reader->lost && reader->end - reader->start >= WIRE_HEADER) {
        read_header(reader->data + reader->start, frame);
        if (!is_sound(frame)) {
            reader->lost = true;
            reader->start++;
        }
    }
    if (reader->lost) {
        if (!find_hello(reader)) {
            return false;
        }
        reader->lost = false;
        read_header(reader->data + reader->start, frame);
    }
    size_t have = reader->end - reader->start;
    if (have < WIRE_HEADER || have - WIRE_HEADER < frame->length) {
        return false;
    }
    reader->start += WIRE_HEADER + frame->length;
    return true;
}
