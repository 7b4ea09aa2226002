/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "worker.h"

enum request_field {
    OPERATION = 1,
    PATH,
    SECOND_PATH,
    USER,
    FLAGS,
    MODE,
    OFFSET,
    LENGTH,
    DEPTH,
    OWNER,
    GROUP,
    ATTRIBUTE,
    VALUE,
    MTIME,
};

static bool set_text(char **text, const struct field *field) {
    free(*text);
    *text = field->length < PATH_MAX ? field_text(field) : NULL;
    return *text != NULL;
}

static bool read_field(struct file_request *request, const struct field *field) {
    uint64_t number;
    switch (field->tag) {
        case OPERATION:
            return field_u8(field, &request->operation);
        case PATH:
            return set_text(&request->path, field);
        case SECOND_PATH:
            return set_text(&request->second, field);
        case USER:
            return set_text(&request->user, field);
        case FLAGS:
            return field_u32(field, &request->flags);
        case MODE:
            request->has_mode = true;
            return field_u32(field, &request->mode);
        case OFFSET:
            return field_u64(field, &request->offset);
        case LENGTH:
            request->has_length = true;
            return field_u64(field, &request->length);
        case DEPTH:
            return field_u32(field, &request->depth);
        case OWNER:
            return set_text(&request->owner, field);
        case GROUP:
            return set_text(&request->group, field);
        case ATTRIBUTE:
            return set_text(&request->attribute, field);
        case VALUE:
            request->has_value = true;
            request->value = field->data;
            request->value_length = field->length;
            return true;
        case MTIME:
            request->has_mtime = field_u64(field, &number);
            request->mtime = (int64_t)number;
            return request->has_mtime;
        default:
            return true;
    }
}

const char *file_request_parse(struct file_request *request, const uint8_t *data, size_t length) {
    struct fields fields = fields_of(data, length);
    struct field field;
    while (field_next(&fields, &field)) {
        if (!read_field(request, &field)) {
            return "FILE: a field is malformed";
        }
    }
    if (fields.broken) {
        return "FILE: fields are malformed";
    }
    if (request->operation < FILE_READ || request->operation > FILE_UNBIND) {
        return "FILE: unknown operation";
    }
    if (!request->path || !*request->path) {
        return "FILE: no path";
    }
    bool needs_second = request->operation == FILE_MOVE || request->operation == FILE_LINK || file_request_mounts(request);
    if (needs_second && (!request->second || !*request->second)) {
        return "FILE: no second path";
    }
    bool needs_attribute = request->operation == FILE_XATTR_SET || request->operation == FILE_XATTR_REMOVE;
    return needs_attribute && !request->attribute ? "FILE: no xattr name" : NULL;
}

bool file_request_mounts(const struct file_request *request) {
    return request->operation == FILE_BIND || request->operation == FILE_UNBIND;
}

void file_request_free(struct file_request *request) {
    free(request->path);
    free(request->second);
    free(request->user);
    free(request->owner);
    free(request->group);
    free(request->attribute);
}

void request_times(const struct file_request *request, struct timespec times[2]) {
    int64_t seconds = request->mtime / 1000000000, rest = request->mtime % 1000000000;
    times[0] = (struct timespec){.tv_nsec = UTIME_OMIT};
    times[1] = (struct timespec){.tv_sec = rest < 0 ? seconds - 1 : seconds, .tv_nsec = rest < 0 ? rest + 1000000000 : rest};
}
