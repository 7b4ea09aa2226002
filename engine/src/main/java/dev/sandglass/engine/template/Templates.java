package dev.sandglass.engine.template;

import dev.sandglass.engine.build.Builds;
import dev.sandglass.engine.build.RunningBuild;
import dev.sandglass.engine.build.Scripts;
import dev.sandglass.engine.component.Installation;
import dev.sandglass.engine.component.Provisioning;
import dev.sandglass.engine.file.Files;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.ledger.TemplateLedger;
import dev.sandglass.engine.ledger.TemplateRecord;
import dev.sandglass.engine.ledger.TemplateTag;
import dev.sandglass.engine.ledger.VersionRecord;
import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.engine.life.Rules;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.oci.OciImages;
import dev.sandglass.engine.sandbox.CommandDefaults;
import dev.sandglass.engine.sandbox.SnapshotState;
import dev.sandglass.engine.service.Services;
import dev.sandglass.engine.snapshot.Snapshots;
import dev.sandglass.engine.trace.Trace;
import dev.sandglass.wire.Build;
import dev.sandglass.wire.BuildTemplate;
import dev.sandglass.wire.CaptureTemplate;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.Problem;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Sha256;
import dev.sandglass.wire.Template;
import dev.sandglass.wire.TemplateHistory;
import dev.sandglass.wire.TemplatePool;
import dev.sandglass.wire.TemplateStatus;
import dev.sandglass.wire.TemplateVersion;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The templates of this machine. Thread-safe. */
public final class Templates {
    private static final Logger LOG = LoggerFactory.getLogger(Templates.class);
    /** Stands for what the name itself stands for. */
    public static final String DEFAULT_TAG = "default";

    private static final int KEPT_VERSIONS = 5;
    private static final String BUILT_IN = "builtin";
    private static final String USER = "user";
    private static final String OF_SANDBOX = "sandbox";
    static final String CONFIG = "config";

    private final TemplateLedger ledger;
    private final Ledger all;
    private final Builds builds;
    private final Provisioning provisioning;
    private final Workshop workshop;
    private final Origins origins;
    private final Ancestry ancestry;
    private volatile Runnable changes = () -> {};
    private volatile Consumer<String> removals = _ -> {};

    public Templates(
            Ledger ledger, Sandboxes sandboxes, Snapshots snapshots, Files files, Services services, Scripts scripts, Installation installation, Builds builds, Provisioning provisioning,
            OciImages images, Uploads uploads, TemplateSettings settings) {
        this.all = ledger;
        this.ledger = ledger.templates();
        this.builds = builds;
        this.provisioning = provisioning;
        this.workshop = new Workshop(sandboxes, snapshots, files, services, scripts, installation, new StepCache(ledger.builds(), snapshots), uploads, settings);
        this.origins = new Origins(ledger, images, settings.image());
        this.ancestry = new Ancestry(this.ledger, origins);
        bringAlong(settings.builtIn());
        sandboxes.furnishing(this::furnished);
    }

    /**
     * Tells of whatever may have changed what a template's name stands for, or its recipe.
     *
     * @param isToGo asked before one is removed; he refuses by an exception
     */
    public void watch(Runnable changed, Consumer<String> isToGo) {
        changes = changed;
        removals = isToGo;
    }

    /** Whether there is something for which the name of a template stands; nothing if there is no such template. */
    public Optional<Boolean> isBuilt(String name) {
        return ledger.find(name).map(record -> current(record).isPresent());
    }

    /** The pools of which recipes say that they are to be, by template. */
    public Map<String, TemplatePool> pools() {
        Map<String, TemplatePool> all = new TreeMap<>();
        ledger.all().forEach(record -> Optional.ofNullable(recipe(record).pool()).ifPresent(pool -> all.put(record.name(), pool)));
        return all;
    }

    /** The same as snapshot configurations. */
    public SnapshotConfigs configs() {
        return new SnapshotConfigs(this);
    }

