/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "worker.h"

static struct identity made_owner;
static bool has_owner;

void made_for(const struct file_request *request) {
    has_owner = request->owner != NULL;
    if (has_owner && !users_find(worker_users, request->owner, &made_owner)) {
        worker_fail(EINVAL, "unknown user " SHOWN, request->owner);
    }
}

void give_made(int fd, const char *path) {
    if (has_owner && fchown(fd, made_owner.uid, made_owner.gid) < 0) {
        worker_fail(errno, SHOWN, path);
    }
}

/* As mkdir, and the owner's. */
static bool make_one(const char *path, mode_t mode) {
    if (mkdir(path, mode) < 0) {
        return false;
    }
    if (has_owner && lchown(path, made_owner.uid, made_owner.gid) < 0) {
        worker_fail(errno, SHOWN, path);
    }
    return true;
}

bool make_directories(const char *path, mode_t mode) {
    struct stat status;
    if (make_one(path, mode)) {
        return true;
    }
    if (errno == EEXIST) {
        if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
            return true;
        }
        errno = ENOTDIR;
        return false;
    }
    if (errno != ENOENT) {
        return false;
    }
    char *copy = strdup(path);
    if (!copy) {
        return false;
    }
    size_t end = strlen(copy);
    while (end > 0 && copy[end - 1] == '/') {
        copy[--end] = 0;
    }
    char *slash = strrchr(copy, '/');
    bool done = false;
    if (slash && slash != copy) {
        *slash = 0;
        done = make_directories(copy, 0777);
    }
    int error = done ? 0 : errno;
    free(copy);
    if (done && (make_one(path, mode) || (errno == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode)))) {
        return true;
    }
    errno = error ? error : errno;
    return false;
}

void make_parents(const char *path) {
    char *copy = strdup(path);
    if (!copy) {
        worker_fail(ENOMEM, "no memory");
    }
    size_t end = strlen(copy);
    while (end > 1 && copy[end - 1] == '/') {
        copy[--end] = 0;
    }
    char *slash = strrchr(copy, '/');
    if (slash && slash != copy) {
        *slash = 0;
        if (!make_directories(copy, 0777)) {
            worker_fail(errno, SHOWN, copy);
        }
    }
    free(copy);
}

void file_mkdir(const struct file_request *request) {
    mode_t mode = request->has_mode ? request->mode & 0777 : 0777;
    struct stat status;
    made_for(request);
    bool there = (request->flags & 1) && stat(request->path, &status) == 0 && S_ISDIR(status.st_mode);
    if (!there) {
        bool done = request->flags & 1 ? make_directories(request->path, mode) : make_one(request->path, mode);
        if (!done || (request->has_mode && chmod(request->path, request->mode & 07777) < 0)) {
            worker_fail(errno, SHOWN, request->path);
        }
    }
    entry_record_of(request->path, true);
}

void file_link(const struct file_request *request) {
    if (symlink(request->second, request->path) < 0) {
        worker_fail(errno, SHOWN, request->path);
    }
    entry_record_of(request->path, false);
}

static int compare(const void *left, const void *right) {
    return strcmp(*(char *const *)left, *(char *const *)right);
}

void names_read(struct names *names, int fd) {
    size_t capacity = 0;
    *names = (struct names){0};
    DIR *directory = fdopendir(fd);
    if (!directory) {
        worker_fail(errno, "directory");
    }
    errno = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        if (names->count == capacity) {
            capacity = capacity ? capacity * 2 : 64;
            char **grown = realloc(names->list, capacity * sizeof *grown);
            if (!grown) {
                worker_fail(ENOMEM, "no memory");
            }
            names->list = grown;
        }
        if (!(names->list[names->count++] = strdup(entry->d_name))) {
            worker_fail(ENOMEM, "no memory");
        }
    }
    closedir(directory);
    if (names->count > 0) {
        qsort(names->list, names->count, sizeof *names->list, compare);
    }
}

void names_free(struct names *names) {
    for (size_t i = 0; i < names->count; i++) {
        free(names->list[i]);
    }
    free(names->list);
}
