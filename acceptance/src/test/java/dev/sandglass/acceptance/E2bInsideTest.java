package dev.sandglass.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The published clients of E2B use the inside of sandboxes of a real daemon: processes, files, ports and the code interpreter. */
@ExtendWith(SharedCheckout.class)
@Timeout(3600)
class E2bInsideTest {
    private Checkout checkout;
    private Path scripts;

    @BeforeEach
    void install(Checkout shared) throws IOException, InterruptedException {
        checkout = shared;
        scripts = NpmPackages.install(shared, "e2b");
    }

    @ParameterizedTest
    @CsvSource({"inside,new,container", "inside,new,gvisor", "inside,old,gvisor", "files,new,container", "files,new,gvisor", "files,old,container", "ends,new,container", "ends,new,gvisor", "ends,old,gvisor"})
    void clientsFindWhatTheyExpect(String script, String client, String runtime) throws IOException, InterruptedException {
        used(script, client, "inside-" + runtime, "runtime: " + runtime + "\ncomponents: [git, python3]\nresources: {memory_mb: 1024}\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"container", "gvisor"})
    void theInterpreterRunsCode(String runtime) throws IOException, InterruptedException {
        used("interpreter", "new", "interpreter-" + runtime, "from: code-interpreter\nruntime: " + runtime + "\n");
    }

    private void used(String script, String client, String template, String recipe) throws IOException, InterruptedException {
        try {
            checkout.check("printf '%s' 'name: " + template + "\n" + recipe + "' > /tmp/" + template + ".yaml && ./sandglass template create --file /tmp/" + template + ".yaml && ./sandglass template build " + template);
            String said = checkout.check("eval \"$(./sandglass key create " + template + " --e2b)\" && node '" + scripts.resolve(script + ".mjs") + "' " + client + " " + template);
            assertThat(said).endsWith("ok all\n");
        } finally {
            checkout.bash("./sandglass key revoke " + template + "; ./sandglass template rm " + template);
        }
    }
}
