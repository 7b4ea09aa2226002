package dev.sandglass.engine.template;

import dev.sandglass.engine.build.RunningBuild;
import dev.sandglass.engine.build.Script;
import dev.sandglass.engine.build.Scripts;
import dev.sandglass.engine.file.Location;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.life.Rules;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.CreateService;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ReadyCheck;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.StorageFailure;
import dev.sandglass.wire.Template;
import dev.sandglass.wire.TemplateResources;
import dev.sandglass.wire.dockerfile.DockerPlan;
import dev.sandglass.wire.dockerfile.DockerStep;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One build of a template, by one thread. */
final class TemplateBuild {
    private static final Logger LOG = LoggerFactory.getLogger(TemplateBuild.class);
    private static final Duration STANDARD_LIMIT = Duration.ofMinutes(30);
    private static final Duration STANDARD_READY = Duration.ofSeconds(60);
    private static final Duration GRACE = Duration.ofSeconds(10);
    private static final String BASE = "base";
    private static final String SERVICES = "services";
    private static final String READY = "ready";
    private static final String SNAPSHOT = "snapshot";
    /** What a try prints is told if it is something else than the try before it printed. */
    private static final String UNTIL_READY = """
            now=$(mktemp) before=$(mktemp)
            until bash -c "$READY_CHECK" > "$now" 2>&1; do
                cmp -s "$now" "$before" || cat "$now"
                cp "$now" "$before"
                sleep 0.2
            done
            cat "$now"
            rm "$now" "$before"
            """;

    private final Workshop workshop;
    private final Recipe recipe;
    private final Template template;
    private final Base base;
    private final RunningBuild build;
    private final boolean cached;
    private final long deadline;
    private final Scripts.Raise raise;

    TemplateBuild(Workshop workshop, Recipe recipe, Base base, RunningBuild build, boolean cached) {
        this.workshop = workshop;
        this.recipe = recipe;
        this.template = recipe.template();
        this.base = base;
        this.build = build;
        this.cached = cached;
        Duration limit = Optional.ofNullable(template.timeout()).map(Duration::ofSeconds).orElse(STANDARD_LIMIT);
        this.deadline = System.nanoTime() + limit.toNanos();
        this.raise = new Scripts.Raise(
                "Give the template more memory: resources.memory_mb.", "Give the template more disk: resources.disk_mb.",
                "The template has " + limit.toSeconds() + " s for all steps (timeout), and a component its own timeout. Give it more time, or see why it does not end.",
                "Correct it and build again; with --keep the sandbox of the build stays to look at.");
    }

    /** Gives back the snapshot that it ends in, which nobody needs yet. */
    SnapshotRecord run() {
        List<Step> instructed = recipe.instructed(base.commands());
        List<Step> steps = Stream.concat(instructed.stream(), recipe.own().stream()).toList();
        List<String> keys = keys(steps);
        build.plan(names(steps));
        StepCache.Start start = cached ? workshop.cache().start(keys) : new StepCache.Start(0, Optional.empty());
        Sandbox sandbox = step(BASE, () -> create(start));
        boolean whole = false;
        try {
            for (int i = 0; i < steps.size(); i++) {
                if (i == instructed.size() && !instructed.isEmpty()) {
                    workshop.sandboxes().tell(sandbox.id(), recipe.afterInstructions(base.commands()));
                }
                if (i < start.done()) {
                    build.end(steps.get(i).name(), "cached", null);
                } else {
                    perform(sandbox, steps.get(i), keys.get(i));
                }
            }
            SnapshotRecord taken = finish(sandbox);
            whole = true;
            return taken;
        } finally {
            if (!whole) {
                leave(sandbox);
            }
        }
    }

    /** The sandbox is not needed any more. */
    void end() {
        Optional.ofNullable(build.build().sandbox()).ifPresent(workshop.sandboxes()::discard);
    }

    private List<String> keys(List<Step> steps) {
        List<String> keys = new ArrayList<>();
        String before = recipe.root(base.identity());
        for (Step step : steps) {
            before = step.key(before);
            keys.add(before);
        }
        return keys;
    }

    private List<String> names(List<Step> steps) {
        List<String> names = new ArrayList<>(List.of(BASE));
        steps.forEach(step -> names.add(step.name()));
        if (!recipe.services().isEmpty()) {
            names.add(SERVICES);
        }
        if (template.ready() != null) {
            names.add(READY);
        }
        names.add(SNAPSHOT);
        return names;
    }

    private interface Work<T> {
        T run();
    }

    /** Does something as a step of the build: how it ends is told of the step too. */
    private <T> T step(String name, Work<T> work) {
        build.begin(name);
        try {
            requireTime(name);
            T made = work.run();
            build.end(name, "done", null);
            return made;
        } catch (SandglassException problem) {
            build.fail(name, problem);
            throw problem;
        }
    }

