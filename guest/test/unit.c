/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "environment.h"
#include "fields.h"
#include "frame.h"
#include "link.h"
#include "loop.h"
#include "memory.h"
#include "message.h"
#include "ring.h"
#include "session.h"
#include "tar.h"
#include "users.h"
#include "wire.h"
#include "worker.h"

static int failures;

#define CHECK(condition)                                                          \
    do {                                                                          \
        if (!(condition)) {                                                       \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);       \
            failures++;                                                           \
        }                                                                         \
    } while (0)

static size_t put_frame(uint8_t *at, uint8_t type, uint8_t flags, uint32_t stream, const void *data, size_t length) {
    put_u16(at, (uint16_t)length);
    at[2] = type;
    at[3] = flags;
    put_u32(at + 4, stream);
    memmove(at + WIRE_HEADER, data, length);
    return WIRE_HEADER + length;
}

static size_t put_hello(uint8_t *at) {
    uint8_t payload[WIRE_MAGIC_SIZE + WIRE_NONCE_SIZE] = WIRE_MAGIC;
    memset(payload + WIRE_MAGIC_SIZE, 7, WIRE_NONCE_SIZE);
    return put_frame(at, HELLO, 0, 0, payload, sizeof payload);
}

static struct frame_reader reader;

static void feed(const uint8_t *data, size_t length) {
    size_t room;
    uint8_t *space = frame_space(&reader, &room);
    CHECK(length <= room);
    memcpy(space, data, length);
    frame_filled(&reader, length);
}

static void frames_come_whole_however_they_are_cut(void) {
    uint8_t data[512];
    struct frame frame;
    memset(&reader, 0, sizeof reader);
    size_t length = put_frame(data, PING, 0, 0, "abc", 3);
    length += put_frame(data + length, DATA, 0, 9, "defg", 4);
    int found = 0;
    for (size_t i = 0; i < length; i++) {
        feed(data + i, 1);
        while (frame_next(&reader, &frame)) {
            found++;
            CHECK(found == 1 ? frame.type == PING && frame.length == 3 && memcmp(frame.payload, "abc", 3) == 0
                             : frame.type == DATA && frame.stream == 9 && memcmp(frame.payload, "defg", 4) == 0);
        }
    }
    CHECK(found == 2);
}

static void a_long_frame_of_data_comes_whole_however_it_is_cut(void) {
    static uint8_t data[2 * WIRE_FRAME_MOST], block[WIRE_FRAME_MOST - WIRE_HEADER];
    struct frame frame;
    for (size_t i = 0; i < sizeof block; i++) {
        block[i] = (uint8_t)(i * 31 >> 3);
    }
    for (size_t step = 1009; step < WIRE_FRAME_MOST; step += 1009) {
        memset(&reader, 0, sizeof reader);
        size_t length = put_frame(data, DATA, 0, 5, block, sizeof block);
        length += put_frame(data + length, PING, 0, 0, "abc", 3);
        int found = 0;
        for (size_t done = 0; done < length;) {
            size_t part = length - done < step ? length - done : step;
            feed(data + done, part);
            done += part;
            while (frame_next(&reader, &frame)) {
                found++;
                CHECK(found == 1 ? frame.type == DATA && frame.length == sizeof block && memcmp(frame.payload, block, sizeof block) == 0
                                 : frame.type == PING);
            }
        }
        CHECK(found == 2);
    }
}

static void after_garbage_the_next_hello_is_found(void) {
    struct frame frame;
    for (size_t garbage = 1; garbage < 200; garbage++) {
        uint8_t data[1024];
        memset(&reader, 0, sizeof reader);
        memset(data, garbage % 3 ? 0xff : 0, garbage);
        size_t length = garbage + put_hello(data + garbage);
        length += put_frame(data + length, PING, 0, 0, "x", 1);
        feed(data, length);
        CHECK(frame_next(&reader, &frame) && frame.type == HELLO && frame.length == 32);
        CHECK(frame_next(&reader, &frame) && frame.type == PING);
        CHECK(!frame_next(&reader, &frame));
    }
}

