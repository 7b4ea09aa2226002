/* SPDX-License-Identifier: Apache-2.0 */
#include "systemctl.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service_ask.h"

#define NAMES_MOST 128

struct options options = {.signal = SIGTERM, .lines = 10};

static bool is(const char *text, const char *other) {
    return strcmp(text, other) == 0;
}

/* The value of an option, `--name=value` or the next argument. */
static const char *value_of(char **arguments, int count, int *at) {
    const char *equals = strncmp(arguments[*at], "--", 2) == 0 ? strchr(arguments[*at], '=') : NULL;
    if (equals) {
        return equals + 1;
    }
    return *at + 1 < count ? arguments[++*at] : "";
}

static bool has_name(const char *argument, const char *name) {
    size_t length = strlen(name);
    return strncmp(argument, name, length) == 0 && (!argument[length] || argument[length] == '=');
}

static void set_flag(char letter) {
    options.quiet |= letter == 'q';
    options.all |= letter == 'a';
    options.force |= letter == 'f';
}

static bool set_long(char **arguments, int count, int *at) {
    static const char *const ignored[] = {"--no-pager", "--system", "--full", "--plain", "--no-ask-password", "--no-wall", "--no-reload", "--no-warn",
                                          "--wait", "--show-transaction", "--recursive", "--with-dependencies", "--dry-run", "--legend", "--no-warn"};
    static const char *const valued[] = {"--job-mode", "--output", "--preset-mode", "--root", "--check-inhibitors", "--kill-whom", "--kill-who", "--timestamp", "--what"};
    const char *argument = arguments[*at];
    bool *const flags[] = {&options.quiet, &options.now, &options.no_block, &options.all, &options.value, &options.runtime, &options.force, &options.no_legend, &options.failed};
    static const char *const names[] = {"--quiet", "--now", "--no-block", "--all", "--value", "--runtime", "--force", "--no-legend", "--failed"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (is(argument, names[i])) {
            *flags[i] = true;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
        if (has_name(argument, ignored[i])) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof valued / sizeof *valued; i++) {
        if (has_name(argument, valued[i])) {
            value_of(arguments, count, at);
            return true;
        }
    }
    if (has_name(argument, "--type")) {
        options.type = value_of(arguments, count, at);
    } else if (has_name(argument, "--property")) {
        options.property = value_of(arguments, count, at);
    } else if (has_name(argument, "--state")) {
        options.state = value_of(arguments, count, at);
    } else if (has_name(argument, "--lines")) {
        options.lines = (unsigned)strtoul(value_of(arguments, count, at), NULL, 10);
    } else if (has_name(argument, "--signal")) {
        options.signal = unit_signal(value_of(arguments, count, at));
    } else {
        return false;
    }
    return true;
}

static bool set_short(char **arguments, int count, int *at) {
    for (const char *letter = arguments[*at] + 1; *letter; letter++) {
        if (strchr("tpnso", *letter)) {
            const char *value = letter[1] ? letter + 1 : *at + 1 < count ? arguments[++*at] : "";
            options.type = *letter == 't' ? value : options.type;
            options.property = *letter == 'p' ? value : options.property;
            options.lines = *letter == 'n' ? (unsigned)strtoul(value, NULL, 10) : options.lines;
            options.signal = *letter == 's' ? unit_signal(value) : options.signal;
            return true;
        }
        if (!strchr("qaflri", *letter)) {
            return false;
        }
        set_flag(*letter);
    }
    return true;
}

static int complain(const char *format, const char *what) {
    fprintf(stderr, "systemctl: ");
    fprintf(stderr, format, what);
    fputc('\n', stderr);
    return 1;
}

static int reload_files(void) {
    struct bytes output = {0};
    bool well = systemctl_ask(SERVICE_RELOAD, NULL, 0, 0, &output, NULL);
    bytes_free(&output);
    return well ? 0 : 1;
}

/* What is ignored of a unit is said when it is started, and why it failed. */
static int change(uint8_t operation, char **names, size_t count) {
    struct known_list found;
    int status = 0;
    if (!systemctl_list(operation, names, count, options.no_block ? SERVICE_NO_WAIT : 0, &found, NULL)) {
        return 5;
    }
    for (size_t i = 0; i < found.count; i++) {
        const struct known *known = &found.items[i];
        bool failed = operation != SERVICE_STOP && (known->state == 6 || known->state == 5);
        for (size_t j = 0; operation != SERVICE_STOP && !options.quiet && j < known->unsupported.count; j++) {
            fprintf(stderr, "%s%s%s%s", j == 0 ? known->name : "", j == 0 ? ".service: not supported in a sandbox, and ignored: " : ", ",
                    known->unsupported.items[j], j + 1 == known->unsupported.count ? "\n" : "");
        }
        if (failed) {
            fprintf(stderr, "Job for %s.service failed: %s\nSee \"systemctl status %s.service\" for details.\n", known->name,
                    known->reason ? known->reason : "no reason is known", known->name);
            status = 1;
        }
    }
    known_free(&found);
    return status;
}

/* Only those that run. */
static size_t keep_active(char **names, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct known_list found;
        bool missing;
        if (systemctl_list(SERVICE_LIST, &names[i], 1, 0, &found, &missing) && found.count > 0 && found.items[0].state >= 1 && found.items[0].state <= 5) {
            names[kept++] = names[i];
        }
        known_free(&found);
    }
    return kept;
}

