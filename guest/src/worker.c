/* SPDX-License-Identifier: Apache-2.0 */
#include "worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "fields.h"
#include "wire.h"

const struct users *worker_users;
const struct identity *worker_identity;

static uint8_t buffer[65536];
static size_t buffered;
static char *volatile cleanup_path;
static volatile sig_atomic_t cancelled;
static bool is_helper;

int (*worker_explain)(int error);

void worker_be_helper(void) {
    is_helper = true;
    free(cleanup_path);
    cleanup_path = NULL;
}

bool worker_is_cancelled(void) {
    return cancelled;
}

/* Where there is something to remove, the end of the input wakes the worker up and it does; else nothing holds it. */
static void note_cancel(int number) {
    (void)number;
    if (!cleanup_path) {
        _exit(1);
    }
    cancelled = 1;
}

void worker_cleanup(const char *path) {
    free(cleanup_path);
    cleanup_path = path ? strdup(path) : NULL;
}

void worker_run_cleanup(void) {
    if (cleanup_path) {
        char *path = cleanup_path;
        cleanup_path = NULL;
        remove_tree(AT_FDCWD, path);
        free(path);
    }
}

_Noreturn void worker_fail(int error, const char *format, ...) {
    if (is_helper) {
        _exit(error);
    }
    if (worker_explain) {
        error = worker_explain(error);
    }
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length > 0 && (size_t)length < sizeof text && error && error != EBADMSG) { /* that one's text says it all */
        snprintf(text + length, sizeof text - (size_t)length, ": %s", strerror(error));
    }
    worker_run_cleanup();
    worker_flush();
    struct bytes fields = {0};
    field_put_u32(&fields, 1, (uint32_t)(error ? error : EIO));
    field_put_text(&fields, 2, text);
    if (!fields.failed) {
        ssize_t ignored = write(STDERR_FILENO, fields.data, fields.end); /* one write, so one OUTPUT */
        (void)ignored;
    }
    _exit(1);
}

static void write_fully(const uint8_t *data, size_t length) {
    while (length > 0) {
        ssize_t wrote = write(STDOUT_FILENO, data, length);
        if (wrote < 0 && errno == EINTR && !cancelled) {
            continue;
        }
        if (wrote < 0) {
            worker_run_cleanup();
            _exit(1);
        }
        data += wrote;
        length -= (size_t)wrote;
    }
}

void worker_flush(void) {
    write_fully(buffer, buffered);
    buffered = 0;
}

void worker_write(const void *data, size_t length) {
    if (length == 0) {
        return;
    }
    if (buffered + length > sizeof buffer) {
        worker_flush();
    }
    if (length >= sizeof buffer) {
        write_fully(data, length);
        return;
    }
    memcpy(buffer + buffered, data, length);
    buffered += length;
}

void worker_check(const struct bytes *bytes) {
    if (bytes->failed) {
        worker_fail(ENOMEM, "no memory");
    }
}

void worker_record(struct bytes *fields) {
    uint8_t length[4];
    worker_check(fields);
    put_u32(length, (uint32_t)bytes_length(fields));
    worker_write(length, sizeof length);
    worker_write(fields->data, bytes_length(fields));
    bytes_free(fields);
}

size_t worker_read(void *data, size_t most) {
    for (;;) {
        ssize_t got = read(STDIN_FILENO, data, most);
        if (cancelled) { /* the end that was just read may be no real one */
            worker_run_cleanup();
            _exit(1);
        }
        if (got >= 0) {
            return (size_t)got;
        }
        if (errno != EINTR) {
            worker_fail(errno, "input");
        }
    }
}

bool worker_read_fully(void *data, size_t length) {
    for (size_t have = 0; have < length;) {
        size_t got = worker_read((uint8_t *)data + have, length - have);
        if (got == 0) {
            return false;
        }
        have += got;
    }
    return true;
}

char *worker_join(const char *directory, const char *name) {
    char *path;
    bool slash = *directory && directory[strlen(directory) - 1] != '/';
    if (asprintf(&path, "%s%s%s", directory, slash ? "/" : "", name) < 0) {
        worker_fail(ENOMEM, "no memory");
    }
    return path;
}

/* A relative path, `~` and `~/...` are taken from the user's home. */
static void make_absolute(char **path) {
    const char *at = *path;
    if (!at || *at == '/') {
        return;
    }
    if (*at == '~' && (at[1] == 0 || at[1] == '/')) {
        at++;
        while (*at == '/') {
            at++;
        }
    }
    *path = *at ? worker_join(worker_identity->home, at) : strdup(worker_identity->home);
    if (!*path) {
        worker_fail(ENOMEM, "no memory");
    }
}

/* Deep trees need a descriptor per level. */
static void raise_file_limit(void) {
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

int worker_run(const void *context, const struct identity *identity, const struct users *users) {
    static void (*const operations[])(const struct file_request *) = {
        [FILE_READ] = file_read,
        [FILE_WRITE] = file_write,
        [FILE_STAT] = file_stat,
        [FILE_LIST] = file_list,
        [FILE_MKDIR] = file_mkdir,
        [FILE_MOVE] = file_move,
        [FILE_REMOVE] = file_remove,
        [FILE_SET] = file_set,
        [FILE_XATTR_GET] = file_xattr_get,
        [FILE_XATTR_SET] = file_xattr_set,
        [FILE_XATTR_REMOVE] = file_xattr_remove,
        [FILE_WATCH] = file_watch,
        [FILE_PACK] = file_pack,
        [FILE_UNPACK] = file_unpack,
        [FILE_LINK] = file_link,
        [FILE_DELETED] = file_deleted,
        [FILE_PROCESSES] = file_processes,
        [FILE_BIND] = file_bind,
        [FILE_UNBIND] = file_unbind,
    };
    struct sigaction cancel = {.sa_handler = note_cancel}; /* without SA_RESTART: a read must come back */
    sigaction(SIGTERM, &cancel, NULL);
    worker_users = users;
    worker_identity = identity;
    raise_file_limit();
    if (chdir("/") < 0) {
        worker_fail(errno, "/");
    }
    struct file_request request = *(const struct file_request *)context;
    make_absolute(&request.path);
    if (request.operation == FILE_MOVE) {
        make_absolute(&request.second);
    }
    operations[request.operation](&request);
    worker_flush();
    return 0;
}
