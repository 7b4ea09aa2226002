package dev.sandglass.engine.oci;

import dev.sandglass.engine.archive.Budget;
import dev.sandglass.engine.ledger.ImageRecord;
import dev.sandglass.engine.manifest.Bytes;
import dev.sandglass.engine.pool.Layers;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.engine.trace.Trace;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Sha256;
import dev.sandglass.wire.StorageFailure;
import dev.sandglass.wire.oci.Descriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * The layers of one image on their way into the pool. Each is unpacked into a tree of its own, and frozen as a layer once all of its digests are right. One that tells of every
 * directory in which it has something looks the same on whatever it lies, and is named by its digest alone; another takes owners and modes from below, and is named by that too.
 * For one run.
 */
final class Installation {
    /** How the names of trees begin in which layers are unpacked. */
    static final String TREE = "unpack-";

    static final String LAYER = "oci-";

    private static final int AT_ONCE = 3;
    /** Of all layers together: they are kept in memory until the layers below are there. */
    private static final int MOST_UNTOLD = 100_000;
    private static final Duration LONGEST = Duration.ofHours(2);
    private static final Duration TOLD = Duration.ofMillis(500);

    private interface Work<T> {
        T run() throws IOException;
    }

    private final Pool pool;
    private final LayerFiles files;
    private final ImageSource source;
    private final Selection image;
    private final Consumer<String> keep;
    private final AtomicLong came = new AtomicLong();
    private final AtomicInteger waiting = new AtomicInteger();
    private final Semaphore turns = new Semaphore(AT_ONCE);
    private final long deadline = System.nanoTime() + LONGEST.toNanos();
    private volatile boolean givenUp;

    /** @param keep told the name of a layer before it is looked for or made: from then on it is not removed */
    Installation(Pool pool, LayerFiles files, ImageSource source, Selection image, Consumer<String> keep) {
        this.pool = pool;
        this.files = files;
        this.source = source;
        this.image = image;
        this.keep = keep;
    }

    static String plain(Digest diffId) {
        return LAYER + diffId.hex();
    }

    /** @param below the names of all layers below it, top first */
    static String on(List<String> below, Digest diffId) {
        return LAYER + Sha256.of(String.join(" ", below) + " " + diffId.hex());
    }

