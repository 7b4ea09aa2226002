/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs that ask. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "service_ask.h"
#include "systemctl.h"

#define INACTIVE 3
#define UNKNOWN 4

static const char *active_state(const struct known *known) {
    static const char *const names[] = {"inactive", "activating", "active", "active", "deactivating", "activating", "failed"};
    return known->state < sizeof names / sizeof *names ? names[known->state] : "inactive";
}

static const char *sub_state(const struct known *known) {
    static const char *const names[] = {"dead", "start", "running", "exited", "stop", "auto-restart", "failed"};
    return known->state < sizeof names / sizeof *names ? names[known->state] : "dead";
}

static void print_log(char *name) {
    struct bytes log = {0};
    if (options.lines == 0 || !systemctl_ask(SERVICE_LOG, &name, 1, 0, &log, NULL)) {
        bytes_free(&log);
        return;
    }
    size_t from = log.end;
    for (unsigned lines = 0; from > 0; from--) {
        if (log.data[from - 1] == '\n' && from < log.end && ++lines == options.lines) {
            break;
        }
    }
    if (log.end > from) {
        puts("");
        fwrite(log.data + from, 1, log.end - from, stdout);
        if (log.data[log.end - 1] != '\n') {
            puts("");
        }
    }
    bytes_free(&log);
}

/* The date of a day since 1970: the library's own would bring all time zones along. */
static void print_date(long long days) {
    long long shifted = days + 719468, era = shifted / 146097, of_era = shifted % 146097;
    long long year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    long long of_year = of_era - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;
    printf("%04lld-%02lld-%02lld", year + era * 400 + (month >= 10), month < 10 ? month + 3 : month - 9, of_year - (153 * month + 2) / 5 + 1);
}

static void print_times(const struct known *known) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    long long since = (long long)(known->since / 1000) % 100000000000ll, ago = (long long)now.tv_sec - since;
    printf("     Active: %s (%s) since ", active_state(known), sub_state(known));
    print_date(since / 86400);
    printf(" %02lld:%02lld:%02lld UTC; %llds ago\n", since / 3600 % 24, since / 60 % 60, since % 60, ago > 0 ? ago : 0);
}

static void print_status(struct known *known) {
    static const char *const healths[] = {"not known yet", "healthy", "unhealthy"};
    const char *state = systemctl_file_state(known->name);
    printf("%s %s.service%s%s\n", known->state == 6 ? "×" : known->state == 2 || known->state == 3 ? "●" : "○", known->name,
           known->description ? " - " : "", known->description ? known->description : "");
    printf("     Loaded: %s (%s; %s)\n", known->path ? "loaded" : "not-found", known->path ? known->path : "no unit file", state ? state : "gone");
    print_times(known);
    if (known->reason) {
        printf("     Reason: %s\n", known->reason);
    }
    if (known->pid) {
        printf("   Main PID: %u\n", known->pid);
    }
    if (known->restarts) {
        printf("   Restarts: %u\n", known->restarts);
    }
    if (known->has_health && known->health < 3) {
        printf("     Health: %s\n", healths[known->health]);
    }
    if (known->command) {
        printf("    Command: %s\n", known->command);
    }
    for (size_t i = 0; i < known->unsupported.count; i++) {
        printf("%s%s%s", i == 0 ? "    Ignored: " : ", ", known->unsupported.items[i], i + 1 == known->unsupported.count ? " (not supported in a sandbox)\n" : "");
    }
    print_log(known->name);
}

static int missing_status(const char *name) {
    fprintf(stderr, "Unit %s.service could not be found.\n", name);
    return UNKNOWN;
}

int systemctl_status(char **names, size_t count) {
    int worst = 0;
    if (count == 0) {
        return systemctl_list_units();
    }
    for (size_t i = 0; i < count; i++) {
        struct known_list found;
        bool missing;
        if (!systemctl_list(SERVICE_LIST, &names[i], 1, 0, &found, &missing)) {
            worst = missing ? missing_status(names[i]) : 1;
            continue;
        }
        for (size_t j = 0; j < found.count; j++) {
            print_status(&found.items[j]);
            bool active = found.items[j].state == 2 || found.items[j].state == 3;
            worst = active || worst ? worst : INACTIVE;
        }
        known_free(&found);
    }
    return worst;
}

