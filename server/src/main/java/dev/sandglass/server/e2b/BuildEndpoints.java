package dev.sandglass.server.e2b;

import dev.sandglass.engine.Engine;
import dev.sandglass.server.e2b.json.Begun;
import dev.sandglass.server.e2b.json.BuildWish;
import dev.sandglass.server.e2b.json.NewTemplate;
import dev.sandglass.server.e2b.json.UploadLink;
import dev.sandglass.server.e2b.sandbox.Access;
import dev.sandglass.server.http.Call;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Templates are built: announced, then given their files, then begun, and then watched. Thread-safe. */
final class BuildEndpoints {
    /** Announced, and not begun. */
    private static final int MOST_PENDING = 1000;

    private final Engine engine;
    private final Access access;
    private final TemplateRecipes recipes;
    private final BuildProgress progress;
    private final Map<String, Pending> pending = new LinkedHashMap<>();

    /** A build that was announced. */
    private record Pending(String template, List<String> tags, NewTemplate wish) {}

    BuildEndpoints(Engine engine, Access access, TemplateRecipes recipes) {
        this.engine = engine;
        this.access = access;
        this.recipes = recipes;
        this.progress = new BuildProgress(engine.builds());
    }

    List<Endpoint> all() {
        return List.of(
                Endpoint.of("POST", "/v3/templates", (call, _) -> announce(call)),
                Endpoint.of("POST", "/v2/templates", (call, _) -> announce(call)),
                Endpoint.ofMany("GET", "/templates/{template}/files/{hash}", this::link),
                Endpoint.ofMany("PUT", "/templates/{template}/files/{hash}", this::upload).opened(),
                Endpoint.ofMany("POST", "/v2/templates/{template}/builds/{build}", this::begin),
                Endpoint.ofMany("GET", "/templates/{template}/builds/{build}/status", this::status));
    }

    private void announce(Call call) throws IOException {
        NewTemplate wish = ControlPlane.read(call, NewTemplate.class);
        String asked = Objects.requireNonNullElse(wish.name(), Objects.requireNonNullElse(wish.alias(), ""));
        TemplateNames.requireForm(asked);
        String name = TemplateNames.plain(asked);
        List<String> tags = TemplateNames.allTags(asked, wish.tags());
        recipes.requireFree(name);
        String build = engine.templates().reserve();
        synchronized (pending) {
            pending.keySet().stream().limit(Math.max(0, pending.size() - MOST_PENDING + 1)).toList().forEach(pending::remove);
            pending.put(build, new Pending(name, tags, wish));
        }
        call.answer(202, new Begun(name, build, false, List.of(name), tags, List.of(name)));
    }

    private void link(Call call, Map<String, String> variables) throws IOException {
        String hash = Objects.requireNonNull(variables.get("hash"));
        boolean present = engine.uploads().isThere(hash);
        String path = "/templates/" + Objects.requireNonNull(call.rawSegments().get(1)) + "/files/" + hash;
        String url = call.origin() + path + "?token=" + access.uploadToken(hash);
        call.answer(201, new UploadLink(present, url));
    }

    /** Clients send no key here, so the address itself lets in. */
    private void upload(Call call, Map<String, String> variables) throws IOException {
        String hash = Objects.requireNonNull(variables.get("hash"));
        if (call.query("token").filter(token -> access.admitsUpload(hash, token)).isEmpty()) {
            throw new SandglassException(ErrorCode.UNAUTHORIZED, "This is not where the files may be sent.", "Ask for the address first.");
        }
        engine.uploads().put(hash, call.body());
        call.answer(200, new byte[] {'{', '}'});
    }

    private void begin(Call call, Map<String, String> variables) throws IOException {
        String id = Objects.requireNonNull(variables.get("build"));
        String name = TemplateNames.plain(Objects.requireNonNull(variables.get("template")));
        BuildWish wish = ControlPlane.read(call, BuildWish.class);
        Pending announced;
        synchronized (pending) {
            announced = Optional.ofNullable(pending.get(id)).filter(each -> each.template().equals(name)).orElseThrow(() -> unknown(id));
        }
        Optional<String> note = recipes.keep(name, announced.wish(), wish);
        synchronized (pending) {
            pending.remove(id);
        }
        engine.templates().build(name, id, !Boolean.TRUE.equals(wish.force()), announced.tags());
        note.ifPresent(text -> progress.note(id, text));
        call.answer(202, new byte[] {'{', '}'});
    }

    private void status(Call call, Map<String, String> variables) throws IOException, InterruptedException {
        String id = Objects.requireNonNull(variables.get("build"));
        boolean waits;
        synchronized (pending) {
            waits = pending.containsKey(id);
        }
        String template = TemplateNames.plain(Objects.requireNonNull(variables.get("template")));
        int offset = call.query("logsOffset").filter(text -> text.matches("[0-9]{1,9}")).map(Integer::parseInt).orElse(0);
        int limit = call.query("limit").filter(text -> text.matches("[1-9][0-9]{0,3}")).map(Integer::parseInt).orElse(100);
        call.answer(200, waits ? BuildProgress.waiting(template, id) : progress.of(template, id, offset, limit));
    }

    private static SandglassException unknown(String build) {
        return new SandglassException(ErrorCode.BUILD_NOT_FOUND, "build '" + Ids.shown(build) + "' not found", "");
    }
}
