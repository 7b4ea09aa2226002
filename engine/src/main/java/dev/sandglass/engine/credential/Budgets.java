package dev.sandglass.engine.credential;

import dev.sandglass.engine.ledger.Account;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.Spending;
import dev.sandglass.engine.ledger.WriteBehind;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.CredentialBudget;
import dev.sandglass.wire.CredentialUsage;
import dev.sandglass.wire.SandglassException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How much each sandbox uses by credentials that have a budget. A request is in the ledger before it is sent, so that no number of them at once gets past a bound, and nothing gives it back. Tokens are
 * known when an answer is over: they are gathered for a moment, and counted before the next request is let through. Thread-safe.
 */
public final class Budgets implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Budgets.class);

    private final Ledger ledger;
    private final Credentials credentials;
    private final Counters counters = new Counters();
    private final Map<Account, Long> gathered = new HashMap<>();
    private final ReentrantLock writing = new ReentrantLock();
    private final WriteBehind writer;

    public Budgets(Ledger ledger, Credentials credentials) {
        this.ledger = ledger;
        this.credentials = credentials;
        this.writer = new WriteBehind("budgets", this::flushOrKeep);
    }

    /** Counts a request for each of these that has a budget; or gives back why it is one too many, and counts nothing. */
    public Optional<Overrun> request(SandboxId sandbox, List<Credential> used) {
        Map<String, CredentialBudget> bounds = used.stream()
                .filter(credential -> credential.budget().isPresent())
                .collect(Collectors.toMap(Credential::name, credential -> credential.budget().orElseThrow(), (one, _) -> one, TreeMap::new));
        if (bounds.isEmpty()) {
            return Optional.empty();
        }
        flush();
        Optional<Overrun> overrun = ledger.spendings().request(sandbox, bounds).map(spending -> Overrun.of(spending, bounds.get(spending.account().credential())));
        counters.request(overrun.isPresent());
        return overrun;
    }

    /**
     * Counts the tokens of a request that is over. It is quick: they are written later.
     *
     * @param isSaid whether the service said so
     */
    public void charge(SandboxId sandbox, Collection<String> names, long tokens, boolean isSaid) {
        synchronized (gathered) {
            names.forEach(name -> gathered.merge(new Account(sandbox, name), tokens, Budgets::sum));
        }
        counters.tokens(tokens, isSaid);
        writer.arrived();
    }

    private static long sum(long one, long other) {
        long sum = one + other;
        return sum < 0 ? Long.MAX_VALUE : sum;
    }

    /** What all sandboxes have used, by sandbox and credential: of those that they were granted and that have a budget, and of what was counted before. */
    public List<CredentialUsage> usage() {
        return usage(ledger.sandboxes());
    }

    /** The same of one sandbox. */
    public List<CredentialUsage> usage(String sandbox) {
        return usage(List.of(ledger.resolve(sandbox)));
    }

    private List<CredentialUsage> usage(List<SandboxRecord> sandboxes) {
        flush();
        Map<Account, Spending> counted = ledger.spendings().all().stream().collect(Collectors.toMap(Spending::account, spending -> spending));
        Map<String, Credential> known = credentials.list().stream().collect(Collectors.toMap(Credential::name, credential -> credential));
        List<CredentialUsage> found = new ArrayList<>();
        for (SandboxRecord sandbox : sandboxes) {
            Stream<String> bounded = sandbox.credentials().stream().filter(name -> known.containsKey(name) && known.get(name).budget().isPresent());
            Stream<String> before = counted.keySet().stream().filter(account -> account.sandbox().equals(sandbox.id())).map(Account::credential);
            for (String name : Stream.concat(bounded, before).collect(Collectors.toCollection(TreeSet::new))) {
                found.add(usage(sandbox, name, counted.get(new Account(sandbox.id(), name)), Optional.ofNullable(known.get(name)).flatMap(Credential::budget)));
            }
        }
        return found;
    }

    private static CredentialUsage usage(SandboxRecord sandbox, String name, @Nullable Spending spending, Optional<CredentialBudget> budget) {
        return new CredentialUsage(
                sandbox.id().text(),
                sandbox.name(),
                name,
                spending == null ? 0 : spending.requests(),
                budget.map(CredentialBudget::requests).orElse(null),
                spending == null ? 0 : spending.tokens(),
                budget.map(CredentialBudget::tokens).orElse(null));
    }

    /** Lets a sandbox begin anew with a credential. */
    public CredentialUsage reset(String sandbox, String name) {
        SandboxRecord record = ledger.resolveWhole(sandbox);
        Optional<CredentialBudget> budget = credentials.get(name).budget();
        flush();
        ledger.spendings().reset(new Account(record.id(), name));
        return usage(record, name, null, budget);
    }

    /** What was counted since this daemon is there. */
    public Counters counters() {
        return counters;
    }

    private void flushOrKeep() {
        try {
            flush();
        } catch (SandglassException problem) {
            LOG.warn("Tokens that sandboxes have used could not be written; it is tried again before the next request: {}", problem.getMessage());
        }
    }

    /** What cannot be written stays, and is counted when it can. */
    private void flush() {
        writing.lock();
        try {
            Map<Account, Long> batch;
            synchronized (gathered) {
                batch = Map.copyOf(gathered);
            }
            if (batch.isEmpty()) {
                return;
            }
            ledger.spendings().add(batch);
            synchronized (gathered) {
                batch.forEach((account, tokens) -> gathered.computeIfPresent(account, (_, all) -> all > tokens ? Long.valueOf(all - tokens) : null));
            }
        } finally {
            writing.unlock();
        }
    }

    /** Writes what was gathered. */
    @Override
    public void close() {
        writer.close();
    }
}
