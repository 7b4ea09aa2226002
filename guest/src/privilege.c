/* SPDX-License-Identifier: Apache-2.0 */
#include "privilege.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "raw.h"
#include "settings.h"

#define CAPABILITIES 64

static uint64_t bounding_set = UINT64_MAX; /* the agent's own, which never changes */

static bool clone3_is_open, lgetxattr_is_missing;

void privilege_prepare(void) {
    clone3_is_open = syscall(SYS_clone3, NULL, 0) < 0 && errno != ENOSYS;
    lgetxattr_is_missing = syscall(SYS_lgetxattr, "/", "user.none", NULL, 0) < 0 && errno == ENOSYS;
    bounding_set = 0;
    for (unsigned long capability = 0; capability < CAPABILITIES; capability++) {
        int present = prctl(PR_CAPBSET_READ, capability, 0, 0, 0);
        if (present < 0) {
            break; /* beyond the kernel's last one */
        }
        bounding_set |= (uint64_t)present << capability;
    }
}

/* Namespaces can be asked for with clone3, whose flags no filter sees, so it must not be there at all; C libraries then use clone.
 * gVisor's own filter cannot choose the answer, and they need to hear ENOSYS, so the agent adds one. Where the runtime took lgetxattr away
 * (gVisor's is broken for links), `ls -l` wants to hear that there are none, not that there is no such call. A program of
 * another architecture has other numbers; gVisor runs none. */
static long answer_calls(void) {
    if (!clone3_is_open && !lgetxattr_is_missing) {
        return 0;
    }
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, lgetxattr_is_missing ? SYS_lgetxattr : UINT32_MAX, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof steps / sizeof *steps, .filter = steps};
    return raw3(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static long limit_bounding_set(uint64_t mask) {
    for (unsigned capability = 0; capability < CAPABILITIES; capability++) {
        if (bounding_set >> capability & ~mask >> capability & 1) {
            long result = raw5(SYS_prctl, PR_CAPBSET_DROP, capability, 0, 0, 0);
            if (result < 0) {
                return result;
            }
        }
    }
    return 0;
}

static long clear_ambient(void) {
    long result = raw5(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    return result == -EINVAL ? 0 : result; /* EINVAL: there are none */
}

/* Permitted and effective become what they are now within the mask. Inheritable becomes empty: a root process gets its
 * capabilities at execve from the bounding set, and a user's process must not inherit any. */
static long limit_sets(uint64_t mask) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    long result = raw2(SYS_capget, &header, data);
    if (result < 0) {
        return result;
    }
    for (int i = 0; i < 2; i++) {
        data[i].permitted &= (uint32_t)(mask >> 32 * i);
        data[i].effective = data[i].permitted;
        data[i].inheritable = 0;
    }
    return raw2(SYS_capset, &header, data);
}

struct privileges privileges_now(void) {
    return (struct privileges){.capabilities = settings.capabilities, .no_new_privileges = settings.no_new_privileges};
}

#define STEP(step, call)            \
    do {                            \
        long result = (call);       \
        if (result < 0) {           \
            *error = (int)-result;  \
            return (step);          \
        }                           \
    } while (0)

enum privilege_step privilege_drop(const struct privileges *privileges, const struct identity *identity, int *error) {
    uint64_t mask = privileges->capabilities;
    STEP(PRIVILEGE_FILTER, answer_calls()); /* while the agent's capabilities are still there: without no-new-privileges it needs them */
    STEP(PRIVILEGE_BOUNDING_SET, limit_bounding_set(mask));
    STEP(PRIVILEGE_AMBIENT, clear_ambient());
    STEP(PRIVILEGE_GROUPS, raw2(SYS_setgroups, identity->group_count, identity->groups));
    STEP(PRIVILEGE_GROUP, raw3(SYS_setresgid, identity->gid, identity->gid, identity->gid));
    STEP(PRIVILEGE_USER, raw3(SYS_setresuid, identity->uid, identity->uid, identity->uid));
    STEP(PRIVILEGE_CAPABILITIES, limit_sets(identity->uid == 0 ? mask : 0));
    if (privileges->no_new_privileges) {
        STEP(PRIVILEGE_NO_NEW, raw5(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    }
    return PRIVILEGE_DONE;
}

const char *privilege_step_name(enum privilege_step step) {
    static const char *const names[] = {
        [PRIVILEGE_DONE] = "privileges",
        [PRIVILEGE_FILTER] = "system call filter",
        [PRIVILEGE_BOUNDING_SET] = "capability bounding set",
        [PRIVILEGE_AMBIENT] = "ambient capabilities",
        [PRIVILEGE_GROUPS] = "setgroups",
        [PRIVILEGE_GROUP] = "setresgid",
        [PRIVILEGE_USER] = "setresuid",
        [PRIVILEGE_CAPABILITIES] = "capset",
        [PRIVILEGE_NO_NEW] = "no_new_privs",
    };
    return (size_t)step < sizeof names / sizeof *names ? names[step] : names[PRIVILEGE_DONE];
}
