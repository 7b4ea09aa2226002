package dev.sandglass.pool.image;

import dev.sandglass.engine.image.Image;
import dev.sandglass.engine.image.Images;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.pool.LockFile;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** The base image of a data directory: found, built, checked. Thread-safe, and safe among processes. */
public final class BaseImages implements Images {
    private static final String TREE = "image-";

    private final Pool pool;
    private final ImageStore store;
    /** Which were the base when somebody was about to begin with it, and no ledger may say so yet. */
    private final Set<String> begunWith = new HashSet<>();

    public BaseImages(Pool pool, Path dataDirectory) {
        this.pool = pool;
        try {
            this.store = new ImageStore(dataDirectory);
        } catch (IOException problem) {
            throw StorageFailure.of("Images cannot be kept in " + dataDirectory, problem);
        }
    }

    /** The image that sandboxes begin with, if there is one and it passes a quick check. */
    public Optional<Image> current() {
        try {
            return store.base().map(this::load);
        } catch (SandglassException problem) {
            if (problem.code() == ErrorCode.IMAGE_UNAVAILABLE) {
                return Optional.empty();
            }
            throw problem;
        } catch (IOException problem) {
            throw unreadable(problem);
        }
    }

    @Override
    public Image require() {
        try {
            return load(begin());
        } catch (IOException problem) {
            throw unreadable(problem);
        }
    }

    private String begin() throws IOException {
        synchronized (begunWith) {
            String base = store.base().orElseThrow(() -> ImageFailure.unavailable("was not built yet", null));
            begunWith.add(base);
            return base;
        }
    }

    @Override
    public Image require(String id) {
        return load(id);
    }

    @Override
    public boolean has(String id) {
        return ImageStore.isId(id) && store.hasManifest(id);
    }

    @Override
    public String manifest(String id) {
        return Json.write(facts(id));
    }

    @Override
    public void install(String id, String manifest, Content content) {
        try (LockFile _ = LockFile.take(store.directory().resolve("build.lock"), () -> {})) {
            ImageInstallation installation = new ImageInstallation(pool, store);
            if (has(id)) {
                installation.requireSame(id, manifest);
            } else {
                installation.run(id, manifest, content);
            }
        } catch (IOException problem) {
            throw StorageFailure.of("Image " + id + " could not be made", problem);
        }
    }

    @Override
    public boolean removeUnless(String id, BooleanSupplier needed) {
        try {
            if (isBegunWith(id) || !has(id)) {
                return true;
            }
            Optional<LockFile> free = LockFile.tryTake(store.directory().resolve("build.lock"));
            if (free.isEmpty()) {
                return false;
            }
            try (LockFile _ = free.get()) {
                if (!isBegunWith(id) && !needed.getAsBoolean()) {
                    removeUnlessMeanwhile(id, needed);
                }
                return true;
            }
        } catch (IOException problem) {
            throw StorageFailure.of("Image " + id + " could not be removed", problem);
        }
    }

    private boolean isBegunWith(String id) throws IOException {
        synchronized (begunWith) {
            return begunWith.contains(id) || store.base().filter(id::equals).isPresent();
        }
    }

    /** Who says that he needs it and then finds a manifest has said so before it was gone. */
    private void removeUnlessMeanwhile(String id, BooleanSupplier needed) throws IOException {
        ImageManifest manifest = store.manifest(id);
        store.removeManifest(id);
        if (needed.getAsBoolean()) {
            store.add(manifest);
        } else {
            pool.remove(tree(id));
        }
    }

    /** What is known about an image. */
    public ImageManifest facts(String id) {
        try {
            return store.manifest(id);
        } catch (IOException problem) {
            throw unreadable(problem);
        }
    }

