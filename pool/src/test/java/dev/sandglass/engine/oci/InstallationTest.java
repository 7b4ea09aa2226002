package dev.sandglass.engine.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sandglass.engine.pool.Pool;
import dev.sandglass.pool.PoolKind;
import dev.sandglass.pool.PoolOptions;
import dev.sandglass.pool.Pools;
import dev.sandglass.pool.Shell;
import dev.sandglass.pool.archive.OciLayers;
import dev.sandglass.pool.archive.PaxWriter;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.oci.ConfigDocument;
import dev.sandglass.wire.oci.Descriptor;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** All layers of an image come, in whatever order their bytes do, and none holds up the others for ever. */
@Timeout(120)
class InstallationTest {
    private static final int LAYERS = 8;

    private Pool pool;

    @BeforeEach
    void openPool(@TempDir Path directory) {
        pool = Pools.open(directory, PoolOptions.of(PoolKind.COPY));
    }

    /** Blobs, of which the lowest layer's comes when that many others were read, or never. */
    private static final class Slow implements ImageSource {
        private final Map<String, byte[]> blobs = new ConcurrentHashMap<>();
        private final List<Descriptor> layers = new ArrayList<>();
        private final CountDownLatch before;

        Slow(int others) {
            this.before = new CountDownLatch(others);
        }

        void add(byte[] tar) {
            Digest digest = Digest.of(tar);
            blobs.put(digest.text(), tar);
            layers.add(Descriptor.of("", digest.text(), tar.length));
        }

        Selection image() {
            ConfigDocument.Layers rootfs = new ConfigDocument.Layers("layers", layers.stream().map(Descriptor::digest).toList());
            return new Selection(Digest.of(new byte[0]), new ConfigDocument(null, Selection.ARCHITECTURE, "linux", null, null, rootfs), List.copyOf(layers));
        }

        @Override
        public InputStream blob(Descriptor descriptor) throws IOException {
            InputStream bytes = new ByteArrayInputStream(Objects.requireNonNull(blobs.get(descriptor.digest())));
            if (descriptor.equals(layers.getFirst())) {
                await();
                return bytes;
            }
            return new FilterInputStream(bytes) {
                @Override
                public void close() {
                    before.countDown();
                }
            };
        }

        private void await() throws IOException {
            try {
                before.await();
            } catch (InterruptedException stopped) {
                throw new IOException(stopped);
            }
        }

        @Override
        public byte[] root() {
            return new byte[0];
        }

        @Override
        public byte[] manifest(Descriptor descriptor) {
            return new byte[0];
        }

        @Override
        public InputStream configuration(Descriptor descriptor) {
            return InputStream.nullInputStream();
        }

        @Override
        public List<String> names() {
            return List.of();
        }

        @Override
        public void close() {
            while (before.getCount() > 0) {
                before.countDown();
            }
        }
    }

    private static byte[] layer(String file) throws IOException {
        ByteArrayOutputStream tar = new ByteArrayOutputStream();
        PaxWriter writer = new PaxWriter(tar);
        byte[] content = file.getBytes(StandardCharsets.US_ASCII);
        if (file.indexOf('/') < 0) {
            writer.entry('5', new PaxWriter.Facts("./", 0711, 0, 7, 0, Map.of()), "", 0);
        }
        writer.entry('0', new PaxWriter.Facts(file, 0644, 0, 0, 0, Map.of()), "", content.length);
        writer.content(content, 0, content.length);
        writer.pad(content.length);
        writer.finish();
        return tar.toByteArray();
    }

    private List<String> install(ImageSource source, Selection image) {
        return new Installation(pool, new OciLayers(), source, image, _ -> {}).run();
    }

    @Test
    void theLowestLayerMayComeLast() throws IOException {
        Slow source = new Slow(LAYERS - 1);
        for (int i = 0; i < LAYERS; i++) {
            source.add(layer(i % 2 == 0 ? "file-" + i : "untold/file-" + i));
        }
        List<String> layers = install(source, source.image());
        assertThat(layers).hasSize(LAYERS).doesNotHaveDuplicates();
        assertThat(pool.layers().names()).containsExactlyInAnyOrderElementsOf(layers);
        assertThat(pool.layers().lower(layers.getLast()).resolve("file-0")).hasContent("file-0");
        assertThat(pool.layers().lower(layers.getFirst()).resolve("untold/file-7")).hasContent("untold/file-7");
        assertThat(layers.getLast()).as("it tells of all directories").isEqualTo(Installation.plain(Digest.of(layer("file-0"))));
        assertThat(Files.getAttribute(pool.layers().lower(layers.getFirst()), "unix:gid")).as("of the root only those below tell").isEqualTo(7);
        assertThat(pool.trees()).isEmpty();
    }

    @Test
    void whatIsMissingOfOneThatIsDamagedIsMadeAgain() throws IOException {
        Slow source = new Slow(0);
        for (int i = 0; i < LAYERS; i++) {
            source.add(layer("untold/file-" + i));
        }
        List<String> layers = install(source, source.image());
        List<String> kept = new ArrayList<>();
        assertThat(Installation.isWhole(pool, layers, kept::add)).isTrue();
        assertThat(kept).isEqualTo(layers);
        pool.layers().remove(layers.get(2));
        Shell.run(pool.layers().path(layers.get(4)), "rm -r upper");
        assertThat(Installation.isWhole(pool, layers, kept::add)).isFalse();
        assertThat(install(source, source.image())).isEqualTo(layers);
        assertThat(Installation.isWhole(pool, layers, kept::add)).isTrue();
        assertThat(pool.layers().lower(layers.get(4)).resolve("untold/file-3")).hasContent("untold/file-3");
    }

    @Test
    void oneThatFailsEndsTheWaitForTheRest() throws IOException {
        Slow source = new Slow(2 * LAYERS);
        for (int i = 0; i < LAYERS; i++) {
            source.add(layer("untold/file-" + i));
        }
        Selection image = source.image();
        source.blobs.put(image.layers().getLast().digest(), layer("untold/file-x"));
        SandglassException refused = catchThrowableOfType(SandglassException.class, () -> install(source, image));
        assertThat(refused.code()).isEqualTo(ErrorCode.IMAGE_REFUSED);
        assertThat(pool.trees()).isEmpty();
    }
}
