/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines of a unit file, and the specifiers in its values. */
#include <ctype.h>
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

static bool add_command(struct unit_commands *commands, const struct unit_list *words) {
    struct unit_command command = {0};
    for (size_t i = 0; i < words->count; i++) {
        if (!unit_list_add(&command.words, words->items[i], strlen(words->items[i]))) {
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

/* Where a command ends: at a semicolon that is a word, as it stands, or at the end. NULL: an open quote. */
static const char *end_of_command(const char *at) {
    while (at) {
        while (isspace((unsigned char)*at)) {
            at++;
        }
        if (!*at || (*at == ';' && (!at[1] || isspace((unsigned char)at[1])))) {
            return at;
        }
        at = unit_skip_word(at);
    }
    return NULL;
}

static bool add_commands(struct unit *unit, struct unit_commands *commands, const char *text) {
    bool any = false, sound = true;
    for (const char *end; sound && *text; text = *end ? end + 1 : end) {
        end = end_of_command(text);
        char *one = end ? strndup(text, (size_t)(end - text)) : NULL;
        struct unit_list words = {0};
        sound = one && unit_words(one, unit, &words) && (words.count == 0 || add_command(commands, &words));
        any |= words.count > 0;
        unit_list_free(&words);
        free(one);
        if (!sound) {
            break;
        }
    }
    return sound && any;
}

bool unit_add_commands(struct unit *unit, struct unit_commands *commands, const char *text) {
    bool sound = add_commands(unit, commands, text);
    if (!sound) {
        unit_problem(unit, "a command line cannot be understood: %.100s", text);
    }
    return sound;
}
