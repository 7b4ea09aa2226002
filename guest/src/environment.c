/* SPDX-License-Identifier: Apache-2.0 */
#include "environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct list {
    const char *entries[ENVIRONMENT_ENTRIES];
    size_t count;
    bool full;
};

static void put(struct list *list, const char *entry) {
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

static void put_all(struct list *list, const struct bytes *texts) {
    const char *at = (const char *)texts->data + texts->start, *end = (const char *)texts->data + texts->end;
    while (at < end) {
        put(list, at);
        at += strlen(at) + 1;
    }
}

static void add_pair(struct bytes *texts, const char *key, const char *value) {
    bytes_add(texts, key, strlen(key));
    bytes_add(texts, "=", 1);
    bytes_add(texts, value, strlen(value) + 1);
}

static char **copy(const struct list *list) {
    size_t pointers = (list->count + 1) * sizeof(char *), size = pointers;
    for (size_t i = 0; i < list->count; i++) {
        size += strlen(list->entries[i]) + 1;
    }
    char **entries = malloc(size);
    if (!entries) {
        return NULL;
    }
    char *at = (char *)entries + pointers;
    for (size_t i = 0; i < list->count; i++) {
        entries[i] = at;
        at = stpcpy(at, list->entries[i]) + 1;
    }
    entries[list->count] = NULL;
    return entries;
}

char **environment_build(const struct identity *identity, bool pty, const struct bytes *settings, const struct bytes *request) {
    static struct list list;
    struct bytes user = {0};
    add_pair(&user, "PATH", DEFAULT_PATH);
    add_pair(&user, "HOME", identity->home);
    add_pair(&user, "USER", identity->name);
    add_pair(&user, "LOGNAME", identity->name);
    add_pair(&user, "SHELL", identity->shell);
    if (pty) {
        add_pair(&user, "TERM", "xterm-256color");
    }
    list.count = 0;
    list.full = false;
    put_all(&list, &user);
    put_all(&list, settings);
    put_all(&list, request);
    char **entries = user.failed || list.full ? NULL : copy(&list);
    bytes_free(&user);
    if (!entries) {
        errno = list.full ? E2BIG : ENOMEM;
    }
    return entries;
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
