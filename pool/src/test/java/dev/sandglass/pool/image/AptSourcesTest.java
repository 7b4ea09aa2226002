package dev.sandglass.pool.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AptSourcesTest {
    private static final HostRelease HOST = new HostRelease("debian", "bookworm");

    @Test
    void theOneLineFormatIsReadWithItsOptions() {
        List<AptSource> sources = OneLineSources.parse("""
                # a comment
                deb http://mirror.example/debian bookworm main contrib # the archive
                deb-src http://mirror.example/debian bookworm main
                  deb [ arch=amd64 signed-by=/usr/share/keyrings/debian.gpg ] https://user:secret@mirror.example/sec bookworm-security main
                nonsense
                deb http://flat.example/ ./
                """);
        assertThat(sources)
                .extracting(AptSource::toLine)
                .containsExactly(
                        "deb http://mirror.example/debian bookworm main contrib",
                        "deb [arch=amd64 signed-by=/usr/share/keyrings/debian.gpg] https://user:secret@mirror.example/sec bookworm-security main",
                        "deb http://flat.example/ ./ ");
        assertThat(sources.get(1).withoutSecrets().toLine()).doesNotContain("secret").contains("https://mirror.example/sec");
    }

    @Test
    void stanzasAreReadForEveryAddressAndSuite() {
        List<AptSource> sources = Deb822Sources.parse("""
                Types: deb deb-src
                # where from
                URIs: http://a.example/debian http://b.example/debian
                Suites: bookworm
                 bookworm-updates
                Components: main
                Architectures: amd64 arm64
                Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

                Enabled: no
                Types: deb
                URIs: http://off.example
                Suites: bookworm
                Components: main

                types: deb
                uris: http://c.example
                suites: bookworm
                components: main
                signed-by:
                 -----BEGIN PGP PUBLIC KEY BLOCK-----
                 .
                 abc
                 -----END PGP PUBLIC KEY BLOCK-----
                """);
        assertThat(sources).hasSize(5);
        assertThat(sources.getFirst().toLine())
                .isEqualTo("deb [arch=amd64,arm64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] "
                        + "http://a.example/debian bookworm main");
        assertThat(sources.get(3).suite()).isEqualTo("bookworm-updates");
        assertThat(sources.getLast().hasInlineKey()).isTrue();
        assertThat(sources.getLast().signedBy())
                .contains("-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nabc\n-----END PGP PUBLIC KEY BLOCK-----\n");
    }

    @Test
    void allFilesOfAHostAreRead(@TempDir Path apt) throws IOException {
        assertThat(AptSources.read(apt)).isEmpty();
        Path parts = Files.createDirectory(apt.resolve("sources.list.d"));
        Files.writeString(apt.resolve("sources.list"), "deb http://one.example bookworm main\n");
        Files.writeString(parts.resolve("b.list"), "deb http://three.example bookworm main\n");
        Files.writeString(parts.resolve("a.sources"), "Types: deb\nURIs: http://two.example\nSuites: bookworm\nComponents: main");
        Files.writeString(parts.resolve("c.list.disabled"), "deb http://off.example bookworm main\n");
        assertThat(AptSources.read(apt))
                .extracting(AptSource::uri)
                .containsExactly("http://one.example", "http://two.example", "http://three.example");
    }

    @Test
    void theArchiveItsUpdatesAndSecurityFixesServeASuite() {
        assertThat(serving("bookworm", "http://a bookworm main", "http://a bookworm-updates main", "http://s bookworm-security main",
                        "http://a bookworm-backports main", "http://a trixie main", "http://x nodistro main", "http://x bookworm-pgdg main"))
                .containsExactly(
                        "deb http://a bookworm main", "deb http://a bookworm-updates main", "deb http://s bookworm-security main");
    }

    @Test
    void thirdPartiesWithTheSameSuiteAreLeftOut() {
        assertThat(serving("bookworm", "[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://a bookworm main",
                        "[signed-by=/etc/apt/keyrings/vendor.gpg] http://vendor bookworm main", "http://docker bookworm stable"))
                .containsExactly("deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://a bookworm main");
        assertThat(serving("bookworm", "[signed-by=/etc/apt/keyrings/company.gpg] http://mirror bookworm main"))
                .as("a company's mirror with its own key, and nothing else")
                .hasSize(1);
    }

    @Test
    void anotherSuiteIsTakenFromTheHostsArchive() {
        String[] host = {"http://a bookworm main", "http://a bookworm-updates main", "http://s bookworm-security main"};
        assertThat(serving("trixie", host))
                .containsExactly("deb http://a trixie main", "deb http://a trixie-updates main", "deb http://s trixie-security main");
        assertThat(serving("sid", host)).containsExactly("deb http://a sid main");
    }

    @Test
    void aHostThatFollowsStableServesItsOwnSuite() {
        assertThat(serving("bookworm", "http://a stable main", "http://a stable-updates main", "http://s stable-security main"))
                .hasSize(3);
        assertThat(serving("bookworm", "http://vendor nodistro main")).isEmpty();
    }

    private static List<String> serving(String suite, String... lines) {
        StringBuilder text = new StringBuilder();
        for (String line : lines) {
            text.append("deb ").append(line).append('\n');
        }
        return new SuiteSources(HOST, OneLineSources.parse(text.toString()))
                .serving(suite).stream().map(AptSource::toLine).toList();
    }
}
