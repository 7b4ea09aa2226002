/* SPDX-License-Identifier: Apache-2.0 */
#include "service.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "log.h"
#include "memory.h"
#include "session.h"
#include "shutdown.h"
#include "spawn.h"

#define LASTED_MS 60000 /* one that ran so long starts over with its back-off */
#define PATIENCE_MS 15000 /* beyond what the unit allows */

static char program[PATH_MAX]; /* the agent's own */

bool service_is_active(const struct service *service) {
    return service->keeper > 0;
}

bool service_is_settled(const struct service *service) {
    return !service->queued && !service->start_again && service->state != SERVICE_STARTING && service->state != SERVICE_STOPPING;
}

bool service_any_runs(void) {
    for (struct service *service = service_first; service; service = service->next) {
        if (service->keeper > 0) {
            return true;
        }
    }
    return false;
}

void service_set_state(struct service *service, enum service_state state) {
    if (service->state != state) {
        service->state = state;
        service->since = loop_wall();
    }
    service->changed = true;
}

void service_fail(struct service *service, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(service->reason, sizeof service->reason, format, arguments);
    va_end(arguments);
    service_set_state(service, SERVICE_FAILED);
    service_log_line(service, service->reason);
}

/* -- ended */

static void again_due(void *owner) {
    struct service *service = owner;
    if (service->state == SERVICE_WAITING && !shutdown_is_on()) {
        service->restarts++;
        service_launch(service);
        service_schedule();
    }
}

static void start_again_later(struct service *service) {
    if (loop_now() - service->started_at >= LASTED_MS) {
        service->attempt = 0;
    }
    service_load(service); /* its policy may have changed */
    if (!service_count_start(service, loop_now())) {
        service_fail(service, "started %u times within %lld s, the last time: %.100s", service->unit.burst, (long long)service->unit.interval_ms / 1000,
                     service->last.text);
        return;
    }
    int64_t delay = service_restart_delay(&service->unit, service->attempt++);
    service_set_state(service, SERVICE_WAITING);
    timer_arm(&service->again, loop_now() + delay, again_due, service);
}

static void note_end(struct service *service) {
    const struct keeper_word *word = &service->last;
    enum keeper_result result = service->has_last ? (enum keeper_result)word->result : RESULT_SIGNAL;
    if (!service->has_last) {
        snprintf(service->last.text, sizeof service->last.text, "its keeper was killed");
    } else if (word->has_status) {
        service->status = word->status;
        service->has_status = true;
    }
    if (service->stopped || shutdown_is_on()) {
        service_set_state(service, SERVICE_INACTIVE);
    } else if (service_should_restart(service, result, word->status)) {
        snprintf(service->reason, sizeof service->reason, "%s", word->text);
        start_again_later(service);
    } else if (result == RESULT_CLEAN || result == RESULT_SKIPPED) {
        snprintf(service->reason, sizeof service->reason, "%s", result == RESULT_SKIPPED ? word->text : "");
        service_set_state(service, SERVICE_INACTIVE);
    } else {
        service_fail(service, "%s", service->last.text);
    }
}

static void ended(struct service *service) {
    struct keeper_word word;
    /* What it said last may not have been read yet. */
    while (service->control.fd >= 0 && recv(service->control.fd, &word, sizeof word, MSG_DONTWAIT) == sizeof word) {
        word.text[KEEPER_TEXT - 1] = 0;
        if (word.event == KEEPER_ENDED) {
            service->last = word;
            service->has_last = true;
        }
    }
    if (!service->has_last && service->pid > 0) {
        session_kill(service->pid); /* as far as it is known what is left of it */
    }
    source_close(&service->control);
    source_close(&service->told);
    spawn_plan_free(service->plan);
    service->plan = NULL;
    timer_stop(&service->patience);
    service->keeper = service->pid = 0;
    service->has_health = false;
    note_end(service);
    if (service->start_again) {
        service->start_again = false;
        service_start(service);
    }
    service_schedule();
}

void service_reaped(pid_t pid) {
    for (struct service *service = service_first; service; service = service->next) {
        if (service->keeper == pid) {
            ended(service);
            return;
        }
    }
}

/* -- the keeper's words */

static void hear(struct service *service, const struct keeper_word *word) {
    switch (word->event) {
        case KEEPER_RUNS:
        case KEEPER_DONE:
            service->pid = word->event == KEEPER_RUNS ? word->pid : 0;
            service->reason[0] = 0;
            if (word->event == KEEPER_DONE && word->has_status) {
                service->status = word->status;
                service->has_status = true;
            }
            if (service->state == SERVICE_STARTING || service->state == SERVICE_RUNNING) {
                bool lasts = word->event == KEEPER_RUNS || service->unit.remain;
                if (lasts) {
                    service_set_state(service, word->event == KEEPER_RUNS ? SERVICE_RUNNING : SERVICE_EXITED);
                    service_schedule();
                }
            }
            break;
        case KEEPER_HEALTH:
            service->has_health = true;
            service->health = word->status == 1 ? 1 : 2;
            service->changed = true;
            break;
        case KEEPER_ENDED:
            service->last = *word;
            service->has_last = true;
            break;
        default:
            break;
    }
}

