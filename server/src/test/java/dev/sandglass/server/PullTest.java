package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ImageInfo;
import dev.sandglass.wire.ImageList;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.OperationStatus;
import dev.sandglass.wire.Problem;
import dev.sandglass.wire.PullImage;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Sha256;
import dev.sandglass.wire.oci.Descriptor;
import dev.sandglass.wire.oci.ManifestDocument;
import dev.sandglass.wire.oci.Platform;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Images come from a real registry as they are there; of what a registry lies about nothing is kept. */
@ExtendWith(SharedDaemon.class)
@Timeout(300)
class PullTest {
    private static final String INDEX = TestImage.INDEX;

    private static TestRegistry registry;

    private final TestDaemon daemon = SharedDaemon.daemon();

    @BeforeAll
    static void startRegistry(@TempDir Path directory) throws IOException {
        registry = new TestRegistry(directory, Optional.empty());
    }

    @AfterAll
    static void stopRegistry() throws IOException {
        registry.close();
    }

    @AfterEach
    void removeImages() throws IOException, InterruptedException {
        daemon.revive();
        for (ImageInfo left : images()) {
            daemon.caller().delete("/v1/images/" + left.id());
        }
        assertThat(leftovers()).isEmpty();
    }

    private static TestImage saying(String word, TestImage.Packed how) {
        return new TestImage()
                .withProgram()
                .layer(how, layer -> layer.file("data/word", word + "\n", 0644, 0))
                .says(null, "/data", List.of("A=" + word), List.of("/show"), List.of("word"));
    }

    @Test
    void byTagAndByDigestAndAgainWhenTheTagMoves(@TempDir Path directory) throws IOException, InterruptedException {
        Path layout = saying("first", TestImage.Packed.GZIP).layoutDirectory(directory);
        String name = registry.address() + "/team/app";
        Skopeo.run("copy", "--insecure-policy", "--dest-tls-verify=false", "oci:" + layout, "docker://" + name + ":1");
        String digest = Skopeo.run("inspect", "--tls-verify=false", "--format", "{{.Digest}}", "docker://" + name + ":1").strip();
        ImageInfo first = pull(name + ":1");
        assertThat(first.names()).containsExactly(name + ":1");
        assertThat(pull(name + "@" + digest).id()).isEqualTo(first.id());
        assertThat(shown(name + ":1", "word")).contains("in /data A=first", "word: first");
        registry.put("team/app", "1", saying("second", TestImage.Packed.PLAIN));
        ImageInfo second = pull(name + ":1");
        assertThat(second.id()).isNotEqualTo(first.id());
        assertThat(images()).extracting(ImageInfo::names).containsExactly(List.of(name + "@" + digest), List.of(name + ":1"));
        assertThat(shown(name + ":1", "word")).contains("word: second");
        assertThat(shown(first.id(), "word")).contains("word: first");
        assertThat(layers()).as("one of them is shared").hasSize(3);
        daemon.caller().delete("/v1/images/" + first.id().substring(0, 12));
        assertThat(layers()).hasSize(2);
        assertThat(shown(name + ":1", "word")).contains("word: second");
    }

    @Test
    void dockersOwnFormatAndZstdAreReadToo(@TempDir Path directory) throws IOException, InterruptedException {
        Path layout = saying("schema2", TestImage.Packed.GZIP).layoutDirectory(directory);
        String name = registry.address() + "/team/formats";
        Skopeo.run("copy", "--insecure-policy", "--dest-tls-verify=false", "--format", "v2s2", "oci:" + layout, "docker://" + name + ":docker");
        registry.put("team/formats", "zstd", saying("zstandard", TestImage.Packed.ZSTD));
        pull(name + ":docker");
        pull(name + ":zstd");
        assertThat(shown(name + ":docker", "word")).contains("word: schema2");
        assertThat(shown(name + ":zstd", "word")).contains("word: zstandard");
    }

    @Test
    void ofSeveralMachinesOursIsTaken() throws IOException, InterruptedException {
        TestImage ours = saying("ours", TestImage.Packed.GZIP);
        TestImage others = saying("theirs", TestImage.Packed.GZIP).of("s390x");
        registry.put("team/many", "ours", ours);
        registry.put("team/many", "theirs", others);
        List<Descriptor> both = List.of(entry(others), entry(ours));
        registry.put("team/many", "all", Json.bytes(new ManifestDocument(2, INDEX, null, null, both)), INDEX);
        registry.put("team/many", "none", Json.bytes(new ManifestDocument(2, INDEX, null, null, both.subList(0, 1))), INDEX);
        pull(registry.address() + "/team/many:all");
        assertThat(shown(registry.address() + "/team/many:all", "word")).contains("word: ours");
        refused(ErrorCode.IMAGE_REFUSED, () -> pull(registry.address() + "/team/many:none"));
        refused(ErrorCode.IMAGE_REFUSED, () -> pull(registry.address() + "/team/many:theirs"));
        refused(ErrorCode.IMAGE_NOT_FOUND, () -> pull(registry.address() + "/team/many:missing"));
    }

