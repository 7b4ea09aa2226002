package dev.sandglass.engine.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReservedAddressesTest {
    private static final ReservedAddresses RESERVED = new ReservedAddresses(Set::of, List.of());

    @ParameterizedTest
    @CsvSource({
        "0.0.0.0,this network", "0.255.255.255,this network",
        "10.0.0.0,private", "10.255.255.255,private", "172.16.0.0,private", "172.31.255.255,private", "192.168.0.0,private", "192.168.255.255,private",
        "100.64.0.0,shared by a provider", "100.127.255.255,shared by a provider",
        "127.0.0.1,loopback", "127.255.255.255,loopback",
        "169.254.0.0,link-local", "169.254.255.255,link-local",
        "169.254.169.254,metadata", "168.63.129.16,metadata", "100.100.100.200,metadata", "192.0.0.192,metadata",
        "192.0.0.0,protocol assignments", "192.0.0.255,protocol assignments",
        "192.88.99.0,relay to IPv6", "192.88.99.255,relay to IPv6",
        "198.18.0.0,benchmarking", "198.19.255.255,benchmarking",
        "224.0.0.0,multicast", "239.255.255.255,multicast",
        "240.0.0.0,future use", "255.255.255.254,future use", "255.255.255.255,broadcast",
    })
    void areClosedWithAReason(String address, String reason) {
        assertThat(RESERVED.reason(Cidr.of(address(address)))).contains(reason);
        assertThat(RESERVED.reason(address(address))).contains(reason);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
        "191.255.255.255", "192.0.1.0", "192.0.1.255", "192.0.3.0", "192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255",
        "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "168.63.129.15", "168.63.129.17", "8.8.8.8", "192.0.2.1", "198.51.100.1", "203.0.113.1"
    })
    void leaveTheirNeighboursToThePolicy(String address) {
        assertThat(RESERVED.reason(address(address))).isEmpty();
    }

    @Test
    void includeTheHostsOwnAsTheyAreNow() {
        AtomicReference<Set<InetAddress>> own = new AtomicReference<>(Set.of(address("8.8.8.8")));
        ReservedAddresses reserved = new ReservedAddresses(own::get, List.of(Cidr.parse("10.0.0.0/8")));
        assertThat(reserved.reason(address("8.8.8.8"))).contains("the host's own");
        assertThat(reserved.reason(address("203.0.113.1"))).isEmpty();
        own.set(Set.of(address("203.0.113.1")));
        assertThat(reserved.reason(address("8.8.8.8"))).isEmpty();
        assertThat(reserved.reason(address("203.0.113.1"))).contains("the host's own");
    }

    @Test
    void includeAllThatIsNotOfVersionFour() throws UnknownHostException {
        byte[] mapped = new byte[16];
        mapped[10] = -1;
        mapped[11] = -1;
        mapped[12] = 8;
        mapped[15] = 8;
        assertThat(RESERVED.reason(Inet6Address.getByAddress(null, mapped, -1))).as("a mapped address").contains("not IPv4");
        byte[] global = new byte[16];
        global[0] = 0x20;
        global[15] = 1;
        assertThat(RESERVED.reason(InetAddress.getByAddress(global))).contains("not IPv4");
        mapped[12] = 127;
        assertThat(RESERVED.reason(InetAddress.getByAddress(mapped))).as("what the JDK turns into one of version four").contains("loopback");
    }

    @Test
    void aNetworkIsClosedIfAllOfItIs() {
        ReservedAddresses some = new ReservedAddresses(Set::of, List.of(Cidr.parse("10.20.0.0/16")));
        assertThat(some.reason(Cidr.parse("127.0.0.0/8"))).contains("loopback");
        assertThat(some.reason(Cidr.parse("10.21.0.0/16"))).contains("private");
        assertThat(some.reason(Cidr.parse("10.20.1.0/24"))).as("opened").isEmpty();
        assertThat(some.reason(Cidr.parse("10.0.0.0/8"))).as("some of it is opened").isEmpty();
        assertThat(some.reason(Cidr.parse("0.0.0.0/0"))).isEmpty();
    }

    private static Inet4Address address(String text) {
        return DottedQuad.parse(text).orElseThrow();
    }
}
