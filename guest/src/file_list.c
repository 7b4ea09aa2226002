/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "worker.h"

#define LEVELS_MOST 4096

static const char *root;

/* Takes the descriptor. What vanishes meanwhile, or may not be entered below the first level, is left out. */
static void list_directory(int directory, const char *prefix, uint32_t depth) {
    struct names names;
    int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (copy < 0) {
        close(directory);
        return;
    }
    names_read(&names, copy);
    for (size_t i = 0; i < names.count; i++) {
        struct stat status;
        const char *name = names.list[i];
        if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0) {
            continue;
        }
        char *path = worker_join(prefix, name);
        char *whole = worker_join(root, path);
        entry_record(path, NULL, &status, directory, name, whole);
        free(whole);
        if (depth > 1 && S_ISDIR(status.st_mode)) {
            int below = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (below >= 0) {
                list_directory(below, path, depth - 1);
            }
        }
        free(path);
    }
    names_free(&names);
    close(directory);
}

void file_list(const struct file_request *request) {
    uint32_t depth = request->depth ? request->depth : 1;
    int directory = open(request->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) {
        worker_fail(errno, SHOWN, request->path);
    }
    char real[PATH_MAX];
    root = realpath(request->path, real) ? real : request->path;
    entry_tells(request);
    list_directory(directory, "", depth < LEVELS_MOST ? depth : LEVELS_MOST);
}
