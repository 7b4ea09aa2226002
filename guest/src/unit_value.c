/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a unit file: words, times, signals. */
#include <ctype.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bytes.h"
#include "unit.h"

bool unit_list_add(struct unit_list *list, const char *text, size_t length) {
    if (list->count >= UNIT_LIST_MOST || length > UNIT_TEXT_MOST) {
        return false;
    }
    char **items = realloc(list->items, (list->count + 2) * sizeof *items);
    char *copy = items ? strndup(text, length) : NULL;
    if (items) {
        list->items = items;
    }
    if (!copy) {
        return false;
    }
    items[list->count++] = copy;
    items[list->count] = NULL;
    return true;
}

bool unit_list_has(const struct unit_list *list, const char *text) {
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i], text) == 0) {
            return true;
        }
    }
    return false;
}

void unit_list_free(struct unit_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i]);
    }
    free(list->items);
    *list = (struct unit_list){0};
}

bool unit_flag(const char *text, bool *flag) {
    static const char *const yes[] = {"1", "yes", "y", "true", "t", "on"}, *const no[] = {"0", "no", "n", "false", "f", "off"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        if (strcasecmp(text, yes[i]) == 0 || strcasecmp(text, no[i]) == 0) {
            *flag = strcasecmp(text, yes[i]) == 0;
            return true;
        }
    }
    return false;
}

static bool time_unit(const char *text, size_t length, double *scale) {
    static const struct { const char *name; double scale; } units[] = {
        {"", 1000}, {"s", 1000}, {"sec", 1000}, {"second", 1000}, {"seconds", 1000}, {"ms", 1}, {"msec", 1}, {"us", 0.001}, {"usec", 0.001},
        {"m", 60000}, {"min", 60000}, {"minute", 60000}, {"minutes", 60000}, {"h", 3600000}, {"hr", 3600000}, {"hour", 3600000},
        {"hours", 3600000}, {"d", 86400000}, {"day", 86400000}, {"days", 86400000}, {"w", 604800000}, {"week", 604800000}, {"weeks", 604800000}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strlen(units[i].name) == length && strncmp(units[i].name, text, length) == 0) {
            *scale = units[i].scale;
            return true;
        }
    }
    return false;
}

bool unit_time(const char *text, int64_t *milliseconds) {
    double sum = 0;
    if (strcmp(text, "infinity") == 0) {
        *milliseconds = UNIT_FOREVER;
        return true;
    }
    if (!*text) {
        return false;
    }
    while (*text) {
        double number = 0, place = 1, scale;
        if (!isdigit((unsigned char)*text)) {
            return false;
        }
        for (int digits = 0; isdigit((unsigned char)*text); text++) {
            if (++digits > 15) {
                return false;
            }
            number = number * 10 + (*text - '0');
        }
        if (*text == '.') {
            for (text++; isdigit((unsigned char)*text); text++) {
                place /= 10;
                number += place * (*text - '0');
            }
        }
        while (*text == ' ') {
            text++;
        }
        size_t length = 0;
        while (isalpha((unsigned char)text[length])) {
            length++;
        }
        if (!time_unit(text, length, &scale)) {
            return false;
        }
        text += length;
        sum += number * scale;
        while (*text == ' ') {
            text++;
        }
    }
    *milliseconds = sum > (double)UNIT_FOREVER ? UNIT_FOREVER : (int64_t)sum;
    return true;
}

int unit_signal(const char *text) {
    char *end;
    long number = strtol(text, &end, 10);
    if (end != text && !*end) {
        return number > 0 && number < NSIG ? (int)number : 0;
    }
    if (strncmp(text, "SIG", 3) == 0) {
        text += 3;
    }
    for (int i = 1; i < 32; i++) {
        const char *name = sigabbrev_np(i);
        if (name && strcmp(name, text) == 0) {
            return i;
        }
    }
    return 0;
}

bool unit_status_in(const struct unit_statuses *statuses, int32_t status) {
    if (status < 0) {
        return status > -64 && statuses->signals >> -status & 1;
    }
    return status < 256 && statuses->codes[status / 8] >> status % 8 & 1;
}

/* One character after a backslash; how many it took. What is no escape stands for itself, with its backslash. */
static size_t unescape(const char *at, struct bytes *word) {
    static const char from[] = "abfnrtvs\\\"';", to[] = "\a\b\f\n\r\t\v \\\"';";
    const char *found = *at ? strchr(from, *at) : NULL;
    if (found) {
        bytes_add(word, &to[found - from], 1);
        return 1;
    }
    int base = *at == 'x' ? 16 : 8;
    size_t digits = *at == 'x' ? 2 : 3, skip = *at == 'x' ? 1 : 0;
    char number[4] = "", *end;
    strncpy(number, at + skip, digits);
    long value = isxdigit((unsigned char)number[0]) ? strtol(number, &end, base) : 0;
    if (value > 0 && value < 256 && !*end && strlen(number) == digits) {
        uint8_t byte = (uint8_t)value;
        bytes_add(word, &byte, 1);
        return skip + digits;
    }
    bytes_add(word, "\\", 1);
    return 0;
}

/* Takes one word. NULL: the quotes are open. */
static const char *take_word(const char *at, struct bytes *word) {
    char quote = 0;
    for (; *at && (quote || !isspace((unsigned char)*at));) {
        if (*at == '\\' && at[1]) {
            at += 1 + unescape(at + 1, word);
        } else if (quote ? *at == quote : *at == '"' || *at == '\'') {
            quote = quote ? 0 : *at;
            at++;
        } else {
            bytes_add(word, at++, 1);
        }
    }
    return quote ? NULL : at;
}

const char *unit_skip_word(const char *at) {
    struct bytes word = {0};
    at = take_word(at, &word);
    bytes_free(&word);
    return at;
}

bool unit_words(const char *text, const struct unit *specifiers, struct unit_list *words) {
    for (const char *at = text;;) {
        while (isspace((unsigned char)*at)) {
            at++;
        }
        if (!*at) {
            return true;
        }
        struct bytes word = {0};
        at = take_word(at, &word);
        bytes_add(&word, "", 1);
        bool added = at && !word.failed;
        if (added) {
            char *expanded = specifiers ? unit_expand((struct unit *)specifiers, (char *)word.data) : NULL;
            const char *ready = specifiers ? expanded : (char *)word.data;
            added = ready && unit_list_add(words, ready, strlen(ready));
            free(expanded);
        }
        bytes_free(&word);
        if (!added) {
            return false;
        }
    }
}
