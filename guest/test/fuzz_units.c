/* SPDX-License-Identifier: Apache-2.0 */
/* One input is the name of a unit, its file and a drop-in, with a NUL between them. */
#include <stdlib.h>
#include <string.h>

#include "service.h"
#include "wire.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

struct service *service_first;

static void must(bool sound) {
    if (!sound) {
        abort();
    }
}

static void check_commands(const struct unit_commands *commands) {
    for (size_t i = 0; i < commands->count; i++) {
        const struct unit_list *words = &commands->items[i].words;
        must(words->count >= (commands->items[i].renamed ? 2 : 1) && words->count <= UNIT_LIST_MOST && *words->items[0] && !words->items[words->count]);
    }
}

static void check(const struct unit *unit) {
    must(unit->type <= UNIT_FORKING && unit->restart <= UNIT_RESTART_ALWAYS && unit->kill <= UNIT_KILL_NONE);
    must(unit->start_ms > 0 && unit->stop_ms > 0 && unit->kill_signal > 0 && unit->kill_signal < 65);
    must(unit->unsupported.count <= UNIT_UNSUPPORTED_MOST && unit->environment.count <= UNIT_LIST_MOST);
    must(*unit->problem || unit->type == UNIT_ONESHOT || unit->start.count == 1);
    must(*unit->problem || !(unit->health_path || unit->health_tcp) || unit->port > 0);
    check_commands(&unit->pre);
    check_commands(&unit->start);
    check_commands(&unit->stop);
    check_commands(&unit->health);
    for (uint32_t attempt = 0; attempt < 40; attempt++) {
        must(service_restart_delay(unit, attempt) >= 0 && service_restart_delay(unit, attempt) <= UNIT_FOREVER);
    }
}

/* The part before the next NUL, or all of it. */
static size_t part(const unsigned char *data, size_t size) {
    const unsigned char *end = memchr(data, 0, size);
    return end ? (size_t)(end - data) : size;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    static struct service service;
    char name[UNIT_NAME_MOST + 1] = "";
    size_t length = part(data, size);
    memcpy(name, data, length < UNIT_NAME_MOST ? length : UNIT_NAME_MOST);
    if (!unit_name_is_sound(name)) {
        strcpy(name, "web@1");
    }
    size_t skip = length < size ? length + 1 : size;
    service = (struct service){0};
    strcpy(service.name, name);
    unit_init(&service.unit, name);
    size_t rest = size - skip, file = part(data + skip, rest);
    unit_parse(&service.unit, (const char *)data + skip, file);
    if (file < rest) { /* a drop-in may have a NUL inside */
        unit_parse(&service.unit, (const char *)data + skip + file + 1, rest - file - 1);
    }
    unit_finish(&service.unit);
    check(&service.unit);
    struct bytes fields = {0};
    memset(service.reason, 'x', sizeof service.reason - 1);
    memset(service.path, '/', sizeof service.path - 1);
    service_describe(&service, &fields);
    must(fields.failed || bytes_length(&fields) <= WIRE_PAYLOAD);
    bytes_free(&fields);
    unit_free(&service.unit);
    return 0;
}
