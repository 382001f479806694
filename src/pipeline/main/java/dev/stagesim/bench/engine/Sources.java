package dev.stagesim.bench.engine;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** Selects the repositories for downloads, in order of preference. */
final class Sources {
    /** Environment variable with the address of a repository. */
    static final String VARIABLE = "STAGESIM_MAVEN_REPOSITORY";

    private static final String CENTRAL = "https://repo.maven.apache.org/maven2";

    private Sources() {}

    /**
     * Returns the named repository; by default the user's local Maven repository, and then the mirror in the user's Maven settings
     * or Maven Central.
     *
     * @param named address or directory of a repository, or empty for the default
     * @param user the user's {@code .m2} directory
     */
    static List<EngineRepository> of(Optional<String> named, Path user) throws IOException {
        if (named.isPresent()) {
            return List.of(of(named.get()));
        }
        List<EngineRepository> all = new ArrayList<>();
        Path local = user.resolve("repository");
        if (Files.isDirectory(local)) {
            all.add(new FolderRepository(local));
        }
        all.add(of(MavenMirror.mirror(user.resolve("settings.xml")).orElse(CENTRAL)));
        return all;
    }

    private static EngineRepository of(String location) {
        if (location.startsWith("http://") || location.startsWith("https://")) {
            return new WebRepository(URI.create(location));
        }
        Path folder = location.startsWith("file:") ? Path.of(URI.create(location)) : Path.of(location);
        if (!Files.isDirectory(folder)) {
            throw StageException.input(
                    Problem.of("usage error", location, "is neither an http or https address nor a directory"));
        }
        return new FolderRepository(folder);
    }

    /** A repository in a directory, such as a local Maven repository or a copy for machines without a network. */
    private record FolderRepository(Path root) implements EngineRepository {
        @Override
        public void fetch(String path, Path part, Listener listener) throws IOException {
            Path file = root.resolve(path);
            if (!Files.isRegularFile(file)) {
                throw new NoSuchFileException(file.toString());
            }
            Files.copy(file, part, StandardCopyOption.REPLACE_EXISTING);
            listener.have(Files.size(part));
        }

        @Override
        public String location() {
            return root.toString();
        }
    }

    /** Reads the mirror from a Maven settings file. */
    static final class MavenMirror {
        private MavenMirror() {}

        /** Returns the mirror of Maven Central, or empty if the file has none or cannot be read. */
        static Optional<String> mirror(Path file) throws IOException {
            if (!Files.isRegularFile(file)) {
                return Optional.empty();
            }
            try (InputStream in = InputFile.raw(file)) {
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
}
