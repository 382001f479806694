package dev.stagesim.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SourceTextTest {
    @Test
    void separatesCommentsFromStrings() {
        SourceText text = new SourceText(
                """
                /** Returns a value.
                 *
                 * @return not "a string" */
                String f() { // ends here
                    char quote = '"';
                    return "a /* b */ \\" // c" + "d";
                }
                """);
        assertThat(text.comments()).containsExactly("Returns a value. @return not \"a string\"", "ends here");
        assertThat(text.strings()).containsExactly("a /* b */ \\\" // c", "d");
    }
}
