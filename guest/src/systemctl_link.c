/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs that are a matter of files: enable, disable, mask, cat. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "systemctl.h"

static const char *top(void) {
    return options.runtime ? unit_directories[1] : unit_directories[0];
}

static bool complain(const char *path) {
    fprintf(stderr, "systemctl: %s: %s\n", path, strerror(errno));
    return false;
}

static bool make_parents(const char *path) {
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%s", path);
    for (char *slash = part + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        if (mkdir(part, 0755) < 0 && errno != EEXIST) {
            return complain(part);
        }
        *slash = '/';
    }
    return true;
}

/* A link that says so; what is there and leads elsewhere is replaced when it is a link. */
static bool make_link(const char *target, const char *path) {
    char old[PATH_MAX];
    ssize_t length = readlink(path, old, sizeof old - 1);
    if (length >= 0) {
        old[length] = 0;
        if (strcmp(old, target) == 0) {
            return true;
        }
        unlink(path);
    }
    if (!make_parents(path)) {
        return false;
    }
    if (symlink(target, path) < 0) {
        return complain(path);
    }
    if (!options.quiet) {
        fprintf(stderr, "Created symlink %s → %s.\n", path, target);
    }
    return true;
}

static bool remove_link(const char *path) {
    if (unlink(path) < 0) {
        return errno == ENOENT || complain(path);
    }
    if (!options.quiet) {
        fprintf(stderr, "Removed \"%s\".\n", path);
    }
    return true;
}

/* Of a unit of another kind only where its file is; its name stays whole. */
static bool find(const char *name, struct unit_place *place) {
    if (!unit_name_is_sound(name)) {
        return false;
    }
    if (!systemctl_other_kind(name)) {
        return unit_find(name, place);
    }
    *place = (struct unit_place){0};
    for (size_t i = 0; unit_directories[i]; i++) {
        snprintf(place->name, sizeof place->name, "%.200s", name);
        snprintf(place->path, sizeof place->path, "%s/%.200s", unit_directories[i], name);
        if (access(place->path, F_OK) == 0) {
            char target[16];
            place->masked = readlink(place->path, target, sizeof target) == 9 && strncmp(target, "/dev/null", 9) == 0;
            return true;
        }
    }
    return false;
}

static void load(const struct unit_place *place, struct unit *unit) {
    size_t length;
    if (!systemctl_other_kind(place->name)) {
        unit_load(place, unit);
        return;
    }
    char *text = unit_read(AT_FDCWD, place->path, UNIT_FILE_MOST, &length);
    unit_init(unit, place->name);
    if (text) {
        unit_parse(unit, text, length);
    }
    unit_list_free(&unit->unsupported);
    free(text);
}

static const char *suffix(const char *name) {
    return systemctl_other_kind(name) ? "" : ".service";
}

static bool is_wanted(const char *name) {
    DIR *entries = opendir(top());
    bool found = false;
    for (struct dirent *entry; entries && !found && (entry = readdir(entries));) {
        const char *dot = strrchr(entry->d_name, '.');
        char path[PATH_MAX];
        struct stat status;
        found = dot && (strcmp(dot, ".wants") == 0 || strcmp(dot, ".requires") == 0) &&
                snprintf(path, sizeof path, "%s/%s/%s%s", top(), entry->d_name, name, suffix(name)) < (int)sizeof path && lstat(path, &status) == 0;
    }
    if (entries) {
        closedir(entries);
    }
    return found;
}

const char *systemctl_file_state(const char *name) {
    static struct unit_place place;
    static struct unit unit;
    if (!find(name, &place)) {
        return NULL;
    }
    if (place.masked) {
        return "masked";
    }
    if (is_wanted(name) || is_wanted(place.name)) {
        return "enabled";
    }
    load(&place, &unit);
    bool installs = unit.wanted_by.count + unit.required_by.count + unit.aliases.count + unit.also.count > 0;
    unit_free(&unit);
    return installs ? "disabled" : "static";
}

