/* SPDX-License-Identifier: Apache-2.0 */
#include "tar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"

void tar_entry_free(struct tar_entry *entry) {
    free(entry->name);
    free(entry->link);
    bytes_free(&entry->attributes);
    *entry = (struct tar_entry){0};
}

bool tar_number(const char *text, size_t size, uint64_t *value) {
    const uint8_t *raw = (const uint8_t *)text;
    *value = 0;
    if (raw[0] & 0x80) {
        if (raw[0] != 0x80) {
            return false; /* negative, or over 64 bits */
        }
        for (size_t i = 1; i < size; i++) {
            if (*value >> 56) {
                return false;
            }
            *value = *value << 8 | raw[i];
        }
        return true;
    }
    size_t i = 0;
    while (i < size && text[i] == ' ') {
        i++;
    }
    for (; i < size && text[i] >= '0' && text[i] <= '7'; i++) {
        *value = *value << 3 | (uint64_t)(text[i] - '0');
    }
    return i == size || text[i] == 0 || text[i] == ' ';
}

/* A time may lie before 1970: then GNU writes it in two's complement. */
static bool header_time(const struct tar_header *header, int64_t *seconds) {
    const uint8_t *raw = (const uint8_t *)header->mtime;
    uint64_t value;
    if (raw[0] == 0xff) {
        value = UINT64_MAX;
        for (size_t i = 1; i < sizeof header->mtime; i++) {
            if (value >> 56 != 0xff) {
                return false;
            }
            value = value << 8 | raw[i];
        }
        *seconds = (int64_t)value;
        return *seconds < 0;
    }
    if (!tar_number(header->mtime, sizeof header->mtime, &value) || value > INT64_MAX) {
        return false;
    }
    *seconds = (int64_t)value;
    return true;
}

static unsigned checksum(const struct tar_header *header) {
    const uint8_t *raw = (const uint8_t *)header;
    unsigned sum = 0;
    for (size_t i = 0; i < TAR_BLOCK; i++) {
        bool own = i >= offsetof(struct tar_header, checksum) && i < offsetof(struct tar_header, type);
        sum += own ? ' ' : raw[i];
    }
    return sum;
}

bool tar_is_sound(const struct tar_header *header) {
    uint64_t stored;
    return tar_number(header->checksum, sizeof header->checksum, &stored) && stored == checksum(header);
}

bool tar_is_zero(const struct tar_header *header) {
    static const uint8_t zero[TAR_BLOCK];
    return memcmp(header, zero, TAR_BLOCK) == 0;
}

static char *header_name(const struct tar_header *header) {
    char *name;
    bool ustar = memcmp(header->magic, "ustar", 6) == 0; /* GNU's "ustar  " has something else in place of the prefix */
    int length = ustar && header->prefix[0]
                     ? asprintf(&name, "%.155s/%.100s", header->prefix, header->name)
                     : asprintf(&name, "%.100s", header->name);
    return length < 0 ? NULL : name;
}

bool tar_read_header(const struct tar_header *header, struct tar_entry *entry) {
    uint64_t mode;
    tar_entry_free(entry);
    if (!tar_number(header->mode, sizeof header->mode, &mode) || !tar_number(header->uid, sizeof header->uid, &entry->uid) ||
        !tar_number(header->gid, sizeof header->gid, &entry->gid) ||
        !tar_number(header->size, sizeof header->size, &entry->size) ||
        !header_time(header, &entry->seconds)) {
        return false;
    }
    entry->type = header->type ? header->type : '0';
    entry->mode = (uint32_t)mode & 07777;
    entry->name = header_name(header);
    entry->link = strndup(header->link, sizeof header->link);
    return entry->name && entry->link;
}

static bool decimal(const char *text, uint64_t *value) {
    char *end;
    if (*text < '0' || *text > '9' || strlen(text) > 19) {
        return false;
    }
    *value = strtoull(text, &end, 10);
    return *end == 0;
}

