package dev.sandglass.server;

import dev.sandglass.engine.Engine;
import dev.sandglass.engine.apikey.ApiKeys;
import dev.sandglass.engine.component.Host;
import dev.sandglass.engine.credential.Budgets;
import dev.sandglass.engine.credential.Credentials;
import dev.sandglass.engine.event.Journeys;
import dev.sandglass.engine.diff.Differences;
import dev.sandglass.engine.guest.Agents;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.network.Network;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.oci.KnownImages;
import dev.sandglass.engine.oci.Naming;
import dev.sandglass.engine.oci.OciImages;
import dev.sandglass.engine.route.Entrance;
import dev.sandglass.engine.route.Routes;
import dev.sandglass.engine.snapshot.Archives;
import dev.sandglass.engine.snapshot.Landing;
import dev.sandglass.engine.snapshot.Snapshots;
import dev.sandglass.ledger.SqliteLedger;
import dev.sandglass.engine.template.Uploads;
import dev.sandglass.linux.HostMemory;
import dev.sandglass.linux.KernelCounts;
import dev.sandglass.linux.MountTable;
import dev.sandglass.linux.Mounts;
import dev.sandglass.network.PrivateNetworks;
import dev.sandglass.network.oci.HttpRegistries;
import dev.sandglass.pool.Pools;
import dev.sandglass.pool.archive.OciLayers;
import dev.sandglass.pool.archive.TreePacking;
import dev.sandglass.pool.diff.OverlayComparison;
import dev.sandglass.pool.image.BaseImages;
import dev.sandglass.pool.manifest.FileManifests;
import dev.sandglass.runtime.Runtimes;
import dev.sandglass.server.api.Api;
import dev.sandglass.server.e2b.E2b;
import dev.sandglass.server.e2b.sandbox.Access;
import dev.sandglass.server.http.Bearers;
import dev.sandglass.server.http.FrontDoor;
import dev.sandglass.server.http.HostNames;
import dev.sandglass.server.http.Token;
import dev.sandglass.server.mcp.Mcp;
import dev.sandglass.server.metric.Traffic;
import dev.sandglass.server.route.RouteDoor;
import dev.sandglass.server.route.RouteSettings;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The daemon of one data directory. It may be killed at any moment: sandboxes go on, and the next one takes them over. Runs
 * inside Sandglass's own mount namespace, which the launcher makes or enters first.
 */
