package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.archive.ArchiveFormat;
import dev.sandglass.engine.life.Patience;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes snapshots of the files that somebody puts into the directory for them, on a thread of its own, one after the other. A file is read
 * when it has not changed for a moment; one that was not whole then leaves nothing and is read again when it has changed. One for which there is no room is read
 * again when there is more.
 */
final class Intake implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Intake.class);
    private static final Pattern NAME = Pattern.compile("([A-Za-z0-9][A-Za-z0-9_.-]{0,62}?)("
            + Pattern.quote(ArchiveFormat.SUFFIX) + "|" + Pattern.quote(ArchiveFormat.TAR_SUFFIX) + "|"
            + Pattern.quote(ArchiveFormat.PLAIN_TAR_SUFFIX) + ")");
    /** What somebody meant as one, though it has no name that a snapshot can have. Hidden files are on their way, or somebody else's. */
    private static final Pattern MISNAMED = Pattern.compile("[^.].*(" + Pattern.quote(ArchiveFormat.SUFFIX) + "|" + Pattern.quote(ArchiveFormat.TAR_SUFFIX) + "|"
            + Pattern.quote(ArchiveFormat.PLAIN_TAR_SUFFIX) + ")", Pattern.DOTALL);
    private static final long QUIET_MILLIS = 500;
    /** A file that is written slowly is not tried again and again: 32 seconds at most. */
    private static final int MOST_DOUBLINGS = 6;

    private static final Set<ErrorCode> NO_ROOM = Set.of(ErrorCode.SNAPSHOT_QUOTA_REACHED, ErrorCode.DISK_FULL);
    private static final long IDLE_MILLIS = 3_600_000;

    private static final Duration SOON = Duration.ofSeconds(1);
    private static final Duration RARELY = Duration.ofMinutes(1);
    /** Less is no reason to read a file again. */
    private static final long MORE_ROOM = 1 << 20;

    /**
     * A file that is not dealt with, as it was seen last, and when to look again.
     *
     * @param room that was not enough for it
     */
    private record Waiting(FileMark seen, long dueNanos, OptionalLong room) {
        static Waiting of(FileMark seen, Duration patience, OptionalLong room) {
            return new Waiting(seen, System.nanoTime() + patience.toNanos(), room);
        }
    }

    private final Archives archives;
    private final Path directory;
    private final WatchService watcher;
    private final Map<Path, Waiting> waiting = new HashMap<>();
    /** What was dealt with, as it was then; one entry for each file that is there. */
    private final Map<Path, FileMark> done = new HashMap<>();
    /** Whose names were complained of. */
    private final Set<Path> misnamed = new HashSet<>();
    /** How often each was refused since it came. */
    private final Map<Path, Integer> refusals = new HashMap<>();
    /** Of those for which there was no room. */
    private final Patience<Path> patience = new Patience<>(SOON, RARELY);

    private Intake(Archives archives, Path directory, WatchService watcher) {
        this.archives = archives;
        this.directory = directory;
        this.watcher = watcher;
    }

    static Intake start(Archives archives, Path directory) throws IOException {
        WatchService watcher = directory.getFileSystem().newWatchService();
        directory.register(watcher, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_MODIFY, StandardWatchEventKinds.ENTRY_DELETE);
        Intake intake = new Intake(archives, directory, watcher);
        Thread.ofPlatform().daemon().name("snapshot-intake").start(intake::run);
        return intake;
    }

    /** Ends the thread; a file that is being read is read to its end. */
    @Override
    public void close() {
        try {
            watcher.close();
        } catch (IOException problem) {
            LOG.warn("The directory {} is still watched", directory, problem);
        }
    }

    private void run() {
        try {
            scan();
            while (true) {
                WatchKey key = watcher.poll(untilNext(), TimeUnit.MILLISECONDS);
                if (key != null) {
                    take(key);
                }
                lookAtThoseDue();
            }
        } catch (ClosedWatchServiceException | InterruptedException ended) {
            LOG.debug("The directory {} is watched no more", directory);
        } catch (IOException | RuntimeException problem) {
            LOG.error("The directory {} is watched no more: files in it are seen at the next start", directory, problem);
        }
    }

    private void scan() throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                touched(file);
            }
        }
    }

    private void take(WatchKey key) throws IOException {
        for (WatchEvent<?> event : key.pollEvents()) {
            if (event.context() instanceof Path name) {
                touched(directory.resolve(name));
            } else {
                scan(); // some events were lost
            }
        }
        if (!key.reset()) {
            throw new NoSuchFileException(directory.toString());
        }
    }

    private void touched(Path file) throws IOException {
        if (name(file).isEmpty()) {
            complain(file);
        }
        Optional<FileMark> mark = name(file).isPresent() ? mark(file) : Optional.empty();
        if (mark.isEmpty()) {
            waiting.remove(file);
            done.remove(file);
            refusals.remove(file);
            patience.forget(file);
        } else if (!Objects.equals(mark.get(), done.get(file)) && !mark.get().isOn(file)) {
            long millis = QUIET_MILLIS << Math.min(MOST_DOUBLINGS, refusals.getOrDefault(file, 0));
            waiting.put(file, Waiting.of(mark.get(), Duration.ofMillis(millis), OptionalLong.empty()));
        }
    }

    private void complain(Path file) throws IOException {
        String called = String.valueOf(file.getFileName());
        if (!MISNAMED.matcher(called).matches() || mark(file).isEmpty()) {
            misnamed.remove(file);
        } else if (misnamed.add(file)) {
            LOG.warn("A file in {} is not read: {} (expected: letters, digits, and _ . - but not first, at most 63, then {}, {} or {})", directory, called.replaceAll("\\p{Cntrl}", "?"),
                    ArchiveFormat.SUFFIX, ArchiveFormat.TAR_SUFFIX, ArchiveFormat.PLAIN_TAR_SUFFIX);
        }
    }

    private long untilNext() {
        long now = System.nanoTime();
        return waiting.values().stream()
                .mapToLong(one -> TimeUnit.NANOSECONDS.toMillis(one.dueNanos - now) + 1)
                .map(millis -> Math.max(1, millis))
                .min()
                .orElse(IDLE_MILLIS);
    }

    private void lookAtThoseDue() throws IOException {
        long now = System.nanoTime();
        List<Path> due = new ArrayList<>();
        waiting.forEach((file, one) -> {
            if (one.dueNanos - now <= 0) {
                due.add(file);
            }
        });
        for (Path file : due) {
            Waiting one = waiting.remove(file);
            Optional<FileMark> mark = mark(file);
            if (mark.isPresent() && one != null) {
                if (!mark.get().equals(one.seen)) {
                    touched(file);
                } else if (one.room.isPresent() && room() < one.room.getAsLong() + MORE_ROOM) {
                    waiting.put(file, Waiting.of(one.seen, patience.failed(file), one.room));
                } else {
                    read(file, mark.get());
                }
            }
        }
    }

    private void read(Path file, FileMark mark) {
        done.put(file, mark);
        long room = room();
        try (InputStream content = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            archives.read(content, name(file));
            mark.set(file);
            refusals.remove(file);
            patience.forget(file);
        } catch (SandglassException refusal) {
            refusals.merge(file, 1, Integer::sum);
            if (NO_ROOM.contains(refusal.code())) {
                waiting.put(file, Waiting.of(mark, patience.failed(file), OptionalLong.of(room)));
                LOG.warn("{} is not read until there is more room: {}", file, refusal.what());
            } else if (refusal.code() == ErrorCode.NAME_TAKEN) {
                LOG.info("{} is not read: there is a snapshot with that name", file);
            } else {
                LOG.warn("{} is not read until it changes: {}", file, refusal.what());
            }
        } catch (IOException problem) {
            LOG.warn("{} cannot be read", file, problem);
        } catch (RuntimeException problem) { // the others are read all the same
            refusals.merge(file, 1, Integer::sum);
            LOG.error("{} is not read until it changes", file, problem);
        }
    }

    /** None where it cannot be told. */
    private long room() {
        try {
            return archives.room();
        } catch (SandglassException unknown) {
            return 0;
        }
    }

    private static Optional<String> name(Path file) {
        Matcher matcher = NAME.matcher(String.valueOf(file.getFileName()));
        return matcher.matches() ? Optional.of(matcher.group(1)) : Optional.empty();
    }

    /** Of a regular file; none if it is something else, or gone. */
    private static Optional<FileMark> mark(Path file) throws IOException {
        try {
            return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) ? Optional.of(FileMark.of(file)) : Optional.empty();
        } catch (NoSuchFileException gone) {
            return Optional.empty();
        }
    }
}
