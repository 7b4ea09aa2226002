/* SPDX-License-Identifier: Apache-2.0 */
/* WATCH: changes below a directory, told as they happen, until the worker is killed. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "fields.h"
#include "worker.h"

#define EVENTS \
    (IN_CREATE | IN_MODIFY | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)
#define LEVELS_MOST 1024
#define PAIR_MS 20

enum watch_event { CREATED = 1, WRITTEN, REMOVED, RENAMED_FROM, RENAMED_TO, ATTRIBUTES, OVERFLOW };

/* Watched directories by number; inotify gives small numbers in order. */
static char **directories; /* relative names, "" is the root; NULL: not watched */
static int directory_count;
static int inotify;
static const char *root;
static bool recursive;
static struct {
    uint32_t cookie; /* 0: none */
    char *path;
} moved_away; /* a directory, until it is known whether it comes back under another name */

static void tell(enum watch_event event, const char *path, bool is_directory) {
    struct bytes fields = {0};
    field_put_u8(&fields, 1, (uint8_t)event);
    field_put_text(&fields, 2, path);
    field_put_u8(&fields, 3, is_directory);
    worker_record(&fields);
}

static bool remember(int watch, const char *path) {
    if (watch >= directory_count) {
        int count = watch + 64;
        char **grown = realloc(directories, (size_t)count * sizeof *grown);
        if (!grown) {
            return false;
        }
        memset(grown + directory_count, 0, (size_t)(count - directory_count) * sizeof *grown);
        directories = grown;
        directory_count = count;
    }
    free(directories[watch]);
    directories[watch] = strdup(path);
    return directories[watch] != NULL;
}

/* False with errno. */
static bool watch_one(const char *path, uint32_t more) {
    char *full = worker_join(root, path);
    int watch = inotify_add_watch(inotify, full, EVENTS | more);
    free(full);
    return watch >= 0 && remember(watch, path);
}

static char *below(const char *path, const char *name) {
    return *path ? worker_join(path, name) : strdup(name);
}

/* Watches what is below. With `announce`, tells of what is there already: it came before the watch. */
static void watch_below(const char *path, bool announce, int levels) {
    char *full = worker_join(root, path);
    int fd = open(full, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    free(full);
    if (fd < 0 || levels == 0) {
        if (fd >= 0) {
            close(fd);
        }
        return;
    }
    int parent = dup(fd);
    struct names names;
    names_read(&names, fd);
    for (size_t i = 0; i < names.count; i++) {
        struct stat status;
        char *child = below(path, names.list[i]);
        if (child && fstatat(parent, names.list[i], &status, AT_SYMLINK_NOFOLLOW) == 0) {
            if (announce) {
                tell(CREATED, child, S_ISDIR(status.st_mode));
            }
            if (S_ISDIR(status.st_mode)) {
                if (watch_one(child, IN_ONLYDIR | IN_DONT_FOLLOW)) {
                    watch_below(child, announce, levels - 1);
                } else if (errno == ENOSPC || errno == ENOMEM) {
                    if (!announce) {
                        worker_fail(errno, "too many directories to watch");
                    }
                    tell(OVERFLOW, child, true);
                }
            }
        }
        free(child);
    }
    names_free(&names);
    close(parent);
}

static bool is_within(const char *path, const char *directory) {
    size_t length = strlen(directory);
    return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == 0);
}

/* The moved directory went elsewhere: what is in it is none of ours any more. */
static void forget_moved(void) {
    if (!moved_away.cookie) {
        return;
    }
    for (int i = 0; i < directory_count; i++) {
        if (directories[i] && is_within(directories[i], moved_away.path)) {
            inotify_rm_watch(inotify, i);
            free(directories[i]);
            directories[i] = NULL;
        }
    }
    free(moved_away.path);
    moved_away.path = NULL;
    moved_away.cookie = 0;
}

static void rename_moved(const char *path) {
    size_t old = strlen(moved_away.path);
    for (int i = 0; i < directory_count; i++) {
        char *renamed;
        if (directories[i] && is_within(directories[i], moved_away.path) &&
            asprintf(&renamed, "%s%s", path, directories[i] + old) >= 0) {
            free(directories[i]);
            directories[i] = renamed;
        }
    }
    free(moved_away.path);
    moved_away.path = NULL;
    moved_away.cookie = 0;
}

