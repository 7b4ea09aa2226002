package dev.sandglass.network.pair;

import dev.sandglass.linux.NetlinkMessage;
import java.util.Arrays;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;

/**
 * What the kernel is told of the filter in the gateway's namespace of a pair, in the language of nf_tables. As {@code nft} shows it:
 *
 * <pre>
 * table ip gateway {
 *   chain arrival {
 *     type filter hook prerouting priority mangle
 *     iifname gw meta l4proto tcp tproxy to :1
 *   }
 *   chain delivery {
 *     type filter hook input priority filter
 *     icmp type echo-request drop
 *   }
 * }
 * </pre>
 */
final class FilterMessages {
    private static final int BEGIN = 16;
    private static final int END = 17;
    private static final int TABLES = 10;
    private static final int NEW_TABLE = TABLES << 8;
    private static final int NEW_CHAIN = TABLES << 8 | 3;
    private static final int NEW_RULE = TABLES << 8 | 6;
    private static final int IP = 2;

    private static final String TABLE = "gateway";
    private static final String ARRIVAL = "arrival";
    private static final String DELIVERY = "delivery";
    private static final int PREROUTING = 0;
    private static final int INPUT = 1;
    private static final int MANGLE = -150;
    private static final int FILTER = 0;

    /** Registers of a rule: that of its verdict, and one for all else. */
    private static final int VERDICT = 0;

    private static final int REGISTER = 1;
    private static final int NAME_BYTES = 16;
    private static final int NAME_OF_DEVICE = 6;
    private static final int PROTOCOL = 16;
    private static final int TCP = 6;
    private static final int ICMP = 1;
    private static final int ECHO_REQUEST = 8;
    private static final int TRANSPORT = 2;
    private static final int DROP = 0;

    private FilterMessages() {}

    static List<NetlinkMessage> all() {
        return List.of(
                mark(BEGIN),
                head(NetlinkMessage.create(NEW_TABLE)).text(1, TABLE),
                chain(ARRIVAL, PREROUTING, MANGLE),
                chain(DELIVERY, INPUT, FILTER),
                rule(ARRIVAL, rule -> {
                    meta(rule, NAME_OF_DEVICE);
                    equal(rule, Arrays.copyOf("gw".getBytes(StandardCharsets.US_ASCII), NAME_BYTES));
                    meta(rule, PROTOCOL);
                    equal(rule, (byte) TCP);
                    expression(rule, "immediate", data -> data.net32(1, REGISTER).nest(2, value -> value.raw(1, (byte) (Pair.EVERY_PORT >> 8), (byte) Pair.EVERY_PORT)));
                    expression(rule, "tproxy", data -> data.net32(1, IP).net32(3, REGISTER));
                }),
                rule(DELIVERY, rule -> {
                    meta(rule, PROTOCOL);
                    equal(rule, (byte) ICMP);
                    expression(rule, "payload", data -> data.net32(1, REGISTER).net32(2, TRANSPORT).net32(3, 0).net32(4, 1));
                    equal(rule, (byte) ECHO_REQUEST);
                    expression(rule, "immediate", data -> data.net32(1, VERDICT).nest(2, value -> value.nest(2, verdict -> verdict.net32(1, DROP))));
                }),
                mark(END));
    }

    private static NetlinkMessage mark(int type) {
        return NetlinkMessage.mark(type).u8(0).u8(0).net16(TABLES);
    }

    private static NetlinkMessage head(NetlinkMessage message) {
        return message.u8(IP).u8(0).net16(0);
    }

    private static NetlinkMessage chain(String name, int hook, int priority) {
        return head(NetlinkMessage.create(NEW_CHAIN)).text(1, TABLE).text(3, name).nest(4, at -> at.net32(1, hook).net32(2, priority)).text(7, "filter");
    }

    private static NetlinkMessage rule(String chain, Consumer<NetlinkMessage> expressions) {
        return head(NetlinkMessage.append(NEW_RULE)).text(1, TABLE).text(2, chain).nest(4, expressions);
    }

    /** Brings a fact of the packet into the register. */
    private static void meta(NetlinkMessage rule, int key) {
        expression(rule, "meta", data -> data.net32(1, REGISTER).net32(2, key));
    }

    /** Goes on if the register has that. */
    private static void equal(NetlinkMessage rule, byte... value) {
        expression(rule, "cmp", data -> data.net32(1, REGISTER).net32(2, 0).nest(3, with -> with.raw(1, value)));
    }

    private static void expression(NetlinkMessage rule, String name, Consumer<NetlinkMessage> data) {
        rule.nest(1, element -> element.text(1, name).nest(2, data));
    }
}
