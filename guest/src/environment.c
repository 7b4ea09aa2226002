/* SPDX-License-Identifier: Apache-2.0 */
#include "environment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct list {
    char **entries;
    size_t count;
    bool full;
};

static void put(struct list *list, char *entry) {
    size_t key = (size_t)(strchrnul(entry, '=') - entry);
    for (size_t i = 0; i < list->count; i++) {
        if (strncmp(list->entries[i], entry, key) == 0 && list->entries[i][key] == '=') {
            list->entries[i] = entry;
            return;
        }
    }
    if (list->count == ENVIRONMENT_ENTRIES) {
        list->full = true;
        return;
    }
    list->entries[list->count++] = entry;
}

static void put_pair(struct list *list, const char *key, const char *value) {
    char *entry;
    if (asprintf(&entry, "%s=%s", key, value) < 0) {
        list->full = true;
        return;
    }
    put(list, entry);
}

static void put_all(struct list *list, const struct bytes *texts) {
    char *at = (char *)texts->data + texts->start, *end = (char *)texts->data + texts->end;
    while (at < end) {
        put(list, at);
        at += strlen(at) + 1;
    }
}

char **environment_build(const struct identity *identity, bool pty, const struct bytes *settings, const struct bytes *request) {
    struct list list = {.entries = calloc(ENVIRONMENT_ENTRIES + 1, sizeof(char *))};
    if (!list.entries) {
        return NULL;
    }
    put_pair(&list, "PATH", DEFAULT_PATH);
    put_pair(&list, "HOME", identity->home);
    put_pair(&list, "USER", identity->name);
    put_pair(&list, "LOGNAME", identity->name);
    put_pair(&list, "SHELL", identity->shell);
    if (pty) {
        put_pair(&list, "TERM", "xterm-256color");
    }
    put_all(&list, settings);
    put_all(&list, request);
    if (list.full) {
        errno = E2BIG;
        return NULL;
    }
    return list.entries;
}

const char *environment_value(char *const *environment, const char *name) {
    size_t length = strlen(name);
    for (; *environment; environment++) {
        if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=') {
            return *environment + length + 1;
        }
    }
    return NULL;
}
