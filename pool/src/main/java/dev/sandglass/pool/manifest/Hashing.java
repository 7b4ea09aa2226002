package dev.sandglass.pool.manifest;

import dev.sandglass.engine.manifest.Bytes;
import dev.sandglass.engine.manifest.EntryContent;
import dev.sandglass.engine.manifest.ManifestEntry;
import dev.sandglass.linux.OpenFile;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;

/** Hashes files on several threads, and hands entries on in the order in which they came. Not thread-safe. */
final class Hashing implements AutoCloseable {
    /** Entries under way, each of which may hold an open file. */
    private static final int UNDER_WAY = 64;

    /** Takes an entry that is complete, with the parts of its path. */
    interface Sink {
        void take(ManifestEntry entry, List<Bytes> path) throws IOException;
    }

    private record Pending(ManifestEntry entry, List<Bytes> path, Optional<CompletableFuture<Bytes>> hash) {}

    private final HashThreads.Line line;
    private final Sink sink;
    private final Deque<Pending> pending = new ArrayDeque<>();
    private final BooleanSupplier unwanted;
    private volatile boolean stopped;

    /** @param unwanted tells that nobody needs the hashes any more */
    Hashing(HashThreads threads, Sink sink, BooleanSupplier unwanted) {
        this.line = threads.line();
        this.sink = sink;
        this.unwanted = unwanted;
    }

    /** Takes an entry that needs no hash, or has it. */
    void pass(ManifestEntry entry, List<Bytes> path) throws IOException {
        add(new Pending(entry, List.copyOf(path), Optional.empty()));
    }

    void hash(ManifestEntry entry, Walk.Place place) throws IOException {
        OpenFile file = place.directory().file(place.name().toArray());
        long size = entry.content() instanceof EntryContent.RegularFile content ? content.size() : 0;
        CompletableFuture<Bytes> hash = submitted(file, size);
        add(new Pending(entry, List.copyOf(place.path()), Optional.of(hash)));
    }

    private CompletableFuture<Bytes> submitted(OpenFile file, long size) throws IOException {
        FileHash hash = new FileHash(file, size, () -> stopped || unwanted.getAsBoolean());
        try {
            line.add(hash);
            return hash.found();
        } catch (IOException closed) {
            file.close();
            throw closed;
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
        if (unwanted.getAsBoolean()) {
            throw givenUp();
        }
        if (pending.size() > UNDER_WAY) {
            handOn();
        }
    }

    private void handOn() throws IOException {
        Pending first = pending.element();
        ManifestEntry entry = first.entry();
        if (first.hash().isPresent() && entry.content() instanceof EntryContent.RegularFile file) {
            entry = entry.with(new EntryContent.RegularFile(file.size(), wanted(first.hash().get())));
        }
        pending.remove();
        sink.take(entry, first.path());
    }

    private Bytes wanted(CompletableFuture<Bytes> hash) throws IOException {
        try {
            return awaited(hash);
        } catch (IOException ended) {
            if (unwanted.getAsBoolean()) {
                throw givenUp();
            }
            throw ended;
        }
    }

    private static SandglassException givenUp() {
        return new SandglassException(ErrorCode.CONFLICT, "The files are not read to the end, because nobody wants that any more.", "Ask again.");
    }

    private static Bytes awaited(CompletableFuture<Bytes> hash) throws IOException {
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
}
