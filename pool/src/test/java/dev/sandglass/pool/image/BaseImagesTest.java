package dev.sandglass.pool.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.engine.image.Image;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.pool.PoolKind;
import dev.sandglass.pool.PoolOptions;
import dev.sandglass.pool.Pools;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Builds a real image, once, by two builders at the same time; all tests look at that one. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BaseImagesTest {
    private Path data;
    private Pool pool;
    private BaseImages images;
    private Image image;
    private Path root;
    private final Queue<String> phases = new ConcurrentLinkedQueue<>();

    @BeforeAll
    void buildByTwoAtOnce(@TempDir Path directory) throws Exception {
        data = directory;
        pool = Pools.open(data, PoolOptions.of(PoolKind.BTRFS_LOOP).imageBytes(8L << 30));
        images = new BaseImages(pool, data);
        assertThat(images.current()).isEmpty();
        assertUnavailable(images::require, "was not built yet");
        Callable<Image> builder = () ->
                new BaseImages(pool, data).build(BuildOptions.DEFAULT, (phase, elapsed) -> phases.add(phase));
        try (var executor = Executors.newFixedThreadPool(2)) {
            List<Image> built = executor.invokeAll(List.of(builder, builder)).stream()
                    .map(future -> future.resultNow())
                    .toList();
            assertThat(built.get(0)).isEqualTo(built.get(1));
            image = built.getFirst();
        }
        root = image.layers().getFirst();
    }

    @AfterAll
    void takeDown() {
        pool.trees().forEach(pool::remove);
        Pools.unmount(data);
    }

    @Test
    void twoBuildersAtOnceMakeOneImage() {
        assertThat(phases).contains("waiting for another build of the image", "running apt-get update");
        assertThat(phases.stream().filter(phase -> phase.startsWith("publishing"))).hasSize(1);
        assertThat(pool.trees()).containsExactly("image-" + image.id());
    }

    @Test
    void itIsFoundAgainAtOnce() {
        assertThat(images.current()).contains(image);
        assertThat(images.require()).isEqualTo(image);
        long start = System.nanoTime();
        assertThat(images.build(BuildOptions.DEFAULT, Progress.SILENT)).isEqualTo(image);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
    }

    /** Else `cat` and `cp` take a new file of a sandbox for one of the image, now and then. */
    @Test
    void noFileOfItHasTheNumberOfAFileAboveIt() throws IOException {
        Path above = pool.create("above");
        try (Stream<Path> files = Files.walk(root)) {
            assertThat(files.filter(file -> !file.equals(root)).filter(file -> number(file) < Pool.NUMBERS_BELOW)).isEmpty();
            assertThat(number(Files.createFile(above.resolve("file")))).isLessThan(Pool.NUMBERS_BELOW);
        } finally {
            pool.remove("above");
        }
    }

    private static long number(Path file) {
        try {
            return (Long) Files.getAttribute(file, "unix:ino", LinkOption.NOFOLLOW_LINKS);
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    @Test
    void itHasTheUserWithSudoAndAWorkspace() throws IOException {
        assertThat(root.resolve("etc/passwd")).content().contains("user:x:1000:1000::/home/user:/bin/bash\n");
        assertThat(root.resolve("etc/group")).content().containsPattern("(?m)^sudo:x:\\d+:user$").contains("user:x:1000:");
        assertThat(mode("etc/sudoers.d/sandglass")).isEqualTo("100440 0 0");
        assertThat(root.resolve("etc/sudoers.d/sandglass")).hasContent("user ALL=(ALL:ALL) NOPASSWD: ALL\n");
        assertThat(mode("usr/bin/sudo")).as("sudo is set-uid").isEqualTo("104755 0 0");
        assertThat(mode("workspace")).isEqualTo("42775 1000 1000");
        assertThat(mode("home/user")).endsWith(" 1000 1000");
    }

    @Test
    void pipAndAptWorkInside() throws IOException {
        assertThat(root.resolve("etc/pip.conf")).content().contains("break-system-packages = true");
        assertThat(root.resolve("usr/bin/python")).isSymbolicLink();
        assertThat(root.resolve("etc/apt/sources.list")).content().startsWith("deb ").contains(images.facts(image.id()).suite());
        assertThat(root.resolve("etc/apt/sources.list.d")).isEmptyDirectory();
        assertThat(root.resolve("etc/apt/apt.conf.d/99mmdebstrap")).content().contains("APT::Sandbox::User \"root\"");
        assertThat(mode("usr/sbin/policy-rc.d")).isEqualTo("100755 0 0");
    }

    @Test
    void systemctlIsTheAgentAndNoServiceIsEnabled() throws IOException {
        assertThat(Files.readSymbolicLink(root.resolve("usr/bin/systemctl"))).isEqualTo(Path.of("/run/sandglass/agent"));
        assertThat(root.resolve("var/lib/dpkg/diversions")).content().contains("/usr/bin/systemctl\n/usr/bin/systemctl.debian\n", "/bin/systemctl\n/bin/systemctl.debian\n");
        try (Stream<Path> units = Files.list(root.resolve("etc/systemd/system"))) {
            assertThat(units.filter(Files::isSymbolicLink)).isEmpty();
        }
        assertThat(root.resolve("etc/systemd/system")).isDirectoryNotContaining("glob:**.wants");
    }

    @Test
    void itHasNoIdentityAndNoLeftovers() throws IOException {
        assertThat(root.resolve("etc/ssh")).isDirectoryNotContaining("glob:**ssh_host_*");
        assertThat(root.resolve("etc/machine-id")).isEmptyFile();
        assertThat(Files.isRegularFile(root.resolve("etc/resolv.conf"), LinkOption.NOFOLLOW_LINKS)).isTrue();
        assertThat(root.resolve("etc/resolv.conf")).content().doesNotContain("nameserver");
        assertThat(root.resolve("etc/hostname")).hasContent("sandbox\n");
        assertThat(root.resolve("var/lib/apt/lists")).isDirectoryNotContaining("glob:**Packages*");
        assertThat(root.resolve("var/cache/apt/archives")).isDirectoryNotContaining("glob:**.deb");
        assertThat(root.resolve("tmp")).isEmptyDirectory();
    }

    @Test
    void whatTheHostTrustsIsTrustedInside() throws IOException {
        String bundle = Files.readString(root.resolve("etc/ssl/certs/ca-certificates.crt"));
        for (String certificate : HostCertificates.ofHost().added()) {
            assertThat(bundle.replaceAll("\\s", "")).contains(certificate.replaceAll("\\s", ""));
        }
    }

    @Test
    void itIsSealedAndDescribed() {
        assertThatThrownBy(() -> Files.writeString(root.resolve("etc/hostname"), "changed"))
                .hasMessageContaining("Read-only file system");
        ImageManifest manifest = images.facts(image.id());
        assertThat(manifest.id()).isEqualTo(image.id()).matches("[0-9a-f]{12}");
        assertThat(manifest.packages()).anyMatch(line -> line.startsWith("python3 ")).anyMatch(line -> line.startsWith("git "));
        assertThat(manifest.files()).isGreaterThan(5_000);
        assertThat(manifest.bytes()).isBetween(100L << 20, 600L << 20);
        images.verify(image.id());
    }

    @Test
    void aFlippedByteIsFound() throws IOException {
        String id = "0123456789ab";
        Path copy = pool.copy("image-" + image.id(), "image-" + id);
        String manifest = Files.readString(data.resolve("images/" + image.id() + ".json"));
        Files.writeString(data.resolve("images/" + id + ".json"), manifest.replace(image.id(), id));
        Path victim = copy.resolve("usr/bin/git");
        byte[] bytes = Files.readAllBytes(victim);
        bytes[bytes.length / 2] ^= 1;
        Files.write(victim, bytes);
        assertUnavailable(() -> images.verify(id), "is not sealed");
        pool.seal("image-" + id);
        assertUnavailable(() -> images.verify(id), "was changed");
        images.remove(id);
        assertThat(pool.trees()).doesNotContain("image-" + id);
        assertThatIllegalArgumentException().isThrownBy(() -> images.remove(image.id()));
    }

    @Test
    void aBrokenPointerManifestOrTreeIsNamed(@TempDir Path other) throws IOException {
        Path directory = Files.createDirectories(other.resolve("images"));
        BaseImages broken = new BaseImages(pool, other);
        Files.writeString(directory.resolve("base"), "../../etc/passwd");
        assertUnavailable(broken::require, "does not hold an id");
        Files.writeString(directory.resolve("base"), "0123456789ff\n");
        assertUnavailable(broken::require, "has no manifest");
        Files.writeString(directory.resolve("0123456789ff.json"), "{\"version\":");
        assertUnavailable(broken::require, "has a broken manifest");
        String manifest = Files.readString(data.resolve("images/" + image.id() + ".json"));
        Files.writeString(directory.resolve("0123456789ff.json"), manifest);
        assertUnavailable(broken::require, "has a manifest of version " + ImageManifest.VERSION + " for " + image.id());
        Files.writeString(directory.resolve("0123456789ff.json"), manifest.replace(image.id(), "0123456789ff"));
        assertUnavailable(broken::require, "is gone");
        pool.create("image-0123456789ff");
        assertUnavailable(broken::require, "lacks the directory /usr");
        assertThat(broken.current()).isEmpty();
        pool.remove("image-0123456789ff");
    }

    @Test
    void aBuildThatFailsSaysWhyAndLeavesNothing() {
        BuildOptions options = new BuildOptions(Optional.of("no-such-suite"), true);
        assertThatThrownBy(() -> images.build(options, Progress.SILENT))
                .isInstanceOfSatisfying(SandglassException.class, problem -> {
                    assertThat(problem.code()).isEqualTo(ErrorCode.IMAGE_UNAVAILABLE);
                    assertThat(problem.what()).contains("mmdebstrap ended with").contains("no-such-suite");
                    assertThat(problem.hint()).contains("apt-get update", "build.log");
                });
        assertNothingIsLeft();
    }

    @Test
    void aBuildThatIsInterruptedLeavesNothing() throws Exception {
        CountDownLatch extracting = new CountDownLatch(1);
        Progress progress = (phase, elapsed) -> {
            if (phase.startsWith("extracting")) {
                extracting.countDown();
            }
        };
        Thread builder = Thread.ofVirtual().start(() -> {
            assertThatThrownBy(() -> images.build(new BuildOptions(Optional.empty(), true), progress))
                    .isInstanceOf(SandglassException.class);
        });
        assertThat(extracting.await(120, TimeUnit.SECONDS)).isTrue();
        builder.interrupt();
        assertThat(builder.join(Duration.ofSeconds(20))).isTrue();
        assertNothingIsLeft();
        assertThat(ProcessHandle.allProcesses()
                        .filter(process -> process.info().commandLine().orElse("").contains(data.toString())))
                .isEmpty();
    }

    @Test
    void oddSuitesAreRefused() {
        assertThatThrownBy(() -> new BuildOptions(Optional.of("--help"), false))
                .isInstanceOf(SandglassException.class)
                .hasMessageContaining("suite: --help");
    }

    private void assertNothingIsLeft() {
        assertThat(pool.trees()).containsExactly("image-" + image.id());
        assertThat(data.resolve("images/build")).doesNotExist();
        assertThat(images.current()).contains(image);
    }

    private static void assertUnavailable(ThrowingCallable call, String what) {
        assertThatThrownBy(call).isInstanceOfSatisfying(SandglassException.class, problem -> {
            assertThat(problem.code()).isEqualTo(ErrorCode.IMAGE_UNAVAILABLE);
            assertThat(problem.what()).contains(what);
            assertThat(problem.hint()).contains("sandglass setup --rebuild-image");
        });
    }

    /** Type and mode in octal, user and group. */
    private String mode(String path) throws IOException {
        var attributes = Files.readAttributes(root.resolve(path), "unix:mode,uid,gid", LinkOption.NOFOLLOW_LINKS);
        return Integer.toOctalString((int) Long.parseLong(String.valueOf(attributes.get("mode")))) + " "
                + attributes.get("uid") + " " + attributes.get("gid");
    }
}
