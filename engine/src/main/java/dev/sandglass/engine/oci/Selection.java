package dev.sandglass.engine.oci;

import dev.sandglass.engine.manifest.Facts;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.oci.ConfigDocument;
import dev.sandglass.wire.oci.Descriptor;
import dev.sandglass.wire.oci.ManifestDocument;
import dev.sandglass.wire.oci.Platform;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One image of a source, chosen for this machine: what its digests say of it is checked already.
 *
 * @param digest of the configuration
 * @param layers the lowest first, as many as the configuration has
 */
record Selection(Digest digest, ConfigDocument config, List<Descriptor> layers) {
    private static final int MOST_CONFIG = 8 << 20;
    private static final int MOST_LAYERS = 128;
    private static final int MOST_MANIFESTS = 1024;
    private static final long MOST_BYTES = 64L << 30;
    /** An index may have indexes, as some builders write them. */
    private static final int DEEPEST = 3;

    static final String ARCHITECTURE = Facts.architecture().equals("aarch64") ? "arm64" : Facts.architecture();

    static Selection of(ImageSource source, Optional<Digest> wanted) throws IOException {
        byte[] root = source.root();
        if (wanted.isPresent() && !Digest.of(root).equals(wanted.get())) {
            throw Refusal.of("what came has the digest " + Digest.of(root) + " (expected: " + wanted.get() + ")");
        }
        ManifestDocument manifest = read(ManifestDocument.class, root);
        for (int depth = 0; manifest.manifests() != null; depth++) {
            if (depth == DEEPEST) {
                throw Refusal.of("indexes are in indexes (expected: at most " + DEEPEST + " deep)");
            }
            Descriptor chosen = chosen(manifest.manifests());
            byte[] document = source.manifest(chosen);
            if (!Digest.of(document).equals(Digest.of(chosen.digest()))) {
                throw Refusal.of("a manifest has the digest " + Digest.of(document) + " (expected: " + chosen.digest() + ")");
            }
            manifest = read(ManifestDocument.class, document);
        }
        return of(source, manifest);
    }

    private static Selection of(ImageSource source, ManifestDocument manifest) throws IOException {
        Descriptor told = manifest.config();
        List<Descriptor> layers = Objects.requireNonNullElse(manifest.layers(), List.of());
        if (told == null || layers.isEmpty() || manifest.schemaVersion() != 2) {
            throw Refusal.of("its manifest names no configuration or no layers (expected: version 2 of Docker's, or that of OCI)");
        }
        if (told.size() < 0 || told.size() > MOST_CONFIG) {
            throw Refusal.of("its configuration has " + told.size() + " bytes (expected: at most " + MOST_CONFIG + ")");
        }
        byte[] bytes;
        try (InputStream blob = source.configuration(told);
                Checked checked = new Checked(blob, told, _ -> {})) {
            bytes = checked.readNBytes(MOST_CONFIG);
            checked.finish();
        }
        return new Selection(Digest.of(bytes), read(ConfigDocument.class, bytes), List.copyOf(layers)).sound();
    }

    private Selection sound() {
        boolean isOurs = ARCHITECTURE.equals(config.architecture()) && "linux".equals(config.os());
        if (!isOurs) {
            throw Refusal.of("it is for " + Refusal.shown(config.os()) + "/" + Refusal.shown(config.architecture()) + " (expected: linux/" + ARCHITECTURE + ")");
        }
        if (diffIds().size() != layers.size() || layers.size() > MOST_LAYERS) {
            throw Refusal.of("it has " + layers.size() + " layers and digests of " + diffIds().size() + " (expected: as many, and at most " + MOST_LAYERS + ")");
        }
        long bytes = 0;
        for (Descriptor layer : layers) {
            Digest.of(layer.digest());
            bytes += layer.size();
            if (layer.size() < 0 || layer.size() > MOST_BYTES || bytes > MOST_BYTES) {
                throw Refusal.of("its layers have more than " + (MOST_BYTES >> 30) + " GiB, or less than nothing");
            }
        }
        return this;
    }

    List<Digest> diffIds() {
        ConfigDocument.Layers rootfs = config.rootfs();
        List<String> told = rootfs == null || rootfs.diffIds() == null ? List.of() : rootfs.diffIds();
        return told.stream().map(Digest::of).toList();
    }

    long bytes() {
        return layers.stream().mapToLong(Descriptor::size).sum();
    }

    /** The first for this machine; one that says no variant before one that does, but for the plain one of 64-bit ARM. */
    private static Descriptor chosen(List<Descriptor> manifests) {
        if (manifests.size() > MOST_MANIFESTS) {
            throw Refusal.of("its index has " + manifests.size() + " entries (expected: at most " + MOST_MANIFESTS + ")");
        }
        List<Descriptor> fitting = manifests.stream().filter(each -> fits(each.platform())).toList();
        Optional<Descriptor> plain = fitting.stream().filter(each -> isPlain(each.platform())).findFirst();
        return plain.or(() -> fitting.stream().findFirst()).orElseThrow(() -> Refusal.of("there is none for linux/" + ARCHITECTURE + " in its index"));
    }

    /** An index of one image in an archive may leave the platform out: its configuration tells. */
    private static boolean fits(@Nullable Platform platform) {
        return platform == null || (ARCHITECTURE.equals(platform.architecture()) && "linux".equals(platform.os()));
    }

    private static boolean isPlain(@Nullable Platform platform) {
        String variant = platform == null ? null : platform.variant();
        return variant == null || variant.isEmpty() || variant.equals("v8");
    }

    private static <T> T read(Class<T> type, byte[] json) {
        try {
            return Json.read(type, json);
        } catch (SandglassException malformed) {
            throw Refusal.of("a document of it is none: " + Refusal.shown(malformed.what()));
        }
    }
}