static void zeros_finish_half_a_frame_and_lead_to_hello(void) {
    static uint8_t data[3 * WIRE_FRAME_MOST];
    struct frame frame;
    for (size_t cut = 1; cut < WIRE_FRAME_MOST; cut += cut < 16 ? 1 : 61) {
        memset(&reader, 0, sizeof reader);
        memset(data, 'x', sizeof data);
        put_frame(data, DATA, 0, 0x5050505, data + 100, WIRE_FRAME_MOST - WIRE_HEADER);
        memset(data + cut, 0, WIRE_FRAME_MOST);
        size_t length = cut + WIRE_FRAME_MOST;
        length += put_hello(data + length);
        feed(data, length);
        bool found = false;
        while (frame_next(&reader, &frame)) {
            found |= frame.type == HELLO;
        }
        CHECK(found);
    }
}

static void unsound_frames_are_lost(void) {
    static const struct { uint8_t type, flags; uint32_t stream; uint16_t length; } unsound[] = {
        {0, 0, 0, 0}, {16, 0, 0, 0}, {DATA, 1, 3, 4}, {DATA, 2, 3, 4}, {DATA, 0, 0, 4}, {PING, 0, 3, 1},
        {DATA, 0, 0x80000000u, 1}, {DATA, 0, 3, 65529}, {START, 0, 3, 4089}, {PING, 0, 0, 4089},
    };
    for (size_t i = 0; i < sizeof unsound / sizeof *unsound; i++) {
        static uint8_t data[8192];
        struct frame frame;
        memset(&reader, 0, sizeof reader);
        put_frame(data, unsound[i].type, unsound[i].flags, unsound[i].stream, data, 0);
        put_u16(data, unsound[i].length);
        feed(data, sizeof data);
        CHECK(!frame_next(&reader, &frame));
        CHECK(reader.lost);
    }
}

static void messages_are_put_together(void) {
    struct message message;
    struct frame a = {START, FLAG_MORE, 3, 5, (const uint8_t *)"hello"}, b = {START, 0, 5, 3, (const uint8_t *)"two"};
    struct frame c = {START, 0, 3, 6, (const uint8_t *)" world"};
    CHECK(message_add(&a, &message) == MESSAGE_PARTIAL);
    CHECK(message_add(&b, &message) == MESSAGE_WHOLE && message.length == 3 && message.stream == 5);
    CHECK(message_add(&c, &message) == MESSAGE_WHOLE && message.length == 11 && memcmp(message.data, "hello world", 11) == 0);
    CHECK(message_add(&a, &message) == MESSAGE_PARTIAL);
    struct frame other = {DATA, 0, 3, 1, (const uint8_t *)"x"};
    CHECK(message_add(&other, &message) == MESSAGE_BROKEN);
    struct frame close = {CLOSE, 0, 3, 0, (const uint8_t *)""};
    CHECK(message_add(&close, &message) == MESSAGE_WHOLE && message.type == CLOSE);
    message_forget_all();
}

static void too_long_messages_are_refused_once(void) {
    static uint8_t block[WIRE_PAYLOAD];
    struct message message;
    struct frame part = {START, FLAG_MORE, 8, WIRE_PAYLOAD, block};
    int refused = 0;
    for (int i = 0; i < 600; i++) {
        enum message_result result = message_add(&part, &message);
        refused += result == MESSAGE_REFUSED;
        CHECK(result == MESSAGE_PARTIAL || result == MESSAGE_REFUSED);
    }
    CHECK(refused == 1);
    part.flags = 0;
    CHECK(message_add(&part, &message) == MESSAGE_PARTIAL);
    CHECK(message_add(&part, &message) == MESSAGE_WHOLE);
    message_forget_all();
}

