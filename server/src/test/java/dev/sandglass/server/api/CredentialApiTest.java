package dev.sandglass.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Values go into the API and never come out of it, in good answers and in bad ones. */
class CredentialApiTest extends ApiFixture {
    private static final String VALUE = "tell-nobody-7f3a91";
    private static final String FULL = "{\"name\":\"key\",\"value\":\"" + VALUE + "\",\"kind\":\"header\",\"header\":\"X-Api-Key\",\"host\":\"api.example.org\",\"port\":8443,"
            + "\"paths\":[\"/v1/*\"],\"methods\":[\"POST\",\"GET\"],\"plain_http\":true,\"preset\":\"generic\",\"base_url\":\"https://models.example.org/v1\",\"budget\":{\"requests\":5,\"tokens\":6}}";

    private String send(String operation, String method, String target, String body, int status) throws IOException, InterruptedException {
        HttpResponse<String> answer = exchange(operation, method, target, body, status);
        assertThat(answer.body() + answer.headers().map()).doesNotContain(VALUE);
        return answer.body();
    }

    @Test
    void oneIsKeptShownRotatedAndRemovedAsDescribed() throws IOException, InterruptedException {
        String made = send("createCredential", "POST", "/v1/credentials", FULL, 201);
        assertThat(made).contains(
                "\"name\":\"key\"", "\"kind\":\"header\"", "\"header\":\"X-Api-Key\"", "\"host\":\"api.example.org\"", "\"port\":8443", "\"paths\":[\"/v1/*\"]", "\"methods\":[\"GET\",\"POST\"]",
                "\"plain_http\":true", "\"preset\":\"generic\"", "\"base_url\":\"https://models.example.org/v1\"", "\"requests\":5", "\"tokens\":6");
        assertThat(send("getCredential", "GET", "/v1/credentials/key", "", 200)).isEqualTo(made);
        assertThat(send("listCredentials", "GET", "/v1/credentials", "", 200)).isEqualTo("{\"credentials\":[" + made + "]}");
        assertThat(send("createCredential", "POST", "/v1/credentials", FULL, 409)).contains("name_taken");
        send("rotateCredential", "POST", "/v1/credentials/key/rotate", "{\"value\":\"" + VALUE + "2\"}", 200);
        send("deleteCredential", "DELETE", "/v1/credentials/key", "", 204);
        assertThat(send("getCredential", "GET", "/v1/credentials/key", "", 404)).contains("credential_not_found");
        send("deleteCredential", "DELETE", "/v1/credentials/key", "", 404);
        send("rotateCredential", "POST", "/v1/credentials/key/rotate", "{\"value\":\"" + VALUE + "\"}", 404);
        assertThat(send("listCredentials", "GET", "/v1/credentials", "", 200)).isEqualTo("{\"credentials\":[]}");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "\"tell-nobody-7f3a91\"",
        "[\"tell-nobody-7f3a91\"]",
        "{\"name\":\"key\",\"value\":[\"tell-nobody-7f3a91\"]}",
        "{\"name\":\"key\",\"value\":{\"of\":\"tell-nobody-7f3a91\"}}",
        "{\"name\":\"key\",\"value\":\"tell-nobody-7f3a91\\n\",\"host\":\"api.example.org\"}",
        "{\"name\":\"key\",\"value\":\"tell-nobody-7f3a91\"}",
        "{\"name\":\"key\",\"value\":\"tell-nobody-7f3a91\",\"host\":\"api.example.org\",\"more\":1}",
        "{\"name\":\"key\",\"value\":\"tell-nobody-7f3a91",
        "{\"name\":\"key\",\"value\":\"tell-nobody-7f3a91\",\"value\":\"tell-nobody-7f3a91\"}",
        "{\"name\":\"key\",\"value\":tell-nobody-7f3a91}",
        "tell-nobody-7f3a91"
    })
    void whatIsWrongIsSaidWithoutTheValue(String body) throws IOException, InterruptedException {
        send("createCredential", "POST", "/v1/credentials", body, 400);
    }

    @Test
    void soItIsOfARotation() throws IOException, InterruptedException {
        send("createCredential", "POST", "/v1/credentials", FULL, 201);
        for (String body : List.of("\"" + VALUE + "\"", "{\"value\":[\"" + VALUE + "\"]}", "{\"value\":\"" + VALUE + "\\u0000\"}", VALUE)) {
            send("rotateCredential", "POST", "/v1/credentials/key/rotate", body, 400);
        }
    }

    @Test
    void oneThatIsTooLongIsRefusedWithoutTheValue() throws IOException, InterruptedException {
        String body = "{\"name\":\"key\",\"host\":\"api.example.org\",\"value\":\"" + VALUE + "x".repeat(16 << 10) + "\"}";
        assertThat(send("createCredential", "POST", "/v1/credentials", body, 400)).contains("value: *** (expected: at most 16384 characters)");
    }

    @Test
    void whatWasUsedIsListedAndOfNobodyNothing() throws IOException, InterruptedException {
        assertThat(send("listCredentialUsage", "GET", "/v1/credential-usage", "", 200)).isEqualTo("{\"usage\":[]}");
        assertThat(send("listCredentialUsage", "GET", "/v1/credential-usage?sandbox=nobody", "", 404)).contains("sandbox_not_found");
        assertThat(send("resetCredentialUsage", "DELETE", "/v1/sandboxes/nobody/credentials/key/usage", "", 404)).contains("sandbox_not_found");
    }
}