static void control_ready(void *owner, uint32_t events) {
    (void)events;
    struct service *service = owner;
    struct keeper_word word;
    ssize_t got = recv(service->control.fd, &word, sizeof word, MSG_DONTWAIT);
    if (got == sizeof word) {
        word.text[KEEPER_TEXT - 1] = 0;
        hear(service, &word);
    } else if (got >= 0 || (errno != EAGAIN && errno != EINTR)) {
        source_want(&service->control, 0); /* its end is told by its process */
    }
}

/* Whether the keeper's own program could be executed. */
static void told_ready(void *owner, uint32_t events) {
    (void)events;
    struct service *service = owner;
    struct child_failure said;
    ssize_t got = read(service->told.fd, &said, sizeof said);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (got == sizeof said) {
        service->failure = said;
        return;
    }
    source_close(&service->told);
    if (service->failure.step) {
        struct spawn_failure failure;
        spawn_explain(service->plan, &service->failure, &failure);
        service->last = (struct keeper_word){.event = KEEPER_ENDED, .result = RESULT_START};
        snprintf(service->last.text, sizeof service->last.text, "%s", failure.reason);
        service->has_last = true;
    }
    spawn_plan_free(service->plan);
    service->plan = NULL;
}

/* -- asked for */

static const char *own_program(void) {
    ssize_t length = *program ? 1 : readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0) {
        snprintf(program, sizeof program, "/run/sandglass/agent");
    }
    return program;
}

void service_launch(struct service *service) {
    char *arguments[] = {(char *)own_program(), KEEPER_OPTION, service->name, NULL};
    struct bytes none = {0};
    struct spawn request = {.arguments = arguments, .environment = &none, .directory = "/", .user = "root", .talks = true};
    struct spawned spawned;
    struct spawn_failure failure;
    unsigned running;
    service->queued = service->stopped = service->has_last = false;
    service->used = true;
    service->failure = (struct child_failure){0};
    service->last = (struct keeper_word){0};
    service->started_at = loop_now();
    timer_stop(&service->again);
    service_load(service);
    if (*service->unit.problem) {
        service_fail(service, "%s", service->unit.problem);
        return;
    }
    if (!spawn_has_room(&running)) {
        service_fail(service, "process limit: %u processes and threads run", running);
        return;
    }
    if (!spawn(&request, &spawned, &failure)) {
        service_fail(service, "%s", failure.reason);
        return;
    }
    service->keeper = spawned.pid;
    service->plan = spawned.plan;
    source_init(&service->told, spawned.status, told_ready, service);
    source_init(&service->control, spawned.in, control_ready, service);
    source_want(&service->told, EPOLLIN);
    source_want(&service->control, EPOLLIN);
    service_log_open(service, spawned.out, spawned.err);
    service_set_state(service, SERVICE_STARTING);
    memory_wake();
}

void service_start(struct service *service) {
    if (service->state == SERVICE_STOPPING) {
        service->start_again = true;
        return;
    }
    if (service->keeper > 0 || service->queued || shutdown_is_on()) {
        return;
    }
    timer_stop(&service->again);
    service->attempt = 0;
    service->start_count = 0; /* whoever asks is not refused */
    service_count_start(service, loop_now());
    service_enqueue(service);
    service_schedule();
}

static void order(struct service *service, enum keeper_order what) {
    uint8_t byte = (uint8_t)what;
    if (service->control.fd >= 0 && send(service->control.fd, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
        log_line("service %s: %m", service->name);
    }
}

/* A keeper that was itself stopped or is stuck. */
static void patience_over(void *owner) {
    struct service *service = owner;
    snprintf(service->last.text, sizeof service->last.text, "its keeper did not end");
    if (service->pid > 0) {
        session_kill(service->pid);
    }
    session_kill(service->keeper);
}

void service_stop(struct service *service) {
    service->queued = service->start_again = false;
    if (service->state == SERVICE_WAITING || (service->state == SERVICE_STARTING && service->keeper <= 0)) {
        timer_stop(&service->again);
        service_set_state(service, SERVICE_INACTIVE);
    } else if (service->keeper > 0 && !service->stopped) {
        service->stopped = true;
        service_set_state(service, SERVICE_STOPPING);
        order(service, KEEPER_STOP);
        int64_t steps = (int64_t)(1 + service->unit.stop.count + service->unit.stop_post.count);
        if (service->unit.stop_ms < UNIT_FOREVER) {
            timer_arm(&service->patience, loop_now() + steps * service->unit.stop_ms + PATIENCE_MS, patience_over, service);
        }
    }
    service_schedule();
}

void service_restart(struct service *service) {
    if (service->keeper > 0) {
        service_stop(service);
        service->start_again = true;
    } else {
        service_start(service);
    }
}

void service_reload_one(struct service *service) {
    order(service, KEEPER_RELOAD);
}

void service_reset(struct service *service) {
    if (service->state == SERVICE_FAILED) {
        service->reason[0] = 0;
        service_set_state(service, SERVICE_INACTIVE);
    }
    service->restarts = 0;
}

void service_signal_all(int number) {
    for (struct service *service = service_first; service; service = service->next) {
        if (service->keeper > 0 && number == SIGKILL) {
            if (service->pid > 0) {
                session_kill(service->pid);
            }
            session_kill(service->keeper);
        } else if (service->keeper > 0) {
            kill(service->keeper, number);
        }
    }
}
