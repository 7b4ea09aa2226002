/* SPDX-License-Identifier: Apache-2.0 */
/* Mutated frames through parser and dispatch, in one process: no crash, no undefined behaviour, every answer a sound frame, every
 * descriptor given back. SEED repeats a run, FRAMES sets its length. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "dispatch.h"
#include "fakes.h"
#include "fields.h"
#include "flow.h"
#include "link.h"
#include "loop.h"
#include "pass.h"
#include "process.h"
#include "service.h"
#include "settings.h"
#include "stream.h"
#include "wire.h"

static void random_fields(struct bytes *bytes, uint8_t most) {
    static const char *const texts[] = {"sh", "/tmp/x", "A=b", "user", "1000:5", "", "~", "\xff\xfe", "user.a", "/", "..", "x\0y"};
    for (uint32_t count = chance(9); count > 0; count--) {
        uint8_t tag = (uint8_t)(1 + chance(most));
        switch (chance(5)) {
            case 0:
                field_put_u8(bytes, tag, (uint8_t)chance(20));
                break;
            case 1:
                field_put_u32(bytes, tag, chance(4) ? chance(16) : (uint32_t)fakes_state);
                break;
            case 2:
                field_put_u64(bytes, tag, chance(2) ? chance(100) : fakes_state);
                break;
            case 3: {
                static const uint8_t zeros[3000];
                field_put(bytes, tag, zeros, chance(sizeof zeros));
                break;
            }
            default:
                field_put_text(bytes, tag, texts[chance(sizeof texts / sizeof *texts)]);
        }
    }
}

/* A request that would work, so that there is something to hit. */
static void sound_request(struct bytes *bytes, uint8_t type) {
    if (type == SERVICE) {
        static const char *const names[] = {"web", "job.service", "daemon", "odd", "none"};
        field_put_u8(bytes, 1, (uint8_t)(1 + chance(7)));
        for (uint32_t count = chance(3); count > 0; count--) {
            field_put_text(bytes, 2, names[chance(5)]);
        }
        field_put_u32(bytes, 3, chance(2));
    } else if (type == START) {
        field_put_text(bytes, 1, "sh");
        field_put_u32(bytes, 6, chance(4));
        if (chance(3) == 0) {
            field_put_u32(bytes, 5, 80 << 16 | 24);
        }
        field_put_u32(bytes, 7, chance(9000));
    } else {
        field_put_u8(bytes, 1, (uint8_t)(1 + chance(15)));
        field_put_text(bytes, 2, "/tmp/x");
        field_put_text(bytes, 3, "/tmp/y");
        field_put_text(bytes, 12, "user.a");
    }
}

static void random_payload(struct bytes *bytes, uint8_t type) {
    static uint8_t block[WIRE_FRAME_MOST];
    switch (type) {
        case HELLO:
            bytes_add(bytes, WIRE_MAGIC, WIRE_MAGIC_SIZE);
            bytes_add(bytes, block, WIRE_NONCE_SIZE);
            random_fields(bytes, 7);
            if (chance(2)) {
                field_put_u8(bytes, 12, 1);
            }
            if (chance(2)) {
                field_put_u32(bytes, 10, chance(2 * WIRE_FRAME_MOST));
            }
            break;
        case START:
        case FILE_OPERATION:
        case SERVICE:
            if (chance(3)) {
                sound_request(bytes, type);
            } else {
                random_fields(bytes, 15);
            }
            break;
        case SETTINGS:
            random_fields(bytes, 7);
            break;
        case DATA:
            bytes_add(bytes, block, chance(chance(4) ? WIRE_PAYLOAD : WIRE_FRAME_MOST - WIRE_HEADER + 1));
            break;
        case CREDIT:
        case RESIZE:
        case SHUTDOWN: {
            uint8_t raw[4];
            put_u32(raw, chance(3) ? chance(20000) : (uint32_t)fakes_state);
            bytes_add(bytes, raw, 4);
            break;
        }
        case SIGNAL:
            bytes_add(bytes, block, 1);
            break;
        case ATTACH: {
            uint8_t raw[12];
            put_u64(raw, chance(2) ? chance(50000) : fakes_state);
            put_u32(raw + 8, chance(70000));
            bytes_add(bytes, raw, 12);
            break;
        }
        case CONNECT:
            bytes_add(bytes, "\0\x50", 2);
            break;
        case PING:
            bytes_add(bytes, block, chance(64));
            break;
        default:
            break;
    }
}

static size_t random_frame(uint8_t *frame) {
    static uint32_t newest = 1;
    uint8_t type = chance(60) == 0 ? HELLO : (uint8_t)(START + chance(16));
    struct bytes payload = {0};
    random_payload(&payload, type);
    size_t most = type == DATA ? WIRE_FRAME_MOST - WIRE_HEADER : WIRE_PAYLOAD;
    size_t length = bytes_length(&payload) < most ? bytes_length(&payload) : most;
    bool request = type == START || type == FILE_OPERATION || type == CONNECT || type == SERVICE;
    uint32_t stream = request ? ++newest : newest > 40 ? newest - chance(40) : 1 + chance(newest);
    if (type == HELLO || type == PING || type == SETTINGS || type == SHUTDOWN) {
        stream = 0;
    }
    bool more = (type == HELLO || type == START || type == FILE_OPERATION || type == SETTINGS || type == SERVICE) && chance(20) == 0;
    frame_build(frame, type, more ? FLAG_MORE : 0, stream, length);
    if (length > 0) {
        memcpy(frame + WIRE_HEADER, payload.data, length);
    }
    bytes_free(&payload);
    size_t size = WIRE_HEADER + length;
    if (chance(4) == 0) { /* the mutation */
        for (uint32_t count = 1 + chance(3); count > 0; count--) {
            frame[chance(4) ? chance((uint32_t)size) : chance(WIRE_HEADER)] ^= (uint8_t)(1u << chance(8));
        }
        if (chance(10) == 0) {
            size = 1 + chance((uint32_t)size);
        }
    }
    return size;
}

