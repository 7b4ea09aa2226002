package dev.sandglass.engine.guest;

import dev.sandglass.wire.SandglassException;

/** The link was lost before the agent heard of a request, or the sandbox was about to end: nothing of it was done, so it can be asked again. */
public final class UnsentException extends SandglassException {
    private static final long serialVersionUID = 1L;

    UnsentException(SandglassException because) {
        super(because.code(), because.what(), because.hint(), because);
    }
}
