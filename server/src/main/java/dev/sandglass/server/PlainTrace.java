package dev.sandglass.server;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.IThrowableProxy;

/** The trace of a failure in the log, every line of it indented, so that no message in it looks like a line of the log's own. */
public final class PlainTrace extends ThrowableProxyConverter {
    @Override
    protected String throwableProxyToString(IThrowableProxy failure) {
        return PlainMessage.visible(super.throwableProxyToString(failure), "\n\t").replaceAll("(?m)^(?=.)", "  ");
    }
}
