package dev.sandglass.server;

import dev.sandglass.pool.archive.PaxWriter;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.Sha256;
import dev.sandglass.wire.oci.ConfigDocument;
import dev.sandglass.wire.oci.Descriptor;
import dev.sandglass.wire.oci.ManifestDocument;
import dev.sandglass.wire.oci.Platform;
import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** An image that a test makes by hand, with all that registries and archives have of it. */
final class TestImage {
    static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";
    static final String INDEX = "application/vnd.oci.image.index.v1+json";
    private static final String CONFIG = "application/vnd.oci.image.config.v1+json";

    /** How a layer is compressed. */
    enum Packed {
        GZIP,
        ZSTD,
        PLAIN
    }

    /** What a test writes into a layer. */
    interface Content {
        void write(Layer layer) throws IOException;
    }

    /** One layer as it is written. */
    record Layer(PaxWriter tar) {
        void file(String name, String content, int mode, int owner) throws IOException {
            file(name, content.getBytes(StandardCharsets.UTF_8), mode, owner);
        }

        void file(String name, byte[] content, int mode, int owner) throws IOException {
            tar.entry('0', new PaxWriter.Facts(name, mode, owner, owner, 1_000_000, Map.of()), "", content.length);
            tar.content(content, 0, content.length);
            tar.pad(content.length);
        }

        void directory(String name, int mode, int owner) throws IOException {
            tar.entry('5', new PaxWriter.Facts(name + "/", mode, owner, owner, 1_000_000, Map.of()), "", 0);
        }

        void link(String name, String target) throws IOException {
            tar.entry('2', new PaxWriter.Facts(name, 0777, 0, 0, 1_000_000, Map.of()), target, 0);
        }
    }

    private final Map<String, byte[]> blobs = new LinkedHashMap<>();
    private final List<Descriptor> layers = new ArrayList<>();
    private final List<byte[]> plain = new ArrayList<>();
    private final List<String> diffIds = new ArrayList<>();
    private String architecture = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
    private ConfigDocument.@Nullable Settings settings;

    TestImage layer(Content content) {
        return layer(Packed.GZIP, content);
    }

    TestImage layer(Packed how, Content content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            PaxWriter tar = new PaxWriter(bytes);
            content.write(new Layer(tar));
            tar.finish();
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
        plain.add(bytes.toByteArray());
        diffIds.add("sha256:" + Sha256.of(bytes.toByteArray()));
        String type = switch (how) {
            case GZIP -> "application/vnd.oci.image.layer.v1.tar+gzip";
            case ZSTD -> "application/vnd.oci.image.layer.v1.tar+zstd";
            case PLAIN -> "application/vnd.oci.image.layer.v1.tar";
        };
        layers.add(blob(type, packed(how, bytes.toByteArray())));
        return this;
    }

    private static byte[] packed(Packed how, byte[] bytes) {
        return switch (how) {
            case PLAIN -> bytes;
            case ZSTD -> Zstd.compress(bytes);
            case GZIP -> {
                ByteArrayOutputStream target = new ByteArrayOutputStream();
                try (GZIPOutputStream zipped = new GZIPOutputStream(target)) {
                    zipped.write(bytes);
                } catch (IOException problem) {
                    throw new UncheckedIOException(problem);
                }
                yield target.toByteArray();
            }
        };
    }

    /** A program without libraries that tells who runs it where, its words, and what files have. */
    TestImage withProgram() {
        byte[] program = ShowProgram.bytes();
        return layer(layer -> {
            layer.file("show", program, 0755, 0);
            layer.directory("data", 01777, 7);
            layer.file("data/one", "one\n", 0644, 7);
            layer.file("data/two", "two\n", 0644, 0);
        });
    }

    /** The lowest layer, which tells of the root alone. */
    TestImage withRoot(int mode, int owner) {
        return layer(layer -> layer.directory(".", mode, owner));
    }

    TestImage of(String other) {
        architecture = other;
        return this;
    }

    TestImage says(@Nullable String user, @Nullable String workdir, List<String> env, List<String> entrypoint, List<String> cmd) {
        settings = new ConfigDocument.Settings(user, env, entrypoint, cmd, workdir, Map.of("made-by", "a test"));
        return this;
    }

    private Descriptor blob(String type, byte[] bytes) {
        String digest = "sha256:" + Sha256.of(bytes);
        blobs.put(digest, bytes);
        return Descriptor.of(type, digest, bytes.length);
    }

    byte[] config() {
        return Json.bytes(new ConfigDocument("2020-01-01T00:00:00Z", architecture, "linux", null, settings, new ConfigDocument.Layers("layers", diffIds)));
    }

    Platform platform() {
        return new Platform(architecture, "linux", null);
    }

    /** Makes it whole: afterwards its blobs have all of it but this. */
    byte[] manifest() {
        return Json.bytes(new ManifestDocument(2, MANIFEST, blob(CONFIG, config()), layers, null));
    }

    Map<String, byte[]> blobs() {
        return blobs;
    }

    /** As files of an OCI layout. */
    Map<String, byte[]> layout() {
        byte[] manifest = manifest();
        Descriptor first = blob(MANIFEST, manifest);
        Map<String, byte[]> files = new LinkedHashMap<>();
        blobs.forEach((digest, bytes) -> files.put("blobs/sha256/" + digest.substring("sha256:".length()), bytes));
        files.put("index.json", Json.bytes(new ManifestDocument(2, INDEX, null, null, List.of(first))));
        files.put("oci-layout", "{\"imageLayoutVersion\":\"1.0.0\"}".getBytes(StandardCharsets.US_ASCII));
        return files;
    }

    byte[] layoutArchive() {
        return archive(layout());
    }

    Path layoutDirectory(Path directory) throws IOException {
        for (Map.Entry<String, byte[]> file : layout().entrySet()) {
            Path path = directory.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.write(path, file.getValue());
        }
        return directory;
    }

    /** As {@code docker save} writes it. */
    byte[] savedArchive(String name) {
        Map<String, byte[]> files = new LinkedHashMap<>();
        List<String> names = new ArrayList<>();
        for (int i = 0; i < plain.size(); i++) {
            names.add("\"" + i + "/layer.tar\"");
            files.put(i + "/layer.tar", plain.get(i));
        }
        files.put("config.json", config());
        files.put("manifest.json", ("[{\"Config\":\"config.json\",\"RepoTags\":[\"" + name + "\"],\"Layers\":" + names + "}]").getBytes(StandardCharsets.UTF_8));
        return archive(files);
    }

    static byte[] archive(Map<String, byte[]> files) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PaxWriter tar = new PaxWriter(bytes);
        try {
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                new Layer(tar).file(file.getKey(), file.getValue(), 0644, 0);
            }
            tar.finish();
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
        return bytes.toByteArray();
    }
}
