package dev.sandglass.client.daemon;

import dev.sandglass.client.http.Body;
import dev.sandglass.client.http.Response;
import dev.sandglass.wire.Entry;
import dev.sandglass.wire.EntryList;
import dev.sandglass.wire.Unpacked;
import dev.sandglass.wire.WatchEvent;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What clients do with files in sandboxes, or in volumes.
 *
 * @param kind in whose files: {@code sandboxes} or {@code volumes}
 */
public record RemoteFiles(Client client, String kind) {
    /** What is in a directory, so many levels deep. */
    public EntryList list(String sandbox, String path, @Nullable String user, int depth) {
        return client.ask(EntryList.class, "GET", files(sandbox, "list", path, user).with("depth", Integer.toString(depth)), null);
    }

    public void remove(String sandbox, String path, @Nullable String user, boolean recursive) {
        client.finish(client.send("DELETE", files(sandbox, "", path, user).with("recursive", Boolean.toString(recursive)), null));
    }

    public Entry move(String sandbox, String path, String to, @Nullable String user) {
        return client.ask(Entry.class, "POST", files(sandbox, "move", path, user).with("to", to), null);
    }

    public Entry makeDirectory(String sandbox, String path, @Nullable String user, @Nullable String mode) {
        Query query = files(sandbox, "directory", path, user);
        return client.ask(Entry.class, "PUT", mode == null ? query : query.with("mode", mode), null);
    }

    /** What happens below a directory, for as long as it is read. */
    public Lines<WatchEvent> watch(String sandbox, String path, @Nullable String user, boolean recursive) {
        return client.lines(WatchEvent.class, files(sandbox, "watch", path, user).with("recursive", Boolean.toString(recursive)));
    }

    /** The entry at a path itself, also if it is a link. */
    public Entry entry(String sandbox, String path, @Nullable String user) {
        return client.ask(Entry.class, "GET", files(sandbox, "stat", path, user), null);
    }

    /** The entry at a path, a link followed to what it points to. */
    public Entry stat(String sandbox, String path, @Nullable String user) {
        return client.ask(Entry.class, "GET", files(sandbox, "stat", path, user).with("follow", "true"), null);
    }

    /** The bytes of a file, as the body of the answer. */
    public Response read(String sandbox, String path, @Nullable String user) {
        return Answers.fine(client.send("GET", files(sandbox, "", path, user), null));
    }

    /** The file is as old as said, else as new as can be. */
    public Entry write(String sandbox, String path, @Nullable String user, String mode, @Nullable Instant modifiedAt, Body body) {
        Query query = files(sandbox, "", path, user).with("mode", mode);
        return client.ask(Entry.class, "PUT", modifiedAt == null ? query : query.with("modified_at", modifiedAt.toString()), body);
    }

    /** What is in a directory, as a tar archive with names relative to it. */
    public Response readArchive(String sandbox, String path, @Nullable String user) {
        return Answers.fine(client.send("GET", archive(sandbox, path, user).with("content", "true"), null));
    }

    public Unpacked writeArchive(String sandbox, String path, @Nullable String user, Body body) {
        return client.ask(Unpacked.class, "PUT", archive(sandbox, path, user), body);
    }

    private Query files(String sandbox, String operation, String path, @Nullable String user) {
        Query query = operation.isEmpty()
                ? Query.of("v1", kind, sandbox, "files")
                : Query.of("v1", kind, sandbox, "files", operation);
        query.with("path", path);
        return user == null ? query : query.with("user", user);
    }

    private Query archive(String sandbox, String path, @Nullable String user) {
        Query query = Query.of("v1", kind, sandbox, "archive").with("path", path);
        return user == null ? query : query.with("user", user);
    }
}