    /** Those that are brought along are there like all others; what the owner made under their names stays his. */
    private void bringAlong(List<Template> builtIn) {
        Set<String> names = new LinkedHashSet<>();
        for (Template template : builtIn) {
            names.add(template.name());
            String recipe = Json.write(template);
            Optional<TemplateRecord> known = ledger.find(template.name());
            try {
                if (known.isEmpty()) {
                    ledger.insert(new TemplateRecord(template.name(), BUILT_IN, recipe, OptionalLong.empty(), now(), now()));
                } else if (known.get().origin().equals(BUILT_IN) && !known.get().recipe().equals(recipe)) {
                    ledger.replace(template.name(), BUILT_IN, recipe, now());
                }
            } catch (SandglassException taken) {
                LOG.warn("The built-in template {} is left out: {}", template.name(), taken.what());
            }
        }
        ledger.all().stream().filter(known -> known.origin().equals(BUILT_IN) && !names.contains(known.name())).forEach(gone -> ledger.remove(gone.name()));
    }

    public List<TemplateStatus> list() {
        return ledger.all().stream().map(record -> status(record, false)).toList();
    }

    public TemplateStatus get(String name) {
        return status(found(name), true);
    }

    private TemplateStatus status(TemplateRecord record, boolean whole) {
        Template template = recipe(record);
        Optional<VersionRecord> current = current(record);
        boolean building = builds.isAtWork("template", record.name());
        boolean stale = current.isPresent() && !current.get().digest().equals(digest(record));
        String state = building ? "building" : current.isEmpty() ? "new" : stale ? "stale" : "ready";
        return new TemplateStatus(
                record.name(),
                template.description(),
                record.origin(),
                state,
                current.map(VersionRecord::version).orElse(null),
                current.map(version -> version.snapshot().text()).orElse(null),
                current.map(VersionRecord::builtAt).orElse(null),
                record.updatedAt(),
                Objects.requireNonNullElse(template.components(), List.of()),
                domains(template),
                whole ? ancestry.includes(template, provisioning.catalogue()) : null,
                builds.list(Optional.of(record.name())).stream().filter(build -> build.kind().equals("template")).findFirst().map(Build::id).orElse(null),
                whole ? template : null);
    }

    /** A component that it names may be gone. */
    private List<String> domains(Template template) {
        try {
            return Recipe.of(template, provisioning.catalogue()).domains();
        } catch (SandglassException unknown) {
            return Objects.requireNonNullElse(template.requiredDomains(), List.of());
        }
    }

    /**
     * Keeps a recipe; {@code name_taken} if there is a template or a snapshot of that name.
     *
     * @param replaces whether it takes the place of another: what that was built into stays until it is built anew
     */
    public TemplateStatus create(Template asked, boolean replaces) {
        return create(asked, USER, replaces);
    }

    synchronized TemplateStatus create(Template asked, String origin, boolean replaces) {
        Template template = TemplateRules.checked(asked);
        Recipe.of(template, provisioning.catalogue()).instructed(CommandDefaults.NONE);
        origins.require(template);
        Optional<TemplateRecord> known = ledger.find(template.name());
        if (known.isPresent() && replaces) {
            requireOwn(known.get());
            ledger.replace(template.name(), origin, Json.write(template), now());
        } else if (known.isPresent()) {
            throw taken(known.get());
        } else {
            ledger.insert(new TemplateRecord(template.name(), origin, Json.write(template), OptionalLong.empty(), now(), now()));
        }
        changes.run();
        return get(template.name());
    }

    private static SandglassException taken(TemplateRecord known) {
        String remedy = switch (known.origin()) {
            case BUILT_IN -> "begin with the built-in one: `from: " + known.name() + "`.";
            case CONFIG -> "change it: `PUT /v1/snapshot-configs/" + known.name() + "`.";
            default -> "let this one take its place: --replace (in the API `replace`).";
        };
        return new SandglassException(ErrorCode.NAME_TAKEN, "There is a template with the name " + known.name() + " already.", "Choose another name, or " + remedy);
    }

    private static void requireOwn(TemplateRecord record) {
        if (record.origin().equals(BUILT_IN)) {
            throw new SandglassException(
                    ErrorCode.CONFLICT, "The template " + record.name() + " is a built-in one and cannot be changed.", "Make one of another name that begins with it: `from: " + record.name() + "`.");
        }
    }

