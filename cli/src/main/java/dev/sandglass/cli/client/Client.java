package dev.sandglass.cli.client;

import dev.sandglass.cli.http.Body;
import dev.sandglass.cli.http.Connection;
import dev.sandglass.cli.http.RefusedException;
import dev.sandglass.cli.http.Request;
import dev.sandglass.cli.http.Response;
import dev.sandglass.cli.http.WebSocket;
import dev.sandglass.wire.Command;
import dev.sandglass.wire.CommandResult;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.Entry;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.RunCommand;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandboxList;
import dev.sandglass.wire.Signal;
import dev.sandglass.wire.StartCommand;
import dev.sandglass.wire.Status;
import dev.sandglass.wire.Unpacked;
import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The operations of a daemon, one after the other on one connection. Not thread-safe. */
public final class Client implements Closeable {
    private static final int MAX_ANSWER = 256 << 20;
    /** A daemon that sends nothing for so long is taken for dead; the slowest operations are well below. */
    private static final long IDLE_MILLIS = 180_000;

    private final Target target;
    private @Nullable Connection connection;

    public Client(Target target) {
        this.target = target;
    }

    /** Another client of the same daemon, for another thread. */
    public Client again() {
        return new Client(target);
    }

    public Target target() {
        return target;
    }

    public Status status() {
        return ask(Status.class, "GET", Query.of("v1", "status"), null);
    }

    public SandboxList list() {
        return ask(SandboxList.class, "GET", Query.of("v1", "sandboxes"), null);
    }

    public Sandbox create(CreateSandbox request) {
        return ask(Sandbox.class, "POST", Query.of("v1", "sandboxes"), json(request));
    }

    public Sandbox inspect(String sandbox) {
        return ask(Sandbox.class, "GET", Query.of("v1", "sandboxes", sandbox), null);
    }

    public void destroy(String sandbox) {
        finish(send("DELETE", Query.of("v1", "sandboxes", sandbox), null));
    }

    public Command start(String sandbox, StartCommand request) {
        return ask(Command.class, "POST", Query.of("v1", "sandboxes", sandbox, "commands"), json(request));
    }

    /** Runs a short command to its end and returns its output. */
    public CommandResult run(String sandbox, RunCommand request) {
        return ask(CommandResult.class, "POST", Query.of("v1", "sandboxes", sandbox, "commands", "run"), json(request));
    }

    public void signal(String sandbox, String command, String signal) {
        finish(send("POST", Query.of("v1", "sandboxes", sandbox, "commands", command, "signal"), json(new Signal(signal))));
    }

    /** Joins a command; the connection belongs to the WebSocket from then on. */
    public WebSocket attach(String sandbox, String command, long offset) throws IOException {
        Query query = Query.of("v1", "sandboxes", sandbox, "commands", command, "attach").with("offset", Long.toString(offset));
        Connection used = connection();
        connection = null;
        try {
            return used.upgrade(authorized(Request.of("GET", query.toString())));
        } catch (RefusedException refused) {
            try (used) {
                throw Answers.problem(refused.response());
            }
        } catch (IOException problem) {
            used.close();
            throw problem;
        }
    }

    /** The entry at a path, a link followed to what it points to. */
    public Entry stat(String sandbox, String path, @Nullable String user) {
        return ask(Entry.class, "GET", files(sandbox, "stat", path, user).with("follow", "true"), null);
    }

    /** The bytes of a file, as the body of the answer. */
    public Response readFile(String sandbox, String path, @Nullable String user) {
        return Answers.fine(send("GET", files(sandbox, "", path, user), null));
    }

    public Entry writeFile(String sandbox, String path, @Nullable String user, String mode, Body body) {
        return ask(Entry.class, "PUT", files(sandbox, "", path, user).with("mode", mode), body);
    }

    /** What is in a directory, as a tar archive with names relative to it. */
    public Response readArchive(String sandbox, String path, @Nullable String user) {
        return Answers.fine(send("GET", archive(sandbox, path, user).with("content", "true"), null));
    }

    public Unpacked writeArchive(String sandbox, String path, @Nullable String user, Body body) {
        return ask(Unpacked.class, "PUT", archive(sandbox, path, user), body);
    }

    @Override
    public void close() {
        Connection used = connection;
        connection = null;
        if (used != null) {
            try {
                used.close();
            } catch (IOException alreadyGone) {
                return;
            }
        }
    }

    private static Query files(String sandbox, String operation, String path, @Nullable String user) {
        Query query = operation.isEmpty()
                ? Query.of("v1", "sandboxes", sandbox, "files")
                : Query.of("v1", "sandboxes", sandbox, "files", operation);
        query.with("path", path);
        return user == null ? query : query.with("user", user);
    }

    private static Query archive(String sandbox, String path, @Nullable String user) {
        Query query = Query.of("v1", "sandboxes", sandbox, "archive").with("path", path);
        return user == null ? query : query.with("user", user);
    }

    private static Body json(Object value) {
        return Body.json(Json.bytes(value));
    }

    private <T> T ask(Class<T> type, String method, Query query, @Nullable Body body) {
        Response response = Answers.fine(send(method, query, body));
        try {
            return Json.read(type, response.bytes(MAX_ANSWER));
        } catch (IOException problem) {
            throw Answers.unreachable(target, problem);
        }
    }

    private void finish(Response response) {
        try {
            Answers.fine(response).bytes(MAX_ANSWER);
        } catch (IOException problem) {
            throw Answers.unreachable(target, problem);
        }
    }

    private Response send(String method, Query query, @Nullable Body body) {
        Request request = authorized(Request.of(method, query.toString()));
        try {
            return connection().exchange(body == null ? request : request.with(body));
        } catch (IOException problem) {
            close();
            throw Answers.unreachable(target, problem);
        }
    }

    private Request authorized(Request request) {
        return target.token().isEmpty() ? request : request.with("Authorization", "Bearer " + target.token());
    }

    private Connection connection() throws IOException {
        Connection current = connection;
        if (current == null || !current.reusable()) {
            close();
            current = new Connection(target.endpoint(), IDLE_MILLIS);
            connection = current;
        }
        return current;
    }
}
