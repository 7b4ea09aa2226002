package dev.sandglass.server.api;

import dev.sandglass.engine.build.Builds;
import dev.sandglass.engine.build.RunningBuild;
import dev.sandglass.engine.component.Provisioning;
import dev.sandglass.server.http.Exchange;
import dev.sandglass.server.http.Handler;
import dev.sandglass.server.http.ServerSentEvents;
import dev.sandglass.wire.Build;
import dev.sandglass.wire.BuildList;
import dev.sandglass.wire.BuildOutput;
import dev.sandglass.wire.Provision;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Components and builds over HTTP. */
final class BuildRoutes {
    private static final Duration HEARTBEAT = Duration.ofSeconds(15);

    private final Builds builds;
    private final Provisioning provisioning;

    BuildRoutes(Builds builds, Provisioning provisioning) {
        this.builds = builds;
        this.provisioning = provisioning;
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "listComponents", exchange -> exchange.answer(200, provisioning.catalogue().list()),
                "getComponent", exchange -> exchange.answer(200, provisioning.catalogue().get(exchange.segment("component"))),
                "provisionSandbox", exchange -> exchange.answer(202, provisioning.begin(exchange.segment("sandbox"), exchange.json(Provision.class))),
                "listBuilds", exchange -> exchange.answer(200, new BuildList(builds.list(exchange.query().optionalText("subject")))),
                "getBuild", this::get,
                "getBuildLog", exchange -> exchange.answerText("text/plain; charset=utf-8", builds.log(exchange.segment("build")).getBytes(StandardCharsets.UTF_8)));
    }

    private void get(Exchange exchange) throws IOException, InterruptedException {
        String id = exchange.segment("build");
        if (!exchange.accepts("text/event-stream")) {
            exchange.answer(200, builds.get(id));
            return;
        }
        RunningBuild.View view = builds.await(id, -1, 0, Duration.ZERO);
        ServerSentEvents stream = exchange.serverSentEvents();
        Optional<Build> sent = Optional.empty();
        while (true) {
            for (BuildOutput output : view.output()) {
                stream.send(view.version(), "output", output);
            }
            if (!sent.equals(Optional.of(view.build()))) {
                sent = Optional.of(view.build());
                stream.send(view.version(), "build", view.build());
            } else if (view.output().isEmpty()) {
                stream.comment("still here");
            }
            if (view.build().endedAt() != null) {
                return;
            }
            RunningBuild.View seen = view;
            view = exchange.await(() -> builds.await(id, seen.version(), seen.position(), HEARTBEAT));
        }
    }
}
