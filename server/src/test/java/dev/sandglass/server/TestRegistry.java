package dev.sandglass.server;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;

/** A real registry server on the loopback, Debian's docker-registry; closing ends it. */
final class TestRegistry implements AutoCloseable {
    private final HttpClient client;
    private final String scheme;
    private final int port;
    private final Process process;

    /** @param login a line of a password file, if it is to ask who comes */
    TestRegistry(Path directory, Optional<String> login) throws IOException {
        this(directory, login, Optional.empty());
    }

    /** @param encrypted by whose certificate it is known, if it speaks HTTPS */
    TestRegistry(Path directory, Optional<String> login, Optional<TestAuthority> encrypted) throws IOException {
        scheme = encrypted.isPresent() ? "https://" : "http://";
        client = encrypted.isPresent() ? HttpClient.newBuilder().sslContext(encrypted.get().trust()).build() : HttpClient.newHttpClient();
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Path store = Files.createDirectory(directory.resolve("store"));
        String config = """
                version: 0.1
                log: {level: error, accesslog: {disabled: true}}
                storage: {filesystem: {rootdirectory: %s}, delete: {enabled: true}}
                http: {addr: "127.0.0.1:%d"%s}
                """.formatted(store, port, encrypted.map(known -> ", tls: {certificate: " + known.certificate() + ", key: " + known.key() + "}").orElse(""));
        if (login.isPresent()) {
            Path file = Files.writeString(directory.resolve("logins"), login.get() + "\n");
            config += "auth: {htpasswd: {realm: test, path: " + file + "}}\n";
        }
        Path settings = Files.writeString(directory.resolve("config.yml"), config);
        process = new ProcessBuilder("docker-registry", "serve", settings.toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("registry.log").toFile())
                .start();
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(this::answers);
    }

    private boolean answers() throws InterruptedException {
        try {
            int status = client.send(HttpRequest.newBuilder(URI.create(scheme + address() + "/v2/")).build(), HttpResponse.BodyHandlers.discarding()).statusCode();
            return status == 200 || status == 401;
        } catch (IOException notYet) {
            return false;
        }
    }

    String address() {
        return "127.0.0.1:" + port;
    }

    /** Puts an image there, as it is. */
    void put(String repository, String tag, TestImage image) throws IOException, InterruptedException {
        byte[] manifest = image.manifest();
        for (Map.Entry<String, byte[]> blob : image.blobs().entrySet()) {
            HttpResponse<Void> begun = send(HttpRequest.newBuilder(URI.create(scheme + address() + "/v2/" + repository + "/blobs/uploads/")).POST(BodyPublishers.noBody()), 202);
            String place = begun.headers().firstValue("Location").orElseThrow();
            URI whole = URI.create(place + (place.contains("?") ? "&" : "?") + "digest=" + blob.getKey());
            send(HttpRequest.newBuilder(URI.create(scheme + address()).resolve(whole)).PUT(BodyPublishers.ofByteArray(blob.getValue())).header("Content-Type", "application/octet-stream"), 201);
        }
        put(repository, tag, manifest, TestImage.MANIFEST);
    }

    void put(String repository, String tag, byte[] manifest, String type) throws IOException, InterruptedException {
        send(HttpRequest.newBuilder(URI.create(scheme + address() + "/v2/" + repository + "/manifests/" + tag)).PUT(BodyPublishers.ofByteArray(manifest)).header("Content-Type", type), 201);
    }

    private HttpResponse<Void> send(HttpRequest.Builder request, int expected) throws IOException, InterruptedException {
        HttpResponse<Void> answer = client.send(request.build(), HttpResponse.BodyHandlers.discarding());
        if (answer.statusCode() != expected) {
            throw new AssertionError(answer + " (expected: " + expected + ")");
        }
        return answer;
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            process.waitFor();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
        client.close();
    }
}
