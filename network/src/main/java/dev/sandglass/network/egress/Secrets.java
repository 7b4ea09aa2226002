package dev.sandglass.network.egress;

import dev.sandglass.engine.network.Attempt;
import dev.sandglass.engine.network.HostName;
import dev.sandglass.network.intercept.Provision;

/** What is added to requests of a sandbox that it must not see itself. Thread-safe. */
public interface Secrets {
    /** None. */
    Secrets NONE = new Secrets() {
        @Override
        public boolean concern(Attempt attempt) {
            return false;
        }

        @Override
        public Provision of(Attempt request) {
            return Provision.NONE;
        }

        @Override
        public boolean leadElsewhere(HostName name) {
            return false;
        }
    };

    /** Whether a request may come of an attempt that gets something. */
    boolean concern(Attempt attempt);

    /** What comes along with a request now. */
    Provision of(Attempt request);

    /** Whether requests for that name may be served elsewhere, so that it need not be known to anybody. */
    boolean leadElsewhere(HostName name);
}
