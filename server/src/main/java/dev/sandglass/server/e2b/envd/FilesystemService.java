package dev.sandglass.server.e2b.envd;

import dev.sandglass.engine.file.Account;
import dev.sandglass.engine.file.DetailedEntry;
import dev.sandglass.engine.file.UserFiles;
import dev.sandglass.server.e2b.connect.Code;
import dev.sandglass.server.e2b.connect.Message;
import dev.sandglass.server.e2b.connect.Nothing;
import dev.sandglass.server.e2b.connect.Rpc;
import dev.sandglass.server.e2b.connect.RpcException;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import io.avaje.jsonb.Json;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The methods of {@code filesystem.Filesystem}. Thread-safe. */
final class FilesystemService {
    private static final String NAME = "/filesystem.Filesystem/";

    @Json
    record OneEntry(EntryInfo entry) {}

    @Json
    record Entries(List<EntryInfo> entries) {}

    @Json
    record WatcherId(String watcherId) {}

    private final UserFiles files;
    private final Watchers watchers;

    FilesystemService(UserFiles files, Watchers watchers) {
        this.files = files;
        this.watchers = watchers;
    }

    Map<String, Rpc.Unary<Visitor>> unary() {
        return Map.of(
                NAME + "Stat", this::stat,
                NAME + "MakeDir", this::makeDirectory,
                NAME + "Move", this::move,
                NAME + "Remove", this::remove,
                NAME + "ListDir", this::list,
                NAME + "CreateWatcher", (visitor, request) -> new WatcherId(watchers.create(watched(visitor, request))),
                NAME + "GetWatcherEvents", (visitor, request) -> watchers.events(visitor.id(), request.text("watcherId")),
                NAME + "RemoveWatcher", this::removeWatcher);
    }

    Map<String, Rpc.Streaming<Visitor>> streaming() {
        return Map.of(NAME + "WatchDir", (visitor, request) -> new WatchFlow(files, watched(visitor, request)));
    }

    private Object stat(Visitor visitor, Message request) {
        Account account = visitor.account();
        String path = visitor.absolute(account, request.text("path"));
        return new OneEntry(EntryInfo.of(files.stat(account, path, EntryInfo.METADATA), path));
    }

    private Object makeDirectory(Visitor visitor, Message request) {
        Account account = visitor.account();
        String path = visitor.absolute(account, request.text("path"));
        Optional<String> there = kind(account, path);
        if (there.isPresent()) {
            throw there.get().equals("directory")
                    ? new RpcException(Code.ALREADY_EXISTS, "directory already exists: " + path)
                    : new RpcException(Code.INVALID_ARGUMENT, "path already exists but it is not a directory: " + path);
        }
        return new OneEntry(EntryInfo.of(files.makeDirectory(account, path, EntryInfo.METADATA), path));
    }

    private Object move(Visitor visitor, Message request) {
        Account account = visitor.account();
        String from = visitor.absolute(account, request.text("source"));
        String to = visitor.absolute(account, request.text("destination"));
        return new OneEntry(EntryInfo.of(files.move(account, from, to, EntryInfo.METADATA), to));
    }

    private Object remove(Visitor visitor, Message request) {
        Account account = visitor.account();
        files.remove(account, visitor.absolute(account, request.text("path")));
        return Nothing.atAll();
    }

    private Object list(Visitor visitor, Message request) {
        Account account = visitor.account();
        String path = visitor.absolute(account, request.text("path"));
        long depth = Math.clamp(request.number("depth"), 1, Integer.MAX_VALUE);
        requireDirectory(account, path);
        String below = path.endsWith("/") ? path : path + "/";
        return new Entries(files.list(account, path, (int) depth, EntryInfo.METADATA).stream()
                .map(each -> EntryInfo.of(each, below + each.entry().path()))
                .toList());
    }

    private Object removeWatcher(Visitor visitor, Message request) {
        watchers.remove(visitor.id(), request.text("watcherId"));
        return Nothing.atAll();
    }

    /** Network mounts are none here: what is mounted in a sandbox is the host's to see to. */
    private WatchFlow.Watched watched(Visitor visitor, Message request) {
        Account account = visitor.account();
        String path = visitor.absolute(account, request.text("path"));
        requireDirectory(account, path);
        return new WatchFlow.Watched(account, path, request.flag("recursive", false), request.flag("includeEntry", false));
    }

    private void requireDirectory(Account account, String path) {
        String kind = kind(account, path).orElseThrow(() -> new RpcException(Code.NOT_FOUND, "path not found: " + path));
        if (!kind.equals("directory")) {
            throw new RpcException(Code.INVALID_ARGUMENT, "path is not a directory: " + path);
        }
    }

    /** Of what is at the path in the end, if there is anything. */
    private Optional<String> kind(Account account, String path) {
        try {
            DetailedEntry entry = files.stat(account, path, EntryInfo.METADATA);
            return entry.entry().kind().equals("link") ? entry.end().map(DetailedEntry.End::kind) : Optional.of(entry.entry().kind());
        } catch (SandglassException problem) {
            if (problem.code() == ErrorCode.PATH_NOT_FOUND) {
                return Optional.empty();
            }
            throw problem;
        }
    }
}
