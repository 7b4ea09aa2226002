/* SPDX-License-Identifier: Apache-2.0 */
/* REMOVE and SET: walks of a tree by descriptors, so that a link put in meanwhile leads nowhere. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "worker.h"

#define LEVELS_MOST 4096
#define DIRECTORY_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

enum remove_flag { BELOW = 1, MAY_BE_MISSING = 2 };

static int remove_at(int parent, const char *name, dev_t device, bool first, int levels) {
    if (unlinkat(parent, name, 0) == 0 || errno == ENOENT) {
        return 0;
    }
    int error = errno;
    struct stat status;
    int directory = openat(parent, name, DIRECTORY_FLAGS);
    if (directory < 0) {
        return errno == ENOTDIR || errno == ELOOP ? error : errno;
    }
    if (fstat(directory, &status) < 0 || (!first && status.st_dev != device) || levels == 0) {
        close(directory);
        return levels == 0 ? ELOOP : EXDEV;
    }
    int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    error = copy < 0 ? errno : 0;
    if (copy >= 0) {
        struct names names;
        names_read(&names, copy);
        for (size_t i = 0; i < names.count && !error; i++) {
            error = remove_at(directory, names.list[i], status.st_dev, false, levels - 1);
        }
        names_free(&names);
    }
    close(directory);
    if (!error && unlinkat(parent, name, AT_REMOVEDIR) < 0 && errno != ENOENT) {
        error = errno;
    }
    return error;
}

int remove_tree(int parent, const char *name) {
    return remove_at(parent, name, 0, true, LEVELS_MOST);
}

/* The directory of a path, open, and its last component. */
static int open_parent(const char *path, const char **name) {
    *name = last_component(path);
    if (strcmp(*name, "/") == 0 || strcmp(*name, ".") == 0 || strcmp(*name, "..") == 0) {
        worker_fail(EBUSY, SHOWN, path);
    }
    char *copy = strdup(path);
    if (!copy) {
        worker_fail(ENOMEM, "no memory");
    }
    size_t end = strlen(copy);
    while (end > 1 && copy[end - 1] == '/') {
        copy[--end] = 0;
    }
    char *slash = strrchr(copy, '/');
    slash[slash == copy ? 1 : 0] = 0;
    int fd = open(copy, O_PATH | O_DIRECTORY | O_CLOEXEC);
    free(copy);
    return fd;
}

void file_remove(const struct file_request *request) {
    const char *name;
    struct stat status;
    int parent = open_parent(request->path, &name);
    if (parent < 0 || fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) < 0) {
        if (errno == ENOENT && (request->flags & MAY_BE_MISSING)) {
            return;
        }
        worker_fail(errno, SHOWN, request->path);
    }
    int error;
    if (request->flags & BELOW) {
        error = remove_tree(parent, name);
    } else {
        error = unlinkat(parent, name, S_ISDIR(status.st_mode) ? AT_REMOVEDIR : 0) < 0 ? errno : 0;
    }
    if (error) {
        worker_fail(error, SHOWN, request->path);
    }
    beside_forget(request->path);
}

struct change {
    const struct file_request *request;
    uid_t uid;
    gid_t gid;
};

static void change_one(const struct change *change, int parent, const char *name, mode_t kind) {
    const struct file_request *request = change->request;
    bool owned = request->owner || request->group;
    if (owned && fchownat(parent, name, change->uid, change->gid, AT_SYMLINK_NOFOLLOW) < 0) {
        worker_fail(errno, SHOWN, name);
    }
    if (request->has_mode && !S_ISLNK(kind) && fchmodat(parent, name, request->mode & 07777, AT_SYMLINK_NOFOLLOW) < 0) {
        worker_fail(errno, SHOWN, name);
    }
    if (request->has_mtime) {
        struct timespec times[2];
        request_times(request, times);
        if (utimensat(parent, name, times, AT_SYMLINK_NOFOLLOW) < 0) {
            worker_fail(errno, SHOWN, name);
        }
    }
}

/* What is below first: a mode that shuts a directory must not shut us out. */
static void change_tree(const struct change *change, int parent, const char *name, int levels) {
    struct stat status;
    if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) < 0) {
        worker_fail(errno, SHOWN, name);
    }
    if (S_ISDIR(status.st_mode) && (change->request->flags & 1)) {
        int directory = openat(parent, name, DIRECTORY_FLAGS);
        int copy = directory < 0 ? -1 : openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (copy < 0 || levels == 0) {
            worker_fail(levels == 0 ? ELOOP : errno, SHOWN, name);
        }
        struct names names;
        names_read(&names, copy);
        for (size_t i = 0; i < names.count; i++) {
            change_tree(change, directory, names.list[i], levels - 1);
        }
        names_free(&names);
        close(directory);
    }
    change_one(change, parent, name, status.st_mode);
}

void file_set(const struct file_request *request) {
    struct change change = {.request = request, .uid = (uid_t)-1, .gid = (gid_t)-1};
    struct identity identity;
    char real[PATH_MAX];
    if (request->owner && *request->owner) {
        if (!users_find(worker_users, request->owner, &identity)) {
            worker_fail(EINVAL, "unknown user " SHOWN, request->owner);
        }
        change.uid = identity.uid;
    }
    if (request->group && *request->group && !users_group(worker_users, request->group, &change.gid)) {
        worker_fail(EINVAL, "unknown group " SHOWN, request->group);
    }
    if (!realpath(request->path, real)) {
        worker_fail(errno, SHOWN, request->path);
    }
    const char *name = ".";
    int parent = strcmp(real, "/") == 0 ? open("/", O_PATH | O_DIRECTORY | O_CLOEXEC) : open_parent(real, &name);
    char *own = strdup(name); /* last_component keeps one name only */
    if (parent < 0 || !own) {
        worker_fail(errno, SHOWN, real);
    }
    change_tree(&change, parent, own, LEVELS_MOST);
    entry_record_of(request->path, true);
}
