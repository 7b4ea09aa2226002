/* SPDX-License-Identifier: Apache-2.0 */
/* `sudo` for runtimes without set-uid: a client in this same program, and the service in PID 1. The client connects to an abstract
 * socket and sends `u32 length, fields` with its three standard descriptors, then a byte per signal; the answer is `u8 kind, u32 length,
 * bytes`, and the end of the connection. Both sides are always of one build. */
#ifndef SUDO_H
#define SUDO_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#define SUDO_REQUEST_MOST (256u << 10)

enum sudo_field { SUDO_ARGUMENT = 1, SUDO_ENVIRONMENT, SUDO_DIRECTORY, SUDO_USER, SUDO_FLAGS, SUDO_ASSIGNMENT };
enum sudo_flag { SUDO_LOGIN = 1, SUDO_SHELL = 2, SUDO_SET_HOME = 4, SUDO_KEEP_ENVIRONMENT = 8, SUDO_ONLY_CHECK = 16 };
enum sudo_answer { SUDO_STATUS = 1, SUDO_REFUSED = 2 };

/* The service, in the main loop. */
void sudo_serve(bool on);
/* KILL to what was started from this session. */
void sudo_kill_of(pid_t session);
/* The session that asked for this one, or the session itself. */
pid_t sudo_owner(pid_t session);
/* Whether this child of the agent serves a caller. */
bool sudo_serves(pid_t pid);
/* A child was reaped: perhaps one that served. */
void sudo_reaped(pid_t pid);

/* One request, in a child of its own: the connection is descriptor 3. Tells the session of the caller. */
_Noreturn void sudo_answer(volatile pid_t *owner);

int sudo_client(int count, char **arguments);

static inline socklen_t sudo_address(struct sockaddr_un *address) {
    static const char name[] = "\0sandglass-sudo"; /* abstract: no file that could be replaced */
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    __builtin_memcpy(address->sun_path, name, sizeof name - 1);
    return (socklen_t)(__builtin_offsetof(struct sockaddr_un, sun_path) + sizeof name - 1);
}

#endif
