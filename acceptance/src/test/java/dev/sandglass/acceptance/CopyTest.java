package dev.sandglass.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is copied into a sandbox and out of it again is what it was. */
@ExtendWith(SharedCheckout.class)
@Timeout(600)
class CopyTest {
    /** Every kind of entry with modes and times to the nanosecond, and names of any bytes, as long as names can be. */
    private static final String TREE = """
            mkdir -p tree/empty tree/sub/deep tree/shut 'tree/a b' && cd tree
            printf program > sub/deep/program && chmod 750 sub/deep/program
            printf secret > secret && chmod 400 secret
            printf 'open to all' > open && chmod 666 open
            : > nothing && chmod 000 nothing
            head -c 1000000 /dev/urandom > bytes
            truncate -s 20000000 holes && printf begin | dd of=holes conv=notrunc status=none && printf end >> holes
            ln bytes sub/bytes-too
            ln -s sub/deep/program link && ln -s ../nowhere sub/dangling && ln -s . sub/self
            printf x > 'a b/c  d' && printf y > $'a b/new\\nline' && printf z > $'a b/\\x1b[31m\\t"\\\\' && printf u > 'a b/ü 好'
            printf r > $'raw-\\xff\\xfe-\\xc3' && mkdir $'raw-\\xe9' && printf s > $'raw-\\xe9/\\x80' && ln -s $'raw-\\xe9/\\x80' raw-link
            printf l > "$(printf 'n%.0s' $(seq 255))"
            printf m > "-rf" && printf n > '%41' && printf o > 'a:b'
            touch -d @1000000000.123456789 secret open && touch -d @-1000 bytes && touch -d @4000000000.000000001 'a b/c  d'
            touch -h -d @1234567890.5 link sub/dangling raw-link
            chmod 700 shut && touch -d @1500000000.75 sub/deep sub empty && chmod 711 sub && touch -d @1600000000.25 . && chmod 1705 .
            mkdir sticky && chmod 1777 sticky && touch -d @1600000000.25 .
            """;

    /** All that must be the same: kind, mode, size, time, target and content of each entry. */
    private static final String TELL = "cd \"$1\" && find . -printf '%P|%y|%m|%T@|%l|' \\( -type f -printf '%s|' -exec sha256sum -z {} \\; "
            + "-o -printf '|' \\) -printf '\\0' | LC_ALL=C sort -z";

    @TempDir
    Path host;

    private Checkout checkout;

    @BeforeEach
    void share(Checkout shared) {
        checkout = shared;
    }

    @AfterEach
    void remove() throws IOException, InterruptedException {
        checkout.check("./sandglass rm -f copy-box");
    }

    @ParameterizedTest
    @ValueSource(strings = {"container", "gvisor"})
    void aTreeComesBackAsItWas(String runtime) throws IOException, InterruptedException {
        checkout.check("./sandglass create --name copy-box --runtime " + runtime);
        checkout.check("cd '" + host + "' && " + TREE);
        checkout.check("./sandglass cp '" + host + "/tree' copy-box:/root/there");
        checkout.check("./sandglass cp copy-box:/root/there '" + host + "/back'");
        String original = tell("tree");
        assertThat(original.lines()).hasSizeGreaterThan(20);
        assertThat(tell("back")).isEqualTo(original);
        assertThat(checkout.check("cd '" + host + "/back' && stat -c %i bytes sub/bytes-too | uniq | wc -l").strip()).isEqualTo("1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"container", "gvisor"})
    void aFileKeepsItsModeAndItsTime(String runtime) throws IOException, InterruptedException {
        checkout.check("./sandglass create --name copy-box --runtime " + runtime);
        Path file = Files.writeString(host.resolve("file"), "content");
        checkout.check("chmod 751 '" + file + "' && touch -d @1000000000.123456789 '" + file + "'");
        checkout.check("./sandglass cp '" + file + "' copy-box:/root/new/name");
        assertThat(checkout.check("./sandglass exec copy-box -- stat -c '%a %.9Y' /root/new/name")).isEqualTo("751 1000000000.123456789\n");
        checkout.check("./sandglass cp copy-box:/root/new/name '" + host + "/back'");
        assertThat(checkout.check("stat -c '%a %.9Y' '" + host + "/back'")).isEqualTo("751 1000000000.123456789\n");
        assertThat(host.resolve("back")).hasContent("content");
        checkout.check("touch -d @-5 '" + file + "' && ./sandglass cp '" + file + "' copy-box:/root/new/ && rm '" + file
                + "' && ./sandglass cp copy-box:/root/new/file '" + host + "'");
        assertThat(checkout.check("stat -c %.9Y '" + file + "'")).isEqualTo("-5.000000000\n");
    }

    private String tell(String directory) throws IOException, InterruptedException {
        // One line for each entry, with bytes that are no text shown so that they differ where they differ.
        return checkout.check(
                "tell() { " + TELL + "; }; tell '" + host + "/" + directory + "' | LC_ALL=C tr '\\0\\n' '\\n\\001' | cat -v | grep .");
    }
}
