package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Expects the daemon to say no, with a code, and to say what to do. */
final class Refusals {
    private Refusals() {}

    static SandglassException refused(ErrorCode code, ThrowingCallable call) {
        SandglassException refusal = catchThrowableOfType(SandglassException.class, call);
        assertThat(refusal).as("a refusal with %s", code).isNotNull();
        assertThat(refusal.code()).as(refusal.what()).isEqualTo(code);
        assertThat(refusal.hint()).as("the hint of: %s", refusal.what()).isNotBlank();
        return refusal;
    }
}
