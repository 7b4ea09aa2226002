/* SPDX-License-Identifier: Apache-2.0 */
/* `systemctl` for a sandbox whose PID 1 is the agent: a client in this same program. What is a matter of files (enable, disable, mask, cat) it
 * does itself, so that works without the agent too. */
#ifndef SYSTEMCTL_H
#define SYSTEMCTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "bytes.h"
#include "unit.h"

struct options {
    bool quiet, now, no_block, all, value, runtime, force, no_legend, failed;
    const char *type, *property, *state;
    int signal;
    unsigned lines;
};
extern struct options options;

/* A service record. */
struct known {
    char *name, *description, *reason, *path, *command, *user, *directory, *restart;
    uint8_t state, health;
    bool enabled, has_status, has_health;
    uint32_t pid, restarts;
    int32_t status;
    uint16_t port;
    uint64_t since;
    struct unit_list unsupported;
};
struct known_list {
    struct known *items;
    size_t count;
};

int systemctl_client(int count, char **arguments);

/* Asks the agent. False: it said why not, or cannot be reached; a message is printed, unless the unit is just unknown and `missing` is given. */
bool systemctl_ask(uint8_t operation, char **names, size_t count, uint32_t flags, struct bytes *output, bool *missing);
bool systemctl_list(uint8_t operation, char **names, size_t count, uint32_t flags, struct known_list *found, bool *missing);
void known_free(struct known_list *list);

/* `.timer` and its like, of a unit that is no service; NULL when it is one. */
const char *systemctl_other_kind(const char *name);
/* Verbs: names of services have their `.service` taken off. Each returns the exit status. */
int systemctl_status(char **names, size_t count);
int systemctl_show(char **names, size_t count);
int systemctl_is_active(char **names, size_t count, bool failed);
int systemctl_list_units(void);
int systemctl_list_files(void);
int systemctl_cat(char **names, size_t count);
int systemctl_is_enabled(char **names, size_t count);
int systemctl_enable(char **names, size_t count);
int systemctl_disable(char **names, size_t count);
int systemctl_mask(char **names, size_t count, bool on);
bool systemctl_can_reload(const char *name);
/* `enabled`, `disabled`, `static`, `masked`; NULL: there is no such unit. */
const char *systemctl_file_state(const char *name);

static inline socklen_t systemctl_address(struct sockaddr_un *address) {
    static const char name[] = "\0sandglass-services"; /* abstract: no file that could be replaced */
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    __builtin_memcpy(address->sun_path, name, sizeof name - 1);
    return (socklen_t)(__builtin_offsetof(struct sockaddr_un, sun_path) + sizeof name - 1);
}

#endif