    /** The names of its layers, top first. */
    List<String> run() {
        List<Digest> diffIds = image.diffIds();
        List<CompletableFuture<List<String>>> made = new ArrayList<>(); // each with all below it
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            CompletableFuture<List<String>> below = CompletableFuture.completedFuture(List.of());
            for (int i = 0; i < diffIds.size(); i++) {
                Descriptor blob = image.layers().get(i);
                Digest diffId = diffIds.get(i);
                CompletableFuture<List<String>> lower = below;
                below = CompletableFuture.supplyAsync(() -> layer(blob, diffId, lower), threads);
                made.add(below);
            }
            try {
                return awaited(below, made);
            } catch (RuntimeException problem) {
                givenUp = true;
                source.close(); // what reads ends with that
                throw problem;
            }
        }
    }

    private List<String> awaited(CompletableFuture<List<String>> top, List<CompletableFuture<List<String>>> made) {
        while (true) {
            for (CompletableFuture<List<String>> each : made) {
                if (each.isCompletedExceptionally()) {
                    throw failure(each);
                }
            }
            try {
                return top.get(TOLD.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException notYet) {
                tell();
            } catch (ExecutionException failed) {
                throw failure(top);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                throw new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again.", stopped);
            }
            if (System.nanoTime() > deadline) {
                throw new SandglassException(ErrorCode.REGISTRY_FAILED, "The layers did not come within " + LONGEST.toHours() + " hours.", "Try again.");
            }
        }
    }

    private void tell() {
        long all = Math.max(1, image.bytes());
        Trace.tell("layers: " + (came.get() >> 20) + " of " + (all >> 20) + " MiB", (double) came.get() / all);
    }

    /** The first failure is that of the lowest layer: what waits for it fails because of it. */
    private static RuntimeException failure(CompletableFuture<?> failed) {
        Throwable cause = failed.exceptionNow();
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof SandglassException ours) {
            return new SandglassException(ours.code(), ours.what(), ours.hint(), ours);
        }
        return new IllegalStateException(cause);
    }

    private List<String> layer(Descriptor blob, Digest diffId, CompletableFuture<List<String>> below) {
        Optional<String> known = known(diffId, below);
        if (known.isPresent()) {
            came.addAndGet(blob.size());
            return onTop(known.get(), below.join());
        }
        try {
            return fresh(blob, diffId, below);
        } catch (IOException problem) {
            throw StorageFailure.of("The layer " + diffId + " cannot be read or written", problem);
        }
    }

    private void requireWanted() {
        if (givenUp) {
            throw new SandglassException(ErrorCode.CONFLICT, "Another layer of the image failed.", "See there.");
        }
    }

    /** One that is there already; whether it is there on what lies below is known only if that is known. */
    private Optional<String> known(Digest diffId, CompletableFuture<List<String>> below) {
        Optional<String> plain = Optional.of(plain(diffId)).filter(this::isKept);
        boolean isKnown = below.isDone() && !below.isCompletedExceptionally();
        return plain.isPresent() || !isKnown ? plain : Optional.of(on(below.join(), diffId)).filter(this::isKept);
    }

    /** From here on it stays, if it is there. */
    private boolean isKept(String layer) {
        keep.accept(layer);
        return isThere(layer);
    }

    private boolean isThere(String layer) {
        return Files.isDirectory(pool.layers().lower(layer), LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * Whether all layers of an image are there that was installed earlier.
     *
     * @param keep told the name of each before it is looked for
     */
    static boolean isWhole(Pool pool, List<String> layers, Consumer<String> keep) {
        layers.forEach(keep);
        return layers.stream().allMatch(layer -> Files.isDirectory(pool.layers().lower(layer), LinkOption.NOFOLLOW_LINKS));
    }

    private static List<String> onTop(String layer, List<String> below) {
        List<String> all = new ArrayList<>();
        all.add(layer);
        all.addAll(below);
        return List.copyOf(all);
    }

    private List<String> fresh(Descriptor blob, Digest diffId, CompletableFuture<List<String>> below) throws IOException {
        String tree = TREE + UUID.randomUUID();
        Path upper = pool.path(tree).resolve("upper");
        try {
            List<List<Bytes>> untold = inTurn(() -> {
                pool.create(tree);
                return unpack(blob, diffId, Files.createDirectory(upper));
            });
            if (untold.isEmpty()) {
                publish(tree, plain(diffId));
                return onTop(plain(diffId), below.join());
            }
            if (waiting.addAndGet(untold.size()) > MOST_UNTOLD) {
                throw Refusal.of("its layers have more than " + MOST_UNTOLD + " directories of which they do not tell");
            }
            List<String> under = below.join();
            files.inherit(upper, untold, under.stream().map(pool.layers()::lower).toList());
            publish(tree, on(under, diffId));
            return onTop(on(under, diffId), under);
        } finally {
            pool.remove(tree);
        }
    }

    /** Nobody waits for another layer in it: that one may wait for a turn. */
    private <T> T inTurn(Work<T> work) throws IOException {
        try {
            turns.acquire();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again.", stopped);
        }
        try {
            requireWanted();
            return work.run();
        } finally {
            turns.release();
        }
    }

    private List<List<Bytes>> unpack(Descriptor blob, Digest diffId, Path upper) throws IOException {
        MessageDigest sum = Sha256.begin();
        List<List<Bytes>> untold;
        try (InputStream bytes = source.blob(blob);
                Checked checked = new Checked(bytes, blob, this::take)) {
            Budget budget = new Budget(pool.status().freeBytes() - Room.RESERVE, _ -> requireRoom());
            untold = files.unpack(checked, upper, budget, new DigestOutputStream(OutputStream.nullOutputStream(), sum));
            checked.finish();
        }
        String found = HexFormat.of().formatHex(sum.digest());
        if (!found.equals(diffId.hex())) {
            throw Refusal.of("a layer has the digest sha256:" + found + " when it is expanded (expected: " + diffId + ")");
        }
        return untold;
    }

    /** Other layers take of the same room, and so do sandboxes. */
    private void requireRoom() {
        requireWanted();
        Room.require(pool.status().freeBytes());
    }

    private void take(long bytes) {
        came.addAndGet(bytes);
        requireWanted();
    }

    /** Another image may have brought it meanwhile. */
    private void publish(String tree, String name) {
        Layers layers = pool.layers();
        keep.accept(name);
        synchronized (Installation.class) {
            if (!isThere(name)) {
                layers.remove(name); // of one that is damaged there may be a rest
                layers.settle(tree);
                layers.snapshot(tree, name);
            }
        }
    }

    static String id(Digest config) {
        return ImageRecord.PREFIX + config.hex().substring(0, 32);
    }
}
