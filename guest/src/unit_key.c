/* SPDX-License-Identifier: Apache-2.0 */
/* What can be said in a unit file, and what becomes of it. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

enum kind { SKIP, TEXT, WORDS, COMMANDS, TIME, FLAG, NUMBER, PORT, TYPE, RESTART, SIGNAL_NAME, KILL_MODE, STATUSES, CONDITION, OUTPUT_TO, ENDS_IT, TARGETS_ONLY };

struct key {
    const char *section, *name;
    enum kind kind;
    size_t at;
};

#define AT(member) offsetof(struct unit, member)

static const struct key keys[] = {
    {"Unit", "Description", TEXT, AT(description)},
    {"Unit", "Documentation", SKIP, 0},
    {"Unit", "SourcePath", SKIP, 0},
    {"Unit", "DefaultDependencies", SKIP, 0},
    {"Unit", "CollectMode", SKIP, 0},
    {"Unit", "Conflicts", TARGETS_ONLY, 0},
    {"Unit", "After", WORDS, AT(after)},
    {"Unit", "Before", WORDS, AT(before)},
    {"Unit", "Requires", WORDS, AT(requirements)},
    {"Unit", "BindsTo", WORDS, AT(requirements)},
    {"Unit", "Wants", WORDS, AT(wants)},
    {"Unit", "ConditionPathExists", CONDITION, 'e'},
    {"Unit", "ConditionPathIsDirectory", CONDITION, 'd'},
    {"Unit", "ConditionFileNotEmpty", CONDITION, 's'},
    {"Unit", "ConditionFileIsExecutable", CONDITION, 'x'},
    {"Unit", "ConditionVirtualization", SKIP, 0},
    {"Unit", "StartLimitBurst", NUMBER, AT(burst)},
    {"Unit", "StartLimitIntervalSec", TIME, AT(interval_ms)},
    {"Unit", "StartLimitInterval", TIME, AT(interval_ms)},
    {"Service", "StartLimitBurst", NUMBER, AT(burst)},
    {"Service", "StartLimitInterval", TIME, AT(interval_ms)},
    {"Service", "Type", TYPE, 0},
    {"Service", "ExecStartPre", COMMANDS, AT(pre)},
    {"Service", "ExecStart", COMMANDS, AT(start)},
    {"Service", "ExecStartPost", COMMANDS, AT(post)},
    {"Service", "ExecStop", COMMANDS, AT(stop)},
    {"Service", "ExecStopPost", COMMANDS, AT(stop_post)},
    {"Service", "ExecReload", COMMANDS, AT(reload)},
    {"Service", "Environment", WORDS, AT(environment)},
    {"Service", "EnvironmentFile", WORDS, AT(environment_files)},
    {"Service", "WorkingDirectory", TEXT, AT(directory)},
    {"Service", "User", TEXT, AT(user)},
    {"Service", "Group", TEXT, AT(group)},
    {"Service", "PIDFile", TEXT, AT(pid_file)},
    {"Service", "RemainAfterExit", FLAG, AT(remain)},
    {"Service", "Restart", RESTART, 0},
    {"Service", "RestartSec", TIME, AT(restart_ms)},
    {"Service", "RestartSteps", NUMBER, AT(restart_steps)},
    {"Service", "RestartMaxDelaySec", TIME, AT(restart_most_ms)},
    {"Service", "TimeoutStartSec", TIME, AT(start_ms)},
    {"Service", "TimeoutStopSec", TIME, AT(stop_ms)},
    {"Service", "TimeoutSec", TIME, 0},
    {"Service", "KillSignal", SIGNAL_NAME, AT(kill_signal)},
    {"Service", "KillMode", KILL_MODE, 0},
    {"Service", "SendSIGKILL", FLAG, AT(send_kill)},
    {"Service", "SuccessExitStatus", STATUSES, AT(success)},
    {"Service", "RestartPreventExitStatus", STATUSES, AT(prevent)},
    {"Service", "RuntimeDirectory", WORDS, AT(runtime_directories)},
    {"Service", "StateDirectory", WORDS, AT(state_directories)},
    {"Service", "CacheDirectory", WORDS, AT(cache_directories)},
    {"Service", "LogsDirectory", WORDS, AT(logs_directories)},
    {"Service", "StandardOutput", OUTPUT_TO, 0},
    {"Service", "StandardError", OUTPUT_TO, 0},
    {"Service", "SyslogIdentifier", SKIP, 0},
    {"Service", "NotifyAccess", SKIP, 0},
    {"Service", "DynamicUser", ENDS_IT, 0},
    {"Service", "RootDirectory", ENDS_IT, 0},
    {"Service", "RootImage", ENDS_IT, 0},
    {"Install", "WantedBy", WORDS, AT(wanted_by)},
    {"Install", "RequiredBy", WORDS, AT(required_by)},
    {"Install", "Alias", WORDS, AT(aliases)},
    {"Install", "Also", WORDS, AT(also)},
    {"X-Sandglass", "Port", PORT, AT(port)},
    {"X-Sandglass", "HealthCommand", COMMANDS, AT(health)},
    {"X-Sandglass", "HealthPath", TEXT, AT(health_path)},
    {"X-Sandglass", "HealthTcp", FLAG, AT(health_tcp)},
    {"X-Sandglass", "HealthInterval", TIME, AT(health_interval_ms)},
    {"X-Sandglass", "HealthTimeout", TIME, AT(health_timeout_ms)},
    {"X-Sandglass", "HealthRetries", NUMBER, AT(health_retries)},
};

static const char *const restarts[] = {"no", "on-success", "on-failure", "on-abnormal", "on-abort", "always"};

const char *unit_restart_name(enum unit_restart restart) {
    return restarts[restart];
}

void unit_unsupported(struct unit *unit, const char *name, const char *value) {
    char text[64];
    snprintf(text, sizeof text, "%.30s=%.30s", name, value);
    if (unit->unsupported.count < UNIT_UNSUPPORTED_MOST && !unit_list_has(&unit->unsupported, text)) {
        unit_list_add(&unit->unsupported, text, strlen(text));
    }
}

void unit_problem(struct unit *unit, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (!*unit->problem) {
        vsnprintf(unit->problem, sizeof unit->problem, format, arguments);
    }
    va_end(arguments);
}

static void set_text(struct unit *unit, char **text, const char *value) {
    free(*text);
    *text = *value ? unit_expand(unit, value) : NULL;
    if (*value && !*text) {
        unit_problem(unit, "a value is too long");
    }
}

static bool set_type(struct unit *unit, const char *value) {
    static const struct { const char *name; enum unit_type type; } types[] = {
        {"simple", UNIT_SIMPLE}, {"exec", UNIT_SIMPLE}, {"idle", UNIT_SIMPLE}, {"oneshot", UNIT_ONESHOT}, {"forking", UNIT_FORKING}};
    unit->has_type = true;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(value, types[i].name) == 0) {
            unit->type = types[i].type;
            return true;
        }
    }
    unit->type = UNIT_SIMPLE; /* notify, dbus: it counts as running once its program runs */
    return false;
}

