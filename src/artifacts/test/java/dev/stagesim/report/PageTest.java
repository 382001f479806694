package dev.stagesim.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class PageTest {
    private final String html = new Page("A <title>", new Markup().leaf("p", "answer"))
            .section("one", "First", new Markup().leaf("p", "body"))
            .section("two", "Second", new Markup())
            .footer("end & out")
            .html();

    @Test
    void isOneFileWithoutScriptOrNetwork() {
        assertThat(html)
                .startsWith("<!DOCTYPE html>\n<html lang=\"en\">")
                .doesNotContain("<script", "http://", "https://", "@import", "url(", " src=")
                .contains("default-src 'none'".replace("'", "&#39;"))
                .endsWith("</html>\n");
    }

    @Test
    void startsWithTheResultAndSupportsTheKeyboard() {
        assertThat(html)
                .contains("<a class=\"skip\" href=\"#report\">")
                .contains("<main id=\"report\" tabindex=\"-1\">")
                .contains("<nav aria-label=\"Contents\">")
                .contains("<title>A &lt;title&gt;</title>")
                .contains("end &amp; out");
        assertThat(html.indexOf("answer")).isLessThan(html.indexOf("<nav"));
    }

    @Test
    void resolvesEveryLink() {
        Matcher links = Pattern.compile("href=\"#([^\"]+)\"").matcher(html);
        int count = 0;
        while (links.find()) {
            assertThat(html).contains("id=\"" + links.group(1) + "\"");
            count++;
        }
        assertThat(count).isEqualTo(3);
    }

    @Test
    void supportsTheDarkThemeAndPrinting() {
        assertThat(html)
                .contains("prefers-color-scheme: dark")
                .contains("@media print")
                .contains("width=device-width")
                .contains(":focus-visible");
    }

    @Test
    void usesSufficientContrast() {
        for (String theme : new String[] {
            "#ffffff #1b2129",
            "#ffffff #4b5563",
            "#ffffff #626b78",
            "#f5f6f8 #626b78",
            "#ffffff #1d5fa8",
            "#fbeae8 #a3261b",
            "#fdf3dc #7a5200",
            "#14181d #e8ebef",
            "#14181d #98a3b0",
            "#1c2229 #98a3b0",
            "#14181d #8bbcf2",
            "#331a18 #f3a199",
            "#2d2412 #e9c36c",
            "#14181d #7fb6f2",
            "#14181d #f2a566",
            "#ffffff #b4520d"
        }) {
            String[] colours = theme.split(" ");
            assertThat(html).contains(colours);
            assertThat(contrast(colours[0], colours[1])).as(theme).isGreaterThan(4.5);
        }
    }

    /** Returns the contrast ratio of the Web Content Accessibility Guidelines. */
    private static double contrast(String a, String b) {
        double x = luminance(a);
        double y = luminance(b);
        return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
    }

    private static double luminance(String colour) {
        double[] weights = {0.2126, 0.7152, 0.0722};
        double sum = 0;
        for (int i = 0; i < 3; i++) {
            double c = Integer.parseInt(colour.substring(1 + 2 * i, 3 + 2 * i), 16) / 255.0;
            sum += weights[i] * (c <= 0.03928 ? c / 12.92 : Math.pow((c + 0.055) / 1.055, 2.4));
        }
        return sum;
    }

    @Test
    void reportsRowsThatAnExplorerOmits() {
        Explorer rows = new Explorer("job", List.of(), List.of(), List.of());
        for (int i = 0; i < Explorer.MAX_ROWS; i++) {
            rows.row(i, Map.of(), List.of(), Map.of());
        }
        assertThat(new Report("Sweep").explorer(rows).html()).doesNotContain("rows are shown");
        rows.row(Explorer.MAX_ROWS, Map.of(), List.of(), Map.of());
        assertThat(new Report("Sweep").explorer(rows).html()).contains("The first 5,000 of 5,001 rows are shown");
    }
}
