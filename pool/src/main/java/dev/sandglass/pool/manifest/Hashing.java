package dev.sandglass.pool.manifest;

import dev.sandglass.engine.manifest.Bytes;
import dev.sandglass.engine.manifest.EntryContent;
import dev.sandglass.engine.manifest.ManifestEntry;
import dev.sandglass.linux.OpenFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;

/** Hashes files on several threads, and hands entries on in the order in which they came. Not thread-safe. */
final class Hashing implements AutoCloseable {
    /** Entries under way, each of which may hold an open file. */
    private static final int UNDER_WAY = 64;

    private static final int BUFFER = 256 * 1024;
    private static final ThreadLocal<ByteBuffer> BUFFERS = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(BUFFER));

    /** Takes an entry that is complete, with the parts of its path. */
    interface Sink {
        void take(ManifestEntry entry, List<Bytes> path) throws IOException;
    }

    private record Pending(ManifestEntry entry, List<Bytes> path, Optional<Future<Bytes>> hash) {}

    private final ExecutorService threads;
    private final Sink sink;
    private final Deque<Pending> pending = new ArrayDeque<>();
    private volatile boolean stopped;

    Hashing(ExecutorService threads, Sink sink) {
        this.threads = threads;
        this.sink = sink;
    }

    /** Takes an entry that needs no hash, or has it. */
    void pass(ManifestEntry entry, List<Bytes> path) throws IOException {
        add(new Pending(entry, List.copyOf(path), Optional.empty()));
    }

    void hash(ManifestEntry entry, Walk.Place place) throws IOException {
        OpenFile file = place.directory().file(place.name().toArray());
        Future<Bytes> hash = submitted(file);
        add(new Pending(entry, List.copyOf(place.path()), Optional.of(hash)));
    }

    private Future<Bytes> submitted(OpenFile file) throws IOException {
        try {
            return threads.submit(() -> {
                try (file) {
                    return sha256(file);
                }
            });
        } catch (RejectedExecutionException closed) {
            file.close();
            throw new IOException("the daemon is shutting down", closed);
        }
    }

    /** Hands on the rest. */
    void finish() throws IOException {
        while (!pending.isEmpty()) {
            handOn();
        }
    }

    /** Ends what is still under way, and waits for it, so that every file is closed. */
    @Override
    public void close() {
        stopped = true;
        for (Pending one : pending) {
            one.hash().ifPresent(hash -> {
                try {
                    awaited(hash);
                } catch (IOException alreadyFailed) {
                    // The first failure was told; this is only about the end of the work.
                }
            });
        }
        pending.clear();
    }

    private void add(Pending one) throws IOException {
        pending.add(one);
        if (pending.size() > UNDER_WAY) {
            handOn();
        }
    }

    private void handOn() throws IOException {
        Pending first = pending.element();
        ManifestEntry entry = first.entry();
        if (first.hash().isPresent() && entry.content() instanceof EntryContent.RegularFile file) {
            entry = entry.with(new EntryContent.RegularFile(file.size(), awaited(first.hash().get())));
        }
        pending.remove();
        sink.take(entry, first.path());
    }

    private static Bytes awaited(Future<Bytes> hash) throws IOException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return hash.get();
                } catch (InterruptedException _) {
                    interrupted = true; // the walk is on a thread of its own, which nobody interrupts
                }
            }
        } catch (ExecutionException problem) {
            throw new IOException(String.valueOf(problem.getCause()), problem);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private Bytes sha256(OpenFile file) throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            ByteBuffer buffer = BUFFERS.get();
            while (!stopped && file.read(buffer).hasRemaining()) {
                digest.update(buffer);
            }
            return Bytes.of(digest.digest());
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
