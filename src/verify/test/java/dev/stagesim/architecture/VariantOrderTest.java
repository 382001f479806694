package dev.stagesim.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Checks that the order of variants is stated in the source. Without a permits clause the compiler chooses the order. */
class VariantOrderTest {
    private static final Pattern SEALED = Pattern.compile("sealed interface \\w+[^{]*\\{");

    @Test
    void requiresAPermitsClauseOfVariants() throws Exception {
        int found = 0;
        for (Path file : Product.sources()) {
            String source = Files.readString(file);
            Matcher sealed = SEALED.matcher(source);
            while (source.contains("@Variant(") && sealed.find()) {
                assertThat(sealed.group()).as("%s", file).contains(" permits ");
                found++;
            }
        }
        assertThat(found).isGreaterThan(10);
    }
}
