package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Build;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ImageInfo;
import dev.sandglass.wire.ImageList;
import dev.sandglass.wire.RunSandbox;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.Snapshot;
import dev.sandglass.wire.Template;
import dev.sandglass.wire.TemplateFile;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Templates begin with Dockerfiles and with images from elsewhere, and sandboxes of them are as those say. */
@OnEveryRuntime
class DockerfileTemplateTest {
    private final TestDaemon daemon = SharedDaemon.daemon();
    private final TestTemplates templates = new TestTemplates(daemon);
    private final String runtime;

    DockerfileTemplateTest(String runtime) {
        this.runtime = runtime;
    }

    @AfterEach
    void clear() {
        daemon.api().names().stream().filter(name -> name.startsWith("of-") || name.startsWith("build-")).forEach(daemon.api()::destroy);
        templates.clear();
        daemon.caller().get("/v1/images").as(ImageList.class).images().forEach(left -> daemon.caller().delete("/v1/images/" + left.id()));
    }

    private String recipe(String name) {
        return "name: " + name + "\nruntime: " + runtime + "\nresources: {memory_mb: 256}\n";
    }

    private TestSandbox from(String name, String template) {
        return new TestSandbox(daemon.caller(), daemon.caller().post("/v1/sandboxes", SandboxRequest.on(runtime).name(name).from(template).toWire()).as(Sandbox.class));
    }

    private ImageInfo small() {
        byte[] archive = new TestImage().withProgram().says("12:13", "/data", List.of("A=image", "B=image"), List.of("/show"), List.of("two", "one")).layoutArchive();
        return daemon.caller().good(daemon.caller().send("POST", "/v1/images/import?name=small", "application/octet-stream", BodyPublishers.ofByteArray(archive))).as(ImageInfo.class);
    }

    @Test
    void itsInstructionsAreStepsAndWhatItSaysHoldsInEverySandbox() {
        Map<String, String> site = Map.of(
                "Dockerfile", """
                        FROM sandglass
                        ARG WORD=none
                        ENV GREETING="hello $WORD"
                        WORKDIR /srv/app
                        COPY --chown=user:user --chmod=750 greet.sh pages ./
                        COPY one.txt /etc
                        COPY <<END /srv/inline
                        greeting: $GREETING
                        END
                        RUN useradd -m keeper && echo "$GREETING of $WORD" > made \\
                          && id -un >> made
                        USER keeper
                        RUN ["/bin/sh", "-c", "echo $0 $(id -un) $(pwd) > /home/keeper/made", "exec"]
                        LABEL org.example.kind=site
                        EXPOSE 8080
                        ENTRYPOINT ["/bin/echo", "runs"]
                        CMD ["as", "said"]
                        """,
                "greet.sh", "#!/bin/sh\necho $GREETING\n",
                "pages/index.html", "<p>",
                "pages/deep/er.html", "<b>",
                "one.txt", "one\n",
                "unneeded", "never sent");
        templates.create(recipe("site") + "variables: {WORD: world}\nsetup: 'id -un > /opt/setup; pwd >> /opt/setup; echo $GREETING >> /opt/setup'\n", site);
        assertThat(Objects.requireNonNull(Objects.requireNonNull(templates.get("site").recipe()).context())).extracting("path").containsExactly("greet.sh", "one.txt", "pages/deep/er.html", "pages/index.html");
        Build build = templates.built("site");
        assertThat(build.steps()).extracting("name").contains("4: WORKDIR /srv/app", "6: COPY one.txt /etc", "setup").hasSize(9);
        assertThat(templates.log(build.id())).contains("it serves 8080");
        try (TestSandbox box = from("of-site", "site")) {
            assertThat(box.output("id -un; pwd; echo $GREETING; cat made /home/keeper/made /srv/inline /etc/one.txt /opt/setup")).isEqualTo("""
                    keeper
                    /srv/app
                    hello world
                    hello world of world
                    root
                    exec keeper /srv/app
                    greeting: hello world
                    one
                    root
                    /srv/app
                    hello world""");
            assertThat(box.output("stat -c '%n %U:%G %a' * deep/er.html; stat -c '%n %U %a' /etc/one.txt .")).isEqualTo("""
                    deep user:user 755
                    greet.sh user:user 750
                    index.html user:user 750
                    made root:root 644
                    deep/er.html user:user 750
                    /etc/one.txt root 644
                    . root 755""");
        }
        RunSandbox request = new RunSandbox(SandboxRequest.on(runtime).from("site").toWire(), Run.of().toStart(), true);
        try (Attached run = Attached.run(daemon.caller(), request)) {
            assertThat(run.awaitExit().code()).isZero();
            assertThat(run.text()).contains("runs as said");
        }
        assertThat(daemon.api().snapshots()).filteredOn(each -> "site".equals(each.name())).singleElement().extracting(Snapshot::labels).isEqualTo(Map.of("org.example.kind", "site", "sandglass.template", "site"));
    }

