/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"

#define DEFAULT_WAIT_MS 90000
#define DEFAULT_BURST 5
#define DEFAULT_INTERVAL_MS 60000
#define HEALTH_INTERVAL_MS 10000
#define HEALTH_TIMEOUT_MS 5000
#define HEALTH_RETRIES 3
#define LINE_MOST 16384u

bool unit_name_is_sound(const char *name) {
    size_t length = strlen(name);
    for (size_t i = 0; i < length; i++) {
        if (!isalnum((unsigned char)name[i]) && !strchr(":_.@-\\", name[i])) {
            return false;
        }
    }
    return length > 0 && length <= UNIT_NAME_MOST && name[0] != '.';
}

void unit_init(struct unit *unit, const char *name) {
    *unit = (struct unit){.send_kill = true, .restart_ms = -1, .restart_most_ms = -1, .interval_ms = DEFAULT_INTERVAL_MS,
                          .start_ms = -1, .stop_ms = DEFAULT_WAIT_MS, .burst = DEFAULT_BURST, .kill_signal = SIGTERM,
                          .health_interval_ms = HEALTH_INTERVAL_MS, .health_timeout_ms = HEALTH_TIMEOUT_MS, .health_retries = HEALTH_RETRIES};
    snprintf(unit->name, sizeof unit->name, "%s", name);
    unit->success.codes[0] = 1;
    unit->success.signals = 1ull << SIGHUP | 1ull << SIGINT | 1ull << SIGTERM | 1ull << SIGPIPE;
}

static char *trim(char *text) {
    while (isspace((unsigned char)*text)) {
        text++;
    }
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1])) {
        text[--length] = 0;
    }
    return text;
}

static void take_line(struct unit *unit, char section[64], char *line) {
    line = trim(line);
    if (*line == '[') {
        char *end = strchr(line, ']');
        snprintf(section, 64, "%.*s", end ? (int)(end - line - 1 < 63 ? end - line - 1 : 63) : 0, line + 1);
        return;
    }
    char *equals = strchr(line, '=');
    if (!*line || !equals || !*section) {
        if (*line && *section) {
            unit_unsupported(unit, line, "");
        }
        return;
    }
    *equals = 0;
    unit_assign(unit, section, trim(line), trim(equals + 1));
}

static bool is_comment(const char *line, const char *end) {
    while (line < end && (*line == ' ' || *line == '\t')) {
        line++;
    }
    return line < end && (*line == '#' || *line == ';');
}

void unit_parse(struct unit *unit, const char *text, size_t length) {
    char section[64] = "";
    struct bytes line = {0};
    const char *end = text + length;
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        stop = stop ? stop : end;
        if (is_comment(text, stop)) {
            text = stop < end ? stop + 1 : end; /* between continued lines too */
            continue;
        }
        bool more = stop > text && stop[-1] == '\\' && stop < end;
        bytes_add(&line, text, (size_t)(stop - text) - (more ? 1 : 0));
        text = stop < end ? stop + 1 : end;
        if (bytes_length(&line) > LINE_MOST || memchr(line.data ? line.data : (uint8_t *)"", 0, bytes_length(&line))) {
            unit_problem(unit, "a line is too long, or has a NUL in it");
            break;
        }
        if (more) {
            bytes_add(&line, " ", 1);
            continue;
        }
        bytes_add(&line, "", 1);
        if (!line.failed) {
            take_line(unit, section, (char *)line.data);
        }
        bytes_free(&line);
    }
    if (bytes_length(&line) > 0) {
        bytes_add(&line, "", 1);
        if (!line.failed) {
            take_line(unit, section, (char *)line.data);
        }
    }
    bytes_free(&line);
}

/* Units of other kinds do not exist here. A target is always reached. */
static void note_others(struct unit *unit, const struct unit_list *names, const char *key) {
    for (size_t i = 0; i < names->count; i++) {
        const char *dot = strrchr(names->items[i], '.');
        if (!dot || (strcmp(dot, ".service") != 0 && strcmp(dot, ".target") != 0)) {
            unit_unsupported(unit, key, names->items[i]);
        }
    }
}

void unit_finish(struct unit *unit) {
    note_others(unit, &unit->requirements, "Requires");
    note_others(unit, &unit->wants, "Wants");
    if (!unit->has_type && unit->start.count == 0) {
        unit->type = UNIT_ONESHOT;
    }
    if (unit->start_ms < 0 || (unit->start_ms == 0)) {
        unit->start_ms = unit->type == UNIT_ONESHOT || unit->start_ms == 0 ? UNIT_FOREVER : DEFAULT_WAIT_MS;
    }
    if (unit->stop_ms == 0) {
        unit->stop_ms = UNIT_FOREVER;
    }
    if (unit->start.count == 0 && unit->stop.count == 0) {
        unit_problem(unit, "it has no ExecStart=");
    } else if (unit->type != UNIT_ONESHOT && unit->start.count != 1) {
        unit_problem(unit, "it has %zu ExecStart= (expected: 1)", unit->start.count);
    }
    if ((unit->health_path || unit->health_tcp) && unit->port == 0) {
        unit_problem(unit, "HealthPath= and HealthTcp= need a Port=");
    }
    if (unit->health_path && unit->health_path[0] != '/') {
        unit_problem(unit, "HealthPath=%.60s (expected: it begins with /)", unit->health_path);
    }
    if (unit->health_interval_ms < 1000) {
        unit->health_interval_ms = 1000;
    }
    if (unit->health_retries == 0) {
        unit->health_retries = 1;
    }
}

void unit_free(struct unit *unit) {
    struct unit_list *lists[] = {&unit->environment, &unit->environment_files, &unit->conditions, &unit->after, &unit->before, &unit->requirements,
                                 &unit->wants, &unit->wanted_by, &unit->required_by, &unit->aliases, &unit->also, &unit->runtime_directories,
                                 &unit->state_directories, &unit->cache_directories, &unit->logs_directories, &unit->unsupported};
    struct unit_commands *commands[] = {&unit->pre, &unit->start, &unit->post, &unit->stop, &unit->stop_post, &unit->reload, &unit->health};
    char *texts[] = {unit->description, unit->directory, unit->user, unit->group, unit->pid_file, unit->health_path};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        unit_list_free(lists[i]);
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        unit_commands_free(commands[i]);
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        free(texts[i]);
    }
    *unit = (struct unit){0};
}