static void unfinished_messages_are_bounded(void) {
    static uint8_t block[WIRE_PAYLOAD];
    struct message message;
    int refused = 0;
    for (uint32_t stream = 1; stream < 80; stream++) {
        struct frame part = {START, FLAG_MORE, stream, WIRE_PAYLOAD, block};
        refused += message_add(&part, &message) == MESSAGE_REFUSED;
    }
    CHECK(refused == 79 - 64);
    message_forget_all();
}

static void fields_do_not_reach_over_the_end(void) {
    struct bytes bytes = {0};
    field_put_u32(&bytes, 1, 77);
    field_put_text(&bytes, 2, "abc");
    field_put_u64(&bytes, 3, 1ull << 40);
    for (size_t length = 0; length <= bytes_length(&bytes); length++) {
        uint8_t *copy = malloc(length + 1); /* so that the sanitizer sees a step too far */
        memcpy(copy, bytes.data, length);
        copy = realloc(copy, length ? length : 1);
        struct fields fields = fields_of(copy, length);
        struct field field;
        int count = 0;
        while (field_next(&fields, &field)) {
            count++;
        }
        bool at_end = length == 0 || length == 9 || length == 17 || length == 30;
        CHECK(fields.broken == !at_end);
        CHECK(count == (length >= 30 ? 3 : length >= 17 ? 2 : length >= 9 ? 1 : 0));
        free(copy);
    }
    struct field with_nul = {.length = 3, .data = (const uint8_t *)"a\0b"};
    CHECK(field_text(&with_nul) == NULL);
    uint32_t number;
    CHECK(!field_u32(&with_nul, &number));
    bytes_free(&bytes);
}

static void the_ring_keeps_the_tail(void) {
    struct ring ring;
    ring_init(&ring, 10000);
    uint8_t block[777], back[10000], kind;
    uint64_t written = 0;
    for (int round = 0; round < 200; round++) {
        for (size_t i = 0; i < sizeof block; i++) {
            block[i] = (uint8_t)((written + i) * 31 >> 3);
        }
        ring_add(&ring, round % 3 == 0 ? KIND_ERR : KIND_OUT, block, sizeof block);
        written += sizeof block;
        CHECK(ring.end == written);
        CHECK(ring.end - ring.start == (written < 10000 ? written : 10000));
        for (uint64_t at = ring.start; at < ring.end;) {
            size_t got = ring_copy(&ring, at, back, sizeof back, &kind);
            CHECK(got > 0);
            for (size_t i = 0; i < got; i++) {
                CHECK(back[i] == (uint8_t)((at + i) * 31 >> 3));
            }
            CHECK(kind == (at / sizeof block % 3 == 0 ? KIND_ERR : KIND_OUT));
            at += got;
        }
    }
    CHECK(ring_room(&ring, ring.end) == 10000);
    CHECK(ring_room(&ring, ring.end - 4000) == 6000);
    CHECK(ring_room(&ring, 0) == 0);
    ring_free(&ring);
}

static void a_block_larger_than_the_ring_leaves_its_end(void) {
    struct ring ring;
    uint8_t kind, back[RING_MINIMUM];
    static uint8_t block[3 * RING_MINIMUM + 5];
    for (size_t i = 0; i < sizeof block; i++) {
        block[i] = (uint8_t)(i % 251);
    }
    ring_init(&ring, 1);
    ring_add(&ring, KIND_ERR, (const uint8_t *)"abc", 3);
    ring_add(&ring, KIND_OUT, block, sizeof block);
    CHECK(ring.end == sizeof block + 3 && ring.start == ring.end - RING_MINIMUM);
    CHECK(ring_copy(&ring, ring.start, back, sizeof back, &kind) == RING_MINIMUM && kind == KIND_OUT);
    CHECK(memcmp(back, block + sizeof block - RING_MINIMUM, RING_MINIMUM) == 0);
    ring_free(&ring);
}

