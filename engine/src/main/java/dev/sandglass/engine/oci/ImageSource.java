package dev.sandglass.engine.oci;

import dev.sandglass.wire.oci.Descriptor;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/** Where the documents and blobs of one image come from. Nothing that comes is checked yet. Blobs may be read by several threads at once. */
public interface ImageSource extends AutoCloseable {
    /** The manifest or index to begin with, bounded in size. */
    byte[] root() throws IOException;

    /** A manifest that an index names, bounded in size. */
    byte[] manifest(Descriptor descriptor) throws IOException;

    /** A configuration, which is small: what does not come within minutes breaks off. */
    InputStream configuration(Descriptor descriptor) throws IOException;

    /** A layer; reading never waits for ever. */
    InputStream blob(Descriptor descriptor) throws IOException;

    /** The names that the source itself has for the image. */
    List<String> names();

    @Override
    void close();
}
