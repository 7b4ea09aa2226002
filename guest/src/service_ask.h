/* SPDX-License-Identifier: Apache-2.0 */
/* One request about services and where its answer goes: a stream of the daemon, or a `systemctl` in the sandbox. */
#ifndef SERVICE_ASK_H
#define SERVICE_ASK_H

#include "service.h"

enum service_operation { SERVICE_LIST = 1, SERVICE_START, SERVICE_STOP, SERVICE_RESTART, SERVICE_RELOAD, SERVICE_LOG, SERVICE_RESET };
enum service_field { SERVICE_OPERATION = 1, SERVICE_NAME, SERVICE_FLAGS, SERVICE_BYTES };
enum service_flag { SERVICE_ALL = 1, SERVICE_NO_WAIT = 1, SERVICE_FOLLOW = 1 };

struct client;

struct asker {
    struct asker *next;
    struct stream *stream; /* or */
    struct client *client;
    uint8_t operation;
    uint32_t flags, bytes;
    bool has_bytes;
    struct service **services;
    size_t count;
    uint64_t position; /* in the log */
    bool ended;
};

/* Takes a request; it is answered at once or later, and freed then. NULL when sound, else what is malformed. */
const char *asker_begin(struct stream *stream, struct client *client, const uint8_t *data, size_t length);
void asker_forget_client(struct client *client);

/* The side of the client. */
void client_put(struct client *client, uint8_t kind, const uint8_t *data, size_t length);
void client_end(struct client *client, uint8_t status);

/* The socket: `u32 length, fields` as in SERVICE; back come `u8 kind, u32 length, bytes`: 1 output, 2 an error's fields, 3 the end with a status (u8). */
#define CLIENT_REQUEST_MOST 65536u
enum client_kind { CLIENT_OUT = 1, CLIENT_ERR, CLIENT_END };

#endif
