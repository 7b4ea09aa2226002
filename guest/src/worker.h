/* SPDX-License-Identifier: Apache-2.0 */
/* A file operation inside its own process, as the request's user: blocking, and gone when it is done. */
#ifndef WORKER_H
#define WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include "bytes.h"
#include "users.h"

struct file_request {
    uint8_t operation;
    char *path, *second, *user, *owner, *group, *attribute;
    const uint8_t *value;
    uint32_t value_length;
    uint32_t flags, mode, depth;
    uint64_t offset, length;
    int64_t mtime;
    bool has_mode, has_length, has_value, has_mtime;
};

enum file_operation {
    FILE_READ = 1,
    FILE_WRITE,
    FILE_STAT,
    FILE_LIST,
    FILE_MKDIR,
    FILE_MOVE,
    FILE_REMOVE,
    FILE_SET,
    FILE_XATTR_GET,
    FILE_XATTR_SET,
    FILE_XATTR_REMOVE,
    FILE_WATCH,
    FILE_PACK,
    FILE_UNPACK,
    FILE_LINK,
    FILE_DELETED,
    FILE_PROCESSES,
    FILE_BIND,
    FILE_UNBIND,
};

/* NULL when sound, else what is wrong. The value points into data. */
const char *file_request_parse(struct file_request *request, const uint8_t *data, size_t length);
void file_request_free(struct file_request *request);
/* Whether it needs more than a command may do. */
bool file_request_mounts(const struct file_request *request);

/* Runs in the worker. Returns its exit status. */
int worker_run(const void *request, const struct identity *identity, const struct users *users);

/* For operations. All of these end the process when they fail. */
extern const struct users *worker_users;
extern const struct identity *worker_identity;
__attribute__((format(printf, 2, 3))) _Noreturn void worker_fail(int error, const char *format, ...);
void worker_write(const void *data, size_t length); /* buffered */
void worker_flush(void);
void worker_record(struct bytes *fields);            /* frees it */
size_t worker_read(void *data, size_t most);         /* DATA; 0 at its end */
bool worker_read_fully(void *data, size_t length);   /* false: it ended before */
/* Bytes put together, or the end. */
char *worker_join(const char *directory, const char *name);
void worker_check(const struct bytes *bytes); /* ends when it has no memory */
/* A file or directory to remove should the operation be cancelled; NULL: none. */
void worker_cleanup(const char *path);
void worker_run_cleanup(void);
bool worker_is_cancelled(void);
/* A better reason than the one at hand, when there is one. */
extern int (*worker_explain)(int error);
/* This process only helps the worker: its failure is its exit status, an errno, and no words. */
void worker_be_helper(void);
/* How a hostile name is shown in an error: cut. */
#define SHOWN "%.300s"

/* Entry records tell what the request asks for besides. */
void entry_tells(const struct file_request *request);
/* The entry record. `path` is absolute, or NULL to leave it out; `whole` is where the file is. */
void entry_record(const char *name, const char *path, const struct stat *status, int directory, const char *at, const char *whole);
/* The entry record of what is at the path now. */
void entry_record_of(const char *path, bool follow);
const char *last_component(const char *path);

/* The operations. */
void file_read(const struct file_request *request);
void file_write(const struct file_request *request);
void file_stat(const struct file_request *request);
void file_list(const struct file_request *request);
void file_mkdir(const struct file_request *request);
void file_move(const struct file_request *request);
void file_remove(const struct file_request *request);
void file_set(const struct file_request *request);
void file_xattr_get(const struct file_request *request);
void file_xattr_set(const struct file_request *request);
void file_xattr_remove(const struct file_request *request);
void file_watch(const struct file_request *request);
void file_pack(const struct file_request *request);
void file_unpack(const struct file_request *request);
void file_link(const struct file_request *request);
void file_deleted(const struct file_request *request);
void file_processes(const struct file_request *request);
void file_bind(const struct file_request *request);
void file_unbind(const struct file_request *request);

/* Shared between operations. */
/* What is made from now on belongs to the request's owner, if it names one. */
void made_for(const struct file_request *request);
void give_made(int fd, const char *path);
void make_parents(const char *path);
/* The modification time of the request, for futimens; the access time is left alone. */
void request_times(const struct file_request *request, struct timespec times[2]);
bool make_directories(const char *path, mode_t mode); /* like mkdir -p; false with errno */
/* Attributes of files on filesystems that keep none; by real paths. */
void beside_set(const char *path, const char *name, const uint8_t *value, size_t length); /* no value: removes it */
void beside_tell(struct bytes *fields, uint8_t tag, const char *path, const char *prefix); /* name, NUL, value of each */
void beside_move(const char *from, const char *to);
void beside_forget(const char *path);
struct names {
    char **list;
    size_t count;
};
/* The names in a directory, in order; takes the descriptor. */
void names_read(struct names *names, int fd);
void names_free(struct names *names);
/* Removes a tree; 0, or an errno. */
int remove_tree(int parent, const char *name);

#endif
