package dev.sandglass.network.dns;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** What a resolver of a test knows: the answer to each question is all of it, truncated over UDP as a real one would. */
record Zone(List<String> lines) implements PlayedResolver.Part {
    Zone(String... lines) {
        this(List.of(lines));
    }

    @Override
    public List<Message> answer(Message query, boolean overTcp) {
        List<Record> records = records();
        boolean isKnown = records.stream().anyMatch(each -> each.getName().equals(query.getQuestion().getName()));
        Message answer = PlayedResolver.answer(query, isKnown ? Rcode.NOERROR : Rcode.NXDOMAIN, isKnown ? records : List.of());
        if (!overTcp && answer.toWire().length > 512) {
            answer.removeAllRecords(Section.ANSWER);
            answer.getHeader().setFlag(Flags.TC);
        }
        return List.of(answer);
    }

    /** Each line as {@code name ttl type value}. */
    List<Record> records() {
        List<Record> records = new ArrayList<>();
        for (String line : lines) {
            String[] words = line.split(" ", 4);
            try {
                Name name = Name.fromString(words[0] + ".");
                records.add(Record.fromString(name, Type.value(words[2]), DClass.IN, Long.parseLong(words[1]), words[3], Name.root));
            } catch (IOException wrong) {
                throw new UncheckedIOException(wrong);
            }
        }
        return records;
    }
}
