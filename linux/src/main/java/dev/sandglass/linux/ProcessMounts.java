package dev.sandglass.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Mounts in the namespace of another process, which may be hostile: what it made of its directories leads nowhere else. A thread of its own enters the namespace
 * for one system call, and comes back; nothing is opened meanwhile.
 *
 * @param isSame tells, while the namespace is held, whether the pid still is the process that is meant
 */
public record ProcessMounts(long pid, BooleanSupplier isSame) {
    private static final long CLONE_FS = 0x200;
    private static final long CLONE_NEWNS = 0x20000;
    private static final long FROM_DESCRIPTOR = 4;
    private static final long TO_DESCRIPTOR = 0x40;
    private static final long MNT_DETACH = 2;
    private static final long UMOUNT_NOFOLLOW = 8;

    /** What is done inside. */
    private interface Step {
        void run() throws ErrnoException;
    }

    /**
     * Binds a directory of this namespace there, at a directory that exists.
     *
     * @param target as the process would name it
     * @param flags what the mount forbids
     * @param ids by which its ids are shifted
     * @param onlyOnRoot whether it must lie in the root filesystem, and not in another that is mounted there
     */
    public void attach(Path source, String target, Set<MountFlag> flags, Optional<UserNamespace> ids, boolean onlyOnRoot) throws IOException {
        OwnThread.run("attach", () -> {
            try (Fd root = root();
                    Fd place = root.inRoot(target);
                    Fd tree = Mounts.detached(source, flags, ids);
                    Arena arena = Arena.ofConfined()) {
                if (onlyOnRoot && place.mount() != root.mount()) {
                    throw new ErrnoException("mount on " + target + ", which is not in the root filesystem", Libc.EINVAL);
                }
                long nothing = Libc.text(arena, "");
                // SAFETY: the empty text lives as long as the arena, the descriptors are open.
                inside(() -> Libc.call(
                        "mount on " + target, SystemCall.MOVE_MOUNT, tree.number(), nothing, place.number(), nothing, FROM_DESCRIPTOR | TO_DESCRIPTOR));
            }
        });
    }

    /**
     * Takes a mount away there.
     *
     * @param mount as the table of the process has it
     * @param evenIfUsed whether it goes although somebody uses it, who keeps it then
     */
    public void detach(MountTable.Entry mount, boolean evenIfUsed) throws IOException {
        Path target = Path.of(new String(mount.target().getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8)); // the table has bytes
        OwnThread.run("detach", () -> {
            try (Fd root = root();
                    Fd parent = root.inRootWithoutLinks(String.valueOf(target.getParent()));
                    Arena arena = Arena.ofConfined()) {
                try (Fd place = root.inRootWithoutLinks(target.toString())) {
                    if (place.mount() != mount.id()) {
                        throw new ErrnoException("find the mount " + target, Libc.ENOENT);
                    }
                } // else it would be in use
                long name = Libc.text(arena, String.valueOf(target.getFileName()));
                // SAFETY: the name lives as long as the arena; the directory is this thread's own, because it shares no filesystem view.
                inside(() -> {
                    Libc.call("chdir", SystemCall.FCHDIR, parent.number());
                    Libc.call("unmount " + target, SystemCall.UMOUNT2, name, UMOUNT_NOFOLLOW | (evenIfUsed ? MNT_DETACH : 0));
                });
            }
        });
    }

    private Fd root() throws ErrnoException {
        return Fd.open(Path.of("/proc", Long.toString(pid), "root"), SystemCall.O_PATH | SystemCall.O_DIRECTORY);
    }

    /** Never in the namespace in which this program is. */
    private void inside(Step step) throws IOException {
        Path mine = Path.of("/proc/thread-self/ns/mnt");
        try (Fd own = Fd.open(mine, SystemCall.O_RDONLY);
                Fd theirs = Fd.open(Path.of("/proc", Long.toString(pid), "ns", "mnt"), SystemCall.O_RDONLY)) {
            Path entered = Files.readSymbolicLink(Path.of("/proc/self/fd", Integer.toString(theirs.number())));
            if (Objects.equals(entered, Files.readSymbolicLink(mine)) || !isSame.getAsBoolean()) {
                throw new IOException("process " + pid + " is not the one that is meant");
            }
            // SAFETY: these act on the calling thread only, which ends soon.
            Libc.call("unshare", SystemCall.UNSHARE, CLONE_FS);
            Libc.call("setns", SystemCall.SETNS, theirs.number(), CLONE_NEWNS);
            try {
                step.run();
            } finally {
                Libc.call("setns", SystemCall.SETNS, own.number(), CLONE_NEWNS);
            }
        }
    }
}