    private Duration left() {
        return Duration.ofNanos(Math.max(1_000_000, deadline - System.nanoTime()));
    }

    private void requireTime(String name) {
        if (System.nanoTime() >= deadline) {
            throw new SandglassException(ErrorCode.BUILD_TIMEOUT, "The time of the build was over before the step " + name + ".", "Give the template more time: timeout.");
        }
    }

    private Sandbox create(StepCache.Start start) {
        TemplateResources asked = Objects.requireNonNullElse(template.resources(), new TemplateResources(null, null, null, null));
        long memory = Optional.ofNullable(asked.memoryMb()).orElseGet(() -> Math.max(workshop.settings().memoryMb(), recipe.plan().memoryMb().orElse(0L)));
        recipe.plan().warnings(memory, wanted -> "`resources: {memory_mb: " + wanted + "}` gives it more").forEach(build::warn);
        String from = start.snapshot().map(SnapshotId::text).orElse(base instanceof Base.OfSnapshot(SnapshotRecord snapshot) ? snapshot.id().text() : null);
        String image = from == null && base instanceof Base.OfNamedImage(String id, _) ? id : null;
        Map<String, String> labels = Map.of("sandglass.build", build.id(), "sandglass.template", template.name());
        CreateSandbox request = new CreateSandbox(
                build.id(), runtime(), template.security(), memory, asked.cpus(), asked.diskMb(), asked.maxProcesses(), recipe.env(), labels, null, null, null, null, null, null, true, from, from == null ? null : true, null,
                null, null, null, recipe.buildNetwork(), null, null, null, image, null, null, null);
        Sandbox made = workshop.sandboxes().createAfresh(request);
        build.in(made.id(), () -> workshop.sandboxes().discard(made.id()));
        return made;
    }

    /** Said in any case: a step that another template left may have been done on another runtime. */
    private String runtime() {
        String otherwise = base instanceof Base.OfSnapshot(SnapshotRecord snapshot) ? snapshot.runtime() : workshop.settings().runtime();
        return Objects.requireNonNullElse(template.runtime(), otherwise);
    }

    private void perform(Sandbox sandbox, Step step, String key) {
        step(step.name(), () -> {
            switch (step) {
                case Step.Component(var item) -> workshop.installation().run(sandbox.id(), item, step.name(), build, left(), raise);
                case Step.Files(var files) -> files.forEach(file -> {
                    build.print(step.name(), file.path() + "\n");
                    new Placement(workshop.files(), sandbox.id()).write(file);
                });
                case Step.Command(var run) -> workshop.scripts().run(sandbox.id(), script(run), build, raise);
                case Step.Directory(_, String path) -> new Placement(workshop.files(), sandbox.id()).directory(path);
                case Step.Copy copy -> new Placement(workshop.files(), sandbox.id()).copy(copy);
                case Step.Upload upload -> unpack(sandbox, upload);
                case Step.Setup(String script) -> workshop.scripts().run(sandbox.id(), Script.ofRoot(step.name(), script, workshop.installation().registries(), left()), build, raise);
            }
            workshop.cache().keep(key, sandbox.id(), step.name(), build);
            return true;
        });
    }

    /** Into a place of its own first: what comes is somebody else's, and only what was asked for goes on to the target. */
    private void unpack(Sandbox sandbox, Step.Upload upload) {
        String place = "/var/tmp/upload-" + build.id();
        Location at = new Location(sandbox.id(), place, Optional.empty());
        workshop.files().makeDirectory(at, OptionalInt.of(0700));
        try (InputStream archive = Archive.plain(workshop.uploads().read(upload.upload()))) {
            workshop.files().unpack(at, false, archive);
        } catch (IOException problem) {
            throw StorageFailure.of("The upload " + upload.upload() + " cannot be read", problem);
        }
        Map<String, String> env = Map.of("PLACE", place, "SOURCE", upload.source(), "TARGET", upload.target(), "OWNER", upload.owner(), "MODE", upload.mode().orElse(""));
        workshop.scripts().run(sandbox.id(), Script.ofRoot(upload.name(), Archive.COPY, env, left()), build, raise);
    }

    private Script script(DockerStep.Run run) {
        Map<String, String> env = new HashMap<>(workshop.installation().registries());
        env.putAll(run.env());
        return new Script(run.shown(), run.argv(), env, Optional.of(run.user()), Optional.of(run.workdir()), left());
    }

