/* SPDX-License-Identifier: Apache-2.0 */
/* A service as the daemon and `systemctl` are told of it. A record fits into a frame. */
#include <string.h>

#include "fields.h"
#include "service.h"
#include "wire.h"

static bool told; /* the daemon wants to know of changes */

static void put_text(struct bytes *fields, uint8_t tag, const char *text, size_t most) {
    if (text && *text) {
        field_put(fields, tag, text, strnlen(text, most));
    }
}

static void put_command(struct bytes *fields, const struct unit *unit) {
    char line[512];
    size_t length = 0;
    const struct unit_list *words = unit->start.count > 0 ? &unit->start.items[0].words : NULL;
    for (size_t i = 0; words && i < words->count; i++) {
        size_t part = strlen(words->items[i]);
        if (length + part + 1 > sizeof line) {
            break;
        }
        if (i > 0) {
            line[length++] = ' ';
        }
        memcpy(line + length, words->items[i], part);
        length += part;
    }
    if (length > 0) {
        field_put(fields, 14, line, length);
    }
}

void service_describe(const struct service *service, struct bytes *fields) {
    const struct unit *unit = &service->unit;
    uint8_t port[2];
    field_put_text(fields, 1, service->name);
    field_put_u8(fields, 2, (uint8_t)service->state);
    if (service->pid > 0) {
        field_put_u32(fields, 3, (uint32_t)service->pid);
    }
    field_put_u64(fields, 4, (uint64_t)service->since);
    field_put_u32(fields, 5, service->restarts);
    if (service->has_status) {
        field_put_u32(fields, 6, (uint32_t)service->status);
    }
    put_text(fields, 7, unit->description, 200);
    field_put_u8(fields, 8, service->enabled);
    if (unit->port) {
        put_u16(port, unit->port);
        field_put(fields, 9, port, sizeof port);
    }
    if (unit->health.count > 0 || unit->health_path || unit->health_tcp) {
        field_put_u8(fields, 10, service->has_health ? service->health : 0);
    }
    put_text(fields, 11, *service->reason ? service->reason : service->keeper <= 0 ? unit->problem : NULL, KEEPER_TEXT);
    put_text(fields, 12, service->path, 256);
    for (size_t i = 0; i < unit->unsupported.count && bytes_length(fields) < 2600; i++) {
        put_text(fields, 13, unit->unsupported.items[i], 64);
    }
    put_command(fields, unit);
    put_text(fields, 15, unit->user ? unit->user : "root", 100);
    put_text(fields, 16, unit->directory, 256);
    put_text(fields, 17, unit_restart_name(unit->restart), 20);
}

void service_tell(bool on) {
    for (struct service *service = service_first; service && on && !told; service = service->next) {
        service->changed = false;
    }
    told = on;
}

bool service_next_change(struct bytes *fields) {
    for (struct service *service = service_first; service && told; service = service->next) {
        if (service->changed) {
            service->changed = false;
            service_describe(service, fields);
            return true;
        }
    }
    return false;
}
