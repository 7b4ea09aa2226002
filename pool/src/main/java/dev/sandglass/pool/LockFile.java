package dev.sandglass.pool;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** A lock on a file, among processes and among the threads of this one; gone with its process. */
public final class LockFile implements AutoCloseable {
    private static final Map<Path, Semaphore> THREADS = new ConcurrentHashMap<>();
    private static final long RETRY_MILLIS = 50;

    private final Semaphore threads;
    private final FileChannel channel;

    private LockFile(Semaphore threads, FileChannel channel) {
        this.threads = threads;
        this.channel = channel;
    }

    /** Waits for the lock; {@code busy} runs once if it is not free at once. */
    public static LockFile take(Path file, Runnable busy) throws IOException {
        Semaphore threads = THREADS.computeIfAbsent(file.toAbsolutePath().normalize(), path -> new Semaphore(1));
        boolean told = false;
        try {
            if (!threads.tryAcquire()) {
                busy.run();
                told = true;
                threads.acquire();
            }
        } catch (InterruptedException interrupted) {
            throw interrupted(file);
        }
        try {
            return new LockFile(threads, lock(file, told ? () -> {} : busy));
        } catch (IOException | RuntimeException problem) {
            threads.release();
            throw problem;
        }
    }

    /** The lock, if nobody has it. */
    public static Optional<LockFile> tryTake(Path file) throws IOException {
        Semaphore threads = THREADS.computeIfAbsent(file.toAbsolutePath().normalize(), path -> new Semaphore(1));
        if (!threads.tryAcquire()) {
            return Optional.empty();
        }
        FileChannel channel = null;
        boolean taken = false;
        try {
            channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            taken = channel.tryLock() != null;
            return taken ? Optional.of(new LockFile(threads, channel)) : Optional.empty();
        } finally {
            if (!taken) {
                threads.release();
                if (channel != null) {
                    channel.close();
                }
            }
        }
    }

    private static FileChannel lock(Path file, Runnable busy) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            FileLock lock = channel.tryLock();
            if (lock == null) {
                busy.run();
            }
            while (lock == null) {
                TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
                lock = channel.tryLock();
            }
            return channel;
        } catch (InterruptedException interrupted) {
            channel.close();
            throw interrupted(file);
        } catch (IOException | RuntimeException problem) {
            channel.close();
            throw problem;
        }
    }

    private static InterruptedIOException interrupted(Path file) {
        Thread.currentThread().interrupt();
        return new InterruptedIOException("interrupted while waiting for " + file);
    }

    @Override
    public void close() throws IOException {
        try {
            channel.close();
        } finally {
            threads.release();
        }
    }
}
