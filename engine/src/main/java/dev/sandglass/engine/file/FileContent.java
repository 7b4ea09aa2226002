package dev.sandglass.engine.file;

import dev.sandglass.wire.Entry;
import java.io.IOException;
import java.io.InputStream;

/**
 * A file that is being read.
 *
 * @param length how many bytes come, unless the file is changed meanwhile
 */
public record FileContent(Entry entry, long length, InputStream bytes) implements AutoCloseable {
    @Override
    public void close() throws IOException {
        bytes.close();
    }
}