static bool set_restart(struct unit *unit, const char *value) {
    for (size_t i = 0; i < sizeof restarts / sizeof *restarts; i++) {
        if (strcmp(value, restarts[i]) == 0) {
            unit->restart = (enum unit_restart)i;
            return true;
        }
    }
    return false;
}

static bool set_kill_mode(struct unit *unit, const char *value) {
    static const char *const modes[] = {"control-group", "mixed", "process", "none"};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (strcmp(value, modes[i]) == 0) {
            unit->kill = (enum unit_kill)i;
            return true;
        }
    }
    return false;
}

static bool add_statuses(struct unit_statuses *statuses, const char *value) {
    struct unit_list words = {0};
    bool sound = unit_words(value, NULL, &words);
    for (size_t i = 0; sound && i < words.count; i++) {
        char *end;
        long code = strtol(words.items[i], &end, 10);
        int number = unit_signal(words.items[i]);
        if (end != words.items[i] && !*end && code >= 0 && code < 256) {
            statuses->codes[code / 8] |= (uint8_t)(1 << code % 8);
        } else if (number > 0 && number < 64) {
            statuses->signals |= 1ull << number;
        } else {
            sound = false;
        }
    }
    unit_list_free(&words);
    return sound;
}

static bool set_number(uint32_t *number, const char *value, uint32_t most) {
    char *end;
    unsigned long parsed = strtoul(value, &end, 10);
    if (!isdigit((unsigned char)*value) || *end || parsed > most) {
        return false;
    }
    *number = (uint32_t)parsed;
    return true;
}

