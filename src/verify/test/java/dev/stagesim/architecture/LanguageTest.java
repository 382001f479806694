package dev.stagesim.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Comments, messages and pages are plain English. Few of them may contain a pattern of {@code language-rules.txt}. */
class LanguageTest {
    /** Maximum share of comments, strings or sentences with a pattern, in percent. */
    private static final double MAX_PERCENT = 6;

    private static final List<Pattern> RULES = rules();
    private static final Pattern PROSE = Pattern.compile("[A-Za-z]{2,} [A-Za-z]{2,} [A-Za-z]{2,}");
    private static final Pattern DECLARED_NAME = Pattern.compile(
            "(?:final|private|public|protected|static|void|int|long|double|boolean|String|var)\\s+[\\w<>\\[\\], ?.@]*?"
                    + "\\b((?:MOST|LEAST|LONGEST|DEEPEST|GREATEST|FEWEST|USUAL|PATIENCE)(?:_\\w+)?|[A-Z0-9]+_AN?_[A-Z0-9_]+"
                    + "|(?:ask|asks|asked|tell|tells|told|say|says|said|hear|hears|heard|mend|mends)(?:[A-Z]\\w*)?)\\s*[=(;]");

    /** Texts of one module or page, and the number with a pattern. */
    private static final class Share {
        private int texts;
        private final List<String> hits = new ArrayList<>();

        private void add(String text) {
            texts++;
            if (RULES.stream().anyMatch(rule -> rule.matcher(text).find())) {
                hits.add(text.length() < 160 ? text : text.substring(0, 160));
            }
        }

        private boolean isTooHigh() {
            return 100.0 * hits.size() > MAX_PERCENT * texts;
        }

        @Override
        public String toString() {
            return "%d of %d: %s".formatted(hits.size(), texts, hits);
        }
    }

    @Test
    void usesPlainEnglishInComments() throws IOException {
        assertPlain(byModule(text -> text.comments().stream().filter(c -> c.length() > 8)));
    }

    @Test
    void usesPlainEnglishInMessages() throws IOException {
        assertPlain(byModule(
                text -> text.strings().stream().filter(s -> PROSE.matcher(s).find())));
    }

    @Test
    void usesPlainEnglishInPages() throws IOException {
        TreeMap<String, Share> pages = new TreeMap<>();
        for (Path page : files(".md", "specs", "README.md")) {
            Share share = pages.computeIfAbsent("pages", name -> new Share());
            boolean fenced = false;
            for (String line : Files.readAllLines(page)) {
                fenced ^= line.startsWith("```");
                if (!fenced && !line.startsWith("```")) {
                    Stream.of(line.split("(?<=[.;:!?])\\s+|\\|"))
                            .filter(sentence -> sentence.matches("(?:.*?[A-Za-z]{2,}\\b){3}.*"))
                            .forEach(share::add);
                }
            }
        }
        assertPlain(pages);
    }

    @Test
    void usesStandardTermsAsNames() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : sources()) {
            DECLARED_NAME
                    .matcher(Files.readString(file))
                    .results()
                    .forEach(name -> found.add(file.getFileName() + " " + name.group(1)));
        }
        assertThat(found).hasSizeLessThan(20);
    }

    private static void assertPlain(TreeMap<String, Share> shares) {
        assertThat(shares.values().stream().mapToInt(share -> share.texts).sum())
                .isGreaterThan(2000);
        assertThat(shares.entrySet())
                .as("more than %.0f %% of the texts have a pattern of language-rules.txt", MAX_PERCENT)
                .filteredOn(entry -> entry.getValue().isTooHigh())
                .isEmpty();
    }

    private static TreeMap<String, Share> byModule(Function<SourceText, Stream<String>> texts) throws IOException {
        TreeMap<String, Share> shares = new TreeMap<>();
        for (Path file : sources()) {
            Share share = shares.computeIfAbsent(
                    Product.HOME.relativize(file).getName(1).toString(), name -> new Share());
            texts.apply(new SourceText(Files.readString(file))).forEach(share::add);
        }
        return shares;
    }

    private static List<Path> files(String ending, String... roots) throws IOException {
        List<Path> found = new ArrayList<>();
        for (String root : roots) {
            try (Stream<Path> all = Files.walk(Product.HOME.resolve(root))) {
                all.filter(file -> file.toString().endsWith(ending)).sorted().forEach(found::add);
            }
        }
        return found;
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>(Product.sources());
        sources.addAll(files(".java", "src/engines", "src/release"));
        return sources;
    }

    private static List<Pattern> rules() {
        try (InputStream in = LanguageTest.class.getResourceAsStream("/language-rules.txt")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> Pattern.compile(line.substring(line.indexOf('\t') + 1)))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
