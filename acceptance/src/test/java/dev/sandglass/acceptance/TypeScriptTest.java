package dev.sandglass.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The client for TypeScript does what all clients do and what only it does, and its package is all that a project needs. */
@ExtendWith(SharedCheckout.class)
@Timeout(1200)
class TypeScriptTest {
    private static final String THERE = "cd clients/typescript && ";
    private static final String CONSUMER =
            """
            import { type CommandResult, type SandboxInfo, Sandbox, SandglassError, Volume } from "sandglass";
            const run: (box: Sandbox) => Promise<CommandResult> = (box) => box.commands.run(["true"], { timeout: 5 });
            const names: SandboxInfo[] = await Sandbox.list({ limit: 1 }).toArray();
            console.log(names.length >= 0, typeof run, typeof Volume.create, new SandglassError("a", "b", "c").code);
            """;

    private Checkout checkout;

    @BeforeEach
    void build(Checkout shared) throws IOException, InterruptedException {
        checkout = shared;
        checkout.check(THERE + "{ [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --silent --ignore-scripts; } && npm run --silent build");
    }

    @Test
    void itsTestsPassAndItsTypesFit() throws IOException, InterruptedException {
        checkout.check(THERE + "npm run --silent check && npm test --silent");
    }

    @ParameterizedTest
    @ValueSource(strings = {"container", "gvisor"})
    void itPlaysTheScenarios(String runtime) throws IOException, InterruptedException {
        String told = checkout.check(THERE + "node test/scenarios.mjs ../scenarios/contract.json " + runtime + " typescript-" + runtime);
        assertThat(told.lines()).hasSizeGreaterThan(10).allMatch(line -> line.startsWith("ok "));
    }

    @Test
    void itsPackageIsAllThatAProjectNeeds() throws IOException, InterruptedException {
        checkout.check("rm -rf target/consumer && mkdir -p target/consumer && " + THERE + "npm pack --silent --pack-destination ../../target/consumer");
        assertThat(checkout.check("tar -tzf target/consumer/sandglass-*.tgz").lines()).contains("package/dist/index.js", "package/dist/index.d.ts", "package/README.md").allMatch(
                name -> name.matches("package/(package.json|README.md|dist/.*[.](js|d[.]ts))"));
        checkout.check("cd target/consumer && npm init --yes && npm pkg set type=module && npm install --silent --offline ./sandglass-*.tgz");
        assertThat(checkout.check("ls target/consumer/node_modules")).isEqualTo("sandglass\n");
        Files.writeString(checkout.root().resolve("target/consumer/consumer.ts"), CONSUMER);
        for (String how : new String[] {"--module nodenext --target es2022", "--module esnext --moduleResolution bundler --target es2022 --lib es2022,dom"}) {
            checkout.check("cd target/consumer && ../../clients/typescript/node_modules/.bin/tsc --noEmit --strict " + how + " consumer.ts");
        }
        checkout.check("cd target/consumer && ../../clients/typescript/node_modules/.bin/tsc --strict --module nodenext --target es2022 consumer.ts");
        assertThat(checkout.check("cd target/consumer && node consumer.js")).isEqualTo("true function function a\n");
    }

    /** A browser gets the same modules but for the one of its host, so the others need nothing of Node. */
    @Test
    void onlyTheHostOfNodeNeedsNode() throws IOException, InterruptedException {
        assertThat(checkout.check("grep -rlE \"node:|process[.]|Buffer[.]\" " + Path.of("clients/typescript/dist") + " --include=*.js | sort").lines())
                .containsExactly("clients/typescript/dist/host/directory.js", "clients/typescript/dist/host/node.js", "clients/typescript/dist/host/tar.js");
    }

    @Test
    void itsLockFileNamesNoPlaceToDownloadFrom() throws IOException {
        assertThat(Files.readString(checkout.root().resolve("clients/typescript/package-lock.json"))).contains("integrity").doesNotContain("resolved").doesNotContain("://");
    }
}