    /** Removes a template and what it was built into; sandboxes that run go on. Of a built-in one only what was built goes. */
    public synchronized void remove(String name) {
        TemplateRecord record = found(name);
        if (builds.isAtWork("template", name)) {
            throw new SandglassException(ErrorCode.CONFLICT, "The template " + name + " is being built.", "Try again when that has ended; `sandglass rm` of the sandbox in which it is built ends it.");
        }
        boolean builtIn = record.origin().equals(BUILT_IN);
        Optional<TemplateRecord> dependent = builtIn ? Optional.empty() : ledger.all().stream().filter(each -> origins.parent(recipe(each)).equals(Optional.of(name))).findFirst();
        dependent.ifPresent(each -> {
            throw new SandglassException(ErrorCode.CONFLICT, "The template " + each.name() + " begins with " + name + ".", "Remove that first: `sandglass template rm " + each.name() + "`.");
        });
        removals.accept(name);
        if (builtIn) {
            ledger.clear(name);
        } else {
            ledger.remove(name);
        }
        workshop.snapshots().discard(List.of());
        changes.run();
    }

    /** Begins to build; whoever asks for the same meanwhile gets the same build. */
    public Build build(String name, BuildTemplate request) {
        return begin(name, Boolean.TRUE.equals(request.keep()), !Boolean.FALSE.equals(request.cache())).build();
    }

    /** The id of a build that is to be. */
    public String reserve() {
        return builds.reserve();
    }

    /**
     * Begins a build under an id that was reserved.
     *
     * @param tags that stand for what it becomes; the name itself does if there are none, or if {@link #DEFAULT_TAG} is one
     */
    public Build build(String name, String id, boolean cache, List<String> tags) {
        TemplateRecord record = buildable(name);
        Template template = recipe(record);
        String digest = digest(record);
        return builds.start(id, "template", name, Optional.empty(), build -> build(template, digest, build, cache, tags)).build();
    }

    private RunningBuild begin(String name, boolean keep, boolean cache) {
        TemplateRecord record = buildable(name);
        String digest = digest(record);
        Template template = recipe(record);
        RunningBuild begun = builds.start(builds.reserve(), "template", name, Optional.of(name + " " + digest + " " + cache), build -> build(template, digest, build, cache, List.of()));
        if (keep) {
            begun.keepSandbox();
        }
        return begun;
    }

    private TemplateRecord buildable(String name) {
        TemplateRecord record = found(name);
        if (record.origin().equals(OF_SANDBOX)) {
            throw new SandglassException(
                    ErrorCode.CONFLICT, "The template " + name + " was made of a sandbox, so there is nothing to build.", "Make it anew of a sandbox, or replace it by a recipe: `sandglass template create --replace`.");
        }
        return record;
    }

    private void build(Template template, String digest, RunningBuild build, boolean cache, List<String> tags) {
        Recipe recipe = Recipe.of(template, provisioning.catalogue(), workshop.uploads()::digest);
        origins.require(template);
        TemplateBuild work = new TemplateBuild(workshop, recipe, origins.base(template, build, parent -> built(parent, build)), build, cache);
        SnapshotRecord taken = work.run();
        try {
            Failpoint.BUILD_CAPTURED.reach();
            long version = ledger.publish(template.name(), taken.id(), digest, Json.write(template), Optional.of(build.id()), tags, now());
            build.result(taken.id().text(), version);
            Failpoint.BUILD_PUBLISHED.reach();
        } finally {
            work.end();
        }
        changes.run();
        forgetOld(template.name());
    }

    private SnapshotRecord built(TemplateRecord parent, RunningBuild build) {
        if (current(parent).isEmpty()) {
            build.print("", "building " + parent.name() + " first\n");
        }
        return ready(parent);
    }

    private void forgetOld(String name) {
        ledger.versions(name).stream().skip(KEPT_VERSIONS).forEach(old -> ledger.forget(name, old.version()));
        workshop.snapshots().discard(List.of());
    }

