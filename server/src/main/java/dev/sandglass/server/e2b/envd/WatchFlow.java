package dev.sandglass.server.e2b.envd;

import dev.sandglass.engine.file.Account;
import dev.sandglass.engine.file.UserFiles;
import dev.sandglass.engine.file.Watch;
import dev.sandglass.server.e2b.connect.Nothing;
import dev.sandglass.server.e2b.connect.Rpc;
import dev.sandglass.server.e2b.connect.ServerStream;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.WatchEvent;
import io.avaje.jsonb.Json;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What happens in a directory, told as it happens. */
final class WatchFlow implements Rpc.Flow {
    @Json
    record FilesystemEvent(String name, String type, @Nullable EntryInfo entry) {}

    @Json
    record WatchMessage(@Nullable Nothing start, @Nullable FilesystemEvent filesystem, @Nullable Nothing keepalive) {}

    private static final WatchMessage KEEPALIVE = new WatchMessage(null, null, Nothing.atAll());

    private static final Set<String> WITH_ENTRY = Set.of("EVENT_TYPE_CREATE", "EVENT_TYPE_WRITE", "EVENT_TYPE_CHMOD");

    /** A directory that somebody wants to know of. */
    record Watched(Account account, String path, boolean recursive, boolean includeEntry) {
        Watch begin(UserFiles files) {
            return files.watch(account, path, recursive);
        }

        /** As it is told; nothing of what these clients have no word for. */
        Optional<FilesystemEvent> told(UserFiles files, WatchEvent event) {
            String name = Objects.requireNonNullElse(event.path(), "");
            return type(event.event()).map(type -> new FilesystemEvent(name.isEmpty() ? "." : name, type, entry(files, type, name)));
        }

        private static Optional<String> type(String event) {
            return switch (event) {
                case "create", "rename_to" -> Optional.of("EVENT_TYPE_CREATE");
                case "write" -> Optional.of("EVENT_TYPE_WRITE");
                case "remove" -> Optional.of("EVENT_TYPE_REMOVE");
                case "rename_from" -> Optional.of("EVENT_TYPE_RENAME");
                case "attributes" -> Optional.of("EVENT_TYPE_CHMOD");
                default -> Optional.empty();
            };
        }

        private @Nullable EntryInfo entry(UserFiles files, String type, String name) {
            if (!includeEntry || !WITH_ENTRY.contains(type)) {
                return null;
            }
            String whole = name.isEmpty() ? path : path + (path.endsWith("/") ? "" : "/") + name;
            try {
                return EntryInfo.of(files.stat(account, whole, EntryInfo.METADATA), whole);
            } catch (SandglassException gone) {
                if (gone.code() == ErrorCode.SANDBOX_NOT_RUNNING) {
                    throw gone;
                }
                return null; // it was there a moment ago
            }
        }
    }

    private final UserFiles files;
    private final Watched watched;
    private final Watch watch;

    WatchFlow(UserFiles files, Watched watched) {
        this.files = files;
        this.watched = watched;
        this.watch = watched.begin(files);
    }

    @Override
    public void run(ServerStream stream) throws IOException, InterruptedException {
        while (true) {
            WatchEvent event = stream.await(watch::next);
            if (event.event().equals("ready")) {
                stream.send(new WatchMessage(Nothing.atAll(), null, null));
            } else {
                Optional<FilesystemEvent> told = watched.told(files, event);
                if (told.isPresent()) {
                    stream.send(new WatchMessage(null, told.get(), null));
                }
            }
        }
    }

    @Override
    public Object keepalive() {
        return KEEPALIVE;
    }

    @Override
    public void close() {
        watch.close();
    }
}
