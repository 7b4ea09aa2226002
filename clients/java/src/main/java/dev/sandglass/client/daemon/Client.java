package dev.sandglass.client.daemon;

import dev.sandglass.client.http.Body;
import dev.sandglass.client.http.Connection;
import dev.sandglass.client.http.RefusedException;
import dev.sandglass.client.http.Request;
import dev.sandglass.client.http.Response;
import dev.sandglass.client.http.WebSocket;
import dev.sandglass.wire.Command;
import dev.sandglass.wire.CommandList;
import dev.sandglass.wire.CommandResult;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.CreateSnapshot;
import dev.sandglass.wire.Diff;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.EventList;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.Forked;
import dev.sandglass.wire.History;
import dev.sandglass.wire.HostStats;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.OutputEvent;
import dev.sandglass.wire.RunCommand;
import dev.sandglass.wire.RunSandbox;
import dev.sandglass.wire.NetworkAttemptList;
import dev.sandglass.wire.NetworkPolicy;
import dev.sandglass.wire.OperationStatus;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.UpdateSandbox;
import dev.sandglass.wire.SandboxList;
import dev.sandglass.wire.SandboxStats;
import dev.sandglass.wire.PauseSandbox;
import dev.sandglass.wire.PolicyRule;
import dev.sandglass.wire.RewindSandbox;
import dev.sandglass.wire.Snapshot;
import dev.sandglass.wire.SnapshotFile;
import dev.sandglass.wire.SnapshotList;
import dev.sandglass.wire.SnapshotTree;
import dev.sandglass.wire.Signal;
import dev.sandglass.wire.StartCommand;
import dev.sandglass.wire.Status;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The operations of a daemon, one after the other on one connection. Not thread-safe. */
public final class Client implements Closeable {
    private static final int MAX_ANSWER = 256 << 20;
    /** A daemon that sends nothing for so long is taken for dead; the slowest operations are well below. */
    private static final long IDLE_MILLIS = 180_000;

    private static final long HASTY_MILLIS = 2_000;
    /** The kind of the message that says what is to be run. */
    private static final int RUN = 5;
    /** For what goes on until the caller has enough. */
    private static final long NO_LIMIT_MILLIS = 100L * 365 * 86_400_000;

    private final Target target;
    private final long idleMillis;
    private @Nullable Connection connection;

    public Client(Target target) {
        this(target, IDLE_MILLIS);
    }

    private Client(Target target, long idleMillis) {
        this.target = target;
        this.idleMillis = idleMillis;
    }

    /** Another client of the same daemon, for another thread. */
    public Client again() {
        return new Client(target);
    }

    /** Another client of the same daemon that gives up soon, for what must never keep anybody waiting. */
    public Client hasty() {
        return new Client(target, HASTY_MILLIS);
    }

    /** Another client of the same daemon that waits as long as nothing happens, for streams. */
    public Client patient() {
        return new Client(target, NO_LIMIT_MILLIS);
    }

    public Target target() {
        return target;
    }

    public Images images() {
        return new Images(this);
    }

    public Keys keys() {
        return new Keys(this);
    }

    public Credentials credentials() {
        return new Credentials(this);
    }

    public Routes routes() {
        return new Routes(this);
    }

    public Services services() {
        return new Services(this);
    }

    public Pools pools() {
        return new Pools(this);
    }

    public Templates templates() {
        return new Templates(this);
    }

    public Builds builds() {
        return new Builds(this);
    }

    public RemoteFiles files() {
        return new RemoteFiles(this, "sandboxes");
    }

    public RunningCommands running() {
        return new RunningCommands(this);
    }

    public Pages pages() {
        return new Pages(this);
    }

    public Volumes volumes() {
        return new Volumes(this);
    }

    public Status status() {
        return ask(Status.class, "GET", Query.of("v1", "status"), null);
    }

    /** All sandboxes, oldest first, page by page. */
    public List<Sandbox> list() {
        return list(false);
    }

    /** All sandboxes, if asked for with those that were destroyed and are still known. */
    public List<Sandbox> list(boolean destroyedToo) {
        List<Sandbox> all = new ArrayList<>();
        String cursor = null;
        do {
            Query query = Query.of("v1", "sandboxes");
            query = destroyedToo ? query.with("all", "true") : query;
            SandboxList page = ask(SandboxList.class, "GET", cursor == null ? query : query.with("cursor", cursor), null);
            all.addAll(page.sandboxes());
            cursor = page.nextCursor();
        } while (cursor != null);
        return all;
    }

