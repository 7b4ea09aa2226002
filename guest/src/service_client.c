/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's side of `systemctl`. A client has some seconds to ask and to read its answer; everybody may ask, only root may change something. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "fields.h"
#include "log.h"
#include "service_ask.h"
#include "systemctl.h"
#include "wire.h"

#define CLIENTS_MOST 32
#define ASK_MS 5000
#define READ_MS 10000

struct client {
    struct client *next; /* younger */
    struct source source;
    struct timer limit;
    struct bytes in, out;
    struct ucred caller;
    bool has_caller, asked, ended;
};

static struct source listener = {.fd = -1};
static struct client *oldest;
static unsigned count;

static void forget(struct client *client) {
    struct client **at = &oldest;
    while (*at != client) {
        at = &(*at)->next;
    }
    *at = client->next;
    asker_forget_client(client);
    timer_stop(&client->limit);
    source_close(&client->source);
    bytes_free(&client->in);
    bytes_free(&client->out);
    count--;
    loop_free_later(client);
}

static void time_is_up(void *owner) {
    forget(owner);
}

static void flush(struct client *client) {
    while (bytes_length(&client->out) > 0) {
        ssize_t sent = send(client->source.fd, client->out.data + client->out.start, bytes_length(&client->out), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
            source_want(&client->source, client->ended ? EPOLLOUT : EPOLLIN | EPOLLOUT); /* nobody listens any more at the end */
            return;
        }
        if (sent < 0) {
            client->ended = true;
            bytes_free(&client->out);
            break;
        }
        bytes_take(&client->out, (size_t)sent);
    }
    if (client->ended) {
        timer_arm(&client->limit, loop_now(), time_is_up, client); /* not here: whoever answers still holds it */
        source_want(&client->source, 0);
    } else {
        source_want(&client->source, EPOLLIN);
    }
}

void client_put(struct client *client, uint8_t kind, const uint8_t *data, size_t length) {
    uint8_t header[5] = {kind};
    put_u32(header + 1, (uint32_t)length);
    bytes_add(&client->out, header, sizeof header);
    bytes_add(&client->out, data, length);
}

void client_end(struct client *client, uint8_t status) {
    client_put(client, CLIENT_END, &status, 1);
    client->ended = true;
    timer_arm(&client->limit, loop_now() + READ_MS, time_is_up, client);
    flush(client);
}

static bool only_asks(const uint8_t *data, size_t length) {
    struct fields fields = fields_of(data, length);
    struct field field;
    uint8_t operation = 0, found;
    while (field_next(&fields, &field)) {
        if (field.tag == SERVICE_OPERATION) {
            if (!field_u8(&field, &found) || (operation && found != operation)) {
                return false;
            }
            operation = found;
        }
    }
    return operation == SERVICE_LIST || operation == SERVICE_LOG;
}

static void refuse(struct client *client, int error, const char *text) {
    struct bytes fields = {0};
    field_put_u32(&fields, 1, (uint32_t)error);
    field_put_text(&fields, 2, text);
    if (!fields.failed) {
        client_put(client, CLIENT_ERR, fields.data, bytes_length(&fields));
    }
    bytes_free(&fields);
    client_end(client, 1);
}

static void serve(struct client *client) {
    const uint8_t *request = client->in.data + 4;
    size_t length = get_u32(client->in.data);
    client->asked = true;
    timer_stop(&client->limit);
    if (!client->has_caller || (client->caller.uid != 0 && !only_asks(request, length))) {
        refuse(client, EPERM, "only root may do that");
        return;
    }
    const char *wrong = asker_begin(NULL, client, request, length);
    if (wrong) {
        refuse(client, EINVAL, wrong);
    }
}

/* The kernel says with the bytes who sends them. (SO_PEERCRED will not do: gVisor answers it with who asks.) */
static ssize_t receive(struct client *client, uint8_t *data, size_t most) {
    union {
        char data[CMSG_SPACE(sizeof(struct ucred))];
        struct cmsghdr align;
    } control;
    struct iovec part = {data, most};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t got = recvmsg(client->source.fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    struct cmsghdr *found = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (found && found->cmsg_level == SOL_SOCKET && found->cmsg_type == SCM_CREDENTIALS && found->cmsg_len == CMSG_LEN(sizeof(struct ucred))) {
        struct ucred caller;
        memcpy(&caller, CMSG_DATA(found), sizeof caller);
        if (client->has_caller && caller.uid != client->caller.uid) {
            return 0; /* handed on to somebody else */
        }
        client->caller = caller;
        client->has_caller = caller.pid > 0;
    }
    return got;
}

static void client_ready(void *owner, uint32_t events) {
    struct client *client = owner;
    uint8_t block[4096];
    if (events & EPOLLOUT || client->ended) {
        flush(client);
    }
    if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR)) || client->ended) {
        return;
    }
    ssize_t got = receive(client, block, sizeof block);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (got <= 0 || client->asked) { /* gone, or it says more than it should */
        forget(client);
        return;
    }
    bytes_add(&client->in, block, (size_t)got);
    if (client->in.failed || (bytes_length(&client->in) >= 4 && get_u32(client->in.data) > CLIENT_REQUEST_MOST)) {
        forget(client);
    } else if (bytes_length(&client->in) >= 4 && bytes_length(&client->in) >= 4 + (size_t)get_u32(client->in.data)) {
        serve(client);
    }
}

/* Room for one more: whoever has been silent longest goes. */
static bool make_room(void) {
    struct client *silent = oldest;
    while (silent && silent->asked) {
        silent = silent->next;
    }
    if (count >= CLIENTS_MOST && silent) {
        forget(silent);
    }
    return count < CLIENTS_MOST;
}

static void accept_one(void *owner, uint32_t events) {
    (void)owner;
    (void)events;
    int fd = accept4(listener.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct client *client = fd >= 0 && make_room() ? calloc(1, sizeof *client) : NULL;
    if (!client) {
        if (fd >= 0) {
            close(fd); /* too many: the caller sees an end */
        }
        return;
    }
    struct client **last = &oldest;
    while (*last) {
        last = &(*last)->next;
    }
    *last = client;
    count++;
    source_init(&client->source, fd, client_ready, client);
    source_want(&client->source, EPOLLIN);
    timer_arm(&client->limit, loop_now() + ASK_MS, time_is_up, client);
}

void service_serve(void) {
    struct sockaddr_un address;
    socklen_t length = systemctl_address(&address);
    int yes = 1, fd = listener.fd < 0 ? socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0) : -1;
    if (listener.fd >= 0) {
        return;
    }
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes) < 0 || bind(fd, (struct sockaddr *)&address, length) < 0 ||
        listen(fd, CLIENTS_MOST) < 0) {
        log_line("systemctl: %m");
        if (fd >= 0) {
            close(fd);
        }
        return;
    }
    source_init(&listener, fd, accept_one, NULL);
    source_want(&listener, EPOLLIN);
    /* Packages look for this directory to know that there is a systemctl to talk to. */
    if ((mkdir("/run/systemd", 0755) < 0 && errno != EEXIST) || (mkdir("/run/systemd/system", 0755) < 0 && errno != EEXIST)) {
        log_line("/run/systemd/system: %m");
    }
}
