/* SPDX-License-Identifier: Apache-2.0 */
/* Where unit files are, and reading them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#define SUFFIX ".service"
#define ALIASES_MOST 5
#define DROPINS_MOST 32

const char *const unit_directories[] = {"/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system",
                                        "/lib/systemd/system", NULL};

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

char *unit_read(int directory, const char *path, size_t most, size_t *length) {
    struct stat status;
    int fd = openat(directory, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) {
        return NULL;
    }
    char *text = NULL;
    int error = 0;
    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
        error = EINVAL;
    } else if ((uint64_t)status.st_size > most) {
        error = EFBIG;
    } else if (!(text = malloc(most + 1))) {
        error = ENOMEM;
    }
    for (*length = 0; !error && *length < most;) {
        ssize_t got = read(fd, text + *length, most - *length);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            error = errno;
        }
        if (got <= 0) {
            break;
        }
        *length += (size_t)got;
    }
    close(fd);
    if (error) {
        free(text);
        errno = error;
        return NULL;
    }
    text[*length] = 0;
    return text;
}

/* The file of exactly this name. False: no directory has it. */
static bool find_file(const char *name, struct unit_place *place) {
    for (size_t i = 0; unit_directories[i]; i++) {
        struct stat status;
        snprintf(place->path, sizeof place->path, "%s/%s" SUFFIX, unit_directories[i], name);
        if (lstat(place->path, &status) == 0) {
            place->own = i == 0;
            place->masked = false;
            if (S_ISREG(status.st_mode)) {
                place->masked = status.st_size == 0;
            }
            return true;
        }
    }
    place->path[0] = 0;
    return false;
}

/* The template of an instance. */
static bool find_template(const char *name, struct unit_place *place) {
    char template[UNIT_NAME_MOST + 2];
    const char *at = strchr(name, '@');
    if (!at || !at[1]) {
        return false;
    }
    snprintf(template, sizeof template, "%.*s", (int)(at - name + 1), name);
    return find_file(template, place);
}

bool unit_find(const char *name, struct unit_place *place) {
    *place = (struct unit_place){0};
    snprintf(place->name, sizeof place->name, "%s", name);
    for (int hop = 0; hop < ALIASES_MOST; hop++) {
        bool exact = find_file(place->name, place);
        if (!exact && !find_template(place->name, place)) {
            return false;
        }
        char target[PATH_MAX];
        ssize_t length = readlink(place->path, target, sizeof target - 1);
        if (length < 0) {
            return true;
        }
        target[length] = 0;
        if (strcmp(target, "/dev/null") == 0) {
            place->masked = true;
            return true;
        }
        char *last = strrchr(target, '/');
        last = last ? last + 1 : target;
        if (!exact || !ends_with(last, SUFFIX) || ends_with(last, "@" SUFFIX)) {
            return true; /* what it leads to is read through it */
        }
        last[strlen(last) - strlen(SUFFIX)] = 0;
        if (strcmp(last, place->name) == 0 || !unit_name_is_sound(last)) {
            return true;
        }
        struct unit_place other;
        if (!find_file(last, &other)) {
            return true; /* it lies elsewhere: linked by its path */
        }
        snprintf(place->name, sizeof place->name, "%.200s", last);
    }
    return false;
}

static int by_name(const struct dirent **one, const struct dirent **other) {
    return strcmp((*one)->d_name, (*other)->d_name);
}

static size_t dropins; /* in one directory: a hostile one may have any number */

static int is_dropin(const struct dirent *entry) {
    return entry->d_name[0] != '.' && ends_with(entry->d_name, ".conf") && dropins++ < DROPINS_MOST;
}

