/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "fields.h"
#include "worker.h"

#define ATTRIBUTES_MOST 65536

enum entry_field { NAME = 1, KIND, MODE, UID, GID, SIZE, MTIME, TARGET, OWNER, GROUP, PATH, END_KIND, END_MODE, END_PATH, ATTRIBUTE };
enum entry_flag { FOLLOW = 1, LINK_ENDS = 2 };

/* What the request wants to know besides. */
static bool tells_ends;
static const char *attribute_prefix;

void entry_tells(const struct file_request *request) {
    tells_ends = request->flags & LINK_ENDS;
    attribute_prefix = request->attribute;
}

static uint8_t kind_of(mode_t mode) {
    switch (mode & S_IFMT) {
        case S_IFDIR:
            return 'd';
        case S_IFLNK:
            return 'l';
        case S_IFIFO:
            return 'p';
        case S_IFSOCK:
            return 's';
        case S_IFCHR:
            return 'c';
        case S_IFBLK:
            return 'b';
        default:
            return 'f';
    }
}

/* Most entries of a listing belong to the one before's owner. */
static const char *owner_name(uid_t uid) {
    static char name[NAME_MOST];
    static uid_t known;
    static int state; /* 0 nothing known, 1 has a name, 2 has none */
    if (state == 0 || known != uid) {
        known = uid;
        state = users_name(worker_users, uid, name) ? 1 : 2;
    }
    return state == 1 ? name : NULL;
}

static const char *group_name(gid_t gid) {
    static char name[NAME_MOST];
    static gid_t known;
    static int state;
    if (state == 0 || known != gid) {
        known = gid;
        state = users_group_name(worker_users, gid, name) ? 1 : 2;
    }
    return state == 1 ? name : NULL;
}

/* Where a link leads in the end; nothing is told of one that leads nowhere. */
static void put_end(struct bytes *fields, int directory, const char *at) {
    struct stat status;
    char link[32], path[PATH_MAX];
    int end = openat(directory, at, O_PATH | O_CLOEXEC);
    if (end < 0) {
        return;
    }
    snprintf(link, sizeof link, "/proc/self/fd/%d", end);
    ssize_t length = readlink(link, path, sizeof path);
    if (length > 0 && fstat(end, &status) == 0) {
        field_put_u8(fields, END_KIND, kind_of(status.st_mode));
        field_put_u32(fields, END_MODE, status.st_mode & 07777);
        field_put(fields, END_PATH, path, (size_t)length);
    }
    close(end);
}

/* Name, NUL, value of each; those that do not fit any more are left out. */
static void put_attributes(struct bytes *fields, const char *path) {
    static char names[ATTRIBUTES_MOST], pair[ATTRIBUTES_MOST];
    size_t told = 0, prefix = strlen(attribute_prefix);
    ssize_t all = llistxattr(path, names, sizeof names);
    for (ssize_t at = 0; at < all; at += (ssize_t)strlen(names + at) + 1) {
        const char *name = names + at;
        size_t head = strlen(name) + 1;
        if (strncmp(name, attribute_prefix, prefix) != 0 || told + head >= sizeof pair) {
            continue;
        }
        memcpy(pair, name, head);
        ssize_t length = lgetxattr(path, name, pair + head, sizeof pair - head - told);
        if (length >= 0) {
            field_put(fields, ATTRIBUTE, pair, head + (size_t)length);
            told += head + (size_t)length;
        }
    }
    beside_tell(fields, ATTRIBUTE, path, attribute_prefix);
}

static bool may_have_attributes(mode_t mode) {
    return S_ISREG(mode) || S_ISDIR(mode);
}

void entry_record(const char *name, const char *path, const struct stat *status, int directory, const char *at, const char *whole) {
    struct bytes fields = {0};
    field_put_text(&fields, NAME, name);
    field_put_u8(&fields, KIND, kind_of(status->st_mode));
    field_put_u32(&fields, MODE, status->st_mode & 07777);
    field_put_u32(&fields, UID, status->st_uid);
    field_put_u32(&fields, GID, status->st_gid);
    field_put_u64(&fields, SIZE, (uint64_t)status->st_size);
    field_put_u64(&fields, MTIME, (uint64_t)status->st_mtim.tv_sec * 1000000000u + (uint64_t)status->st_mtim.tv_nsec);
    if (S_ISLNK(status->st_mode)) {
        char target[PATH_MAX];
        ssize_t length = readlinkat(directory, at, target, sizeof target);
        if (length >= 0) {
            field_put(&fields, TARGET, target, (size_t)length);
        }
        if (tells_ends) {
            put_end(&fields, directory, at);
        }
    }
    if (owner_name(status->st_uid)) {
        field_put_text(&fields, OWNER, owner_name(status->st_uid));
    }
    if (group_name(status->st_gid)) {
        field_put_text(&fields, GROUP, group_name(status->st_gid));
    }
    if (path) {
        field_put_text(&fields, PATH, path);
    }
    if (attribute_prefix && may_have_attributes(status->st_mode)) {
        put_attributes(&fields, whole);
    }
    worker_record(&fields);
}

/* Without slashes at its end; "/" for the root. */
const char *last_component(const char *path) {
    static char name[PATH_MAX];
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/') {
        end--;
    }
    size_t start = end;
    while (start > 0 && path[start - 1] != '/') {
        start--;
    }
    if (start == end) {
        start = 0; /* "/" */
    }
    memcpy(name, path + start, end - start);
    name[end - start] = 0;
    return name;
}

void entry_record_of(const char *path, bool follow) {
    struct stat status;
    if (fstatat(AT_FDCWD, path, &status, follow ? 0 : AT_SYMLINK_NOFOLLOW) < 0) {
        worker_fail(errno, SHOWN, path);
    }
    char real[PATH_MAX];
    const char *whole = attribute_prefix && realpath(path, real) ? real : path;
    entry_record(last_component(path), path, &status, AT_FDCWD, path, whole);
}

void file_stat(const struct file_request *request) {
    entry_tells(request);
    entry_record_of(request->path, request->flags & FOLLOW);
}
