package dev.stagesim.reference;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Phrases that a native engineer would not write, each with what to write instead. */
class WordsTest {
    private record Phrase(String banned, String instead) {}

    private static final List<Phrase> PHRASES = List.of(
            new Phrase("held against", "compared with"),
            new Phrase("is your word", "cannot be checked"),
            new Phrase("halves up", "rounded half up"),
            new Phrase("would never finish", "deadlock"),
            new Phrase("a whole number from", "an integer >="),
            new Phrase("no other beats", "Pareto-optimal"),
            new Phrase("most at a time", "peak"),
            new Phrase("however rudely", "resumes"),
            new Phrase("goes on where it stopped", "resumes"),
            new Phrase("That is a wish", "This is a preference"),
            new Phrase("What became of", "outcome"),
            new Phrase("the run is there already", "a result exists"),
            new Phrase("no part of the product", "not bundled"),
            new Phrase("To know before using it", "Caveats"),
            new Phrase("meet no other", "uncontended"),
            new Phrase("given up after one seed", "pruned after one seed"),
            new Phrase("hold KV cache at a time", "concurrent sequences"),
            new Phrase("so many chunks", "this many chunks"),
            new Phrase("until told to", "until"),
            new Phrase("holds what it must", "meets the SLO"),
            new Phrase("Lets happen", "advances"),
            new Phrase("unexpected the end", "the text ends here"),
            new Phrase("@Key(\"Most ", "Maximum"),
            new Phrase("@Key(\"Greatest ", "Maximum"),
            new Phrase("@Key(\"Least ", "Minimum"),
            new Phrase("@Key(\"Fewest ", "Minimum"),
            new Phrase("is let be", "is tolerated"),
            new Phrase("cannot stand beside", "cannot be combined with"),
            new Phrase("goes on from there", "resumes from there"),
            new Phrase("drawn anew", "drawn again"),
            new Phrase("does not heed", "ignores"),
            new Phrase("is to have of it", "target"),
            new Phrase("so long after", "this long after"),
            new Phrase("told by their", "recognised by their"));

    @Test
    void noTextHasABannedPhrase() throws IOException {
        List<String> found = new ArrayList<>();
        int files = 0;
        for (String root : List.of("src/main", "src/table", "src/features", "configs", "specs", "README.md")) {
            try (Stream<Path> all = Files.walk(ReferencePage.HOME.resolve(root))) {
                for (Path file : all.filter(WordsTest::isText).toList()) {
                    files++;
                    String text = Files.readString(file);
                    PHRASES.stream()
                            .filter(phrase -> text.contains(phrase.banned()))
                            .forEach(phrase -> found.add(ReferencePage.HOME.relativize(file) + ": '" + phrase.banned()
                                    + "', write '" + phrase.instead() + "'"));
                }
            }
        }
        assertThat(files).isGreaterThan(1000);
        assertThat(found).isEmpty();
    }

    private static boolean isText(Path file) {
        return file.toString().matches(".*\\.(java|conf|md|js|css)");
    }
}
