package dev.stagesim.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.strings;

import java.io.StringReader;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

class MarkupTest {
    @Test
    void escapesTextAndAttributes() {
        String html = new Markup().leaf("p", "a<b & \"c\"", "title", "'x' > y").build();
        assertThat(html).isEqualTo("<p title=\"&#39;x&#39; &gt; y\">a&lt;b &amp; &quot;c&quot;</p>");
    }

    @Test
    void escapesAnyTextForAParser() {
        qt().forAll(
                        strings().allPossible().ofLengthBetween(0, 40),
                        strings().basicLatinAlphabet().ofLengthBetween(0, 40))
                .checkAssert((wild, plain) -> {
                    Element element = parse(new Markup()
                            .open("a", "b", wild)
                            .text(plain)
                            .shape("c", "d", plain)
                            .text(wild)
                            .close()
                            .build());
                    assertThat(element.getChildNodes().getLength()).isLessThanOrEqualTo(3);
                    assertThat(element.getElementsByTagName("*").getLength()).isOne();
                    assertThat(element.getTextContent())
                            .startsWith(visible(plain))
                            .hasSameSizeAs(visible(plain) + visible(wild));
                });
    }

    @Test
    void replacesIllegalCharacters() {
        assertThat(Markup.escape("a\u0000b\u001bc\ufffed\ud800e")).isEqualTo("a\ufffdb\ufffdc\ufffdd\ufffde");
        assertThat(Markup.escape("\ud83d\ude00\n\t")).isEqualTo("\ud83d\ude00\n\t");
    }

    @Test
    void throwsForInvalidMarkup() {
        assertThatThrownBy(() -> new Markup().open("p").build()).hasMessageContaining("not closed");
        assertThatThrownBy(() -> new Markup().open("p x")).hasMessageContaining("invalid element");
        assertThatThrownBy(() -> new Markup().open("p", "on\"", "x")).hasMessageContaining("invalid element");
        assertThatThrownBy(() -> new Markup().open("p", "alone")).hasMessageContaining("without a value");
    }

    @Test
    void writesVoidElementsWithoutAnEndTag() {
        assertThat(new Markup().open("meta", "charset", "utf-8").build()).isEqualTo("<meta charset=\"utf-8\">");
    }

    /**
     * Returns the text that a parser reads from escaped text. Each replaced character is one character, and line ends
     * follow XML.
     */
    private static String visible(String text) {
        StringBuilder out = new StringBuilder();
        text.codePoints().forEach(c -> {
            boolean control = (c < 0x20 && c != '\t' && c != '\n') || (c >= 0x7F && c < 0xA0);
            boolean illegal = control || (c >= 0xD800 && c < 0xE000) || c == 0xFFFE || c == 0xFFFF;
            out.appendCodePoint(illegal ? 0xFFFD : c);
        });
        return out.toString();
    }

    private static Element parse(String xml) {
        try {
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new InputSource(new StringReader(xml)))
                    .getDocumentElement();
        } catch (Exception e) {
            throw new AssertionError(xml, e);
        }
    }
}
