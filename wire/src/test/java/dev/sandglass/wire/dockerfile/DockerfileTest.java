package dev.sandglass.wire.dockerfile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.CommandSettings;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What people write into Dockerfiles is what is done, and what cannot be done is told with its place. */
class DockerfileTest {
    private static final CommandSettings BASE = new CommandSettings(null, null, Map.of("PATH", "/bin"), null, List.of("bash"));

    private static DockerPlan plan(String text) {
        return plan(text, Map.of());
    }

    private static DockerPlan plan(String text, Map<String, String> values) {
        return Dockerfile.read("Dockerfile", text).plan(BASE, values);
    }

    private static DockerStep.Run run(String text) {
        return (DockerStep.Run) plan("FROM x\n" + text).steps().getLast();
    }

    private static DockerStep.Copy copy(String text) {
        return (DockerStep.Copy) plan("FROM x\n" + text).steps().getLast();
    }

    @Test
    void aWholeFileComesToItsSteps() {
        DockerPlan plan = plan("""
                # syntax=docker/dockerfile:1
                ARG TAG=1
                FROM python:$TAG AS app
                # a comment
                ARG VERSION=2.0
                ENV APP_HOME=/srv/app GREETING="hello  world"
                ENV PATH $APP_HOME/bin:$PATH
                LABEL org.example.kind=test "other"='a b'
                WORKDIR $APP_HOME
                COPY --chown=user:user --chmod=755 run.sh lib ./
                RUN echo one \\
                    # between
                  && echo ${VERSION:-none}
                USER 1000:1000
                WORKDIR bin
                EXPOSE 8080 53/udp
                ENTRYPOINT ["./run.sh"]
                CMD ["serve", "--port=8080"]
                """);
        assertThat(plan.steps()).extracting(DockerStep::shown).containsExactly("9: WORKDIR $APP_HOME", "10: COPY --chown=user:user --chmod=755 run.sh lib ./", "11: RUN echo one && echo ${VERSION:-none}", "15: WORKDIR bin");
        assertThat(plan.steps().get(1)).isInstanceOfSatisfying(DockerStep.Copy.class, copy -> {
            assertThat(copy.target()).isEqualTo("/srv/app");
            assertThat(copy.isDirectory()).isTrue();
            assertThat(copy.owner() + " " + copy.mode()).isEqualTo("user:user 755");
            assertThat(copy.sources()).extracting(Source::path).containsExactly("run.sh", "lib");
        });
        assertThat(plan.steps().get(2)).isInstanceOfSatisfying(DockerStep.Run.class, run -> {
            assertThat(run.argv()).startsWith("/bin/sh", "-c").last().asString().contains("echo one").contains("&& echo ${VERSION:-none}").doesNotContain("between");
            assertThat(run.env()).isEqualTo(Map.of("VERSION", "2.0", "APP_HOME", "/srv/app", "GREETING", "hello  world", "PATH", "/srv/app/bin:/bin"));
            assertThat(run.user() + run.workdir()).isEqualTo("root/srv/app");
        });
        assertThat(plan.settings()).isEqualTo(new CommandSettings(
                "1000:1000", "/srv/app/bin", Map.of("PATH", "/srv/app/bin:/bin", "APP_HOME", "/srv/app", "GREETING", "hello  world"), List.of("./run.sh"), List.of("serve", "--port=8080")));
        assertThat(plan.ports()).containsExactly("8080", "53/udp");
        assertThat(plan.labels()).isEqualTo(Map.of("org.example.kind", "test", "other", "a b"));
    }

