/* SPDX-License-Identifier: Apache-2.0 */
/* What a service finds when it starts: conditions, directories, environment. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.h"
#include "keeper.h"
#include "users.h"

void keeper_set_variable(const char *name, const char *value) {
    char text[UNIT_TEXT_MOST];
    int length = snprintf(text, sizeof text, "%s=%s", name, value);
    if (length <= 0 || (size_t)length >= sizeof text) {
        return;
    }
    for (size_t i = 0; i < keeper.variables.count; i++) {
        if (strncmp(keeper.variables.items[i], text, strlen(name) + 1) == 0) {
            char *copy = strdup(text);
            if (copy) {
                free(keeper.variables.items[i]);
                keeper.variables.items[i] = copy;
            }
            return;
        }
    }
    unit_list_add(&keeper.variables, text, (size_t)length);
}

static bool set_assignment(const char *text) {
    char name[256];
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || (size_t)(equals - text) >= sizeof name) {
        return false;
    }
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    keeper_set_variable(name, equals + 1);
    return true;
}

/* Lines `NAME=value`, with quotes as a shell would read them. */
static void read_variables(char *text) {
    char *rest;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        while (isspace((unsigned char)*line)) {
            line++;
        }
        char *equals = strchr(line, '=');
        if (*line == '#' || *line == ';' || !equals) {
            continue;
        }
        *equals = 0;
        line[strcspn(line, " \t")] = 0;
        char *value = equals + 1, *end = value + strlen(value);
        while (isspace((unsigned char)*value)) {
            value++;
        }
        while (end > value && isspace((unsigned char)end[-1])) {
            *--end = 0;
        }
        struct unit_list words = {0};
        bool quoted = *value == '"' || *value == '\'';
        if (quoted && unit_words(value, NULL, &words) && words.count == 1) {
            keeper_set_variable(line, words.items[0]);
        } else {
            keeper_set_variable(line, value);
        }
        unit_list_free(&words);
    }
}

static bool read_files(char problem[KEEPER_TEXT]) {
    for (size_t i = 0; i < keeper.unit.environment_files.count; i++) {
        const char *path = keeper.unit.environment_files.items[i];
        bool may_fail = *path == '-';
        size_t length;
        char *text = unit_read(AT_FDCWD, path + may_fail, UNIT_FILE_MOST, &length);
        if (text) {
            read_variables(text);
        } else if (!may_fail) {
            snprintf(problem, KEEPER_TEXT, "EnvironmentFile=%.100s: %s", path, strerror(errno));
            return false;
        }
        free(text);
    }
    return true;
}

/* Opens a directory below another, and makes it where there is none. Never through a link: what is above it may be the service's user's. */
static int enter(int above, const char *name) {
    if (strcmp(name, "..") == 0) {
        errno = EINVAL;
        return -1;
    }
    if (mkdirat(above, name, 0755) < 0 && errno != EEXIST) {
        return -1;
    }
    return openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int enter_all(const char *base, const char *name) {
    char names[PATH_MAX], *rest;
    if (strncmp(base, "/var/", 5) == 0) { /* a bare image may lack it */
        mkdir("/var", 0755);
    }
    mkdir(base, 0755);
    int fd = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    snprintf(names, sizeof names, "%s", name);
    for (char *one = strtok_r(names, "/", &rest); one && fd >= 0; one = strtok_r(NULL, "/", &rest)) {
        int below = enter(fd, one), error = errno;
        close(fd);
        fd = below;
        errno = error;
    }
    return fd;
}

static bool make_directory(const char *base, const char *name, const struct identity *owner, struct bytes *all) {
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%.*s", base, (int)strcspn(name, ":"), name);
    const char *below = path + strlen(base) + 1;
    if (length >= (int)sizeof path || *below == '/' || strspn(below, "./") == strlen(below)) {
        errno = EINVAL;
        return false;
    }
    int fd = enter_all(base, below);
    bool done = fd >= 0 && fchown(fd, owner->uid, owner->gid) == 0;
    if (fd >= 0) {
        close(fd);
    }
    if (all->end > 0) {
        bytes_add(all, ":", 1);
    }
    bytes_add(all, path, strlen(path));
    return done;
}

static bool make_directories(const char *base, const struct unit_list *names, const char *variable, const struct identity *owner,
                             char problem[KEEPER_TEXT]) {
    struct bytes all = {0};
    for (size_t i = 0; i < names->count; i++) {
        if (!make_directory(base, names->items[i], owner, &all)) {
            snprintf(problem, KEEPER_TEXT, "%s/%.100s: %s", base, names->items[i], strerror(errno));
            bytes_free(&all);
            return false;
        }
    }
    bytes_add(&all, "", 1);
    if (names->count > 0 && !all.failed) {
        keeper_set_variable(variable, (char *)all.data);
    }
    bytes_free(&all);
    return true;
}

static bool find_owner(struct identity *owner, char problem[KEEPER_TEXT]) {
    char text[2 * NAME_MOST];
    const struct unit *unit = &keeper.unit;
    snprintf(text, sizeof text, "%.250s%s%.250s", unit->user ? unit->user : "root", unit->group ? ":" : "", unit->group ? unit->group : "");
    if (!users_find(users_now(), text, owner)) {
        snprintf(problem, KEEPER_TEXT, "unknown user %.100s", text);
        return false;
    }
    return true;
}

bool keeper_prepare(char problem[KEEPER_TEXT]) {
    static struct identity owner;
    const struct unit *unit = &keeper.unit;
    snprintf(keeper.directory, sizeof keeper.directory, "%s", unit->directory ? unit->directory : "/");
    if (!find_owner(&owner, problem) || !make_directories("/run", &unit->runtime_directories, "RUNTIME_DIRECTORY", &owner, problem) ||
        !make_directories("/var/lib", &unit->state_directories, "STATE_DIRECTORY", &owner, problem) ||
        !make_directories("/var/cache", &unit->cache_directories, "CACHE_DIRECTORY", &owner, problem) ||
        !make_directories("/var/log", &unit->logs_directories, "LOGS_DIRECTORY", &owner, problem)) {
        return false;
    }
    if (unit->port) {
        char port[8];
        snprintf(port, sizeof port, "%u", unit->port);
        keeper_set_variable("PORT", port);
    }
    for (size_t i = 0; i < unit->environment.count; i++) {
        if (!set_assignment(unit->environment.items[i])) {
            snprintf(problem, KEEPER_TEXT, "Environment=%.100s (expected: NAME=value)", unit->environment.items[i]);
            return false;
        }
    }
    return read_files(problem);
}

static bool holds(const char *condition) {
    struct stat status;
    const char *path = condition + 2;
    bool there = stat(path, &status) == 0;
    switch (condition[0]) {
        case 'd':
            return there && S_ISDIR(status.st_mode);
        case 's':
            return there && S_ISREG(status.st_mode) && status.st_size > 0;
        case 'x':
            return there && S_ISREG(status.st_mode) && status.st_mode & 0111;
        default:
            return there;
    }
}

bool keeper_conditions_hold(char reason[KEEPER_TEXT]) {
    for (size_t i = 0; i < keeper.unit.conditions.count; i++) {
        const char *condition = keeper.unit.conditions.items[i];
        bool negated = condition[1] == '!';
        if (holds(condition) == negated) {
            snprintf(reason, KEEPER_TEXT, "not started: its condition on %s%.100s does not hold", negated ? "!" : "", condition + 2);
            return false;
        }
    }
    return true;
}
