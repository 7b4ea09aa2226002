/* SPDX-License-Identifier: Apache-2.0 */
/* Names and numbers of docs/guest-protocol.md, and big-endian access. */
#ifndef WIRE_H
#define WIRE_H

#include <stdint.h>

#define WIRE_VERSION 2
#define WIRE_HEADER 8
#define WIRE_FRAME 4096
#define WIRE_FRAME_MOST 65536 /* of DATA, and of OUTPUT to a daemon that takes it */
#define WIRE_PAYLOAD (WIRE_FRAME - WIRE_HEADER)
#define WIRE_MESSAGE (1u << 20)
#define WIRE_STREAM_MAX 0x7fffffffu
#define WIRE_STREAMS 4096
#define WIRE_MAGIC "sandglass-guest" /* with its NUL: 16 bytes */
#define WIRE_MAGIC_SIZE 16
#define WIRE_NONCE_SIZE 16
#define WIRE_INPUT_CREDIT 65536u
#define WIRE_OUTPUT_HEADER 9
#define WIRE_EXIT_SIZE 48

#define FLAG_MORE 1

enum to_agent {
    HELLO = 0x01,
    START = 0x02,
    DATA = 0x03,
    END = 0x04,
    CREDIT = 0x05,
    SIGNAL = 0x06,
    RESIZE = 0x07,
    ATTACH = 0x08,
    DETACH = 0x09,
    CLOSE = 0x0a,
    FILE_OPERATION = 0x0b,
    CONNECT = 0x0c,
    PING = 0x0d,
    SETTINGS = 0x0e,
    SHUTDOWN = 0x0f,
    QUERY = 0x10,
    SERVICE = 0x11,
};

enum from_agent {
    WELCOME = 0x81,
    COMMAND = 0x82,
    READY = 0x83,
    STARTED = 0x84,
    OUTPUT = 0x85,
    GRANT = 0x86,
    EXITED = 0x87,
    FAILED = 0x88,
    PONG = 0x89,
    ENDED = 0x8a,
    EXTENT = 0x8b,
    SERVICE_CHANGED = 0x8c,
};

enum refusal { REFUSED_REQUEST, REFUSED_PROGRAM, REFUSED_DIRECTORY, REFUSED_USER, REFUSED_PROCESSES };
enum output_kind { KIND_OUT = 1, KIND_ERR = 2 };
enum exit_flag { EXIT_TIME_LIMIT = 1, EXIT_OUT_OF_MEMORY = 2 };

static inline void put_u16(uint8_t *at, uint16_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static inline void put_u32(uint8_t *at, uint32_t value) {
    put_u16(at, (uint16_t)(value >> 16));
    put_u16(at + 2, (uint16_t)value);
}

static inline void put_u64(uint8_t *at, uint64_t value) {
    put_u32(at, (uint32_t)(value >> 32));
    put_u32(at + 4, (uint32_t)value);
}

static inline uint16_t get_u16(const uint8_t *at) {
    return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t get_u32(const uint8_t *at) {
    return (uint32_t)get_u16(at) << 16 | get_u16(at + 2);
}

static inline uint64_t get_u64(const uint8_t *at) {
    return (uint64_t)get_u32(at) << 32 | get_u32(at + 4);
}

#endif
