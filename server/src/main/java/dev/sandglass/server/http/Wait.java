package dev.sandglass.server.http;

import java.io.IOException;

/** Something that is waited for. */
@FunctionalInterface
public interface Wait<T> {
    T get() throws IOException, InterruptedException;
}
