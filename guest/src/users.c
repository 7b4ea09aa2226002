/* SPDX-License-Identifier: Apache-2.0 */
#include "users.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FILE_MOST ((size_t)4 << 20)
#define PARTS 7
#define KEPT_MOST 65536 /* larger ones are read each time, so that little memory is held */
#define SETTLED_SECONDS 2

struct part {
    const char *at;
    size_t length;
};

static char *load(const char *root, const char *name) {
    char path[HOME_MOST];
    snprintf(path, sizeof path, "%s%s", root, name);
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC); /* it may be a FIFO */
    struct stat status;
    if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
        if (fd >= 0) {
            close(fd);
        }
        return NULL;
    }
    size_t size = (size_t)status.st_size < FILE_MOST ? (size_t)status.st_size : FILE_MOST, have = 0;
    char *data = malloc(size + 1);
    while (data && have < size) {
        ssize_t got = read(fd, data + have, size - have);
        if (got <= 0) {
            break;
        }
        have += (size_t)got;
    }
    close(fd);
    if (data) {
        data[have] = 0;
    }
    return data;
}

void users_load(struct users *users, const char *root) {
    users->passwd = load(root, "/etc/passwd");
    users->group = load(root, "/etc/group");
}

void users_free(struct users *users) {
    free(users->passwd);
    free(users->group);
    *users = (struct users){0};
}

/* What tells whether a file is still the one that was read. */
struct mark {
    dev_t device;
    ino_t number;
    off_t size;
    struct timespec modified, changed;
};

static struct mark mark_of(const char *path) {
    struct stat status;
    if (stat(path, &status) < 0) {
        return (struct mark){0};
    }
    return (struct mark){status.st_dev, status.st_ino, status.st_size, status.st_mtim, status.st_ctim};
}

static bool is_same(const struct mark *one, const struct mark *other) {
    return one->device == other->device && one->number == other->number && one->size == other->size &&
           one->modified.tv_sec == other->modified.tv_sec && one->modified.tv_nsec == other->modified.tv_nsec &&
           one->changed.tv_sec == other->changed.tv_sec && one->changed.tv_nsec == other->changed.tv_nsec;
}

/* A file that changed a moment ago may change again without its times telling. */
static bool is_settled(const struct mark *mark, const struct timespec *now) {
    return mark->number && now->tv_sec - mark->changed.tv_sec > SETTLED_SECONDS && mark->size < KEPT_MOST;
}

const struct users *users_now(void) {
    static struct users users;
    static struct mark marks[2];
    static bool kept;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    struct mark seen[2] = {mark_of("/etc/passwd"), mark_of("/etc/group")};
    if (!kept || !is_same(&marks[0], &seen[0]) || !is_same(&marks[1], &seen[1])) {
        users_free(&users);
        users_load(&users, "");
        memcpy(marks, seen, sizeof marks);
        kept = is_settled(&seen[0], &now) && is_settled(&seen[1], &now);
    }
    return &users;
}

/* The parts of the next line between colons; a line with fewer than `least` is skipped. NUL bytes end the file. */
static bool next_line(const char **cursor, struct part parts[PARTS], size_t least) {
    while (*cursor && **cursor) {
        const char *at = *cursor, *end = strchrnul(at, '\n');
        *cursor = *end ? end + 1 : end;
        size_t count = 0;
        memset(parts, 0, sizeof(struct part) * PARTS);
        while (count < PARTS) {
            const char *colon = memchr(at, ':', (size_t)(end - at));
            const char *stop = colon ? colon : end;
            parts[count++] = (struct part){at, (size_t)(stop - at)};
            if (!colon) {
                break;
            }
            at = colon + 1;
        }
        if (count >= least && parts[0].length > 0) {
            return true;
        }
    }
    return false;
}

static bool part_is(struct part part, const char *text) {
    return part.length == strlen(text) && memcmp(part.at, text, part.length) == 0;
}

static bool part_copy(struct part part, char *to, size_t size) {
    if (part.length >= size) {
        return false;
    }
    memcpy(to, part.at, part.length);
    to[part.length] = 0;
    return true;
}

/* A decimal id; not (uid_t)-1, which means "leave it" to the kernel. */
static bool parse_id(struct part part, unsigned *id) {
    unsigned long long value = 0;
    if (part.length == 0 || part.length > 10) {
        return false;
    }
    for (size_t i = 0; i < part.length; i++) {
        if (part.at[i] < '0' || part.at[i] > '9') {
            return false;
        }
        value = value * 10 + (unsigned long long)(part.at[i] - '0');
    }
    if (value >= 0xffffffffull) {
        return false;
    }
    *id = (unsigned)value;
    return true;
}

