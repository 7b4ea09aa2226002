/* SPDX-License-Identifier: Apache-2.0 */
/* UNPACK: a hostile archive becomes a tree, all of it under one directory. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "beneath.h"
#include "fields.h"
#include "tar.h"
#include "worker.h"

/* Modes and times of directories are set at the end, from the deepest up, since what goes into them changes them. */
struct later {
    struct later *next;
    struct timespec time;
    uint32_t mode;
    char name[];
};

static int root;
static bool keep_ids;
static struct later *later;
static uint64_t entry_count, byte_count;

static char *parent_name; /* of the last entry, since most have the same */
static int parent_fd = -1;

static _Noreturn void refuse(int error, const char *name, const char *why) {
    worker_fail(error, "archive entry " SHOWN " %s", name, why);
}

/* A name that leads through something else than directories is the archive's fault; the rest the filesystem's. */
static _Noreturn void refuse_way(int error, const char *name) {
    if (error == ELOOP || error == ENOTDIR) {
        refuse(EBADMSG, name, "would pass through a link or file");
    }
    refuse(error, name, "failed");
}

/* The directory of a clean name, and the name in it. */
static int open_parent(char *name, const char **base) {
    char *slash = strrchr(name, '/');
    *base = slash ? slash + 1 : name;
    if (slash) {
        *slash = 0;
    }
    const char *directory = slash ? name : "";
    if (parent_fd < 0 || strcmp(parent_name, directory) != 0) {
        if (parent_fd >= 0) {
            close(parent_fd);
        }
        free(parent_name);
        parent_fd = beneath_open(root, directory, true);
        parent_name = strdup(directory);
        if (parent_fd < 0 || !parent_name) {
            refuse_way(errno, name);
        }
    }
    if (slash) {
        *slash = '/';
    }
    return parent_fd;
}

/* A file, link or FIFO replaces what has its name, but never a directory; so nothing is written through a link. */
static void make_way(int parent, const char *base, const char *name) {
    if (unlinkat(parent, base, 0) < 0 && errno != ENOENT) {
        refuse(errno, name, "cannot replace what is there");
    }
}

static bool may_set_attribute(const char *name) {
    if (strncmp(name, "user.", 5) == 0) {
        return true;
    }
    return keep_ids && (strcmp(name, "security.capability") == 0 || strncmp(name, "system.posix_acl_", 17) == 0);
}

static void set_attributes(int fd, const struct tar_entry *entry) {
    struct fields fields = fields_of(entry->attributes.data, bytes_length(&entry->attributes));
    struct field name, value;
    while (field_next(&fields, &name) && field_next(&fields, &value)) {
        char *text = field_text(&name);
        if (text && may_set_attribute(text) && fsetxattr(fd, text, value.data, value.length, 0) < 0 && errno != ENOTSUP &&
            errno != EPERM) {
            refuse(errno, entry->name, "xattr");
        }
        free(text);
    }
}

static uint32_t allowed_mode(const struct tar_entry *entry) {
    return entry->mode & (keep_ids ? 07777u : 01777u);
}

static void set_owner(int parent, const char *base, const struct tar_entry *entry) {
    if (!keep_ids) {
        return;
    }
    if (entry->uid >= UINT32_MAX || entry->gid >= UINT32_MAX) {
        refuse(EBADMSG, entry->name, "has an id that does not exist");
    }
    if (fchownat(parent, base, (uid_t)entry->uid, (gid_t)entry->gid, AT_SYMLINK_NOFOLLOW) < 0) {
        refuse(errno, entry->name, "owner");
    }
}

static void set_time(int parent, const char *base, const struct tar_entry *entry) {
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT},
                                {.tv_sec = entry->seconds, .tv_nsec = (long)entry->nanoseconds}};
    utimensat(parent, base, times, AT_SYMLINK_NOFOLLOW); /* an absurd time is not worth a failure */
}

static void copy_content(int fd, const struct tar_entry *entry) {
    static uint8_t block[65536];
    uint64_t left = entry->size;
    while (left > 0) {
        size_t got = worker_read(block, left < sizeof block ? (size_t)left : sizeof block);
        if (got == 0) {
            refuse(EBADMSG, entry->name, "is cut short");
        }
        for (size_t done = 0; done < got;) {
            ssize_t wrote = write(fd, block + done, got - done);
            if (wrote < 0 && errno != EINTR) {
                refuse(errno, entry->name, "cannot be written");
            }
            done += wrote > 0 ? (size_t)wrote : 0;
        }
        left -= got;
    }
    byte_count += entry->size;
}

