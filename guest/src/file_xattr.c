/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>
#include <sys/xattr.h>

#include "fields.h"
#include "worker.h"

#define XATTR_MOST 65536

enum xattr_flag { OR_BESIDE = 1 };

static bool put_one(const struct file_request *request, const char *name) {
    static uint8_t value[XATTR_MOST];
    ssize_t length = getxattr(request->path, name, value, sizeof value);
    if (length < 0) {
        return false;
    }
    struct bytes fields = {0};
    field_put_text(&fields, 1, name);
    field_put(&fields, 2, value, (size_t)length);
    worker_record(&fields);
    return true;
}

void file_xattr_get(const struct file_request *request) {
    static char names[XATTR_MOST];
    if (request->attribute) {
        if (!put_one(request, request->attribute)) {
            worker_fail(errno, SHOWN ", " SHOWN, request->path, request->attribute);
        }
        return;
    }
    ssize_t length = listxattr(request->path, names, sizeof names);
    if (length < 0) {
        worker_fail(errno, SHOWN, request->path);
    }
    for (ssize_t at = 0; at < length; at += (ssize_t)strlen(names + at) + 1) {
        put_one(request, names + at); /* one that may be listed but not read is left out */
    }
}

void file_xattr_set(const struct file_request *request) {
    if (setxattr(request->path, request->attribute, request->value, request->value_length, 0) < 0) {
        if (errno == EOPNOTSUPP && request->flags & OR_BESIDE) {
            beside_set(request->path, request->attribute, request->value ? request->value : (const uint8_t *)"", request->value_length);
            return;
        }
        worker_fail(errno, SHOWN ", " SHOWN, request->path, request->attribute);
    }
}

void file_xattr_remove(const struct file_request *request) {
    if (removexattr(request->path, request->attribute) < 0) {
        if ((errno == EOPNOTSUPP || errno == ENODATA) && request->flags & OR_BESIDE) {
            beside_set(request->path, request->attribute, NULL, 0);
            return;
        }
        worker_fail(errno, SHOWN ", " SHOWN, request->path, request->attribute);
    }
}
