package dev.stagesim.bench.engine;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** What a Maven settings file says of where to get files from. */
final class MavenMirror {
    private MavenMirror() {}

    /** The mirror that stands for Maven Central, if the file names one; empty also when it cannot be read. */
    static Optional<String> mirror(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            return Optional.empty();
        }
        try (InputStream in = Files.newInputStream(file)) {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            return mirror(factory.newDocumentBuilder().parse(in));
        } catch (ParserConfigurationException | SAXException unreadable) {
            return Optional.empty();
        }
    }

    private static Optional<String> mirror(Document settings) {
        NodeList mirrors = settings.getElementsByTagName("mirror");
        for (int i = 0; i < mirrors.getLength(); i++) {
            if (mirrors.item(i) instanceof Element mirror && isForCentral(text(mirror, "mirrorOf"))) {
                return Optional.of(text(mirror, "url")).filter(url -> !url.isEmpty());
            }
        }
        return Optional.empty();
    }

    private static boolean isForCentral(String of) {
        return Arrays.stream(of.split(",", -1))
                .map(String::strip)
                .anyMatch(one -> one.equals("*") || one.equals("central") || one.equals("external:*"));
    }

    private static String text(Element in, String name) {
        NodeList found = in.getElementsByTagName(name);
        return found.getLength() == 0 ? "" : found.item(0).getTextContent().strip();
    }
}