static void alternating_kinds_stay_bounded(void) {
    struct ring ring;
    uint8_t kind, back[16];
    ring_init(&ring, RING_MINIMUM);
    for (uint64_t i = 0; i < 100000; i++) {
        uint8_t byte = (uint8_t)i;
        ring_add(&ring, i % 2 ? KIND_ERR : KIND_OUT, &byte, 1);
    }
    CHECK(ring.end == 100000 && ring.run_count <= RING_MINIMUM / 16);
    CHECK(ring_room(&ring, ring.start) == 0);
    for (uint64_t at = ring.start; at < ring.end; at++) {
        CHECK(ring_copy(&ring, at, back, sizeof back, &kind) == 1 && back[0] == (uint8_t)at && kind == (at % 2 ? KIND_ERR : KIND_OUT));
    }
    ring_free(&ring);
}

static void users_are_found_in_hostile_files(void) {
    char passwd[] = "root:x:0:0:root:/root:/bin/bash\n"
                    "broken\n:x:5:5::/:\nbad:x:notanumber:0::/:/bin/sh\nhuge:x:4294967295:0::/:/bin/sh\n"
                    "over:x:99999999999:0::/:/bin/sh\n"
                    "user:x:1000:1000:,,,:/home/user:/bin/zsh\nnohome:x:1001:1001:::\n7:x:77:77::/seven:/bin/sh\n"
                    "last:x:1002:1002::/home/last:/bin/sh";
    char group[] = "root:x:0:\nsudo:x:27:user,other\nuser:x:1000:\naudio:x:29:users,user\nbadgroup:x:-1:user\nend:x:30:last";
    struct users users = {passwd, group};
    static struct identity identity;
    CHECK(users_find(&users, "root", &identity) && identity.uid == 0 && strcmp(identity.home, "/root") == 0);
    CHECK(users_find(&users, "user", &identity) && identity.uid == 1000 && identity.group_count == 3);
    CHECK(identity.groups[0] == 1000 && identity.groups[1] == 27 && identity.groups[2] == 29);
    CHECK(users_find(&users, "1000", &identity) && strcmp(identity.name, "user") == 0 && strcmp(identity.shell, "/bin/zsh") == 0);
    CHECK(users_find(&users, "user:audio", &identity) && identity.gid == 29 && identity.group_count == 1);
    CHECK(users_find(&users, "1000:5", &identity) && identity.gid == 5);
    CHECK(users_find(&users, "4242", &identity) && identity.uid == 4242 && strcmp(identity.home, "/") == 0);
    CHECK(users_find(&users, "nohome", &identity) && strcmp(identity.home, "/") == 0 && strcmp(identity.shell, "/bin/sh") == 0);
    CHECK(users_find(&users, "7", &identity) && identity.uid == 77);
    CHECK(users_find(&users, "last", &identity) && identity.group_count == 2);
    static const char *const unknown[] = {"", ":", "nobody", "bad", "huge", "over", "broken", "user:nogroup", "user:", "-1",
                                          "4294967295", "99999999999", "user:4294967295", "root ", "1000x"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        CHECK(!users_find(&users, unknown[i], &identity));
    }
    CHECK(users_is_member(&users, "user", "sudo") && !users_is_member(&users, "use", "sudo") && !users_is_member(&users, "", "root"));
    struct users none = {NULL, NULL};
    CHECK(users_find(&none, "root", &identity) && identity.uid == 0 && strcmp(identity.home, "/root") == 0);
    CHECK(!users_find(&none, "user", &identity));
}

