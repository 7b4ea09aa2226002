package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.cli.terminal.LiveRows;
import dev.sandglass.wire.SandglassException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Work on many machines, some of them at once, as it goes on: on a terminal a row for each, drawn again and again; elsewhere a line for each change. */
final class FleetView implements AutoCloseable {
    private static final long EVERY_MILLIS = 100;

    /** What is done with one machine; it fails by throwing. */
    interface Task {
        void run(Client own, FleetRow row);
    }

    private record Job(FleetRow row, Task task) {}

    private final Console console;
    private final String what;
    private final List<Job> jobs = new ArrayList<>();
    private final @Nullable LiveRows rows;
    private boolean over;

    /** @param what stands above the rows */
    FleetView(Console console, String what) {
        this.console = console;
        this.what = what;
        this.rows = console.terminal(Console.ERR) ? new LiveRows(console.err()) : null;
    }

    /** One more machine. */
    FleetRow add(String name, String machine, Task task) {
        FleetRow row = new FleetRow(name, machine, this::tell);
        jobs.add(new Job(row, task));
        return row;
    }

    /** Does all of it, so many at once; one that fails keeps none of the others from going on. */
    List<FleetRow> run(Client client, int atOnce) {
        if (rows != null) {
            Thread.ofPlatform().daemon().name("fleet-view").start(this::draw);
        }
        ExecutorService threads = Executors.newFixedThreadPool(atOnce, Thread.ofVirtual().name("fleet-", 1).factory());
        try {
            List<Future<?>> all = new ArrayList<>();
            jobs.forEach(job -> all.add(threads.submit(() -> attempt(client, job))));
            for (Future<?> each : all) {
                each.get();
            }
        } catch (ExecutionException problem) {
            throw problem.getCause() instanceof RuntimeException known ? known : new IllegalStateException(problem.getCause());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            threads.shutdownNow();
        }
        return jobs.stream().map(Job::row).toList();
    }

    private static void attempt(Client client, Job job) {
        job.row().begin();
        try (Client own = client.again()) {
            job.task().run(own, job.row());
        } catch (SandglassException problem) {
            job.row().failed(problem);
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            over = true;
            notifyAll();
        }
        if (rows != null) {
            rows.close();
        }
    }

    private synchronized void tell(String line) {
        if (rows == null) {
            console.warn(Inert.text(line) + "\n");
        }
    }

    private synchronized void draw() {
        try {
            while (!over && rows != null) {
                rows.show(shown());
                wait(EVERY_MILLIS);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    /** Those at work first: what does not fit is not shown. */
    private List<String> shown() {
        int width = jobs.stream().mapToInt(job -> job.row().name().length()).max().orElse(1);
        List<FleetRow.Shown> now = jobs.stream().map(job -> job.row().shown(width)).sorted(Comparator.comparing(FleetRow.Shown::rank)).toList();
        long done = now.stream().filter(each -> each.rank().isOver()).count();
        long failed = now.stream().filter(each -> each.rank() == FleetRow.Rank.FAILED).count();
        List<String> shown = new ArrayList<>();
        shown.add(what + ": " + done + " of " + now.size() + (failed == 0 ? "" : ", " + failed + " failed"));
        now.forEach(each -> shown.add(each.text()));
        return shown;
    }
}
