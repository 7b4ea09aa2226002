package dev.sandglass.engine.network;

import dev.sandglass.engine.sandbox.SandboxId;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The networks of sandboxes, one for each, with a gateway that its policy governs. Thread-safe; calls for one sandbox come one at a time. */
public interface Network extends AutoCloseable {
    /** The address at which every sandbox finds its gateway and its resolver. */
    String GATEWAY = "10.0.0.1";

    /**
     * What a sandbox with this authority has to trust, as PEM: its gateway is the server of what it looks into.
     *
     * @param authority a word; those of one word are one
     */
    String certificate(String authority);

    /**
     * The environment in which programs of a sandbox find what its credentials are for; nothing in it is secret.
     *
     * @param credentials the names of those that it has
     */
    Map<String, String> environment(Set<String> credentials);

    /** Why no rule opens any address of that network; empty if one may. */
    Optional<String> closed(Cidr network);

    /** Gives a sandbox that is about to start a network that nobody had before it; what an earlier start left is taken away. The terms are in force when this returns. */
    Namespaces join(SandboxId id, Terms terms);

    /** Takes over the network of a sandbox that has one since an earlier daemon; until this returns, nothing gets out of it. */
    void rejoin(SandboxId id, Terms terms);

    /** Puts other terms in force, and ends what they forbid. Nothing if the sandbox has no network. */
    void change(SandboxId id, Terms terms);

    /** Takes the network of a sandbox that has ended away; fine if there is none. */
    void leave(SandboxId id);

    /** Every sandbox of which there is a network on this host. */
    Set<SandboxId> present();

    /** Nothing gets out from now on; the networks stay for the next daemon. */
    @Override
    void close();
}
