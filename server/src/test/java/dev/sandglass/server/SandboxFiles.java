package dev.sandglass.server;

import dev.sandglass.wire.Entry;
import dev.sandglass.wire.EntryList;
import dev.sandglass.wire.ExtendedAttributes;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.SetAttributes;
import dev.sandglass.wire.Unpacked;
import java.io.InputStream;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The files of a sandbox, for one of its users.
 *
 * @param user the rest of the query that names the user; empty for root
 */
record SandboxFiles(Caller caller, String sandbox, String user) {
    Entry write(String path, String text) {
        return write(path, "", BodyPublishers.ofString(text));
    }

    Entry write(String path, String options, BodyPublisher body) {
        return caller.good(caller.send("PUT", at("/files", path) + options, "application/octet-stream", body)).as(Entry.class);
    }

    String read(String path) {
        return new String(read(path, ""), StandardCharsets.UTF_8);
    }

    byte[] read(String path, String options) {
        return caller.get(at("/files", path) + options).bytes();
    }

    InputStream open(String path) {
        return caller.open(at("/files", path));
    }

    Entry stat(String path) {
        return caller.get(at("/files/stat", path)).as(Entry.class);
    }

    Entry statThrough(String path) {
        return caller.get(at("/files/stat", path) + "&follow=true").as(Entry.class);
    }

    List<Entry> list(String path, int depth) {
        return caller.get(at("/files/list", path) + "&depth=" + depth).as(EntryList.class).entries();
    }

    Entry makeDirectory(String path, String options) {
        return caller.good(caller.send("PUT", at("/files/directory", path) + options, "", BodyPublishers.noBody())).as(Entry.class);
    }

    Entry move(String from, String to) {
        return caller.post(at("/files/move", from) + "&to=" + Caller.encode(to)).as(Entry.class);
    }

    void remove(String path, boolean recursive) {
        caller.delete(at("/files", path) + "&recursive=" + recursive);
    }

    Entry set(String path, SetAttributes change) {
        return change(path, Json.write(change));
    }

    Entry change(String path, String json) {
        return caller.good(caller.send("PATCH", at("/files/attributes", path), "application/json", BodyPublishers.ofString(json)))
                .as(Entry.class);
    }

    ExtendedAttributes attributes(String path) {
        return caller.get(at("/files/attributes", path)).as(ExtendedAttributes.class);
    }

    Watching watch(String path, boolean recursive) {
        return new Watching(caller.open(at("/files/watch", path) + "&recursive=" + recursive));
    }

    byte[] pack(String path, boolean contentOnly) {
        return caller.get(at("/archive", path) + "&content=" + contentOnly).bytes();
    }

    Unpacked unpack(String path, boolean keepIds, byte[] tar) {
        return caller.good(caller.send(
                        "PUT", at("/archive", path) + "&keep_ids=" + keepIds, "application/x-tar", BodyPublishers.ofByteArray(tar)))
                .as(Unpacked.class);
    }

    private String at(String operation, String path) {
        return sandbox + operation + "?path=" + Caller.encode(path) + user;
    }
}
