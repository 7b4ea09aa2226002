/* SPDX-License-Identifier: Apache-2.0 */
/* PACK: a tree becomes an archive. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "fields.h"
#include "tar.h"
#include "worker.h"

#define LEVELS_MOST 4096
#define LINK_BUCKETS 4096
#define XATTR_MOST 65536

/* Files with several names, so that the second one becomes a link. */
struct known {
    struct known *next;
    dev_t device;
    ino_t inode;
    char *name;
};
static struct known *known[LINK_BUCKETS];

static const char *find_or_add_link(const struct stat *status, const char *name) {
    struct known **bucket = &known[status->st_ino % LINK_BUCKETS];
    for (struct known *at = *bucket; at; at = at->next) {
        if (at->inode == status->st_ino && at->device == status->st_dev) {
            return at->name;
        }
    }
    struct known *added = malloc(sizeof *added);
    if (!added || !(added->name = strdup(name))) {
        worker_fail(ENOMEM, "no memory");
    }
    added->next = *bucket;
    added->device = status->st_dev;
    added->inode = status->st_ino;
    *bucket = added;
    return NULL;
}

/* Attributes of an open file or directory; of a link none are read. */
static void read_attributes(int fd, struct bytes *attributes) {
    static char names[XATTR_MOST];
    static uint8_t value[XATTR_MOST];
    ssize_t length = flistxattr(fd, names, sizeof names);
    for (ssize_t at = 0; at < length; at += (ssize_t)strlen(names + at) + 1) {
        ssize_t size = fgetxattr(fd, names + at, value, sizeof value);
        if (size >= 0) {
            field_put_text(attributes, 1, names + at);
            field_put(attributes, 2, value, (size_t)size);
        }
    }
    worker_check(attributes);
}

static void write_header(struct tar_entry *entry, const struct stat *status) {
    char owner[NAME_MOST], group[NAME_MOST];
    struct bytes out = {0};
    entry->mode = status->st_mode & 07777;
    entry->uid = status->st_uid;
    entry->gid = status->st_gid;
    entry->seconds = status->st_mtim.tv_sec;
    entry->nanoseconds = (uint32_t)status->st_mtim.tv_nsec;
    bool has_owner = users_name(worker_users, status->st_uid, owner);
    bool has_group = users_group_name(worker_users, status->st_gid, group);
    tar_write_entry(entry, has_owner ? owner : NULL, has_group ? group : NULL, &out);
    worker_check(&out);
    worker_write(out.data, bytes_length(&out));
    bytes_free(&out);
}

static void write_zeros(uint64_t count) {
    static const uint8_t zero[4096];
    while (count > 0) {
        size_t part = count < sizeof zero ? (size_t)count : sizeof zero;
        worker_write(zero, part);
        count -= part;
    }
}

/* Exactly as many bytes as the header said, whatever becomes of the file meanwhile. */
static void write_content(int fd, uint64_t size) {
    static uint8_t block[65536];
    uint64_t left = size;
    while (left > 0) {
        ssize_t got = read(fd, block, left < sizeof block ? (size_t)left : sizeof block);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        worker_write(block, (size_t)got);
        left -= (uint64_t)got;
    }
    write_zeros(left + (TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK);
}

static void pack_file(int parent, const char *at, char *name, const struct stat *before) {
    struct tar_entry entry = {.type = '0', .name = name};
    if (before->st_nlink > 1) {
        const char *first = find_or_add_link(before, name);
        if (first) {
            entry.type = '1';
            entry.link = (char *)first;
            write_header(&entry, before);
            return;
        }
    }
    struct stat status;
    int fd = openat(parent, at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) {
        return;
    }
    if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
        worker_fail(fd < 0 ? errno : EINVAL, SHOWN, name);
    }
    read_attributes(fd, &entry.attributes);
    entry.size = (uint64_t)status.st_size;
    write_header(&entry, &status);
    write_content(fd, entry.size);
    bytes_free(&entry.attributes);
    close(fd);
}

static void pack_link(int parent, const char *at, char *name, const struct stat *status) {
    char target[PATH_MAX];
    ssize_t length = readlinkat(parent, at, target, sizeof target - 1);
    if (length < 0) {
        return; /* gone */
    }
    target[length] = 0;
    struct tar_entry entry = {.type = '2', .name = name, .link = target};
    write_header(&entry, status);
}

static bool is_kernel_tree(int directory) {
    struct statfs filesystem;
    return fstatfs(directory, &filesystem) == 0 &&
           (filesystem.f_type == PROC_SUPER_MAGIC || filesystem.f_type == SYSFS_MAGIC ||
            filesystem.f_type == CGROUP_SUPER_MAGIC || filesystem.f_type == CGROUP2_SUPER_MAGIC);
}

static void pack_at(int parent, const char *at, const char *name, int levels);

static void pack_below(int directory, const char *prefix, int levels) {
    int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (copy < 0 || levels == 0) {
        worker_fail(levels == 0 ? ELOOP : errno, SHOWN, prefix);
    }
    struct names names;
    names_read(&names, copy);
    for (size_t i = 0; i < names.count; i++) {
        char *name = worker_join(prefix, names.list[i]);
        pack_at(directory, names.list[i], name, levels);
        free(name);
    }
    names_free(&names);
}

static void pack_directory(int parent, const char *at, const char *name, int levels) {
    struct stat status;
    int directory = openat(parent, at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0 && errno == ENOENT) {
        return;
    }
    if (directory < 0 || fstat(directory, &status) < 0) {
        worker_fail(errno, SHOWN, name);
    }
    char *with_slash = worker_join(name, "");
    struct tar_entry entry = {.type = '5', .name = with_slash};
    read_attributes(directory, &entry.attributes);
    write_header(&entry, &status);
    bytes_free(&entry.attributes);
    free(with_slash);
    if (!is_kernel_tree(directory)) {
        pack_below(directory, name, levels - 1);
    }
    close(directory);
}

static void pack_at(int parent, const char *at, const char *name, int levels) {
    struct stat status;
    if (fstatat(parent, at, &status, AT_SYMLINK_NOFOLLOW) < 0) {
        if (errno == ENOENT) {
            return;
        }
        worker_fail(errno, SHOWN, name);
    }
    struct tar_entry special = {.name = (char *)name};
    switch (status.st_mode & S_IFMT) {
        case S_IFREG:
            pack_file(parent, at, (char *)name, &status);
            break;
        case S_IFLNK:
            pack_link(parent, at, (char *)name, &status);
            break;
        case S_IFDIR:
            pack_directory(parent, at, name, levels);
            break;
        case S_IFIFO:
            special.type = '6';
            write_header(&special, &status);
            break;
        default: /* sockets and devices mean nothing elsewhere */
            break;
    }
}

void pack_path(const char *path, bool content_only) {
    struct stat status;
    if ((content_only ? stat(path, &status) : lstat(path, &status)) < 0) {
        worker_fail(errno, SHOWN, path);
    }
    char *name = strdup(last_component(path));
    if (!name) {
        worker_fail(ENOMEM, "no memory");
    }
    if ((content_only || strcmp(name, "/") == 0) && S_ISDIR(status.st_mode)) {
        int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (directory < 0) {
            worker_fail(errno, SHOWN, path);
        }
        pack_below(directory, "", LEVELS_MOST);
        close(directory);
    } else {
        pack_at(AT_FDCWD, path, name, LEVELS_MOST);
    }
    free(name);
    write_zeros(2 * TAR_BLOCK);
}

void file_pack(const struct file_request *request) {
    pack_path(request->path, request->flags & 1);
}
