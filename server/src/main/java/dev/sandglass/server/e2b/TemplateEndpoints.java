package dev.sandglass.server.e2b;

import dev.sandglass.engine.Engine;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.template.Templates;
import dev.sandglass.server.e2b.json.Alias;
import dev.sandglass.server.e2b.json.Names;
import dev.sandglass.server.e2b.json.Tag;
import dev.sandglass.server.e2b.json.TagWish;
import dev.sandglass.server.e2b.json.Tagged;
import dev.sandglass.server.e2b.json.TemplateInfo;
import dev.sandglass.server.http.Call;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Snapshot;
import dev.sandglass.wire.TemplateResources;
import dev.sandglass.wire.TemplateStatus;
import dev.sandglass.wire.TemplateVersion;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Templates and their tags are listed, looked up and removed. Thread-safe. */
final class TemplateEndpoints {
    private static final TemplateResources NOT_SAID = new TemplateResources(null, null, null, null);

    private final Engine engine;
    private final TemplateNames names;
    private final SnapshotNames snapshots;

    TemplateEndpoints(Engine engine, TemplateNames names, SnapshotNames snapshots) {
        this.engine = engine;
        this.names = names;
        this.snapshots = snapshots;
    }

    List<Endpoint> all() {
        return List.of(
                Endpoint.of("GET", "/templates", (call, _) -> call.answer(200, JsonList.json(engine.templates().list().stream().map(this::shown).toList()))),
                Endpoint.of("GET", "/v2/templates", (call, _) -> page(call)),
                Endpoint.of("GET", "/templates/aliases/{alias}", this::alias),
                Endpoint.of("PATCH", "/v2/templates/{template}", this::publish),
                Endpoint.of("PATCH", "/templates/{template}", this::publish),
                Endpoint.of("DELETE", "/templates/{template}", this::remove),
                Endpoint.of("GET", "/templates/{template}/tags", this::tags),
                Endpoint.of("POST", "/templates/tags", (call, _) -> tag(call)),
                Endpoint.of("DELETE", "/templates/tags", (call, _) -> untag(call)));
    }

    private void page(Call call) throws IOException {
        Pages<TemplateStatus> pages = Pages.of(call, engine.templates().list().stream(), TemplateStatus::name, Comparator.naturalOrder()).told(call);
        call.answer(200, JsonList.json(pages.page().stream().map(this::shown).toList()));
    }

    private TemplateInfo shown(TemplateStatus template) {
        TemplateStatus whole = engine.templates().get(template.name());
        TemplateResources resources = whole.recipe() == null ? NOT_SAID : Objects.requireNonNullElse(whole.recipe().resources(), NOT_SAID);
        return new TemplateInfo(
                template.name(),
                Objects.requireNonNullElse(template.build(), ""),
                (int) Math.max(1, Math.ceil(Objects.requireNonNullElse(resources.cpus(), 1.0))),
                Objects.requireNonNullElse(resources.memoryMb(), 0L),
                Objects.requireNonNullElse(resources.diskMb(), 0L),
                false,
                List.of(template.name()),
                List.of(template.name()),
                template.updatedAt(),
                template.updatedAt(),
                null,
                null,
                0,
                template.version() == null ? 0 : template.version(),
                Presentation.VERSION_INSIDE,
                status(template));
    }

    private static String status(TemplateStatus template) {
        return switch (template.state()) {
            case "building" -> "building";
            case "new" -> "waiting";
            default -> "ready";
        };
    }

    /** Whatever a sandbox can be made of has a name that is known. */
    private void alias(Call call, String alias) throws IOException {
        String id = switch (names.find(alias)) {
            case TemplateNames.Origin.Base() -> TemplateNames.BASE;
            case TemplateNames.Origin.OfTemplate(String name, _) -> name;
            case TemplateNames.Origin.OfSnapshot(Snapshot snapshot) -> Ids.undashed(snapshot.id());
        };
        call.answer(200, new Alias(id, false));
    }

    /** Who has a key has all templates, so there is nothing to open or to close. */
    private void publish(Call call, String template) throws IOException {
        call.bytes(ControlPlane.MOST_JSON_BYTES);
        call.answer(200, new Names(List.of(engine.templates().get(TemplateNames.plain(template)).name())));
    }

    /** A snapshot is one for these clients. */
    private void remove(Call call, String template) throws IOException {
        Optional<SnapshotId> id = Ids.snapshot(template);
        if (id.isPresent()) {
            engine.snapshots().delete(existing(id.get(), template));
        } else if (engine.templates().isBuilt(TemplateNames.plain(template)).isPresent()) {
            engine.templates().remove(TemplateNames.plain(template));
        } else {
            engine.snapshots().delete(snapshots.find(template).orElseThrow(() -> TemplateNames.unknown(template)).id());
        }
        call.answerNothing();
    }

    /** One that is gone is told, though the engine does not mind. */
    private String existing(SnapshotId id, String asked) {
        try {
            return engine.snapshots().get(id.text()).id();
        } catch (SandglassException missing) {
            throw missing.code() == ErrorCode.SNAPSHOT_NOT_FOUND ? TemplateNames.unknown(asked) : missing;
        }
    }

    private void tags(Call call, String template) throws IOException {
        String name = TemplateNames.plain(template);
        List<TemplateVersion> versions = engine.templates().history(name).versions();
        call.answer(200, JsonList.json(engine.templates().tags(name).stream().map(tag -> new Tag(tag.tag(), build(versions, tag.version()), tag.at())).toList()));
    }

    private static String build(List<TemplateVersion> versions, long number) {
        return versions.stream().filter(version -> version.version() == number).findFirst().map(TemplateVersion::build).orElse("");
    }

    private void tag(Call call) throws IOException {
        TagWish wish = ControlPlane.read(call, TagWish.class);
        String target = Objects.requireNonNullElse(wish.target(), "");
        TemplateNames.requireForm(target);
        List<String> tags = TemplateNames.tags(wish.tags());
        TemplateVersion version = engine.templates().version(TemplateNames.plain(target), TemplateNames.tag(target).orElse(Templates.DEFAULT_TAG));
        engine.templates().tag(TemplateNames.plain(target), version.version(), tags);
        call.answer(201, new Tagged(Objects.requireNonNullElse(version.build(), ""), tags));
    }

    private void untag(Call call) throws IOException {
        TagWish wish = ControlPlane.read(call, TagWish.class);
        String name = Objects.requireNonNullElse(wish.name(), "");
        TemplateNames.requireForm(name);
        engine.templates().untag(TemplateNames.plain(name), TemplateNames.tags(wish.tags()));
        call.answerNothing();
    }
}
