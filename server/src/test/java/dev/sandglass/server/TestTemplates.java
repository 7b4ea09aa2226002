package dev.sandglass.server;

import static org.awaitility.Awaitility.await;

import dev.sandglass.wire.Build;
import dev.sandglass.wire.BuildStep;
import dev.sandglass.wire.BuildTemplate;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Snapshot;
import dev.sandglass.wire.Template;
import dev.sandglass.wire.TemplateFile;
import dev.sandglass.wire.TemplateHistory;
import dev.sandglass.wire.TemplateList;
import dev.sandglass.wire.TemplateStatus;
import dev.sandglass.wire.dockerfile.Dockerfile;
import dev.sandglass.wire.document.Place;
import dev.sandglass.wire.recipe.TemplateText;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The templates and builds of a daemon, as a client sees them. */
record TestTemplates(TestDaemon daemon) {
    private Caller caller() {
        return daemon.caller();
    }

    static Template read(String yaml) {
        return TemplateText.read("test.yaml", yaml, null, (path, place) -> {
            throw new IllegalArgumentException(path);
        });
    }

    /** One that nobody has looked at before it is sent. */
    static Template unread(@Nullable String image, String dockerfile, TemplateFile... context) {
        return new Template(
                "wrong", null, null, image, dockerfile, List.of(context), null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null);
    }

    /** What stands beside a recipe, by its names. */
    private record Beside(Map<String, String> files) implements TemplateText.Beside {
        @Override
        public byte[] read(String path, Place named) {
            return Objects.requireNonNull(files.get(path), path).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public List<TemplateFile> context(Dockerfile dockerfile, Optional<String> file, Place named) {
            return new TreeMap<>(files).entrySet().stream().filter(each -> dockerfile.takes(each.getKey())).map(each -> new TemplateFile(each.getKey(), each.getValue(), null, null, null)).toList();
        }
    }

    /** A template of a Dockerfile, which is among what stands beside the recipe. */
    TemplateStatus create(String yaml, Map<String, String> beside) {
        return send(yaml, beside, "");
    }

    TemplateStatus replace(String yaml, Map<String, String> beside) {
        return send(yaml, beside, "?replace=true");
    }

    private TemplateStatus send(String yaml, Map<String, String> beside, String query) {
        Template template = TemplateText.read("test.yaml", yaml + "dockerfile_source: Dockerfile\n", null, new Beside(beside));
        return caller().post("/v1/templates" + query, template).as(TemplateStatus.class);
    }

    TemplateStatus create(String yaml) {
        return caller().post("/v1/templates", read(yaml)).as(TemplateStatus.class);
    }

    TemplateStatus replace(String yaml) {
        return caller().post("/v1/templates?replace=true", read(yaml)).as(TemplateStatus.class);
    }

    TemplateStatus get(String name) {
        return caller().get("/v1/templates/" + name).as(TemplateStatus.class);
    }

    List<TemplateStatus> list() {
        return caller().get("/v1/templates").as(TemplateList.class).templates();
    }

    TemplateHistory history(String name) {
        return caller().get("/v1/templates/" + name + "/history").as(TemplateHistory.class);
    }

    Build begin(String name, BuildTemplate request) {
        return caller().post("/v1/templates/" + name + "/build", request).as(Build.class);
    }

    /** The build when it has ended, however that was. */
    Build build(String name) {
        return awaited(begin(name, new BuildTemplate(null, null)).id());
    }

    /** The same of one that must succeed. */
    Build built(String name) {
        Build build = build(name);
        if (build.error() != null) {
            throw new AssertionError(build.error() + "\n" + log(build.id()));
        }
        return build;
    }

    Build awaited(String id) {
        return await()
                .atMost(Duration.ofMinutes(20))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> caller().get("/v1/builds/" + id).as(Build.class), build -> build.endedAt() != null);
    }

    String log(String id) {
        return caller().get("/v1/builds/" + id + "/log").text();
    }

    static Map<String, String> states(Build build) {
        return build.steps().stream().collect(Collectors.toMap(BuildStep::name, BuildStep::state));
    }

    static String error(Build build) {
        return Objects.requireNonNull(build.error(), () -> "it succeeded: " + build).code();
    }

    void delete(String name) {
        caller().delete("/v1/templates/" + name);
    }

    /** What tests made, and what builds kept for each other, is gone. */
    void clear() {
        List<TemplateStatus> own = list().stream().filter(each -> each.origin().equals("builtin") ? each.version() != null : true).toList();
        List<TemplateStatus> left = own;
        for (int round = 0; round < own.size() && !left.isEmpty(); round++) { // one that another begins with goes after that
            left.forEach(each -> {
                try {
                    delete(each.name());
                } catch (SandglassException needed) {
                    Objects.requireNonNull(needed);
                }
            });
            left = list().stream().filter(each -> !each.origin().equals("builtin")).toList();
        }
        daemon.api().allSnapshots().stream().map(Snapshot::id).forEach(daemon.api()::deleteSnapshot);
    }
}
