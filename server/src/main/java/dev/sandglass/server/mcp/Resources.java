package dev.sandglass.server.mcp;

import dev.sandglass.engine.command.Commands;
import dev.sandglass.engine.file.FileContent;
import dev.sandglass.engine.file.Files;
import dev.sandglass.engine.file.Location;
import dev.sandglass.engine.life.Listing;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.snapshot.Ancestry;
import dev.sandglass.engine.snapshot.Snapshots;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandboxList;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.SnapshotTree;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Sandboxes, snapshots, files and outputs to look at, by URI. */
final class Resources {
    private static final int PAGE = 100;
    /** Of a file; a longer one is read in pieces by the tool. */
    private static final int MOST_BYTES = 1 << 20;
    private static final int MOST_OUTPUT = 1 << 18;

    private static final List<Map<String, String>> TEMPLATES = List.of(
            Map.of("uriTemplate", "sandglass://sandboxes/{sandbox}", "name", "sandbox", "title", "A sandbox", "description", "All there is to know about a sandbox.", "mimeType", "application/json"),
            Map.of("uriTemplate", "sandglass://snapshots/{snapshot}", "name", "snapshot", "title", "A snapshot", "description", "All there is to know about a snapshot.", "mimeType", "application/json"),
            Map.of("uriTemplate", "sandglass://sandboxes/{sandbox}/files{+path}", "name", "file", "title", "A file of a sandbox", "description", "A file of at most 1 MB; the path is absolute."),
            Map.of("uriTemplate", "sandglass://sandboxes/{sandbox}/commands/{command}/output", "name", "output", "title", "The output of a command", "description", "What is kept of it, at most the last 256 KB.", "mimeType", "text/plain"));

    private final Sandboxes sandboxes;
    private final Snapshots snapshots;
    private final Ancestry ancestry;
    private final Files files;
    private final Commands commands;

    Resources(Sandboxes sandboxes, Snapshots snapshots, Ancestry ancestry, Files files, Commands commands) {
        this.sandboxes = sandboxes;
        this.snapshots = snapshots;
        this.ancestry = ancestry;
        this.files = files;
        this.commands = commands;
    }

    Map<String, Object> templates() {
        return Map.of("resourceTemplates", TEMPLATES);
    }

    /** The tree, and the sandboxes page by page. */
    Map<String, Object> list(Optional<String> cursor) {
        SandboxList page = page(cursor);
        List<Map<String, String>> listed = new ArrayList<>();
        if (cursor.isEmpty()) {
            listed.add(Map.of(
                    "uri", new ResourceUri.Tree().text(), "name", "tree", "title", "The tree of snapshots", "description", "What grew from what: all snapshots, and the sandboxes on them.", "mimeType", "text/plain"));
        }
        page.sandboxes().forEach(sandbox -> listed.add(entry(sandbox)));
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("resources", listed);
        if (page.nextCursor() != null) {
            result.put("nextCursor", page.nextCursor());
        }
        return result;
    }

    private SandboxList page(Optional<String> cursor) {
        return sandboxes.list(new Listing(Set.of(), Optional.empty(), Optional.empty(), Map.of(), false, cursor, PAGE));
    }

    private static Map<String, String> entry(Sandbox sandbox) {
        return Map.of(
                "uri", new ResourceUri.OfSandbox(sandbox.id()).text(), "name", sandbox.name(), "title", "Sandbox " + sandbox.name(), "description", sandbox.state() + " on " + sandbox.runtime(), "mimeType", "application/json");
    }

    /** The first names of sandboxes that begin like this, to complete what somebody types. */
    List<String> names(String beginning) {
        return sandboxes.list(new Listing(Set.of(), Optional.of(beginning), Optional.empty(), Map.of(), false, Optional.empty(), PAGE)).sandboxes().stream().map(Sandbox::name).toList();
    }

    /** What a URI names; {@code path_not_found} for one that is none. */
    Map<String, Object> read(String uri, Job job) throws IOException, InterruptedException {
        ResourceUri named = ResourceUri.parse(uri)
                .orElseThrow(() -> new SandglassException(ErrorCode.PATH_NOT_FOUND, "There is no resource of that URI.", "List the resources and their templates."));
        return Map.of("contents", List.of(switch (named) {
            case ResourceUri.Tree() -> text(uri, "text/plain", tree());
            case ResourceUri.OfSandbox(String sandbox) -> text(uri, "application/json", Json.write(sandboxes.get(sandbox)));
            case ResourceUri.OfSnapshot(String snapshot) -> text(uri, "application/json", Json.write(snapshots.get(snapshot)));
            case ResourceUri.File(String sandbox, String path) -> file(uri, sandbox, path);
            case ResourceUri.Output(String sandbox, String command) -> text(uri, "text/plain", output(sandbox, command, job));
        }));
    }

    private String tree() {
        SnapshotTree tree = ancestry.tree();
        return TreeText.of(tree.snapshots(), tree.sandboxes());
    }

    private String output(String sandbox, String command, Job job) throws IOException, InterruptedException {
        Excerpt excerpt = Excerpt.from(0, MOST_OUTPUT);
        new OutputReading(commands, sandbox, command, job).read(0, Duration.ZERO, excerpt);
        return excerpt.text();
    }

    private Map<String, String> file(String uri, String sandbox, String path) throws IOException {
        byte[] bytes;
        try (FileContent content = files.read(new Location(sandbox, path, Optional.empty()), 0, OptionalLong.of(MOST_BYTES + 1))) {
            bytes = content.bytes().readNBytes(MOST_BYTES + 1);
        }
        if (bytes.length > MOST_BYTES) {
            throw new SandglassException(ErrorCode.TOO_LARGE, "The file is larger than " + MOST_BYTES + " bytes.", "Read it in pieces with the tool read_file.");
        }
        return Utf8.text(bytes, bytes.length)
                .map(text -> text(uri, "text/plain", text))
                .orElseGet(() -> Map.of("uri", uri, "mimeType", "application/octet-stream", "blob", Base64.getEncoder().encodeToString(bytes)));
    }

    private static Map<String, String> text(String uri, String mediaType, String text) {
        return Map.of("uri", uri, "mimeType", mediaType, "text", text);
    }
}
