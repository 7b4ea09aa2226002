/* SPDX-License-Identifier: Apache-2.0 */
/* The services that are known. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "service.h"

#define LOG_BYTES 262144u

struct service *service_first;
static size_t count;

static struct service *known(const char *name) {
    struct service *service = service_first;
    while (service && strcmp(service->name, name) != 0) {
        service = service->next;
    }
    return service;
}

static void forget(struct service *service) {
    timer_stop(&service->again);
    timer_stop(&service->patience);
    source_close(&service->out[0]);
    source_close(&service->out[1]);
    ring_free(&service->log);
    unit_free(&service->unit);
    count--;
    loop_free_later(service);
}

/* Known only because somebody asked for it, as everybody may: it can be read again from its file. */
static bool is_spare(const struct service *service) {
    return !service->enabled && !service->own && !service->used && service->keeper <= 0 && service_is_settled(service) && !service->again.due &&
           service->log.end == 0 && !service_is_asked_for(service);
}

static bool has_room(void) {
    for (struct service **at = &service_first; *at && count >= SERVICES_MOST;) {
        struct service *service = *at;
        if (is_spare(service)) {
            *at = service->next;
            forget(service);
        } else {
            at = &service->next;
        }
    }
    return count < SERVICES_MOST;
}

static struct service *add(const char *name) {
    if (!has_room()) {
        errno = ENOSPC;
        return NULL;
    }
    struct service *service = calloc(1, sizeof *service);
    if (!service) {
        return NULL;
    }
    snprintf(service->name, sizeof service->name, "%s", name);
    service->told.fd = service->control.fd = service->out[0].fd = service->out[1].fd = -1;
    service->since = loop_wall();
    ring_init(&service->log, LOG_BYTES);
    unit_init(&service->unit, name);
    struct service **at = &service_first;
    while (*at && strcmp((*at)->name, name) < 0) {
        at = &(*at)->next;
    }
    service->next = *at;
    *at = service;
    count++;
    return service;
}

static void load_from(struct service *service, const struct unit_place *place) {
    unit_free(&service->unit);
    service->loaded = true;
    service->masked = place->masked;
    service->own = place->own;
    snprintf(service->path, sizeof service->path, "%s", place->path);
    unit_load(place, &service->unit);
}

void service_load(struct service *service) {
    struct unit_place place;
    if (unit_find(service->name, &place)) {
        load_from(service, &place);
        return;
    }
    snprintf(service->unit.problem, sizeof service->unit.problem, "there is no unit file");
    service->path[0] = 0;
    service->own = false;
}

struct service *service_find(const char *name) {
    char plain[UNIT_NAME_MOST + 1];
    struct unit_place place;
    size_t length = strlen(name);
    if (length > 8 && strcmp(name + length - 8, ".service") == 0) {
        length -= 8;
    }
    if (length > UNIT_NAME_MOST) {
        errno = ENOENT;
        return NULL;
    }
    snprintf(plain, sizeof plain, "%.*s", (int)length, name);
    if (!unit_name_is_sound(plain) || plain[length - 1] == '@') {
        errno = ENOENT;
        return NULL;
    }
    struct service *service = known(plain);
    if (service && service->path[0]) {
        return service;
    }
    if (!unit_find(plain, &place)) {
        errno = ENOENT;
        return service; /* it may still run, or have left a log */
    }
    service = known(place.name);
    if (!service && !(service = add(place.name))) {
        return NULL;
    }
    load_from(service, &place);
    return service;
}

/* What is known already is noted to the end; nothing more is read once there is no room. */
static bool note_enabled(void *context, const char *name) {
    bool *full = context;
    struct service *service = *full ? known(name) : service_find(name);
    if (service) {
        service->enabled = true;
    } else if (!*full && errno == ENOSPC) {
        log_line("services: more than %d; %s is left out, and maybe others", SERVICES_MOST, name);
        *full = true;
    }
    return true;
}

static bool note_file(void *context, const char *name) {
    (void)context;
    return service_find(name) || errno != ENOSPC;
}

/* Nothing is driven out for what is only there. */
static bool note_other(void *context, const char *name) {
    return count < SERVICES_MOST && note_file(context, name);
}

void service_look(bool everything) {
    bool full = false;
    for (struct service *service = service_first; service; service = service->next) {
        service->enabled = false;
    }
    unit_each_enabled(note_enabled, &full);
    for (size_t i = 0; unit_directories[i] && (everything || i == 0); i++) {
        unit_each_file(unit_directories[i], i == 0 ? note_file : note_other, NULL);
    }
}

void service_reload(void) {
    for (struct service **at = &service_first; *at;) {
        struct service *service = *at;
        service_load(service);
        if (!service->path[0] && service_is_settled(service) && service->keeper <= 0 && !service->again.due && !service_is_asked_for(service)) {
            *at = service->next;
            forget(service);
        } else {
            at = &service->next;
        }
    }
    service_look(false);
}
