/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tar.h"
#include "worker.h"

enum move_flag { MAKE_PARENTS = 1, KEEP_EXISTING = 2 };

static pid_t packer;

static int rename_as_asked(const struct file_request *request, const char *from) {
    if (!(request->flags & KEEP_EXISTING)) {
        return rename(from, request->second);
    }
    if (renameat2(AT_FDCWD, from, AT_FDCWD, request->second, RENAME_NOREPLACE) == 0) {
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        return -1;
    }
    struct stat status; /* gVisor cannot do it in one step */
    if (lstat(request->second, &status) == 0) {
        errno = EEXIST;
        return -1;
    }
    return rename(from, request->second);
}

/* When the copy fails, the side that reads knows the better reason. */
static int packer_error(int error) {
    int status;
    if (packer > 0 && waitpid(packer, &status, 0) == packer && WIFEXITED(status) && WEXITSTATUS(status)) {
        return WEXITSTATUS(status);
    }
    return error;
}

static void start_packer(const char *path) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0 || (packer = fork()) < 0) {
        worker_fail(errno, SHOWN, path);
    }
    if (packer == 0) {
        dup2(ends[1], STDOUT_FILENO);
        worker_be_helper();
        pack_path(path, false);
        worker_flush();
        _exit(0);
    }
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);
}

/* To another filesystem: a copy by way of an archive beside the target, renamed when it is whole. */
static void move_across(const struct file_request *request) {
    char *staging;
    size_t end = strlen(request->second);
    while (end > 1 && request->second[end - 1] == '/') {
        end--;
    }
    if (asprintf(&staging, "%.*s.moving-%x", (int)end, request->second, (unsigned)getpid()) < 0) {
        worker_fail(ENOMEM, "no memory");
    }
    worker_cleanup(staging); /* before it is made, as for a temporary file */
    if (mkdir(staging, 0700) < 0) {
        int error = errno;
        worker_cleanup(NULL);
        worker_fail(error, SHOWN, request->second);
    }
    uint64_t entries, bytes;
    start_packer(request->path);
    worker_explain = packer_error;
    unpack_into(staging, geteuid() == 0, &entries, &bytes);
    int error = packer_error(0);
    worker_explain = NULL;
    char *copied = worker_join(staging, last_component(request->path));
    if (error || rename_as_asked(request, copied) < 0) {
        worker_fail(error ? error : errno, SHOWN, request->second);
    }
    rmdir(staging);
    worker_cleanup(NULL);
    error = remove_tree(AT_FDCWD, request->path);
    if (error) {
        worker_fail(error, SHOWN, request->path);
    }
    free(copied);
    free(staging);
}

void file_move(const struct file_request *request) {
    struct stat status;
    if (lstat(request->path, &status) < 0) {
        worker_fail(errno, SHOWN, request->path);
    }
    made_for(request);
    if (request->flags & MAKE_PARENTS) {
        make_parents(request->second);
    }
    if (rename_as_asked(request, request->path) < 0) {
        if (errno != EXDEV) {
            worker_fail(errno, SHOWN " to " SHOWN, request->path, request->second);
        }
        move_across(request);
    }
    beside_move(request->path, request->second);
    entry_record_of(request->second, false);
}
