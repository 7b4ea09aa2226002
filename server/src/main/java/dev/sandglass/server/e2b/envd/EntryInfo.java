package dev.sandglass.server.e2b.envd;

import dev.sandglass.engine.file.DetailedEntry;
import io.avaje.jsonb.Json;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A file as these clients know it: of a link they are told what it leads to. */
@Json
record EntryInfo(
        String name,
        String type,
        String path,
        String size,
        int mode,
        String permissions,
        String owner,
        String group,
        String modifiedTime,
        @Nullable String symlinkTarget,
        @Nullable Map<String, String> metadata) {
    /** With which the names of attributes begin that hold metadata. */
    static final String METADATA = "user.e2b.";

    private static final int PERMISSIONS = 0777;

    static EntryInfo of(DetailedEntry detailed, String path) {
        dev.sandglass.wire.Entry entry = detailed.entry();
        boolean link = entry.kind().equals("link");
        String kind = link ? detailed.end().map(DetailedEntry.End::kind).orElse("") : entry.kind();
        String mode = link ? detailed.end().map(DetailedEntry.End::mode).orElse("0") : entry.mode();
        return new EntryInfo(
                entry.name(),
                type(kind),
                path,
                Long.toString(entry.size()),
                Integer.parseInt(mode, 8) & PERMISSIONS,
                FileModes.text(entry.kind(), Integer.parseInt(entry.mode(), 8)),
                Objects.requireNonNullElse(entry.owner(), Long.toString(entry.uid())),
                Objects.requireNonNullElse(entry.group(), Long.toString(entry.gid())),
                entry.modifiedAt().toString(),
                link ? detailed.end().map(DetailedEntry.End::path).orElse(path) : null,
                metadata(detailed));
    }

    private static String type(String kind) {
        return switch (kind) {
            case "file" -> "FILE_TYPE_FILE";
            case "directory" -> "FILE_TYPE_DIRECTORY";
            default -> "FILE_TYPE_UNSPECIFIED";
        };
    }

    /** Nothing if there is none. */
    static @Nullable Map<String, String> metadata(DetailedEntry detailed) {
        Map<String, String> metadata = new TreeMap<>();
        detailed.attributes().forEach((name, value) -> metadata.put(name.substring(METADATA.length()), value));
        return metadata.isEmpty() ? null : metadata;
    }
}
