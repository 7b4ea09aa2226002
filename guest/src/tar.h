/* SPDX-License-Identifier: Apache-2.0 */
/* Tar archives: ustar with pax records; GNU long names are read too. */
#ifndef TAR_H
#define TAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"

#define TAR_BLOCK 512
#define TAR_NAME_MOST 32768
#define TAR_PAX_MOST (1u << 20)
#define TAR_XATTR_PREFIX "SCHILY.xattr."

struct tar_header {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100];
    char magic[6], version[2], owner[32], group[32], major[8], minor[8], prefix[155], pad[12];
};
_Static_assert(sizeof(struct tar_header) == TAR_BLOCK, "a header is one block");

struct tar_entry {
    char type;
    char *name, *link; /* owned */
    uint32_t mode;
    uint64_t uid, gid, size;
    int64_t seconds;
    uint32_t nanoseconds;
    struct bytes attributes; /* fields: 1 name, 2 value, in turns */
};

void tar_entry_free(struct tar_entry *entry);

/* Octal, or base 256 with the first bit set. False when it is neither or does not fit. */
bool tar_number(const char *text, size_t size, uint64_t *value);
bool tar_is_sound(const struct tar_header *header); /* its checksum */
bool tar_is_zero(const struct tar_header *header);
/* What the header says; replaces what is in the entry. False when a number is none. */
bool tar_read_header(const struct tar_header *header, struct tar_entry *entry);
/* Puts pax records over the entry. False when they are malformed, or ask for what is not known to be safe to leave out. */
bool tar_read_pax(const char *data, size_t length, struct tar_entry *entry);
/* Makes a name relative and plain: no empty, `.` or trailing parts. False: it is absolute, has `..`, or is too long. */
bool tar_clean_name(char *name);

/* Header and, where needed, pax records of an entry. */
void tar_write_entry(const struct tar_entry *entry, const char *owner, const char *group, struct bytes *out);
void tar_pad(struct bytes *out);

/* For MOVE between filesystems. */
void pack_path(const char *path, bool content_only);
void unpack_into(const char *path, bool keep_ids, uint64_t *entries, uint64_t *bytes);

#endif
