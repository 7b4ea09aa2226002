package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.InertOutput;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/** {@code files cat}: what is in files. */
final class FilesCatVerb extends FilesVerb {
    private final Syntax.Values places = syntax.operands(0, 1, LABEL, PLACE);
    private final Syntax.Flag raw = syntax.flag("Print every byte as it is, also what a terminal would act on.", "--raw");

    FilesCatVerb() {
        super(new Syntax("files cat", "Print files of a sandbox, one after the other.").printing("json or yaml: so errors are told; the content is as it is."));
    }

    @Override
    boolean outputIsData() {
        return true;
    }

    @Override
    int run(Console console, Client client, Format format) {
        OutputStream out = console.terminal(Console.OUT) && !raw.isSet() ? new InertOutput(console.out()) : console.out();
        return each(console, format, places.all(), place -> {
            InputStream body = client.files().read(place.sandbox(), place.path(), user()).body();
            byte[] buffer = new byte[1 << 16];
            for (int count = read(body, buffer); count >= 0; count = read(body, buffer)) {
                try {
                    out.write(buffer, 0, count);
                    out.flush();
                } catch (IOException nobodyReads) {
                    throw new UncheckedIOException(nobodyReads);
                }
            }
        });
    }

    private static int read(InputStream body, byte[] buffer) {
        try {
            return body.read(buffer);
        } catch (IOException broken) {
            throw new SandglassException(
                    ErrorCode.DAEMON_UNREACHABLE, "The file broke off: " + broken.getMessage(), "Read it again.", broken);
        }
    }
}
