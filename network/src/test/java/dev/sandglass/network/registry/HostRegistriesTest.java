package dev.sandglass.network.registry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.network.RegistryKind;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A host's own configuration says where its registries are, however odd its files are. */
class HostRegistriesTest {
    @TempDir
    Path root;

    private final Map<String, String> environment = new HashMap<>(Map.of("HOME", "/home/me"));

    @BeforeEach
    void programs() throws IOException {
        Files.createDirectories(root.resolve("bin"));
        environment.put("PATH", root.resolve("bin").toString());
    }

    private void file(String name, String content) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }

    /** A program of the host; it notes each time that it is run. */
    private void program(String name, String script) throws IOException {
        Path program = root.resolve("bin").resolve(name);
        Files.writeString(program, "#!/bin/sh\necho \"$@\" >> " + root.resolve(name + ".asked") + "\n" + script + "\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private List<String> asked(String program) throws IOException {
        Path notes = root.resolve(program + ".asked");
        return Files.exists(notes) ? Files.readAllLines(notes) : List.of();
    }

    private HostRegistries registries() {
        return new HostRegistries(root, environment);
    }

    private List<String> found(RegistryKind kind) {
        return found(registries(), kind);
    }

    private static List<String> found(HostRegistries registries, RegistryKind kind) {
        return registries.apply(kind).stream().map(each -> each.host() + ":" + each.port()).sorted().toList();
    }

    @Test
    void aHostWithoutAnyHasNone() {
        for (RegistryKind kind : RegistryKind.values()) {
            assertThat(found(kind)).as(kind.toString()).isEmpty();
        }
    }

    @Test
    void sourcesOfAptAreReadInBothFormats() throws IOException {
        file("etc/apt/sources.list", """
                # deb http://comment.example.org/debian stable main
                deb http://one.example.org/debian stable main
                deb-src [ arch=amd64 signed-by=/usr/share/keyrings/some.gpg ] https://user:secret@two.example.org:8443/debian stable main # more
                deb [trusted=yes] file:/srv/packages ./
                deb cdrom:[Debian disc]/ stable main
                deb http://192.0.2.7/debian stable main
                deb http://[2001:db8::7]/debian stable main
                deb
                nonsense http://nonsense.example.org
                """);
        file("etc/apt/sources.list.d/more.list", "deb HTTP://Three.Example.ORG./x stable main");
        file("etc/apt/sources.list.d/more.sources", """
                # a comment
                Types: deb
                uris: https://four.example.org/debian
                # in between
                 http://five.example.org:81
                Suites: stable

                Types: deb
                URIs: http://disabled.example.org
                Enabled: No
                \t
                Enabled: yes
                URIs: mirror+file:/etc/apt/mirrors mirror+https://six.example.org/list mirror://seven.example.org/list
                """);
        file("etc/apt/mirrors", "https://eight.example.org/debian\tpriority:1\nfile:/srv/debian\n\n#http://comment.example.org\n");
        file("etc/apt/sources.list.d/old.list.disabled", "deb http://off.example.org/debian stable main");
        file("etc/apt/sources.list.d/.hidden.list", "deb http://off.example.org/debian stable main");
        assertThat(found(RegistryKind.APT))
                .containsExactly(
                        "eight.example.org:443", "five.example.org:81", "four.example.org:443", "one.example.org:80", "seven.example.org:80", "six.example.org:443", "three.example.org:80", "two.example.org:8443");
    }

    @Test
    void npmsRegistriesAreThoseOfItsFilesAndVariables() throws IOException {
        program("npm", "echo https://silent.example.org/");
        file("etc/npmrc", "registry=https://system.example.org/\n@a:registry=https://a.example.org/npm/\n");
        assertThat(found(RegistryKind.NPM)).containsExactly("a.example.org:443", "system.example.org:443");
        file("home/me/.npmrc", """
                ; registry = https://comment.example.org
                  registry = "https://mine.example.org:4873/"
                //mine.example.org:4873/:_authToken=https://token.example.org
                @b:registry=http://${WHERE}.example.org
                proxy=http://proxy.example.org
                """);
        environment.put("WHERE", "b");
        assertThat(found(RegistryKind.NPM)).containsExactly("a.example.org:443", "b.example.org:80", "mine.example.org:4873");
        environment.put("npm_config_registry", "https://variable.example.org");
        assertThat(found(RegistryKind.NPM)).containsExactly("a.example.org:443", "b.example.org:80", "variable.example.org:443");
        environment.put("NPM_CONFIG_USERCONFIG", "/elsewhere/npmrc");
        environment.put("NPM_CONFIG_GLOBALCONFIG", "/nowhere");
        assertThat(found(RegistryKind.NPM)).containsExactly("variable.example.org:443");
        assertThat(asked("npm")).as("what nobody needs to know").isEmpty();
    }

    @Test
    void whereNobodySaysItNpmIsAskedOnce() throws IOException {
        program("npm", "echo warning >&2; echo https://own.example.org/");
        file("home/me/.npmrc", "@a:registry=https://a.example.org\n");
        HostRegistries registries = registries();
        for (int i = 0; i < 3; i++) {
            assertThat(found(registries, RegistryKind.NPM)).containsExactly("a.example.org:443", "own.example.org:443");
        }
        assertThat(asked("npm")).hasSize(1);
    }

    @Test
    void aProgramThatFailsOrTalksTooMuchSaysNothing() throws IOException {
        program("npm", "echo https://failed.example.org/; exit 1");
        program("python3", "while :; do echo https://endless.example.org; done");
        assertThat(found(RegistryKind.NPM)).isEmpty();
        assertThat(found(RegistryKind.PIP)).isEmpty();
    }

    @Test
    void indexesOfPipAreThoseOfItsFilesAndVariables() throws IOException {
        file("etc/xdg/pip/pip.conf", "[global]\nindex-url = https://hidden.example.org/simple\n");
        file("etc/pip.conf", """
                [global]
                index_url: https://system.example.org/simple
                cert = /etc/ssl/certs/some.pem
                extra-index-url =
                    https://one.example.org/simple
                    # a comment
                    http://user:secret@two.example.org:8080/simple file:///srv/simple
                [install]
                  find-links = https://pages.example.org/files.html /srv/wheels
                  trusted-host = trusted.example.org
                """);
        assertThat(found(RegistryKind.PIP)).containsExactly("one.example.org:443", "pages.example.org:443", "system.example.org:443", "two.example.org:8080");
        file("home/me/.config/pip/pip.conf", "[global]\n    index-url = https://mine.example.org/simple\n    extra-index-url = https://more.example.org\n");
        assertThat(found(RegistryKind.PIP)).containsExactly("mine.example.org:443", "more.example.org:443", "pages.example.org:443");
        environment.put("PIP_INDEX_URL", "https://variable.example.org/simple");
        assertThat(found(RegistryKind.PIP)).containsExactly("more.example.org:443", "pages.example.org:443", "variable.example.org:443");
        environment.put("PIP_CONFIG_FILE", "/dev/null");
        assertThat(found(RegistryKind.PIP)).containsExactly("variable.example.org:443");
        environment.put("PIP_NO_INDEX", "1");
        assertThat(found(RegistryKind.PIP)).isEmpty();
    }

    @Test
    void pipsOwnIndexComesWithTheHostOfItsFiles() throws IOException {
        program("python3", "echo https://own.example.org/simple; echo https://files.example.org");
        file("etc/pip.conf", "[global]\nextra-index-url = https://more.example.org/simple\n");
        assertThat(found(RegistryKind.PIP)).containsExactly("files.example.org:443", "more.example.org:443", "own.example.org:443");
        environment.put("PIP_INDEX_URL", "https://own.example.org/simple/");
        assertThat(found(RegistryKind.PIP)).containsExactly("files.example.org:443", "more.example.org:443", "own.example.org:443");
        environment.put("PIP_INDEX_URL", "https://mirror.example.org/simple/");
        assertThat(found(RegistryKind.PIP)).containsExactly("mirror.example.org:443", "more.example.org:443");
    }

    private void maven(String settings) throws IOException {
        file("opt/maven/conf/settings.xml", settings);
        file("opt/maven/bin/mvn", "");
        Files.setPosixFilePermissions(root.resolve("opt/maven/bin/mvn"), PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.createSymbolicLink(root.resolve("bin/mvn"), Path.of("../opt/maven/bin/mvn"));
        Files.createDirectories(root.resolve("opt/maven/lib"));
        try (OutputStream file = Files.newOutputStream(root.resolve("opt/maven/lib/maven-model-builder-3.9.9.jar"));
                ZipOutputStream jar = new ZipOutputStream(file)) {
            jar.putNextEntry(new ZipEntry("org/apache/maven/model/pom-4.0.0.xml"));
            String repository = "<id>central</id><url>https://central.example.org/maven</url>";
            jar.write(("<project><repositories><repository>" + repository + "</repository></repositories></project>").getBytes(StandardCharsets.UTF_8));
        }
    }

    private static String mirror(String of, String url, String more) {
        return "<mirror><id>some</id><mirrorOf>" + of + "</mirrorOf><url>" + url + "</url>" + more + "</mirror>";
    }

    @Test
    void repositoriesOfMavenAreThoseOfItsSettingsAndTheOneItBringsAlong() throws IOException {
        maven("<settings xmlns='some'><!-- <mirror><url>http://comment.example.org</url></mirror> --><mirrors>"
                + mirror("external:http:*", "http://blocked.example.org/", "<blocked>true</blocked>") + "</mirrors></settings>");
        assertThat(found(RegistryKind.MAVEN)).containsExactly("central.example.org:443");
        file("home/me/.m2/settings.xml", """
                <settings><profiles><profile><id>some</id>
                  <repositories>
                    <repository><id>a</id><url>https://a.example.org/maven</url></repository>
                    <repository><id>plain</id><url>http://plain.example.org/maven</url></repository>
                  </repositories>
                  <pluginRepositories><pluginRepository><id>b</id><url>${env.B}/maven</url></pluginRepository></pluginRepositories>
                </profile></profiles></settings>
                """);
        environment.put("B", "https://b.example.org:8443");
        assertThat(found(RegistryKind.MAVEN)).containsExactly("a.example.org:443", "b.example.org:8443", "central.example.org:443");
    }

    @Test
    void mirrorsOfMavenStandForWhatTheyMirror() throws IOException {
        maven("<settings/>");
        file("home/me/.m2/settings.xml", "<settings><mirrors>" + mirror("*,!other", "https://mirror.example.org/maven", "") + "</mirrors><profiles><profile><repositories>"
                + "<repository><id>mine</id><url>https://mine.example.org</url></repository><repository><id>other</id><url>https://other.example.org</url></repository>"
                + "</repositories></profile></profiles></settings>");
        assertThat(found(RegistryKind.MAVEN)).containsExactly("mirror.example.org:443", "other.example.org:443");
    }

    @Test
    void xmlThatReadsOtherFilesIsNotRead() throws IOException {
        file("secret", "https://secret.example.org");
        file("home/me/.m2/settings.xml", "<!DOCTYPE settings [<!ENTITY secret SYSTEM '" + root.resolve("secret").toUri() + "'>]>"
                + "<settings><mirrors>" + mirror("*", "&secret;", "") + mirror("*", "https://mirror.example.org", "") + "</mirrors></settings>");
        assertThat(found(RegistryKind.MAVEN)).isEmpty();
    }

    @Test
    void oddFilesAreAsIfTheyWereNotThere() throws IOException, InterruptedException {
        file("etc/apt/sources.list", "deb http://huge.example.org/debian stable main\n" + "#".repeat(1 << 20));
        file("etc/apt/sources.list.d/zero.list", "\0\1\2\nURIs\ndeb mirror+file:/\0 stable\ndeb http://fine.example.org x\n" + "@".repeat(100_000));
        file("etc/apt/sources.list.d/odd.sources", " goes on\n:\nURIs\n\nURIs:\n\nEnabled\nURIs: http:// https://: http://a..b http://x.example.org:0 http://x.example.org:99999 ftp://x.example.org\n");
        Files.createDirectories(root.resolve("etc/apt/sources.list.d/directory.list"));
        Files.createSymbolicLink(root.resolve("etc/apt/sources.list.d/loop.list"), Path.of("loop.list"));
        assertThat(new ProcessBuilder("mkfifo", root.resolve("etc/apt/sources.list.d/pipe.list").toString()).start().waitFor()).isZero();
        assertThat(found(RegistryKind.APT)).containsExactly("fine.example.org:80");

        file("etc/npmrc", "=\n[\nregistry\nregistry=\n@:registry==\n");
        assertThat(found(RegistryKind.NPM)).isEmpty();
        file("etc/pip.conf", "  goes on\n[\n= x\nindex-url\nindex-url =\n\n\t\n]\n");
        assertThat(found(RegistryKind.PIP)).isEmpty();
        for (String text : List.of("", "<settings>", "no xml", "<settings><mirror/><repository/></settings>", "\0")) {
            file("home/me/.m2/settings.xml", text);
            assertThat(found(RegistryKind.MAVEN)).as(text).isEmpty();
        }
    }

    /** It may have named a mirror for all, in a network that is to reach nothing else. */
    @Test
    void noStandardTakesThePlaceOfWhatCannotBeRead() throws IOException {
        maven("<settings/>");
        assertThat(found(RegistryKind.MAVEN)).containsExactly("central.example.org:443");
        file("home/me/.m2/settings.xml", "<settings>");
        assertThat(found(RegistryKind.MAVEN)).isEmpty();

        program("python3", "echo https://own.example.org/simple; echo https://files.example.org");
        assertThat(found(RegistryKind.PIP)).isNotEmpty();
        file("etc/pip.conf", "[global]\nindex-url = https://mirror.example.org\n" + "#".repeat(1 << 20));
        assertThat(found(RegistryKind.PIP)).isEmpty();
    }

    @Test
    void aChangedConfigurationIsSeenAtTheNextUse() throws IOException {
        HostRegistries registries = registries();
        assertThat(found(registries, RegistryKind.APT)).isEmpty();
        file("etc/apt/sources.list.d/new.list", "deb http://new.example.org/debian stable main\n");
        assertThat(found(registries, RegistryKind.APT)).containsExactly("new.example.org:80");
        file("etc/apt/sources.list.d/new.list", "deb http://newer.example.org/debian stable main\n");
        assertThat(found(registries, RegistryKind.APT)).containsExactly("newer.example.org:80");
        Files.delete(root.resolve("etc/apt/sources.list.d/new.list"));
        assertThat(found(registries, RegistryKind.APT)).isEmpty();

        program("npm", "echo https://own.example.org/");
        file("home/me/.npmrc", "registry=https://mine.example.org\n");
        assertThat(found(registries, RegistryKind.NPM)).containsExactly("mine.example.org:443");
        Files.delete(root.resolve("home/me/.npmrc"));
        assertThat(found(registries, RegistryKind.NPM)).containsExactly("own.example.org:443");
    }
}