public final class Daemon implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Daemon.class);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Places places;
    private final DataLock lock;
    private final DataLock runLock;
    private final Ledger ledger;
    private final Engine engine;
    private final Network network;
    private final RouteSettings routeSettings;
    private final RouteDoor routeDoor;
    private final FrontDoor door;
    private final FileManifests manifests = new FileManifests();

    private Daemon(Configuration configuration) throws IOException, InterruptedException {
        Instant startedAt = Instant.now();
        this.places = configuration.places();
        this.routeSettings = configuration.routes();
        prepare(places);
        this.lock = DataLock.take(places.data());
        this.runLock = DataLock.take(places.run());
        if (configuration.raisesKernelCounts()) {
            raiseKernelCounts();
        }
        Token token = Token.at(places.token());
        Pool pool = Pools.open(places.data(), configuration.pool());
        pool.layers().sweep();
        BaseImages baseImages = new BaseImages(pool, places.data());
        List<Runtime> runtimes = Runtimes.open(places.run()).all();
        this.ledger = SqliteLedger.open(places.ledger());
        Naming naming = new Naming(ledger.images(), configuration.imageRegistry());
        KnownImages images = new KnownImages(baseImages, naming, pool.layers());
        Credentials credentials = Credentials.open(ledger, places.credentialKey());
        Budgets budgets = new Budgets(ledger, credentials);
        Agents agents = new Agents(places.agents(), places.builtAgent());
        Journeys journeys = new Journeys(ledger);
        PrivateNetworks networks = PrivateNetworks.open(places.networks(), places.gatewayKey(), configuration.outside(), credentials, budgets, journeys);
        this.network = configuration.defaults().network().isPresent() ? networks.prepare() : networks;
        Sandboxes sandboxes = Sandboxes.open(
                ledger, pool, runtimes, agents, images, places.identities(), configuration.defaults(), configuration.ahead(),
                HostMemory::available, network);
        Routes routes = Routes.open(ledger, sandboxes, places.routeKey());
        Snapshots snapshots = Snapshots.open(ledger, sandboxes, pool, images, landing(places.landing()), manifests, places.manifests(), configuration.snapshotBytes());
        Archives archives = Archives.open(snapshots, pool, manifests, images, agents, new TreePacking(), places.archiveWork(), places.snapshots());
        HttpRegistries registries = new HttpRegistries(configuration.outside().trusted().orElse(HttpRegistries.OF_THE_HOST), loginFile(System.getenv()));
        OciImages ociImages = OciImages.open(naming, snapshots, pool, new OciLayers(), registries, images, places.imageWork());
        this.engine = Engine.of(ledger, sandboxes, snapshots, new Differences(ledger, snapshots, images, new OverlayComparison()), archives, credentials, routes, budgets, journeys, ociImages, new Host(places.components(), networks::places, networks::address), Uploads.open(places.uploads()), configuration.templates(images::require));
        removeUnused(agents, baseImages);
        archives.watch();
        StatusReport status = new StatusReport(configuration, startedAt, runtimes, pool, engine.sandboxes());
        Traffic traffic = new Traffic();
        ApiKeys keys = engine.keys();
        Bearers bearers = new Bearers(token, keys::find);
        this.routeDoor = new RouteDoor(configuration.routes(), sandboxes, engine.ports(), routes, bearers, traffic);
        E2b e2b = new E2b(engine, routeDoor.ports(), bearers, Access.of(places.accessKey()), new HostNames(configuration.http().hostNames()), Optional.empty());
        this.door = new FrontDoor(configuration.http(), Api.router(engine, traffic, status::now, this::entrance, Mcp.handlers(engine, this::entrance, Version.TEXT)), bearers, traffic, e2b);
        keys.watchRevocations(door::expel);
        routeDoor.start();
        door.start();
        status.listening(door.port(), entrance());
        writePid(places.pidFile());
    }

    public static void main(String[] arguments) throws InterruptedException {
        Thread.setDefaultUncaughtExceptionHandler((thread, problem) -> LOG.error("{} ended", thread, problem));
        try {
            Daemon daemon = new Daemon(Configuration.read(System.getenv()));
            CountDownLatch stopped = new CountDownLatch(1);
            java.lang.Runtime.getRuntime().addShutdownHook(new Thread(daemon::close, "stop"));
            LOG.info("Sandglass {} is up, process {}", Version.TEXT, ProcessHandle.current().pid());
            stopped.await();
        } catch (SandglassException problem) {
            LOG.debug("because", problem);
            LastWords.say(problem);
        } catch (IOException problem) {
            LOG.debug("because", problem);
            LastWords.say(StorageFailure.of("The daemon cannot start", problem));
        } catch (RuntimeException problem) {
            LOG.error("The daemon cannot start", problem);
            LastWords.say(new SandglassException(
                    ErrorCode.INTERNAL, "The daemon cannot start: " + problem, "The daemon's log has the details.", problem));
        }
    }

    /** Where container tools keep who the daemon's user is at registries. */
    private static Path loginFile(Map<String, String> environment) {
        Path home = Path.of(environment.getOrDefault("HOME", "/root"));
        return Optional.ofNullable(environment.get("DOCKER_CONFIG")).map(Path::of).orElse(home.resolve(".docker")).resolve("config.json");
    }

    private Entrance entrance() {
        return routeSettings.entrance(routeDoor.port());
    }

    /** Directories are passable for the mapped root of sandboxes; the files in them are readable by their owner only. */
    private static void prepare(Places places) throws IOException {
        for (Path directory : List.of(places.data(), places.run(), places.identities(), places.agents())) {
            Files.createDirectories(directory);
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
        }
    }

    /** In Sandglass's own mount namespace, so that nobody else sees it. */
    private static Landing landing(Path directory) {
        try {
            Files.createDirectories(directory);
            if (MountTable.source(directory.toRealPath()).isEmpty()) {
                Mounts.mount(Path.of("tmpfs"), directory, "tmpfs", "mode=700,size=25%");
            }
            return Landing.at(directory, HostMemory::available);
        } catch (IOException problem) {
            LOG.warn("Captured memory goes to the pool at once, which takes longer: {}", problem.getMessage());
            return Landing.none();
        }
    }

    /** Its memory is given back when nobody reads there any more. */
    private static void leave(Path landing) {
        try {
            if (MountTable.source(landing.toRealPath()).isPresent()) {
                Mounts.detach(landing);
            }
        } catch (IOException problem) {
            LOG.warn("The next daemon will find captured memory: {}", problem.getMessage());
        }
    }

    private static void raiseKernelCounts() {
        List<String> refused = KernelCounts.raise();
        if (!refused.isEmpty()) {
            LOG.warn("Sandboxes can take these from each other, because the kernel refused to raise them: {}", refused);
        }
    }

    /** Before the first request, so that nobody begins to use what is about to go. What cannot be removed does not keep the daemon. */
    private void removeUnused(Agents agents, BaseImages images) {
        List<SandboxRecord> records = ledger.sandboxes();
        try {
            Set<String> agentsInside = records.stream().map(SandboxRecord::agent).collect(Collectors.toSet());
            agentsInside.addAll(ledger.snapshots().agentsInUse());
            agents.keep(agentsInside);
            Set<String> begunWith = records.stream().map(SandboxRecord::image).collect(Collectors.toSet());
            begunWith.addAll(ledger.snapshots().imagesInUse());
            images.keep(begunWith);
        } catch (IOException | SandglassException problem) {
            LOG.warn("What nothing uses could not be removed; it is tried again at the next start: {}", problem.toString());
        }
    }

    private static void writePid(Path file) throws IOException {
        Path fresh = file.resolveSibling("daemon.pid.new");
        Files.writeString(fresh, ProcessHandle.current().pid() + "\n");
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Stops serving; sandboxes and their commands go on. */
    @Override
    public void close() {
        LOG.info("Stopping; sandboxes go on");
        routeDoor.stop();
        try {
            door.stop(PATIENCE);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
        engine.close();
        network.close();
        engine.budgets().close(); // answers that were under way are counted as far as they came
        engine.journeys().close(); // the last to tell are connections that end with the network
        manifests.close();
        ledger.close();
        leave(places.landing());
        try {
            Files.deleteIfExists(places.pidFile());
            runLock.close();
            lock.close();
        } catch (IOException problem) {
            LOG.warn("The daemon's own files could not be put away", problem);
        }
    }
}
