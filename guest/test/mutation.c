/* SPDX-License-Identifier: Apache-2.0 */
/* Mutated frames through parser and dispatch, in one process: no crash, no undefined behaviour, every answer a sound frame, every
 * descriptor given back. SEED repeats a run, FRAMES sets its length. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "dispatch.h"
#include "fields.h"
#include "flow.h"
#include "link.h"
#include "loop.h"
#include "process.h"
#include "session.h"
#include "shutdown.h"
#include "spawn.h"
#include "stream.h"
#include "sudo.h"
#include "wire.h"

static uint64_t state;

static uint32_t chance(uint32_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16) % below;
}

/* What would reach out of this process. */
#define FAKES 128
static struct { pid_t pid; int in, out, err, status; } fakes[FAKES];

void spawn_explain(const struct child_plan *plan, const struct child_failure *said, struct spawn_failure *failure) {
    (void)plan;
    *failure = (struct spawn_failure){.error = said->error, .reason = "no"};
}

void spawn_plan_free(struct child_plan *plan) {
    free(plan);
}

bool spawn(const struct spawn *request, struct spawned *spawned, struct spawn_failure *failure) {
    int slot = 0;
    while (slot < FAKES && fakes[slot].pid) {
        slot++;
    }
    if (slot == FAKES || chance(50) == 0) {
        *failure = (struct spawn_failure){.error = EAGAIN, .reason = "no more"};
        return false;
    }
    static pid_t next = 5000000;
    int pairs[4][2];
    for (int i = 0; i < 4; i++) {
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pairs[i]) < 0) {
            abort();
        }
    }
    for (char **argument = request->arguments; argument && *argument; argument++) {
        if (strlen(*argument) > WIRE_MESSAGE) {
            abort();
        }
    }
    fakes[slot].pid = ++next;
    fakes[slot].in = pairs[0][1];
    fakes[slot].out = pairs[1][1];
    fakes[slot].err = pairs[2][1];
    fakes[slot].status = pairs[3][1];
    *spawned = (struct spawned){next, pairs[0][0], pairs[1][0], pairs[2][0], pairs[3][0], malloc(1)};
    if (request->pty || !request->input) {
        close(spawned->in);
        close(fakes[slot].in);
        spawned->in = fakes[slot].in = -1;
    }
    if (request->pty) {
        close(spawned->err);
        close(fakes[slot].err);
        spawned->err = fakes[slot].err = -1;
    }
    return true;
}

static void end_fake(int slot) {
    int fds[] = {fakes[slot].in, fakes[slot].out, fakes[slot].err, fakes[slot].status};
    for (int i = 0; i < 4; i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
    }
    struct rusage usage = {0};
    process_reaped(fakes[slot].pid, (int)chance(3) * 256 + (chance(4) == 0 ? 9 : 0), &usage);
    fakes[slot].pid = 0;
}

static void live(void) {
    int slot = (int)chance(FAKES);
    static uint8_t block[20000];
    ssize_t ignored = 0;
    if (!fakes[slot].pid) {
        return;
    }
    switch (chance(8)) {
        case 0:
            end_fake(slot);
            break;
        case 1:
            if (fakes[slot].status >= 0) {
                struct child_failure failure = {.error = ENOENT, .step = CHILD_PROGRAM};
                if (chance(3) == 0) {
                    ignored = write(fakes[slot].status, &failure, sizeof failure);
                }
                close(fakes[slot].status);
                fakes[slot].status = -1;
            }
            break;
        case 2:
            if (fakes[slot].in >= 0) {
                ignored = read(fakes[slot].in, block, sizeof block);
            }
            break;
        case 3:
            if (fakes[slot].in >= 0) {
                close(fakes[slot].in);
                fakes[slot].in = -1;
            }
            break;
        default:
            if (fakes[slot].out >= 0) {
                int fd = chance(3) && fakes[slot].err >= 0 ? fakes[slot].err : fakes[slot].out;
                ignored = send(fd, block, chance(sizeof block), MSG_NOSIGNAL | MSG_DONTWAIT);
            }
    }
    (void)ignored;
}

