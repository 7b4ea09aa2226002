package dev.sandglass.engine.credential;

import dev.sandglass.engine.network.HostPattern;
import dev.sandglass.engine.network.PathPattern;
import dev.sandglass.wire.CreateCredential;
import dev.sandglass.wire.CredentialBudget;
import dev.sandglass.wire.Refusal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A credential without its value.
 *
 * @param preset by which it was made
 * @param baseUrl where requests for a model go instead of to its provider
 * @param budget how much each sandbox may use of a model with it
 */
public record Credential(
        String name,
        Kind kind,
        Destination destination,
        Optional<String> preset,
        Optional<BaseUrl> baseUrl,
        Optional<CredentialBudget> budget,
        Instant createdAt,
        Instant rotatedAt) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,62}");

    public Credential {
        if (!NAME.matcher(name).matches()) {
            throw Refusal.of("name", name, "1 to 63 letters, digits, '_', '.', '-', beginning with a letter or digit");
        }
        if (baseUrl.isPresent() && baseUrl.get().plain() && !destination.plain()) {
            throw Refusal.of("base_url", baseUrl.get().text(), "https, or plain_http beside it");
        }
        budget.ifPresent(bound -> {
            requireCount("budget.requests", bound.requests());
            requireCount("budget.tokens", bound.tokens());
        });
    }

    private static void requireCount(String field, @Nullable Long count) {
        if (count != null && count < 1) {
            throw Refusal.of(field, count.toString(), "at least 1");
        }
    }

    /** The credential that somebody asks to keep: what is not said is the preset's. */
    static Credential of(CreateCredential request, Instant now) {
        Optional<Preset> preset = Optional.ofNullable(request.preset()).map(Preset::named);
        Optional<BaseUrl> base = Optional.ofNullable(request.baseUrl()).map(BaseUrl::parse);
        boolean own = request.kind() != null || preset.isEmpty();
        Kind kind = own || request.header() != null || request.user() != null || request.parameter() != null || request.placeholder() != null
                ? Kind.of(
                        Objects.requireNonNullElse(request.kind(), preset.map(one -> one.kind().text()).orElse("bearer")),
                        request.header(), request.user(), request.parameter(), request.placeholder())
                : preset.orElseThrow().kind();
        Optional<String> host = Optional.ofNullable(request.host()).or(() -> preset.flatMap(Preset::host)).or(() -> base.map(BaseUrl::host));
        boolean atBase = request.host() == null && preset.flatMap(Preset::host).isEmpty();
        int port = request.port() != null ? request.port() : atBase ? base.map(BaseUrl::port).orElse(Destination.HTTPS) : Destination.HTTPS;
        return new Credential(
                request.name(),
                kind,
                destination(
                        host.orElseThrow(() -> Refusal.of("host", "nothing", "the host that is to get it, like api.example.org")),
                        port,
                        Objects.requireNonNullElse(request.paths(), List.of()),
                        Objects.requireNonNullElse(request.methods(), List.of()),
                        Boolean.TRUE.equals(request.plainHttp())),
                preset.map(Preset::text),
                base,
                Optional.ofNullable(request.budget()),
                now,
                now);
    }

    /** What {@link #toWire} was made of. */
    static Credential of(dev.sandglass.wire.Credential shown) {
        return new Credential(
                shown.name(),
                Kind.of(shown.kind(), shown.header(), shown.user(), shown.parameter(), shown.placeholder()),
                destination(shown.host(), shown.port(), shown.paths(), shown.methods(), shown.plainHttp()),
                Optional.ofNullable(shown.preset()),
                Optional.ofNullable(shown.baseUrl()).map(BaseUrl::parse),
                Optional.ofNullable(shown.budget()),
                shown.createdAt(),
                shown.rotatedAt());
    }

    private static Destination destination(String host, int port, List<String> paths, List<String> methods, boolean plain) {
        return new Destination(HostPattern.parse(host), port, paths.stream().map(PathPattern::parse).toList(), Set.copyOf(methods), plain);
    }

    /** The path below which the destination serves what the base URL serves below its own. */
    public String servedBelow() {
        if (baseUrl.isPresent() && baseUrl.get().isAt(destination)) {
            return baseUrl.get().path();
        }
        return preset.map(Preset::named).map(Preset::path).orElse("");
    }

    /**
     * The environment in which programs find their way to a model: a key that is none, because they do not start without one, and where the model is, if that is not where they look by themselves.
     */
    Map<String, String> variables() {
        return preset.map(Preset::named).map(service -> service.variables(destination, servedBelow(), baseUrl.filter(url -> url.isAt(destination)))).orElse(Map.of());
    }

    Credential rotated(Instant now) {
        return new Credential(name, kind, destination, preset, baseUrl, budget, createdAt, now);
    }

    /** As the API shows it. */
    public dev.sandglass.wire.Credential toWire() {
        return new dev.sandglass.wire.Credential(
                name,
                kind.text(),
                kind instanceof Kind.Header(String header) ? header : null,
                kind instanceof Kind.Basic(String user) ? user : null,
                kind instanceof Kind.Query(String parameter) ? parameter : null,
                kind instanceof Kind.Placeholder(String text) ? text : null,
                destination.host().toString(),
                destination.port(),
                destination.paths().stream().map(PathPattern::toString).toList(),
                destination.sortedMethods(),
                destination.plain(),
                preset.orElse(null),
                baseUrl.map(BaseUrl::text).orElse(null),
                budget.orElse(null),
                createdAt,
                rotatedAt);
    }
}
