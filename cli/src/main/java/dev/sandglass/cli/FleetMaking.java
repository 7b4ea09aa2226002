package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.Build;
import dev.sandglass.wire.BuildStep;
import dev.sandglass.wire.CreateService;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.NetworkPolicy;
import dev.sandglass.wire.Problem;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.UpdateSandbox;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One machine of a fleet is brought to what its file says. What is cut off in between is seen by its label, and finished the next time. */
final class FleetMaking {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final List<String> ON_ITS_WAY = List.of("creating", "starting", "stopping", "resuming", "destroying");
    private static final List<String> AT_REST = List.of("stopped", "failed");

    /** What keys of the file are in a request. */
    private static final Map<String, String> KEYS = Map.of("memory_mb", "memory", "disk_mb", "disk", "max_processes", "processes", "network", "policy");

    private final Client client;
    private final FleetRow row;
    private final String fleet;
    private final FleetMachine machine;
    private final Fingerprint wanted;
    private final boolean replaces;

    /** @param replaces whether one that is made of something else is made anew */
    FleetMaking(Client client, FleetRow row, String fleet, FleetMachine machine, Fingerprint wanted, boolean replaces) {
        this.client = client;
        this.row = row;
        this.fleet = fleet;
        this.machine = machine;
        this.wanted = wanted;
        this.replaces = replaces;
    }

    /** @param seen what there was of it when somebody looked */
    void run(Optional<Sandbox> seen) {
        try {
            bring(seen);
        } catch (SandglassException problem) {
            if (problem.code() != ErrorCode.INVALID_REQUEST) {
                throw problem;
            }
            String key = problem.what().replaceFirst("[^a-z_].*", "");
            String told = KEYS.getOrDefault(key, key) + problem.what().substring(key.length());
            throw FleetFile.refused(machine.entry().name().place(), told);
        }
    }

    private void bring(Optional<Sandbox> seen) {
        Optional<Sandbox> there = seen.flatMap(one -> settled(one.id()));
        if (there.isEmpty()) {
            make();
            row.over("created", null);
            return;
        }
        Sandbox sandbox = there.get();
        row.is(sandbox.id());
        Optional<Fingerprint> made = Fingerprint.parse(sandbox.labels().get(FleetLabels.ENTRY));
        boolean same = made.filter(wanted::sameMake).isPresent();
        boolean finished = FleetLabels.isFinished(sandbox);
        if (!finished && same && sandbox.state().equals("running")) {
            change(sandbox, made);
            equip(sandbox.id());
            row.over("finished", null);
        } else if (!finished) {
            remake(sandbox, "created", "what there was of it was not finished");
        } else if (same) {
            adjust(sandbox, made);
        } else if (replaces) {
            remake(sandbox, "replaced", difference(made));
        } else {
            row.over("changed", difference(made));
        }
    }

    private String difference(Optional<Fingerprint> made) {
        if (made.isEmpty()) {
            return "nobody knows what it was made of";
        }
        String origin = machine.entry().origin().map(named -> named.text() + " is another now than it began with").orElse("it began with something else");
        return made.get().core().equals(wanted.core()) ? origin : "its entry is another now";
    }

    /** Limits, labels and what it may reach are changed in place; one that was stopped starts. */
    private void adjust(Sandbox sandbox, Optional<Fingerprint> made) {
        boolean changed = change(sandbox, made);
        if (AT_REST.contains(sandbox.state())) {
            row.step("starting");
            client.start(sandbox.id());
            row.over("started", "it was " + sandbox.state());
        } else {
            row.over(changed ? "updated" : "kept", sandbox.state().equals("running") ? null : "it is " + sandbox.state());
        }
    }

    /** The label goes last, so that what is cut off is done again. */
    private boolean change(Sandbox sandbox, Optional<Fingerprint> made) {
        if (made.filter(wanted::equals).isPresent()) {
            return false;
        }
        row.step("updating");
        NetworkPolicy network = machine.request().network();
        if (network != null && !"none".equals(network.preset())) {
            client.setPolicy(sandbox.id(), network);
        }
        client.update(sandbox.id(), machine.changes(wanted));
        return true;
    }

    private void remake(Sandbox sandbox, String outcome, String why) {
        row.step("removing the one before");
        client.destroy(sandbox.id());
        make();
        row.over(outcome, why);
    }

    private void make() {
        row.step("creating");
        String id = begun();
        row.is(id);
        equip(id);
    }

    /** An earlier run that was cut off may have asked for it, and the daemon made it meanwhile. */
    private String begun() {
        try {
            return client.create(machine.begin(fleet, wanted)).id();
        } catch (SandglassException problem) {
            if (problem.code() != ErrorCode.NAME_TAKEN) {
                throw problem;
            }
            return settled(machine.name())
                    .filter(one -> FleetLabels.isIn(fleet, one.labels()) && !FleetLabels.isFinished(one) && wanted.text().equals(one.labels().get(FleetLabels.ENTRY)))
                    .map(Sandbox::id)
                    .orElseThrow(() -> problem);
        }
    }

    /** Components and services, and then the label that says so. */
    private void equip(String id) {
        machine.provision().ifPresent(request -> {
            client.builds().about(machine.name()).stream().filter(build -> id.equals(build.sandbox()) && build.endedAt() == null).forEach(this::follow);
            Build ended = follow(client.builds().provision(id, request));
            if (ended.error() != null) {
                throw failure(ended, ended.error());
            }
        });
        for (CreateService service : machine.entry().services()) {
            row.step("starting " + service.name());
            client.services().create(id, replacing(service));
        }
        Map<String, @Nullable String> labels = new HashMap<>(Collections.singletonMap(FleetLabels.UNFINISHED, null));
        client.update(id, new UpdateSandbox(null, null, null, null, null, labels, null, null, null, null, null, null, null, null));
    }

    private Build follow(Build begun) {
        return client.builds().await(begun, row::step, row::said);
    }

    /** The first component that failed says more than the end of all. */
    private static SandglassException failure(Build build, Problem error) {
        Function<BuildStep, SandglassException> told = step -> new SandglassException(
                ErrorCode.of(error.code()), step.name() + ": " + Objects.requireNonNullElse(step.message(), step.state()), Objects.requireNonNullElse(step.hint(), error.hint()));
        return build.steps().stream().filter(step -> step.state().equals("failed")).findFirst().map(told).orElseGet(() -> SandglassException.from(error));
    }

    private static CreateService replacing(CreateService service) {
        return new CreateService(
                service.name(), service.argv(), service.description(), service.cwd(), service.env(), service.user(), service.port(), service.restart(), service.maxRestarts(), service.backoffMs(), service.health(),
                service.after(), null, true);
    }

    /** The sandbox when nothing is being done to it, none if it is gone. */
    private Optional<Sandbox> settled(String sandbox) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            Sandbox now;
            try {
                now = client.inspect(sandbox);
            } catch (SandglassException gone) {
                if (gone.code() == ErrorCode.SANDBOX_NOT_FOUND) {
                    return Optional.empty();
                }
                throw gone;
            }
            if (now.state().equals("destroyed")) {
                return Optional.empty();
            }
            if (!ON_ITS_WAY.contains(now.state())) {
                return Optional.of(now);
            }
            if (System.nanoTime() > deadline) {
                throw new SandglassException(ErrorCode.CONFLICT, now.name() + " is " + now.state() + " for a long time.", "See `sandglass inspect " + now.name() + "`, and try again.");
            }
            row.step("waits while it is " + now.state());
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }
}
