/* SPDX-License-Identifier: Apache-2.0 */
#include "beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STEP_FLAGS (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static int open_at_once(int root, const char *path) {
    struct open_how how = {.flags = STEP_FLAGS, .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
    return (int)syscall(SYS_openat2, root, path, &how, sizeof how);
}

/* Whether the kernel has openat2 (gVisor has not). */
static bool has_openat2(int root) {
    static int known; /* 1 yes, 2 no */
    if (known == 0) {
        int fd = open_at_once(root, ".");
        known = fd >= 0 ? 1 : 2;
        if (fd >= 0) {
            close(fd);
        }
    }
    return known == 1;
}

static int step(int directory, const char *name, bool make) {
    int next = openat(directory, name, STEP_FLAGS);
    if (next < 0 && errno == ENOENT && make && (mkdirat(directory, name, 0777) == 0 || errno == EEXIST)) {
        next = openat(directory, name, STEP_FLAGS);
    }
    struct stat status; /* O_PATH and O_NOFOLLOW may open a link itself where O_DIRECTORY is not looked at */
    if (next >= 0 && (fstat(next, &status) < 0 || !S_ISDIR(status.st_mode))) {
        close(next);
        errno = ENOTDIR;
        return -1;
    }
    return next;
}

int beneath_open(int root, const char *path, bool make) {
    if (*path && has_openat2(root)) {
        int fd = open_at_once(root, path);
        if (fd >= 0 || !make || errno != ENOENT) {
            return fd;
        }
    }
    int directory = openat(root, ".", STEP_FLAGS);
    while (directory >= 0 && *path) {
        char name[256];
        const char *end = strchrnul(path, '/');
        if (end - path >= (long)sizeof name) {
            close(directory);
            errno = ENAMETOOLONG;
            return -1;
        }
        memcpy(name, path, (size_t)(end - path));
        name[end - path] = 0;
        int next = step(directory, name, make);
        int error = errno;
        close(directory);
        errno = error;
        directory = next;
        path = *end ? end + 1 : end;
    }
    return directory;
}
