/* SPDX-License-Identifier: Apache-2.0 */
#include "fields.h"

#include <string.h>

#include "wire.h"

struct fields fields_of(const uint8_t *data, size_t length) {
    return (struct fields){.at = data, .end = length ? data + length : data}; /* a message of empty parts has no data at all */
}

bool field_next(struct fields *fields, struct field *field) {
    size_t left = (size_t)(fields->end - fields->at);
    if (left == 0 || fields->broken) {
        return false;
    }
    if (left < FIELD_HEADER || get_u32(fields->at + 1) > left - FIELD_HEADER) {
        fields->broken = true;
        return false;
    }
    field->tag = fields->at[0];
    field->length = get_u32(fields->at + 1);
    field->data = fields->at + FIELD_HEADER;
    fields->at = field->data + field->length;
    return true;
}

bool field_u8(const struct field *field, uint8_t *value) {
    if (field->length != 1) {
        return false;
    }
    *value = field->data[0];
    return true;
}

bool field_u32(const struct field *field, uint32_t *value) {
    if (field->length != 4) {
        return false;
    }
    *value = get_u32(field->data);
    return true;
}

bool field_u64(const struct field *field, uint64_t *value) {
    if (field->length != 8) {
        return false;
    }
    *value = get_u64(field->data);
    return true;
}

char *field_text(const struct field *field) {
    if (field->length > 0 && memchr(field->data, 0, field->length)) {
        return NULL;
    }
    return strndup((const char *)field->data, field->length);
}

void field_put(struct bytes *bytes, uint8_t tag, const void *data, size_t length) {
    uint8_t header[FIELD_HEADER] = {tag};
    put_u32(header + 1, (uint32_t)length);
    bytes_add(bytes, header, sizeof header);
    bytes_add(bytes, data, length);
}

void field_put_u8(struct bytes *bytes, uint8_t tag, uint8_t value) {
    field_put(bytes, tag, &value, 1);
}

void field_put_u32(struct bytes *bytes, uint8_t tag, uint32_t value) {
    uint8_t raw[4];
    put_u32(raw, value);
    field_put(bytes, tag, raw, sizeof raw);
}

void field_put_u64(struct bytes *bytes, uint8_t tag, uint64_t value) {
    uint8_t raw[8];
    put_u64(raw, value);
    field_put(bytes, tag, raw, sizeof raw);
}

void field_put_text(struct bytes *bytes, uint8_t tag, const char *text) {
    field_put(bytes, tag, text, strlen(text));
}
