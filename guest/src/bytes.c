/* SPDX-License-Identifier: Apache-2.0 */
#include "bytes.h"

#include <stdlib.h>
#include <string.h>

void bytes_add(struct bytes *bytes, const void *data, size_t length) {
    if (bytes->failed || length == 0) {
        return;
    }
    if (bytes->end + length > bytes->capacity && bytes->start > 0 &&
        bytes->start >= bytes_length(bytes)) { /* else moving costs more than it frees */
        memmove(bytes->data, bytes->data + bytes->start, bytes_length(bytes));
        bytes->end -= bytes->start;
        bytes->start = 0;
    }
    if (bytes->end + length > bytes->capacity) {
        size_t capacity = bytes->capacity ? bytes->capacity : 256;
        while (capacity < bytes->end + length) {
            capacity *= 2;
        }
        uint8_t *grown = realloc(bytes->data, capacity);
        if (!grown) {
            bytes->failed = true;
            return;
        }
        bytes->data = grown;
        bytes->capacity = capacity;
    }
    memcpy(bytes->data + bytes->end, data, length);
    bytes->end += length;
}

void bytes_take(struct bytes *bytes, size_t length) {
    bytes->start += length;
    if (bytes->start == bytes->end) {
        bytes->start = bytes->end = 0;
    }
}

void bytes_free(struct bytes *bytes) {
    free(bytes->data);
    *bytes = (struct bytes){0};
}