static bool read_passwd_line(const struct part parts[PARTS], struct identity *identity) {
    unsigned uid, gid;
    if (!parse_id(parts[2], &uid) || !parse_id(parts[3], &gid) ||
        !part_copy(parts[0], identity->name, sizeof identity->name)) {
        return false;
    }
    identity->uid = uid;
    identity->gid = gid;
    if (parts[5].length == 0 || parts[5].at[0] != '/' || !part_copy(parts[5], identity->home, sizeof identity->home)) {
        strcpy(identity->home, "/");
    }
    if (parts[6].length == 0 || !part_copy(parts[6], identity->shell, sizeof identity->shell)) {
        strcpy(identity->shell, "/bin/sh");
    }
    return true;
}

static bool find_user(const struct users *users, struct part wanted, struct identity *identity) {
    struct part parts[PARTS];
    unsigned uid = 0;
    char name[NAME_MOST];
    if (!part_copy(wanted, name, sizeof name) || wanted.length == 0) {
        return false;
    }
    for (const char *cursor = users->passwd; next_line(&cursor, parts, 4);) {
        if (part_is(parts[0], name) && read_passwd_line(parts, identity)) {
            return true;
        }
    }
    if (!parse_id(wanted, &uid)) {
        if (strcmp(name, "root") != 0) {
            return false;
        }
        uid = 0; /* an image without /etc/passwd has a root too */
    }
    for (const char *cursor = users->passwd; next_line(&cursor, parts, 4);) {
        if (read_passwd_line(parts, identity) && identity->uid == uid) {
            return true;
        }
    }
    *identity = (struct identity){.uid = uid, .gid = uid == 0 ? 0 : uid, .home = "/", .shell = "/bin/sh"};
    if (uid == 0) {
        strcpy(identity->home, "/root");
    }
    strcpy(identity->name, uid == 0 ? "root" : name);
    return true;
}

bool users_group(const struct users *users, const char *text, gid_t *gid) {
    struct part parts[PARTS];
    unsigned id;
    for (const char *cursor = users->group; next_line(&cursor, parts, 3);) {
        if (part_is(parts[0], text) && parse_id(parts[2], &id)) {
            *gid = id;
            return true;
        }
    }
    if (!parse_id((struct part){text, strlen(text)}, &id)) {
        return false;
    }
    *gid = id;
    return true;
}

static bool lists_member(struct part members, const char *name) {
    while (members.length > 0) {
        const char *comma = memchr(members.at, ',', members.length);
        struct part member = {members.at, comma ? (size_t)(comma - members.at) : members.length};
        if (part_is(member, name)) {
            return true;
        }
        size_t used = member.length + (comma ? 1 : 0);
        members.at += used;
        members.length -= used;
    }
    return false;
}

static void add_groups(const struct users *users, struct identity *identity) {
    struct part parts[PARTS];
    unsigned id;
    identity->groups[0] = identity->gid;
    identity->group_count = 1;
    for (const char *cursor = users->group; next_line(&cursor, parts, 4);) {
        if (identity->group_count < GROUPS_MOST && parse_id(parts[2], &id) && id != identity->gid &&
            lists_member(parts[3], identity->name)) {
            identity->groups[identity->group_count++] = id;
        }
    }
}

bool users_find(const struct users *users, const char *text, struct identity *identity) {
    const char *colon = strchr(text, ':');
    struct part user = {text, colon ? (size_t)(colon - text) : strlen(text)};
    if (!find_user(users, user, identity)) {
        return false;
    }
    if (!colon) {
        add_groups(users, identity);
        return true;
    }
    if (!users_group(users, colon + 1, &identity->gid)) {
        return false;
    }
    identity->groups[0] = identity->gid; /* a group that was asked for is the only one */
    identity->group_count = 1;
    return true;
}

bool users_is_member(const struct users *users, const char *name, const char *group) {
    struct part parts[PARTS];
    for (const char *cursor = users->group; next_line(&cursor, parts, 4);) {
        if (part_is(parts[0], group) && lists_member(parts[3], name)) {
            return true;
        }
    }
    return false;
}

static bool name_of(const char *data, unsigned wanted, char name[NAME_MOST]) {
    struct part parts[PARTS];
    unsigned id;
    for (const char *cursor = data; next_line(&cursor, parts, 3);) {
        if (parse_id(parts[2], &id) && id == wanted && part_copy(parts[0], name, NAME_MOST)) {
            return true;
        }
    }
    return false;
}

bool users_name(const struct users *users, uid_t uid, char name[NAME_MOST]) {
    return name_of(users->passwd, uid, name);
}

bool users_group_name(const struct users *users, gid_t gid, char name[NAME_MOST]) {
    return name_of(users->group, gid, name);
}
