/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "flow.h"
#include "service_ask.h"
#include "stream.h"
#include "wire.h"

#define NAMES_MOST UNIT_LIST_MOST
#define RECORD_MOST 4096u
#define LOG_WINDOW 262144u

static struct asker *askers;

static void put(struct asker *asker, uint8_t kind, const uint8_t *data, size_t length) {
    if (asker->stream) {
        ring_add(&asker->stream->ring, kind, data, length);
    } else if (asker->client) {
        client_put(asker->client, kind, data, length);
    }
}

static void end(struct asker *asker, uint8_t status) {
    struct stream *stream = asker->stream;
    asker->ended = true;
    if (stream) {
        put_u32(stream->exit, status);
        put_u64(stream->exit + 32, stream->ring.end);
        put_u64(stream->exit + 40, (uint64_t)loop_wall());
        stream->over = true;
        stream_update(stream);
    } else if (asker->client) {
        client_end(asker->client, status);
    }
}

static void fail(struct asker *asker, int error, const char *text) {
    struct bytes fields = {0};
    field_put_u32(&fields, 1, (uint32_t)error);
    field_put_text(&fields, 2, text);
    if (!fields.failed) {
        put(asker, KIND_ERR, fields.data, fields.end);
    }
    bytes_free(&fields);
    end(asker, 1);
}

static void put_record(struct asker *asker, const struct service *service) {
    struct bytes fields = {0};
    uint8_t length[4];
    service_describe(service, &fields);
    put_u32(length, (uint32_t)bytes_length(&fields));
    if (!fields.failed) {
        put(asker, KIND_OUT, length, sizeof length);
        put(asker, KIND_OUT, fields.data, bytes_length(&fields));
    }
    bytes_free(&fields);
}

/* -- the log */

/* Moves on what there is room for. True: something moved. */
static bool pump(struct asker *asker) {
    const struct ring *log = &asker->services[0]->log;
    bool moved = false;
    if (asker->position < log->start) {
        asker->position = log->start;
    }
    while (asker->position < log->end) {
        uint8_t block[4096], kind;
        size_t room = asker->stream ? ring_room(&asker->stream->ring, asker->stream->sent) : sizeof block;
        size_t length = ring_copy(log, asker->position, block, room < sizeof block ? room : sizeof block, &kind);
        if (length == 0) {
            break;
        }
        put(asker, KIND_OUT, block, length);
        asker->position += length;
        moved = true;
    }
    if (moved && asker->stream) {
        stream_update(asker->stream);
    }
    bool follows = asker->flags & SERVICE_FOLLOW && asker->stream;
    if (!follows && asker->position >= log->end) {
        end(asker, 0);
    }
    return moved;
}

static void begin_log(struct asker *asker) {
    if (asker->count != 1) {
        fail(asker, EINVAL, "the log of one service (expected: one name)");
        return;
    }
    const struct ring *log = &asker->services[0]->log;
    uint64_t held = log->end - log->start;
    asker->position = asker->has_bytes && asker->bytes < held ? log->end - asker->bytes : log->start;
}

/* -- the rest */

static bool is_settled(const struct asker *asker) {
    if (asker->flags & SERVICE_NO_WAIT) {
        return true;
    }
    for (size_t i = 0; i < asker->count; i++) {
        if (!service_is_settled(asker->services[i])) {
            return false;
        }
    }
    return true;
}

static void finish(struct asker *asker) {
    for (size_t i = 0; i < asker->count; i++) {
        put_record(asker, asker->services[i]);
    }
    end(asker, 0);
}

static void list_all(struct asker *asker) {
    bool all = asker->flags & SERVICE_ALL;
    for (struct service *service = service_first; service; service = service->next) {
        if (all || service->enabled || service->own || service->used) {
            put_record(asker, service);
        }
    }
    end(asker, 0);
}

static void act(struct asker *asker) {
    if (asker->count == 0 && asker->operation != SERVICE_LIST && asker->operation != SERVICE_RELOAD && asker->operation != SERVICE_RESET) {
        fail(asker, EINVAL, "no service is named");
        return;
    }
    for (size_t i = 0; i < asker->count; i++) {
        struct service *service = asker->services[i];
        switch (asker->operation) {
            case SERVICE_START:
                service_start(service);
                break;
            case SERVICE_STOP:
                service_stop(service);
                break;
            case SERVICE_RESTART:
                service_restart(service);
                break;
            case SERVICE_RELOAD:
                service_reload_one(service);
                break;
            case SERVICE_RESET:
                service_reset(service);
                break;
            default:
                break;
        }
    }
    if (asker->operation == SERVICE_LIST) {
        if (asker->count > 0) {
            finish(asker);
        } else {
            list_all(asker);
        }
    } else if (asker->operation == SERVICE_LOG) {
        begin_log(asker);
    } else if (asker->operation == SERVICE_RESET || asker->operation == SERVICE_RELOAD) {
        if (asker->count == 0 && asker->operation == SERVICE_RELOAD) {
            service_reload();
        }
        for (struct service *service = service_first; service && asker->count == 0 && asker->operation == SERVICE_RESET; service = service->next) {
            service_reset(service);
        }
        end(asker, 0);
    }
}

