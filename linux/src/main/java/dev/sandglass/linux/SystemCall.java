package dev.sandglass.linux;

/** Numbers and flags of the system calls that are used here; many differ between machine architectures. */
final class SystemCall {
    static final boolean ARM = System.getProperty("os.arch").equals("aarch64");

    // files
    static final long IOCTL = ARM ? 29 : 16;
    static final long OPENAT = ARM ? 56 : 257;
    static final long OPENAT2 = 437;
    static final long FCNTL = ARM ? 25 : 72;
    static final long CLOSE = ARM ? 57 : 3;
    static final long STATFS = ARM ? 43 : 137;
    static final long STATX = ARM ? 291 : 332;
    static final long GETDENTS64 = ARM ? 61 : 217;
    static final long UNLINKAT = ARM ? 35 : 263;
    static final long RENAMEAT2 = ARM ? 276 : 316;
    static final long SYNCFS = ARM ? 267 : 306;
    static final long READ = ARM ? 63 : 0;
    static final long PREAD64 = ARM ? 67 : 17;
    static final long PWRITE64 = ARM ? 68 : 18;
    static final long LSEEK = ARM ? 62 : 8;
    static final long READLINKAT = ARM ? 78 : 267;
    static final long MKDIRAT = ARM ? 34 : 258;
    static final long SYMLINKAT = ARM ? 36 : 266;
    static final long LINKAT = ARM ? 37 : 265;
    static final long FCHOWNAT = ARM ? 54 : 260;
    static final long FCHMODAT = ARM ? 53 : 268;
    static final long UTIMENSAT = ARM ? 88 : 280;
    static final long FTRUNCATE = ARM ? 46 : 77;
    static final long FALLOCATE = ARM ? 47 : 285;
    static final long COPY_FILE_RANGE = ARM ? 285 : 326;
    static final long LISTXATTR = ARM ? 11 : 194;
    static final long GETXATTR = ARM ? 8 : 191;
    static final long SETXATTR = ARM ? 5 : 188;
    static final long MKNODAT = ARM ? 33 : 259;
    static final long MEMFD_CREATE = ARM ? 279 : 319;

    // mounts
    static final long MOUNT = ARM ? 40 : 165;
    static final long UMOUNT2 = ARM ? 39 : 166;
    static final long OPEN_TREE = 428;
    static final long MOVE_MOUNT = 429;
    static final long FSOPEN = 430;
    static final long FSCONFIG = 431;
    static final long FSMOUNT = 432;
    static final long MOUNT_SETATTR = 442;

    // identities and processes
    static final long SETFSUID = ARM ? 151 : 122;
    static final long SETFSGID = ARM ? 152 : 123;
    static final long CAPGET = ARM ? 90 : 125;
    static final long CAPSET = ARM ? 91 : 126;
    static final long UNSHARE = ARM ? 97 : 272;
    static final long FCHDIR = ARM ? 50 : 81;
    static final long SETNS = ARM ? 268 : 308;
    static final long SETHOSTNAME = ARM ? 161 : 170;
    static final long SETPRIORITY = ARM ? 140 : 141;
    static final long IOPRIO_SET = ARM ? 30 : 251;
    static final long PRLIMIT64 = ARM ? 261 : 302;
    static final long KILL = ARM ? 129 : 62;
    static final long PIDFD_OPEN = 434;
    static final long EPOLL_CREATE1 = ARM ? 20 : 291;
    static final long EPOLL_CTL = ARM ? 21 : 233;
    static final long EPOLL_PWAIT = ARM ? 22 : 281;

    // sockets
    static final long SOCKET = ARM ? 198 : 41;
    static final long CONNECT = ARM ? 203 : 42;
    static final long SENDTO = ARM ? 206 : 44;
    static final long SENDMSG = ARM ? 211 : 46;
    static final long RECVFROM = ARM ? 207 : 45;
    static final long SHUTDOWN = ARM ? 210 : 48;
    static final long SETSOCKOPT = ARM ? 208 : 54;
    static final long GETSOCKOPT = ARM ? 209 : 55;

    static final int AT_FDCWD = -100;
    static final int O_RDONLY = 0;
    static final int O_RDWR = 2;
    static final int O_NONBLOCK = 0x800;
    static final int O_CLOEXEC = 0x80000;
    static final int O_PATH = 0x200000;
    static final int O_DIRECTORY = ARM ? 0x4000 : 0x10000;
    static final int O_NOFOLLOW = ARM ? 0x8000 : 0x20000;

    private SystemCall() {}
}
