/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fields.h"
#include "sudo.h"
#include "wire.h"

extern char **environ;

struct asked {
    const char *user, *group, *directory;
    uint32_t flags;
    bool version, list, check, forget, help;
};

static int connection = -1;

static _Noreturn void complain(const char *text) {
    fprintf(stderr, "sudo: %s\n", text);
    exit(1);
}

static void relay(int number) {
    int saved = errno;
    uint8_t byte = (uint8_t)number;
    send(connection, &byte, 1, MSG_NOSIGNAL);
    errno = saved;
}

/* One letter. True when it takes a value. */
static bool takes_value(char letter) {
    return strchr("ugpChDRTtr", letter) != NULL;
}

static void set_letter(struct asked *asked, char letter, const char *value) {
    switch (letter) {
        case 'u':
            asked->user = value;
            break;
        case 'g':
            asked->group = value;
            break;
        case 'D':
            asked->directory = value;
            break;
        case 'E':
            asked->flags |= SUDO_KEEP_ENVIRONMENT;
            break;
        case 'i':
            asked->flags |= SUDO_LOGIN;
            break;
        case 's':
            asked->flags |= SUDO_SHELL;
            break;
        case 'H':
            asked->flags |= SUDO_SET_HOME;
            break;
        case 'V':
            asked->version = true;
            break;
        case 'l':
            asked->list = true;
            break;
        case 'v':
            asked->check = true;
            break;
        case 'k':
        case 'K':
            asked->forget = true;
            break;
        case 'n': /* there is never a password */
        case 'S':
        case 'A':
        case 'B':
        case 'b':
        case 'P':
        case 'N':
        case 'p':
        case 'C':
        case 'h':
        case 'R':
        case 'T':
        case 't':
        case 'r':
            break;
        default:
            fprintf(stderr, "sudo: unknown option -%c\n", letter);
            exit(1);
    }
}

static const struct {
    const char *name;
    char letter;
} long_options[] = {
    {"user", 'u'},     {"group", 'g'}, {"prompt", 'p'},        {"chdir", 'D'},    {"preserve-env", 'E'}, {"login", 'i'},
    {"shell", 's'},    {"stdin", 'S'}, {"non-interactive", 'n'}, {"set-home", 'H'}, {"version", 'V'},      {"list", 'l'},
    {"validate", 'v'}, {"reset-timestamp", 'k'}, {"remove-timestamp", 'K'}, {"askpass", 'A'}, {"background", 'b'},
};

static int long_option(struct asked *asked, int at, int count, char **arguments) {
    const char *text = arguments[at] + 2, *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    for (size_t i = 0; i < sizeof long_options / sizeof *long_options; i++) {
        if (strlen(long_options[i].name) == length && strncmp(long_options[i].name, text, length) == 0) {
            const char *value = equals ? equals + 1 : NULL;
            if (!value && takes_value(long_options[i].letter)) {
                if (++at >= count) {
                    complain("an option lacks its value");
                }
                value = arguments[at];
            }
            set_letter(asked, long_options[i].letter, value);
            return at;
        }
    }
    if (strcmp(text, "help") == 0) {
        asked->help = true;
        return at;
    }
    fprintf(stderr, "sudo: unknown option %s\n", arguments[at]);
    exit(1);
}

static int short_options(struct asked *asked, int at, int count, char **arguments) {
    const char *text = arguments[at];
    for (size_t i = 1; text[i]; i++) {
        if (takes_value(text[i])) {
            const char *value = text[i + 1] ? text + i + 1 : at + 1 < count ? arguments[at + 1] : NULL;
            if (!value) {
                if (text[i] == 'h') {
                    asked->help = true;
                    return at;
                }
                complain("an option lacks its value");
            }
            set_letter(asked, text[i], value);
            return text[i + 1] ? at : at + 1;
        }
        set_letter(asked, text[i], NULL);
    }
    return at;
}

/* The index of the first argument that is no option. */
static int parse(struct asked *asked, int count, char **arguments) {
    int at = 1;
    for (; at < count && arguments[at][0] == '-' && arguments[at][1]; at++) {
        if (strcmp(arguments[at], "--") == 0) {
            return at + 1;
        }
        at = arguments[at][1] == '-' ? long_option(asked, at, count, arguments) : short_options(asked, at, count, arguments);
    }
    return at;
}

static bool is_assignment(const char *text) {
    const char *equals = strchr(text, '=');
    return equals && equals > text && !memchr(text, '/', (size_t)(equals - text));
}

