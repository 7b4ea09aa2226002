/* SPDX-License-Identifier: Apache-2.0 */
/* One input is what a daemon might send: any bytes, through parser and dispatch. What goes out must be sound, and nothing may be left. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch.h"
#include "fakes.h"
#include "flow.h"
#include "frame.h"
#include "link.h"
#include "loop.h"
#include "process.h"
#include "service.h"
#include "settings.h"
#include "stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t hello[WIRE_MAGIC_SIZE + WIRE_NONCE_SIZE] = WIRE_MAGIC;

static void drain(void) {
    uint8_t frame[WIRE_FRAME_MOST];
    for (size_t size; (size = link_next_frame(frame)) > 0;) {
        size += fakes_pass();
        if (size != (size_t)get_u16(frame) + WIRE_HEADER || size > settings.frame_most || frame[2] < WELCOME || frame[3] > FLAG_MORE) {
            abort();
        }
    }
}

static void feed(struct frame_reader *reader, const uint8_t *data, size_t size) {
    struct frame next;
    while (size > 0) {
        size_t room, part;
        uint8_t *space = frame_space(reader, &room);
        part = room < size ? room : size;
        if (part == 0) {
            abort();
        }
        memcpy(space, data, part);
        frame_filled(reader, part);
        data += part;
        size -= part;
        while (frame_next(reader, &next)) {
            if (!dispatch_frame(&next)) {
                frame_lose(reader);
            }
            fakes_live();
            drain();
        }
        flow_push_waiting();
    }
}

static void turn(void) {
    loop_turn(true);
    service_answer();
    process_bound_finished();
    drain();
}

/* A new daemon forgets the old one's operations; commands that have ended are closed. */
static void clear(void) {
    struct frame greeting = {HELLO, 0, 0, sizeof hello, hello};
    dispatch_frame(&greeting);
    fakes_end_all();
    turn();
    for (int i = 0; stream_first && i < 100; i++) {
        for (struct stream *after, *stream = stream_first; stream; stream = after) {
            after = stream->all.next;
            struct frame close = {CLOSE, 0, stream->id, 0, hello};
            dispatch_frame(&close);
        }
        turn();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static bool open;
    static struct frame_reader reader;
    if (!open) {
        signal(SIGPIPE, SIG_IGN);
        open = loop_open();
    }
    fakes_state = 88172645463325252ull;
    reader.start = reader.end = 0;
    reader.lost = false;
    struct frame greeting = {HELLO, 0, 0, sizeof hello, hello};
    dispatch_frame(&greeting);
    feed(&reader, data, size);
    turn();
    clear();
    return 0;
}
