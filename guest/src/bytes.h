/* SPDX-License-Identifier: Apache-2.0 */
/* A growing byte buffer. A failed allocation sticks in `failed`, so that a message is built without a check per field. */
#ifndef BYTES_H
#define BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
    uint8_t *data;
    size_t start; /* bytes before it were taken from the front */
    size_t end;
    size_t capacity;
    bool failed;
};

static inline size_t bytes_length(const struct bytes *bytes) {
    return bytes->end - bytes->start;
}

void bytes_add(struct bytes *bytes, const void *data, size_t length);
/* Takes from the front; an empty buffer starts over. */
void bytes_take(struct bytes *bytes, size_t length);
void bytes_free(struct bytes *bytes);

#endif
