/* SPDX-License-Identifier: Apache-2.0 */
/* The kept tail of a stream's output: bytes numbered by offset, each run of them of one kind. */
#ifndef RING_H
#define RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring {
    uint8_t *data;
    uint64_t *runs; /* offset after the run << 1 | kind is standard error */
    uint64_t start; /* offset of the oldest kept byte */
    uint64_t end;   /* offset after the newest */
    uint32_t size;  /* of data; grows from 4 KiB to limit */
    uint32_t limit;
    uint32_t run_size, run_first, run_count;
};

#define RING_MINIMUM 4096u

void ring_init(struct ring *ring, uint32_t limit);
void ring_free(struct ring *ring);
/* How many bytes can be added without losing one at or after `keep`. */
size_t ring_room(const struct ring *ring, uint64_t keep);
/* Adds bytes; the oldest go when there is no room. */
void ring_add(struct ring *ring, uint8_t kind, const uint8_t *data, size_t length);
/* Counts bytes that are not kept, and lets go of those that are. */
void ring_skip(struct ring *ring, size_t length);
/* Copies at most `most` bytes of one kind from `offset`, which must be kept or the end. */
size_t ring_copy(const struct ring *ring, uint64_t offset, uint8_t *to, size_t most, uint8_t *kind);
/* The bytes of one kind that follow `offset`, and that kind. */
size_t ring_run(const struct ring *ring, uint64_t offset, uint8_t *kind);
/* Memory held. */
size_t ring_weight(const struct ring *ring);

#endif
