/* SPDX-License-Identifier: Apache-2.0 */
#include "dispatch.h"

#include <errno.h>
#include <string.h>

#include "command.h"
#include "connect.h"
#include "flow.h"
#include "link.h"
#include "log.h"
#include "message.h"
#include "operation.h"
#include "process.h"
#include "service.h"
#include "settings.h"
#include "shutdown.h"

static bool greeted; /* before the first HELLO nothing else is listened to */

static void forget_daemon(void) {
    for (struct stream *next, *stream = stream_first; stream; stream = next) {
        next = stream->all.next;
        if (stream->error || stream->kind == STREAM_CONNECTION || stream->kind == STREAM_SERVICE) {
            stream_free(stream);
        } else if (stream->kind == STREAM_FILE) {
            stream_use(); /* until now, as far as anybody knows */
            process_cancel(stream);
        } else {
            stream->say_started = stream->say_extent = false;
            stream->credit = 0;
            stream->grant = 0; /* COMMAND tells what it takes now */
            command_detach(stream);
        }
    }
}

static bool hello(const struct message *message) {
    size_t fixed = WIRE_MAGIC_SIZE + WIRE_NONCE_SIZE;
    forget_daemon();
    link_forget_frames();
    settings.frame_most = WIRE_FRAME; /* another daemon, which may take less */
    settings.services = false;        /* and may not know of them */
    if (!settings_apply(message->data + fixed, message->length - fixed)) {
        log_line("HELLO: settings are malformed and left out");
    }
    greeted = true;
    link_welcome(message->data + WIRE_MAGIC_SIZE);
    return true;
}

static void request(const struct message *message) {
    if (stream_find(message->stream)) {
        log_line("stream %u is open already: request ignored", message->stream);
        return;
    }
    if (shutdown_is_on()) {
        link_refuse(message->stream, ESHUTDOWN, "the sandbox is shutting down");
        return;
    }
    enum stream_kind kind = message->type == START            ? STREAM_COMMAND
                            : message->type == FILE_OPERATION ? STREAM_FILE
                            : message->type == SERVICE        ? STREAM_SERVICE
                                                              : STREAM_CONNECTION;
    struct stream *stream = stream_new(message->stream, kind, 0);
    if (!stream) {
        link_refuse(message->stream, errno, errno == EAGAIN ? "too many open streams" : "no memory");
    } else if (kind == STREAM_COMMAND) {
        command_start(stream, message->data, message->length);
    } else if (kind == STREAM_FILE) {
        operation_start(stream, message->data, message->length);
    } else if (kind == STREAM_SERVICE) {
        service_request(stream, message->data, message->length);
    } else if (message->length == 2) {
        connect_start(stream, get_u16(message->data));
    } else {
        stream_fail(stream, EINVAL, "CONNECT: malformed");
    }
}

static void add_credit(struct stream *stream, uint32_t credit) {
    stream->credit += credit; /* 64 bits: 2^32 of these would be needed */
    stream_update(stream);
}

static void close_stream(struct stream *stream) {
    if (stream->error || stream->kind == STREAM_CONNECTION || stream->kind == STREAM_SERVICE) {
        stream_free(stream);
    } else if (stream->kind == STREAM_FILE) {
        process_cancel(stream);
    } else if (stream->over) {
        process_forget(stream);
    }
}

static bool for_command(struct stream *stream, const struct message *message) {
    const uint8_t *data = message->data;
    if (stream->kind != STREAM_COMMAND || stream->error) {
        return true; /* it may have ended on the way here */
    }
    switch (message->type) {
        case SIGNAL:
            if (message->length != 1) {
                return false;
            }
            command_signal(stream, data[0]);
            return true;
        case RESIZE:
            if (message->length != 4) {
                return false;
            }
            command_resize(stream, get_u16(data), get_u16(data + 2));
            return true;
        case ATTACH:
            if (message->length != 12) {
                return false;
            }
            command_attach(stream, get_u64(data), get_u32(data + 8));
            return true;
        case DETACH:
            command_detach(stream);
            return true;
        case QUERY:
            stream->say_extent = true;
            stream_update(stream);
            return true;
        default:
            return true;
    }
}

static bool for_stream(const struct message *message) {
    struct stream *stream = stream_find(message->stream);
    if (!stream) {
        return true; /* over already, the daemon does not know yet */
    }
    stream_use();
    if (message->type != DATA) {
        flow_push_now(stream); /* what was sent before comes before */
    }
    switch (message->type) {
        case DATA:
            flow_input(stream, message->data, message->length);
            return true;
        case END:
            flow_input_end(stream);
            return true;
        case CREDIT:
            if (message->length != 4) {
                return false;
            }
            add_credit(stream, get_u32(message->data));
            return true;
        case CLOSE:
            close_stream(stream);
            return true;
        default:
            return for_command(stream, message);
    }
}

static bool act(const struct message *message) {
    switch (message->type) {
        case HELLO:
            return hello(message);
        case START:
        case FILE_OPERATION:
        case CONNECT:
        case SERVICE:
            request(message);
            return true;
        case PING:
            link_pong(message->data, message->length);
            return message->length <= 64;
        case SETTINGS:
            if (!settings_apply(message->data, message->length)) {
                log_line("SETTINGS: malformed and left out");
            }
            return true;
        case SHUTDOWN:
            if (message->length != 4) {
                return false;
            }
            shutdown_start(get_u32(message->data));
            return true;
        default:
            return for_stream(message);
    }
}

bool dispatch_frame(const struct frame *frame) {
    struct message message;
    switch (message_add(frame, &message)) {
        case MESSAGE_WHOLE:
            if (!greeted && message.type != HELLO) {
                return true;
            }
            if (message.type == HELLO && message.length < WIRE_MAGIC_SIZE + WIRE_NONCE_SIZE) {
                return false;
            }
            return act(&message);
        case MESSAGE_PARTIAL:
            return true;
        case MESSAGE_REFUSED:
            if (greeted && message.stream != 0) {
                link_refuse(message.stream, EMSGSIZE, "the message is too long");
            }
            return true;
        case MESSAGE_BROKEN:
            break;
    }
    log_line("frame of type %u on stream %u is out of place", frame->type, frame->stream);
    return false;
}
