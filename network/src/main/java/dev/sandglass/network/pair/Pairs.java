package dev.sandglass.network.pair;

import dev.sandglass.engine.sandbox.SandboxId;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pairs of this host: those of sandboxes, in directories of their names, and some that are made ahead for sandboxes to come. A directory that was renamed
 * is the whole truth about whose a pair is; a daemon that is killed leaves pairs that the next one takes over or removes. Thread-safe.
 */
public final class Pairs implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Pairs.class);
    private static final String READY = "ready-";
    private static final String MAKING = "making-";
    /** So many are there as soon as can be; more when nobody has taken one for a moment. */
    private static final int FEW = 8;

    private static final Duration QUIET = Duration.ofMillis(100);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Path directory;
    private final int ahead;
    private final AtomicLong number = new AtomicLong(System.nanoTime());
    private final BlockingQueue<Gate> ready = new LinkedBlockingQueue<>();
    private final Semaphore wanted = new Semaphore(0);
    private final Thread maker = Thread.ofPlatform().daemon().name("pairs").unstarted(this::makeAhead);
    private volatile boolean closed;

    private Pairs(Path directory, int ahead) {
        this.directory = directory;
        this.ahead = ahead;
    }

    /** Opens those in the directory, which need not be there. */
    public static Pairs open(Path directory, int ahead) throws IOException {
        Files.createDirectories(directory);
        Pairs pairs = new Pairs(directory.toRealPath(), ahead);
        for (Path each : pairs.entries()) {
            String name = String.valueOf(each.getFileName());
            if (name.startsWith(READY)) {
                pairs.keep(new Pair(each));
            } else if (name.startsWith(MAKING)) {
                discard(new Pair(each));
            }
        }
        pairs.maker.start();
        return pairs;
    }

    /** Why none can be made here; empty if one was, and is gone again. */
    public static Optional<String> obstacle(Path directory) {
        Pair pair = new Pair(directory.resolve(MAKING + Long.toUnsignedString(System.nanoTime(), Character.MAX_RADIX)));
        try {
            Files.createDirectories(directory);
            try (Gate _ = Gate.open(PairBuild.in(pair.directory()))) {
                return Optional.empty();
            } finally {
                pair.remove();
            }
        } catch (IOException problem) {
            return Optional.of(String.valueOf(problem.getMessage()));
        }
    }

    /** Begins to make some ahead, which else begins when the first one is taken. */
    public void prepare() {
        wanted.release();
    }

    /** One that an earlier daemon made ahead. */
    private void keep(Pair pair) {
        try {
            ready.add(Gate.open(pair));
        } catch (IOException problem) {
            LOG.warn("A network that was made ahead is of no use: {}", problem.getMessage());
            discard(pair);
        }
    }

    private static void discard(Pair pair) {
        try {
            pair.remove();
        } catch (IOException problem) {
            LOG.warn("A network that nobody has could not be removed; it is tried again at the next start: {}", problem.getMessage());
        }
    }

    /** Gives a sandbox a pair that nobody had before it. */
    public Gate take(SandboxId id) throws IOException {
        Gate gate = ready.poll();
        wanted.release();
        if (gate == null) {
            gate = make();
        }
        Pair taken = new Pair(place(id));
        try {
            Files.move(gate.pair().directory(), taken.directory(), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException | RuntimeException problem) {
            discard(gate);
            throw problem;
        }
        return new Gate(taken, gate.connections(), gate.questions());
    }

    /** That of a sandbox which has one since an earlier daemon; empty if it has none. */
    public Optional<Gate> reopen(SandboxId id) throws IOException {
        Pair pair = new Pair(place(id));
        return Files.isDirectory(pair.directory()) ? Optional.of(Gate.open(pair)) : Optional.empty();
    }

    /** Takes that of a sandbox away; fine if it has none. Its sockets are the caller's to close. */
    public void remove(SandboxId id) throws IOException {
        new Pair(place(id)).remove();
    }

    /** The sandboxes that have one. */
    public Set<SandboxId> present() throws IOException {
        Set<SandboxId> found = new HashSet<>();
        for (Path each : entries()) {
            String name = String.valueOf(each.getFileName());
            if (SandboxId.isId(name)) {
                found.add(new SandboxId(name));
            }
        }
        return found;
    }

    private Path place(SandboxId id) {
        return directory.resolve(id.text());
    }

    private List<Path> entries() throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            List<Path> found = new ArrayList<>();
            entries.forEach(found::add);
            return found;
        }
    }

    /** It gets the name of one that can be taken when it is whole. */
    private Gate make() throws IOException {
        String name = Long.toUnsignedString(number.incrementAndGet(), Character.MAX_RADIX);
        Pair making = PairBuild.in(directory.resolve(MAKING + name));
        Pair pair = new Pair(directory.resolve(READY + name));
        try {
            Files.move(making.directory(), pair.directory(), StandardCopyOption.ATOMIC_MOVE);
            return Gate.open(pair);
        } catch (IOException | RuntimeException problem) {
            discard(making);
            discard(pair);
            throw problem;
        }
    }

    private void makeAhead() {
        try {
            while (!closed) {
                wanted.acquire();
                fill();
            }
        } catch (InterruptedException end) {
            // closed
        }
    }

    /** After a failure it goes on when the next one is taken: whoever takes it is told why there is none. */
    private void fill() throws InterruptedException {
        try {
            while (!closed && ready.size() < ahead) {
                if (ready.size() < FEW || !wanted.tryAcquire(QUIET.toMillis(), TimeUnit.MILLISECONDS)) { // who takes many at once needs the processors more
                    ready.add(make());
                }
            }
        } catch (IOException | RuntimeException problem) {
            LOG.warn("No network could be made ahead: {}", problem.toString());
        }
    }

    private static void discard(Gate gate) {
        try (gate) {
            discard(gate.pair());
        } catch (IOException problem) {
            LOG.debug("a socket did not close", problem);
        }
    }

    /** Closes the sockets of those that nobody has; they and all others stay for the next daemon. */
    @Override
    public void close() {
        closed = true;
        maker.interrupt();
        try {
            maker.join(PATIENCE);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
        Gate gate = ready.poll();
        while (gate != null) {
            try {
                gate.close();
            } catch (IOException problem) {
                LOG.debug("a socket did not close", problem);
            }
            gate = ready.poll();
        }
    }
}