static void read_dropins(struct unit *unit, const char *name) {
    for (size_t i = 0; unit_directories[i]; i++) {
        char path[PATH_MAX];
        struct dirent **entries;
        snprintf(path, sizeof path, "%s/%s" SUFFIX ".d", unit_directories[i], name);
        int fd = open(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0) {
            continue;
        }
        dropins = 0;
        int count = scandirat(fd, ".", &entries, is_dropin, by_name);
        for (int entry = 0; entry < count; entry++) {
            size_t length;
            char *text = unit_read(fd, entries[entry]->d_name, UNIT_FILE_MOST, &length);
            if (text) {
                unit_parse(unit, text, length);
            } else {
                unit_problem(unit, "%.60s/%.60s cannot be read", path, entries[entry]->d_name);
            }
            free(text);
            free(entries[entry]);
        }
        if (dropins > DROPINS_MOST) {
            unit_problem(unit, "%.100s has more than %d drop-ins", path, DROPINS_MOST);
        }
        if (count >= 0) {
            free(entries);
        }
        close(fd);
    }
}

bool unit_load(const struct unit_place *place, struct unit *unit) {
    size_t length = 0;
    char *text = place->masked ? NULL : unit_read(AT_FDCWD, place->path, UNIT_FILE_MOST, &length);
    unit_init(unit, place->name);
    if (!text) {
        snprintf(unit->problem, sizeof unit->problem, "%s", place->masked ? UNIT_MASKED : errno == EFBIG ? "the unit file is too large (expected: <= 64 KiB)" : strerror(errno));
        return false;
    }
    unit_parse(unit, text, length);
    free(text);
    char template[UNIT_NAME_MOST + 2];
    const char *at = strchr(place->name, '@');
    if (at && at[1]) {
        snprintf(template, sizeof template, "%.*s", (int)(at - place->name + 1), place->name);
        read_dropins(unit, template);
    }
    read_dropins(unit, place->name);
    unit_finish(unit);
    return true;
}

/* What is wanted when the machine goes down or sleeps is not wanted when it comes. */
static bool starts_at_boot(const char *directory) {
    static const char *const others[] = {"shutdown", "reboot", "halt", "poweroff", "kexec", "final", "umount", "exit", "sleep", "suspend",
                                         "hibernate", "hybrid-sleep", "suspend-then-hibernate", "rescue", "emergency", "soft-reboot"};
    const char *dot = strstr(directory, ".target.");
    if (!dot || (strcmp(dot, ".target.wants") != 0 && strcmp(dot, ".target.requires") != 0) || strncmp(directory, "initrd", 6) == 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (strlen(others[i]) == (size_t)(dot - directory) && strncmp(directory, others[i], strlen(others[i])) == 0) {
            return false;
        }
    }
    return true;
}

static void each_unit(int fd, const char *directory, void (*visit)(void *context, const char *name), void *context) {
    int below = openat(fd, directory, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
    DIR *entries = below >= 0 ? fdopendir(below) : NULL;
    if (!entries) {
        if (below >= 0) {
            close(below);
        }
        return;
    }
    for (struct dirent *entry; (entry = readdir(entries));) {
        char name[UNIT_NAME_MOST + 1];
        size_t length = strlen(entry->d_name);
        if (!ends_with(entry->d_name, SUFFIX) || length - strlen(SUFFIX) > UNIT_NAME_MOST) {
            continue;
        }
        snprintf(name, sizeof name, "%.*s", (int)(length - strlen(SUFFIX)), entry->d_name);
        if (unit_name_is_sound(name) && name[strlen(name) - 1] != '@') {
            visit(context, name);
        }
    }
    closedir(entries);
}

void unit_each_enabled(void (*visit)(void *context, const char *name), void *context) {
    DIR *top = opendir(unit_directories[0]);
    if (!top) {
        return;
    }
    for (struct dirent *entry; (entry = readdir(top));) {
        if (starts_at_boot(entry->d_name)) {
            each_unit(dirfd(top), entry->d_name, visit, context);
        }
    }
    closedir(top);
}

void unit_each_file(const char *directory, void (*visit)(void *context, const char *name), void *context) {
    each_unit(AT_FDCWD, directory, visit, context);
}
