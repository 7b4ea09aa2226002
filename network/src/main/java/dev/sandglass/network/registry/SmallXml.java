package dev.sandglass.network.registry;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;
import org.xml.sax.helpers.DefaultHandler;

/** Reads XML that defines nothing and refers to nothing outside of itself. */
final class SmallXml {
    private SmallXml() {}

    /** Its outermost element; empty if it is malformed, or has a document type. */
    static Optional<Element> parse(byte[] bytes) {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newDefaultInstance();
            factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            factory.setXIncludeAware(false);
            factory.setExpandEntityReferences(false);
            DocumentBuilder builder = factory.newDocumentBuilder();
            builder.setErrorHandler(new DefaultHandler()); // it throws, and prints nothing
            return Optional.of(builder.parse(new ByteArrayInputStream(bytes)).getDocumentElement());
        } catch (SAXException malformed) {
            return Optional.empty();
        } catch (ParserConfigurationException | IOException problem) {
            throw new IllegalStateException("the JDK reads no XML", problem);
        }
    }

    /** The elements of a name, at any depth. */
    static List<Element> all(Element in, String name) {
        return elements(in.getElementsByTagName(name)).toList();
    }

    /** What an element of a name directly below says; nothing if there is none. */
    static String text(Element in, String name) {
        return elements(in.getChildNodes()).filter(child -> child.getTagName().equals(name)).map(child -> child.getTextContent().strip()).findFirst().orElse("");
    }

    private static Stream<Element> elements(NodeList nodes) {
        return IntStream.range(0, nodes.getLength()).<Node>mapToObj(nodes::item).filter(Element.class::isInstance).map(Element.class::cast);
    }
}
