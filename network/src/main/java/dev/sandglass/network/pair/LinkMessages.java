package dev.sandglass.network.pair;

import dev.sandglass.linux.NetlinkMessage;
import java.net.InetAddress;

/** What the kernel is told of the link between the two namespaces of a pair: {@code rtnetlink(7)}. */
final class LinkMessages {
    /** The number of every loopback. */
    static final int LOOPBACK = 1;
    /** The number of the link at both of its ends. */
    static final int LINK = 2;

    private static final int NEW_LINK = 16;
    private static final int NEW_ADDRESS = 20;
    private static final int NEW_ROUTE = 24;
    private static final int ANY = 0;
    private static final int INET = 2;
    private static final int UP = 1;
    private static final int PREFIX = 30;

    private static final int LINK_ADDRESS = 1;
    private static final int LINK_NAME = 3;
    private static final int LINK_INFO = 18;
    private static final int LINK_PROCESS = 19;
    private static final int INFO_KIND = 1;
    private static final int INFO_DATA = 2;
    private static final int VETH_PEER = 1;

    private static final int ADDRESS = 1;
    private static final int ADDRESS_LOCAL = 2;

    private static final int ROUTE_DEVICE = 4;
    private static final int ROUTE_GATEWAY = 5;
    private static final int MAIN_TABLE = 254;
    private static final int LOCAL_TABLE = 255;
    private static final int BY_BOOT = 3;
    private static final int EVERYWHERE = 0;
    private static final int ON_THIS_HOST = 254;
    private static final int UNICAST = 1;
    private static final int LOCAL = 2;

    private LinkMessages() {}

    /** @param holder a process in the namespace that gets the other end */
    static NetlinkMessage link(long holder) {
        return head(NetlinkMessage.create(NEW_LINK), LINK, 0)
                .text(LINK_NAME, "gw")
                .raw(LINK_ADDRESS, hardware(1))
                .nest(LINK_INFO, info -> info.text(INFO_KIND, "veth").nest(INFO_DATA, data -> data.nest(VETH_PEER, peer -> head(peer, LINK, 0)
                        .text(LINK_NAME, "eth0")
                        .raw(LINK_ADDRESS, hardware(2))
                        .u32(LINK_PROCESS, (int) holder))));
    }

    private static byte[] hardware(int last) {
        return new byte[] {2, 0, 0, 0, 0, (byte) last};
    }

    static NetlinkMessage up(int link) {
        return head(NetlinkMessage.change(NEW_LINK), link, UP);
    }

    private static NetlinkMessage head(NetlinkMessage message, int link, int flags) {
        return message.u8(ANY).u8(0).net16(0).u32(link).u32(flags).u32(flags);
    }

    static NetlinkMessage address(String address) {
        byte[] bytes = InetAddress.ofLiteral(address).getAddress();
        return NetlinkMessage.create(NEW_ADDRESS).u8(INET).u8(PREFIX).u8(0).u8(0).u32(LINK).raw(ADDRESS_LOCAL, bytes).raw(ADDRESS, bytes);
    }

    /** Every address is one of this namespace. */
    static NetlinkMessage everythingIsHere() {
        return route(LOCAL_TABLE, ON_THIS_HOST, LOCAL).u32(ROUTE_DEVICE, LOOPBACK);
    }

    static NetlinkMessage everythingIsBeyond(String gateway) {
        return route(MAIN_TABLE, EVERYWHERE, UNICAST).raw(ROUTE_GATEWAY, InetAddress.ofLiteral(gateway).getAddress());
    }

    private static NetlinkMessage route(int table, int scope, int type) {
        return NetlinkMessage.create(NEW_ROUTE).u8(INET).u8(0).u8(0).u8(0).u8(table).u8(BY_BOOT).u8(scope).u8(type).u32(0);
    }
}
