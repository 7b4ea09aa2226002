package dev.sandglass.client;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.client.daemon.Pages;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.RewindSandbox;
import dev.sandglass.wire.SandboxList;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.SnapshotList;
import dev.sandglass.wire.Status;
import dev.sandglass.wire.UpdateSandbox;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An isolated machine: filesystem, processes, network, limits. It runs on when this program ends; closing it destroys it. Thread-safe. */
public final class Sandbox implements AutoCloseable {
    private final Daemon daemon;
    private final String id;
    private final String name;

    private Sandbox(Daemon daemon, dev.sandglass.wire.Sandbox made) {
        this.daemon = daemon;
        this.id = made.id();
        this.name = made.name();
    }

    public static Sandbox create() {
        return create(options -> {});
    }

    public static Sandbox create(Consumer<CreateOptions> options) {
        return create(Daemon.find(), options);
    }

    /** Makes a sandbox and returns when it runs. */
    public static Sandbox create(Daemon daemon, Consumer<CreateOptions> options) {
        CreateOptions how = new CreateOptions();
        options.accept(how);
        // A template may first have to be built, which takes as long as it takes.
        return new Sandbox(daemon, daemon.askPatiently(client -> client.create(how.request())));
    }

    public static Sandbox connect(String sandbox) {
        return connect(Daemon.find(), sandbox);
    }

    /** One that is there, by id or name. If it rests it goes on. */
    public static Sandbox connect(Daemon daemon, String sandbox) {
        dev.sandglass.wire.Sandbox found = daemon.ask(client -> client.inspect(sandbox));
        Sandbox connected = new Sandbox(daemon, found);
        if (found.state().equals("paused")) {
            connected.resume();
        }
        return connected;
    }

    public static Paginator<SandboxInfo> list(Consumer<ListOptions> options) {
        return list(Daemon.find(), options);
    }

    /** All that fit, oldest first, page by page. */
    public static Paginator<SandboxInfo> list(Daemon daemon, Consumer<ListOptions> options) {
        Pages.Filter filter = filter(options);
        return new Paginator<>(cursor -> {
            SandboxList page = daemon.ask(client -> client.pages().sandboxes(filter, cursor));
            return Paginator.page(page.sandboxes(), SandboxInfo::of, page.nextCursor());
        });
    }

    public static void kill(String sandbox) {
        kill(Daemon.find(), sandbox);
    }

    /** Destroys a sandbox, by id or name. */
    public static void kill(Daemon daemon, String sandbox) {
        daemon.ask(client -> {
            client.destroy(sandbox);
            return true;
        });
    }

    public static Paginator<SnapshotInfo> listSnapshots(Consumer<ListOptions> options) {
        return listSnapshots(Daemon.find(), options);
    }

    /** Snapshots that somebody asked for, oldest first, page by page. */
    public static Paginator<SnapshotInfo> listSnapshots(Daemon daemon, Consumer<ListOptions> options) {
        Pages.Filter filter = filter(options);
        return new Paginator<>(cursor -> {
            SnapshotList page = daemon.ask(client -> client.pages().snapshots(filter, cursor));
            return Paginator.page(page.snapshots(), SnapshotInfo::of, page.nextCursor());
        });
    }

    public static void deleteSnapshot(String snapshot) {
        deleteSnapshot(Daemon.find(), snapshot);
    }

    /** Deletes a snapshot, by name or id. What grew from it stays whole. */
    public static void deleteSnapshot(Daemon daemon, String snapshot) {
        daemon.ask(client -> {
            client.deleteSnapshot(snapshot);
            return true;
        });
    }

    public String sandboxId() {
        return id;
    }

    public String name() {
        return name;
    }

    public Commands commands() {
        return new Commands(daemon, id);
    }

    public Files files() {
        return new Files(daemon, id, Client::files);
    }

    public Pty pty() {
        return new Pty(daemon, id);
    }

    public Services services() {
        return new Services(daemon, id);
    }

    public Routes routes() {
        return new Routes(daemon, id);
    }

    public Network network() {
        return new Network(daemon, id);
    }

    public SandboxVolumes volumes() {
        return new SandboxVolumes(daemon, id);
    }

    /** As it is now. */
    public SandboxInfo getInfo() {
        return SandboxInfo.of(daemon.ask(client -> client.inspect(id)));
    }

    /** Whether it runs now. */
    public boolean isRunning() {
        try {
            return getInfo().state().equals("running");
        } catch (SandglassException problem) {
            return unlessGone(problem);
        }
    }