static bool is_only_targets(const char *value) {
    struct unit_list words = {0};
    bool only = unit_words(value, NULL, &words);
    for (size_t i = 0; only && i < words.count; i++) {
        size_t length = strlen(words.items[i]);
        only = length > 7 && strcmp(words.items[i] + length - 7, ".target") == 0;
    }
    unit_list_free(&words);
    return only;
}

static bool add_condition(struct unit *unit, char kind, const char *value) {
    char text[UNIT_TEXT_MOST];
    bool negated = *value == '!';
    char *expanded = unit_expand(unit, value + (negated || *value == '|' ? 1 : 0));
    int length = expanded ? snprintf(text, sizeof text, "%c%c%s", kind, negated ? '!' : ' ', expanded) : -1;
    free(expanded);
    return *value != '|' && length > 0 && (size_t)length < sizeof text && unit_list_add(&unit->conditions, text, (size_t)length);
}

static bool is_kept_output(const char *value) {
    static const char *const kept[] = {"inherit", "journal", "syslog", "journal+console", "syslog+console"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        if (strcmp(value, kept[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* False: said, and not done. */
static bool set(struct unit *unit, const struct key *key, const char *value) {
    void *at = (char *)unit + key->at;
    switch (key->kind) {
        case SKIP:
            return true;
        case TEXT:
            set_text(unit, at, value);
            return true;
        case WORDS:
            if (!*value) {
                unit_list_free(at);
            }
            return unit_words(value, unit, at);
        case COMMANDS:
            if (!*value) {
                unit_commands_free(at);
            } else {
                unit_add_commands(unit, at, value);
            }
            return true;
        case TIME: {
            int64_t time;
            if (!unit_time(value, &time)) {
                return false;
            }
            if (key->at) {
                *(int64_t *)at = time;
            } else {
                unit->start_ms = unit->stop_ms = time;
            }
            return true;
        }
        case FLAG:
            return unit_flag(value, at);
        case NUMBER:
            return set_number(at, value, 1000000);
        case PORT: {
            uint32_t port;
            bool sound = set_number(&port, value, 65535);
            unit->port = sound ? (uint16_t)port : 0;
            return sound;
        }
        case TYPE:
            return set_type(unit, value);
        case RESTART:
            return set_restart(unit, value);
        case SIGNAL_NAME: {
            int number = unit_signal(value);
            *(int *)at = number ? number : *(int *)at;
            return number != 0;
        }
        case KILL_MODE:
            return set_kill_mode(unit, value);
        case STATUSES:
            if (!*value) {
                memset(at, 0, sizeof(struct unit_statuses));
            }
            return add_statuses(at, value);
        case CONDITION:
            if (!*value) {
                unit_list_free(&unit->conditions);
                return true;
            }
            return add_condition(unit, (char)key->at, value);
        case OUTPUT_TO:
            return is_kept_output(value);
        case TARGETS_ONLY:
            return is_only_targets(value);
        case ENDS_IT: {
            bool flag;
            if (*value && !(unit_flag(value, &flag) && !flag)) {
                unit_problem(unit, "%s=%.60s is not supported", key->name, value);
            }
            return true;
        }
    }
    return false;
}

void unit_assign(struct unit *unit, const char *section, const char *name, const char *value) {
    if (strcmp(section, "X-Sandglass") != 0 && strncmp(section, "X-", 2) == 0) {
        return;
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(keys[i].section, section) == 0 && strcmp(keys[i].name, name) == 0) {
            if (!set(unit, &keys[i], value)) {
                unit_unsupported(unit, name, value);
            }
            return;
        }
    }
    if (strncmp(name, "X-", 2) != 0) {
        unit_unsupported(unit, name, value);
    }
}
