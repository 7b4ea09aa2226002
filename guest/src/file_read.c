/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "worker.h"

#define MOST_AT_ONCE (1u << 20)

/* Lets the kernel move pages of the file into the pipe, without copying them here; gives back what is left when it will not. */
static uint64_t hand_over(int fd, uint64_t left) {
    while (left > 0) {
        ssize_t moved = splice(fd, NULL, STDOUT_FILENO, NULL, left < MOST_AT_ONCE ? (size_t)left : MOST_AT_ONCE, SPLICE_F_MOVE);
        if (moved < 0 && errno == EINTR) {
            continue;
        }
        if (moved <= 0) {
            return left; /* the end, or a failure that a plain read explains */
        }
        left -= (uint64_t)moved;
    }
    return 0;
}

void file_read(const struct file_request *request) {
    static uint8_t block[262144];
    int fd = open(request->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) < 0) {
        worker_fail(errno, SHOWN, request->path);
    }
    if (!S_ISREG(status.st_mode)) {
        worker_fail(S_ISDIR(status.st_mode) ? EISDIR : EINVAL, SHOWN, request->path);
    }
    entry_record(last_component(request->path), request->path, &status, AT_FDCWD, request->path, request->path);
    if (request->offset > 0 && (request->offset > INT64_MAX || lseek(fd, (off_t)request->offset, SEEK_SET) < 0)) {
        worker_fail(EINVAL, "offset");
    }
    uint64_t left = request->has_length ? request->length : UINT64_MAX;
    worker_flush();
    left = hand_over(fd, left);
    while (left > 0) {
        ssize_t got = read(fd, block, left < sizeof block ? (size_t)left : sizeof block);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            worker_fail(errno, SHOWN, request->path);
        }
        if (got == 0) {
            break;
        }
        worker_write(block, (size_t)got);
        left -= (uint64_t)got;
    }
}
