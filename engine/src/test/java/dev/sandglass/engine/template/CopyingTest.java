package dev.sandglass.engine.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.CommandSettings;
import dev.sandglass.wire.TemplateFile;
import dev.sandglass.wire.dockerfile.DockerStep;
import dev.sandglass.wire.dockerfile.Dockerfile;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** However often a Dockerfile copies what stands beside it, that is bounded. */
class CopyingTest {
    private static List<TemplateFile> files(int number, int size) {
        return IntStream.range(0, number).mapToObj(i -> new TemplateFile("d/f" + i, "x".repeat(size), null, null, null)).toList();
    }

    private static List<Step.Copy> copied(String instructions, List<TemplateFile> context) {
        Copying copying = new Copying(context);
        CommandSettings nothing = new CommandSettings(null, null, Map.of(), null, null);
        return Dockerfile.read("Dockerfile", "FROM x\n" + instructions).plan(nothing, Map.of()).steps().stream().map(step -> copying.step((DockerStep.Copy) step)).toList();
    }

    @Test
    void aWordMayNotBeRepeatedForEver() {
        assertThat(copied("COPY . /t/\n", files(2000, 1)).getFirst().files()).hasSize(2000);
        assertThatThrownBy(() -> copied("COPY . d /t/\n", files(1001, 1))).hasMessageContaining("Dockerfile:2:1: too much is copied (expected: at most 2000 files here");
        assertThatThrownBy(() -> copied("COPY" + " d/f0".repeat(5000) + " /t/\n", files(1, 1))).hasMessageContaining("at most 2000 files here");
    }

    @Test
    void neitherMayAnInstruction() {
        assertThat(copied("COPY . /t/\n".repeat(10), files(2000, 1))).hasSize(10);
        assertThatThrownBy(() -> copied("COPY . /t/\n".repeat(11), files(2000, 1))).hasMessageContaining("Dockerfile:12:1: too much is copied").hasMessageContaining("20000 files");
        assertThatThrownBy(() -> copied("COPY" + " d/f0".repeat(100) + " /t/\n", files(1, 600_000))).hasMessageContaining("32 MiB");
    }

    @Test
    void theKeyOfTheSameFileCopiedOftenIsShort() {
        Step.Copy often = copied("COPY" + " d/f0".repeat(50) + " /t/\n", files(1, 600_000)).getFirst();
        assertThat(often.content().length()).isLessThan(10_000);
        assertThat(often.key("before")).isNotEqualTo(copied("COPY" + " d/f0".repeat(50) + " /t/\n", files(1, 600_001)).getFirst().key("before"));
    }
}
