package dev.sandglass.client.daemon;

import dev.sandglass.wire.CreateCredential;
import dev.sandglass.wire.Credential;
import dev.sandglass.wire.CredentialList;
import dev.sandglass.wire.CredentialUsage;
import dev.sandglass.wire.CredentialUsageList;
import dev.sandglass.wire.RotateCredential;
import dev.sandglass.wire.Sandbox;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What clients do with credentials. */
public record Credentials(Client client) {
    public Credential create(CreateCredential request) {
        return client.ask(Credential.class, "POST", Query.of("v1", "credentials"), Client.json(request));
    }

    /** All credentials, by name, without their values. */
    public List<Credential> list() {
        return client.ask(CredentialList.class, "GET", Query.of("v1", "credentials"), null).credentials();
    }

    public Credential get(String name) {
        return client.ask(Credential.class, "GET", Query.of("v1", "credentials", name), null);
    }

    public Credential rotate(String name, RotateCredential request) {
        return client.ask(Credential.class, "POST", Query.of("v1", "credentials", name, "rotate"), Client.json(request));
    }

    public void delete(String name) {
        client.finish(client.send("DELETE", Query.of("v1", "credentials", name), null));
    }

    public Sandbox grant(String sandbox, String credential) {
        return client.ask(Sandbox.class, "PUT", Query.of("v1", "sandboxes", sandbox, "credentials", credential), null);
    }

    public Sandbox revoke(String sandbox, String credential) {
        return client.ask(Sandbox.class, "DELETE", Query.of("v1", "sandboxes", sandbox, "credentials", credential), null);
    }

    /** What sandboxes have used by credentials with a budget; of one of them if it is named. */
    public List<CredentialUsage> usage(@Nullable String sandbox) {
        Query query = Query.of("v1", "credential-usage");
        return client.ask(CredentialUsageList.class, "GET", sandbox == null ? query : query.with("sandbox", sandbox), null).usage();
    }

    public CredentialUsage reset(String sandbox, String credential) {
        return client.ask(CredentialUsage.class, "DELETE", Query.of("v1", "sandboxes", sandbox, "credentials", credential, "usage"), null);
    }
}