    /** Captures a sandbox as it is now. */
    public Snapshot snapshot(String sandbox, CreateSnapshot request) {
        return ask(Snapshot.class, "POST", Query.of("v1", "sandboxes", sandbox, "snapshots"), json(request));
    }

    public Snapshot snapshot(String snapshot) {
        return ask(Snapshot.class, "GET", Query.of("v1", "snapshots", snapshot), null);
    }

    /** Reads every file of a snapshot. */
    public Snapshot verify(String snapshot) {
        return ask(Snapshot.class, "POST", Query.of("v1", "snapshots", snapshot, "verify"), null);
    }

    /** The file of a snapshot, as the body of the answer. */
    public Response exportSnapshot(String snapshot, boolean thin) {
        return Answers.fine(send("GET", Query.of("v1", "snapshots", snapshot, "export").with("thin", Boolean.toString(thin)), null));
    }

    /** Has the daemon write the file of a snapshot into its own directory. */
    public SnapshotFile archiveSnapshot(String snapshot, boolean thin) {
        return ask(SnapshotFile.class, "POST", Query.of("v1", "snapshots", snapshot, "archive").with("thin", Boolean.toString(thin)), null);
    }

    public Snapshot importSnapshot(@Nullable String name, Body file) {
        Query query = Query.of("v1", "snapshots", "import");
        return ask(Snapshot.class, "POST", name == null ? query : query.with("name", name), file);
    }

    public Sandbox pause(String sandbox, boolean diskOnly) {
        return ask(Sandbox.class, "POST", Query.of("v1", "sandboxes", sandbox, "pause"), json(new PauseSandbox(diskOnly)));
    }

    public Sandbox resume(String sandbox, boolean diskOnly) {
        return ask(Sandbox.class, "POST", Query.of("v1", "sandboxes", sandbox, "resume"), json(new PauseSandbox(diskOnly)));
    }

    /** Copies of a sandbox, or of a snapshot if no sandbox has that name. */
    public Forked fork(String source, ForkSandbox request) {
        if (!source.startsWith("snap-")) {
            try {
                return ask(Forked.class, "POST", Query.of("v1", "sandboxes", source, "fork"), json(request));
            } catch (SandglassException problem) {
                if (problem.code() != ErrorCode.SANDBOX_NOT_FOUND) {
                    throw problem;
                }
            }
        }
        try {
            return ask(Forked.class, "POST", Query.of("v1", "snapshots", source, "fork"), json(request));
        } catch (SandglassException problem) {
            if (problem.code() != ErrorCode.SNAPSHOT_NOT_FOUND || source.startsWith("snap-")) {
                throw problem;
            }
            throw new SandglassException(
                    problem.code(), "There is no sandbox or snapshot " + source + ".", "`sandglass tree` shows those that there are.", problem);
        }
    }

    public Sandbox refresh(String sandbox) {
        return ask(Sandbox.class, "POST", Query.of("v1", "sandboxes", sandbox, "refresh"), null);
    }

    public NetworkPolicy policy(String sandbox) {
        return ask(NetworkPolicy.class, "GET", Query.of("v1", "sandboxes", sandbox, "policy"), null);
    }

    public NetworkPolicy setPolicy(String sandbox, NetworkPolicy policy) {
        return ask(NetworkPolicy.class, "PUT", Query.of("v1", "sandboxes", sandbox, "policy"), json(policy));
    }

    public NetworkPolicy addRule(String sandbox, PolicyRule rule) {
        return ask(NetworkPolicy.class, "POST", Query.of("v1", "sandboxes", sandbox, "policy", "rules"), json(rule));
    }

    /** Connects to a port of a sandbox; the connection belongs to the WebSocket from then on. */
    public WebSocket connectPort(String sandbox, int port) {
        try {
            return upgrade(Query.of("v1", "sandboxes", sandbox, "ports", Integer.toString(port)));
        } catch (IOException problem) {
            throw Answers.unreachable(target, problem);
        }
    }

    public Sandbox rewind(String sandbox, RewindSandbox request) {
        return ask(Sandbox.class, "POST", Query.of("v1", "sandboxes", sandbox, "rewind"), json(request));
    }