static void environments_merge_with_the_later_winning(void) {
    static struct identity identity = {.name = "user", .home = "/home/user", .shell = "/bin/sh"};
    struct bytes settings = {0}, request = {0};
    bytes_add(&settings, "A=1\0PATH=/x", 12);
    bytes_add(&request, "A=2\0AB=3\0HOME=/h", 17);
    char **environment = environment_build(&identity, true, &settings, &request);
    CHECK(strcmp(environment_value(environment, "A"), "2") == 0);
    CHECK(strcmp(environment_value(environment, "AB"), "3") == 0);
    CHECK(strcmp(environment_value(environment, "PATH"), "/x") == 0);
    CHECK(strcmp(environment_value(environment, "HOME"), "/h") == 0);
    CHECK(strcmp(environment_value(environment, "USER"), "user") == 0);
    CHECK(environment_value(environment, "TERM") && !environment_value(environment, "TER"));
    free(environment);
    bytes_free(&settings);
    bytes_free(&request);
}

static void names_of_archives_are_cleaned_or_refused(void) {
    static const struct { const char *name, *clean; } names[] = {
        {"a", "a"}, {"./a/b/", "a/b"}, {"a//b/./c", "a/b/c"}, {"./", ""}, {"", ""}, {"...", "..."}, {"..a/b..", "..a/b.."},
        {"/a", NULL}, {"..", NULL}, {"a/..", NULL}, {"a/../b", NULL}, {"../a", NULL}, {"//", NULL},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *name = strdup(names[i].name);
        bool clean = tar_clean_name(name);
        CHECK(clean == (names[i].clean != NULL));
        CHECK(!clean || strcmp(name, names[i].clean) == 0);
        free(name);
    }
    char *long_part = malloc(300);
    memset(long_part, 'a', 299);
    long_part[299] = 0;
    CHECK(!tar_clean_name(long_part));
    free(long_part);
}

static void numbers_of_archives_are_checked(void) {
    uint64_t value;
    CHECK(tar_number("0000644", 8, &value) && value == 0644);
    CHECK(tar_number("  755 ", 7, &value) && value == 0755);
    CHECK(tar_number("77777777777", 11, &value) && value == 077777777777);
    CHECK(!tar_number("8888888", 8, &value) && !tar_number("12x", 4, &value));
    CHECK(tar_number("\x80\0\0\0\0\0\0\1\0\0\0\0", 12, &value) && value == 1ull << 32);
    CHECK(!tar_number("\x80\0\0\1\0\0\0\0\0\0\0\0", 12, &value));
    CHECK(!tar_number("\xff\xff\xff\xff\xff\xff\xff\xff", 8, &value));
}

static void pax_records_are_checked(void) {
    struct tar_entry entry = {0};
    CHECK(tar_read_pax("12 path=abc\n", 12, &entry) && strcmp(entry.name, "abc") == 0);
    CHECK(tar_read_pax("20 mtime=-1.5000000\n", 20, &entry) && entry.seconds == -2 && entry.nanoseconds == 500000000);
    CHECK(tar_read_pax("27 SCHILY.xattr.user.a=b\0c\n", 27, &entry) && bytes_length(&entry.attributes) == 5 + 6 + 5 + 3);
    static const char *const broken[] = {"12 path=ab\n", "13 path=abc\n", "0 \n", " 5 a=\n", "99999999 path=a\n", "11 path:abc\n",
                                         "9 path=\n", "10 size=x\n", "12 path=abcX", "22 GNU.sparse.major=1\n"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        size_t length = strlen(broken[i]);
        char *copy = malloc(length);
        memcpy(copy, broken[i], length);
        CHECK(!tar_read_pax(copy, length, &entry));
        free(copy);
    }
    tar_entry_free(&entry);
}

