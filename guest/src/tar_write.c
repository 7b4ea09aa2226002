/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fields.h"
#include "tar.h"

static void pax_add(struct bytes *pax, const char *key, const void *value, size_t length) {
    size_t rest = 1 + strlen(key) + 1 + length + 1, size = rest + 1;
    char digits[24];
    for (;;) { /* the length counts its own digits */
        int count = snprintf(digits, sizeof digits, "%zu", size);
        if (rest + (size_t)count == size) {
            break;
        }
        size = rest + (size_t)count;
    }
    bytes_add(pax, digits, strlen(digits));
    bytes_add(pax, " ", 1);
    bytes_add(pax, key, strlen(key));
    bytes_add(pax, "=", 1);
    bytes_add(pax, value, length);
    bytes_add(pax, "\n", 1);
}

static void pax_add_number(struct bytes *pax, const char *key, uint64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    pax_add(pax, key, text, strlen(text));
}

/* An octal number with room for its NUL; one that does not fit goes into the pax records. */
static void put_octal(char *to, size_t size, uint64_t value, struct bytes *pax, const char *key) {
    if (value >> 3 * (size - 1)) {
        pax_add_number(pax, key, value);
        value = 0;
    }
    snprintf(to, size, "%0*" PRIo64, (int)size - 1, value);
}

static void put_name(struct tar_header *header, const char *name, struct bytes *pax) {
    size_t length = strlen(name);
    if (length <= sizeof header->name) {
        memcpy(header->name, name, length);
        return;
    }
    for (size_t at = length - sizeof header->name - 1; at <= sizeof header->prefix && at < length - 1; at++) {
        if (name[at] == '/' && at > 0) {
            memcpy(header->prefix, name, at);
            memcpy(header->name, name + at + 1, length - at - 1);
            return;
        }
    }
    memcpy(header->name, name + length - sizeof header->name, sizeof header->name);
    pax_add(pax, "path", name, length);
}

static void put_time(struct tar_header *header, const struct tar_entry *entry, struct bytes *pax) {
    char text[48];
    bool plain = entry->seconds >= 0 && entry->seconds >> 33 == 0 && entry->nanoseconds == 0;
    if (!plain) {
        int64_t seconds = entry->seconds;
        uint32_t nanoseconds = entry->nanoseconds;
        bool negative = seconds < 0;
        if (negative && nanoseconds > 0) {
            seconds++;
            nanoseconds = 1000000000 - nanoseconds;
        }
        snprintf(text, sizeof text, "%s%" PRIu64 ".%09u", negative ? "-" : "",
                 (uint64_t)(negative ? -seconds : seconds), nanoseconds);
        pax_add(pax, "mtime", text, strlen(text));
    }
    uint64_t shown = entry->seconds >= 0 && entry->seconds >> 33 == 0 ? (uint64_t)entry->seconds : 0;
    snprintf(header->mtime, sizeof header->mtime, "%011" PRIo64, shown);
}

static void put_attributes(const struct bytes *attributes, struct bytes *pax) {
    struct fields fields = fields_of(attributes->data, bytes_length(attributes));
    struct field name, value;
    while (field_next(&fields, &name) && field_next(&fields, &value)) {
        char key[512];
        snprintf(key, sizeof key, TAR_XATTR_PREFIX "%.*s", (int)(name.length < 400 ? name.length : 400), (const char *)name.data);
        pax_add(pax, key, value.data, value.length);
    }
}

static void finish(struct tar_header *header, struct bytes *out) {
    unsigned sum = 0;
    memcpy(header->magic, "ustar", 6);
    memcpy(header->version, "00", 2);
    memset(header->checksum, ' ', sizeof header->checksum);
    for (size_t i = 0; i < TAR_BLOCK; i++) {
        sum += ((const uint8_t *)header)[i];
    }
    snprintf(header->checksum, 7, "%06o", sum);
    bytes_add(out, header, TAR_BLOCK);
}

void tar_pad(struct bytes *out) {
    static const uint8_t zero[TAR_BLOCK];
    bytes_add(out, zero, (TAR_BLOCK - bytes_length(out) % TAR_BLOCK) % TAR_BLOCK);
}

void tar_write_entry(const struct tar_entry *entry, const char *owner, const char *group, struct bytes *out) {
    struct tar_header header = {.type = entry->type};
    struct bytes pax = {0};
    put_name(&header, entry->name, &pax);
    if (entry->link) {
        size_t length = strlen(entry->link);
        memcpy(header.link, entry->link, length < sizeof header.link ? length : sizeof header.link);
        if (length > sizeof header.link) {
            pax_add(&pax, "linkpath", entry->link, length);
        }
    }
    snprintf(header.mode, sizeof header.mode, "%07o", entry->mode & 07777);
    put_octal(header.uid, sizeof header.uid, entry->uid, &pax, "uid");
    put_octal(header.gid, sizeof header.gid, entry->gid, &pax, "gid");
    put_octal(header.size, sizeof header.size, entry->size, &pax, "size");
    put_time(&header, entry, &pax);
    snprintf(header.owner, sizeof header.owner, "%.31s", owner ? owner : "");
    snprintf(header.group, sizeof header.group, "%.31s", group ? group : "");
    put_attributes(&entry->attributes, &pax);
    if (bytes_length(&pax) > 0) {
        struct tar_header extra = {.name = "PaxHeader", .mode = "0000644", .uid = "0000000", .gid = "0000000", .type = 'x'};
        snprintf(extra.size, sizeof extra.size, "%011o", (unsigned)bytes_length(&pax));
        snprintf(extra.mtime, sizeof extra.mtime, "%011o", 0u);
        finish(&extra, out);
        bytes_add(out, pax.data, bytes_length(&pax));
        tar_pad(out);
    }
    out->failed |= pax.failed;
    bytes_free(&pax);
    finish(&header, out);
}
