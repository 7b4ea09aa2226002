/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of files on filesystems that keep none (gVisor's root): in a tree beside, by path. No program sees them there, and a file that is
 * replaced in any other way than by these operations keeps those of the one before. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fields.h"
#include "wire.h"
#include "worker.h"

#define TREE "/var/lib/sandglass/attributes"
#define LEAF "/.attributes"
#define BYTES_MOST 65536

/* Pairs of a file: u32 length, then name, NUL, value. */
struct pairs {
    uint8_t data[BYTES_MOST];
    size_t length;
};

/* Where the attributes of what is at a real path are; false when it is too long. */
static bool place(char *at, const char *path, const char *leaf) {
    return (size_t)snprintf(at, PATH_MAX, TREE "%s%s", strcmp(path, "/") == 0 ? "" : path, leaf) < PATH_MAX;
}

static bool load(struct pairs *pairs, const char *path) {
    char at[PATH_MAX];
    pairs->length = 0;
    int fd = place(at, path, LEAF) ? open(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
    if (fd < 0) {
        return false;
    }
    ssize_t got;
    while (pairs->length < sizeof pairs->data && (got = read(fd, pairs->data + pairs->length, sizeof pairs->data - pairs->length)) > 0) {
        pairs->length += (size_t)got;
    }
    close(fd);
    return true;
}

/* The next pair; NULL behind the last one, or where it is damaged. */
static const uint8_t *next(const struct pairs *pairs, size_t *at, uint32_t *length) {
    if (pairs->length - *at < 4) {
        return NULL;
    }
    *length = get_u32(pairs->data + *at);
    const uint8_t *pair = pairs->data + *at + 4;
    if (*length > pairs->length - *at - 4 || !memchr(pair, 0, *length)) {
        return NULL;
    }
    *at += 4 + *length;
    return pair;
}

static void add(struct pairs *pairs, const char *name, const uint8_t *value, size_t length) {
    size_t head = strlen(name) + 1;
    if (length > sizeof pairs->data || pairs->length + 4 + head + length > sizeof pairs->data) {
        worker_fail(ENOSPC, "attributes: more than %d bytes", BYTES_MOST);
    }
    uint8_t *at = pairs->data + pairs->length;
    put_u32(at, (uint32_t)(head + length));
    memcpy(at + 4, name, head);
    if (length) {
        memcpy(at + 4 + head, value, length);
    }
    pairs->length += 4 + head + length;
}

static void save(const struct pairs *pairs, const char *path) {
    char at[PATH_MAX], fresh[PATH_MAX];
    if (!place(at, path, LEAF) || !place(fresh, path, LEAF ".new")) {
        worker_fail(ENAMETOOLONG, SHOWN, path);
    }
    if (pairs->length == 0) {
        unlink(at);
        return;
    }
    make_parents(TREE);
    if (mkdir(TREE, 0700) < 0 && errno != EEXIST) {
        worker_fail(errno, SHOWN, TREE);
    }
    make_parents(at);
    int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
    bool done = fd >= 0 && write(fd, pairs->data, pairs->length) == (ssize_t)pairs->length;
    int error = errno;
    if (fd >= 0) {
        close(fd);
    }
    if (!done || rename(fresh, at) < 0) {
        worker_fail(done ? errno : error, SHOWN, at);
    }
}

void beside_set(const char *path, const char *name, const uint8_t *value, size_t length) {
    static struct pairs before, after;
    char real[PATH_MAX];
    uint32_t size;
    const uint8_t *pair;
    if (!realpath(path, real)) {
        worker_fail(errno, SHOWN, path);
    }
    load(&before, real);
    for (size_t at = 0; (pair = next(&before, &at, &size));) {
        const char *known = (const char *)pair;
        if (strcmp(known, name) != 0) {
            add(&after, known, pair + strlen(known) + 1, size - strlen(known) - 1);
        }
    }
    if (value) {
        add(&after, name, value, length);
    }
    save(&after, real);
}

void beside_tell(struct bytes *fields, uint8_t tag, const char *path, const char *prefix) {
    static struct pairs pairs;
    static int there; /* 0 not looked yet, 1 yes, 2 no */
    struct stat status;
    if (there == 0) {
        there = stat(TREE, &status) == 0 ? 1 : 2;
    }
    if (there == 2 || !load(&pairs, path)) {
        return;
    }
    uint32_t size;
    const uint8_t *pair;
    for (size_t at = 0; (pair = next(&pairs, &at, &size));) {
        if (strncmp((const char *)pair, prefix, strlen(prefix)) == 0) {
            field_put(fields, tag, pair, size);
        }
    }
}

/* The real path of a name, which may be that of a link; false when there is none. */
static bool real_place(char *at, const char *path) {
    char parent[PATH_MAX], real[PATH_MAX];
    const char *name = last_component(path);
    if (strcmp(name, "/") == 0 || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strlen(path) >= sizeof parent) {
        return false;
    }
    strcpy(parent, path);
    size_t end = strlen(parent);
    while (end > 1 && parent[end - 1] == '/') {
        parent[--end] = 0;
    }
    strrchr(parent, '/')[1] = 0;
    return realpath(parent, real) && (size_t)snprintf(at, PATH_MAX, TREE "%s/%s", strcmp(real, "/") == 0 ? "" : real, name) < PATH_MAX;
}

void beside_move(const char *from, const char *to) {
    char old[PATH_MAX], new[PATH_MAX];
    struct stat status;
    if (geteuid() != 0 || stat(TREE, &status) < 0 || !real_place(old, from) || !real_place(new, to)) {
        return;
    }
    remove_tree(AT_FDCWD, new); /* of what was replaced */
    if (stat(old, &status) == 0) {
        make_parents(new);
        rename(old, new);
    }
}

void beside_forget(const char *path) {
    char at[PATH_MAX];
    struct stat status;
    if (geteuid() == 0 && stat(TREE, &status) == 0 && real_place(at, path)) {
        remove_tree(AT_FDCWD, at);
    }
}
