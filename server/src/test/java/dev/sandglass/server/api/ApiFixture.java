package dev.sandglass.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the API on a real engine that has no runtime and so no sandboxes, served anew for each of them. */
abstract class ApiFixture {
    @TempDir
    Path directory;

    private final OpenApiContract contract = new OpenApiContract();

    ServedApi api;

    @BeforeEach
    void open() throws IOException, InterruptedException {
        api = new ServedApi(directory);
    }

    @AfterEach
    void close() throws InterruptedException {
        api.close();
    }

    /** Sends a request, whose answer must be as the API describes it. */
    HttpResponse<String> exchange(String operation, String method, String target, String body, int status) throws IOException, InterruptedException {
        HttpRequest.Builder request = api.request(target);
        HttpRequest.BodyPublisher publisher = HttpRequest.BodyPublishers.noBody();
        if (!body.isEmpty()) {
            request.header("Content-Type", "application/json");
            publisher = HttpRequest.BodyPublishers.ofString(body);
        }
        HttpResponse<String> answer = api.client.send(request.method(method, publisher).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        if (!answer.body().isEmpty()) {
            contract.check(operation, status, answer.body());
        }
        return answer;
    }
}
