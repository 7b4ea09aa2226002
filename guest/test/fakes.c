/* SPDX-License-Identifier: Apache-2.0 */
#include "fakes.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "link.h"
#include "log.h"
#include "pass.h"
#include "process.h"
#include "service_ask.h"
#include "session.h"
#include "shutdown.h"
#include "spawn.h"
#include "sudo.h"

uint64_t fakes_state;

uint32_t chance(uint32_t below) {
    fakes_state ^= fakes_state << 13;
    fakes_state ^= fakes_state >> 7;
    fakes_state ^= fakes_state << 17;
    return (uint32_t)(fakes_state >> 16) % below;
}

/* What would reach out of this process. */
#define FAKES 128
static struct { pid_t pid; int in, out, err, status; bool talks; } fakes[FAKES];

void spawn_explain(const struct child_plan *plan, const struct child_failure *said, struct spawn_failure *failure) {
    (void)plan;
    *failure = (struct spawn_failure){.error = said->error, .reason = "no"};
}

const struct rlimit *spawn_process_limit(void) { return NULL; }

void spawn_plan_free(struct child_plan *plan) {
    free(plan);
}

bool spawn(const struct spawn *request, struct spawned *spawned, struct spawn_failure *failure) {
    int slot = 0;
    while (slot < FAKES && fakes[slot].pid) {
        slot++;
    }
    if (slot == FAKES || chance(50) == 0) {
        *failure = (struct spawn_failure){.error = EAGAIN, .reason = "no more"};
        return false;
    }
    static pid_t next = 5000000;
    int pairs[4][2];
    for (int i = 0; i < 4; i++) {
        int type = i == 0 && request->talks ? SOCK_SEQPACKET : SOCK_STREAM;
        if (socketpair(AF_UNIX, type | SOCK_NONBLOCK, 0, pairs[i]) < 0) {
            abort();
        }
    }
    for (char **argument = request->arguments; argument && *argument; argument++) {
        if (strlen(*argument) > WIRE_MESSAGE) {
            abort();
        }
    }
    fakes[slot].pid = ++next;
    fakes[slot].in = pairs[0][1];
    fakes[slot].out = pairs[1][1];
    fakes[slot].err = pairs[2][1];
    fakes[slot].status = pairs[3][1];
    *spawned = (struct spawned){next, pairs[0][0], pairs[1][0], pairs[2][0], pairs[3][0], malloc(1)};
    fakes[slot].talks = request->talks;
    if (request->pty || (!request->input && !request->talks)) {
        close(spawned->in);
        close(fakes[slot].in);
        spawned->in = fakes[slot].in = -1;
    }
    if (request->pty) {
        close(spawned->err);
        close(fakes[slot].err);
        spawned->err = fakes[slot].err = -1;
    }
    return true;
}

bool spawn_has_room(unsigned *running) {
    *running = 1;
    return chance(50) != 0;
}

/* Units of some names, which want one another. */
const char *const unit_directories[] = {"/nowhere", NULL};
static const char *const unit_names[] = {"web", "job", "daemon", "odd"};
#define UNITS (sizeof unit_names / sizeof *unit_names)

bool unit_find(const char *name, struct unit_place *place) {
    *place = (struct unit_place){.path = "/nowhere/x.service", .masked = chance(40) == 0};
    snprintf(place->name, sizeof place->name, "%s", name);
    for (size_t i = 0; i < UNITS; i++) {
        if (strcmp(name, unit_names[i]) == 0) {
            return chance(30) != 0;
        }
    }
    return false;
}

bool unit_load(const struct unit_place *place, struct unit *unit) {
    char text[400];
    static const char *const types[] = {"simple", "oneshot", "forking"}, *const restarts[] = {"no", "on-failure", "always"};
    unit_init(unit, place->name);
    snprintf(text, sizeof text, "[Unit]\nAfter=%s.service\nWants=%s.service\nRequires=%s.service\n[Service]\nType=%s\nRestart=%s\nRestartSec=0\nExecStart=/bin/x a\n",
             unit_names[chance(UNITS)], unit_names[chance(UNITS)], unit_names[chance(UNITS)], types[chance(3)], restarts[chance(3)]);
    unit_parse(unit, text, strlen(text));
    unit_finish(unit);
    return true;
}

void unit_each_enabled(unit_visit visit, void *context) {
    visit(context, unit_names[chance(UNITS)]);
}