/* Names are looked up before anything is done: all or none. */
static void take(struct asker *asker, const struct unit_list *names) {
    if (asker->operation != SERVICE_LOG) {
        service_look(asker->operation == SERVICE_LIST && asker->flags & SERVICE_ALL);
    }
    asker->services = calloc(names->count + 1, sizeof *asker->services);
    for (size_t i = 0; asker->services && i < names->count; i++) {
        struct service *service = service_find(names->items[i]);
        if (!service) {
            char text[300];
            snprintf(text, sizeof text, "%.200s: %s", names->items[i], errno == ENOENT ? "there is no such service" : strerror(errno));
            fail(asker, errno, text);
            return;
        }
        asker->services[asker->count++] = service;
    }
    if (!asker->services) {
        fail(asker, ENOMEM, "no memory");
        return;
    }
    act(asker);
}

static bool read_field(struct asker *asker, struct unit_list *names, const struct field *field) {
    switch (field->tag) {
        case SERVICE_OPERATION:
            return field_u8(field, &asker->operation);
        case SERVICE_NAME: {
            char *text = field_text(field);
            bool sound = text && field->length <= UNIT_NAME_MOST + 8 && names->count < NAMES_MOST && unit_list_add(names, text, field->length);
            free(text);
            return sound;
        }
        case SERVICE_FLAGS:
            return field_u32(field, &asker->flags);
        case SERVICE_BYTES:
            asker->has_bytes = true;
            return field_u32(field, &asker->bytes);
        default:
            return true;
    }
}

const char *asker_begin(struct stream *stream, struct client *client, const uint8_t *data, size_t length) {
    struct fields fields = fields_of(data, length);
    struct field field;
    struct unit_list names = {0};
    struct asker *asker = calloc(1, sizeof *asker);
    bool sound = asker != NULL;
    while (sound && field_next(&fields, &field)) {
        sound = read_field(asker, &names, &field);
    }
    if (!sound || fields.broken || asker->operation < SERVICE_LIST || asker->operation > SERVICE_RESET) {
        unit_list_free(&names);
        free(asker);
        return asker ? "SERVICE: malformed" : "SERVICE: no memory";
    }
    asker->stream = stream;
    asker->client = client;
    asker->next = askers;
    askers = asker;
    if (stream) {
        ring_init(&stream->ring, asker->operation == SERVICE_LOG ? LOG_WINDOW : RECORD_MOST * (SERVICES_MOST + 1));
    }
    take(asker, &names);
    unit_list_free(&names);
    return NULL;
}

void service_request(struct stream *stream, const uint8_t *data, size_t length) {
    stream->attached = stream->input_closed = true;
    const char *wrong = asker_begin(stream, NULL, data, length);
    if (wrong) {
        stream_fail(stream, EINVAL, "%s", wrong);
    }
}

bool service_is_asked_for(const struct service *service) {
    for (struct asker *asker = askers; asker; asker = asker->next) {
        for (size_t i = 0; i < asker->count && !asker->ended; i++) {
            if (asker->services[i] == service) {
                return true;
            }
        }
    }
    return false;
}

void service_forget_stream(struct stream *stream) {
    for (struct asker *asker = askers; asker; asker = asker->next) {
        if (asker->stream == stream) {
            asker->stream = NULL;
            asker->ended = true;
        }
    }
}

void asker_forget_client(struct client *client) {
    for (struct asker *asker = askers; asker; asker = asker->next) {
        if (asker->client == client) {
            asker->client = NULL;
            asker->ended = true;
        }
    }
}

bool service_answer(void) {
    bool more = false;
    for (struct asker **at = &askers; *at;) {
        struct asker *asker = *at;
        if (!asker->ended && asker->operation == SERVICE_LOG) {
            more |= pump(asker);
        } else if (!asker->ended && is_settled(asker)) {
            finish(asker);
        }
        if (asker->ended) {
            *at = asker->next;
            free(asker->services);
            free(asker);
        } else {
            at = &asker->next;
        }
    }
    return more;
}
