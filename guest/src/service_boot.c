/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which services start: what one needs comes with it, and before it where it says so. */
#include <string.h>

#include "log.h"
#include "service.h"
#include "shutdown.h"

static bool is_service(const char *name) {
    size_t length = strlen(name);
    return length > 8 && strcmp(name + length - 8, ".service") == 0;
}

static void enqueue_all(const struct unit_list *names) {
    for (size_t i = 0; i < names->count; i++) {
        struct service *other = is_service(names->items[i]) ? service_find(names->items[i]) : NULL;
        if (other && !other->masked && !other->queued && other->keeper <= 0 && other->state != SERVICE_WAITING) {
            service_count_start(other, loop_now());
            service_enqueue(other);
        }
    }
}

void service_enqueue(struct service *service) {
    service->queued = service->used = true;
    service_load(service);
    service->reason[0] = 0;
    service_set_state(service, SERVICE_STARTING);
    enqueue_all(&service->unit.requirements);
    enqueue_all(&service->unit.wants);
}

static bool names(const struct unit_list *list, const struct service *service) {
    for (size_t i = 0; i < list->count; i++) {
        size_t length = strlen(service->name);
        if (is_service(list->items[i]) && strlen(list->items[i]) == length + 8 && strncmp(list->items[i], service->name, length) == 0) {
            return true;
        }
    }
    return false;
}

static bool must_wait(const struct service *service) {
    for (struct service *other = service_first; other; other = other->next) {
        if (other != service && other->state == SERVICE_STARTING &&
            (names(&service->unit.after, other) || names(&other->unit.before, service))) {
            return true;
        }
    }
    return false;
}

/* Runs, or has done its work. */
static bool is_there(const struct service *service) {
    return service->state == SERVICE_RUNNING || service->state == SERVICE_EXITED || service->state == SERVICE_STARTING ||
           (service->state == SERVICE_INACTIVE && service->has_status);
}

/* What it cannot do without: that it is there at all, and where the order says so, that it runs. */
static const char *missing(const struct service *service) {
    const struct unit_list *needed = &service->unit.requirements;
    for (size_t i = 0; i < needed->count; i++) {
        const struct service *other = is_service(needed->items[i]) ? service_find(needed->items[i]) : service;
        if (!other || (other != service && names(&service->unit.after, other) && !is_there(other))) {
            return needed->items[i];
        }
    }
    return NULL;
}

static void begin(struct service *service) {
    const char *lacks = missing(service);
    if (lacks) {
        service->queued = false;
        service_fail(service, "it needs %.100s, which does not run", lacks);
    } else {
        service_launch(service);
    }
}

void service_schedule(void) {
    for (bool more = !shutdown_is_on(); more;) {
        struct service *first = NULL;
        bool under_way = false;
        more = false;
        for (struct service *service = service_first; service; service = service->next) {
            under_way |= service->state == SERVICE_STARTING && !service->queued;
            if (service->queued && !must_wait(service)) {
                begin(service);
                more = true;
            } else if (service->queued && !first) {
                first = service;
            }
        }
        if (!more && first && !under_way) { /* they wait for one another */
            log_line("services: %s is part of a circle of After= and Before=, and starts now", first->name);
            begin(first);
            more = true;
        }
    }
}

static struct timer boot;

static void boot_now(void *owner) {
    (void)owner;
    if (shutdown_is_on()) {
        return;
    }
    service_serve();
    service_look(false);
    for (struct service *service = service_first; service; service = service->next) {
        if (service->enabled && !service->masked && !service->queued && service->keeper <= 0) {
            service_count_start(service, loop_now());
            service_enqueue(service);
        }
    }
    service_schedule();
}

void service_boot(void) {
    static bool done;
    if (!done) {
        done = true;
        timer_arm(&boot, loop_now(), boot_now, NULL); /* after the answer to HELLO */
    }
}