void unit_each_file(const char *directory, unit_visit visit, void *context) {
    (void)directory;
    visit(context, unit_names[chance(UNITS)]);
}

void service_serve(void) {}
void client_put(struct client *client, uint8_t kind, const uint8_t *data, size_t length) { (void)client, (void)kind, (void)data, (void)length; }
void client_end(struct client *client, uint8_t status) { (void)client, (void)status; }

/* What a keeper says. */
static void speak(int fd) {
    struct keeper_word word = {.event = (int32_t)chance(6), .pid = 5000000, .status = (int32_t)chance(3), .result = (int32_t)chance(9), .has_status = (int32_t)chance(2)};
    memset(word.text, 'x', sizeof word.text);
    ssize_t ignored = send(fd, &word, chance(8) ? sizeof word : chance(sizeof word), MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)ignored;
}

static void end_fake(int slot) {
    int fds[] = {fakes[slot].in, fakes[slot].out, fakes[slot].err, fakes[slot].status};
    for (int i = 0; i < 4; i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
    }
    struct rusage usage = {0};
    service_reaped(fakes[slot].pid);
    process_reaped(fakes[slot].pid, (int)chance(3) * 256 + (chance(4) == 0 ? 9 : 0), &usage);
    fakes[slot].pid = 0;
}

size_t fakes_pass(void) {
    static uint8_t block[WIRE_FRAME_MOST];
    size_t passed = 0;
    while (pass_is_on()) {
        passed += pass_take(block, 1 + chance(sizeof block));
    }
    return passed;
}

void fakes_live(void) {
    int slot = (int)chance(FAKES);
    static uint8_t block[20000];
    ssize_t ignored = 0;
    if (!fakes[slot].pid) {
        return;
    }
    switch (chance(8)) {
        case 0:
            end_fake(slot);
            break;
        case 1:
            if (fakes[slot].status >= 0) {
                struct child_failure failure = {.error = ENOENT, .step = CHILD_PROGRAM};
                if (chance(3) == 0) {
                    ignored = write(fakes[slot].status, &failure, sizeof failure);
                }
                close(fakes[slot].status);
                fakes[slot].status = -1;
            }
            break;
        case 2:
            if (fakes[slot].in >= 0 && fakes[slot].talks) {
                speak(fakes[slot].in);
            } else if (fakes[slot].in >= 0) {
                ignored = read(fakes[slot].in, block, sizeof block);
            }
            break;
        case 3:
            if (fakes[slot].in >= 0) {
                close(fakes[slot].in);
                fakes[slot].in = -1;
            }
            break;
        default:
            if (fakes[slot].out >= 0) {
                int fd = chance(3) && fakes[slot].err >= 0 ? fakes[slot].err : fakes[slot].out;
                ignored = send(fd, block, chance(sizeof block), MSG_NOSIGNAL | MSG_DONTWAIT);
            }
    }
    (void)ignored;
}

int __wrap_sysinfo(struct sysinfo *info);
int __wrap_sysinfo(struct sysinfo *info) {
    *info = (struct sysinfo){.totalram = 1 << 20, .freeram = 1 << 19, .mem_unit = 4096, .procs = (unsigned short)chance(4)};
    return 0;
}

int __wrap_kill(pid_t pid, int number) { (void)pid, (void)number; return 0; }
int __wrap_sethostname(const char *name, size_t length) { (void)name, (void)length; return 0; }
int __wrap_connect(int fd, const struct sockaddr *address, socklen_t length) {
    (void)fd, (void)address, (void)length;
    errno = chance(2) ? EINPROGRESS : ECONNREFUSED;
    return -1;
}
void link_forget_frames(void) {}
void session_kill(pid_t session) { (void)session; }
void session_each(bool (*visit)(void *, const struct process_facts *), void *context) { (void)visit, (void)context; }
void shutdown_start(uint32_t grace) { (void)grace; }
bool fakes_shutdown;
bool shutdown_is_on(void) { return fakes_shutdown; }
void sudo_serve(bool on) { (void)on; }
void sudo_kill_of(pid_t session) { (void)session; }
pid_t sudo_owner(pid_t session) { return session; }
bool sudo_serves(pid_t pid) { return pid < 0; }
void sudo_reaped(pid_t pid) { (void)pid; }
void log_line(const char *format, ...) { (void)format; }

void fakes_end_all(void) {
    for (int slot = 0; slot < FAKES; slot++) {
        if (fakes[slot].pid) {
            end_fake(slot);
        }
    }
}