int systemctl_is_enabled(char **names, size_t count) {
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        const char *state = systemctl_file_state(names[i]);
        if (!state) {
            fprintf(stderr, "Failed to get unit file state for %s%s: No such file or directory\n", names[i], suffix(names[i]));
            continue;
        }
        any |= strcmp(state, "enabled") == 0 || strcmp(state, "static") == 0;
        if (!options.quiet) {
            puts(state);
        }
    }
    return any ? 0 : 1;
}

static bool enable_one(const char *name, int depth);

static bool link_all(const struct unit_list *targets, const char *kind, const char *name, const char *path) {
    bool done = true;
    for (size_t i = 0; i < targets->count; i++) {
        char link[PATH_MAX];
        if (strchr(targets->items[i], '/') || snprintf(link, sizeof link, "%s/%s.%s/%s%s", top(), targets->items[i], kind, name, suffix(name)) >= (int)sizeof link) {
            continue;
        }
        const char *end = strrchr(targets->items[i], '.');
        if (!end || strcmp(end, ".target") != 0) {
            fprintf(stderr, "systemctl: %s: %s is no target: nothing is started for it here\n", name, targets->items[i]);
        }
        done &= make_link(path, link);
    }
    return done;
}

static bool link_aliases(const struct unit *unit, const char *path) {
    bool done = true;
    for (size_t i = 0; i < unit->aliases.count; i++) {
        char link[PATH_MAX];
        if (!strchr(unit->aliases.items[i], '/') && snprintf(link, sizeof link, "%s/%s", top(), unit->aliases.items[i]) < (int)sizeof link) {
            done &= make_link(path, link);
        }
    }
    return done;
}

static bool enable_also(const struct unit *unit, int depth) {
    bool done = true;
    for (size_t i = 0; i < unit->also.count; i++) {
        size_t length = strlen(unit->also.items[i]);
        if (length > 8 && strcmp(unit->also.items[i] + length - 8, ".service") == 0) {
            unit->also.items[i][length - 8] = 0;
            done &= enable_one(unit->also.items[i], depth + 1);
        }
    }
    return done;
}

static bool enable_one(const char *name, int depth) {
    struct unit_place place;
    struct unit unit;
    if (!find(name, &place)) {
        fprintf(stderr, "Failed to enable unit: Unit file %s%s does not exist.\n", name, suffix(name));
        return false;
    }
    if (place.masked) {
        fprintf(stderr, "Failed to enable unit: Unit file %s is masked.\n", place.path);
        return false;
    }
    load(&place, &unit);
    bool done = depth < 8 && link_all(&unit.wanted_by, "wants", place.name, place.path) &&
                link_all(&unit.required_by, "requires", place.name, place.path) && link_aliases(&unit, place.path) && enable_also(&unit, depth);
    if (unit.wanted_by.count + unit.required_by.count + unit.aliases.count + unit.also.count == 0) {
        fprintf(stderr, "%s%s has no [Install] section: it is not enabled, but something else may start it.\n", name, suffix(name));
    }
    for (size_t i = 0; i < unit.unsupported.count; i++) {
        fprintf(stderr, "%s%s%s", i == 0 ? "systemctl: not supported in a sandbox, and ignored: " : ", ", unit.unsupported.items[i],
                i + 1 == unit.unsupported.count ? "\n" : "");
    }
    if (systemctl_other_kind(name)) {
        fprintf(stderr, "systemctl: %s: units of this kind are not supported in a sandbox; nothing will start it\n", name);
    } else if (*unit.problem) {
        fprintf(stderr, "systemctl: %s.service will not start: %s\n", name, unit.problem);
    }
    unit_free(&unit);
    return done;
}

int systemctl_enable(char **names, size_t count) {
    bool done = true;
    for (size_t i = 0; i < count; i++) {
        done &= enable_one(names[i], 0);
    }
    return done ? 0 : 1;
}

