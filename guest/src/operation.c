/* SPDX-License-Identifier: Apache-2.0 */
#include "operation.h"

#include <errno.h>

#include "process.h"
#include "settings.h"
#include "worker.h"

#define KEEP 524288u
#define INPUT_WINDOW 524288u

void operation_start(struct stream *stream, const uint8_t *data, size_t length) {
    struct file_request request = {0};
    const char *wrong = file_request_parse(&request, data, length);
    ring_init(&stream->ring, KEEP);
    stream->attached = true;
    if (wrong) {
        stream_fail(stream, EINVAL, "%s", wrong);
    } else {
        bool input = request.operation == FILE_WRITE || request.operation == FILE_UNPACK;
        struct spawn spawn = {
            .user = file_request_mounts(&request) || !request.user ? "root" : request.user,
            .mounts = file_request_mounts(&request),
            .input = input,
            .bulk = input || request.operation == FILE_READ || request.operation == FILE_PACK,
            .work = worker_run,
            .context = &request};
        /* Under gVisor, where memory is shared, a call costs more than a copy. */
        stream->direct = request.operation == FILE_READ && !settings.share_memory;
        if (process_start(stream, &spawn) && input) {
            stream->input_window = INPUT_WINDOW; /* files come faster with more under way */
            stream->grant = INPUT_WINDOW - WIRE_INPUT_CREDIT;
            stream_update(stream);
        }
    }
    file_request_free(&request);
}
