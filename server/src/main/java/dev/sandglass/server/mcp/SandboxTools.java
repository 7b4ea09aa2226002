package dev.sandglass.server.mcp;

import dev.sandglass.engine.life.Listing;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.operation.Operations;
import dev.sandglass.engine.operation.Progress;
import dev.sandglass.engine.route.Entrance;
import dev.sandglass.engine.route.Routes;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.OperationStatus;
import dev.sandglass.wire.Problem;
import dev.sandglass.wire.RouteLink;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandboxList;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sandboxes: made, listed, reached from outside, and destroyed. */
final class SandboxTools {
    private static final Logger LOG = LoggerFactory.getLogger(SandboxTools.class);
    private static final Duration LONGEST = Duration.ofDays(1);

    private final Sandboxes sandboxes;
    private final Operations operations;
    private final Routes routes;
    private final Supplier<Entrance> entrance;

    SandboxTools(Sandboxes sandboxes, Operations operations, Routes routes, Supplier<Entrance> entrance) {
        this.sandboxes = sandboxes;
        this.operations = operations;
        this.routes = routes;
        this.entrance = entrance;
    }

    Map<String, Tool> tools() {
        return Map.of(
                "create_sandbox", this::create,
                "list_sandboxes", (arguments, _) -> list(arguments),
                "destroy_sandbox", (arguments, _) -> destroy(arguments.text("sandbox")),
                "expose_port", (arguments, _) -> expose(arguments));
    }

    /** As an operation, which tells its steps: the template may have to be built first. */
    private Reply create(Arguments arguments, Job job) throws IOException, InterruptedException {
        CreateSandbox request = Json.readStrict(CreateSandbox.class, Json.treeBytes(wanted(arguments)));
        String operation = operations.start("create", () -> sandboxes.create(request)).id();
        try {
            Progress progress = operations.await(operation, -1, Duration.ZERO);
            while (!progress.ended()) {
                job.progress(progress.status().progress(), 1.0, String.valueOf(progress.status().step()));
                long seen = progress.version();
                progress = job.await(() -> operations.await(operation, seen, LONGEST));
            }
            return Reply.of(Summaries.of(made(progress.status())));
        } catch (InterruptedException | IOException left) {
            if (job.cancelled()) {
                Thread.ofVirtual().name("cancelled-create").start(() -> undo(operation));
            }
            throw left;
        }
    }

    private static Map<String, @Nullable Object> wanted(Arguments arguments) {
        Map<String, @Nullable Object> request = new LinkedHashMap<>();
        for (String name : List.of("name", "from", "runtime", "memory_mb", "cpus", "disk_mb", "env")) {
            request.put(name, arguments.values().get(name));
        }
        request.put("timeout", arguments.findNumber("timeout_seconds").orElse(null));
        List<String> rules = arguments.texts("allow").stream().map(host -> "allow " + host).toList();
        Optional<String> preset = arguments.find("network");
        if (preset.isPresent() || !rules.isEmpty()) {
            Map<String, @Nullable Object> network = new LinkedHashMap<>();
            network.put("preset", preset.orElse(null));
            network.put("rules", rules.isEmpty() ? null : rules);
            request.put("network", network);
        }
        return request;
    }

    private static Sandbox made(OperationStatus ended) {
        Problem problem = ended.error();
        if (problem != null) {
            throw SandglassException.from(problem);
        }
        return Optional.ofNullable(ended.sandbox()).orElseThrow(() -> new SandglassException(
                ErrorCode.INTERNAL, "The operation " + ended.id() + " is " + ended.state() + " without a sandbox.", "List the sandboxes."));
    }

    /** Takes away what nobody waited for. */
    private void undo(String operation) {
        try {
            Sandbox made = operations.await(operation, Long.MAX_VALUE, LONGEST).status().sandbox();
            if (made != null) {
                sandboxes.destroy(made.id());
            }
        } catch (SandglassException problem) {
            LOG.warn("A sandbox whose creation was cancelled may be left: {}", problem.what());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private Reply list(Arguments arguments) {
        SandboxList page = sandboxes.list(new Listing(
                Set.of(), arguments.find("name"), Optional.empty(), Map.of(), false, arguments.find("cursor"), (int) arguments.number("limit")));
        Map<String, @Nullable Object> shown = new LinkedHashMap<>();
        shown.put("sandboxes", page.sandboxes().stream().map(Summaries::of).toList());
        shown.put("next_cursor", page.nextCursor());
        return Reply.of(shown);
    }

    private Reply destroy(String sandbox) {
        String id = sandboxes.getWhole(sandbox).id();
        sandboxes.destroy(id);
        return Reply.of(Map.of("destroyed", id));
    }

    private Reply expose(Arguments arguments) {
        RouteLink link = routes.link(arguments.text("sandbox"), (int) arguments.number("port"), arguments.number("expires_seconds"), entrance.get());
        return Reply.of(Map.of("url", link.url(), "expires_at", link.expiresAt().toString()));
    }
}
