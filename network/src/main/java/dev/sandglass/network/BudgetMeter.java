package dev.sandglass.network;

import dev.sandglass.engine.credential.Budgets;
import dev.sandglass.engine.credential.Credential;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.network.intercept.Meter;
import dev.sandglass.wire.CredentialBudget;
import java.util.List;
import java.util.Optional;

/** Counts a request for the budgets of its credentials. */
record BudgetMeter(SandboxId sandbox, Budgets budgets, List<Credential> bounded) implements Meter {
    @Override
    public Optional<Excess> admit() {
        return budgets.request(sandbox, bounded).map(overrun -> new Excess(overrun.what(), overrun.hint()));
    }

    @Override
    public boolean countsTokens() {
        return bounded.stream().anyMatch(BudgetMeter::boundsTokens);
    }

    private static boolean boundsTokens(Credential credential) {
        return credential.budget().map(CredentialBudget::tokens).isPresent();
    }

    @Override
    public void charge(long tokens, boolean isSaid) {
        budgets.charge(sandbox, bounded.stream().filter(BudgetMeter::boundsTokens).map(Credential::name).toList(), tokens, isSaid);
    }
}