    @Test
    void onlyWhatComesAfterAChangeIsDoneAgain() {
        String file = "FROM sandglass\nRUN date +%N > /opt/first\nCOPY one /opt/\nRUN date +%N > /opt/second\n";
        templates.create(recipe("cached"), Map.of("Dockerfile", file, "one", "1"));
        templates.built("cached");
        templates.replace(recipe("cached"), Map.of("Dockerfile", "# more\n\n" + file, "one", "1"));
        assertThat(templates.built("cached").steps()).extracting("state").containsExactly("done", "cached", "cached", "cached", "done");
        templates.replace(recipe("cached"), Map.of("Dockerfile", file, "one", "2"));
        assertThat(templates.built("cached").steps()).extracting("state").containsExactly("done", "cached", "done", "done", "done");
        templates.replace(recipe("cached"), Map.of("Dockerfile", file.replace("FROM sandglass", "FROM sandglass\nENV A=b"), "one", "2"));
        assertThat(templates.built("cached").steps()).extracting("state").containsExactly("done", "done", "done", "done", "done");
    }

    @Test
    void itBeginsWithAnImageAndWithWhatThatSays() {
        ImageInfo image = small();
        templates.create(recipe("shown"), Map.of("Dockerfile", "FROM small\nENV B=$A-more\nRUN [\"/show\", \"one\"]\nCOPY three /data/\nUSER 5\nRUN [\"/show\", \"three\"]\n", "three", "3\n"));
        Build build = templates.built("shown");
        assertThat(templates.log(build.id())).contains("uid 12 gid 13 in /data A=image B=image-more", "one: one", "uid 5 gid 5 in /data", "three: 3");
        try (TestSandbox box = from("of-shown", "shown")) {
            assertThat(box.info().image()).isEqualTo(image.id());
            assertThat(box.output(Run.of("/show", "three"))).isEqualTo("uid 5 gid 5 in /data A=image B=image-more\nthree: 3");
        }
        refused(ErrorCode.CONFLICT, () -> daemon.caller().delete("/v1/images/small"));
        templates.create(recipe("plain") + "image: small\nfiles: [{path: /data/four, content: four}]\nenv: {B: own}\n");
        try (TestSandbox box = from("of-plain", "plain")) {
            assertThat(box.output(Run.of("/show", "four"))).isEqualTo("uid 12 gid 13 in /data A=image B=own\nfour: four");
        }
        templates.create(recipe("over") + "from: plain\n");
        try (TestSandbox box = from("of-over", "over")) {
            assertThat(box.output(Run.of("/show", "four"))).as("what the template below says holds above it").isEqualTo("uid 12 gid 13 in /data A=image B=own\nfour: four");
        }
    }

