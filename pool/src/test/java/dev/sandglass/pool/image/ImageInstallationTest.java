package dev.sandglass.pool.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.engine.pool.Pool;
import dev.sandglass.pool.PoolKind;
import dev.sandglass.pool.PoolOptions;
import dev.sandglass.pool.Pools;
import dev.sandglass.pool.Shell;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An image that comes from elsewhere is taken as what it says it is, or leaves nothing. */
class ImageInstallationTest {
    /** As little as passes for an image. */
    private static final String SMALL =
            """
            chmod 755 . && mkdir -p usr/bin usr/sbin etc/apt etc/ssl/certs etc/sudoers.d etc/ssh home/user workspace && cd usr/bin
            touch apt-get bash curl git pip3 python python3 ssh sudo ../sbin/sshd ../sbin/policy-rc.d && cd ../../etc
            touch apt/sources.list machine-id pip.conf ssl/certs/ca-certificates.crt sudoers.d/sandglass
            echo user:x:1000:1000:user:/home/user:/bin/sh > passwd
            """;

    @TempDir
    Path data;

    @TempDir
    Path elsewhere;

    private Pool pool;
    private BaseImages images;

    @BeforeEach
    void open() {
        pool = Pools.open(data, PoolOptions.of(PoolKind.COPY));
        images = new BaseImages(pool, data);
    }

    @Test
    void anImageIsTakenAsItIs() throws IOException {
        install(2, SMALL, SMALL);
        assertThat(pool.trees()).hasSize(1);
    }

    @Test
    void anImageOfTheFirstVersionIsTakenIfItHasNoAttributes() throws IOException {
        install(1, SMALL, SMALL);
        assertThat(pool.trees()).hasSize(1);
        String noted = SMALL + "python3 -c 'import os; os.setxattr(\"passwd\", \"user.note\", b\"1\")'";
        isRefused(() -> install(1, noted + " && touch other", noted + " && touch other"), "attributes that its digest leaves out");
    }

    @Test
    void aListOfUsersThatIsTooLongIsNotRead() {
        String bomb = SMALL + "truncate -s 2M passwd";
        isRefused(() -> install(2, bomb, bomb), "lacks the user");
        assertThat(pool.trees()).isEmpty();
    }

    @Test
    void noLinkLeadsOut() {
        String led = SMALL + "cd .. && mv etc other && ln -s /etc etc";
        isRefused(() -> install(2, led, led), "lacks the directory /etc");
        assertThat(pool.trees()).isEmpty();
    }

    @Test
    void nothingIsLeftWhenMemoryRunsOut() throws IOException {
        ImageManifest manifest = manifest(2, SMALL, "suite");
        assertThatThrownBy(() -> images.install(manifest.id(), Json.write(manifest), _ -> {
                    throw new OutOfMemoryError("played");
                }))
                .hasMessageContaining("played");
        assertThat(pool.trees()).isEmpty();
    }

    @Test
    void anotherImageOfTheSameIdIsNotTakenForIt() throws IOException {
        ImageManifest manifest = manifest(2, SMALL, "suite");
        images.install(manifest.id(), Json.write(manifest), tree -> Shell.run(tree, SMALL));
        images.install(manifest.id(), Json.write(manifest), _ -> {
            throw new AssertionError("it is there");
        });
        ImageManifest collision = new ImageManifest(
                2, manifest.id(), manifest.suite(), manifest.created(), "0".repeat(64), manifest.files(), manifest.bytes(), manifest.packages());
        new ImageStore(data).add(collision); // as if it had been there first
        isRefused(() -> images.install(manifest.id(), Json.write(manifest), _ -> {}), "there is another image");
    }

    private void install(int version, String said, String made) throws IOException {
        ImageManifest manifest = manifest(version, said, "suite");
        images.install(manifest.id(), Json.write(manifest), tree -> Shell.run(tree, made));
    }

    private ImageManifest manifest(int version, String script, String suite) throws IOException {
        Path tree = Files.createTempDirectory(elsewhere, "tree");
        Shell.run(tree, script);
        TreeDigest.Result digest = TreeDigest.of(tree);
        String id = ImageBuild.id(suite, Instant.EPOCH, digest.of(version), List.of());
        return new ImageManifest(version, id, suite, Instant.EPOCH, digest.of(version), digest.files(), digest.bytes(), List.of());
    }

    private static void isRefused(ThrowingCallable call, String why) {
        assertThatThrownBy(call)
                .hasMessageContaining(why)
                .extracting((Function<Throwable, ErrorCode>) problem -> ((SandglassException) problem).code())
                .isEqualTo(ErrorCode.ARCHIVE_REFUSED);
    }
}
