package dev.sandglass.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Settings of the kernel that are raised, and never lowered. */
class KernelCountsTest {
    @TempDir
    Path temporary;

    @Test
    void aSettingIsReadWhole() throws IOException, InterruptedException {
        Path setting = Path.of("/proc/sys/fs/file-max");
        Process cat = new ProcessBuilder("cat", setting.toString()).start();
        String whole = new String(cat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
        assertThat(cat.waitFor()).isZero();
        assertThat(KernelCounts.read(setting)).isEqualTo(whole).hasSizeGreaterThan(1);
    }

    @Test
    void whatIsHigherStays() throws IOException {
        assertThat(raised("9223372036854775807", 1 << 30)).isEqualTo("9223372036854775807");
        assertThat(raised("18446744073709551615", 1 << 30)).isEqualTo("18446744073709551615");
        assertThat(raised("128", 128)).isEqualTo("128");
        assertThat(raised("128", 129)).isEqualTo("129");
    }

    private String raised(String value, long least) throws IOException {
        Path setting = Files.writeString(temporary.resolve("setting"), value + "\n");
        KernelCounts.raise(setting, least);
        return KernelCounts.read(setting);
    }
}
