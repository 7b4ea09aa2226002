package dev.sandglass.engine.diff;

import dev.sandglass.engine.snapshot.HeldState;
import dev.sandglass.wire.Diff;
import dev.sandglass.wire.DiffState;
import dev.sandglass.wire.FileChange;
import dev.sandglass.wire.FileVersion;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Gathers differences as the API shows them, within bounds. Not thread-safe. */
final class Gathering implements TreeComparison.Visitor {
    /** What every sandbox is given of its own before it begins. */
    private static final Set<String> IDENTITY = Set.of("/etc/hostname", "/etc/machine-id", "/run/sandglass");

    private static final String HOSTS = "/etc/hosts";
    /** The file as it is given, by whatever name. */
    private static final Pattern GIVEN_HOSTS =
            Pattern.compile("127\\.0\\.0\\.1 localhost \\S+\n::1 localhost ip6-localhost ip6-loopback\n");

    private static final int HOSTS_LIMIT = 1024;
    /** Of a file whose text is compared. */
    private static final int TEXT_LIMIT = 512 * 1024;
    /** Paths, targets and texts of all files together. */
    private static final int MOST_CHARACTERS = 16 << 20;

    private final boolean fromImage;
    private final boolean texts;
    private final int limit;
    private final List<FileChange> files = new ArrayList<>();
    private final Packages packages = new Packages();
    private long added;
    private long changed;
    private long removed;
    private long characters;
    private boolean truncated;

    /** @param fromImage whether the one state is that of an image, which has no identity */
    Gathering(boolean fromImage, boolean texts, int limit) {
        this.fromImage = fromImage;
        this.texts = texts;
        this.limit = limit;
    }

    @Override
    public void differs(Difference difference) {
        if (isIdentity(difference)) {
            return;
        }
        if (difference.before().isEmpty()) {
            added++;
        } else if (difference.after().isEmpty()) {
            removed++;
        } else {
            changed++;
        }
        packages.note(difference);
        if (files.size() >= limit || characters > MOST_CHARACTERS) {
            truncated = true;
            return;
        }
        FileChange change = change(difference);
        characters += change.path().length() + (change.text() == null ? 0 : change.text().length()) + targets(difference);
        files.add(change);
    }

    private boolean isIdentity(Difference difference) {
        return IDENTITY.contains(difference.path())
                || (difference.path().equals(HOSTS) && (fromImage || isGiven(difference.before())) && isGiven(difference.after()));
    }

    private static boolean isGiven(Optional<Version> hosts) {
        return hosts.isEmpty() || GIVEN_HOSTS.matcher(new String(hosts.get().read(HOSTS_LIMIT), StandardCharsets.UTF_8)).matches();
    }

    private static int targets(Difference difference) {
        return difference.before().flatMap(Version::target).map(String::length).orElse(0)
                + difference.after().flatMap(Version::target).map(String::length).orElse(0);
    }

    private FileChange change(Difference difference) {
        String what = difference.before().isEmpty() ? "added" : difference.after().isEmpty() ? "removed" : "changed";
        return new FileChange(
                what,
                difference.path(),
                difference.fields(),
                difference.before().map(Gathering::view).orElse(null),
                difference.after().map(Gathering::view).orElse(null),
                texts ? text(difference).orElse(null) : null);
    }

    private static FileVersion view(Version version) {
        String octal = Integer.toOctalString(version.permissions());
        String mode = "0".repeat(4 - octal.length()) + octal;
        return new FileVersion(version.kind(), mode, version.uid(), version.gid(), version.size(), version.target().orElse(null));
    }

    private static Optional<String> text(Difference difference) {
        Optional<byte[]> before = content(difference.before());
        Optional<byte[]> after = content(difference.after());
        return before.isPresent() && after.isPresent() ? TextDiff.of(difference.path(), before.get(), after.get()) : Optional.empty();
    }

    /** Nothing where nothing is; none where it is no regular file, or a large one. */
    private static Optional<byte[]> content(Optional<Version> version) {
        if (version.isEmpty()) {
            return Optional.of(new byte[0]);
        }
        return version.filter(file -> file.kind().equals("file") && file.size() <= TEXT_LIMIT).map(file -> file.read(TEXT_LIMIT));
    }

    Diff diff(HeldState before, HeldState after, boolean whole) {
        Processes processes = Processes.between(before.processes(), after.processes());
        boolean all = whole && !truncated && !packages.isTruncated() && !processes.truncated();
        return new Diff(view(before), view(after), added, changed, removed, files, packages.changes(), processes.changes(), !all);
    }

    private static DiffState view(HeldState state) {
        Long processes = state.processes().map(list -> (long) list.processes().size()).orElse(null);
        return new DiffState(state.kind(), state.id(), state.name().orElse(null), processes);
    }
}