static unsigned long said[256]; /* frames that went out, by type */

static void drain_link(uint32_t most) {
    uint8_t frame[WIRE_FRAME_MOST];
    fakes_pass();
    for (size_t size; most > 0 && (size = link_next_frame(frame)) > 0; most--) {
        size_t length = get_u16(frame);
        if (pass_is_on() && chance(4) == 0) {
            said[frame[2]]++;
            return; /* its stream may be closed before the rest of it goes */
        }
        size += fakes_pass();
        bool sound = size == length + WIRE_HEADER && size <= settings.frame_most && frame[2] >= WELCOME && frame[2] <= SERVICE_CHANGED &&
                     frame[3] <= 1 && get_u32(frame + 4) <= WIRE_STREAM_MAX;
        if (!sound || (frame[2] == OUTPUT && length <= WIRE_OUTPUT_HEADER)) {
            fprintf(stderr, "mutation: an unsound frame goes out\n");
            abort();
        }
        said[frame[2]]++;
    }
}

/* A run that never got an answer of some type tested nothing. */
static bool said_everything(void) {
    static const uint8_t types[] = {WELCOME, COMMAND, READY, STARTED, OUTPUT, GRANT, EXITED, FAILED, PONG, EXTENT, SERVICE_CHANGED};
    for (size_t i = 0; i < sizeof types; i++) {
        if (said[types[i]] == 0) {
            fprintf(stderr, "mutation: no frame of type %#x went out\n", types[i]);
            return false;
        }
    }
    return true;
}

static unsigned open_descriptors(void) {
    unsigned count = 0;
    for (int fd = 0; fd < 4096; fd++) {
        count += fcntl(fd, F_GETFD) >= 0;
    }
    return count;
}

int main(void) {
    const char *seed_text = getenv("SEED"), *frames_text = getenv("FRAMES");
    uint64_t seed = seed_text ? strtoull(seed_text, NULL, 10) : (uint64_t)time(NULL) * 1000003u ^ (uint64_t)getpid();
    unsigned long frames = frames_text ? strtoul(frames_text, NULL, 10) : 300000;
    printf("mutation: SEED=%llu\n", (unsigned long long)seed);
    fflush(stdout);
    signal(SIGPIPE, SIG_IGN); /* as the agent does */
    fakes_state = seed * 2862933555777941757ull + 3037000493ull;
    static struct frame_reader reader;
    uint8_t frame[WIRE_FRAME_MOST];
    if (!loop_open()) {
        return 1;
    }
    unsigned before = open_descriptors();
    for (unsigned long i = 0; i < frames; i++) {
        size_t size = random_frame(frame), room;
        uint8_t *space = frame_space(&reader, &room);
        if (room < size) {
            abort();
        }
        memcpy(space, frame, size);
        frame_filled(&reader, size);
        struct frame next;
        while (frame_next(&reader, &next)) {
            if (!dispatch_frame(&next)) {
                frame_lose(&reader);
            }
        }
        flow_push_waiting();
        for (int lives = 0; lives < 8; lives++) {
            fakes_live();
        }
        if (chance(4) == 0) {
            drain_link(chance(300));
        }
        if (chance(16) == 0) {
            loop_turn(true);
            service_answer();
            process_bound_finished();
        }
    }
    uint8_t hello[WIRE_MAGIC_SIZE + WIRE_NONCE_SIZE] = WIRE_MAGIC;
    struct frame last = {HELLO, 0, 0, sizeof hello, hello};
    dispatch_frame(&last);
    fakes_shutdown = true; /* so that no service is started again */
    fakes_end_all();
    for (int i = 0; i < 200; i++) {
        loop_turn(true);
        service_answer();
        drain_link(1000000);
    }
    struct timespec pause = {.tv_nsec = 60000000}; /* ptys settle */
    nanosleep(&pause, NULL);
    loop_turn(true);
    for (struct stream *after, *stream = stream_first; stream; stream = after) {
        after = stream->all.next;
        struct frame close = {CLOSE, 0, stream->id, 0, hello};
        dispatch_frame(&close);
    }
    for (int i = 0; i < 200; i++) {
        loop_turn(true);
        service_answer();
        drain_link(1000000);
    }
    if (stream_count != 0 || open_descriptors() != before) {
        fprintf(stderr, "mutation: %u streams and %u descriptors are left (expected: 0 and %u)\n", stream_count,
                open_descriptors(), before);
        return 1;
    }
    return frames < 10000 || said_everything() ? 0 : 1;
}
