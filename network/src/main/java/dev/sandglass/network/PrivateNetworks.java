package dev.sandglass.network;

import dev.sandglass.engine.credential.Budgets;
import dev.sandglass.engine.credential.Credentials;
import dev.sandglass.engine.network.Cidr;
import dev.sandglass.engine.network.Endpoint;
import dev.sandglass.engine.network.Journey;
import dev.sandglass.engine.network.Namespaces;
import dev.sandglass.engine.network.Network;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.network.RegistryKind;
import dev.sandglass.engine.network.Terms;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.network.egress.Gateway;
import dev.sandglass.network.egress.Outside;
import dev.sandglass.network.egress.Secrets;
import dev.sandglass.network.egress.World;
import dev.sandglass.network.intercept.Authorities;
import dev.sandglass.network.pair.Gate;
import dev.sandglass.network.pair.Pairs;
import dev.sandglass.network.registry.HostRegistries;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** A pair of namespaces and a gateway for each sandbox. */
public final class PrivateNetworks implements Network {
    /** How many are kept for sandboxes to come, who may come a hundred at once: each takes less than half a megabyte of the kernel's memory. */
    public static final int AHEAD = 128;

    private final Pairs pairs;
    private final Authorities authorities;
    private final World world;
    private final Credentials credentials;
    private final Budgets budgets;
    private final Consumer<Journey> journal;
    private final HostRegistries registries = HostRegistries.ofThisHost();
    private final Map<SandboxId, Gateway> gateways = new ConcurrentHashMap<>();

    private PrivateNetworks(Pairs pairs, Authorities authorities, World world, Credentials credentials, Budgets budgets, Consumer<Journey> journal) {
        this.pairs = pairs;
        this.authorities = authorities;
        this.world = world;
        this.credentials = credentials;
        this.budgets = budgets;
        this.journal = journal;
    }

    /** Where the host's registries of a kind are. */
    public Set<Endpoint> places(RegistryKind kind) {
        return registries.apply(kind);
    }

    /** The address of the host's registry of a kind, without its secrets, as programs are told it. */
    public Optional<String> address(RegistryKind kind) {
        return registries.address(kind);
    }

    /**
     * Those whose names are in the directory.
     *
     * @param key a file with the key of all authorities; it is made if there is none
     * @param credentials of which those are added to requests that a sandbox was granted
     * @param budgets where it is counted what they use
     * @param journal is told of every attempt; it must be quick
     */
    public static PrivateNetworks open(Path directory, Path key, Outside outside, Credentials credentials, Budgets budgets, Consumer<Journey> journal) throws IOException {
        return new PrivateNetworks(Pairs.open(directory, AHEAD), Authorities.at(key), outside.world(), credentials, budgets, journal);
    }

    /** Begins to make some ahead, where every sandbox is to have one. */
    public PrivateNetworks prepare() {
        pairs.prepare();
        Thread.ofVirtual().name("first-authority").start(() -> certificate("")); // what it takes to make one is loaded now, not for the first sandbox
        return this;
    }

    @Override
    public String certificate(String authority) {
        try {
            return authorities.of(authority).certificate();
        } catch (IOException problem) {
            throw failed("There is no certificate for the gateway of a sandbox", problem);
        }
    }

    @Override
    public Map<String, String> environment(Set<String> granted) {
        return credentials.variables(granted);
    }

    @Override
    public Optional<String> closed(Cidr network) {
        return world.reserved().reason(network);
    }

    @Override
    public Namespaces join(SandboxId id, Terms terms) {
        leave(id);
        try {
            Gate gate = pairs.take(id);
            govern(id, gate, terms);
            return new Namespaces(gate.pair().user(), gate.pair().inside());
        } catch (IOException problem) {
            throw failed("The sandbox " + id + " gets no network", problem);
        }
    }

    @Override
    public void rejoin(SandboxId id, Terms terms) {
        try {
            Gate gate = pairs.reopen(id).orElseThrow(() -> new IOException("its namespaces are gone"));
            govern(id, gate, terms);
        } catch (IOException problem) {
            throw failed("The network of " + id + " cannot be taken over", problem);
        }
    }

    private void govern(SandboxId id, Gate gate, Terms terms) throws IOException {
        gateways.put(id, new Gateway(id, gate, authorities.of(terms.authority()), resolved(terms.policy()), secrets(id, terms), world, journal).open());
    }

    @Override
    public void change(SandboxId id, Terms terms) {
        Gateway gateway = gateways.get(id);
        if (gateway != null) {
            gateway.change(resolved(terms.policy()), secrets(id, terms));
        } else if (present().contains(id)) {
            rejoin(id, terms); // it could not be taken over when the daemon started
        }
    }

    private Secrets secrets(SandboxId id, Terms terms) {
        return new GrantedSecrets(id, credentials, budgets, terms.credentials());
    }

    /** A registry that the host does not use is nowhere. */
    private Policy resolved(Policy policy) {
        return policy.resolved(registries);
    }

    @Override
    public void leave(SandboxId id) {
        Gateway gateway = gateways.remove(id);
        if (gateway != null) {
            gateway.close();
        }
        try {
            pairs.remove(id);
        } catch (IOException problem) {
            throw failed("The network of " + id + " cannot be removed", problem);
        }
    }

    @Override
    public Set<SandboxId> present() {
        try {
            return pairs.present();
        } catch (IOException problem) {
            throw failed("The networks of sandboxes cannot be listed", problem);
        }
    }

    private static SandglassException failed(String what, IOException problem) {
        return new SandglassException(
                ErrorCode.RUNTIME_FAILED, what + ": " + problem.getMessage(), "`sandglass doctor` says what is missing. A sandbox with --network none needs none of it; the setting `network: none` makes that the default.", problem);
    }

    @Override
    public void close() {
        gateways.values().forEach(Gateway::close);
        gateways.clear();
        pairs.close();
        world.interception().close();
    }
}
