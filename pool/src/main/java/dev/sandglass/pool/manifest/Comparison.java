package dev.sandglass.pool.manifest;

import dev.sandglass.engine.manifest.Bytes;
import dev.sandglass.engine.manifest.EntryContent;
import dev.sandglass.engine.manifest.ManifestEntry;
import dev.sandglass.engine.manifest.ManifestReader;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Holds what is found against a manifest, entry by entry, and stops at the first difference. Not thread-safe. */
public final class Comparison {
    /** What is compared of a regular file beside what every entry has. */
    public enum Of {
        CONTENT,
        HOST_FACTS,
        SIZE
    }

    private final ManifestReader manifest;
    private final Of of;
    private Optional<ManifestEntry> ahead = Optional.empty();

    public Comparison(ManifestReader manifest, Of of) {
        this.manifest = manifest;
        this.of = of;
    }

    /** Gives the entry of the manifest that it was held against. */
    public ManifestEntry take(ManifestEntry found, List<Bytes> path) throws IOException {
        Optional<ManifestEntry> next = next();
        int order = next.isEmpty() ? 1 : Paths.compare(manifest.path(), path);
        if (order > 0) {
            throw damaged(path, "it is not in the manifest");
        }
        if (order < 0) {
            throw damaged(manifest.path(), "it is missing");
        }
        ManifestEntry written = next.orElseThrow();
        compare(written, found, path);
        return written;
    }

    /** Passes over a root that needs no look. */
    void skip(Bytes root) throws IOException {
        Optional<ManifestEntry> next = next();
        if (next.isEmpty() || !manifest.path().getFirst().equals(root)) {
            throw damaged(List.of(root), "it is not in the manifest");
        }
        while (next.isPresent() && manifest.path().getFirst().equals(root)) {
            next = manifest.next();
        }
        ahead = next;
    }

    public void finish() throws IOException {
        if (next().isPresent()) {
            throw damaged(manifest.path(), "it is missing");
        }
    }

    private Optional<ManifestEntry> next() throws IOException {
        Optional<ManifestEntry> next = ahead.isPresent() ? ahead : manifest.next();
        ahead = Optional.empty();
        return next;
    }

    private void compare(ManifestEntry written, ManifestEntry found, List<Bytes> path) {
        same(path, "type", written.content().getClass().getSimpleName(), found.content().getClass().getSimpleName());
        same(path, "mode", Integer.toOctalString(written.permissions()), Integer.toOctalString(found.permissions()));
        same(path, "uid", written.uid(), found.uid());
        same(path, "gid", written.gid(), found.gid());
        content(path, written.content(), found.content());
        same(path, "mtime", written.modifiedSeconds() + "s" + written.modifiedNanos(), found.modifiedSeconds() + "s" + found.modifiedNanos());
        same(path, "xattrs", written.attributes(), found.attributes());
        if (of == Of.HOST_FACTS && written.content() instanceof EntryContent.RegularFile) {
            same(path, "inode or ctime", written.host(), found.host());
        }
    }

    private void content(List<Bytes> path, EntryContent written, EntryContent found) {
        if (written instanceof EntryContent.RegularFile before && found instanceof EntryContent.RegularFile now) {
            same(path, "size", before.size(), now.size());
            if (of == Of.CONTENT) {
                same(path, "sha256", before.sha256().hex(), now.sha256().hex());
            }
        } else {
            same(path, "content", written, found);
        }
    }

    private static void same(List<Bytes> path, String field, Object written, Object found) {
        if (!Objects.equals(written, found)) {
            throw damaged(path, field + ": " + found + " (expected: " + written + ")");
        }
    }

    /** What a file is that is not as it was. */
    public static SandglassException damaged(List<Bytes> path, String what) {
        return new SandglassException(
                ErrorCode.SNAPSHOT_DAMAGED,
                "The snapshot is damaged: " + Paths.text(path) + ": " + what + ".",
                "It cannot be used. Take the snapshot again, or import it again.");
    }
}