bool systemctl_can_reload(const char *name) {
    struct unit_place place;
    struct unit unit;
    if (!unit_name_is_sound(name) || !unit_find(name, &place)) {
        return false;
    }
    unit_load(&place, &unit);
    bool can = unit.reload.count > 0;
    unit_free(&unit);
    return can;
}

static int reload_or(const char *verb, char **names, size_t count) {
    bool try = strstr(verb, "try") != NULL, restart = strstr(verb, "restart") != NULL || is(verb, "force-reload");
    int status = 0;
    count = try ? keep_active(names, count) : count;
    for (size_t i = 0; i < count; i++) {
        char *name = names[i];
        bool active = keep_active(&name, 1) == 1;
        if (active && systemctl_can_reload(names[i])) {
            struct bytes output = {0};
            status |= systemctl_ask(SERVICE_RELOAD, &names[i], 1, 0, &output, NULL) ? 0 : 1;
            bytes_free(&output);
        } else if (restart) {
            status |= change(SERVICE_RESTART, &names[i], 1);
        } else {
            status |= complain(active ? "%s.service has no ExecReload=" : "%s.service is not active, cannot reload", names[i]);
        }
    }
    return status;
}

static int kill_main(char **names, size_t count) {
    struct known_list found;
    int status = 0;
    if (!systemctl_list(SERVICE_LIST, names, count, 0, &found, NULL)) {
        return 1;
    }
    for (size_t i = 0; i < found.count; i++) {
        if (found.items[i].pid == 0 || kill((pid_t)found.items[i].pid, options.signal) < 0) {
            status = complain("%s.service has no process that could be signalled", found.items[i].name);
        }
    }
    known_free(&found);
    return status;
}

static int simple(uint8_t operation, char **names, size_t count) {
    struct bytes output = {0};
    bool well = systemctl_ask(operation, names, count, 0, &output, NULL);
    bytes_free(&output);
    return well ? 0 : 1;
}

static int is_running(void) {
    struct known_list found;
    bool failed = false;
    if (!systemctl_list(SERVICE_LIST, NULL, 0, 0, &found, NULL)) {
        puts("offline");
        return 1;
    }
    for (size_t i = 0; i < found.count; i++) {
        failed |= found.items[i].state == 6;
    }
    known_free(&found);
    if (!options.quiet) {
        puts(failed ? "degraded" : "running");
    }
    return failed;
}

/* Links first, then the agent, when there is one. */
static int with_links(int status, uint8_t operation, char **names, size_t count) {
    if (status == 0 && access("/run/systemd/system", F_OK) == 0) {
        reload_files();
        status = options.now && count > 0 ? change(operation, names, count) : 0;
    }
    return status;
}

