package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class VolumeVerbsTest extends VerbFixture {
    private static final String VOLUME = "{\"id\":\"vol-aaaaaaaaaaaa\",\"name\":\"data\",\"kind\":\"volume\",\"size_mb\":64,\"used_bytes\":1048576,\"labels\":{},\"created_at\":\"2026-01-01T00:00:00Z\","
            + "\"used_by\":[{\"sandbox_id\":\"sbx-aaaaaaaaaaaa\",\"sandbox_name\":\"box\",\"path\":\"/data\",\"mode\":\"rw\"}]}";
    private static final String ENTRY = "{\"name\":\"file\",\"path\":\"/file\",\"kind\":\"file\",\"mode\":\"644\",\"uid\":0,\"gid\":0,\"size\":5,\"modified_at\":\"2026-01-01T00:00:00Z\"}";

    @Test
    void theyAreMadeListedCopiedAndRemoved() {
        daemon.on("POST /v1/volumes", 201, VOLUME)
                .on("GET /v1/volumes", 200, "{\"volumes\":[" + VOLUME + "],\"next_cursor\":\"more\"}")
                .on("GET /v1/volumes?cursor=more", 200, "{\"volumes\":[" + VOLUME.replace("data", "other") + "]}")
                .on("GET /v1/volumes/data", 200, VOLUME)
                .on("POST /v1/volumes/data/snapshot", 201, VOLUME.replace("\"volume\"", "\"snapshot\""))
                .on("POST /v1/volumes/data/fork", 201, VOLUME)
                .on("DELETE /v1/volumes/data", 204, "");
        assertThat(console.run("volume", "create", "data", "--size", "64M", "--label", "team=red", "-o", "table")).isZero();
        assertThat(daemon.asked).last().isEqualTo("POST /v1/volumes {\"name\":\"data\",\"size_mb\":64,\"labels\":{\"team\":\"red\"}}");
        assertThat(console.out).startsWith("data   vol-aaaaaaaaaaaa   volume of 64");
        assertThat(console.run("volume", "list", "-o", "table")).isZero();
        assertThat(console.out).containsPattern("NAME +ID +SIZE +USED +IN USE BY").containsPattern("data +vol-a+ .*box:/data").contains("other");
        assertThat(console.run("volume", "ls", "-q")).isZero();
        assertThat(console.out).isEqualTo("vol-aaaaaaaaaaaa\nvol-aaaaaaaaaaaa\n");
        assertThat(console.run("volume", "inspect", "data")).isZero();
        assertThat(console.out).contains("sandbox_name");
        assertThat(console.run("volume", "snapshot", "data", "v1", "-o", "table")).isZero();
        assertThat(daemon.asked).last().asString().startsWith("POST /v1/volumes/data/snapshot {\"name\":\"v1\"");
        assertThat(console.out).contains("snapshot of");
        assertThat(console.run("volume", "fork", "data", "-q")).isZero();
        assertThat(console.out).isEqualTo("vol-aaaaaaaaaaaa\n");
        assertThat(console.run("volume", "delete", "data", "-o", "table")).isZero();
        assertThat(console.out).isEqualTo("data\n");
    }

    @Test
    void sandboxesAreMadeWithThem() {
        daemon.on("POST /v1/sandboxes", 201, VerbsTest.SANDBOX);
        assertThat(console.run("create", "-v", "data:/data", "--volume", "shelf:/shelf:ro", "--from", "v1", "--volumes", "none")).isZero();
        assertThat(daemon.asked).last().asString()
                .contains("\"volumes\":[{\"volume\":\"data\",\"path\":\"/data\"},{\"volume\":\"shelf\",\"path\":\"/shelf\",\"mode\":\"ro\"}],\"volumes_from\":\"none\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"data", "data:", ":/data", "data:relative", "data:/data:", "data:/data:ro:more"})
    void whatIsNoVolumeAndPlaceIsRefused(String text) {
        assertThat(console.run("create", "-v", text)).isEqualTo(2);
        assertThat(console.err).contains("VOLUME:/PATH");
        assertThat(daemon.asked).isEmpty();
    }

    @Test
    void theyComeAndGo() {
        String with = VerbsTest.SANDBOX.replace("\"warnings\":", "\"volumes\":[{\"id\":\"vol-aaaaaaaaaaaa\",\"name\":\"data\",\"path\":\"/data\",\"mode\":\"ro\"}],\"warnings\":");
        daemon.on("POST /v1/sandboxes/box/volumes", 200, with).on("DELETE /v1/sandboxes/box/volumes/data", 200, VerbsTest.SANDBOX);
        assertThat(console.run("volume", "attach", "box", "data:/data:ro", "-o", "table")).isZero();
        assertThat(console.out).endsWith("   data:/data:ro\n");
        assertThat(console.run("volume", "detach", "box", "data", "-o", "table")).isZero();
        assertThat(console.out).endsWith("   no volumes\n");
    }

    @Test
    void filesGoInAndOut() throws IOException {
        daemon.on("GET /v1/volumes/data/files/stat?path=%2Ffile&follow=true", 200, ENTRY)
                .on("GET /v1/volumes/data/files?path=%2Ffile", 200, "hello")
                .on("GET /v1/volumes/data/files/stat?path=%2Fnew&follow=true", 404, "{\"code\":\"path_not_found\",\"message\":\"no\",\"hint\":\"no\"}");
        Files.writeString(directory.resolve("here"), "there");
        assertThat(console.run("volume", "cp", "data:/file", directory.resolve("out").toString())).isZero();
        assertThat(directory.resolve("out")).hasContent("hello");
        assertThat(console.run("volume", "cp", directory.resolve("here").toString(), directory.resolve("out").toString())).isEqualTo(2);
        assertThat(console.err).contains("VOLUME:PATH");
    }
}