int __wrap_kill(pid_t pid, int number) { (void)pid, (void)number; return 0; }
int __wrap_sethostname(const char *name, size_t length) { (void)name, (void)length; return 0; }
int __wrap_connect(int fd, const struct sockaddr *address, socklen_t length) {
    (void)fd, (void)address, (void)length;
    errno = chance(2) ? EINPROGRESS : ECONNREFUSED;
    return -1;
}
void link_forget_frames(void) {}
void session_kill(pid_t session) { (void)session; }
void session_each(bool (*visit)(void *, const struct process_facts *), void *context) { (void)visit, (void)context; }
void shutdown_start(uint32_t grace) { (void)grace; }
bool shutdown_is_on(void) { return false; }
void sudo_serve(bool on) { (void)on; }
void sudo_kill_of(pid_t session) { (void)session; }
pid_t sudo_owner(pid_t session) { return session; }
void sudo_reaped(pid_t pid) { (void)pid; }
void log_line(const char *format, ...) { (void)format; }

static void random_fields(struct bytes *bytes, uint8_t most) {
    static const char *const texts[] = {"sh", "/tmp/x", "A=b", "user", "1000:5", "", "~", "\xff\xfe", "user.a", "/", "..", "x\0y"};
    for (uint32_t count = chance(9); count > 0; count--) {
        uint8_t tag = (uint8_t)(1 + chance(most));
        switch (chance(5)) {
            case 0:
                field_put_u8(bytes, tag, (uint8_t)chance(20));
                break;
            case 1:
                field_put_u32(bytes, tag, chance(4) ? chance(16) : (uint32_t)state);
                break;
            case 2:
                field_put_u64(bytes, tag, chance(2) ? chance(100) : state);
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
    if (type == START) {
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
    static uint8_t block[WIRE_PAYLOAD];
    switch (type) {
        case HELLO:
            bytes_add(bytes, WIRE_MAGIC, WIRE_MAGIC_SIZE);
            bytes_add(bytes, block, WIRE_NONCE_SIZE);
            random_fields(bytes, 7);
            break;
        case START:
        case FILE_OPERATION:
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
            bytes_add(bytes, block, chance(WIRE_PAYLOAD));
            break;
        case CREDIT:
        case RESIZE:
        case SHUTDOWN: {
            uint8_t raw[4];
            put_u32(raw, chance(3) ? chance(20000) : (uint32_t)state);
            bytes_add(bytes, raw, 4);
            break;
        }
        case SIGNAL:
            bytes_add(bytes, block, 1);
            break;
        case ATTACH: {
            uint8_t raw[12];
            put_u64(raw, chance(2) ? chance(50000) : state);
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
    uint8_t type = chance(60) == 0 ? HELLO : (uint8_t)(START + chance(14));
    struct bytes payload = {0};
    random_payload(&payload, type);
    size_t length = bytes_length(&payload) < WIRE_PAYLOAD ? bytes_length(&payload) : WIRE_PAYLOAD;
    bool request = type == START || type == FILE_OPERATION || type == CONNECT;
    uint32_t stream = request ? ++newest : newest > 40 ? newest - chance(40) : 1 + chance(newest);
    if (type == HELLO || type == PING || type == SETTINGS || type == SHUTDOWN) {
        stream = 0;
    }
    bool more = (type == HELLO || type == START || type == FILE_OPERATION || type == SETTINGS) && chance(20) == 0;
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
    uint8_t frame[WIRE_FRAME];
    for (size_t size; most > 0 && (size = link_next_frame(frame)) > 0; most--) {
        size_t length = get_u16(frame);
        bool sound = size == length + WIRE_HEADER && length <= WIRE_PAYLOAD && frame[2] >= WELCOME && frame[2] <= ENDED &&
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
    static const uint8_t types[] = {WELCOME, COMMAND, READY, STARTED, OUTPUT, GRANT, EXITED, FAILED, PONG};
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
    state = seed * 2862933555777941757ull + 3037000493ull;
    static struct frame_reader reader;
    uint8_t frame[WIRE_FRAME];
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
            live();
        }
        if (chance(4) == 0) {
            drain_link(chance(300));
        }
        if (chance(16) == 0) {
            loop_turn(true);
            process_bound_finished();
        }
    }
    uint8_t hello[WIRE_MAGIC_SIZE + WIRE_NONCE_SIZE] = WIRE_MAGIC;
    struct frame last = {HELLO, 0, 0, sizeof hello, hello};
    dispatch_frame(&last);
    for (int slot = 0; slot < FAKES; slot++) {
        if (fakes[slot].pid) {
            end_fake(slot);
        }
    }
    for (int i = 0; i < 200; i++) {
        loop_turn(true);
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
        drain_link(1000000);
    }
    if (stream_count != 0 || open_descriptors() != before) {
        fprintf(stderr, "mutation: %u streams and %u descriptors are left (expected: 0 and %u)\n", stream_count,
                open_descriptors(), before);
        return 1;
    }
    return frames < 10000 || said_everything() ? 0 : 1;
}