static void new_directory(const char *path) {
    if (!recursive) {
        return;
    }
    if (watch_one(path, IN_ONLYDIR | IN_DONT_FOLLOW)) {
        watch_below(path, true, LEVELS_MOST);
    } else if (errno == ENOSPC || errno == ENOMEM) {
        tell(OVERFLOW, path, true);
    }
}

static bool is_watched(const char *path) {
    for (int i = 0; i < directory_count; i++) {
        if (directories[i] && strcmp(directories[i], path) == 0) {
            return true;
        }
    }
    return false;
}

static void handle_moved_to(const struct inotify_event *event, const char *path, bool is_directory) {
    tell(RENAMED_TO, path, is_directory);
    if (is_directory && moved_away.cookie && moved_away.cookie == event->cookie) {
        rename_moved(path);
    }
    if (is_directory && !is_watched(path)) { /* from elsewhere, or moved before it could be watched */
        new_directory(path);
    }
}

static void handle_named(const struct inotify_event *event, const char *path) {
    bool is_directory = event->mask & IN_ISDIR;
    if (moved_away.cookie && !(event->mask & IN_MOVED_TO && event->cookie == moved_away.cookie)) {
        forget_moved();
    }
    if (event->mask & IN_CREATE) {
        tell(CREATED, path, is_directory);
        if (is_directory) {
            new_directory(path);
        }
    } else if (event->mask & IN_MODIFY) {
        tell(WRITTEN, path, is_directory);
    } else if (event->mask & IN_DELETE) {
        tell(REMOVED, path, is_directory);
    } else if (event->mask & IN_ATTRIB) {
        tell(ATTRIBUTES, path, is_directory);
    } else if (event->mask & IN_MOVED_FROM) {
        tell(RENAMED_FROM, path, is_directory);
        if (is_directory && recursive) {
            moved_away.cookie = event->cookie;
            moved_away.path = strdup(path);
            if (!moved_away.path) {
                worker_fail(ENOMEM, "no memory");
            }
        }
    } else if (event->mask & IN_MOVED_TO) {
        handle_moved_to(event, path, is_directory);
    }
}

/* False when the root itself is gone. */
static bool handle(const struct inotify_event *event) {
    if (event->mask & IN_Q_OVERFLOW) {
        tell(OVERFLOW, "", true);
        return true;
    }
    if (event->wd < 0 || event->wd >= directory_count || !directories[event->wd]) {
        return true; /* of one that was forgotten */
    }
    const char *directory = directories[event->wd];
    bool is_root = !*directory && event->len == 0;
    if (is_root && event->mask & (IN_DELETE_SELF | IN_MOVE_SELF)) {
        tell(event->mask & IN_DELETE_SELF ? REMOVED : RENAMED_FROM, "", true);
        return false;
    }
    if (event->mask & IN_IGNORED) {
        free(directories[event->wd]);
        directories[event->wd] = NULL;
    } else if (event->len > 0) {
        char *path = below(directory, event->name);
        if (path) {
            handle_named(event, path);
        }
        free(path);
    } else if (is_root && event->mask & (IN_MODIFY | IN_ATTRIB)) {
        tell(event->mask & IN_MODIFY ? WRITTEN : ATTRIBUTES, "", event->mask & IN_ISDIR);
    }
    return true;
}

void file_watch(const struct file_request *request) {
    static char buffer[65536] __attribute__((aligned(__alignof__(struct inotify_event))));
    char real[PATH_MAX];
    struct stat status;
    root = realpath(request->path, real);
    recursive = request->flags & 1;
    inotify = inotify_init1(IN_CLOEXEC);
    if (!root || inotify < 0 || stat(root, &status) < 0) {
        worker_fail(errno, SHOWN, request->path);
    }
    if (!watch_one("", 0)) {
        worker_fail(errno, SHOWN, request->path);
    }
    if (recursive && S_ISDIR(status.st_mode)) {
        watch_below("", false, LEVELS_MOST);
    }
    struct bytes nothing = {0};
    worker_record(&nothing);
    for (;;) {
        worker_flush();
        struct pollfd ready = {.fd = inotify, .events = POLLIN};
        if (moved_away.cookie && poll(&ready, 1, PAIR_MS) == 0) {
            forget_moved();
        }
        ssize_t got = read(inotify, buffer, sizeof buffer);
        if (got <= 0) {
            if (errno == EINTR && !worker_is_cancelled()) {
                continue;
            }
            return;
        }
        for (char *at = buffer; at < buffer + got;) {
            struct inotify_event *event = (struct inotify_event *)at;
            if (!handle(event)) {
                return;
            }
            at += sizeof *event + event->len;
        }
    }
}