    @Test
    void argumentsTakeValuesAndOnlyThoseThatAreDeclared() {
        String text = "ARG TAG=1\nFROM x:${TAG}\nARG TAG\nARG A=b\nRUN true\n";
        Dockerfile file = Dockerfile.read("Dockerfile", text);
        assertThat(file.arguments()).containsExactly("TAG", "A");
        assertThat(file.beginning(Map.of()).name()).isEqualTo("x:1");
        assertThat(file.beginning(Map.of("TAG", "2")).name()).isEqualTo("x:2");
        assertThat(((DockerStep.Run) plan(text, Map.of("TAG", "2", "OTHER", "3")).steps().getFirst()).env()).isEqualTo(Map.of("TAG", "2", "A", "b"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '%', textBlock = """
            plain                 | plain
            "a b"                 | a b
            'a $X'                | a $X
            "a $X"                | a x
            a\\ b                 | a b
            \\$X                  | $X
            ${X}y                 | xy
            ${NONE:-or $X}        | or x
            ${X:+then}            | then
            ${NONE:+then}end      | end
            ${X:-other}           | x
            $                     | $
            100$                  | 100$
            """)
    void valuesAreReadAsTheShellDoes(String written, String meant) {
        DockerPlan plan = plan("FROM x\nENV X=x\nENV VALUE=" + written.replace("or $X", "or\\ $X") + "\n");
        assertThat(plan.settings().env()).containsEntry("VALUE", meant);
    }

    @Test
    void linesBelowBelongToTheInstruction() {
        assertThat(run("RUN <<EOF\necho one\necho two\nEOF\n").argv()).containsExactly("/bin/sh", "-c", "echo one\necho two\n");
        assertThat(run("RUN cat <<-'EOF' > /x\n\tone $X\n\tEOF\n").argv()).containsExactly("/bin/sh", "-c", "cat <<-'EOF' > /x\n\tone $X\nEOF\n");
        assertThat(run("RUN [\"ls\", \"-l\"]").argv()).containsExactly("ls", "-l");
        assertThat(run("SHELL [\"/bin/bash\", \"-c\"]\nRUN [[ a = a ]]").argv()).containsExactly("/bin/bash", "-c", "[[ a = a ]]");
        assertThat(copy("ENV X=y\nCOPY <<one <<'two' /etc/\n$X\none\n$X\ntwo\n").inline()).isEqualTo(Map.of("one", "y\n", "two", "$X\n"));
        assertThat(((DockerStep.Run) plan("# escape=`\nFROM x\nRUN echo `\n  C:\\dir\n").steps().getFirst()).argv().getLast()).isEqualTo("echo   C:\\dir");
    }

    @Test
    void whatABaseExecutesEndsWithAnotherEntryPoint() {
        assertThat(plan("FROM x\nRUN true").settings().cmd()).containsExactly("bash");
        assertThat(plan("FROM x\nENTRYPOINT [\"/app\"]").settings().cmd()).isEmpty();
        assertThat(plan("FROM x\nCMD exec app $A").settings().cmd()).containsExactly("/bin/sh", "-c", "exec app $A");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            FROM x%HEALTHCHECK CMD true              | Dockerfile:2:1: HEALTHCHECK is not possible here
            FROM x%VOLUME /data                      | Dockerfile:2:1: VOLUME is not possible here
            FROM x%  ONBUILD RUN true                | Dockerfile:2:3: ONBUILD is not possible here
            FROM x%RUNN true                         | Dockerfile:2:1: RUNN is no known instruction (expected: RUN?)
            FROM x%RUN                               | Dockerfile:2:1: RUN says nothing
            FROM x AS a%RUN true%FROM y              | Dockerfile:3:1: a second FROM: builds of several stages
            RUN true                                 | Dockerfile:1:1: RUN stands before FROM
            # nothing                                | Dockerfile:1:1: FROM is missing
            FROM x%COPY --from=a /b /c               | Dockerfile:2:6: --from copies out of another stage
            FROM x%COPY a                            | Dockerfile:2:1: COPY has no target
            FROM x%COPY ../secret /a                 | Dockerfile:2:6: ../secret (expected: what stands beside the Dockerfile or below)
            FROM x%COPY a/../../b /a                 | Dockerfile:2:6: a/../../b (expected
            FROM x%COPY a b /c                       | Dockerfile:2:10: /c (expected: a directory with / at its end
            FROM x%COPY --chmod=a b /c               | Dockerfile:2:6: --chmod=a (expected: octal
            FROM x%ADD https://example.org/a /c      | Dockerfile:2:5: https://example.org/a is elsewhere
            FROM x%ADD a.tar.gz /c                   | Dockerfile:2:5: a.tar.gz is an archive
            FROM x%RUN --mount=type=cache,target=/a b | Dockerfile:2:5: --mount is not possible here
            FROM x%ENV A                             | Dockerfile:2:5: A (expected: NAME=VALUE)
            FROM x%ENV 1A=b                          | Dockerfile:2:5: 1A is no name of a variable
            FROM x%ENV A=${B                         | Dockerfile:2:7: no } ends
            FROM x%ENV A=${B#c}                      | Dockerfile:2:7: ${B#c} (expected
            FROM x%ENV A="b                          | Dockerfile:2:7: no " ends
            FROM x%RUN <<EOF%true                    | Dockerfile:2:5: no line EOF ends
            FROM x%EXPOSE web                        | Dockerfile:2:8: EXPOSE web (expected: a port
            FROM x%USER a b                          | Dockerfile:2:6: USER a b (expected: a name
            FROM x%SHELL bash                        | Dockerfile:2:7: SHELL (expected: a list
            FROM x%RUN a \\%  b && \\%  --x%COPY y   | Dockerfile:5:1: COPY has no target
            """)
    void whatCannotBeIsToldWithItsPlace(String text, String said) {
        String file = text.replace('%', '\n').replace("\\\\", "\\");
        assertThatThrownBy(() -> plan(file)).isInstanceOfSatisfying(SandglassException.class, problem -> {
            assertThat(problem.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
            assertThat(problem.hint()).isNotBlank();
            assertThat(problem.what()).startsWith(said);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"FROM scratch\n", "FROM --platform=linux/s390x x\n", "FROM x y\n", "FROM $NONE\n"})
    void whatItCannotBeginWithIsTold(String text) {
        assertThatThrownBy(() -> Dockerfile.read("Dockerfile", text).beginning(Map.of())).hasMessageStartingWith("Dockerfile:1:");
    }

    @Test
    void aPlaceInALongInstructionIsThatOfItsLine() {
        assertThatThrownBy(() -> plan("FROM x\nENV A=1 \\\n\n    # more\n    2B=3\n")).hasMessageStartingWith("Dockerfile:5:5: 2B is no name");
    }

    @Test
    void valuesDoNotGrowWithoutBound() {
        StringBuilder text = new StringBuilder("FROM x\nENV A=0123456789\n");
        for (int i = 0; i < 40; i++) {
            text.append("ENV A=$A$A\n");
        }
        assertThatThrownBy(() -> plan(text.toString())).hasMessageContaining("a value of more than");
        assertThatThrownBy(() -> plan("FROM x\n" + "RUN true\n".repeat(2000))).hasMessageContaining("more than 1000 instructions");
        assertThatThrownBy(() -> Dockerfile.read("d", "FROM x\n" + "#".repeat(Dockerfile.LONGEST))).hasMessageContaining("characters");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            .        | a/b.txt     | a/b.txt
            a        | a/b.txt     | b.txt
            a/       | a/b.txt     | b.txt
            ./a/b.*  | a/b.txt     | b.txt
            *.txt    | a/b.txt     |
            *        | a/b.txt     | b.txt
            *.txt    | b.txt       | b.txt
            [a-c]?   | b1          | b1
            [^a-c]?  | b1          |
            a/b      | a           |
            a        | ab          |
            """)
    void aSourceMeansFiles(String source, String file, String name) {
        assertThat(Dockerfile.read("d", "FROM x\nCOPY " + source + " /t/\n").takes(file)).isEqualTo(name != null);
        assertThat(copy("COPY " + source + " /t/").sources().getFirst().match(file).map(Source.Match::name).orElse(null)).isEqualTo(name);
    }

    @Test
    void aHostilePatternTakesNoTime() {
        assertThat(Glob.matches("*a".repeat(120) + "b", "a".repeat(250))).isFalse();
        assertThat(Glob.matches("*a".repeat(120), "a".repeat(250))).isTrue();
    }

    /** Each is a short text that would come to gigabytes, or to very many values. */
    @Test
    void aShortTextDoesNotBecomeAHugeOne() {
        String doubled = IntStream.range(0, 15).mapToObj(i -> "ENV A" + (i + 1) + "=$A" + i + "$A" + i + "\n").collect(Collectors.joining());
        String longest = "FROM x\nENV A0=a\n" + doubled + "ENV A=$A14\n";
        assertThat(plan(longest).settings().env()).hasEntrySatisfying("A", value -> assertThat(value).hasSize(1 << 14));
        refused("FROM x\nENV A0=a\n" + doubled + "ENV A=$A15$A15\n", "a value of more than 32768");
        refused(longest + "COPY <<a /a\n" + "$A".repeat(10_000) + "\na\n", "a file of more than 65536");
        refused(longest + "ENV " + IntStream.range(0, 5000).mapToObj(i -> "B" + i + "=$A").collect(Collectors.joining(" ")) + "\n", "more than 1000 variables and arguments, or more than 262144 characters");
        refused(longest + "ARG " + IntStream.range(0, 5000).mapToObj(i -> "B" + i + "=$A").collect(Collectors.joining(" ")) + "\n", "more than 1000 variables and arguments, or more than 262144 characters");
        refused("FROM x\nENV " + IntStream.range(0, 1001).mapToObj(i -> "B" + i + "=").collect(Collectors.joining(" ")) + "\n", "B1000: more than 1000 variables");
        refused(longest + "COPY" + " $A".repeat(15_000) + " /b/\n", "values of more than 1048576 characters together");
        refused(longest + "WORKDIR $A\n".repeat(500), "values of more than 1048576 characters together");
        refused(longest + "LABEL" + IntStream.range(0, 5000).mapToObj(i -> " b" + i + "=$A").collect(Collectors.joining()) + "\n", "values of more than 1048576 characters together");
        refused(longest + "COPY <<a /a\n$A\na\n".repeat(500), "values of more than 1048576 characters together");
        String literal = "x".repeat(Dockerfile.LONGEST - 100) + "\n";
        assertThat(copy("COPY <<a /a\n" + literal + "a\n").inline()).as("what stands there itself may be long").containsEntry("a", literal);
        assertThat(plan("FROM x\n" + "ENV B=0123456789\n".repeat(900)).settings().env()).as("what takes the place of another counts once").containsEntry("B", "0123456789");
    }

    private static void refused(String text, String what) {
        assertThat(text.length()).isLessThan(Dockerfile.LONGEST);
        assertThatThrownBy(() -> plan(text)).isInstanceOfSatisfying(SandglassException.class, problem -> {
            assertThat(problem.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
            assertThat(problem.what()).startsWith("Dockerfile:").contains(what);
        });
    }
}
