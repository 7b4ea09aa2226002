package dev.sandglass.server.api;

import dev.sandglass.engine.Engine;
import dev.sandglass.engine.component.Host;
import dev.sandglass.engine.template.TemplateSettings;
import dev.sandglass.engine.template.Uploads;
import dev.sandglass.engine.credential.Budgets;
import dev.sandglass.engine.credential.Credentials;
import dev.sandglass.engine.event.Journeys;
import dev.sandglass.engine.diff.Differences;
import dev.sandglass.engine.guest.Agents;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.life.Ahead;
import dev.sandglass.engine.life.Defaults;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.route.Entrance;
import dev.sandglass.engine.route.Routes;
import dev.sandglass.engine.oci.Naming;
import dev.sandglass.engine.image.Image;
import dev.sandglass.engine.image.Images;
import dev.sandglass.engine.oci.OciImages;
import dev.sandglass.engine.snapshot.Archives;
import dev.sandglass.engine.snapshot.Landing;
import dev.sandglass.engine.snapshot.Snapshots;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.ledger.SqliteLedger;
import dev.sandglass.network.PrivateNetworks;
import dev.sandglass.network.egress.Outside;
import dev.sandglass.pool.PoolKind;
import dev.sandglass.pool.PoolOptions;
import dev.sandglass.pool.Pools;
import dev.sandglass.network.oci.HttpRegistries;
import dev.sandglass.pool.archive.OciLayers;
import dev.sandglass.pool.archive.TreePacking;
import dev.sandglass.pool.diff.OverlayComparison;
import dev.sandglass.pool.image.BaseImages;
import dev.sandglass.pool.manifest.FileManifests;
import dev.sandglass.server.http.Bearers;
import dev.sandglass.server.http.FrontDoor;
import dev.sandglass.server.http.HttpSettings;
import dev.sandglass.server.http.Token;
import dev.sandglass.server.mcp.Mcp;
import dev.sandglass.server.metric.Traffic;
import dev.sandglass.wire.PoolStatus;
import dev.sandglass.wire.RuntimeStatus;
import dev.sandglass.wire.Status;
import java.util.Optional;
import java.util.Set;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The API in this process, on a real engine that has no runtime and so no sandboxes. */
final class ServedApi {
    final Ledger ledger;
    final Engine engine;
    final FrontDoor door;
    final HttpClient client = HttpClient.newHttpClient();
    private final Token token;

    ServedApi(Path directory) throws IOException, InterruptedException {
        Path agent = Files.writeString(directory.resolve("agent"), "no agent");
        ledger = SqliteLedger.open(directory.resolve("ledger.db"));
        Journeys journeys = new Journeys(ledger);
        Credentials credentials = Credentials.open(ledger, directory.resolve("credentials.key"));
        Budgets budgets = new Budgets(ledger, credentials);
        Pool pool = Pools.open(directory, PoolOptions.of(PoolKind.COPY));
        Agents agents = new Agents(directory.resolve("agents"), agent);
        BaseImages images = new BaseImages(pool, directory);
        Sandboxes sandboxes = Sandboxes.open(
                ledger,
                pool,
                List.of(),
                agents,
                images,
                directory,
                Defaults.standard(2),
                new Ahead(false, 0),
                () -> 0,
                PrivateNetworks.open(directory.resolve("net"), directory.resolve("gateway.key"), Outside.OF_THE_HOST, credentials, budgets, journeys));
        Routes routes = Routes.open(ledger, sandboxes, directory.resolve("routes.key"));
        FileManifests manifests = new FileManifests();
        Snapshots snapshots = Snapshots.open(ledger, sandboxes, pool, images, Landing.none(), manifests, directory.resolve("manifests"), 0);
        Archives archives = Archives.open(
                snapshots, pool, manifests, images, agents, new TreePacking(), directory.resolve("archive-work"), directory.resolve("snapshots"));
        OciImages ociImages = OciImages.open(new Naming(ledger.images(), Optional.empty()), snapshots, pool, new OciLayers(), new HttpRegistries(HttpRegistries.OF_THE_HOST, directory), images, directory.resolve("image-work"));
        engine = Engine.of(ledger, sandboxes, snapshots, new Differences(ledger, snapshots, images, new OverlayComparison()), archives, credentials, routes, budgets, journeys, ociImages, new Host(directory.resolve("components"), _ -> Set.of(), _ -> Optional.empty()), Uploads.open(directory.resolve("uploads")), new TemplateSettings(() -> new Image(Images.NOTHING, List.of()), Optional.empty(), "auto", 1024, List.of()));
        token = Token.at(directory.resolve("token"));
        Traffic traffic = new Traffic();
        door = new FrontDoor(HttpSettings.at(directory.resolve("s")).withPort(0), Api.router(engine, traffic, () -> status(directory), () -> Entrance.STANDARD, Mcp.handlers(engine, () -> Entrance.STANDARD, "0")), new Bearers(token, engine.keys()::find), traffic);
        engine.keys().watchRevocations(door::expel);
        door.start();
    }

    private static Status status(Path directory) {
        return new Status(
                "0", 1, "127.0.0.1:0", "s", "http://127.0.0.1:0", "sandglass.localhost", directory.toString(), Instant.now(), "auto", List.of(new RuntimeStatus("gvisor", false, null, null, "absent")),
                new PoolStatus("copy", 1, null), Map.of("running", 0L));
    }

    HttpRequest.Builder request(String target) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + door.port() + target)).header("Authorization", "Bearer " + token.text());
    }

    HttpResponse<String> get(String target) throws IOException, InterruptedException {
        return client.send(request(target).build(), HttpResponse.BodyHandlers.ofString());
    }

    void close() throws InterruptedException {
        client.shutdownNow();
        door.stop(Duration.ofSeconds(1));
        engine.close();
        engine.budgets().close();
        engine.journeys().close();
        ledger.close();
    }
}
