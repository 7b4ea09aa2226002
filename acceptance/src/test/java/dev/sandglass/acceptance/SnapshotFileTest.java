package dev.sandglass.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A snapshot that is written as a file at once is all there in it. */
@ExtendWith(SharedCheckout.class)
@Timeout(600)
class SnapshotFileTest {
    private static final String TELL = "sh -c 'cd /workspace && find . -printf \"%P %y %m %U %T@ %l\\n\" | sort && find . -type f -exec sha256sum {} + | sort'";

    @TempDir
    Path host;

    private Checkout checkout;

    @BeforeEach
    void share(Checkout shared) {
        checkout = shared;
    }

    @AfterEach
    void remove() throws IOException, InterruptedException {
        checkout.check("./sandglass rm -f archived-box archived-copy; for name in archived archived-again; do ./sandglass snapshot rm $name; done; true");
    }

    @Test
    void whatIsArchivedAtOnceCanBeImportedAndIsTheSame() throws IOException, InterruptedException {
        checkout.check("./sandglass create --name archived-box --runtime container");
        checkout.check("./sandglass exec archived-box -- sh -c 'cd /workspace && mkdir deep && head -c 3000000 /dev/urandom > deep/bytes && ln -s deep/bytes link"
                + " && truncate -s 50M hole && chmod 600 hole && chown 1000:1000 deep && rm /etc/motd'");
        String was = checkout.check("./sandglass exec archived-box -- " + TELL);
        String taken = checkout.check("./sandglass snapshot create archived-box --name archived --archive -o json");
        Path file = Path.of(taken.replaceFirst("(?s).*\"archive\" *: *\"([^\"]+)\".*", "$1"));
        assertThat(file).as(taken).isRegularFile().hasFileName("archived.sgs");

        Path elsewhere = Files.move(file, host.resolve("moved.sgs"));
        checkout.check("./sandglass rm -f archived-box && ./sandglass snapshot rm archived");
        checkout.check("./sandglass snapshot import '" + elsewhere + "' --name archived-again");
        checkout.check("./sandglass snapshot verify archived-again");
        checkout.check("./sandglass create --name archived-copy --from archived-again --disk-only");
        assertThat(checkout.check("./sandglass exec archived-copy -- " + TELL)).isEqualTo(was).contains("deep/bytes");
        assertThat(checkout.check("./sandglass exec archived-copy -- sh -c 'test -e /etc/motd || echo gone'")).isEqualTo("gone\n");
    }
}