    private static Descriptor entry(TestImage image) {
        byte[] manifest = image.manifest();
        Platform platform = image.platform();
        return new Descriptor(TestImage.MANIFEST, "sha256:" + Sha256.of(manifest), manifest.length, platform, null);
    }

    @Test
    void anEncryptedRegistryIsHeldToWhomTheOwnerTrusts(@TempDir Path directory) throws IOException, InterruptedException {
        TestAuthority authority = TestAuthority.in(directory);
        try (TestRegistry encrypted = new TestRegistry(directory, Optional.empty(), Optional.of(authority))) {
            encrypted.put("team/app", "1", saying("encrypted", TestImage.Packed.GZIP));
            String name = encrypted.address() + "/team/app:1";
            SandglassException distrusted = refused(ErrorCode.REGISTRY_FAILED, () -> pull(name));
            assertThat(distrusted).hasMessageContaining("is not trusted").hasMessageContaining("certif");
            assertThat(distrusted.hint()).contains("network_trust");
            assertThat(images()).isEmpty();
            assertThat(leftovers()).isEmpty();
            restart(() -> daemon.with("SANDGLASS_NETWORK_TRUST", authority.authority().toString()));
            try {
                pull(name);
                assertThat(shown(name, "word")).contains("word: encrypted");
            } finally {
                restart(() -> daemon.without("SANDGLASS_NETWORK_TRUST"));
            }
        }
    }

    private void restart(Runnable change) throws IOException, InterruptedException {
        daemon.stop();
        change.run();
        daemon.start();
    }

    @Test
    void aRegistryThatAsksWhoComesIsTold(@TempDir Path directory) throws IOException, InterruptedException {
        Path layout = saying("secret", TestImage.Packed.GZIP).layoutDirectory(Files.createDirectory(directory.resolve("layout")));
        try (TestRegistry guarded = new TestRegistry(directory, Optional.of(bcrypt("me", "pass word")))) {
            String name = guarded.address() + "/team/app:1";
            Skopeo.run("copy", "--insecure-policy", "--dest-tls-verify=false", "--dest-creds", "me:pass word", "oci:" + layout, "docker://" + name);
            refused(ErrorCode.REGISTRY_DENIED, () -> pull(name));
            SandglassException wrong = refused(ErrorCode.REGISTRY_DENIED, () -> pull(new PullImage(name, "me", "another word")));
            assertThat(wrong).hasMessageNotContaining("another word");
            assertThat(pull(new PullImage(name, "me", "pass word")).names()).containsExactly(name);
        }
        assertThat(Files.readString(daemon.log())).doesNotContain("pass word", "another word");
    }

    private static String bcrypt(String user, String password) throws IOException, InterruptedException {
        Process python = new ProcessBuilder("python3", "-W", "ignore", "-c", "import crypt, sys; print(sys.argv[1] + ':' + crypt.crypt(sys.argv[2], crypt.mksalt(crypt.METHOD_BLOWFISH, rounds=16)))", user, password).start();
        String line = new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(python.waitFor()).isZero();
        return line;
    }

