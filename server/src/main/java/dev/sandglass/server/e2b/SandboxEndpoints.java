package dev.sandglass.server.e2b;

import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.server.e2b.json.NetworkWish;
import dev.sandglass.server.e2b.json.NewSandbox;
import dev.sandglass.server.e2b.sandbox.Facts;
import dev.sandglass.server.e2b.sandbox.NetworkConfig;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.server.http.Call;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.UpdateSandbox;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Sandboxes are made, shown, listed, governed and destroyed. Thread-safe. */
final class SandboxEndpoints {
    private static final NetworkConfig NOTHING_SAID = new NetworkConfig(null, null, null, null, null, null, null);

    private final Sandboxes sandboxes;
    private final Creation creation;
    private final Presentation presentation;
    private final Visible visible;

    SandboxEndpoints(Sandboxes sandboxes, Creation creation, Presentation presentation, Visible visible) {
        this.sandboxes = sandboxes;
        this.creation = creation;
        this.presentation = presentation;
        this.visible = visible;
    }

    List<Endpoint> all() {
        return List.of(
                Endpoint.of("POST", "/v2/sandboxes", (call, _) -> create(call, true)),
                Endpoint.of("POST", "/sandboxes", (call, _) -> create(call, false)),
                Endpoint.of("GET", "/v2/sandboxes", (call, _) -> list(call, SandboxListing.of(call))),
                Endpoint.of("GET", "/sandboxes", (call, _) -> list(call, SandboxListing.of(call).running())),
                Endpoint.of("GET", "/sandboxes/{sandbox}", this::get),
                Endpoint.of("DELETE", "/sandboxes/{sandbox}", this::destroy),
                Endpoint.of("PUT", "/sandboxes/{sandbox}/network", this::govern));
    }

    /** @param secures whether clients of that kind know tokens in any case */
    private void create(Call call, boolean secures) throws IOException, InterruptedException {
        NewSandbox asked = ControlPlane.read(call, NewSandbox.class);
        Sandbox made = creation.create(asked, secures || Boolean.TRUE.equals(asked.secure()));
        call.answer(201, presentation.created(made));
    }

    private void list(Call call, SandboxListing listing) throws IOException {
        List<Sandbox> all = sandboxes.list();
        call.put("X-Total-Running", Long.toString(all.stream().filter(sandbox -> Presentation.state(sandbox).filter(Presentation.RUNNING::equals).isPresent()).count()));
        Pages<Sandbox> pages = Pages.of(call, all.stream().filter(listing::wants), SandboxListing::place, listing.order()).told(call);
        call.answer(200, JsonList.json(pages.page(), sandbox -> presentation.listed(sandbox, Presentation.state(sandbox).orElse(Presentation.PAUSED))));
    }

    private void get(Call call, String id) throws IOException {
        Sandbox sandbox = visible.get(id);
        call.answer(200, presentation.detail(sandbox, Presentation.state(sandbox).orElse(Presentation.PAUSED)));
    }

    /** In whatever state it is, also in one in which clients do not see it. */
    private void destroy(Call call, String id) throws IOException {
        sandboxes.destroy(visible.existing(id).id());
        call.answerNothing();
    }

    /** What is not said is not so any more; who may come in stays as it is. */
    private void govern(Call call, String id) throws IOException {
        NetworkWish asked = ControlPlane.read(call, NetworkWish.class);
        Sandbox sandbox = visible.get(id);
        Facts facts = Facts.of(sandbox.labels());
        NetworkConfig before = Objects.requireNonNullElse(facts.network(), NOTHING_SAID);
        NetworkConfig next = new NetworkConfig(
                asked.allowOut(), asked.denyOut(), asked.rules(), asked.egressProxy(), before.allowPublicTraffic(), before.maskRequestHost(), before.httpsPorts());
        Policy policy = NetworkRules.policy(asked.allowInternetAccess(), next).map(Policy::of).orElse(Policy.OPEN);
        sandboxes.govern(sandbox.id(), _ -> policy);
        Map<String, String> label = Map.of(Facts.LABEL, facts.with(asked.allowInternetAccess(), next).text());
        sandboxes.update(sandbox.id(), new UpdateSandbox(null, null, null, null, null, label, null, null, null, null, null, null, null, null));
        call.answerNothing();
    }
}
