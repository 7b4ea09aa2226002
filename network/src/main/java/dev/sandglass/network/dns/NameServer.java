package dev.sandglass.network.dns;

import dev.sandglass.engine.network.HostName;
import java.io.IOException;
import java.net.Inet4Address;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Header;
import org.xbill.DNS.Message;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Opcode;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/**
 * Answers the questions of one sandbox. It asks upstream for the addresses of names that the sandbox may reach, and for nothing else: neither another name nor another
 * type of record can carry anything out. Safe for several threads; a caller may wait for as long as {@link Upstream} does.
 */
public final class NameServer {
    private static final int SMALLEST_DATAGRAM = 512;
    /** Passes through every link in one piece. */
    private static final int LARGEST_DATAGRAM = 1232;

    private static final int DNSSEC_OK = 0x8000;
    private static final int MOST_ADDITIONAL = 8;

    private final Predicate<HostName> isAllowed;
    private final Function<HostName, Resolution> upstream;
    private final Predicate<Inet4Address> isReachable;
    private final Resolved resolved;

    /**
     * One for each sandbox.
     *
     * @param isAllowed asked once for each question about a name, and not at all about what is no name of a host
     * @param upstream says where a name leads, as {@link Upstream} does
     * @param isReachable what it is false for is left out of answers
     * @param resolved is told what the sandbox is told
     */
    public NameServer(Predicate<HostName> isAllowed, Function<HostName, Resolution> upstream, Predicate<Inet4Address> isReachable, Resolved resolved) {
        this.isAllowed = isAllowed;
        this.upstream = upstream;
        this.isReachable = isReachable;
        this.resolved = resolved;
    }

    /** Nothing if the bytes are not even the beginning of a question. */
    public Optional<byte[]> answer(byte[] query, boolean overTcp) {
        Header header;
        try {
            header = new Header(query);
        } catch (IOException | RuntimeException garbage) {
            return Optional.empty();
        }
        if (header.getFlag(Flags.QR)) {
            return Optional.empty();
        }
        return Optional.of(answer(header, query, overTcp));
    }

    private byte[] answer(Header header, byte[] bytes, boolean overTcp) {
        if (header.getOpcode() != Opcode.QUERY) {
            return reply(header, Rcode.NOTIMP).toWire(SMALLEST_DATAGRAM);
        }
        Optional<Message> query = read(header, bytes);
        if (query.isEmpty()) {
            return reply(header, Rcode.FORMERR).toWire(SMALLEST_DATAGRAM);
        }
        Message reply = reply(header, Rcode.NOERROR);
        reply.addRecord(query.get().getQuestion(), Section.QUESTION);
        OPTRecord extension = query.get().getOPT();
        int rcode = extension != null && extension.getVersion() != 0 ? Rcode.BADVERS : answer(query.get().getQuestion(), reply);
        reply.getHeader().setRcode(rcode & 0xf);
        int room = overTcp ? Message.MAXLENGTH : SMALLEST_DATAGRAM;
        if (extension != null) {
            reply.addRecord(new OPTRecord(LARGEST_DATAGRAM, rcode >> 4, 0, extension.getFlags() & DNSSEC_OK), Section.ADDITIONAL);
            room = overTcp ? room : Math.clamp(extension.getPayloadSize(), SMALLEST_DATAGRAM, LARGEST_DATAGRAM);
        }
        return reply.toWire(room);
    }

    /** The header is looked at first: the counts in it say how much there is to read, and nobody has asked a question with answers in it. */
    private static Optional<Message> read(Header header, byte[] bytes) {
        boolean isQuestion = header.getCount(Section.QUESTION) == 1
                && header.getCount(Section.ANSWER) == 0
                && header.getCount(Section.AUTHORITY) == 0
                && header.getCount(Section.ADDITIONAL) <= MOST_ADDITIONAL
                && !header.getFlag(Flags.TC);
        if (!isQuestion) {
            return Optional.empty();
        }
        try {
            Message query = new Message(bytes);
            long extensions = query.getSection(Section.ADDITIONAL).stream().filter(OPTRecord.class::isInstance).count();
            return extensions > 1 ? Optional.empty() : Optional.of(query);
        } catch (IOException | RuntimeException garbage) {
            return Optional.empty();
        }
    }

    private static Message reply(Header query, int rcode) {
        Message reply = new Message(query.getID());
        Header header = reply.getHeader();
        header.setFlag(Flags.QR);
        header.setFlag(Flags.RA);
        for (byte copied : new byte[] {Flags.RD, Flags.CD}) {
            if (query.getFlag(copied)) {
                header.setFlag(copied);
            }
        }
        header.setOpcode(query.getOpcode());
        header.setRcode(rcode);
        return reply;
    }

    /** Adds the records and returns the code. A name with anything unusual in it is written with a backslash there, which is in no name of a host. */
    private int answer(Record question, Message reply) {
        Optional<HostName> name = question.getDClass() == DClass.IN ? HostName.parse(question.getName().toString()) : Optional.empty();
        if (name.isEmpty() || !isAllowed.test(name.get())) {
            return Rcode.REFUSED;
        }
        if (question.getType() != Type.A) {
            return Rcode.NOERROR;
        }
        return switch (upstream.apply(name.get())) {
            case Resolution.Addresses addresses -> add(addresses, name.get(), question, reply);
            case Resolution.NoSuchName _ -> Rcode.NXDOMAIN;
            case Resolution.NoAddresses _ -> Rcode.NOERROR;
            case Resolution.Failed _ -> Rcode.SERVFAIL;
        };
    }

    private int add(Resolution.Addresses answer, HostName name, Record question, Message reply) {
        List<Inet4Address> reachable = answer.addresses().stream().filter(isReachable).toList();
        resolved.remember(name, reachable, answer.ttl());
        for (Inet4Address address : reachable) {
            reply.addRecord(new ARecord(question.getName(), DClass.IN, answer.ttl().toSeconds(), address), Section.ANSWER);
        }
        return Rcode.NOERROR;
    }
}