    private SnapshotRecord finish(Sandbox sandbox) {
        prepare(sandbox);
        recipe.instructions(base.commands()).map(DockerPlan::ports).filter(ports -> !ports.isEmpty()).ifPresent(ports -> build.print("", "it serves " + String.join(", ", ports) + "; `sandglass route create` lets others in\n"));
        workshop.sandboxes().tell(sandbox.id(), recipe.commands(base.commands()));
        Policy later = template.network() == null ? workshop.settings().network().orElse(Policy.NONE) : Policy.of(template.network());
        workshop.sandboxes().govern(sandbox.id(), _ -> later); // what was open for the build is open for it alone
        if (!recipe.services().isEmpty()) {
            step(SERVICES, () -> {
                recipe.services().forEach(service -> serve(sandbox, service));
                return true;
            });
        }
        ReadyCheck ready = template.ready();
        if (ready != null) {
            step(READY, () -> {
                await(sandbox, ready);
                return true;
            });
        }
        return step(SNAPSHOT, () -> capture(sandbox));
    }

    /** The place and the user of its commands are there. */
    private void prepare(Sandbox sandbox) {
        Map<String, String> env = new HashMap<>();
        StringBuilder script = new StringBuilder();
        if (template.user() != null) {
            env.put("WANTED_USER", template.user().split(":", 2)[0]);
            script.append("id \"$WANTED_USER\" > /dev/null\n");
        }
        if (template.workdir() != null) {
            env.put("WANTED_DIRECTORY", template.workdir());
            script.append("[ -d \"$WANTED_DIRECTORY\" ] || { mkdir -p \"$WANTED_DIRECTORY\"; [ -z \"${WANTED_USER:-}\" ] || chown \"$WANTED_USER\": \"$WANTED_DIRECTORY\"; }\n");
        }
        if (!script.isEmpty()) {
            workshop.scripts().run(sandbox.id(), Script.ofRoot(SNAPSHOT, script.toString(), env, left()), build, raise);
        }
    }

    private void serve(Sandbox sandbox, CreateService service) {
        build.print(SERVICES, service.name() + "\n");
        workshop.services().create(
                sandbox.id(),
                new CreateService(
                        service.name(), service.argv(), service.description(), service.cwd(), service.env(), service.user(), service.port(), service.restart(), service.maxRestarts(),
                        service.backoffMs(), service.health(), service.after(), true, true));
    }

    private void await(Sandbox sandbox, ReadyCheck ready) {
        Duration wanted = Optional.ofNullable(ready.timeout()).map(Duration::ofSeconds).orElse(STANDARD_READY);
        Duration limit = wanted.compareTo(left()) < 0 ? wanted : left();
        workshop.scripts().run(sandbox.id(), Script.ofRoot(READY, UNTIL_READY, Map.of("READY_CHECK", ready.command()), limit), build, raise);
    }

    /** Without its processes it is captured after these have ended, so that their files are whole. */
    private SnapshotRecord capture(Sandbox sandbox) {
        if (!recipe.warm() && !recipe.services().isEmpty()) {
            workshop.sandboxes().stop(sandbox.id(), GRACE);
        }
        try {
            return taken(sandbox);
        } catch (SandglassException full) {
            if (full.code() != ErrorCode.SNAPSHOT_QUOTA_REACHED) {
                throw full;
            }
            workshop.cache().clear();
            return taken(sandbox);
        }
    }

    private SnapshotRecord taken(Sandbox sandbox) {
        SnapshotRecord taken = workshop.snapshots().captureForBuild(sandbox.id(), Objects.requireNonNullElse(template.description(), ""), labels(), !recipe.warm());
        if (recipe.warm() && taken.memory().isEmpty()) {
            throw new SandglassException(
                    ErrorCode.CONFLICT, "warm: the runtime " + sandbox.runtime() + " cannot capture the processes of this sandbox.", "Build it on gvisor (runtime), or without warm: services start with the sandbox then.");
        }
        return taken;
    }

    /** Those of the Dockerfile that labels here can be, and whose it is. */
    private Map<String, String> labels() {
        Map<String, String> labels = new HashMap<>();
        recipe.instructions(base.commands()).map(DockerPlan::labels).orElse(Map.of()).forEach((name, value) -> {
            if (Rules.LABEL.matcher(name).matches()) {
                labels.put(name, value);
            }
        });
        labels.put("sandglass.template", template.name());
        return labels;
    }

    /** Takes the sandbox of a build that failed away, unless it is to be looked at. */
    private void leave(Sandbox sandbox) {
        try {
            if (build.keepsSandbox()) {
                workshop.sandboxes().confirm(List.of(sandbox), Optional.empty());
                build.warn("the sandbox " + sandbox.name() + " is left to look at; `sandglass rm " + sandbox.name() + "` removes it");
            } else {
                workshop.sandboxes().discard(sandbox.id());
            }
        } catch (RuntimeException problem) {
            LOG.error("The sandbox {} of a build that failed could not be taken away; it is tried again", sandbox.id(), problem);
        }
    }
}