/* Links to the unit in one directory: of its name, or that lead to its file. */
static bool disable_in(const char *directory, const char *name, bool aliases) {
    DIR *entries = opendir(directory);
    bool done = true;
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        char path[PATH_MAX], target[PATH_MAX], wanted[UNIT_NAME_MOST + 10];
        snprintf(wanted, sizeof wanted, "%.200s%s", name, suffix(name));
        if (snprintf(path, sizeof path, "%s/%s", directory, entry->d_name) >= (int)sizeof path) {
            continue;
        }
        ssize_t length = readlink(path, target, sizeof target - 1);
        if (length < 0) {
            continue;
        }
        target[length] = 0;
        const char *last = strrchr(target, '/');
        bool leads = strcmp(last ? last + 1 : target, wanted) == 0, same = strcmp(entry->d_name, wanted) == 0;
        if (aliases ? leads && !same : same) {
            done &= remove_link(path);
        }
    }
    if (entries) {
        closedir(entries);
    }
    return done;
}

static bool disable_one(const char *name) {
    DIR *entries = opendir(top());
    bool done = true;
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        const char *dot = strrchr(entry->d_name, '.');
        char path[PATH_MAX];
        if (dot && (strcmp(dot, ".wants") == 0 || strcmp(dot, ".requires") == 0) &&
            snprintf(path, sizeof path, "%s/%s", top(), entry->d_name) < (int)sizeof path) {
            done &= disable_in(path, name, false);
        }
    }
    if (entries) {
        closedir(entries);
    }
    return disable_in(top(), name, true) && done;
}

int systemctl_disable(char **names, size_t count) {
    bool done = true;
    for (size_t i = 0; i < count; i++) {
        struct unit_place place;
        if (!unit_name_is_sound(names[i])) {
            done = false;
        } else {
            done &= disable_one(find(names[i], &place) ? place.name : names[i]);
        }
    }
    return done ? 0 : 1;
}

int systemctl_mask(char **names, size_t count, bool on) {
    bool done = true;
    for (size_t i = 0; i < count; i++) {
        char path[PATH_MAX], target[16];
        if (!unit_name_is_sound(names[i])) {
            done = false;
            continue;
        }
        snprintf(path, sizeof path, "%s/%s%s", top(), names[i], suffix(names[i]));
        ssize_t length = readlink(path, target, sizeof target);
        bool masked = length == 9 && strncmp(target, "/dev/null", 9) == 0;
        if (on && !masked) {
            done &= make_link("/dev/null", path);
        } else if (!on && masked) {
            done &= remove_link(path);
        }
    }
    return done ? 0 : 1;
}

int systemctl_cat(char **names, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct unit_place place;
        size_t length;
        char *text = find(names[i], &place) ? unit_read(AT_FDCWD, place.path, UNIT_FILE_MOST, &length) : NULL;
        if (!text) {
            fprintf(stderr, "No files found for %s%s.\n", names[i], suffix(names[i]));
            return 1;
        }
        printf("# %s\n", place.path);
        fwrite(text, 1, length, stdout);
        free(text);
    }
    return 0;
}

static bool print_file(void *context, const char *name) {
    struct unit_list *seen = context;
    if (seen->count >= UNIT_LIST_MOST || unit_list_has(seen, name)) {
        return seen->count < UNIT_LIST_MOST;
    }
    unit_list_add(seen, name, strlen(name));
    const char *state = systemctl_file_state(name);
    char full[UNIT_NAME_MOST + 10];
    snprintf(full, sizeof full, "%s.service", name);
    if (!options.state || (state && strcmp(state, options.state) == 0)) {
        printf("%-40s %s\n", full, state ? state : "");
    }
    return true;
}

int systemctl_list_files(void) {
    struct unit_list seen = {0};
    if (options.type && !strstr(options.type, "service")) {
        return 0;
    }
    if (!options.no_legend) {
        printf("%-40s %s\n", "UNIT FILE", "STATE");
    }
    for (size_t i = 0; unit_directories[i]; i++) {
        unit_each_file(unit_directories[i], print_file, &seen);
    }
    unit_list_free(&seen);
    return 0;
}
