/* SPDX-License-Identifier: Apache-2.0 */
#include "ring.h"

#include <stdlib.h>
#include <string.h>

#include "wire.h"

/* Output that changes kind more often than this many bytes keeps less of its tail, so that runs stay bounded too. */
#define BYTES_PER_RUN 16

void ring_init(struct ring *ring, uint32_t limit) {
    *ring = (struct ring){.limit = limit < RING_MINIMUM ? RING_MINIMUM : limit};
}

void ring_free(struct ring *ring) {
    free(ring->data);
    free(ring->runs);
    ring->data = NULL;
    ring->runs = NULL;
    ring->size = ring->run_size = ring->run_first = ring->run_count = 0;
    ring->start = ring->end;
}

size_t ring_weight(const struct ring *ring) {
    return ring->size + ring->run_size * sizeof *ring->runs;
}

static uint64_t run_at(const struct ring *ring, uint32_t index) {
    return ring->runs[(ring->run_first + index) % ring->run_size];
}

static uint32_t run_limit(const struct ring *ring) {
    return ring->limit / BYTES_PER_RUN;
}

size_t ring_room(const struct ring *ring, uint64_t keep) {
    if (keep < ring->start) {
        keep = ring->start;
    }
    if (ring->run_count >= run_limit(ring) && run_at(ring, 0) >> 1 > keep) {
        return 0;
    }
    uint64_t held = ring->end - keep;
    return held >= ring->limit ? 0 : ring->limit - (size_t)held;
}

static void drop_before(struct ring *ring, uint64_t offset) {
    ring->start = offset;
    while (ring->run_count > 0 && run_at(ring, 0) >> 1 <= offset) {
        ring->run_first = (ring->run_first + 1) % ring->run_size;
        ring->run_count--;
    }
}

/* Moves bytes between a ring's data and a flat buffer or another size of ring, at most up to the wrap. */
static void copy_in(uint8_t *data, uint32_t size, uint64_t offset, const uint8_t *from, size_t length) {
    while (length > 0) {
        size_t at = (size_t)(offset % size);
        size_t part = size - at < length ? size - at : length;
        memcpy(data + at, from, part);
        from += part;
        offset += part;
        length -= part;
    }
}

static void grow_data(struct ring *ring, size_t wanted) {
    uint32_t size = ring->size ? ring->size : RING_MINIMUM;
    while (size < wanted && size < ring->limit) {
        size = size * 2 > ring->limit ? ring->limit : size * 2;
    }
    if (size == ring->size) {
        return;
    }
    uint8_t *data = malloc(size);
    if (!data) {
        return; /* goes on with what it has */
    }
    for (uint64_t offset = ring->start; offset < ring->end;) {
        size_t at = (size_t)(offset % ring->size);
        size_t part = ring->size - at;
        if (part > ring->end - offset) {
            part = (size_t)(ring->end - offset);
        }
        copy_in(data, size, offset, ring->data + at, part);
        offset += part;
    }
    free(ring->data);
    ring->data = data;
    ring->size = size;
}

static bool grow_runs(struct ring *ring) {
    uint32_t size = ring->run_size ? ring->run_size * 2 : 16;
    if (size > run_limit(ring)) {
        size = run_limit(ring);
    }
    if (size == ring->run_size) {
        return false;
    }
    uint64_t *runs = malloc(size * sizeof *runs);
    if (!runs) {
        return false;
    }
    for (uint32_t i = 0; i < ring->run_count; i++) {
        runs[i] = run_at(ring, i);
    }
    free(ring->runs);
    ring->runs = runs;
    ring->run_size = size;
    ring->run_first = 0;
    return true;
}

/* Makes the last run one of this kind. False only when there is no memory at all. */
static bool open_run(struct ring *ring, uint64_t kind_bit) {
    if (ring->run_count > 0 && (run_at(ring, ring->run_count - 1) & 1) == kind_bit) {
        return true;
    }
    if (ring->run_count == ring->run_size && !grow_runs(ring)) {
        if (ring->run_count == 0) {
            return false;
        }
        drop_before(ring, run_at(ring, 0) >> 1);
    }
    ring->runs[(ring->run_first + ring->run_count++) % ring->run_size] = ring->end << 1 | kind_bit;
    return true;
}

void ring_skip(struct ring *ring, size_t length) {
    drop_before(ring, ring->end);
    ring->start = ring->end += length;
}

void ring_add(struct ring *ring, uint8_t kind, const uint8_t *data, size_t length) {
    if (length == 0) {
        return;
    }
    size_t wanted = (size_t)(ring->end - ring->start) + length;
    if (wanted > ring->size) {
        grow_data(ring, wanted);
    }
    uint64_t kind_bit = kind == KIND_ERR;
    if (ring->size == 0 || !open_run(ring, kind_bit)) {
        ring_skip(ring, length); /* no memory: counted, but lost */
        return;
    }
    if (length > ring->size) {
        ring->end += length - ring->size;
        data += length - ring->size;
        length = ring->size;
    }
    uint64_t end = ring->end + length;
    /* The new run is longer first, so that dropping what it replaces cannot drop it too. */
    ring->runs[(ring->run_first + ring->run_count - 1) % ring->run_size] = end << 1 | kind_bit;
    if (end - ring->start > ring->size) {
        drop_before(ring, end - ring->size);
    }
    copy_in(ring->data, ring->size, ring->end, data, length);
    ring->end = end;
}

size_t ring_run(const struct ring *ring, uint64_t offset, uint8_t *kind) {
    if (offset >= ring->end) {
        return 0;
    }
    uint32_t low = 0, high = ring->run_count - 1; /* the first run that ends after offset */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (run_at(ring, middle) >> 1 > offset) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    uint64_t run = run_at(ring, low);
    *kind = run & 1 ? KIND_ERR : KIND_OUT;
    return (size_t)((run >> 1) - offset);
}

size_t ring_copy(const struct ring *ring, uint64_t offset, uint8_t *to, size_t most, uint8_t *kind) {
    size_t length = ring_run(ring, offset, kind);
    if (length > most) {
        length = most;
    }
    for (size_t done = 0; done < length;) {
        size_t at = (size_t)((offset + done) % ring->size);
        size_t part = ring->size - at < length - done ? ring->size - at : length - done;
        memcpy(to + done, ring->data + at, part);
        done += part;
    }
    return length;
}
