package dev.sandglass.pool.archive;

import dev.sandglass.engine.archive.Budget;
import dev.sandglass.engine.oci.Digest;
import dev.sandglass.engine.oci.ImageSource;
import dev.sandglass.engine.oci.Refusal;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Sha256;
import dev.sandglass.wire.oci.Descriptor;
import dev.sandglass.wire.oci.ManifestDocument;
import dev.sandglass.wire.oci.SavedImage;
import dev.sandglass.wire.tar.TarEntry;
import dev.sandglass.wire.tar.TarReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * An archive with one image: an OCI layout, or what {@code docker save} writes. Its files come in any order, so they are put aside first, under names of our own. Files are
 * written once, and read by any thread.
 */
final class ArchivedImage implements ImageSource {
    private static final int MOST_FILES = 4096;
    private static final int MOST_DOCUMENT = 4 << 20;
    private static final int MOST_LINKS = 8;
    /** Characters of a name, and of where a link leads: all of them are kept. */
    private static final int MOST_NAME = 4096;
    private static final int PIECE = 256 * 1024;
    private static final List<String> NAMES = List.of("io.containerd.image.name", "org.opencontainers.image.ref.name");

    private record Spooled(Path path, long size, Digest digest) {}

    private final Map<String, Spooled> files = new HashMap<>();
    private final Map<String, String> links = new HashMap<>();
    private final Map<Digest, Spooled> blobs = new HashMap<>();
    private final List<String> names = new ArrayList<>();
    private byte[] root = new byte[0];

    private ArchivedImage() {}

    static ArchivedImage read(InputStream archive, Path work, Budget budget) throws IOException {
        ArchivedImage image = new ArchivedImage();
        image.spool(new TarReader(archive), work, budget);
        image.files.values().forEach(file -> image.blobs.put(file.digest, file));
        if (image.find("index.json").isPresent()) {
            image.beginLayout();
        } else if (image.find("manifest.json").isPresent()) {
            image.beginSaved();
        } else {
            throw Refusal.of("it has neither index.json nor manifest.json (expected: an OCI layout, or what `docker save` writes)");
        }
        return image;
    }

    private void spool(TarReader archive, Path work, Budget budget) throws IOException {
        int count = 0;
        for (TarEntry entry = archive.next(); entry != null; entry = archive.next()) {
            String name = String.join("/", TarFacts.path(entry.name()).stream().map(part -> new String(part.toArray(), StandardCharsets.ISO_8859_1)).toList());
            if (name.length() > MOST_NAME || entry.link().length() > MOST_NAME) {
                throw Refusal.of("a name in the archive has more than " + MOST_NAME + " characters: " + Refusal.shown(name));
            }
            if (++count > MOST_FILES) {
                throw Refusal.of("the archive has more than " + MOST_FILES + " files");
            }
            switch (entry.kind()) {
                case FILE -> files.put(name, spool(archive, entry.size(), work.resolve("file-" + count), budget));
                case SYMBOLIC_LINK -> links.put(name, beside(name, entry.link()));
                case HARD_LINK -> links.put(name, entry.link().replaceFirst("^(\\./)+", ""));
                case DIRECTORY -> {}
                case FIFO, CHARACTER_DEVICE, BLOCK_DEVICE, OTHER -> throw Refusal.of("the archive has something else than files and links: " + Refusal.shown(name));
            }
        }
    }

    private static Spooled spool(TarReader archive, long size, Path target, Budget budget) throws IOException {
        budget.takeEntry(0, 0);
        budget.require(size);
        MessageDigest sum = Sha256.begin();
        byte[] piece = new byte[PIECE];
        try (OutputStream out = Files.newOutputStream(target)) {
            for (int count = archive.read(piece); count >= 0; count = archive.read(piece)) {
                budget.take(count);
                sum.update(piece, 0, count);
                out.write(piece, 0, count);
            }
        }
        return new Spooled(target, size, new Digest(HexFormat.of().formatHex(sum.digest())));
    }