    /** The snapshot for which the name stands; it is built if there is none. */
    private SnapshotRecord ready(TemplateRecord record) {
        Optional<SnapshotRecord> built = current(record).flatMap(version -> all.snapshots().find(version.snapshot()));
        if (built.isPresent()) {
            return built.get();
        }
        String building = "building " + record.name();
        Trace.step(building);
        Build ended = begin(record.name(), false, true).awaitEnd(step -> Trace.step(building + ": " + step));
        Problem problem = ended.error();
        if (problem != null) {
            SandglassException why = SandglassException.from(problem);
            throw new SandglassException(why.code(), "The template " + record.name() + " could not be built: " + why.what(), why.hint(), why);
        }
        return all.snapshots().resolve(Objects.requireNonNull(ended.snapshot()));
    }

    /** A template that is what a sandbox is now. */
    public TemplateStatus capture(CaptureTemplate request) {
        Sandbox sandbox = workshop.sandboxes().get(request.sandbox());
        Template recipe = new Template(
                Rules.name(request.name()), request.description(), null, null, null, null, null, null, null, null, null, sandbox.env().isEmpty() ? null : sandbox.env(), null, null, null, null, null, null, sandbox.runtime(), sandbox.network(), null, null,
                null, null, null);
        String text = Json.write(recipe);
        Optional<TemplateRecord> known = ledger.find(request.name());
        if (known.isEmpty()) {
            ledger.insert(new TemplateRecord(request.name(), OF_SANDBOX, text, OptionalLong.empty(), now(), now()));
        } else if (!known.get().origin().equals(OF_SANDBOX)) {
            String remedy = known.get().origin().equals(BUILT_IN) ? "." : ", or remove it with `sandglass template rm " + request.name() + "`.";
            throw new SandglassException(ErrorCode.NAME_TAKEN, "There is a template with the name " + request.name() + " already.", "Choose another name" + remedy);
        }
        try {
            SnapshotRecord taken = workshop.snapshots().captureForBuild(sandbox.id(), Objects.requireNonNullElse(request.description(), ""), Map.of("sandglass.template", request.name()), true);
            ledger.replace(request.name(), OF_SANDBOX, text, now());
            ledger.publish(request.name(), taken.id(), Sha256.of(text), text, Optional.empty(), List.of(), now());
        } catch (RuntimeException problem) {
            if (known.isEmpty()) {
                ledger.remove(request.name());
            }
            throw problem;
        }
        changes.run();
        forgetOld(request.name());
        return get(request.name());
    }

    /** What a template was built into, newest first. */
    public TemplateHistory history(String name) {
        TemplateRecord record = found(name);
        List<TemplateVersion> versions = ledger.versions(name).stream()
                .map(each -> new TemplateVersion(
                        each.version(), each.snapshot().text(), each.builtAt(), each.build().orElse(null), record.current().equals(OptionalLong.of(each.version())), isKept(each)))
                .toList();
        return new TemplateHistory(name, versions);
    }

    private boolean isKept(VersionRecord version) {
        return all.snapshots().find(version.snapshot()).filter(snapshot -> snapshot.state() == SnapshotState.READY).isPresent();
    }

    /**
     * Lets the name stand for an earlier version; sandboxes that run keep what they have.
     *
     * @param wanted the one before if absent
     */
    public TemplateStatus rollback(String name, @Nullable Long wanted) {
        TemplateRecord record = found(name);
        long current = record.current().orElseThrow(() -> new SandglassException(ErrorCode.CONFLICT, "The template " + name + " was not built yet.", "Build it: `sandglass template build " + name + "`."));
        VersionRecord target = ledger.versions(name).stream()
                .filter(each -> wanted == null ? each.version() < current : each.version() == wanted)
                .filter(this::isKept)
                .findFirst()
                .orElseThrow(() -> new SandglassException(
                        ErrorCode.CONFLICT,
                        "The template " + name + " has no " + (wanted == null ? "version before " + current : "version " + wanted) + " whose snapshot is kept.",
                        "`sandglass template history " + name + "` lists those that there are."));
        ledger.point(name, target.version());
        changes.run();
        return get(name);
    }