    @ParameterizedTest
    @ValueSource(strings = {"layer", "longer", "shorter", "config", "manifest", "diff", "garbage", "no-json", "empty", "huge", "many"})
    void ofWhatARegistryLiesAboutNothingIsKept(String lie) throws IOException {
        TestImage honest = saying("honest", TestImage.Packed.GZIP);
        byte[] manifest = honest.manifest();
        Map<String, byte[]> blobs = new HashMap<>(honest.blobs());
        ManifestDocument document = Json.read(ManifestDocument.class, manifest);
        Descriptor top = Objects.requireNonNull(document.layers()).getLast();
        Descriptor config = Objects.requireNonNull(document.config());
        byte[] layer = Objects.requireNonNull(blobs.get(top.digest()));
        switch (lie) {
            case "layer" -> layer[layer.length - 3] ^= 1;
            case "longer" -> blobs.put(String.valueOf(top.digest()), Arrays.copyOf(layer, layer.length + 10));
            case "shorter" -> blobs.put(String.valueOf(top.digest()), Arrays.copyOf(layer, layer.length - 10));
            case "config" -> blobs.put(String.valueOf(config.digest()), saying("other", TestImage.Packed.GZIP).config());
            case "manifest" -> manifest = Json.bytes(new ManifestDocument(2, INDEX, null, null, List.of(Descriptor.of(TestImage.MANIFEST, "sha256:" + "0".repeat(64), 5))));
            case "diff" -> {
                byte[] swapped = new String(honest.config(), StandardCharsets.UTF_8).replaceFirst("sha256:....", "sha256:0123").getBytes(StandardCharsets.UTF_8);
                String digest = "sha256:" + Sha256.of(swapped);
                blobs.put(digest, swapped);
                manifest = Json.bytes(new ManifestDocument(2, null, Descriptor.of("", digest, swapped.length), document.layers(), null));
            }
            case "garbage" -> {
                byte[] garbage = "this is no archive, however long it is read".repeat(40).getBytes(StandardCharsets.UTF_8);
                String digest = "sha256:" + Sha256.of(garbage);
                blobs.put(digest, garbage);
                manifest = Json.bytes(new ManifestDocument(2, null, config, List.of(document.layers().getFirst(), Descriptor.of("", digest, garbage.length)), null));
            }
            case "no-json" -> manifest = "[[[[[[".getBytes(StandardCharsets.UTF_8);
            case "empty" -> manifest = "{\"schemaVersion\":2}".getBytes(StandardCharsets.UTF_8);
            case "huge" -> manifest = Json.bytes(new ManifestDocument(2, null, config, List.of(document.layers().getFirst(), Descriptor.of("", String.valueOf(top.digest()), Long.MAX_VALUE)), null));
            case "many" -> manifest = Json.bytes(new ManifestDocument(2, null, config, Collections.nCopies(500, top), null));
            default -> throw new AssertionError(lie);
        }
        byte[] served = manifest;
        HttpServer liar = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        liar.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        liar.createContext("/v2/", exchange -> {
            String path = exchange.getRequestURI().getPath();
            byte[] body = path.contains("/manifests/") ? served : blobs.getOrDefault(path.substring(path.lastIndexOf('/') + 1), new byte[] {'{'});
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        liar.start();
        try {
            refused(ErrorCode.IMAGE_REFUSED, () -> pull("127.0.0.1:" + liar.getAddress().getPort() + "/app:1"));
            assertThat(images()).isEmpty();
            assertThat(leftovers()).isEmpty();
        } finally {
            liar.stop(0);
        }
    }

    @Test
    void aDaemonThatDiesInTheMiddleLeavesNothing() throws IOException, InterruptedException {
        registry.put("team/app", "killed", saying("killed", TestImage.Packed.GZIP));
        daemon.mortalAt(Failpoint.IMAGE_UNPACKED.name());
        OperationStatus begun = daemon.caller().post("/v1/images/pull?wait=false", new PullImage(registry.address() + "/team/app:killed", null, null)).as(OperationStatus.class);
        daemon.awaitEnd();
        daemon.disarmed();
        daemon.start();
        assertThat(images()).isEmpty();
        assertThat(leftovers()).isEmpty();
        Problem error = Objects.requireNonNull(daemon.caller().get("/v1/operations/" + begun.id()).as(OperationStatus.class).error());
        assertThat(error.code()).isEqualTo("operation_interrupted");
        pull(registry.address() + "/team/app:killed");
        daemon.mortalAt(Failpoint.IMAGE_REMOVED.name());
        String id = images().getFirst().id();
        Thread.startVirtualThread(() -> daemon.caller().send("DELETE", "/v1/images/" + id, "", BodyPublishers.noBody()));
        daemon.awaitEnd();
        daemon.disarmed();
        daemon.start();
        assertThat(images()).isEmpty();
        assertThat(leftovers()).isEmpty();
    }

    @Test
    void aReferenceWithoutARegistryIsRefused() {
        SandglassException refused = refused(ErrorCode.INVALID_REQUEST, () -> pull("team/app:1"));
        assertThat(refused.hint()).contains("image_registry");
    }

    private ImageInfo pull(String reference) {
        return pull(new PullImage(reference, null, null));
    }

    private ImageInfo pull(PullImage request) {
        return daemon.caller().post("/v1/images/pull", request).as(ImageInfo.class);
    }

    private List<ImageInfo> images() {
        return daemon.caller().get("/v1/images").as(ImageList.class).images();
    }

    private String shown(String image, String... words) {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container").image(image))) {
            List<String> all = new ArrayList<>(List.of("/show"));
            all.addAll(List.of(words));
            return box.output(Run.of(all.toArray(new String[0])));
        }
    }

    private List<String> layers() throws IOException {
        return inPool("layer.oci-");
    }

    /** Also what is half made. */
    private List<String> leftovers() throws IOException {
        List<String> found = new ArrayList<>(layers());
        found.addAll(inPool("unpack-"));
        found.addAll(inPool(".layer-"));
        return found;
    }

    private List<String> inPool(String beginning) throws IOException {
        return MountNamespace.inside(daemon.run(), "ls -A " + daemon.data().resolve("pool")).lines().filter(name -> name.startsWith(beginning)).toList();
    }
}
