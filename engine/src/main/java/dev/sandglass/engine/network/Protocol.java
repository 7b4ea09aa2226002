package dev.sandglass.engine.network;

import java.util.Locale;

/** What is spoken on a connection, as its first bytes tell. */
public enum Protocol {
    HTTP,
    TLS,
    SSH,
    OTHER;

    static Protocol parse(Word written) {
        for (Protocol protocol : values()) {
            if (protocol.toString().equals(written.text())) {
                return protocol;
            }
        }
        throw written.refused("protocol", "http, tls, ssh or other");
    }

    /** Whether there may be requests on it that somebody in between can see. */
    public boolean carriesRequests() {
        return this == HTTP || this == TLS;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
