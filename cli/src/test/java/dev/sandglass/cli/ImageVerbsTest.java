package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ImageVerbsTest extends VerbFixture {
    private static final String IMAGE = "{\"id\":\"img-0123456789abcdef0123456789abcdef\",\"digest\":\"sha256:aa\",\"names\":[\"one:1\",\"two:2\"],\"architecture\":\"amd64\",\"layers\":[\"a\",\"b\"],"
            + "\"bytes\":1048576,\"env\":{},\"entrypoint\":[],\"cmd\":[],\"labels\":{},\"warnings\":[\"env: x is left out\"],\"created_at\":\"2026-01-01T00:00:00Z\"}";

    @Test
    void eachNameHasARow() {
        daemon.on("GET /v1/images", 200, "{\"images\":[" + IMAGE + "," + IMAGE.replace("\"one:1\",\"two:2\"", "").replace("img-0", "img-f") + "]}");
        assertThat(console.run("image", "ls", "-o", "table")).isZero();
        assertThat(console.out).containsPattern("NAME +ID +LAYERS +SIZE +AGE\none:1 +img-0123456789ab +2 .*\ntwo:2 +img-0123456789ab +2 .*\n +img-f123456789ab +2 ");
        assertThat(console.run("image", "ls", "-q")).isZero();
        assertThat(console.out).hasLineCount(2);
    }

    @Test
    void theIdAloneCanBeAskedFor() throws IOException {
        daemon.on("POST /v1/images/import", 201, IMAGE);
        Path archive = Files.writeString(directory.resolve("image.tar"), "whatever the daemon says of it");
        assertThat(console.run("image", "import", archive.toString(), "-q")).isZero();
        assertThat(console.out).isEqualTo("img-0123456789abcdef0123456789abcdef\n");
        assertThat(console.err).contains("x is left out");
    }

    @Test
    void aPasswordIsSomebodys() {
        assertThat(console.run("image", "pull", "registry.example/app", "--password-file", "/nowhere")).isEqualTo(2);
        assertThat(console.err).contains("--username");
        assertThat(console.run("image", "pull", "registry.example/app", "--username", "me")).isEqualTo(2);
        assertThat(console.err).contains("--password-stdin");
        assertThat(daemon.asked).isEmpty();
    }
}
