package dev.sandglass.engine.oci;

import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.life.Foundation;
import dev.sandglass.engine.sandbox.CommandDefaults;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Sha256;
import dev.sandglass.wire.oci.ConfigDocument;
import dev.sandglass.wire.oci.Descriptor;
import dev.sandglass.wire.oci.ManifestDocument;
import dev.sandglass.wire.oci.Platform;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.zip.GZIPOutputStream;

/** A snapshot's disk as an image in an archive with an OCI layout, made whole before the first byte goes out. For one run; not thread-safe. */
public final class ImageExport implements AutoCloseable {
    private static final String CONFIG = "application/vnd.oci.image.config.v1+json";
    private static final String LAYER = "application/vnd.oci.image.layer.v1.tar+gzip";
    private static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";
    private static final String INDEX = "application/vnd.oci.image.index.v1+json";
    private static final String NAME = "org.opencontainers.image.ref.name";
    private static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    private static final int BUFFER = 1 << 16;

    private final LayerFiles packing;
    private final Foundation.Held held;
    private final WorkDirectory.Place place;
    private final BooleanSupplier unwanted;
    /** By their names, each once. */
    private final Map<String, Path> files = new LinkedHashMap<>();

    /**
     * @param held what the snapshot stands on, which is let go at the end
     * @param unwanted once it is so, it ends soon with {@code conflict}
     */
    ImageExport(LayerFiles packing, Foundation.Held held, WorkDirectory.Place place, BooleanSupplier unwanted) {
        this.packing = packing;
        this.held = held;
        this.place = place;
        this.unwanted = unwanted;
    }

    /** @param layers the lowest first */
    void make(SnapshotRecord snapshot, List<Path> layers, Optional<String> name) throws IOException {
        List<Descriptor> blobs = new ArrayList<>();
        List<String> diffIds = new ArrayList<>();
        for (Path layer : layers) {
            MessageDigest plain = Sha256.begin();
            blobs.add(layer(layer, plain));
            diffIds.add("sha256:" + HexFormat.of().formatHex(plain.digest()));
        }
        ConfigDocument config = new ConfigDocument(
                snapshot.createdAt().toString(), Selection.ARCHITECTURE, "linux", null, settings(snapshot.commandDefaults()), new ConfigDocument.Layers("layers", diffIds));
        Descriptor configured = document(CONFIG, Json.bytes(config));
        Descriptor manifest = document(MANIFEST, Json.bytes(new ManifestDocument(2, MANIFEST, configured, blobs, null)));
        Descriptor entry = new Descriptor(
                MANIFEST, manifest.digest(), manifest.size(), new Platform(Selection.ARCHITECTURE, "linux", null), name.map(known -> Map.of(NAME, known)).orElse(null));
        write("index.json", Json.bytes(new ManifestDocument(2, INDEX, null, null, List.of(entry))));
        write("oci-layout", "{\"imageLayoutVersion\":\"1.0.0\"}".getBytes(StandardCharsets.US_ASCII));
    }

    private static ConfigDocument.Settings settings(CommandDefaults commands) {
        List<String> env = new ArrayList<>();
        if (!commands.env().containsKey("PATH")) {
            env.add("PATH=" + PATH);
        }
        commands.env().forEach((name, value) -> env.add(name + "=" + value));
        boolean runsNothing = commands.words(List.of()).isEmpty();
        return new ConfigDocument.Settings(
                commands.user().orElse(null),
                env,
                commands.entrypoint().isEmpty() ? null : commands.entrypoint(),
                runsNothing ? List.of("/bin/sh") : commands.cmd(),
                commands.workdir().orElse(null),
                null);
    }

    private Descriptor layer(Path tree, MessageDigest plain) throws IOException {
        Path file = Files.createTempFile(place.path(), "layer", "");
        MessageDigest packed = Sha256.begin();
        try (OutputStream out = new DigestOutputStream(Files.newOutputStream(file), packed);
                OutputStream zipped = new BufferedOutputStream(new Quick(out), BUFFER);
                OutputStream tar = new Watched(new DigestOutputStream(zipped, plain), this::look)) {
            packing.pack(tree, tar);
        }
        return added(LAYER, HexFormat.of().formatHex(packed.digest()), file);
    }

    /** What is in a layer is hostile, and may be much more than its files have on the disk. */
    private void look() {
        place.requireRoom();
        if (unwanted.getAsBoolean()) {
            throw new SandglassException(ErrorCode.CONFLICT, "Nobody waits for the image any more.", "Export it again.");
        }
    }

    /** Compressing is most of what an export does. */
    private static final class Quick extends GZIPOutputStream {
        Quick(OutputStream target) throws IOException {
            super(target, BUFFER);
            def.setLevel(1);
        }
    }

    private Descriptor document(String type, byte[] content) throws IOException {
        Path file = Files.write(Files.createTempFile(place.path(), "document", ""), content);
        return added(type, Sha256.of(content), file);
    }

    private Descriptor added(String type, String hex, Path file) throws IOException {
        files.put("blobs/sha256/" + hex, file);
        return Descriptor.of(type, "sha256:" + hex, Files.size(file));
    }

    private void write(String name, byte[] content) throws IOException {
        files.put(name, Files.write(Files.createTempFile(place.path(), "document", ""), content));
    }

    /** The archive; what cannot be taken ends it. */
    public void writeTo(OutputStream target) throws IOException {
        List<NamedFile> all = new ArrayList<>();
        files.forEach((name, path) -> all.add(new NamedFile(name, path)));
        packing.write(all.reversed(), target); // what says where the rest is comes first
    }

    @Override
    public void close() throws IOException {
        try (held) {
            place.close();
        }
    }
}
