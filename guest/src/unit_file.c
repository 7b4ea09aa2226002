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
#define ENTRIES_MOST 4096 /* of a directory: a hostile one may have any number */

const char *const unit_directories[] = {"/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system",
                                        "/lib/systemd/system", NULL};

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

static DIR *open_directory(int above, const char *path) {
    int fd = openat(above, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
    DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
    if (!directory && fd >= 0) {
        close(fd);
    }
    return directory;
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
    bool found = find_file(template, place);
    place->own = false;
    return found;
}

/* Packages without a unit have a script that takes `start` and `stop`. */
static bool find_script(const char *name, struct unit_place *place) {
    struct stat status;
    snprintf(place->path, sizeof place->path, "/etc/init.d/%s", name);
    place->script = stat(place->path, &status) == 0 && S_ISREG(status.st_mode) && (status.st_mode & S_IXUSR);
    if (!place->script) {
        place->path[0] = 0;
    }
    return place->script;
}

bool unit_find(const char *name, struct unit_place *place) {
    *place = (struct unit_place){0};
    snprintf(place->name, sizeof place->name, "%s", name);
    for (int hop = 0; hop < ALIASES_MOST; hop++) {
        bool exact = find_file(place->name, place);
        if (!exact && !find_template(place->name, place)) {
            return find_script(place->name, place);
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

static int by_name(const void *one, const void *other) {
    return strcmp(*(char *const *)one, *(char *const *)other);
}

/* The names of drop-ins in one directory. False: it has more than are looked at. */
static bool list_dropins(DIR *directory, struct unit_list *names) {
    size_t entries = 0;
    for (struct dirent *entry; (entry = readdir(directory)); entries++) {
        bool wanted = entry->d_name[0] != '.' && ends_with(entry->d_name, ".conf");
        if (entries >= ENTRIES_MOST || (wanted && names->count >= DROPINS_MOST)) {
            return false;
        }
        if (wanted && !unit_list_add(names, entry->d_name, strlen(entry->d_name))) {
            return false;
        }
    }
    return true;
}

static void read_dropin(struct unit *unit, int directory, const char *path, const char *name, size_t *room) {
    size_t length;
    char *text = unit_read(directory, name, UNIT_FILE_MOST, &length);
    if (!text) {
        unit_problem(unit, "%.60s/%.60s cannot be read", path, name);
    } else if (length > *room) {
        unit_problem(unit, "its drop-ins are too large (expected: <= 256 KiB in all)");
        *room = 0;
    } else {
        unit_parse(unit, text, length);
        *room -= length;
    }
    free(text);
}

static void read_dropins(struct unit *unit, const char *name, size_t *room) {
    for (size_t i = 0; unit_directories[i] && *room > 0; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s" SUFFIX ".d", unit_directories[i], name);
        DIR *directory = open_directory(AT_FDCWD, path);
        struct unit_list names = {0};
        if (!directory) {
            continue;
        }
        if (!list_dropins(directory, &names)) {
            unit_problem(unit, "%.100s has too much in it (expected: <= %d drop-ins, <= %d entries)", path, DROPINS_MOST, ENTRIES_MOST);
        }
        if (names.count > 0) {
            qsort(names.items, names.count, sizeof *names.items, by_name);
        }
        for (size_t one = 0; one < names.count && *room > 0; one++) {
            read_dropin(unit, dirfd(directory), path, names.items[one], room);
        }
        unit_list_free(&names);
        closedir(directory);
    }
}

/* What stands for a script. What it starts goes on by itself, so there is nothing to start again. */
static char *script_text(const struct unit_place *place, size_t *length) {
    char *text;
    int written = asprintf(&text,
                           "[Unit]\nDescription=%s\n[Service]\nType=forking\nRemainAfterExit=yes\nExecStart=%s start\nExecStop=%s stop\n"
                           "[Install]\nWantedBy=multi-user.target\n",
                           place->path, place->path, place->path);
    *length = written < 0 ? 0 : (size_t)written;
    return written < 0 ? NULL : text;
}

static char *text_of(const struct unit_place *place, size_t *length) {
    if (place->masked) {
        return NULL;
    }
    return place->script ? script_text(place, length) : unit_read(AT_FDCWD, place->path, UNIT_FILE_MOST, length);
}

bool unit_load(const struct unit_place *place, struct unit *unit) {
    size_t length = 0, room = UNIT_DROPINS_MOST;
    char *text = text_of(place, &length);
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
        read_dropins(unit, template, &room);
    }
    read_dropins(unit, place->name, &room);
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

/* False: the visitor has seen enough, or as many entries as `left` were looked at. */
static bool each_unit(int fd, const char *path, size_t *left, unit_visit visit, void *context) {
    DIR *entries = open_directory(fd, path);
    bool more = true;
    if (!entries) {
        return true;
    }
    for (struct dirent *entry; more && (entry = readdir(entries));) {
        char name[UNIT_NAME_MOST + 1];
        size_t length = strlen(entry->d_name);
        more = --*left > 0;
        if (!ends_with(entry->d_name, SUFFIX) || length - strlen(SUFFIX) > UNIT_NAME_MOST) {
            continue;
        }
        snprintf(name, sizeof name, "%.*s", (int)(length - strlen(SUFFIX)), entry->d_name);
        if (unit_name_is_sound(name) && name[strlen(name) - 1] != '@') {
            more = visit(context, name) && more;
        }
    }
    closedir(entries);
    return more;
}

void unit_each_enabled(unit_visit visit, void *context) {
    DIR *top = open_directory(AT_FDCWD, unit_directories[0]);
    size_t above = ENTRIES_MOST, below = ENTRIES_MOST;
    bool more = true;
    if (!top) {
        return;
    }
    for (struct dirent *entry; more && above-- > 0 && (entry = readdir(top));) {
        if (starts_at_boot(entry->d_name)) {
            more = each_unit(dirfd(top), entry->d_name, &below, visit, context);
        }
    }
    closedir(top);
}

void unit_each_file(const char *directory, unit_visit visit, void *context) {
    size_t left = ENTRIES_MOST;
    each_unit(AT_FDCWD, directory, &left, visit, context);
}
