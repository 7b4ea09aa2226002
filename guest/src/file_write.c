/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "worker.h"

enum write_flag { MAKE_PARENTS = 1, APPEND = 2, MUST_BE_NEW = 4, WHOLE = 8 };

#define OPEN_FLAGS (O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

static void copy_input(int fd, const char *path) {
    static uint8_t block[262144];
    for (size_t got; (got = worker_read(block, sizeof block)) > 0;) {
        for (size_t done = 0; done < got;) {
            ssize_t wrote = write(fd, block + done, got - done);
            if (wrote < 0 && errno != EINTR) {
                worker_fail(errno, SHOWN, path);
            }
            done += wrote > 0 ? (size_t)wrote : 0;
        }
    }
}

static void finish(int fd, const struct file_request *request, const char *path) {
    struct timespec times[2];
    request_times(request, times);
    give_made(fd, path);
    if (request->has_mtime && futimens(fd, times) < 0) {
        worker_fail(errno, SHOWN, path);
    }
    if (close(fd) < 0) { /* a full disk or quota may show only here */
        worker_fail(errno, SHOWN, path);
    }
}

static int create(const char *path, const struct file_request *request) {
    int fd = open(path, OPEN_FLAGS | O_CREAT | O_EXCL, request->has_mode ? request->mode & 0777 : 0666);
    if (fd >= 0 && request->has_mode && fchmod(fd, request->mode & 07777) < 0) {
        worker_fail(errno, SHOWN, path);
    }
    return fd;
}

static void write_in_place(const struct file_request *request) {
    const char *path = request->path;
    bool append = request->flags & APPEND;
    int more = append ? O_APPEND : 0;
    int fd = request->flags & MUST_BE_NEW ? -1 : open(path, OPEN_FLAGS | more);
    if (fd < 0 && (request->flags & MUST_BE_NEW || errno == ENOENT)) {
        fd = create(path, request);
        if (fd < 0 && errno == EEXIST && !(request->flags & MUST_BE_NEW)) {
            fd = open(path, OPEN_FLAGS | O_CREAT | more, 0666); /* a link to nothing yet, or somebody was faster */
        }
    }
    struct stat status;
    if (fd < 0 || fstat(fd, &status) < 0) {
        worker_fail(errno == ENXIO ? EINVAL : errno, SHOWN, path);
    }
    if (!S_ISREG(status.st_mode)) {
        worker_fail(EINVAL, SHOWN, path);
    }
    if (!append && status.st_size > 0 && ftruncate(fd, 0) < 0) {
        worker_fail(errno, SHOWN, path);
    }
    copy_input(fd, path);
    finish(fd, request, path);
}

static char *temporary_name(const char *path) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const char *slash = strrchr(path, '/');
    char *name;
    if (asprintf(&name, "%.*s/.%.200s.%lx-%x", (int)(slash - path), path, slash + 1, now.tv_nsec, (unsigned)getpid()) < 0) {
        worker_fail(ENOMEM, "no memory");
    }
    return name;
}

/* Renames without replacing; where the filesystem cannot, by a link. */
static int rename_new(const char *from, const char *to) {
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) {
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        return -1;
    }
    return link(from, to) == 0 ? unlink(from) : -1;
}

static void write_whole(const struct file_request *request) {
    struct stat status;
    char real[PATH_MAX];
    const char *path = realpath(request->path, real) ? real : request->path; /* writes through a link, like an editor */
    bool exists = stat(path, &status) == 0;
    if (exists && !S_ISREG(status.st_mode)) {
        worker_fail(S_ISDIR(status.st_mode) ? EISDIR : EINVAL, SHOWN, path);
    }
    if (exists && (request->flags & MUST_BE_NEW)) {
        worker_fail(EEXIST, SHOWN, path);
    }
    char *temporary = temporary_name(path);
    worker_cleanup(temporary); /* before it is made: who is cancelled in between must not leave it */
    int fd = create(temporary, request);
    if (fd < 0) {
        int error = errno;
        worker_cleanup(NULL);
        worker_fail(error, SHOWN, path);
    }
    if (exists) { /* the new content of the same file: keep whose it is, where the user may */
        int ignored = fchown(fd, status.st_uid, status.st_gid);
        (void)ignored;
        if (!request->has_mode && fchmod(fd, status.st_mode & 07777) < 0) {
            worker_fail(errno, SHOWN, path);
        }
    }
    copy_input(fd, path);
    finish(fd, request, path);
    if ((request->flags & MUST_BE_NEW ? rename_new(temporary, path) : rename(temporary, path)) < 0) {
        worker_fail(errno, SHOWN, path);
    }
    worker_cleanup(NULL);
    free(temporary);
}

void file_write(const struct file_request *request) {
    made_for(request);
    if (request->flags & MAKE_PARENTS) {
        make_parents(request->path);
    }
    if ((request->flags & (WHOLE | APPEND)) == WHOLE) {
        write_whole(request);
    } else if (request->flags & WHOLE) {
        worker_fail(EINVAL, "flags: append and whole or not at all");
    } else {
        write_in_place(request);
    }
    entry_tells(request);
    entry_record_of(request->path, true);
}
