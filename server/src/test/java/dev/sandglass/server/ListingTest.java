package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandboxList;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The list of sandboxes in pages, and only those that somebody wants to see. */
@ExtendWith(SharedDaemon.class)
@Timeout(300)
class ListingTest {
    private final Api api = SharedDaemon.api();

    @Test
    void pagesGoOnWhileSandboxesComeAndGo() {
        List<TestSandbox> made = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            made.add(api.create(request("page-" + i)));
        }
        SandboxList first = page("name=page-&limit=2");
        assertThat(names(first)).containsExactly("page-0", "page-1");
        made.get(1).close();
        made.get(2).close();
        try (TestSandbox late = api.create(request("page-late"))) {
            SandboxList second = page("name=page-&limit=2&cursor=" + first.nextCursor());
            assertThat(names(second)).as("the sandbox of the cursor is gone, its place is not").containsExactly("page-3", "page-4");
            SandboxList third = page("name=page-&limit=2&cursor=" + second.nextCursor());
            assertThat(names(third)).containsExactly(late.name());
            assertThat(third.nextCursor()).isNull();
        }
        made.forEach(TestSandbox::close);
    }

    @Test
    void filtersHoldAllAtOnce() {
        try (TestSandbox _ = api.create(request("blue").labels(Map.of("team", "blue", "tier", "a=b")));
                TestSandbox _ = api.create(request("red").labels(Map.of("team", "red", "tier", "a=b")))) {
            assertThat(names(page("label=team%3Dblue"))).containsExactly("blue");
            assertThat(names(page("label=tier=a%3Db"))).containsExactly("blue", "red");
            assertThat(names(page("label=team=red&label=tier=a%3Db&state=running&runtime=container&name=re"))).containsExactly("red");
            assertThat(names(page("label=team=red&state=failed&state=stopped"))).isEmpty();
            assertThat(names(page("label=team=red&runtime=gvisor"))).isEmpty();
            assertThat(names(page("label=team="))).isEmpty();
            assertThat(names(page("name=ue"))).isEmpty();
        }
    }

    @Test
    void historyTellsOfDestroyedOnes() {
        TestSandbox gone = api.create(request("gone-by-now"));
        gone.close();
        assertThat(names(page("name=gone-by-now"))).isEmpty();
        for (String asked : List.of("all=true", "state=destroyed", "state=running&state=destroyed")) {
            assertThat(page("name=gone-by-now&" + asked).sandboxes())
                    .filteredOn(sandbox -> sandbox.id().equals(gone.id()))
                    .singleElement()
                    .extracting(Sandbox::state)
                    .isEqualTo("destroyed");
        }
    }

    @Test
    void whatIsNoCursorOrFilterIsRefused() {
        for (String bad : List.of(
                "cursor=nonsense", "cursor=%7f", "cursor=MTIzNA", "limit=0", "limit=1001", "limit=x", "state=asleep", "label=team", "label==x",
                "limit=1&limit=2", "colour=blue")) {
            refused(ErrorCode.INVALID_REQUEST, () -> page(bad));
        }
    }

    private SandboxList page(String query) {
        return api.caller().get("/v1/sandboxes?" + query).as(SandboxList.class);
    }

    private static SandboxRequest request(String name) {
        return SandboxRequest.on("container").name(name).memoryMb(128);
    }

    private static List<String> names(SandboxList page) {
        return page.sandboxes().stream().map(Sandbox::name).toList();
    }
}
