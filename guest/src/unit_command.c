/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines of a unit file, and the specifiers in its values. */
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "unit.h"

#define COMMANDS_MOST 32u

static void add(struct bytes *bytes, const char *text) {
    bytes_add(bytes, text, strlen(text));
}

/* What a specifier stands for: false when it is unknown. */
static bool specifier(const struct unit *unit, char letter, struct bytes *to) {
    const char *at = strchr(unit->name, '@');
    size_t prefix = at ? (size_t)(at - unit->name) : strlen(unit->name);
    switch (letter) {
        case 'n':
            add(to, unit->name);
            add(to, ".service");
            return true;
        case 'N':
            add(to, unit->name);
            return true;
        case 'p':
        case 'P':
            bytes_add(to, unit->name, prefix);
            return true;
        case 'i':
        case 'I':
            add(to, at ? at + 1 : "");
            return true;
        case 'u':
            add(to, "root");
            return true;
        case 'U':
            add(to, "0");
            return true;
        case 'h':
            add(to, "/root");
            return true;
        case 's':
            add(to, "/bin/sh");
            return true;
        case 't':
            add(to, "/run");
            return true;
        case 'S':
            add(to, "/var/lib");
            return true;
        case 'C':
            add(to, "/var/cache");
            return true;
        case 'L':
            add(to, "/var/log");
            return true;
        case 'E':
            add(to, "/etc");
            return true;
        case 'T':
            add(to, "/tmp");
            return true;
        case 'V':
            add(to, "/var/tmp");
            return true;
        case '%':
            add(to, "%");
            return true;
        default:
            return false;
    }
}

char *unit_expand(struct unit *unit, const char *text) {
    struct bytes to = {0};
    for (; *text; text++) {
        if (*text != '%' || !text[1]) {
            bytes_add(&to, text, 1);
        } else if (specifier(unit, text[1], &to)) {
            text++;
        } else {
            char unknown[] = {'%', text[1], 0};
            if (!unit_list_has(&unit->unsupported, unknown) && unit->unsupported.count < UNIT_UNSUPPORTED_MOST) {
                unit_list_add(&unit->unsupported, unknown, 2);
            }
            bytes_add(&to, text, 1);
        }
        if (bytes_length(&to) > UNIT_TEXT_MOST) {
            to.failed = true;
        }
    }
    bytes_add(&to, "", 1);
    if (to.failed) {
        bytes_free(&to);
        return NULL;
    }
    return (char *)to.data;
}

void unit_commands_free(struct unit_commands *commands) {
    for (size_t i = 0; i < commands->count; i++) {
        unit_list_free(&commands->items[i].words);
    }
    free(commands->items);
    *commands = (struct unit_commands){0};
}

/* The letters before the program. */
static void take_prefixes(struct unit_command *command, char *program) {
    char *at = program;
    for (; *at && strchr("-@:+!", *at); at++) {
        command->may_fail |= *at == '-';
        command->renamed |= *at == '@';
        command->literal |= *at == ':';
        command->as_root |= *at == '+' || *at == '!';
    }
    memmove(program, at, strlen(at) + 1);
}

static bool add_command(struct unit_commands *commands, const struct unit_list *words, size_t first, size_t end) {
    struct unit_command command = {0};
    for (size_t i = first; i < end; i++) {
        const char *word = strcmp(words->items[i], "\\;") == 0 ? ";" : words->items[i];
        if (!unit_list_add(&command.words, word, strlen(word))) {
            unit_list_free(&command.words);
            return false;
        }
    }
    take_prefixes(&command, command.words.items[0]);
    struct unit_command *items = realloc(commands->items, (commands->count + 1) * sizeof *items);
    if (!items || !*command.words.items[0] || (command.renamed && command.words.count < 2) || commands->count >= COMMANDS_MOST) {
        commands->items = items ? items : commands->items;
        unit_list_free(&command.words);
        return false;
    }
    commands->items = items;
    items[commands->count++] = command;
    return true;
}

bool unit_add_commands(struct unit *unit, struct unit_commands *commands, const char *text) {
    struct unit_list words = {0};
    bool sound = unit_words(text, unit, &words) && words.count > 0;
    for (size_t first = 0; sound && first < words.count;) {
        size_t end = first;
        while (end < words.count && strcmp(words.items[end], ";") != 0) {
            end++;
        }
        sound = end == first || add_command(commands, &words, first, end);
        first = end + 1;
    }
    unit_list_free(&words);
    if (!sound) {
        unit_problem(unit, "a command line cannot be understood: %.100s", text);
    }
    return sound;
}