static void connect_to_service(void) {
    struct sockaddr_un address;
    socklen_t length = sudo_address(&address);
    connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0 || connect(connection, (struct sockaddr *)&address, length) < 0) {
        complain("not available in this sandbox");
    }
    struct ucred peer; /* somebody else could listen there when the service is off; gVisor tells of the asker instead of the peer */
    socklen_t size = sizeof peer;
    if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || (peer.uid != 0 && peer.pid != getpid())) {
        complain("not available in this sandbox");
    }
}

static void send_request(const struct bytes *fields) {
    union {
        char data[CMSG_SPACE(sizeof(int) * 3)];
        struct cmsghdr align;
    } control = {0};
    uint8_t header[4];
    put_u32(header, (uint32_t)bytes_length(fields));
    struct iovec part = {header, sizeof header};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int) * 3);
    memcpy(CMSG_DATA(rights), (int[]){0, 1, 2}, sizeof(int) * 3);
    if (sendmsg(connection, &message, MSG_NOSIGNAL) != sizeof header) {
        complain(errno == EBADF ? "a standard stream is closed" : "the service does not answer");
    }
    for (size_t done = 0; done < bytes_length(fields);) {
        ssize_t sent = send(connection, fields->data + done, bytes_length(fields) - done, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) {
            return; /* the answer says why */
        }
        done += sent > 0 ? (size_t)sent : 0;
    }
}

static bool receive_fully(void *data, size_t length) {
    for (size_t have = 0; have < length;) {
        ssize_t got = recv(connection, (char *)data + have, length - have, 0);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return false;
        }
        have += got > 0 ? (size_t)got : 0;
    }
    return true;
}

static int receive_status(void) {
    uint8_t header[5];
    static char text[4096];
    if (!receive_fully(header, sizeof header)) {
        complain("the command was lost");
    }
    size_t length = get_u32(header + 1);
    if (length >= sizeof text || !receive_fully(text, length)) {
        complain("the command was lost");
    }
    if (header[0] == SUDO_REFUSED || length != 4) {
        text[length] = 0;
        complain(text);
    }
    return (int)get_u32((uint8_t *)text);
}

static _Noreturn void end_like(int status) {
    if (status < 0) {
        signal(-status, SIG_DFL);
        kill(getpid(), -status);
        exit(128 - status);
    }
    exit(status);
}

static void catch_signals(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGUSR1, SIGUSR2};
    struct sigaction action = {.sa_handler = relay, .sa_flags = SA_RESTART};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        sigaction(numbers[i], &action, NULL);
    }
}

static void describe(struct bytes *fields, const struct asked *asked, int at, int count, char **arguments) {
    char *directory = getcwd(NULL, 0);
    for (; at < count && is_assignment(arguments[at]); at++) {
        field_put_text(fields, SUDO_ASSIGNMENT, arguments[at]);
    }
    for (; at < count; at++) {
        field_put_text(fields, SUDO_ARGUMENT, arguments[at]);
    }
    for (char **entry = environ; *entry; entry++) {
        field_put_text(fields, SUDO_ENVIRONMENT, *entry);
    }
    field_put_text(fields, SUDO_DIRECTORY, asked->directory ? asked->directory : directory ? directory : "/");
    char *user = NULL;
    if (asked->group && asprintf(&user, "%s:%s", asked->user ? asked->user : "root", asked->group) < 0) {
        complain("no memory");
    }
    field_put_text(fields, SUDO_USER, user ? user : asked->user ? asked->user : "root");
    field_put_u32(fields, SUDO_FLAGS, asked->flags);
    if (fields->failed) {
        complain("no memory");
    }
}

int sudo_client(int count, char **arguments) {
    struct asked asked = {0};
    int at = parse(&asked, count, arguments);
    if (asked.version) {
        puts("Sudo version 1.9 (sandglass-agent " AGENT_VERSION ")");
        return 0;
    }
    bool has_command = at < count || (asked.flags & (SUDO_LOGIN | SUDO_SHELL));
    if (asked.forget && !has_command) {
        return 0;
    }
    if (asked.help || (!has_command && !asked.list && !asked.check)) {
        fputs("usage: sudo [-EHinsS] [-u user] [-g group] [VAR=value] [-i | -s] [command [argument ...]]\n", stderr);
        return asked.help ? 0 : 1;
    }
    if (asked.list || asked.check) {
        asked.flags |= SUDO_ONLY_CHECK;
    }
    struct bytes fields = {0};
    describe(&fields, &asked, at, count, arguments);
    connect_to_service();
    catch_signals();
    send_request(&fields);
    int status = receive_status();
    if (asked.list) {
        puts("You may run the following commands in this sandbox:\n    (ALL) NOPASSWD: ALL");
    }
    end_like(status);
}
