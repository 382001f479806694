package dev.stagesim.config.hocon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.typesafe.config.parser.ConfigDocumentFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The HOCON library accepts every text that the simple check accepts. */
final class PlainSyntaxTest {
    private static final String INSERTED = " \n\t,.=:{}[]()\"\\#/+-*$?!&^`@'%aeE10_~\0é";

    private static List<String> productFiles() throws IOException {
        List<String> texts = new ArrayList<>();
        try (Stream<Path> files = Files.walk(Path.of(System.getProperty("stagesim.home", "."), "configs"))) {
            for (Path file : files.filter(path -> path.toString().endsWith(".conf"))
                    .sorted()
                    .toList()) {
                texts.add(Files.readString(file));
            }
        }
        return texts;
    }

    @Test
    void acceptsMostFilesOfTheProduct() throws IOException {
        List<String> files = productFiles();
        assertThat(files.stream().filter(PlainSyntax::accepts).count()).isGreaterThan(files.size() * 9L / 10);
    }

    @Test
    void acceptsOnlyValidTexts() throws IOException {
        List<String> files = productFiles();
        SplittableRandom random = new SplittableRandom(5);
        int accepted = 0;
        for (int i = 0; i < 20_000; i++) {
            String file = files.get(random.nextInt(files.size()));
            int from = random.nextInt(Math.max(1, file.length() - 120));
            StringBuilder text = new StringBuilder(file.substring(from, Math.min(file.length(), from + 120)));
            text.delete(0, text.indexOf("\n") + 1);
            for (int change = random.nextInt(4); change > 0 && !text.isEmpty(); change--) {
                int place = random.nextInt(text.length());
                if (random.nextBoolean()) {
                    text.deleteCharAt(place);
                } else {
                    text.insert(place, INSERTED.charAt(random.nextInt(INSERTED.length())));
                }
            }
            if (PlainSyntax.accepts(text.toString())) {
                accepted++;
                assertThatCode(() -> ConfigDocumentFactory.parseString(text.toString()))
                        .as(text.toString())
                        .doesNotThrowAnyException();
            }
        }
        assertThat(accepted).isGreaterThan(2000);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "a =",
                "a = [1",
                "a = [1,,2]",
                "a { b = 1",
                "a = 1 }",
                "a = \"x",
                "a = \"\"\"x\"\"\"",
                "a = \"x\" y",
                "a = ${b",
                "a. = 1",
                "include \"b.conf\"",
                "[1]",
                "a = 1\0",
                "a.b.c.d.e.f.g.h.i = 1",
                "a = [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]",
            })
    void leavesOtherTextsToTheLibrary(String text) {
        assertThat(PlainSyntax.accepts(text)).isFalse();
    }
}