    @Test
    void anImageThatIsElsewhereIsFetched(@TempDir Path directory) throws IOException, InterruptedException {
        try (TestRegistry registry = new TestRegistry(directory, Optional.empty())) {
            registry.put("team/app", "1", new TestImage().withProgram().says(null, "/data", List.of("A=fetched", "B=b"), List.of("/show"), List.of("two")));
            templates.create(recipe("fetched") + "image: " + registry.address() + "/team/app:1\n");
            templates.built("fetched");
            templates.create(recipe("from"), Map.of("Dockerfile", "FROM " + registry.address() + "/team/app:1\nCMD [\"one\"]\n"));
            try (TestSandbox box = from("of-from", "from")) {
                assertThat(box.output(Run.of("/show", "one"))).isEqualTo("uid 0 gid 0 in /data A=fetched B=b\none: one");
            }
            templates.create(recipe("missing") + "image: " + registry.address() + "/team/app:none\n");
            assertThat(TestTemplates.error(templates.build("missing"))).isEqualTo("image_not_found");
        }
        assertThat(daemon.api().names()).noneMatch(name -> name.startsWith("build-"));
    }

    @Test
    void itBeginsWithATemplateAndNeverWithItself() {
        templates.create(recipe("lower") + "setup: echo lower > /opt/lower\nenv: {LOW: low}\n");
        templates.create(recipe("upper"), Map.of("Dockerfile", "ARG BASE\nFROM ${BASE:-lower}\nRUN tr a-z A-Z < /opt/lower > /opt/upper; echo $LOW >> /opt/upper\n"));
        try (TestSandbox box = from("of-upper", "upper")) {
            assertThat(box.output("cat /opt/upper; echo $LOW")).isEqualTo("LOWER\nlow\nlow");
        }
        refused(ErrorCode.CONFLICT, () -> templates.delete("lower"));
        assertThat(refused(ErrorCode.INVALID_REQUEST, () -> templates.replace(recipe("lower"), Map.of("Dockerfile", "FROM upper")))).hasMessageContaining("lower -> upper -> lower");
        refused(ErrorCode.INVALID_REQUEST, () -> templates.create(recipe("self"), Map.of("Dockerfile", "FROM self")));
        assertThat(refused(ErrorCode.IMAGE_NOT_FOUND, () -> templates.create(recipe("orphan"), Map.of("Dockerfile", "FROM nobody/knows:1")))).hasMessageContaining("dockerfile:1:6");
        refused(ErrorCode.IMAGE_NOT_FOUND, () -> templates.create(recipe("orphan") + "image: nobody\n"));
        refused(ErrorCode.TEMPLATE_NOT_FOUND, () -> templates.get("orphan"));
    }

    private void send(Template template) {
        daemon.caller().post("/v1/templates", template);
    }

    private static TemplateFile file(String path, String content) {
        return new TemplateFile(path, content, null, null, null);
    }

    @Test
    void whatCannotBeIsToldAtOnceAndLeavesNothing() {
        Map<String, String> wrong = Map.of(
                "FROM sandglass\nHEALTHCHECK CMD true", "dockerfile:2:1: HEALTHCHECK is not possible here",
                "FROM sandglass\nCOPY gone /opt/", "dockerfile:2:6: gone is not there",
                "FROM sandglass\nFROM small", "dockerfile:2:1: a second FROM");
        wrong.forEach((text, said) -> assertThat(refused(ErrorCode.INVALID_REQUEST, () -> send(TestTemplates.unread(null, text)))).hasMessageStartingWith(said));
        refused(ErrorCode.INVALID_REQUEST, () -> send(TestTemplates.unread("small", "FROM sandglass")));
        refused(ErrorCode.INVALID_REQUEST, () -> send(TestTemplates.unread(null, "FROM sandglass", file("../a", "a"))));
        refused(ErrorCode.TOO_LARGE, () -> send(TestTemplates.unread(null, "FROM sandglass", file("a", "a".repeat(700_001)))));
        refused(ErrorCode.TEMPLATE_NOT_FOUND, () -> templates.get("wrong"));
        templates.create(recipe("failing"), Map.of("Dockerfile", "FROM sandglass\nRUN echo the last words; exit 7\nRUN true\n"));
        Build build = templates.build("failing");
        assertThat(TestTemplates.error(build)).isEqualTo("build_failed");
        assertThat(Objects.requireNonNull(build.error()).message()).contains("2: RUN echo the last words; exit 7 ended with 7").endsWith("the last words");
        assertThat(daemon.api().names()).noneMatch(name -> name.startsWith("build-"));
        assertThat(daemon.api().allSnapshots()).isEmpty();
    }
}