    /**
     * Snapshots, oldest first, page by page.
     *
     * @param all those too that are kept for sandboxes
     */
    public List<Snapshot> snapshots(boolean all) {
        List<Snapshot> found = new ArrayList<>();
        String cursor = null;
        do {
            Query query = all ? Query.of("v1", "snapshots").with("all", "true") : Query.of("v1", "snapshots");
            SnapshotList page = ask(SnapshotList.class, "GET", cursor == null ? query : query.with("cursor", cursor), null);
            found.addAll(page.snapshots());
            cursor = page.nextCursor();
        } while (cursor != null);
        return found;
    }

    /** How all snapshots and sandboxes grew from each other. */
    public SnapshotTree tree() {
        return ask(SnapshotTree.class, "GET", Query.of("v1", "tree"), null);
    }

    /** What differs between two states, or between one and what it grew from. */
    public Diff diff(@Nullable String from, String to, boolean text, @Nullable Long limit) {
        Query query = Query.of("v1", "diff").with("to", to).with("text", Boolean.toString(text));
        query = from == null ? query : query.with("from", from);
        return ask(Diff.class, "GET", limit == null ? query : query.with("limit", Long.toString(limit)), null);
    }

    /** What happened to a sandbox, and to those that it grew from. */
    public History history(String sandbox) {
        return ask(History.class, "GET", Query.of("v1", "sandboxes", sandbox, "history"), null);
    }

    /** What this machine and all sandboxes that run use. */
    public HostStats stats() {
        return ask(HostStats.class, "GET", Query.of("v1", "stats"), null);
    }

    public SandboxStats stats(String sandbox) {
        return ask(SandboxStats.class, "GET", Query.of("v1", "sandboxes", sandbox, "stats"), null);
    }

    /** A page of what a sandbox tried to reach, after the one with that id. */
    public NetworkAttemptList attempts(String sandbox, long after, int limit) {
        return ask(NetworkAttemptList.class, "GET", attempts(sandbox, after).with("limit", Integer.toString(limit)), null);
    }

    /** What it tries to reach, after the one with that id, as it comes. */
    public ServerEvents followAttempts(String sandbox, long after) {
        return follow(attempts(sandbox, after));
    }

    private static Query attempts(String sandbox, long after) {
        return Query.of("v1", "sandboxes", sandbox, "policy", "log").with("after", Long.toString(after));
    }

    /** A page of the events that are kept, after the one with that id; of one sandbox and some types, if named. */
    public EventList events(@Nullable String sandbox, List<String> types, long after, int limit) {
        return ask(EventList.class, "GET", events(sandbox, types, after).with("limit", Integer.toString(limit)), null);
    }

    /** The events after the one with that id, as they come. */
    public ServerEvents followEvents(@Nullable String sandbox, List<String> types, long after) {
        return follow(events(sandbox, types, after));
    }

    ServerEvents follow(Query query) {
        Request request = authorized(Request.of("GET", query.toString())).with("Accept", "text/event-stream");
        return new ServerEvents(Answers.fine(send(request)), target);
    }

    private static Query events(@Nullable String sandbox, List<String> types, long after) {
        Query query = Query.of("v1", "events").with("after", Long.toString(after));
        types.forEach(type -> query.with("type", type));
        return sandbox == null ? query : query.with("sandbox", sandbox);
    }

    /** Ends all that runs in it, by force when the grace is over, and keeps its disk. */
    public Sandbox stop(String sandbox, @Nullable Long graceMillis) {
        Query query = Query.of("v1", "sandboxes", sandbox, "stop");
        return ask(Sandbox.class, "POST", graceMillis == null ? query : query.with("grace_ms", Long.toString(graceMillis)), null);
    }

    public Sandbox start(String sandbox) {
        return ask(Sandbox.class, "POST", Query.of("v1", "sandboxes", sandbox, "start"), null);
    }

    public Sandbox create(CreateSandbox request) {
        return ask(Sandbox.class, "POST", Query.of("v1", "sandboxes"), json(request));
    }

    /** Begins to make a sandbox; the operation goes on by itself. */
    public OperationStatus createLater(CreateSandbox request) {
        return ask(OperationStatus.class, "POST", Query.of("v1", "sandboxes").with("wait", "false"), json(request));
    }

    /** An operation after each of its steps, and when it has ended. */
    public ServerEvents followOperation(String operation) {
        return follow(Query.of("v1", "operations", operation));
    }

    /** An operation that has ended, or as it is after so long. */
    public OperationStatus awaitOperation(String operation, long millis) {
        return ask(OperationStatus.class, "POST", Query.of("v1", "operations", operation, "wait").with("timeout_ms", Long.toString(millis)), null);
    }

