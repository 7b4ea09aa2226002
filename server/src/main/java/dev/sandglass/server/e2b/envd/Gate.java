package dev.sandglass.server.e2b.envd;

import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.server.e2b.sandbox.Access;
import dev.sandglass.server.e2b.sandbox.Facts;
import dev.sandglass.server.http.Call;
import dev.sandglass.wire.Sandbox;
import java.util.Optional;
import java.util.function.Predicate;

/** Finds sandboxes for calls, and lets in who may. Nothing is asked of a sandbox here, and none is woken. Thread-safe. */
final class Gate {
    private static final String TOKEN = "X-Access-Token";
    private static final String TRAFFIC_TOKEN = "e2b-traffic-access-token";

    private final Sandboxes sandboxes;
    private final Access access;

    Gate(Sandboxes sandboxes, Access access) {
        this.sandboxes = sandboxes;
        this.access = access;
    }

    /** The sandbox that a client calls so, if it is there. */
    Sandbox sandbox(String called) {
        return SandboxId.undashed(called).map(SandboxId::text).flatMap(sandboxes::made).orElseThrow(() -> HttpRefusal.notFound(called));
    }

    /** The sandbox whose token, or whose signature, came with a call. */
    Optional<Sandbox> sandbox(Call call) {
        Optional<String> token = call.header(TOKEN);
        Predicate<SandboxId> meant = token.isPresent() ? id -> access.admits(id, token.get()) : id -> Signatures.isSigned(call, access.token(id));
        return sandboxes.list().stream().filter(each -> meant.test(new SandboxId(each.id()))).findFirst();
    }

    /** For processes and files. */
    void admit(Call call, Sandbox sandbox) {
        if (!Facts.of(sandbox.labels()).secured() || call.header(TOKEN).filter(token -> access.admits(id(sandbox), token)).isPresent()) {
            return;
        }
        if (!call.path().equals("/files")) {
            throw HttpRefusal.of(401, "unauthorized access, please provide a valid access token or method signing if supported");
        }
        if (call.header(TOKEN).isPresent()) {
            throw HttpRefusal.of(401, "access token present in header but does not match");
        }
        Signatures.require(call, access.token(id(sandbox)));
    }

    /** For other ports. */
    void admitTraffic(Call call, Sandbox sandbox) {
        Optional<String> token = call.header(TRAFFIC_TOKEN);
        if (!Facts.of(sandbox.labels()).privateTraffic() || token.filter(told -> access.admitsTraffic(id(sandbox), told)).isPresent()) {
            return;
        }
        String called = id(sandbox).undashed();
        throw HttpRefusal.forbidden(
                called,
                token.isEmpty()
                        ? "Sandbox is secured with traffic access token. Token header '" + TRAFFIC_TOKEN + "' is missing"
                        : "Sandbox is secured with traffic access token. Provided token in header '" + TRAFFIC_TOKEN + "' is invalid");
    }

    private static SandboxId id(Sandbox sandbox) {
        return new SandboxId(sandbox.id());
    }
}
