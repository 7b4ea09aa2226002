package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.archive.ArchiveFormat;
import dev.sandglass.engine.archive.ArchiveWriter;
import dev.sandglass.engine.image.Images;
import dev.sandglass.engine.ledger.ImageRecord;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.manifest.Facts;
import dev.sandglass.engine.manifest.ManifestSource;
import dev.sandglass.engine.manifest.ManifestSummary;
import dev.sandglass.engine.sandbox.Capability;
import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.wire.ArchiveHeader;
import dev.sandglass.wire.ArchiveHeader.Part;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One snapshot on its way out. It holds what it reads until it is closed. Not thread-safe. */
public final class Export implements AutoCloseable {
    /** A tree with its portable manifest, or the agent with none. */
    private record Piece(Part part, String root, Path path, Optional<Path> portable) {}

    private final Archives.Tools tools;
    private final SnapshotRecord snapshot;
    private final WorkFiles files;
    /** On which its layers lie. */
    private String image;
    private final List<Piece> pieces = new ArrayList<>();
    private @Nullable String imageManifest;

    Export(Archives.Tools tools, SnapshotRecord snapshot, WorkFiles files) {
        this.tools = tools;
        this.snapshot = snapshot;
        this.files = files;
        this.image = snapshot.image();
        tools.layers().hold(snapshot.layers());
        tools.memories().hold(snapshot.id());
        tools.usedImages().hold(snapshot.image());
    }

    /** How its file is to be called. */
    public String fileName() {
        return snapshot.name().orElse(snapshot.id().text()) + ArchiveFormat.SUFFIX;
    }

    void describe(boolean thin) {
        try {
            tools.packing().apart(() -> {
                boolean isElsewheres = ImageRecord.isId(snapshot.image());
                if (!thin && !isElsewheres) {
                    describeImage();
                }
                for (String layer : snapshot.layers()) {
                    add(Part.LAYER, "upper", tools.layers().layers().lower(layer), tools.layers().manifest(layer));
                }
                if (!thin && isElsewheres) {
                    describeLayers();
                }
                if (snapshot.memory().isPresent()) {
                    add(Part.MEMORY, "memory", tools.memories().path(snapshot.id()), tools.memories().manifest(snapshot.id()));
                    String agent = snapshot.memory().get().agent();
                    Path binary = tools.agents().path(agent);
                    pieces.add(new Piece(new Part(Part.AGENT, 0, 1, Files.size(binary), agent), "", binary, Optional.empty()));
                }
                return true;
            });
        } catch (IOException problem) {
            throw StorageFailure.of("The snapshot " + snapshot.id() + " cannot be read", problem);
        }
    }

    /** Images have no manifest of their files, so one is made. */
    private void describeImage() throws IOException {
        Path tree = tools.images().require(snapshot.image()).layers().getFirst();
        imageManifest = tools.images().manifest(snapshot.image());
        Path manifest = files.make();
        tools.manifests().write(new ManifestSource(Map.of(Part.IMAGE, tree), Map.of()), manifest, Optional.empty());
        add(Part.IMAGE, Part.IMAGE, tree, manifest);
        files.remove(manifest);
    }

    /** Nobody can tell of what is in an image from elsewhere that it is that image, so it goes as layers of the snapshot's own. */
    private void describeLayers() throws IOException {
        image = Images.NOTHING;
        for (Path layer : tools.images().require(snapshot.image()).layers()) {
            Path manifest = files.make();
            tools.manifests().write(new ManifestSource(Map.of("upper", layer), Map.of()), manifest, Optional.empty());
            add(Part.LAYER, "upper", layer, manifest);
            files.remove(manifest);
        }
    }

    private void add(String role, String root, Path tree, Path manifest) throws IOException {
        Path portable = files.make();
        ManifestSummary summary = tools.packing().portable(manifest, portable);
        Part part = new Part(role, Files.size(portable), summary.entries(), summary.bytes(), summary.digest());
        pieces.add(new Piece(part, root, tree, Optional.of(portable)));
    }

    /** Writes the file. What has changed since this export began ends it in the middle, with {@code snapshot_damaged}. */
    public void writeTo(OutputStream target) throws IOException {
        tools.packing().apart(() -> {
            try (OutputStream compressed = tools.packing().compressed(target)) {
                ArchiveWriter writer = new ArchiveWriter(compressed, header());
                for (Piece piece : pieces) {
                    writer.file(piece.portable().orElse(piece.path()));
                    if (piece.portable().isPresent()) {
                        tools.packing().pack(piece.root(), piece.path(), piece.portable().get(), writer.content());
                    }
                }
                writer.finish();
            }
            return true;
        });
    }

    private ArchiveHeader header() {
        return new ArchiveHeader(
                ArchiveFormat.VERSION,
                snapshot.id().text(),
                snapshot.name().orElse(null),
                snapshot.sandbox().text(),
                snapshot.sandboxName(),
                snapshot.runtime(),
                Facts.architecture(), // no other is taken in or used
                image,
                imageManifest,
                snapshot.generation(),
                snapshot.pauseMicros(),
                snapshot.description(),
                snapshot.labels(),
                snapshot.createdAt(),
                snapshot.memory().map(Export::processes).orElse(null),
                pieces.stream().map(Piece::part).toList(),
                snapshot.commandDefaults().toWire());
    }

    private static ArchiveHeader.Processes processes(SnapshotRecord.Memory memory) {
        Limits limits = memory.limits();
        return new ArchiveHeader.Processes(
                memory.agent(),
                memory.security().text(),
                memory.capabilities().stream().sorted().map(Capability::name).toList(),
                limits.memoryBytes(),
                limits.cpus(),
                limits.diskBytes(),
                limits.processes(),
                memory.traits());
    }

    @Override
    public void close() {
        try (files) {
            tools.layers().release(snapshot.layers());
            tools.memories().release(snapshot.id());
        } finally {
            tools.usedImages().release(snapshot.image());
        }
    }
}
