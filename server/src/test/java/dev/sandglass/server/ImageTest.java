package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ImageInfo;
import dev.sandglass.wire.ImageList;
import dev.sandglass.wire.RunSandbox;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sandboxes begin with images from elsewhere, whatever these lack, and have what the images say; images go in and out as archives. */
@OnEveryRuntime
class ImageTest {
    private final TestDaemon daemon = SharedDaemon.daemon();
    private final String runtime;

    ImageTest(String runtime) {
        this.runtime = runtime;
    }

    @AfterEach
    void removeImages() throws IOException, InterruptedException {
        daemon.revive();
        for (ImageInfo left : images()) {
            daemon.caller().delete("/v1/images/" + left.id());
        }
    }

    private static TestImage small() {
        return new TestImage()
                .withProgram()
                .layer(layer -> {
                    layer.file("data/.wh.one", "", 0, 0);
                    layer.file("data/three", "three\n", 0640, 5);
                })
                .says("12:13", "/data", List.of("A=image", "B=image", "odd.name=1"), List.of("/show"), List.of("two", "one"));
    }

    @Test
    void anImageOfOneProgramIsASandbox() throws IOException, InterruptedException {
        ImageInfo image = read(small().layoutArchive(), "small");
        assertThat(image.names()).containsExactly("small:latest");
        assertThat(image.warnings()).singleElement().asString().contains("odd.name");
        Snapshot snapshot;
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).image("small").env(Map.of("B", "creator")))) {
            assertThat(box.info().image()).isEqualTo(image.id());
            assertThat(box.info().env()).containsEntry("A", "image").containsEntry("B", "creator");
            Run look = Run.of("/show", "two", "one", "three", "/etc/hostname", "/run/sandglass/name");
            assertThat(box.output(look)).isEqualTo("uid 12 gid 13 in /data A=image B=creator\ntwo: two\none: nothing\nthree: nothing\n/etc/hostname: " + box.name() + "\n/run/sandglass/name: " + box.name());
            assertThat(box.output(Run.of("/show", "/data/three").as("5").in("/"))).startsWith("uid 5 gid 5 in /").endsWith("/data/three: three");
            assertThat(box.files().stat("/data")).satisfies(data -> assertThat(data.mode() + " " + data.uid()).isEqualTo("1777 7"));
            refused(ErrorCode.CONFLICT, () -> daemon.caller().delete("/v1/images/small"));
            box.files().write("/data/four", "four\n");
            snapshot = daemon.api().capture(box.id(), null);
            daemon.kill();
            daemon.start();
            assertThat(box.output(Run.of("/show", "four"))).endsWith("four: four");
            try (TestSandbox copy = daemon.api().create(SandboxRequest.on(runtime).from(snapshot.id()))) {
                assertThat(copy.output(Run.of("/show", "four", "one"))).isEqualTo("uid 12 gid 13 in /data A=image B=image\nfour: four\none: nothing");
            }
        }
        refused(ErrorCode.CONFLICT, () -> daemon.caller().delete("/v1/images/small"));
        daemon.api().deleteSnapshot(snapshot.id());
        daemon.caller().delete("/v1/images/small");
        assertThat(images()).isEmpty();
        assertThat(layers()).isEmpty();
        refused(ErrorCode.IMAGE_NOT_FOUND, () -> daemon.api().create(SandboxRequest.on(runtime).image("small")));
    }

    @Test
    void aRunIsWhatTheImageSays() {
        read(small().savedArchive("team/small:1.0"), null);
        try (Attached run = run("team/small:1.0", List.of())) {
            assertThat(run.awaitExit().code()).isZero();
            assertThat(run.text()).contains("uid 12 gid 13 in /data A=image B=image", "two: two", "one: nothing");
        }
        try (Attached run = run("team/small:1.0", List.of("three", "two"))) {
            assertThat(run.awaitExit().code()).isZero();
            assertThat(run.text()).contains("three: nothing", "two: two").doesNotContain("one:");
        }
    }

    @Test
    void theRootAndADirectoryThatIsMissingAreAsTheImageSays() throws IOException {
        read(new TestImage()
                        .withRoot(0711, 7)
                        .withProgram()
                        .layer(layer -> layer.link("trap", "/"))
                        .layer(layer -> layer.directory("trap", 0755, 0))
                        .says(null, "/trap/root/work", List.of(), List.of("/show"), List.of())
                        .layoutArchive(), "rooted");
        Snapshot snapshot;
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).image("rooted").network("none"))) {
            assertThat(box.output(Run.of("/show"))).startsWith("uid 0 gid 0 in /trap/root/work ");
            assertThat(box.files().stat("/")).satisfies(root -> assertThat(root.mode() + " " + root.gid()).isEqualTo("0711 7"));
            assertThat(box.files().stat("/trap/root")).as("no link of a layer below led out").satisfies(made -> assertThat(made.mode() + " " + made.gid()).isEqualTo("0755 0"));
            snapshot = daemon.api().capture(box.id(), null);
        }
        try (InputStream body = daemon.caller().open("/v1/snapshots/" + snapshot.id() + "/image?name=again")) {
            read(body.readAllBytes(), null);
        }
        daemon.api().deleteSnapshot(snapshot.id());
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).image("again").network("none"))) {
            assertThat(box.files().stat("/")).satisfies(root -> assertThat(root.mode() + " " + root.gid()).isEqualTo("0711 7"));
        }
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).image("rooted").network("none").commands(null, "/data/one/below"))) {
            assertThatThrownBy(() -> box.run(Run.of("/show"))).as("a file is in the way").isInstanceOf(SandglassException.class).hasMessageContaining("/data/one/below: Not a directory");
        }
    }

    @Test
    void aNameGoesBeforeTheBeginningOfAnId() {
        ImageInfo first = read(small().layoutArchive(), "first");
        String begin = first.id().substring("img-".length(), "img-".length() + 6);
        ImageInfo other = read(new TestImage().withProgram().says(null, null, List.of(), List.of("/show"), List.of()).layoutArchive(), begin);
        assertThat(daemon.caller().get("/v1/images/" + begin).as(ImageInfo.class).id()).isEqualTo(other.id());
        assertThat(daemon.caller().get("/v1/images/img-" + begin).as(ImageInfo.class).id()).isEqualTo(first.id());
        daemon.caller().delete("/v1/images/" + begin);
        assertThat(images()).extracting(ImageInfo::id).containsExactly(first.id());
        assertThat(daemon.caller().get("/v1/images/" + begin).as(ImageInfo.class).id()).isEqualTo(first.id());
    }

    @Test
    void nobodySaysWhatDigestAnImageHas() {
        String claim = "@sha256:" + "1".repeat(64);
        refused(ErrorCode.INVALID_REQUEST, () -> read(small().layoutArchive(), "trusted" + claim));
        assertThat(images()).isEmpty();
        assertThat(read(small().savedArchive("team/trusted" + claim), null).names()).isEmpty();
    }

    @Test
    void linksOfAnImageLeadNowhereElse() {
        read(new TestImage()
                        .withProgram()
                        .layer(layer -> {
                            layer.directory("etc", 0755, 0);
                            layer.link("etc/hosts", "/data/hosts");
                            layer.link("etc/resolv.conf", "../run/systemd/resolve/stub-resolv.conf");
                            layer.link("etc/hostname", "/proc/self/environ");
                            layer.link("etc/machine-id", "/nowhere");
                            layer.directory("etc/ssl", 0755, 0);
                            layer.link("etc/ssl/certs", "../pki/certs");
                            layer.link("tmp", "/data");
                            layer.link("run", "/data/run");
                            layer.link("proc", "/data");
                        })
                        .says(null, null, List.of(), List.of(), List.of())
                        .layoutArchive(), "links");
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).image("links").network("open"))) {
            String seen = box.output(Run.of("/show", "/etc/hostname", "/etc/hosts", "/etc/resolv.conf", "/etc/ssl/certs/ca-certificates.crt"));
            assertThat(seen).contains("/etc/hostname: " + box.name(), "127.0.0.1 localhost", "nameserver ").contains("BEGIN CERTIFICATE");
        }
    }

    @Test
    void anImageOfASnapshotIsOneForOtherTools(@TempDir Path directory) throws IOException, InterruptedException {
        read(small().layoutArchive(), "small");
        Path archive = directory.resolve("image.tar");
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).image("small"))) {
            box.files().write("/data/four", "four\n");
            box.files().remove("/data/two", false);
            Snapshot snapshot = daemon.api().capture(box.id(), null);
            try (InputStream body = daemon.caller().open("/v1/snapshots/" + snapshot.id() + "/image?name=exported:2")) {
                Files.copy(body, archive);
            }
            daemon.api().deleteSnapshot(snapshot.id());
        }
        String inspected = Skopeo.run("inspect", "--config", "oci-archive:" + archive);
        assertThat(inspected).contains("\"/show\"", "A=image", "\"12:13\"", "/data");
        Skopeo.run("copy", "--insecure-policy", "oci-archive:" + archive, "docker-archive:" + directory.resolve("saved.tar") + ":elsewhere:3");
        assertThat(read(Files.readAllBytes(directory.resolve("saved.tar")), null).names()).anyMatch(name -> name.endsWith("elsewhere:3"));
        assertThat(read(Files.readAllBytes(archive), null).names()).contains("exported:2");
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).image("exported:2"))) {
            assertThat(box.output(Run.of("/show", "four", "two", "one"))).isEqualTo("uid 12 gid 13 in /data A=image B=image\nfour: four\ntwo: nothing\none: nothing");
        }
    }

    @Test
    void aSnapshotGoesElsewhereWithItsImage() throws IOException {
        read(small().layoutArchive(), "small");
        byte[] file;
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).image("small"))) {
            box.files().write("/data/four", "four\n");
            Snapshot snapshot = daemon.api().capture(box.id(), null);
            try (InputStream body = daemon.caller().open("/v1/snapshots/" + snapshot.id() + "/export")) {
                file = body.readAllBytes();
            }
            daemon.api().deleteSnapshot(snapshot.id());
        }
        daemon.caller().delete("/v1/images/small");
        Snapshot read = daemon.caller().good(daemon.caller().send("POST", "/v1/snapshots/import?name=elsewhere", "application/octet-stream", BodyPublishers.ofByteArray(file))).as(Snapshot.class);
        try (TestSandbox copy = daemon.api().create(SandboxRequest.on(runtime).from(read.id()))) {
            assertThat(copy.output(Run.of("/show", "four", "two", "one"))).isEqualTo("uid 12 gid 13 in /data A=image B=image\nfour: four\ntwo: two\none: nothing");
        }
        daemon.api().deleteSnapshot(read.id());
    }

    private Attached run(String image, List<String> words) {
        RunSandbox request = new RunSandbox(SandboxRequest.on(runtime).image(image).toWire(), Run.of(words.toArray(new String[0])).toStart(), true);
        return Attached.run(daemon.caller(), request);
    }

    private ImageInfo read(byte[] archive, @Nullable String name) {
        String query = name == null ? "" : "?name=" + Caller.encode(name);
        return daemon.caller().good(daemon.caller().send("POST", "/v1/images/import" + query, "application/octet-stream", BodyPublishers.ofByteArray(archive))).as(ImageInfo.class);
    }

    private List<ImageInfo> images() {
        return daemon.caller().get("/v1/images").as(ImageList.class).images();
    }

    private List<String> layers() throws IOException {
        return MountNamespace.inside(daemon.run(), "ls -A " + daemon.data().resolve("pool")).lines().filter(name -> name.startsWith("layer.oci-") || name.startsWith("unpack-")).toList();
    }
}
