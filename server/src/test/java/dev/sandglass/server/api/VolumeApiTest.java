package dev.sandglass.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Volumes over HTTP are what the description says, in good answers and in bad ones. */
class VolumeApiTest extends ApiFixture {
    private String send(String operation, String method, String target, String body, int status) throws IOException, InterruptedException {
        return exchange(operation, method, target, body, status).body();
    }

    @Test
    void oneIsMadeShownCopiedAndRemovedAsDescribed() throws IOException, InterruptedException {
        String made = send("createVolume", "POST", "/v1/volumes", "{\"name\":\"data\",\"size_mb\":16,\"labels\":{\"team\":\"red\"}}", 201);
        assertThat(made).contains("\"name\":\"data\"", "\"kind\":\"volume\"", "\"size_mb\":16", "\"team\":\"red\"", "\"used_by\":[]");
        assertThat(send("getVolume", "GET", "/v1/volumes/da", "", 200)).contains("\"name\":\"data\"");
        assertThat(send("createVolume", "POST", "/v1/volumes", "{\"name\":\"data\"}", 409)).contains("name_taken");
        assertThat(send("snapshotVolume", "POST", "/v1/volumes/data/snapshot", "{\"name\":\"data-v1\"}", 201)).contains("\"kind\":\"snapshot\"", "\"source\":\"vol-");
        assertThat(send("forkVolume", "POST", "/v1/volumes/data-v1/fork", "{\"name\":\"again\"}", 201)).contains("\"kind\":\"volume\"", "\"size_mb\":16");
        assertThat(send("listVolumes", "GET", "/v1/volumes?limit=1", "", 200)).contains("\"name\":\"data\"", "next_cursor");
        assertThat(send("listVolumes", "GET", "/v1/volumes?label=team=red", "", 200)).contains("\"name\":\"data\"").doesNotContain("again");
        assertThat(send("listVolumes", "GET", "/v1/volumes?cursor=nonsense", "", 400)).contains("cursor");
        assertThat(send("deleteVolume", "DELETE", "/v1/volumes/da", "", 404)).as("a name must be whole").contains("volume_not_found");
        for (String name : new String[] {"data", "data-v1", "again"}) {
            send("deleteVolume", "DELETE", "/v1/volumes/" + name, "", 204);
        }
        assertThat(send("listVolumes", "GET", "/v1/volumes", "", 200)).isEqualTo("{\"volumes\":[]}");
        assertThat(send("forkVolume", "POST", "/v1/volumes/data/fork", "{}", 404)).contains("volume_not_found");
        assertThat(send("readVolumeFile", "GET", "/v1/volumes/data/files?path=x", "", 404)).contains("volume_not_found");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"name\":\"-\"}", "{\"name\":\"sbx-aaaaaaaaaaaa\"}", "{\"name\":\"a b\"}", "{\"size_mb\":0}", "{\"size_mb\":\"1\"}", "{\"labels\":{\"\":\"x\"}}", "{\"size\":1}", "[]"})
    void whatIsWrongIsSaid(String body) throws IOException, InterruptedException {
        assertThat(send("createVolume", "POST", "/v1/volumes", body, 400)).contains("\"hint\"");
    }
}