    /** Destroys it; fine if it is gone. */
    public void kill() {
        try {
            kill(daemon, id);
        } catch (SandglassException problem) {
            unlessGone(problem);
        }
    }

    @Override
    public void close() {
        kill();
    }

    /** After that time from now it is destroyed, or paused; zero is never. */
    public void setTimeout(Duration time) {
        Long seconds = CreateOptions.seconds(time);
        daemon.ask(client -> client.update(id, new UpdateSandbox(null, null, null, null, null, null, seconds, null, null, null, null, null, null, null)));
    }

    /** The host name, with a port if it needs one, under which routes let in to one of its ports. */
    public String getHost(int port) {
        Status status = daemon.ask(Client::status);
        int outside = URI.create(Objects.requireNonNull(status.routeAddress())).getPort();
        boolean standard = outside < 0 || (outside == 80 && status.routeAddress().startsWith("http:")) || (outside == 443 && status.routeAddress().startsWith("https:"));
        return port + "-" + id.replace("-", "") + "." + status.routeDomain() + (standard ? "" : ":" + outside);
    }

    public void pause() {
        pause(false);
    }

    /** Keeps its processes and memory on the disk and frees what they used; with {@code diskOnly} they end. */
    public void pause(boolean diskOnly) {
        daemon.ask(client -> client.pause(id, diskOnly));
    }

    public void resume() {
        resume(false);
    }

    /** Lets it go on where it was, or with {@code diskOnly} start anew on its disk. */
    public void resume(boolean diskOnly) {
        daemon.ask(client -> client.resume(id, diskOnly));
    }

    /** Ends all its processes and keeps its disk. */
    public void stop() {
        daemon.ask(client -> client.stop(id, null));
    }

    /** Starts it after a stop. */
    public void start() {
        daemon.ask(client -> client.start(id));
    }

    public SnapshotInfo createSnapshot() {
        return createSnapshot(options -> {});
    }

    /** Captures it as it is now, with its processes where its runtime can. It goes on. */
    public SnapshotInfo createSnapshot(Consumer<SnapshotOptions> options) {
        SnapshotOptions how = new SnapshotOptions();
        options.accept(how);
        return SnapshotInfo.of(daemon.ask(client -> client.snapshot(id, how.request())));
    }

    public List<Sandbox> fork(int count) {
        return fork(count, options -> {});
    }

    /** Makes copies of it from one pause, all of them or none. It goes on. */
    public List<Sandbox> fork(int count, Consumer<ForkOptions> options) {
        ForkOptions how = new ForkOptions();
        options.accept(how);
        return daemon.ask(client -> client.fork(id, how.request(count))).sandboxes().stream().map(copy -> new Sandbox(daemon, copy)).toList();
    }

    public void rewind(SnapshotInfo snapshot) {
        rewind(snapshot.snapshotId());
    }

    /** Makes it what a snapshot has, under the same id and name. What it is now is kept, and {@link #undoRewind} brings that back. */
    public void rewind(String snapshot) {
        turn(snapshot, null);
    }

    /** Makes it what it was before it was last turned back. */
    public void undoRewind() {
        turn(null, true);
    }

    public RaceResult race(String line, Consumer<RaceOptions> options) {
        return race((copy, branch, how) -> copy.commands().run(line, how), options);
    }

    public RaceResult race(List<String> argv, Consumer<RaceOptions> options) {
        return race((copy, branch, how) -> copy.commands().run(argv, how), options);
    }

    /** Lets copies of it try something at once, keeps the first that succeeds, or the one with the best score, and destroys the others. */
    public RaceResult race(Attempt attempt, Consumer<RaceOptions> options) {
        RaceOptions how = new RaceOptions();
        options.accept(how);
        String named = how.name == null ? "race-" + UUID.randomUUID().toString().substring(0, 8) : how.name;
        return new Race(fork(how.count, copies -> copies.name(named)), attempt, how).run();
    }

    private void turn(@Nullable String snapshot, @Nullable Boolean undo) {
        daemon.ask(client -> client.rewind(id, new RewindSandbox(snapshot, undo, null)));
    }

    private static Pages.Filter filter(Consumer<ListOptions> options) {
        ListOptions how = new ListOptions();
        options.accept(how);
        return how.filter();
    }

    private static boolean unlessGone(SandglassException problem) {
        if (problem.code() != ErrorCode.SANDBOX_NOT_FOUND) {
            throw problem;
        }
        return false;
    }
}
