package dev.sandglass.engine.network;

/** Whether something matches, as far as that is known. */
enum Match {
    YES,
    NO,
    /** On what is not known yet. */
    DEPENDS;

    static Match of(boolean matches) {
        return matches ? YES : NO;
    }

    Match and(Match other) {
        if (this == NO || other == NO) {
            return NO;
        }
        return this == YES ? other : this;
    }

    Match or(Match other) {
        if (this == YES || other == YES) {
            return YES;
        }
        return this == NO ? other : this;
    }
}
