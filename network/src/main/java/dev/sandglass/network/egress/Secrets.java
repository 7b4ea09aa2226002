package dev.sandglass.network.egress;

import dev.sandglass.engine.network.Attempt;
import dev.sandglass.network.intercept.Addition;
import java.util.List;

/** What is added to requests of a sandbox that it must not see itself. Thread-safe. */
public interface Secrets {
    /** None. */
    Secrets NONE = new Secrets() {
        @Override
        public boolean concern(Attempt attempt) {
            return false;
        }

        @Override
        public List<Addition> of(Attempt request) {
            return List.of();
        }
    };

    /** Whether a request may come of an attempt that gets something. */
    boolean concern(Attempt attempt);

    /** What a request gets now. */
    List<Addition> of(Attempt request);
}