    /** Reads the whole image and compares it with its manifest; {@code image_unavailable} if anything differs. */
    public void verify(String id) {
        try {
            ImageManifest manifest = store.manifest(id);
            Image image = load(id);
            TreeDigest.Result found = TreeDigest.of(image.layers().getFirst());
            String digest = found.of(manifest.version());
            if (!digest.equals(manifest.treeDigest())) {
                throw ImageFailure.unavailable(
                        id + " was changed: digest " + digest + " (expected: " + manifest.treeDigest() + ")", null);
            }
        } catch (IOException problem) {
            throw unreadable(problem);
        }
    }

    /** Gives the image, building it first where there is none, an old one, or another is asked for. One build at a time. */
    public Image build(BuildOptions options, Progress progress) {
        Instant start = Instant.now();
        Path lockFile = store.directory().resolve("build.lock");
        Runnable waiting =
                () -> progress.report("waiting for another build of the image", Duration.between(start, Instant.now()));
        try {
            Optional<String> before = store.base();
            try (LockFile _ = LockFile.take(lockFile, waiting)) {
                boolean builtMeanwhile = !store.base().equals(before);
                Optional<Image> present = options.rebuild() && !builtMeanwhile ? Optional.empty() : current();
                if (present.isPresent() && isOf(present.get(), options)) {
                    return present.get();
                }
                return new ImageBuild(pool, store, progress, start).run(options);
            }
        } catch (IOException problem) {
            throw ImageFailure.notBuilt(
                    String.valueOf(problem.getMessage()), "Run `sandglass doctor` and look at the data directory.", problem);
        }
    }

    /**
     * Removes all images but the base image and these, and what a build that crashed left. Does nothing while a build runs, and
     * removes no image while it is not known which one is the base.
     */
    public void keep(Set<String> used) throws IOException {
        Optional<LockFile> free = LockFile.tryTake(store.directory().resolve("build.lock"));
        if (free.isEmpty()) {
            return;
        }
        try (LockFile _ = free.get()) {
            ImageBuild.removeLeftovers(pool, store);
            store.removeWork();
            Optional<String> base = store.base();
            for (String id : base.isEmpty() ? Set.<String>of() : store.ids()) {
                if (!base.get().equals(id) && !used.contains(id)) {
                    store.removeManifest(id);
                    pool.remove(tree(id));
                }
            }
        }
    }

    /** Removes an image that nothing uses any more; the base image stays. */
    public void remove(String id) {
        try (LockFile _ = LockFile.take(store.directory().resolve("build.lock"), () -> {})) {
            if (store.base().filter(id::equals).isPresent()) {
                throw new IllegalArgumentException("image: " + id + " is the base image (expected: another)");
            }
            store.removeManifest(id);
            pool.remove(tree(id));
        } catch (IOException problem) {
            throw unreadable(problem);
        }
    }

    static String tree(String id) {
        return TREE + id;
    }

    private boolean isOf(Image image, BuildOptions options) throws IOException {
        String suite = store.manifest(image.id()).suite();
        boolean ofSuite = options.suite().isEmpty() || options.suite().get().equals(suite);
        return ofSuite && ImageCheck.isUpToDate(image.layers().getFirst());
    }

    private Image load(String id) {
        try {
            store.manifest(id);
            Path root = pool.path(tree(id));
            if (!Files.isDirectory(root, LinkOption.NOFOLLOW_LINKS)) {
                throw ImageFailure.unavailable(id + " is gone: there is no " + root, null);
            }
            Optional<String> problem = ImageCheck.problem(root);
            if (problem.isPresent()) {
                throw ImageFailure.unavailable(id + " " + problem.get(), null);
            }
            if (pool.status().kind().startsWith("btrfs") && Files.isWritable(root)) {
                throw ImageFailure.unavailable(id + " is not sealed", null);
            }
            return new Image(id, List.of(root));
        } catch (IOException problem) {
            throw unreadable(problem);
        }
    }

    private static SandglassException unreadable(IOException problem) {
        return ImageFailure.unavailable("cannot be read: " + problem.getMessage(), problem);
    }
}