/* `[-]seconds[.fraction]`; a fraction of a negative time goes towards the past. */
static bool pax_time(const char *text, struct tar_entry *entry) {
    bool negative = *text == '-';
    char whole[24];
    const char *from = text + negative, *dot = strchrnul(from, '.');
    size_t length = (size_t)(dot - from);
    uint64_t seconds;
    if (length >= sizeof whole) {
        return false;
    }
    memcpy(whole, from, length);
    whole[length] = 0;
    if (!decimal(whole, &seconds) || seconds > INT64_MAX / 2) {
        return false;
    }
    uint32_t nanoseconds = 0, unit = 100000000;
    for (const char *at = *dot ? dot + 1 : dot; *at; at++, unit /= 10) {
        if (*at < '0' || *at > '9') {
            return false;
        }
        nanoseconds += unit * (uint32_t)(*at - '0');
    }
    entry->seconds = negative ? -(int64_t)seconds : (int64_t)seconds;
    entry->nanoseconds = nanoseconds;
    if (negative && nanoseconds > 0) {
        entry->seconds--;
        entry->nanoseconds = 1000000000 - nanoseconds;
    }
    return true;
}

static bool set_name(char **name, const char *value) {
    free(*name);
    *name = strdup(value);
    return *name != NULL;
}

static bool pax_record(const char *key, const char *value, size_t length, struct tar_entry *entry) {
    if (strncmp(key, TAR_XATTR_PREFIX, strlen(TAR_XATTR_PREFIX)) == 0) {
        field_put_text(&entry->attributes, 1, key + strlen(TAR_XATTR_PREFIX));
        field_put(&entry->attributes, 2, value, length);
        return !entry->attributes.failed;
    }
    if (strlen(value) != length) {
        return false; /* a NUL inside */
    }
    if (strcmp(key, "path") == 0) {
        return length > 0 && set_name(&entry->name, value);
    }
    if (strcmp(key, "linkpath") == 0) {
        return set_name(&entry->link, value);
    }
    if (strcmp(key, "size") == 0) {
        return decimal(value, &entry->size);
    }
    if (strcmp(key, "uid") == 0) {
        return decimal(value, &entry->uid);
    }
    if (strcmp(key, "gid") == 0) {
        return decimal(value, &entry->gid);
    }
    if (strcmp(key, "mtime") == 0) {
        pax_time(value, entry); /* one that makes no sense (Python writes 5e-09) leaves the header's */
        return true;
    }
    return strncmp(key, "GNU.sparse.", 11) != 0; /* others change nothing that matters */
}

bool tar_read_pax(const char *data, size_t length, struct tar_entry *entry) {
    while (length > 0) {
        size_t digits = 0, size = 0;
        while (digits < length && digits < 8 && data[digits] >= '0' && data[digits] <= '9') {
            size = size * 10 + (size_t)(data[digits++] - '0');
        }
        if (digits == 0 || digits == length || data[digits] != ' ' || size <= digits + 3 || size > length ||
            data[size - 1] != '\n') {
            return false;
        }
        const char *key = data + digits + 1;
        const char *equals = memchr(key, '=', size - digits - 2);
        if (!equals) {
            return false;
        }
        char *own_key = strndup(key, (size_t)(equals - key));
        size_t value_length = (size_t)(data + size - 1 - (equals + 1));
        char *value = malloc(value_length + 1);
        bool sound = own_key && value;
        if (sound) {
            memcpy(value, equals + 1, value_length);
            value[value_length] = 0;
            sound = pax_record(own_key, value, value_length, entry);
        }
        free(own_key);
        free(value);
        if (!sound) {
            return false;
        }
        data += size;
        length -= size;
    }
    return true;
}

bool tar_clean_name(char *name) {
    if (*name == '/' || strlen(name) > TAR_NAME_MOST) {
        return false;
    }
    char *to = name;
    for (const char *from = name; *from;) {
        const char *end = strchrnul(from, '/');
        size_t length = (size_t)(end - from);
        if (length > 255 || (length == 2 && from[0] == '.' && from[1] == '.')) {
            return false;
        }
        if (length > 0 && !(length == 1 && from[0] == '.')) {
            if (to > name) {
                *to++ = '/';
            }
            memmove(to, from, length);
            to += length;
        }
        from = *end ? end + 1 : end;
    }
    *to = 0;
    return true;
}