    /** A request with what its template says, which is built if it was not; the same if it names none. */
    private CreateSandbox furnished(CreateSandbox request) {
        String named = request.template();
        if (named != null && request.from() != null) {
            throw new SandglassException(ErrorCode.INVALID_REQUEST, "from, template: both are given (expected: one of them)", "A template is named by either.");
        }
        String wanted = named != null ? named : request.from();
        if (wanted == null) {
            return request;
        }
        int colon = wanted.indexOf(':');
        if (colon > 0) { // no name of anything has one
            return furnished(request, wanted.substring(0, colon), wanted.substring(colon + 1));
        }
        Optional<TemplateRecord> record = ledger.find(wanted);
        if (record.isEmpty()) {
            if (named != null) {
                throw unknown(named);
            }
            return request;
        }
        SnapshotRecord snapshot = ready(record.get());
        return Furnishing.of(request, built(wanted, snapshot), snapshot.id().text(), snapshot.memory().isPresent(), workshop.settings().network());
    }

    private CreateSandbox furnished(CreateSandbox request, String name, String tag) {
        SnapshotRecord snapshot = all.snapshots().resolve(version(name, tag).snapshot());
        return Furnishing.of(request, built(name, snapshot), snapshot.id().text(), snapshot.memory().isPresent(), workshop.settings().network());
    }

    /** The recipe of which a snapshot was built, which another may have taken the place of since. */
    private Template built(String name, SnapshotRecord snapshot) {
        return ledger.versions(name).stream()
                .filter(version -> version.snapshot().equals(snapshot.id()))
                .findFirst()
                .flatMap(VersionRecord::recipe)
                .map(Templates::recipe)
                .orElseGet(() -> recipe(found(name)));
    }

    /** What the tags of a template stand for, with the default one if it was built. */
    public List<TemplateTag> tags(String name) {
        TemplateRecord record = found(name);
        List<TemplateTag> tags = new ArrayList<>(ledger.tags(name));
        current(record).ifPresent(version -> tags.add(new TemplateTag(DEFAULT_TAG, version.version(), version.builtAt())));
        return List.copyOf(tags);
    }

    /** The version for which a tag stands, whose snapshot is there; {@code template_not_found}. */
    public TemplateVersion version(String name, String tag) {
        long number = tags(name).stream().filter(each -> each.tag().equals(tag)).findFirst().map(TemplateTag::version)
                .orElseThrow(() -> new SandglassException(
                        ErrorCode.TEMPLATE_NOT_FOUND, "The template " + name + " has no tag " + Rules.printable(tag) + ".", "Build it with that tag, or give the tag to what it was built into."));
        return history(name).versions().stream().filter(each -> each.version() == number && each.kept()).findFirst().orElseThrow(() -> unknown(name));
    }

    /** Lets tags stand for a version, whatever they stood for. */
    public void tag(String name, long version, List<String> tags) {
        tags.forEach(tag -> {
            if (tag.equals(DEFAULT_TAG)) {
                ledger.point(name, version);
            } else {
                ledger.tag(name, Rules.name(tag), version, now());
            }
        });
        changes.run();
    }

    /** Takes tags away; {@code template_not_found} if one is none. */
    public void untag(String name, List<String> tags) {
        found(name);
        tags.forEach(tag -> ledger.untag(name, tag));
        forgetOld(name);
    }

    private TemplateRecord found(String name) {
        return ledger.find(name).orElseThrow(() -> unknown(name));
    }

    private SandglassException unknown(String name) {
        List<String> known = ledger.all().stream().map(TemplateRecord::name).toList();
        String near = known.isEmpty() ? "" : dev.sandglass.wire.document.Nearest.to(name, known);
        return new SandglassException(ErrorCode.TEMPLATE_NOT_FOUND, "There is no template " + Rules.printable(name) + near + ".", "`sandglass template ls` lists those that there are.");
    }

    /** The version for which the name stands, if its snapshot is there. */
    private Optional<VersionRecord> current(TemplateRecord record) {
        return ledger.versions(record.name()).stream().filter(each -> record.current().equals(OptionalLong.of(each.version()))).findFirst().filter(this::isKept);
    }

    static Template recipe(TemplateRecord record) {
        return recipe(record.recipe());
    }

    private static Template recipe(String text) {
        return Json.read(Template.class, text.getBytes(StandardCharsets.UTF_8));
    }

    private static String digest(TemplateRecord record) {
        return Sha256.of(record.recipe());
    }

    private static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS);
    }
}