static void headers_come_back_as_they_went(void) {
    struct tar_entry entry = {.type = '0', .name = strdup("some/name"), .mode = 0640, .uid = 5000000, .gid = 3, .size = 1ull << 40,
                              .seconds = -5, .nanoseconds = 250000000};
    struct bytes out = {0};
    tar_write_entry(&entry, "root", NULL, &out);
    CHECK(bytes_length(&out) == 3 * TAR_BLOCK);
    struct tar_entry back = {0};
    const struct tar_header *extra = (const void *)out.data, *header = (const void *)(out.data + 2 * TAR_BLOCK);
    CHECK(tar_is_sound(extra) && tar_is_sound(header) && extra->type == 'x');
    uint64_t size;
    CHECK(tar_number(extra->size, sizeof extra->size, &size));
    CHECK(tar_read_header(header, &back) && tar_read_pax((char *)out.data + TAR_BLOCK, size, &back));
    CHECK(strcmp(back.name, entry.name) == 0 && back.mode == 0640 && back.uid == 5000000 && back.size == 1ull << 40);
    CHECK(back.seconds == -5 && back.nanoseconds == 250000000);
    tar_entry_free(&entry);
    tar_entry_free(&back);
    bytes_free(&out);
}

static void process_names_cannot_fake_a_session(void) {
    struct process_facts facts;
    CHECK(session_parse("42 (a) S 1 2 3) R 7 8 9 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 100 33 1844", &facts));
    CHECK(facts.pid == 42 && facts.parent == 7 && facts.session == 9 && facts.resident_pages == 33 && facts.state == 'R');
    CHECK(!session_parse("42 (a", &facts) && !session_parse("", &facts) && !session_parse("1 () S 1", &facts));
}

static void the_memory_guard_leaves_a_reserve(void) {
    CHECK(memory_threshold(1ull << 30) == (1ull << 30) - (1ull << 30) / 12);
    CHECK(memory_threshold(128ull << 20) == 96ull << 20);
    CHECK(memory_threshold(32ull << 20) == 16ull << 20);
    CHECK(memory_pause(4ull << 30, 64ull << 20) == 250);
    CHECK(memory_pause(256ull << 20, 24ull << 20) == 100); /* 200 MiB are left, and 2 of them may go in a millisecond */
    CHECK(memory_pause(1ull << 30, 800ull << 20) == 10);
    CHECK(memory_pause(128ull << 20, 127ull << 20) == 10);
}

static void file_requests_are_checked(void) {
    struct bytes bytes = {0};
    field_put_u8(&bytes, 1, FILE_STAT);
    struct file_request request = {0};
    CHECK(file_request_parse(&request, bytes.data, bytes_length(&bytes)) != NULL); /* no path */
    field_put_text(&bytes, 2, "/x");
    CHECK(file_request_parse(&request, bytes.data, bytes_length(&bytes)) == NULL);
    field_put_text(&bytes, 2, "/y");
    field_put_u8(&bytes, 1, 99);
    CHECK(file_request_parse(&request, bytes.data, bytes_length(&bytes)) != NULL);
    file_request_free(&request);
    bytes_free(&bytes);
}

/* The kernel refuses that many descriptors, and does not hear that so many are watched no more. */
static int refusals, unheard;
int __real_epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event);
int __wrap_epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event);

int __wrap_epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event) {
    if (operation == EPOLL_CTL_ADD && refusals > 0) {
        refusals--;
        errno = ENOSPC;
        return -1;
    }
    if (operation == EPOLL_CTL_DEL && unheard > 0) {
        unheard--;
        return 0;
    }
    return __real_epoll_ctl(epoll, operation, fd, event);
}

static void count_ready(void *owner, uint32_t events) {
    CHECK(events == EPOLLIN);
    ++*(int *)owner;
}

