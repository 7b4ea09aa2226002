/* SPDX-License-Identifier: Apache-2.0 */
/* Unit files of services, as far as the agent understands them. What is in them is the sandbox's, so everything is bounded. Parsing touches
 * nothing but its text; finding and reading the files is below. */
#ifndef UNIT_H
#define UNIT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNIT_FILE_MOST 65536u
#define UNIT_DROPINS_MOST 262144u /* bytes, of all of them */
#define UNIT_NAME_MOST 200u
#define UNIT_TEXT_MOST 4096u
#define UNIT_LIST_MOST 128u
#define UNIT_UNSUPPORTED_MOST 40u
#define UNIT_FOREVER ((int64_t)1 << 50) /* ms */
#define UNIT_MASKED "masked"

enum unit_type { UNIT_SIMPLE, UNIT_ONESHOT, UNIT_FORKING };
enum unit_restart { UNIT_RESTART_NO, UNIT_RESTART_SUCCESS, UNIT_RESTART_FAILURE, UNIT_RESTART_ABNORMAL, UNIT_RESTART_ABORT, UNIT_RESTART_ALWAYS };
enum unit_kill { UNIT_KILL_ALL, UNIT_KILL_MIXED, UNIT_KILL_MAIN, UNIT_KILL_NONE };

struct unit_list {
    char **items;
    size_t count;
};

struct unit_command {
    struct unit_list words; /* the first is the program */
    bool renamed;           /* the second is what it is called */
    bool may_fail, as_root, literal;
};

struct unit_commands {
    struct unit_command *items;
    size_t count;
};

struct unit_statuses {
    uint8_t codes[32];
    uint64_t signals;
};

struct unit {
    char name[UNIT_NAME_MOST + 1]; /* without `.service` */
    enum unit_type type;
    enum unit_restart restart;
    enum unit_kill kill;
    bool remain, has_type, send_kill;
    int64_t restart_ms, restart_most_ms; /* -1: not said */
    int64_t interval_ms, start_ms, stop_ms;
    uint32_t restart_steps, burst;
    int kill_signal;
    char *description, *directory, *user, *group, *pid_file;
    struct unit_list environment, environment_files, conditions;
    struct unit_list after, before, requirements, wants;
    struct unit_list wanted_by, required_by, aliases, also;
    struct unit_list runtime_directories, state_directories, cache_directories, logs_directories;
    struct unit_commands pre, start, post, stop, stop_post, reload, health;
    struct unit_statuses success, prevent;
    uint16_t port;
    char *health_path;
    bool health_tcp;
    int64_t health_interval_ms, health_timeout_ms;
    uint32_t health_retries;
    struct unit_list unsupported; /* what is said and not done */
    char problem[160];            /* why it cannot be started at all */
};

/* Letters, digits and `:_.@-`, not at the beginning a dot. */
bool unit_name_is_sound(const char *name);
void unit_init(struct unit *unit, const char *name);
/* Reads a file or, after it, a drop-in on top of it. */
void unit_parse(struct unit *unit, const char *text, size_t length);
/* After all of them: what is missing. */
void unit_finish(struct unit *unit);
void unit_free(struct unit *unit);

/* One assignment of a section. */
void unit_assign(struct unit *unit, const char *section, const char *name, const char *value);
void unit_unsupported(struct unit *unit, const char *name, const char *value);
/* The first one counts. */
__attribute__((format(printf, 2, 3))) void unit_problem(struct unit *unit, const char *format, ...);

/* Values. */
bool unit_time(const char *text, int64_t *milliseconds);
bool unit_flag(const char *text, bool *flag);
int unit_signal(const char *text); /* 0: none of that name */
bool unit_status_in(const struct unit_statuses *statuses, int32_t status);
/* Words with quotes and escapes; `specifiers`: of which unit, or NULL. False: an open quote, or too many. */
bool unit_words(const char *text, const struct unit *specifiers, struct unit_list *words);
/* Behind the word that begins here. NULL: an open quote. */
const char *unit_skip_word(const char *at);
bool unit_list_add(struct unit_list *list, const char *text, size_t length);
bool unit_list_has(const struct unit_list *list, const char *text);
void unit_list_free(struct unit_list *list);
/* A copy with %i and its like replaced, to be freed. */
char *unit_expand(struct unit *unit, const char *text);
/* An ExecStart= and its like. False, with `problem` set, when it cannot be understood. */
bool unit_add_commands(struct unit *unit, struct unit_commands *commands, const char *text);
void unit_commands_free(struct unit_commands *commands);
const char *unit_restart_name(enum unit_restart restart);

/* Finding and reading. */
struct unit_place {
    char name[UNIT_NAME_MOST + 1]; /* that an alias stands for */
    char path[PATH_MAX];           /* "" : there is none */
    bool masked;
    bool own; /* a file of its own in /etc, not brought by a package */
    bool script; /* no unit, but a script of /etc/init.d */
};
extern const char *const unit_directories[];
/* Where the unit of this name is, links followed. False: there is none. */
bool unit_find(const char *name, struct unit_place *place);
/* Reads it and its drop-ins. False, with errno, when it cannot be read. */
bool unit_load(const struct unit_place *place, struct unit *unit);
/* A regular file, at most `most` bytes of it, with a NUL at its end; NULL with errno. To be freed. */
char *unit_read(int directory, const char *path, size_t most, size_t *length);
/* False: it has seen enough. */
typedef bool (*unit_visit)(void *context, const char *name);
/* Each unit that is to start at boot, among so many entries of directories as are looked at. */
void unit_each_enabled(unit_visit visit, void *context);
/* Each unit file of services in one of the directories, among as many; without templates. */
void unit_each_file(const char *directory, unit_visit visit, void *context);

#endif
