/* SPDX-License-Identifier: Apache-2.0 */
#include "privilege.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

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
static bool answer_calls(void) {
    if (!clone3_is_open && !lgetxattr_is_missing) {
        return true;
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
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

static bool limit_bounding_set(uint64_t mask) {
    for (unsigned long capability = 0; capability < CAPABILITIES; capability++) {
        if (bounding_set >> capability & ~mask >> capability & 1 && prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0) {
            return false;
        }
    }
    return true;
}

static bool clear_ambient(void) {
    return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == 0 || errno == EINVAL; /* EINVAL: there are none */
}

/* Permitted and effective become what they are now within the mask. Inheritable becomes empty: a root process gets its
 * capabilities at execve from the bounding set, and a user's process must not inherit any. */
static bool limit_sets(uint64_t mask) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    if (syscall(SYS_capget, &header, data) < 0) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        data[i].permitted &= (uint32_t)(mask >> 32 * i);
        data[i].effective = data[i].permitted;
        data[i].inheritable = 0;
    }
    return syscall(SYS_capset, &header, data) == 0;
}

const char *privilege_drop(const struct identity *identity) {
    uint64_t mask = settings.capabilities;
    if (!answer_calls()) { /* while the agent's capabilities are still there: without no-new-privileges it needs them */
        return "system call filter";
    }
    if (!limit_bounding_set(mask)) {
        return "capability bounding set";
    }
    if (!clear_ambient()) {
        return "ambient capabilities";
    }
    if (setgroups(identity->group_count, identity->groups) < 0) {
        return "setgroups";
    }
    if (setresgid(identity->gid, identity->gid, identity->gid) < 0) {
        return "setresgid";
    }
    if (setresuid(identity->uid, identity->uid, identity->uid) < 0) {
        return "setresuid";
    }
    if (!limit_sets(identity->uid == 0 ? mask : 0)) {
        return "capset";
    }
    if (settings.no_new_privileges && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) {
        return "no_new_privs";
    }
    return NULL;
}
