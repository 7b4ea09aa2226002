/* SPDX-License-Identifier: Apache-2.0 */
#include "pass.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "flow.h"
#include "process.h"

static struct stream *owner;
static int kept = -1; /* the pipe of an owner that is gone */
static size_t left;

size_t pass_begin(struct stream *stream, size_t most) {
    owner = stream;
    left = stream->waiting < most ? stream->waiting : most;
    stream->passing = true;
    return left;
}

static int pipe_end(void) {
    return owner ? owner->out[0].fd : kept;
}

bool pass_is_on(void) {
    return left > 0;
}

static void end(void) {
    struct stream *stream = owner;
    owner = NULL;
    left = 0;
    if (stream) {
        process_passed(stream);
    } else {
        close(kept);
        kept = -1;
    }
}

static void count(size_t moved) {
    left -= moved;
    if (left == 0) {
        end();
    }
}

ssize_t pass_on(int to) {
    ssize_t moved = splice(pipe_end(), NULL, to, NULL, left, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
    if (moved > 0) {
        count((size_t)moved);
    } else if (moved < 0 && errno == EAGAIN && flow_waiting(pipe_end()) == 0) {
        errno = ENODATA; /* somebody else took the bytes: no event would come */
    }
    return moved;
}

size_t pass_take(uint8_t *data, size_t most) {
    size_t length = left < most ? left : most;
    ssize_t got = read(pipe_end(), data, length);
    if (got <= 0) {
        memset(data, 0, length); /* they are gone, but the frame must be whole */
        got = (ssize_t)length;
    }
    count((size_t)got);
    return (size_t)got;
}

void pass_keep(struct stream *stream) {
    if (left > 0 && owner == stream) {
        source_want(&stream->out[0], 0);
        kept = stream->out[0].fd;
        stream->out[0].fd = -1;
        owner = NULL;
    }
}

void pass_forget(void) {
    if (left > 0) {
        end();
    }
}
