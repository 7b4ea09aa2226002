package dev.sandglass.engine.credential;

import dev.sandglass.engine.ledger.Spending;
import dev.sandglass.wire.CredentialBudget;
import org.jspecify.annotations.Nullable;

/** Why a request is one too many, and what whoever runs the sandbox may do about it. */
public record Overrun(String what, String hint) {
    static Overrun of(Spending spending, @Nullable CredentialBudget budget) {
        Long requests = budget == null ? null : budget.requests();
        Long tokens = budget == null ? null : budget.tokens();
        boolean byRequests = requests != null && spending.requests() >= requests;
        String used = byRequests
                ? spending.requests() + " requests of " + requests
                : spending.tokens() + " tokens of " + (tokens == null ? spending.tokens() : tokens);
        String credential = spending.account().credential();
        return new Overrun(
                "The budget of this sandbox for the credential " + credential + " is used up: " + used + ".",
                "It does not come back by itself: `sandglass credential reset " + spending.account().sandbox() + " " + credential + "` on the host lets it begin anew.");
    }
}