int systemctl_is_active(char **names, size_t count, bool failed) {
    bool any = false, known_any = false;
    for (size_t i = 0; i < count; i++) {
        struct known_list found;
        bool missing;
        const char *state = "inactive";
        bool well = systemctl_list(SERVICE_LIST, &names[i], 1, 0, &found, &missing);
        if (!well && !missing) {
            return 1;
        }
        if (well && found.count > 0) {
            state = active_state(&found.items[0]);
            known_any = true;
        }
        any |= strcmp(state, failed ? "failed" : "active") == 0;
        if (!options.quiet) {
            puts(state);
        }
        known_free(&found);
    }
    return any ? 0 : failed ? 1 : known_any ? INACTIVE : UNKNOWN;
}

static bool is_wanted(const char *property) {
    if (!options.property) {
        return true;
    }
    size_t length = strlen(property);
    for (const char *at = options.property; at;) {
        if (strncmp(at, property, length) == 0 && (at[length] == ',' || !at[length])) {
            return true;
        }
        at = strchr(at, ',');
        at = at ? at + 1 : NULL;
    }
    return false;
}

__attribute__((format(printf, 2, 3))) static void property(const char *name, const char *format, ...) {
    if (!is_wanted(name)) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    if (!options.value) {
        printf("%s=", name);
    }
    vprintf(format, arguments);
    va_end(arguments);
    puts("");
}

static void show_one(const struct known *known, bool missing) {
    const char *state = systemctl_file_state(known->name);
    bool masked = state && strcmp(state, "masked") == 0;
    property("Id", "%s.service", known->name);
    property("Names", "%s.service", known->name);
    property("LoadState", "%s", missing ? "not-found" : masked ? "masked" : "loaded");
    property("ActiveState", "%s", active_state(known));
    property("SubState", "%s", sub_state(known));
    property("UnitFileState", "%s", state ? state : "");
    property("FragmentPath", "%s", known->path ? known->path : "");
    property("Description", "%s", known->description ? known->description : known->name);
    property("MainPID", "%u", known->pid);
    property("ExecMainStatus", "%d", known->has_status ? abs(known->status) : 0);
    property("NRestarts", "%u", known->restarts);
    property("Result", "%s", known->state == 6 ? "exit-code" : "success");
    property("Restart", "%s", known->restart ? known->restart : "no");
    property("User", "%s", known->user ? known->user : "");
    property("WorkingDirectory", "%s", known->directory ? known->directory : "");
    property("NeedDaemonReload", "no");
    property("SourcePath", "%s", "");
    property("CanReload", "%s", !missing && systemctl_can_reload(known->name) ? "yes" : "no");
    property("CanStart", "%s", missing ? "no" : "yes");
    property("CanStop", "%s", missing ? "no" : "yes");
}

int systemctl_show(char **names, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct known_list found;
        bool missing;
        bool well = systemctl_list(SERVICE_LIST, &names[i], 1, 0, &found, &missing);
        if (!well && !missing) {
            return 1;
        }
        struct known none = {.name = names[i]};
        show_one(found.count > 0 ? &found.items[0] : &none, found.count == 0);
        if (i + 1 < count) {
            puts("");
        }
        known_free(&found);
    }
    return 0;
}

static bool is_other_type(void) {
    return options.type && !strstr(options.type, "service");
}

int systemctl_list_units(void) {
    struct known_list found;
    size_t shown = 0;
    if (is_other_type()) {
        return 0;
    }
    if (!systemctl_list(SERVICE_LIST, NULL, 0, 0, &found, NULL)) {
        return 1;
    }
    if (!options.no_legend) {
        printf("  %-32s %-10s %-12s %-12s %s\n", "UNIT", "LOAD", "ACTIVE", "SUB", "DESCRIPTION");
    }
    for (size_t i = 0; i < found.count; i++) {
        const struct known *known = &found.items[i];
        bool wanted = options.all || known->state != 0;
        wanted = wanted && (!options.failed || known->state == 6) &&
                 (!options.state || strstr(options.state, active_state(known)) || strstr(options.state, sub_state(known)));
        if (wanted) {
            char name[UNIT_NAME_MOST + 10];
            snprintf(name, sizeof name, "%s.service", known->name);
            printf("%s %-32s %-10s %-12s %-12s %s\n", known->state == 6 ? "●" : " ", name, known->path ? "loaded" : "not-found", active_state(known),
                   sub_state(known), known->description ? known->description : known->name);
            shown++;
        }
    }
    if (!options.no_legend) {
        printf("\n%zu loaded units listed.\n", shown);
    }
    known_free(&found);
    return 0;
}
