package dev.sandglass.client.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.client.http.Endpoint;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PlacesTest {
    @TempDir
    Path directory;

    @Test
    void theDefaultsAreThoseOfTheDaemon() {
        assertThat(Places.of(null, Map.of())).isEqualTo(new Places(Path.of("/var/lib/sandglass"), Path.of("/run/sandglass")));
    }

    @Test
    void anotherDataDirectoryHasARunDirectoryOfItsOwn() {
        // printf %s /tmp/data | sha256sum
        Places places = Places.of(null, Map.of("SANDGLASS_DATA_DIR", "/tmp/x/../data"));
        assertThat(places.socket()).isEqualTo(Path.of("/run/sandglass-c115a113/sandglass.sock"));
        assertThat(places.tokenFile()).isEqualTo(Path.of("/tmp/data/token"));
        assertThat(Places.of("/tmp/data", Map.of("SANDGLASS_RUN_DIR", "/run/other")).runDir()).isEqualTo(places.runDir());
    }

    @Test
    void flagsComeBeforeTheEnvironmentAndThatBeforeTheLocalSocket() throws IOException {
        Path token = Files.writeString(directory.resolve("token"), "from-file\n");
        Map<String, String> environment = Map.of("SANDGLASS_URL", "http://[::1]:80", "SANDGLASS_API_KEY", "from-environment");
        assertThat(Target.find("https://host", token.toString(), null, environment))
                .isEqualTo(new Target(new Endpoint.Tcp("host", 443, true), "from-file"));
        assertThat(Target.find(null, null, null, environment))
                .isEqualTo(new Target(new Endpoint.Tcp("::1", 80, false), "from-environment"));
        assertThat(Target.find(null, null, directory.toString(), Map.of()).token()).isEqualTo("from-file");
        assertThat(new Endpoint.Tcp("::1", 80, false).authority()).isEqualTo("[::1]:80");
    }

    @Test
    void aBadAddressOrTokenFileIsTold() {
        assertThatThrownBy(() -> Target.find("ftp://x", null, null, Map.of())).isInstanceOf(SandglassException.class).hasMessageContaining("expected: http");
        assertThatThrownBy(() -> Target.find(null, directory + "/none", null, Map.of())).isInstanceOf(SandglassException.class).hasMessageContaining("no such file");
    }

    @Test
    void everythingInAPathIsEncoded() {
        assertThat(Query.of("v1", "a/b c").with("path", "/ü&=?#%").with("x", "-_.~"))
                .hasToString("/v1/a%2Fb%20c?path=%2F%C3%BC%26%3D%3F%23%25&x=-_.~");
    }
}
