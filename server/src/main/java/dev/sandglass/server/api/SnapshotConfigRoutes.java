package dev.sandglass.server.api;

import dev.sandglass.engine.build.Builds;
import dev.sandglass.engine.template.SnapshotConfigs;
import dev.sandglass.server.http.Exchange;
import dev.sandglass.server.http.Handler;
import dev.sandglass.wire.Build;
import dev.sandglass.wire.BuildStep;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.SnapshotConfig;
import dev.sandglass.wire.SnapshotConfigList;
import dev.sandglass.wire.SnapshotJob;
import dev.sandglass.wire.SnapshotJobStatus;
import java.io.IOException;
import java.util.Map;

/** Templates over HTTP in the form of snapshot configurations. */
final class SnapshotConfigRoutes {
    private static final int LOG_CHARACTERS = 1 << 16;

    private final SnapshotConfigs configs;
    private final Builds builds;

    SnapshotConfigRoutes(SnapshotConfigs configs, Builds builds) {
        this.configs = configs;
        this.builds = builds;
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "listSnapshotConfigs", exchange -> exchange.answer(200, new SnapshotConfigList(configs.list())),
                "createSnapshotConfig", exchange -> exchange.answer(201, configs.create(exchange.json(SnapshotConfig.class))),
                "getSnapshotConfig", exchange -> exchange.answer(200, configs.get(id(exchange))),
                "replaceSnapshotConfig", this::replace,
                "deleteSnapshotConfig", this::remove,
                "buildSnapshotConfig", exchange -> exchange.answer(202, new SnapshotJob(configs.build(exchange.segment("snapshot")).id())),
                "getSnapshotJob", this::job);
    }

    private void replace(Exchange exchange) throws IOException {
        SnapshotConfig config = exchange.json(SnapshotConfig.class);
        if (!config.id().equals(id(exchange))) {
            throw new SandglassException(ErrorCode.INVALID_REQUEST, "id: " + config.id() + " (expected: " + id(exchange) + ", as in the path)", "The id of a configuration does not change.");
        }
        exchange.answer(200, configs.replace(config));
    }

    private void remove(Exchange exchange) throws IOException {
        configs.remove(id(exchange));
        exchange.answerNothing();
    }

    private void job(Exchange exchange) throws IOException {
        Build build = builds.get(exchange.segment("build"));
        String log = builds.log(build.id());
        String step = build.steps().stream().filter(each -> each.state().equals("running")).map(BuildStep::name).findFirst().orElse(null);
        exchange.answer(
                200,
                new SnapshotJobStatus(
                        build.id(), build.subject(), build.state(), step, build.snapshot(), build.error(), build.startedAt(), build.endedAt(), log.substring(Math.max(0, log.length() - LOG_CHARACTERS))));
    }

    private static String id(Exchange exchange) {
        return exchange.segment("config");
    }
}
