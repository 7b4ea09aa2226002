package dev.sandglass.pool.manifest;

import dev.sandglass.linux.LowPriority;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;

/**
 * The few threads that hash, for all manifests in turns: a turn is a piece of one file, and then another manifest has its own. So one sandbox with
 * very much to hash keeps no other waiting. Thread-safe.
 */
final class HashThreads implements AutoCloseable {
    /** Work that is done piece by piece. */
    interface Job {
        /** Does a piece; false when nothing is left. Throws nothing: whoever waits for the job is told by the job. */
        boolean advance();

        /** It is not done any more. */
        void abandon();
    }

    /** The jobs of one manifest, of which several may be at work. */
    final class Line {
        private final Deque<Job> jobs = new ArrayDeque<>();

        void add(Job job) throws IOException {
            if (!enqueue(this, job, false)) {
                throw new IOException("the daemon is shutting down");
            }
        }
    }

    /** Those that have a job which nobody does; the first one is next. */
    private final Deque<Line> waiting = new ArrayDeque<>();

    private boolean closed;

    HashThreads(int count) {
        ThreadFactory threads = LowPriority.threads("manifest-hash-");
        for (int i = 0; i < count; i++) {
            threads.newThread(this::work).start();
        }
    }

    Line line() {
        return new Line();
    }

    /** Ends the threads, each after the piece that it does; what is not done by then is abandoned. */
    @Override
    public void close() {
        List<Job> left = new ArrayList<>();
        synchronized (this) {
            closed = true;
            for (Line line : waiting) {
                left.addAll(line.jobs);
                line.jobs.clear();
            }
            waiting.clear();
            notifyAll();
        }
        left.forEach(Job::abandon);
    }

    private synchronized boolean enqueue(Line line, Job job, boolean begun) {
        if (closed) {
            return false;
        }
        if (line.jobs.isEmpty()) {
            waiting.add(line);
        }
        if (begun) {
            line.jobs.addFirst(job); // the sooner a file is closed, the better
        } else {
            line.jobs.addLast(job);
        }
        notifyAll();
        return true;
    }

    private record Turn(Line line, Job job) {}

    private void work() {
        try {
            for (Optional<Turn> turn = next(); turn.isPresent(); turn = next()) {
                Job job = turn.get().job;
                if (job.advance() && !enqueue(turn.get().line, job, true)) {
                    job.abandon();
                }
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for one; none when all is over. */
    private synchronized Optional<Turn> next() throws InterruptedException {
        while (waiting.isEmpty() && !closed) {
            wait();
        }
        if (closed) {
            return Optional.empty();
        }
        Line line = waiting.remove();
        Job job = line.jobs.remove();
        if (!line.jobs.isEmpty()) {
            waiting.add(line);
        }
        return Optional.of(new Turn(line, job));
    }
}
