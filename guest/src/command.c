/* SPDX-License-Identifier: Apache-2.0 */
#include "command.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "environment.h"
#include "fields.h"
#include "flow.h"
#include "memory.h"
#include "process.h"
#include "session.h"
#include "settings.h"

#define KEEP_DEFAULT 262144u
#define KEEP_MOST 1048576u
#define ARGUMENTS_MOST (WIRE_MESSAGE - 65536u) /* so that COMMAND fits into a message too */
#define TEXT_MOST 4095u

enum start_field { ARGUMENT = 1, ENVIRONMENT, DIRECTORY, USER, PTY, FLAGS, KEEP, LIMIT };
enum start_flag { HAS_INPUT = 1, HOLD = 2 };
enum command_flag { COMMAND_PTY = 1, COMMAND_INPUT = 2, COMMAND_FINISHED = 4 };

struct start {
    struct bytes texts; /* the arguments, each with a NUL at its end */
    struct bytes environment;
    size_t arguments, entries;
    struct spawn spawn;
    uint32_t flags, keep;
    uint64_t limit;
};

static bool add_text(struct bytes *texts, const struct field *field) {
    if (memchr(field->data, 0, field->length)) {
        return false;
    }
    bytes_add(texts, field->data, field->length);
    bytes_add(texts, "", 1);
    return true;
}

static bool set_text(char **text, const struct field *field) {
    free(*text);
    *text = field->length <= TEXT_MOST ? field_text(field) : NULL;
    return *text != NULL;
}

static bool add_environment(struct start *start, const struct field *field) {
    const uint8_t *equals = memchr(field->data, '=', field->length);
    start->entries++;
    return equals && equals > field->data && add_text(&start->environment, field);
}

static bool read_field(struct stream *stream, struct start *start, const struct field *field) {
    switch (field->tag) {
        case ARGUMENT:
            start->arguments++;
            field_put(&stream->arguments, 6, field->data, field->length);
            return add_text(&start->texts, field);
        case ENVIRONMENT:
            return add_environment(start, field);
        case DIRECTORY:
            return set_text(&stream->directory, field);
        case USER:
            return set_text(&stream->user, field);
        case PTY:
            start->spawn.pty = true;
            if (field->length != 4) {
                return false;
            }
            start->spawn.columns = get_u16(field->data);
            start->spawn.rows = get_u16(field->data + 2);
            return true;
        case FLAGS:
            return field_u32(field, &start->flags);
        case KEEP:
            return field_u32(field, &start->keep);
        case LIMIT:
            return field_u64(field, &start->limit);
        default:
            return true;
    }
}

/* NULL when sound, else what is wrong with it. */
static const char *read_start(struct stream *stream, struct start *start, const uint8_t *data, size_t length, int *error) {
    struct fields fields = fields_of(data, length);
    struct field field;
    *error = EINVAL;
    while (field_next(&fields, &field)) {
        if (!read_field(stream, start, &field)) {
            return "START: a field is malformed";
        }
    }
    if (fields.broken || start->arguments == 0) {
        return fields.broken ? "START: fields are malformed" : "START: no argument (expected: at least one)";
    }
    *error = E2BIG;
    if (bytes_length(&stream->arguments) > ARGUMENTS_MOST) {
        return "START: arguments are too long";
    }
    if (start->entries > ENVIRONMENT_ENTRIES / 2) {
        return "START: too many environment entries (expected: <= 2048)";
    }
    *error = ENOMEM;
    return start->texts.failed || start->environment.failed || stream->arguments.failed ? "START: no memory" : NULL;
}

static void time_is_up(void *owner) {
    struct stream *stream = owner;
    if (!stream->exited) {
        stream->exit_flags |= EXIT_TIME_LIMIT;
        session_kill(stream->session);
    }
}

static bool is_crowded(struct stream *stream) {
    unsigned running;
    if (spawn_has_room(&running)) {
        return false;
    }
    stream->refusal = REFUSED_PROCESSES;
    stream_fail(stream, EAGAIN, "process limit: %u processes and threads run (expected: < %llu)", running,
                2 * (unsigned long long)settings.processes);
    return true;
}

