/* SPDX-License-Identifier: Apache-2.0 */
/* The sandbox's own users and groups, read from its /etc. What is in there is hostile: it is only ever compared and copied, within bounds. */
#ifndef USERS_H
#define USERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define GROUPS_MOST 256
#define NAME_MOST 256
#define HOME_MOST 4096

struct identity {
    uid_t uid;
    gid_t gid;
    gid_t groups[GROUPS_MOST];
    size_t group_count;
    char name[NAME_MOST];
    char home[HOME_MOST];
    char shell[HOME_MOST];
};

struct users {
    char *passwd, *group; /* contents, NUL at the end */
};

/* Reads /etc/passwd and /etc/group under `root` ("" for the sandbox's own), at most 4 MiB of each; a missing one is empty. */
void users_load(struct users *users, const char *root);
void users_free(struct users *users);
/* The sandbox's own as they are now; read again only when a file has changed. Not to be freed. */
const struct users *users_now(void);

/* `name`, `uid`, `name:group` or `uid:gid`. False when there is no such user or group. */
bool users_find(const struct users *users, const char *text, struct identity *identity);
bool users_group(const struct users *users, const char *text, gid_t *gid);
bool users_is_member(const struct users *users, const char *name, const char *group);
/* The name of an id, or false. */
bool users_name(const struct users *users, uid_t uid, char name[NAME_MOST]);
bool users_group_name(const struct users *users, gid_t gid, char name[NAME_MOST]);

#endif