static int run(const char *verb, char **names, size_t count) {
    static const char *const without[] = {"daemon-reload", "daemon-reexec", "list-units", "list-unit-files", "is-system-running", "status", "reset-failed",
                                          "get-default", "list-timers", "list-sockets", "list-jobs"};
    bool needs = true;
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        needs &= !is(verb, without[i]);
    }
    if (needs && count == 0) {
        return complain("%s: no unit is named", verb);
    }
    if (is(verb, "is-system-running")) {
        return is_running();
    } else if (is(verb, "start")) {
        return change(SERVICE_START, names, count);
    } else if (is(verb, "stop")) {
        return change(SERVICE_STOP, names, count);
    } else if (is(verb, "restart")) {
        return change(SERVICE_RESTART, names, count);
    } else if (is(verb, "try-restart") || is(verb, "condrestart")) {
        count = keep_active(names, count);
        return count > 0 ? change(SERVICE_RESTART, names, count) : 0;
    } else if (is(verb, "reload") || is(verb, "reload-or-restart") || is(verb, "reload-or-try-restart") || is(verb, "try-reload-or-restart") ||
               is(verb, "force-reload")) {
        return reload_or(verb, names, count);
    } else if (is(verb, "enable") || is(verb, "reenable") || is(verb, "preset")) {
        return with_links(systemctl_enable(names, count), SERVICE_START, names, count);
    } else if (is(verb, "disable")) {
        return with_links(systemctl_disable(names, count), SERVICE_STOP, names, count);
    } else if (is(verb, "mask") || is(verb, "unmask")) {
        return with_links(systemctl_mask(names, count, is(verb, "mask")), SERVICE_STOP, names, is(verb, "mask") ? count : 0);
    } else if (is(verb, "status")) {
        return systemctl_status(names, count);
    } else if (is(verb, "show")) {
        return systemctl_show(names, count);
    } else if (is(verb, "is-active") || is(verb, "is-failed")) {
        return systemctl_is_active(names, count, is(verb, "is-failed"));
    } else if (is(verb, "is-enabled")) {
        return systemctl_is_enabled(names, count);
    } else if (is(verb, "cat")) {
        return systemctl_cat(names, count);
    } else if (is(verb, "daemon-reload") || is(verb, "daemon-reexec")) {
        return reload_files();
    } else if (is(verb, "reset-failed")) {
        return simple(SERVICE_RESET, names, count);
    } else if (is(verb, "list-units")) {
        return systemctl_list_units();
    } else if (is(verb, "list-unit-files")) {
        return systemctl_list_files();
    } else if (is(verb, "kill")) {
        return kill_main(names, count);
    } else if (is(verb, "get-default")) {
        return puts("multi-user.target") < 0;
    } else if (is(verb, "list-timers") || is(verb, "list-sockets") || is(verb, "list-jobs")) {
        return 0;
    }
    return complain("%s is not supported in a sandbox", verb);
}

const char *systemctl_other_kind(const char *name) {
    static const char *const others[] = {".timer", ".socket", ".path", ".mount", ".automount", ".swap", ".slice", ".scope", ".device", ".target"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof others / sizeof *others; i++) {
        if (is(dot, others[i])) {
            return others[i];
        }
    }
    return NULL;
}

static bool is_about_files(const char *verb) {
    static const char *const verbs[] = {"enable", "reenable", "disable", "preset", "mask", "unmask", "is-enabled", "cat"};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (is(verb, verbs[i])) {
            return true;
        }
    }
    return false;
}

/* Targets are always reached; other kinds do not run here. False: it is one of those, and has been dealt with. */
static bool take_name(const char *verb, char *name, int *status) {
    size_t length = strlen(name);
    const char *kind = systemctl_other_kind(name);
    if (kind && !is_about_files(verb)) {
        bool target = is(kind, ".target"), asks = is(verb, "is-active");
        if (asks && !options.quiet) {
            puts(target ? "active" : "inactive");
        }
        if (is(verb, "show") && (!options.property || is(options.property, "LoadState"))) {
            puts(options.value ? "not-found" : "LoadState=not-found");
        } else if (!target && asks) {
            *status = 3;
        } else if (!target && !is(verb, "stop")) {
            *status = complain("%s: units of this kind are not supported in a sandbox", name);
        }
        return false;
    }
    if (length > 8 && is(name + length - 8, ".service")) {
        name[length - 8] = 0;
    }
    return true;
}

static int run_named(const char *verb, char **all, size_t count) {
    char *names[NAMES_MOST];
    size_t named = 0;
    int status = 0;
    for (size_t i = 0; i < count; i++) {
        if (take_name(verb, all[i], &status)) {
            names[named++] = all[i];
        }
    }
    int result = count > 0 && named == 0 ? 0 : run(verb, names, named);
    return result ? result : status;
}

int systemctl_client(int count, char **arguments) {
    char *names[NAMES_MOST];
    size_t named = 0;
    const char *verb = NULL;
    bool options_end = false;
    for (int i = 1; i < count; i++) {
        char *argument = arguments[i];
        if (!options_end && is(argument, "--")) {
            options_end = true;
        } else if (!options_end && is(argument, "--version")) {
            puts("systemd 252 (sandglass-agent " AGENT_VERSION ")\nServices of a Sandglass sandbox; see its documentation for what is supported.");
            return 0;
        } else if (!options_end && is(argument, "--global")) {
            return 0; /* for the managers of users, of which there is none */
        } else if (!options_end && is(argument, "--user")) {
            return complain("%s: there is one manager for the whole sandbox", argument);
        } else if (!options_end && strncmp(argument, "--", 2) == 0) {
            if (!set_long(arguments, count, &i)) {
                return complain("unknown option %s", argument);
            }
        } else if (!options_end && argument[0] == '-' && argument[1]) {
            if (!set_short(arguments, count, &i)) {
                return complain("unknown option %s", argument);
            }
        } else if (!verb) {
            verb = argument;
        } else if (named < NAMES_MOST) {
            names[named++] = argument;
        }
    }
    return run_named(verb ? verb : "list-units", names, named);
}
