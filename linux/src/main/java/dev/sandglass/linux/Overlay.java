package dev.sandglass.linux;

import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * An overlay filesystem to mount. Whiteouts and opaque directories are kept in {@code trusted.*} attributes.
 *
 * @param lower read-only layers, top first
 */
public record Overlay(List<Path> lower, Path upper, Path work) {
    private static final long FSOPEN_CLOEXEC = 1;
    private static final long FSMOUNT_CLOEXEC = 1;
    private static final long SET_STRING = 1;
    private static final long CREATE = 6;

    /**
     * Whatever the host's defaults are, a layer means the same alone as among others: none refers to another, so each can be
     * kept, merged and taken elsewhere.
     */
    private static final Map<String, String> SELF_CONTAINED = Map.of("redirect_dir", "nofollow", "metacopy", "off", "index", "off");

    /** Mounts it. The overlay holds on to its layers itself: mounts through which they were named may go afterwards. */
    public void mount(Path target, Set<MountFlag> flags) throws ErrnoException {
        try {
            mountLayerByLayer(target, flags);
        } catch (ErrnoException problem) {
            if (problem.errno() != Libc.EINVAL) {
                throw problem;
            }
            mountAtOnce(target, flags); // before Linux 6.8 there is no lowerdir+
        }
    }

    /** One option per layer, so that the number of layers is not bounded by the 4096 bytes of mount(2). */
    private void mountLayerByLayer(Path target, Set<MountFlag> flags) throws ErrnoException {
        try (Arena arena = Arena.ofConfined();
                Fd context = open(arena)) {
            set(arena, context, "source", "overlay");
            for (Path layer : lower) {
                set(arena, context, "lowerdir+", layer.toString());
            }
            for (Map.Entry<String, String> option : SELF_CONTAINED.entrySet()) {
                set(arena, context, option.getKey(), option.getValue());
            }
            set(arena, context, "upperdir", upper.toString());
            set(arena, context, "workdir", work.toString());
            // SAFETY: this command takes neither key nor value.
            Libc.call("create the overlay for " + target, SystemCall.FSCONFIG, context.number(), CREATE, 0, 0, 0);
            // SAFETY: takes numbers only.
            long mount = Libc.call(
                    "fsmount", SystemCall.FSMOUNT, context.number(), FSMOUNT_CLOEXEC, MountFlag.bits(flags));
            try (Fd tree = Fd.of(mount)) {
                Mounts.attach(arena, tree, target);
            }
        }
    }

    private void mountAtOnce(Path target, Set<MountFlag> flags) throws ErrnoException {
        String layers = lower.stream().map(Path::toString).collect(Collectors.joining(":"));
        String selfContained = SELF_CONTAINED.entrySet().stream().map(Object::toString).collect(Collectors.joining(","));
        String options = "lowerdir=" + layers + ",upperdir=" + upper + ",workdir=" + work + "," + selfContained;
        try (Arena arena = Arena.ofConfined()) {
            long type = Libc.text(arena, "overlay");
            // SAFETY: the texts are NUL-terminated and live as long as the arena.
            Libc.call(
                    "mount the overlay " + target,
                    SystemCall.MOUNT,
                    type,
                    Libc.text(arena, target.toString()),
                    type,
                    MountFlag.bits(flags),
                    Libc.text(arena, options));
        }
    }

    private static Fd open(Arena arena) throws ErrnoException {
        // SAFETY: the name is NUL-terminated and lives as long as the arena.
        return Fd.of(Libc.call("fsopen overlay", SystemCall.FSOPEN, Libc.text(arena, "overlay"), FSOPEN_CLOEXEC));
    }

    private static void set(Arena arena, Fd context, String key, String value) throws ErrnoException {
        // SAFETY: key and value are NUL-terminated and live as long as the arena.
        Libc.call(
                "overlay option " + key + "=" + value,
                SystemCall.FSCONFIG,
                context.number(),
                SET_STRING,
                Libc.text(arena, key),
                Libc.text(arena, value),
                0);
    }
}
