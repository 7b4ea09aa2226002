package dev.sandglass.network;

import dev.sandglass.engine.credential.BaseUrl;
import dev.sandglass.engine.credential.Budgets;
import dev.sandglass.engine.credential.Credential;
import dev.sandglass.engine.credential.Credentials;
import dev.sandglass.engine.credential.Kind;
import dev.sandglass.engine.network.Attempt;
import dev.sandglass.engine.network.HostName;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.network.egress.Secrets;
import dev.sandglass.network.intercept.Addition;
import dev.sandglass.network.intercept.Detour;
import dev.sandglass.network.intercept.Meter;
import dev.sandglass.network.intercept.Provision;
import dev.sandglass.wire.SandglassException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The credentials that a sandbox was granted, as they are at the time of a request. */
record GrantedSecrets(SandboxId sandbox, Credentials credentials, Budgets budgets, Set<String> granted) implements Secrets {
    private static final Logger LOG = LoggerFactory.getLogger(GrantedSecrets.class);
    private static final String AUTHORIZATION = "Authorization";

    @Override
    public boolean concern(Attempt attempt) {
        return credentials.concern(granted, attempt);
    }

    @Override
    public boolean leadElsewhere(HostName name) {
        return credentials.leadElsewhere(granted, name);
    }

    @Override
    public Provision of(Attempt request) {
        List<Credential> found = credentials.matching(granted, request);
        Optional<Credential> led = found.stream().filter(each -> each.baseUrl().isPresent()).findFirst();
        Optional<BaseUrl> base = led.flatMap(Credential::baseUrl);
        List<Credential> used = found.stream().filter(each -> each.baseUrl().equals(base)).toList(); // what is for the one server is not for the other
        return new Provision(additions(used), led.flatMap(each -> base.map(url -> detour(each, url))), meter(used));
    }

    private static Detour detour(Credential credential, BaseUrl base) {
        return new Detour(!base.plain(), base.host(), base.port(), credential.servedBelow(), base.path());
    }

    private Optional<Meter> meter(List<Credential> used) {
        List<Credential> bounded = used.stream().filter(each -> each.budget().isPresent()).toList();
        return bounded.isEmpty() ? Optional.empty() : Optional.of(new BudgetMeter(sandbox, budgets, bounded));
    }

    private List<Addition> additions(List<Credential> used) {
        List<Addition> additions = new ArrayList<>();
        for (Credential each : used) {
            try {
                additions.add(addition(each.kind(), credentials.secret(each).bytes()));
            } catch (SandglassException unusable) {
                LOG.error("A request goes without the credential {}: {}", each.name(), unusable.what());
            }
        }
        return additions;
    }

    private static Addition addition(Kind kind, byte[] secret) {
        String value = new String(secret, StandardCharsets.UTF_8);
        return switch (kind) {
            case Kind.Bearer() -> new Addition.Field(AUTHORIZATION, "Bearer " + value);
            case Kind.Header(String name) -> new Addition.Field(name, value);
            case Kind.Basic(String user) ->
                new Addition.Field(AUTHORIZATION, "Basic " + Base64.getEncoder().encodeToString((user + ":" + value).getBytes(StandardCharsets.UTF_8)));
            case Kind.Query(String parameter) -> new Addition.Parameter(parameter, value);
            case Kind.Placeholder(String text) -> new Addition.Replacement(text, value);
        };
    }
}
