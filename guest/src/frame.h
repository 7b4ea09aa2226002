/* SPDX-License-Identifier: Apache-2.0 */
/* Frames out of a byte stream. After a broken frame everything up to the next HELLO is thrown away. */
#ifndef FRAME_H
#define FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire.h"

struct frame {
    uint8_t type;
    uint8_t flags;
    uint32_t stream;
    uint16_t length;
    const uint8_t *payload; /* valid until frame_space is called */
};

#define FRAME_ROOM (262144 + WIRE_FRAME_MOST)

struct frame_reader {
    uint8_t data[FRAME_ROOM];
    size_t start, end;
    bool lost; /* looking for HELLO */
};

/* Where to read the next bytes to, and how many fit; never 0 after frame_next returned false. */
uint8_t *frame_space(struct frame_reader *reader, size_t *room);
void frame_filled(struct frame_reader *reader, size_t length);
/* False: more bytes are needed. */
bool frame_next(struct frame_reader *reader, struct frame *frame);
/* The last frame made no sense: look for HELLO. */
void frame_lose(struct frame_reader *reader);

#endif