static void skip(uint64_t size) {
    static uint8_t block[65536];
    while (size > 0) {
        size_t got = worker_read(block, size < sizeof block ? (size_t)size : sizeof block);
        if (got == 0) {
            worker_fail(EBADMSG, "the archive is cut short");
        }
        size -= got;
    }
}

static uint64_t padding(uint64_t size) {
    return (TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK;
}

static void unpack_file(struct tar_entry *entry) {
    const char *base;
    int parent = open_parent(entry->name, &base);
    make_way(parent, base, entry->name);
    int fd = openat(parent, base, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        refuse_way(errno, entry->name);
    }
    copy_content(fd, entry);
    skip(padding(entry->size));
    set_owner(parent, base, entry);
    set_attributes(fd, entry);
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = entry->seconds, .tv_nsec = (long)entry->nanoseconds}};
    if (fchmod(fd, allowed_mode(entry)) < 0) {
        refuse(errno, entry->name, "mode");
    }
    futimens(fd, times);
    if (close(fd) < 0) {
        refuse(errno, entry->name, "cannot be written");
    }
}

static void remember(const struct tar_entry *entry) {
    size_t length = strlen(entry->name) + 1;
    struct later *added = malloc(sizeof *added + length);
    if (!added) {
        worker_fail(ENOMEM, "no memory");
    }
    *added = (struct later){.next = later,
                            .time = {.tv_sec = entry->seconds, .tv_nsec = (long)entry->nanoseconds},
                            .mode = allowed_mode(entry)};
    memcpy(added->name, entry->name, length);
    later = added;
}

static void unpack_directory(struct tar_entry *entry) {
    if (!*entry->name) {
        return; /* the root itself: it stays as it is */
    }
    const char *base;
    int parent = open_parent(entry->name, &base);
    struct stat status;
    if (mkdirat(parent, base, 0700) < 0 && (errno != EEXIST || fstatat(parent, base, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
                                            !S_ISDIR(status.st_mode))) {
        refuse(errno == EEXIST || errno == ENOTDIR || errno == ELOOP ? EBADMSG : errno, entry->name, "is there, and no directory");
    }
    set_owner(parent, base, entry);
    if (bytes_length(&entry->attributes) > 0) {
        int fd = openat(parent, base, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0) {
            set_attributes(fd, entry);
            close(fd);
        }
    }
    remember(entry);
}

static void unpack_symbolic_link(struct tar_entry *entry) {
    const char *base;
    int parent = open_parent(entry->name, &base);
    make_way(parent, base, entry->name);
    if (symlinkat(entry->link, parent, base) < 0) {
        refuse(errno, entry->name, "cannot be made");
    }
    set_owner(parent, base, entry);
    set_time(parent, base, entry);
}

static void unpack_hard_link(struct tar_entry *entry) {
    if (!tar_clean_name(entry->link) || !*entry->link) {
        refuse(EBADMSG, entry->name, "links out of the archive");
    }
    char *slash = strrchr(entry->link, '/');
    if (slash) {
        *slash = 0;
    }
    int from = beneath_open(root, slash ? entry->link : "", false);
    if (from < 0) {
        refuse(EBADMSG, entry->name, "links to nothing in the archive");
    }
    const char *base, *target = slash ? slash + 1 : entry->link;
    int parent = open_parent(entry->name, &base);
    struct stat status, there;
    if (fstatat(from, target, &status, AT_SYMLINK_NOFOLLOW) < 0 || S_ISDIR(status.st_mode)) {
        refuse(EBADMSG, entry->name, "links to nothing in the archive");
    }
    bool same = fstatat(parent, base, &there, AT_SYMLINK_NOFOLLOW) == 0 && there.st_ino == status.st_ino &&
                there.st_dev == status.st_dev;
    if (!same) {
        make_way(parent, base, entry->name);
        if (linkat(from, target, parent, base, 0) < 0) {
            refuse(errno, entry->name, "cannot be linked");
        }
    }
    close(from);
}

static void unpack_fifo(struct tar_entry *entry) {
    const char *base;
    int parent = open_parent(entry->name, &base);
    make_way(parent, base, entry->name);
    if (mkfifoat(parent, base, allowed_mode(entry) & 0777) < 0) {
        refuse(errno, entry->name, "cannot be made");
    }
    set_owner(parent, base, entry);
    set_time(parent, base, entry);
}

static void unpack_entry(struct tar_entry *entry) {
    if (!tar_clean_name(entry->name)) {
        refuse(EBADMSG, entry->name, "has an absolute name or `..`");
    }
    if (!*entry->name && entry->type != '5') {
        refuse(EBADMSG, entry->name, "has no name");
    }
    entry_count++;
    switch (entry->type) {
        case '0':
        case '7':
            unpack_file(entry);
            return;
        case '1':
            unpack_hard_link(entry);
            break;
        case '2':
            unpack_symbolic_link(entry);
            break;
        case '3':
        case '4':
            refuse(EBADMSG, entry->name, "is a device node");
        case '5':
            unpack_directory(entry);
            break;
        case '6':
            unpack_fifo(entry);
            break;
        default:
            refuse(EBADMSG, entry->name, "is of an unknown type");
    }
    skip(entry->size + padding(entry->size)); /* none of these has content, whatever it says */
}

/* The content of an extension header, with a NUL at its end. */
static char *read_extension(uint64_t size) {
    if (size > TAR_PAX_MOST) {
        worker_fail(EBADMSG, "the archive has a header of %llu bytes", (unsigned long long)size);
    }
    char *data = malloc((size_t)size + 1);
    if (!data) {
        worker_fail(ENOMEM, "no memory");
    }
    if (!worker_read_fully(data, (size_t)size)) {
        worker_fail(EBADMSG, "the archive is cut short");
    }
    data[size] = 0;
    skip(padding(size));
    return data;
}

struct extensions {
    char *pax, *name, *link;
    size_t pax_size;
};

static void take_extension(struct extensions *extensions, const struct tar_entry *entry) {
    char *data = read_extension(entry->size);
    char **to = entry->type == 'x'   ? &extensions->pax
                : entry->type == 'L' ? &extensions->name
                : entry->type == 'K' ? &extensions->link
                                     : NULL;
    if (!to) {
        free(data); /* global pax records: nothing in them matters here */
        return;
    }
    free(*to);
    *to = data;
    if (entry->type == 'x') {
        extensions->pax_size = (size_t)entry->size;
    }
}

static void apply_extensions(struct extensions *extensions, struct tar_entry *entry) {
    if (extensions->name) {
        free(entry->name);
        entry->name = extensions->name;
    }
    if (extensions->link) {
        free(entry->link);
        entry->link = extensions->link;
    }
    if (extensions->pax && !tar_read_pax(extensions->pax, extensions->pax_size, entry)) {
        refuse(EBADMSG, entry->name, "has malformed or unsupported pax records");
    }
    free(extensions->pax);
    *extensions = (struct extensions){0};
    if (entry->size > (uint64_t)INT64_MAX - TAR_BLOCK) {
        refuse(EBADMSG, entry->name, "has an absurd size");
    }
}

static void set_directories(void) {
    for (struct later *at = later; at; at = at->next) {
        int fd = beneath_open(root, at->name, false);
        if (fd < 0) {
            continue; /* a later entry replaced it */
        }
        close(fd);
        const char *base;
        int parent = open_parent(at->name, &base);
        struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, at->time};
        if (fchmodat(parent, base, at->mode, AT_SYMLINK_NOFOLLOW) < 0) {
            refuse(errno, at->name, "mode");
        }
        utimensat(parent, base, times, AT_SYMLINK_NOFOLLOW);
    }
}

