package dev.sandglass.engine.component;

import dev.sandglass.engine.build.Builds;
import dev.sandglass.engine.build.RunningBuild;
import dev.sandglass.engine.build.Scripts;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.network.Attempt;
import dev.sandglass.engine.network.Decision;
import dev.sandglass.engine.network.HostName;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.network.RegistryKind;
import dev.sandglass.wire.Build;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Provision;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Installs components in sandboxes that are there. What a sandbox may reach is its owner's word, so a component that needs more fails with what would open it, and opens nothing by
 * itself. Thread-safe.
 */
public final class Provisioning {
    private static final int HTTPS = 443;
    private static final Duration LONGEST = Duration.ofDays(1);

    private final Sandboxes sandboxes;
    private final Builds builds;
    private final Installation installation;
    private final Host host;

    public Provisioning(Sandboxes sandboxes, Builds builds, Installation installation, Host host) {
        this.sandboxes = sandboxes;
        this.builds = builds;
        this.installation = installation;
        this.host = host;
    }

    /** What can be named now. */
    public Catalogue catalogue() {
        return Catalogue.of(host.components());
    }

    /** Begins to install components; that goes on when the caller leaves. */
    public Build begin(String sandbox, Provision request) {
        Sandbox in = sandboxes.get(sandbox);
        Catalogue known = catalogue().and(request.definitions(), request.bundles());
        List<String> wanted = Objects.requireNonNullElse(request.components(), List.of());
        if (wanted.isEmpty()) {
            throw new SandglassException(ErrorCode.INVALID_REQUEST, "components: none (expected: at least one)", "Name what is to be installed; `sandglass component ls` lists it.");
        }
        Plan plan = Plan.of(known, wanted, Objects.requireNonNullElse(request.variables(), Map.of()));
        return builds.start(builds.reserve(), "provision", in.name(), Optional.empty(), build -> install(in, plan, build)).build();
    }

    private void install(Sandbox in, Plan plan, RunningBuild build) {
        Scripts.Raise raise = raise(in);
        plan.warnings(in.memoryMb(), wanted -> "`sandglass update " + in.name() + " --memory " + wanted + "M` gives it more").forEach(build::warn);
        build.plan(plan.items().stream().map(Plan.Item::name).toList());
        build.in(in.id());
        Set<String> failed = new HashSet<>();
        for (Plan.Item item : plan.items()) {
            Optional<String> missing = Objects.requireNonNullElse(item.component().requires(), List.<String>of()).stream().filter(failed::contains).findFirst();
            if (missing.isPresent()) {
                failed.add(item.name());
                build.end(item.name(), "skipped", "it requires " + missing.get() + ", which failed");
                continue;
            }
            build.begin(item.name());
            try {
                requireReach(in, item);
                installation.run(in.id(), item, item.name(), build, LONGEST, raise);
                build.end(item.name(), "done", null);
            } catch (SandglassException problem) {
                if (problem.code() == ErrorCode.OPERATION_INTERRUPTED) {
                    throw problem;
                }
                failed.add(item.name());
                build.fail(item.name(), problem);
            }
        }
        if (!failed.isEmpty()) {
            List<String> names = plan.items().stream().map(Plan.Item::name).filter(failed::contains).toList();
            throw new SandglassException(
                    ErrorCode.BUILD_FAILED, failed.size() + " of " + plan.items().size() + " components could not be installed: " + String.join(", ", names) + ".", "The steps tell why; the others are installed.");
        }
    }

    private static Scripts.Raise raise(Sandbox in) {
        return new Scripts.Raise(
                "It has " + in.memoryMb() + " MB: give it more with `sandglass update " + in.name() + " --memory " + in.memoryMb() * 2 + "M` and start it again if it ended.",
                "It has " + in.diskMb() + " MB: give it more with `sandglass update " + in.name() + " --disk " + in.diskMb() * 2 + "M`.",
                "Give the component more time (timeout), or see why it does not end.",
                "See what it printed.");
    }

    private void requireReach(Sandbox in, Plan.Item item) {
        List<String> domains = item.domains();
        if (domains.isEmpty()) {
            return;
        }
        if (sandboxes.get(in.id()).network() == null) {
            throw new SandglassException(
                    ErrorCode.CONFLICT,
                    item.name() + " needs " + String.join(", ", domains) + ", and the sandbox has no network.",
                    "Make it with one: `sandglass create --network open`, or --allow for what it is to reach.");
        }
        Policy policy = sandboxes.policy(in.id()).resolved(host.places());
        List<String> closed = new ArrayList<>(domains.stream().filter(domain -> !isOpen(policy, domain)).toList());
        if (!closed.isEmpty()) {
            throw new SandglassException(
                    ErrorCode.CONFLICT,
                    item.name() + " needs " + String.join(", ", closed) + ", which the policy of the sandbox does not allow.",
                    "Open it for the time being: `sandglass policy allow " + in.name() + " " + String.join(",", closed) + "`.");
        }
    }

    /** As far as can be told before somebody tries: what depends on more is tried. */
    private boolean isOpen(Policy policy, String domain) {
        Optional<RegistryKind> kind = RegistryKind.parse(domain);
        if (kind.isPresent()) {
            return host.places().apply(kind.get()).stream().allMatch(place -> isOpen(policy, place.host(), place.port()));
        }
        int colon = domain.indexOf(':');
        String name = colon < 0 ? domain : domain.substring(0, colon);
        int port = colon < 0 ? HTTPS : Integer.parseInt(domain.substring(colon + 1));
        return HostName.parse(name.startsWith("*.") ? "any" + name.substring(1) : name).map(host -> isOpen(policy, host, port)).orElse(true);
    }

    private static boolean isOpen(Policy policy, HostName host, int port) {
        return !(policy.decide(Attempt.to(host).on(port)) instanceof Decision.Denied);
    }
}
