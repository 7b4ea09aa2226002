package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class CredentialVerbsTest extends VerbFixture {
    static final String CREDENTIAL = "{\"name\":\"key\",\"kind\":\"header\",\"header\":\"X-Api-Key\",\"host\":\"api.example.org\",\"port\":443,\"paths\":[\"/v1/*\"],\"methods\":[],"
            + "\"plain_http\":false,\"created_at\":\"2026-01-01T00:00:00Z\",\"rotated_at\":\"2026-01-01T00:00:00Z\"}";
    private static final String VALUE = "tell-nobody-7f3a91";

    @Test
    void aSecretIsSentOnceAndNeverPrinted() {
        daemon.on("POST /v1/credentials", 201, CREDENTIAL).on("POST /v1/credentials/key/rotate", 200, CREDENTIAL);
        console.input(VALUE + "\n");
        assertThat(console.run("credential", "create", "key", "--value-stdin", "--host", "api.example.org", "-o", "table")).isZero();
        assertThat(console.out).isEqualTo("key   header X-Api-Key for api.example.org:443\n");
        assertThat(console.run("credential", "rotate", "key", "--value-stdin", "-o", "json")).isZero();
        assertThat(daemon.asked).last().isEqualTo("POST /v1/credentials/key/rotate {\"value\":\"" + VALUE + "\"}");
        assertThat(console.out + console.err).doesNotContain(VALUE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--value-stdin --from-env KEY", "--from-env NOT_THERE", "--from-file /not/there", "--value tell-nobody-7f3a91"})
    void aSecretComesFromExactlyOnePlaceAndNotFromTheArguments(String options) {
        String[] words = ("credential create key --host api.example.org " + options).strip().split(" +");
        assertThat(console.with("KEY", VALUE).run(words)).isEqualTo(2);
        assertThat(daemon.asked).isEmpty();
    }

    @Test
    void whatIsNotTextIsRefusedWithoutBeingShown() throws IOException {
        Files.write(directory.resolve("secret"), new byte[] {'a', 'b', 'c', (byte) 0xff});
        assertThat(console.run("credential", "rotate", "key", "--from-file", directory.resolve("secret").toString())).isEqualTo(2);
        assertThat(console.err).contains("is not text").doesNotContain("abc");
    }

    @Test
    void theyAreListedShownGrantedRevokedAndRemoved() {
        String box = VerbsTest.SANDBOX.replace("\"credentials\":[]", "\"credentials\":[\"key\",\"other\"]");
        daemon.on("GET /v1/credentials", 200, "{\"credentials\":[" + CREDENTIAL + "]}")
                .on("GET /v1/credentials/key", 200, CREDENTIAL)
                .on("PUT /v1/sandboxes/box/credentials/key", 200, box)
                .on("DELETE /v1/sandboxes/box/credentials/key", 200, VerbsTest.SANDBOX)
                .on("DELETE /v1/credentials/key", 204, "");
        assertThat(console.run("credential", "ls", "-o", "table")).isZero();
        assertThat(console.out).containsPattern("NAME +KIND +FOR +PATHS +AGE").containsPattern("key +header X-Api-Key +api.example.org:443 +/v1/\\*");
        assertThat(console.run("credential", "ls", "-q")).isZero();
        assertThat(console.out).isEqualTo("key\n");
        assertThat(console.run("credential", "inspect", "key", "-o", "table")).isZero();
        assertThat(console.out).isEqualTo("key   header X-Api-Key for api.example.org:443\n");
        assertThat(console.run("credential", "grant", "box", "key", "-o", "table")).isZero();
        assertThat(console.out).endsWith("   key other\n");
        assertThat(console.run("credential", "revoke", "box", "key", "-o", "table")).isZero();
        assertThat(console.out).endsWith("   no credentials\n");
        assertThat(console.run("credential", "rm", "key", "-o", "table")).isZero();
        assertThat(console.out).isEqualTo("key\n");
    }

    @Test
    void whatWasUsedIsShownAndBeginsAnew() {
        String usage = "{\"sandbox\":\"sbx-aaaaaaaaaaaa\",\"name\":\"box\",\"credential\":\"key\",\"requests\":%d,\"max_requests\":10,\"tokens\":%d}";
        daemon.on("GET /v1/credential-usage", 200, "{\"usage\":[" + usage.formatted(3, 7) + "]}")
                .on("GET /v1/credential-usage?sandbox=box", 200, "{\"usage\":[]}")
                .on("DELETE /v1/sandboxes/box/credentials/key/usage", 200, usage.formatted(0, 0).replace("}", ",\"max_tokens\":50}"));
        assertThat(console.run("credential", "usage", "-o", "table")).isZero();
        assertThat(console.out).containsPattern("SANDBOX +CREDENTIAL +REQUESTS\n").containsPattern("box +key +3 of 10\n");
        assertThat(console.run("credential", "usage", "box", "-o", "json")).isZero();
        assertThat(console.out).isEqualToIgnoringWhitespace("[]");
        assertThat(console.run("credential", "reset", "box", "key", "-o", "table")).isZero();
        assertThat(console.out).containsPattern("box +key +0 of 10 +0 of 50\n");
    }
}
