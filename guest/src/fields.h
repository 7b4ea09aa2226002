/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of fields: `u8 tag, u32 length, bytes`. */
#ifndef FIELDS_H
#define FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"

#define FIELD_HEADER 5

struct field {
    uint8_t tag;
    uint32_t length;
    const uint8_t *data;
};

struct fields {
    const uint8_t *at;
    const uint8_t *end;
    bool broken; /* a field reaches over the end */
};

struct fields fields_of(const uint8_t *data, size_t length);
/* False at the end and when broken. */
bool field_next(struct fields *fields, struct field *field);

/* Each is false when the field has another size. */
bool field_u8(const struct field *field, uint8_t *value);
bool field_u32(const struct field *field, uint32_t *value);
bool field_u64(const struct field *field, uint64_t *value);
/* A copy with a NUL at its end, to be freed; NULL when there is a NUL inside, or no memory. */
char *field_text(const struct field *field);

void field_put(struct bytes *bytes, uint8_t tag, const void *data, size_t length);
void field_put_u8(struct bytes *bytes, uint8_t tag, uint8_t value);
void field_put_u32(struct bytes *bytes, uint8_t tag, uint32_t value);
void field_put_u64(struct bytes *bytes, uint8_t tag, uint64_t value);
void field_put_text(struct bytes *bytes, uint8_t tag, const char *text);

#endif