    /** Where a link leads that is in the archive, if it stays there. */
    private static String beside(String name, String target) {
        List<String> parts = new ArrayList<>(List.of(name.split("/")));
        parts.removeLast();
        for (String part : target.split("/")) {
            if (part.equals("..")) {
                if (parts.isEmpty()) {
                    throw Refusal.of("a link of the archive leads out of it: " + Refusal.shown(name));
                }
                parts.removeLast();
            } else if (!part.isEmpty() && !part.equals(".")) {
                parts.add(part);
            }
        }
        return String.join("/", parts);
    }

    private Optional<Spooled> find(String name) {
        String at = name;
        for (int i = 0; i < MOST_LINKS && links.containsKey(at); i++) {
            at = Objects.requireNonNull(links.get(at));
        }
        return Optional.ofNullable(files.get(at));
    }

    private Spooled require(String name) {
        return find(name).orElseThrow(() -> Refusal.of("the archive has no " + Refusal.shown(name) + ", which it names"));
    }

    private static byte[] document(Spooled file) throws IOException {
        if (file.size > MOST_DOCUMENT) {
            throw Refusal.of("a document has " + file.size + " bytes (expected: at most " + MOST_DOCUMENT + ")");
        }
        return Files.readAllBytes(file.path);
    }

    /** Several with a platform each are one image for several machines; several without are several images. */
    private void beginLayout() throws IOException {
        root = document(require("index.json"));
        List<Descriptor> manifests = Objects.requireNonNullElse(parsed(ManifestDocument.class, root).manifests(), List.of());
        if (manifests.stream().filter(each -> each.platform() == null).count() > 1) {
            throw Refusal.of("the archive has " + manifests.size() + " images (expected: one)");
        }
        for (Descriptor manifest : manifests) {
            Map<String, String> told = Objects.requireNonNullElse(manifest.annotations(), Map.of());
            NAMES.stream().map(told::get).filter(Objects::nonNull).filter(name -> name.indexOf('/') > 0 || name.indexOf(':') > 0).findFirst().ifPresent(names::add);
        }
    }

    private void beginSaved() throws IOException {
        String list = new String(document(require("manifest.json")), StandardCharsets.UTF_8);
        List<SavedImage> images = parsed(SavedImage.ListOf.class, ("{\"images\":" + list + "}").getBytes(StandardCharsets.UTF_8)).images();
        if (images.size() != 1) {
            throw Refusal.of("the archive has " + images.size() + " images (expected: one)");
        }
        SavedImage image = images.getFirst();
        if (image.config() == null || image.layers() == null) {
            throw Refusal.of("its manifest.json names no configuration or no layers");
        }
        List<Descriptor> layers = image.layers().stream().map(layer -> descriptor(require(layer))).toList();
        root = Json.bytes(new ManifestDocument(2, null, descriptor(require(image.config())), layers, null));
        names.addAll(Objects.requireNonNullElse(image.repoTags(), List.of()));
    }

    private static Descriptor descriptor(Spooled file) {
        return Descriptor.of("", file.digest.text(), file.size);
    }

    private static <T> T parsed(Class<T> type, byte[] json) {
        try {
            return Json.read(type, json);
        } catch (SandglassException malformed) {
            throw Refusal.of("a document of it is none: " + Refusal.shown(malformed.what()));
        }
    }

    @Override
    public byte[] root() {
        return root.clone();
    }

    @Override
    public byte[] manifest(Descriptor descriptor) throws IOException {
        return document(blobOf(descriptor));
    }

    @Override
    public InputStream configuration(Descriptor descriptor) throws IOException {
        return blob(descriptor);
    }

    @Override
    public InputStream blob(Descriptor descriptor) throws IOException {
        return Files.newInputStream(blobOf(descriptor).path);
    }

    /** By what it is, not by what it is called. */
    private Spooled blobOf(Descriptor descriptor) {
        Digest digest = Digest.of(descriptor.digest());
        Spooled found = blobs.get(digest);
        if (found == null) {
            throw Refusal.of("the archive has no blob " + digest);
        }
        return found;
    }

    @Override
    public List<String> names() {
        return List.copyOf(names);
    }

    @Override
    public void close() {}
}
