package dev.sandglass.engine.template;

import dev.sandglass.engine.network.Policy;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.NetworkPolicy;
import dev.sandglass.wire.Template;
import dev.sandglass.wire.TemplateLifecycle;
import dev.sandglass.wire.TemplateResources;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A request for a sandbox of a template, with what the template says where the request does not. Touches nothing. */
final class Furnishing {
    private static final TemplateResources NO_RESOURCES = new TemplateResources(null, null, null, null);
    private static final TemplateLifecycle NO_LIFECYCLE = new TemplateLifecycle(null, null, null, null, null, null, null, null);

    private Furnishing() {}

    /**
     * @param snapshot of the template, which the sandbox begins with
     * @param withMemory whether that has processes: they keep their link, and the limits under which they were captured
     * @param network what a sandbox may reach that does not say
     */
    static CreateSandbox of(CreateSandbox request, Template template, String snapshot, boolean withMemory, Optional<Policy> network) {
        TemplateResources resources = Objects.requireNonNullElse(template.resources(), NO_RESOURCES);
        TemplateLifecycle lifecycle = Boolean.TRUE.equals(request.linger()) ? NO_LIFECYCLE : Objects.requireNonNullElse(template.lifecycle(), NO_LIFECYCLE);
        boolean goesOn = withMemory && !Boolean.TRUE.equals(request.diskOnly());
        return new CreateSandbox(
                request.name(),
                or(request.runtime(), goesOn ? null : template.runtime()),
                or(request.security(), goesOn ? null : template.security()),
                or(request.memoryMb(), resources.memoryMb()),
                or(request.cpus(), resources.cpus()),
                or(request.diskMb(), resources.diskMb()),
                or(request.maxProcesses(), resources.maxProcesses()),
                merged(template.env(), request.env()),
                request.labels(),
                request.capAdd(),
                request.capDrop(),
                or(request.timeout(), lifecycle.timeout()),
                or(request.onTimeout(), lifecycle.onTimeout()),
                or(request.ttl(), lifecycle.ttl()),
                or(request.hardTtl(), lifecycle.hardTtl()),
                request.linger(),
                snapshot,
                request.diskOnly(),
                or(request.autoResume(), lifecycle.autoResume()),
                or(request.checkpointEvery(), lifecycle.checkpointEvery()),
                or(request.keepCheckpoints(), lifecycle.keepCheckpoints()),
                or(request.restart(), lifecycle.restart()),
                or(request.network(), goesOn ? null : network(template, network)),
                or(request.credentials(), isClosed(request.network()) ? null : template.credentials()),
                request.volumes(),
                request.volumesFrom(),
                null,
                or(request.user(), template.user()),
                or(request.workdir(), template.workdir()),
                null);
    }

    /** Who wants no network has no use for what its requests would get. */
    private static boolean isClosed(@Nullable NetworkPolicy asked) {
        return asked != null && "none".equals(asked.preset());
    }

    /** The build had a network, whatever its sandboxes have. */
    private static NetworkPolicy network(Template template, Optional<Policy> otherwise) {
        return template.network() != null ? template.network() : otherwise.map(Policy::toWire).orElse(new NetworkPolicy("none", null, null));
    }

    private static <T> @Nullable T or(@Nullable T asked, @Nullable T otherwise) {
        return asked != null ? asked : otherwise;
    }

    private static @Nullable Map<String, String> merged(@Nullable Map<String, String> before, @Nullable Map<String, String> asked) {
        if (before == null || asked == null) {
            return asked == null ? before : asked;
        }
        Map<String, String> all = new HashMap<>(before);
        all.putAll(asked);
        return all;
    }
}
