/* SPDX-License-Identifier: Apache-2.0 */
/* One input is a user to look for, an /etc/passwd and an /etc/group, with a NUL between them. */
#include <stdlib.h>
#include <string.h>

#include "users.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static char *take(const unsigned char **data, size_t *size) {
    const unsigned char *end = memchr(*data, 0, *size);
    size_t length = end ? (size_t)(end - *data) : *size;
    char *text = malloc(length + 1);
    if (!text) {
        abort();
    }
    memcpy(text, *data, length);
    text[length] = 0;
    *data += length + (end ? 1 : 0);
    *size -= length + (end ? 1 : 0);
    return text;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    char *wanted = take(&data, &size);
    struct users users = {.passwd = take(&data, &size), .group = take(&data, &size)};
    static struct identity identity;
    char name[NAME_MOST];
    gid_t gid;
    if (users_find(&users, wanted, &identity)) {
        bool sound = identity.uid != (uid_t)-1 && identity.gid != (gid_t)-1 && identity.group_count >= 1 &&
                     identity.group_count <= GROUPS_MOST && *identity.home == '/' && *identity.shell;
        if (!sound) {
            abort();
        }
        users_name(&users, identity.uid, name);
        users_group_name(&users, identity.gid, name);
        users_is_member(&users, identity.name, "sudo");
    }
    users_group(&users, wanted, &gid);
    users_is_member(&users, wanted, wanted);
    users_free(&users);
    free(wanted);
    return 0;
}
