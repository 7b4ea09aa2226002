/* SPDX-License-Identifier: Apache-2.0 */
/* Services: what is supervised, in which state it is, and what was asked of it. Each runs under a keeper (keeper.h). */
#ifndef SERVICE_H
#define SERVICE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "bytes.h"
#include "child.h"
#include "keeper.h"
#include "loop.h"
#include "ring.h"
#include "unit.h"

#define SERVICES_MOST 256
#define SERVICE_STARTS_MOST 64 /* that are remembered for the limit */

enum service_state {
    SERVICE_INACTIVE,
    SERVICE_STARTING,
    SERVICE_RUNNING,
    SERVICE_EXITED,
    SERVICE_STOPPING,
    SERVICE_WAITING,
    SERVICE_FAILED,
};

struct service {
    struct service *next; /* in order of name */
    char name[UNIT_NAME_MOST + 1];
    char path[PATH_MAX];
    struct unit unit;
    bool loaded; /* the unit was read, with or without a problem */
    bool enabled, own, masked;
    bool used;   /* was started, or is to be */
    enum service_state state;
    int64_t since; /* ms since 1970 */
    uint32_t restarts;
    bool has_status, has_health;
    int32_t status;
    uint8_t health;
    char reason[KEEPER_TEXT];
    bool changed; /* the daemon is to be told */

    pid_t keeper, pid;
    struct child_plan *plan; /* until the keeper executes its program */
    struct child_failure failure;
    struct source told, control, out[2];
    struct keeper_word last;
    bool has_last;
    struct ring log;
    struct timer again, patience;

    bool queued;        /* to be started once what comes before it is */
    bool stopped;       /* it was asked to end */
    bool start_again;   /* as soon as it has ended */
    uint32_t attempt;   /* of starting again, for the back-off */
    int64_t started_at; /* monotonic */
    int64_t starts[SERVICE_STARTS_MOST];
    size_t start_count;
};

extern struct service *service_first;

/* The service of this name or alias, read from its file; NULL with errno: there is none, or too many. */
struct service *service_find(const char *name);
/* Reads its unit file again. */
void service_load(struct service *service);
/* Makes all that is on the disk known: what is enabled or the sandbox's own, or everything. */
void service_look(bool everything);
/* Reads everything again; what is gone and does not run is forgotten. */
void service_reload(void);
bool service_is_active(const struct service *service);
/* Neither on its way up nor down. */
bool service_is_settled(const struct service *service);
bool service_any_runs(void);

/* What is asked for. */
void service_start(struct service *service);
void service_stop(struct service *service);
void service_restart(struct service *service);
void service_reload_one(struct service *service);
void service_reset(struct service *service);

/* Starts the keeper now, whatever else should come before. */
void service_launch(struct service *service);
void service_set_state(struct service *service, enum service_state state);
__attribute__((format(printf, 2, 3))) void service_fail(struct service *service, const char *format, ...);

/* The order: with what it needs, after what comes before it. */
void service_enqueue(struct service *service);
void service_schedule(void);
/* Once in the life of the agent: what is enabled. */
void service_boot(void);
/* The daemon wants to be told of changes, or not. */
void service_tell(bool on);
/* The next change as a record; false: nothing changed. */
bool service_next_change(struct bytes *fields);
void service_describe(const struct service *service, struct bytes *fields);

void service_reaped(pid_t pid);
/* The sandbox ends: for an agent that is not its first process. */
void service_signal_all(int number);

/* The pipes of a keeper. */
void service_log_open(struct service *service, int out, int err);
void service_log_line(struct service *service, const char *text);
/* Restart: whether, and when. */
bool service_should_restart(const struct service *service, enum keeper_result result, int32_t status);
int64_t service_restart_delay(const struct unit *unit, uint32_t attempt);
/* Counts a start; false: too many. */
bool service_count_start(struct service *service, int64_t now);

/* Those who asked and are to be answered. */
struct stream;
void service_request(struct stream *stream, const uint8_t *data, size_t length);
void service_forget_stream(struct stream *stream);
bool service_is_asked_for(const struct service *service);
/* Answers what can be answered; once a turn. True: there is more to do at once. */
bool service_answer(void);
/* The `systemctl` of the sandbox. */
void service_serve(void);

#endif
