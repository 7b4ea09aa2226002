package dev.sandglass.engine.archive;

import dev.sandglass.wire.ArchiveHeader;
import dev.sandglass.wire.Json;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes the file of a snapshot, part by part, to a stream that it does not close. Not thread-safe. */
public final class ArchiveWriter {
    private final DataOutputStream output;

    public ArchiveWriter(OutputStream expanded, ArchiveHeader header) throws IOException {
        this.output = new DataOutputStream(expanded);
        byte[] text = Json.bytes(header);
        ArchiveFormat.bounded("header", text.length, 1, ArchiveFormat.HEADER_BYTES);
        output.writeLong(ArchiveFormat.MAGIC);
        output.writeInt(ArchiveFormat.VERSION);
        output.writeInt(text.length);
        output.write(text);
    }

    /** Writes a file as it is: a portable manifest, or an agent. */
    public void file(Path file) throws IOException {
        Files.copy(file, output);
    }

    /** For the content that follows a manifest. */
    public OutputStream content() {
        return output;
    }

    public void finish() throws IOException {
        output.writeLong(ArchiveFormat.MAGIC);
        output.flush();
    }
}