    /** Makes a sandbox and tells the steps of it. */
    public OperationStatus createTraced(CreateSandbox request) {
        return ask(OperationStatus.class, "POST", Query.of("v1", "sandboxes").with("trace", "true"), json(request));
    }

    public Sandbox update(String sandbox, UpdateSandbox request) {
        return ask(Sandbox.class, "PATCH", Query.of("v1", "sandboxes", sandbox), Body.json(LabelChanges.json(request).getBytes(StandardCharsets.UTF_8)));
    }

    public Sandbox inspect(String sandbox) {
        return ask(Sandbox.class, "GET", Query.of("v1", "sandboxes", sandbox), null);
    }

    public void destroy(String sandbox) {
        finish(send("DELETE", Query.of("v1", "sandboxes", sandbox), null));
    }

    public void deleteSnapshot(String snapshot) {
        finish(send("DELETE", Query.of("v1", "snapshots", snapshot), null));
    }

    public Command start(String sandbox, StartCommand request) {
        return ask(Command.class, "POST", Query.of("v1", "sandboxes", sandbox, "commands"), json(request));
    }

    /** Runs a short command to its end and returns its output. */
    public CommandResult run(String sandbox, RunCommand request) {
        return ask(CommandResult.class, "POST", Query.of("v1", "sandboxes", sandbox, "commands", "run"), json(request));
    }

    public CommandList commands(String sandbox) {
        return ask(CommandList.class, "GET", Query.of("v1", "sandboxes", sandbox, "commands"), null);
    }

    public Command command(String sandbox, String command) {
        return ask(Command.class, "GET", Query.of("v1", "sandboxes", sandbox, "commands", command), null);
    }

    /** The kept output of a command from an offset on, and, if followed, what comes until its end. */
    public Lines<OutputEvent> output(String sandbox, String command, boolean follow, long offset) {
        Query query = Query.of("v1", "sandboxes", sandbox, "commands", command, "output")
                .with("follow", Boolean.toString(follow))
                .with("offset", Long.toString(offset));
        return lines(OutputEvent.class, query);
    }

    public void signal(String sandbox, String command, String signal) {
        finish(send("POST", Query.of("v1", "sandboxes", sandbox, "commands", command, "signal"), json(new Signal(signal))));
    }

    /** Joins a command; the connection belongs to the WebSocket from then on. */
    public WebSocket attach(String sandbox, String command, long offset) throws IOException {
        return upgrade(Query.of("v1", "sandboxes", sandbox, "commands", command, "attach").with("offset", Long.toString(offset)));
    }

    /** Makes a sandbox and runs a command in it; what comes of it is told on the WebSocket. */
    public WebSocket run(RunSandbox request) {
        try {
            WebSocket socket = upgrade(Query.of("v1", "run"));
            byte[] json = Json.bytes(request);
            socket.send(RUN, json, 0, json.length);
            return socket;
        } catch (IOException problem) {
            throw Answers.unreachable(target, problem);
        }
    }

    /** Carries lines of the Model Context Protocol; the connection belongs to the WebSocket from then on. */
    public WebSocket carryMcp() {
        try {
            return upgrade(Query.of("mcp", "lines"));
        } catch (IOException problem) {
            throw Answers.unreachable(target, problem);
        }
    }

    private WebSocket upgrade(Query query) throws IOException {
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

    <T> Lines<T> lines(Class<T> type, Query query) {
        return new Lines<>(type, Answers.fine(send("GET", query, null)), target);
    }

    static Body json(Object value) {
        return Body.json(Json.bytes(value));
    }

    <T> T ask(Class<T> type, String method, Query query, @Nullable Body body) {
        Response response = Answers.fine(send(method, query, body));
        try {
            return Json.read(type, response.bytes(MAX_ANSWER));
        } catch (IOException problem) {
            throw Answers.unreachable(target, problem);
        }
    }

    void finish(Response response) {
        try {
            Answers.fine(response).bytes(MAX_ANSWER);
        } catch (IOException problem) {
            throw Answers.unreachable(target, problem);
        }
    }

    Response send(String method, Query query, @Nullable Body body) {
        Request request = authorized(Request.of(method, query.toString()));
        return send(body == null ? request : request.with(body));
    }

    private Response send(Request request) {
        try {
            return connection().exchange(request);
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
            current = new Connection(target.endpoint(), idleMillis);
            connection = current;
        }
        return current;
    }
}
