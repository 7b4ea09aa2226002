package dev.sandglass.linux;

/** Numbers of the system calls that mounts, identities and processes need; they differ between machine architectures. */
final class IsolationCall {
    static final boolean ARM = System.getProperty("os.arch").equals("aarch64");

    static final long OPEN_TREE = 428;
    static final long MOVE_MOUNT = 429;
    static final long FSOPEN = 430;
    static final long FSCONFIG = 431;
    static final long FSMOUNT = 432;
    static final long MOUNT_SETATTR = 442;

    static final long SETFSUID = ARM ? 151 : 122;
    static final long SETFSGID = ARM ? 152 : 123;
    static final long CAPGET = ARM ? 90 : 125;
    static final long CAPSET = ARM ? 91 : 126;

    static final long SETNS = ARM ? 268 : 308;
    static final long SETHOSTNAME = ARM ? 161 : 170;

    static final long SETPRIORITY = ARM ? 140 : 141;
    static final long IOPRIO_SET = ARM ? 30 : 251;
    static final long MKNODAT = ARM ? 33 : 259;
    static final long PRLIMIT64 = ARM ? 261 : 302;
    static final long KILL = ARM ? 129 : 62;
    static final long PIDFD_OPEN = 434;
    static final long MEMFD_CREATE = ARM ? 279 : 319;
    static final long EPOLL_CREATE1 = ARM ? 20 : 291;
    static final long EPOLL_CTL = ARM ? 21 : 233;
    static final long EPOLL_PWAIT = ARM ? 22 : 281;

    private IsolationCall() {}
}
