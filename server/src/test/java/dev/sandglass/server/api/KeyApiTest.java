package dev.sandglass.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.ApiKey;
import dev.sandglass.wire.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A key lets in from the answer that made it to the one that revoked it, and never further than it may. */
class KeyApiTest extends ApiFixture {
    private ApiKey create(String body) throws IOException, InterruptedException {
        String made = exchange("createKey", "POST", "/v1/keys", body, 201).body();
        return Json.read(ApiKey.class, made.getBytes(StandardCharsets.UTF_8));
    }

    private HttpRequest.Builder with(ApiKey key, String target) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + api.door.port() + target)).header("Authorization", "Bearer " + key.key());
    }

    private int status(ApiKey key, String method, String target) throws IOException, InterruptedException {
        return api.client.send(with(key, target).method(method, HttpRequest.BodyPublishers.noBody()).build(), BodyHandlers.ofString()).statusCode();
    }

    @Test
    void itsTextIsShownOnceAndKeptNowhere() throws IOException, InterruptedException {
        ApiKey key = create("{\"name\":\"ci\"}");
        assertThat(key.key()).matches("e2b_[0-9a-f]{40}").endsWith(key.hint());
        assertThat(exchange("listKeys", "GET", "/v1/keys", "", 200).body()).contains("\"name\":\"ci\"", key.hint()).doesNotContain(String.valueOf(key.key()));
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)).as(file.toString()).doesNotContain(String.valueOf(key.key()));
            }
        }
    }

    @Test
    void itLetsInUntilItIsRevoked() throws IOException, InterruptedException {
        ApiKey key = create("");
        ApiKey other = create("");
        assertThat(List.of(key.name(), other.name())).containsExactly("key-1", "key-2");
        assertThat(status(key, "GET", "/v1/sandboxes")).isEqualTo(200);
        exchange("revokeKey", "DELETE", "/v1/keys/key-1", "", 204);
        assertThat(status(key, "GET", "/v1/sandboxes")).isEqualTo(401);
        assertThat(status(other, "GET", "/v1/sandboxes")).as("another one").isEqualTo(200);
        assertThat(exchange("revokeKey", "DELETE", "/v1/keys/key-1", "", 404).body()).contains("key_not_found");
        ApiKey again = create("{\"name\":\"key-1\"}");
        assertThat(again.key()).isNotEqualTo(key.key());
        assertThat(status(key, "GET", "/v1/sandboxes")).as("its name is another's now").isEqualTo(401);
    }

    @Test
    void itIsOneForTheNextDaemonToo() throws IOException, InterruptedException {
        ApiKey key = create("");
        close();
        open();
        assertThat(status(key, "GET", "/v1/sandboxes")).isEqualTo(200);
    }

    @Test
    void itMakesNoKeysAndRevokesNone() throws IOException, InterruptedException {
        ApiKey key = create("");
        assertThat(status(key, "POST", "/v1/keys")).isEqualTo(403);
        assertThat(status(key, "DELETE", "/v1/keys/" + key.name())).isEqualTo(403);
        assertThat(status(key, "GET", "/v1/keys")).isEqualTo(200);
        assertThat(exchange("listKeys", "GET", "/v1/keys", "", 200).body()).contains("key-1").doesNotContain("key-2");
    }

    @Test
    void whatWasBegunWithItIsCutOff() throws IOException, InterruptedException {
        ApiKey key = create("");
        HttpResponse<InputStream> events = api.client.send(with(key, "/v1/events").header("Accept", "text/event-stream").build(), BodyHandlers.ofInputStream());
        assertThat(events.statusCode()).isEqualTo(200);
        exchange("revokeKey", "DELETE", "/v1/keys/" + key.name(), "", 204);
        assertThatThrownBy(() -> events.body().readAllBytes()).as("the end of the stream").isInstanceOf(IOException.class);
    }

    @Test
    void namesAreHeldToTheirForm() throws IOException, InterruptedException {
        create("{\"name\":\"one\"}");
        assertThat(exchange("createKey", "POST", "/v1/keys", "{\"name\":\"one\"}", 409).body()).contains("name_taken");
        exchange("createKey", "POST", "/v1/keys", "{\"name\":\"../x\"}", 400);
    }
}