static void refused_descriptors_are_asked_for_again(void) {
    int first[2], second[2], third[2], heard[3] = {0};
    CHECK(loop_open() && pipe(first) == 0 && pipe(second) == 0 && pipe(third) == 0);
    CHECK(write(first[1], "x", 1) == 1 && write(second[1], "x", 1) == 1 && write(third[1], "x", 1) == 1);
    struct source sources[3];
    source_init(&sources[0], first[0], count_ready, &heard[0]);
    source_init(&sources[1], second[0], count_ready, &heard[1]);
    source_init(&sources[2], third[0], count_ready, &heard[2]);
    refusals = 5;
    alarm(60); /* a loop that waits for nothing */
    for (int i = 0; i < 3; i++) {
        source_want(&sources[i], EPOLLIN);
    }
    CHECK(refusals == 2);
    source_want(&sources[1], EPOLLIN);
    CHECK(refusals == 2); /* not more often than it makes sense */
    source_close(&sources[2]);
    for (int turn = 0; turn < 50 && !(heard[0] && heard[1]); turn++) {
        loop_turn(false);
    }
    CHECK(refusals == 0 && heard[0] > 0 && heard[1] > 0 && heard[2] == 0);
    alarm(0);
    source_close(&sources[0]);
    source_close(&sources[1]);
    close(first[1]);
    close(second[1]);
    close(third[1]);
}

static void note_time(void *owner) {
    *(bool *)owner = true;
}

/* As gVisor does after a restore. */
static void what_nobody_watches_any_more_is_told_of_once_at_most(void) {
    int gone[2], there[2], heard = 0;
    bool over = false;
    struct timer timer = {0};
    struct source other, *source = calloc(1, sizeof *source);
    CHECK(source && loop_open() && pipe(gone) == 0 && pipe(there) == 0);
    int copy = dup(gone[0]); /* for which the kernel goes on watching */
    source_init(source, gone[0], count_ready, &heard);
    source_init(&other, there[0], count_ready, &heard);
    source_want(source, EPOLLIN);
    source_want(&other, EPOLLIN);
    unheard = 1;
    source_close(source);
    free(source);
    CHECK(unheard == 0 && write(gone[1], "x", 1) == 1);
    alarm(60);
    loop_turn(true);
    timer_arm(&timer, loop_now() + 30, note_time, &over);
    loop_turn(false);
    CHECK(over && heard == 0); /* it waited */
    CHECK(write(there[1], "x", 1) == 1);
    loop_turn(false);
    CHECK(heard == 1);
    alarm(0);
    source_close(&other);
    close(copy);
    close(gone[1]);
    close(there[1]);
}

/* Last: it takes the standard streams. */
static void a_link_that_the_kernel_does_not_watch_yet_is_waited_for(void) {
    int in[2], out[2];
    CHECK(pipe(in) == 0 && pipe(out) == 0 && dup2(in[0], STDIN_FILENO) == STDIN_FILENO && dup2(out[1], STDOUT_FILENO) == STDOUT_FILENO);
    refusals = 1;
    CHECK(link_open() && refusals == 0);
    CHECK(!link_can_go_on()); /* or the loop would turn without a pause */
    close(in[0]);
    close(in[1]);
    close(out[0]);
    close(out[1]);
}

int main(void) {
    frames_come_whole_however_they_are_cut();
    a_long_frame_of_data_comes_whole_however_it_is_cut();
    after_garbage_the_next_hello_is_found();
    zeros_finish_half_a_frame_and_lead_to_hello();
    unsound_frames_are_lost();
    messages_are_put_together();
    too_long_messages_are_refused_once();
    unfinished_messages_are_bounded();
    fields_do_not_reach_over_the_end();
    the_ring_keeps_the_tail();
    a_block_larger_than_the_ring_leaves_its_end();
    alternating_kinds_stay_bounded();
    users_are_found_in_hostile_files();
    environments_merge_with_the_later_winning();
    names_of_archives_are_cleaned_or_refused();
    numbers_of_archives_are_checked();
    pax_records_are_checked();
    headers_come_back_as_they_went();
    process_names_cannot_fake_a_session();
    the_memory_guard_leaves_a_reserve();
    file_requests_are_checked();
    refused_descriptors_are_asked_for_again();
    what_nobody_watches_any_more_is_told_of_once_at_most();
    a_link_that_the_kernel_does_not_watch_yet_is_waited_for();
    if (failures) {
        fprintf(stderr, "unit: %d checks failed\n", failures);
    }
    return failures ? 1 : 0;
}
