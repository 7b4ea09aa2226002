package dev.sandglass.network.dns;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;

/** Reads the addresses of a name out of an answer. */
final class Answers {
    private static final long LONGEST_TTL = 300;
    private static final int LONGEST_CHAIN = 16;
    private static final int MOST_ADDRESSES = 64;

    private Answers() {}

    /** Other names that the answer leads to are followed within it, and nothing in it that the name does not lead to is believed. */
    static Resolution read(Message answer) {
        int rcode = answer.getHeader().getRcode();
        if (rcode == Rcode.NXDOMAIN) {
            return new Resolution.NoSuchName();
        }
        if (rcode != Rcode.NOERROR) {
            return new Resolution.Failed(Rcode.string(rcode));
        }
        List<Record> records = answer.getSection(Section.ANSWER);
        Name name = answer.getQuestion().getName();
        long ttl = LONGEST_TTL;
        for (int links = 0; ; links++) {
            Optional<CNAMERecord> link = link(records, name);
            if (link.isEmpty()) {
                return addresses(records, name, ttl);
            }
            if (links == LONGEST_CHAIN) {
                return new Resolution.Failed("a chain of more than " + LONGEST_CHAIN + " names");
            }
            ttl = Math.min(ttl, link.get().getTTL());
            name = link.get().getTarget();
        }
    }

    private static Resolution addresses(List<Record> records, Name name, long ttl) {
        List<Inet4Address> found = new ArrayList<>();
        long shortest = ttl;
        for (Record record : records) {
            if (record instanceof ARecord address && record.getName().equals(name) && found.size() < MOST_ADDRESSES) {
                InetAddress number = address.getAddress();
                if (number instanceof Inet4Address four && !found.contains(four)) {
                    found.add(four);
                    shortest = Math.min(shortest, record.getTTL());
                }
            }
        }
        return found.isEmpty() ? new Resolution.NoAddresses() : new Resolution.Addresses(found, Duration.ofSeconds(Math.max(1, shortest)));
    }

    private static Optional<CNAMERecord> link(List<Record> records, Name name) {
        return records.stream()
                .filter(each -> each.getName().equals(name))
                .filter(CNAMERecord.class::isInstance)
                .map(CNAMERecord.class::cast)
                .findFirst();
    }
}
