package dev.sandglass.runtime.oci;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SeccompProfileTest {
    @Test
    void noCallIsListedTwice() {
        List<String> names = new ArrayList<>();
        SeccompProfile.container().syscalls().stream()
                .filter(rule -> rule.args().isEmpty())
                .forEach(rule -> names.addAll(rule.names()));
        assertThat(names).doesNotHaveDuplicates().hasSizeGreaterThan(300);
    }

    @Test
    void whatAnArgumentDecidesIsNeverAllowedWithoutIt() {
        List<Spec.Syscalls> plain = SeccompProfile.container().syscalls().stream()
                .filter(rule -> rule.args().isEmpty() && rule.action().equals("SCMP_ACT_ALLOW"))
                .toList();
        assertThat(plain).flatExtracting(Spec.Syscalls::names).doesNotContain("clone", "clone3", "ioctl", "socket", "personality");
    }

    @Test
    void gvisorRefusesAllThatAContainerRefusesBesideWhatItsFirstProcessNeeds() {
        List<String> container = refused(SeccompProfile.container());
        container.removeAll(List.of("mount", "umount2", "sethostname", "clone3"));
        assertThat(refused(SeccompProfile.gvisor(List.of()))).containsAll(container);
    }

    private static List<String> refused(Spec.Seccomp profile) {
        List<String> names = new ArrayList<>();
        profile.syscalls().stream()
                .filter(rule -> rule.action().equals("SCMP_ACT_ERRNO"))
                .forEach(rule -> names.addAll(rule.names()));
        return names;
    }
}