void unpack_into(const char *path, bool keep, uint64_t *entries, uint64_t *bytes) {
    struct tar_header header;
    struct tar_entry entry = {0};
    struct extensions extensions = {0};
    keep_ids = keep;
    root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0) {
        worker_fail(errno, SHOWN, path);
    }
    for (;;) {
        if (!worker_read_fully(&header, sizeof header)) {
            worker_fail(EBADMSG, "the archive is cut short");
        }
        if (tar_is_zero(&header)) {
            break;
        }
        if (!tar_is_sound(&header) || !tar_read_header(&header, &entry)) {
            worker_fail(EBADMSG, "the archive has a malformed header");
        }
        if (strchr("xgLK", entry.type)) {
            take_extension(&extensions, &entry);
        } else {
            apply_extensions(&extensions, &entry);
            unpack_entry(&entry);
        }
    }
    tar_entry_free(&entry);
    set_directories();
    for (uint8_t rest[4096]; worker_read(rest, sizeof rest) > 0;) {
        /* what fills the last record */
    }
    *entries = entry_count;
    *bytes = byte_count;
}

void file_unpack(const struct file_request *request) {
    uint64_t entries, bytes;
    if (!make_directories(request->path, 0777)) {
        worker_fail(errno, SHOWN, request->path);
    }
    unpack_into(request->path, request->flags & 1, &entries, &bytes);
    struct bytes fields = {0};
    field_put_u64(&fields, 1, entries);
    field_put_u64(&fields, 2, bytes);
    worker_record(&fields);
}