static void run(struct stream *stream, struct start *start) {
    if (is_crowded(stream)) {
        return;
    }
    char **arguments = calloc(start->arguments + 1, sizeof *arguments);
    if (!arguments) {
        stream_fail(stream, ENOMEM, "START: no memory");
        return;
    }
    char *at = (char *)start->texts.data;
    for (size_t i = 0; i < start->arguments; i++) {
        arguments[i] = at;
        at += strlen(at) + 1;
    }
    start->spawn.arguments = arguments;
    start->spawn.environment = &start->environment;
    start->spawn.directory = stream->directory;
    start->spawn.user = stream->user ? stream->user : "root";
    start->spawn.input = start->flags & HAS_INPUT;
    if (process_start(stream, &start->spawn)) {
        memory_wake();
    }
    free(arguments);
}

void command_start(struct stream *stream, const uint8_t *data, size_t length) {
    struct start start = {.keep = KEEP_DEFAULT};
    int error;
    const char *wrong = read_start(stream, &start, data, length, &error);
    if (wrong) {
        stream_fail(stream, error, "%s", wrong);
    } else {
        ring_init(&stream->ring, start.keep < KEEP_MOST ? start.keep : KEEP_MOST);
        stream->held = start.flags & HOLD;
        run(stream, &start);
        if (stream->pid > 0 && start.limit > 0) {
            int64_t limit = start.limit < INT64_MAX / 4 ? (int64_t)start.limit : INT64_MAX / 4;
            timer_arm(&stream->limit, loop_now() + limit, time_is_up, stream);
        }
    }
    bytes_free(&start.texts);
    bytes_free(&start.environment);
}

void command_attach(struct stream *stream, uint64_t offset, uint32_t credit) {
    stream->attached = true;
    stream->held = false;
    stream->credit = credit;
    stream->sent = offset < stream->ring.start ? stream->ring.start : offset > stream->ring.end ? stream->ring.end : offset;
    stream->exit_sent = false; /* of a finished command it comes again, after the output */
    stream_update(stream);
    flow_update(stream);
}

void command_detach(struct stream *stream) {
    stream->attached = stream->held = false;
    stream_update(stream);
    flow_update(stream);
}

void command_signal(struct stream *stream, int number) {
    if (stream->exited || stream->pid <= 0) {
        return; /* its number may be another's by now */
    }
    if (number == SIGKILL) {
        session_kill(stream->session);
    } else if (number > 0 && number < NSIG) {
        kill(-stream->session, number);
    }
}

void command_resize(struct stream *stream, uint16_t columns, uint16_t rows) {
    if (stream->pty && stream->out[0].fd >= 0) {
        struct winsize size = {.ws_col = columns, .ws_row = rows};
        pid_t front;
        ioctl(stream->out[0].fd, TIOCSWINSZ, &size);
        /* Linux tells the foreground group itself; gVisor only sets the size, and does not say which group it is. */
        if (ioctl(stream->out[0].fd, TIOCGPGRP, &front) < 0) {
            command_signal(stream, SIGWINCH);
        }
    }
}

void command_signal_all(int number) {
    for (struct stream *stream = stream_first; stream; stream = stream->all.next) {
        if (stream->kind == STREAM_COMMAND) {
            command_signal(stream, number);
        }
    }
}

void command_describe(struct stream *stream, struct bytes *fields) {
    bool input = !stream->input_closed && !stream->input_ended;
    uint32_t flags = (stream->pty ? COMMAND_PTY : 0u) | (input ? COMMAND_INPUT : 0u) | (stream->over ? COMMAND_FINISHED : 0u);
    field_put_u32(fields, 1, (uint32_t)stream->session);
    field_put_u64(fields, 2, (uint64_t)stream->start_wall);
    field_put_u64(fields, 3, stream->ring.start);
    field_put_u64(fields, 4, stream->ring.end);
    field_put_u32(fields, 5, flags);
    bytes_add(fields, stream->arguments.data, bytes_length(&stream->arguments));
    if (stream->over) {
        field_put(fields, 7, stream->exit, WIRE_EXIT_SIZE);
        stream->exit_sent = true;
    }
    if (stream->directory) {
        field_put_text(fields, 8, stream->directory);
    }
    field_put_text(fields, 9, stream->user ? stream->user : "root");
    field_put_u32(fields, 10, stream->input_window - (uint32_t)bytes_length(&stream->input));
}
