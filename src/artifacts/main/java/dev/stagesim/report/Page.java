package dev.stagesim.report;

import dev.stagesim.io.gzip.Resources;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One self-contained HTML page: inline style, no external fonts, no network access, and only the product's script,
 * which the content security policy allows by digest.
 *
 * <p>The page supports light and dark mode, phones and print. A skip link and a table of contents lead to the sections.
 */
public final class Page {
    private record Section(String id, String heading, Markup body) {}

    private final String title;
    private final Markup banner;
    private final List<Section> sections = new ArrayList<>();
    private final StringBuilder styles = new StringBuilder();
    private final Map<String, String> data = new LinkedHashMap<>();
    private String script = "";
    private String footer = "";

    /**
     * Creates a page.
     *
     * @param title title of the document and its top heading
     * @param banner content below the heading: the main result
     */
    Page(String title, Markup banner) {
        this.title = title;
        this.banner = banner;
    }

    /**
     * Adds a section.
     *
     * @param id link target, lower-case words with dashes
     */
    Page section(String id, String heading, Markup body) {
        sections.add(new Section(id, heading, body));
        return this;
    }

    /** Sets the footer line. */
    Page footer(String text) {
        this.footer = text;
        return this;
    }

    /** Adds trusted rules to the page's style. */
    Page style(String css) {
        styles.append(css);
        return this;
    }

    /** Adds JSON data for the script, which finds it by id. */
    Page data(String id, String json) {
        // this character could end the script element, even within a string
        data.put(id, json.replace("<", "\\u003c"));
        return this;
    }

    /** Adds trusted code to the page's script. It must not use the network. */
    Page script(String code) {
        script += code;
        return this;
    }

    /** Renders the document. */
    String html() {
        Markup out = new Markup();
        out.open("html", "lang", "en").line().open("head").line();
        out.open("meta", "charset", "utf-8").line();
        out.open("meta", "name", "viewport", "content", "width=device-width, initial-scale=1")
                .line();
        out.open("meta", "name", "color-scheme", "content", "light dark").line();
        out.open("meta", "http-equiv", "Content-Security-Policy", "content", policy())
                .line();
        out.leaf("title", title).line();
        out.open("style")
                .verbatim(resource("page.css"))
                .verbatim(resource("chart.css"))
                .verbatim(styles.toString())
                .close()
                .line();
        out.close().line().open("body").line();
        out.leaf("a", "Skip to the report", "class", "skip", "href", "#report").line();
        out.open("header").leaf("h1", title).line().add(banner).close().line();
        contents(out);
        out.open("main", "id", "report", "tabindex", "-1").line();
        for (Section section : sections) {
            String label = section.id() + "-h";
            out.open("section", "id", section.id(), "aria-labelledby", label);
            out.leaf("h2", section.heading(), "id", label).line();
            out.add(section.body()).close().line();
        }
        out.close().line();
        out.leaf("footer", footer).line();
        data.forEach((id, json) -> out.open("script", "type", "application/json", "id", id)
                .verbatim(json)
                .close()
                .line());
        if (!script.isEmpty()) {
            out.open("script").verbatim(script).close().line();
        }
        return "<!DOCTYPE html>\n" + out.close().line().close().line().build();
    }

    /** Returns the content security policy: only inline content is loaded and run. */
    private String policy() {
        String base = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
        if (script.isEmpty()) {
            return base;
        }
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(script.getBytes(StandardCharsets.UTF_8));
            return base + "; script-src 'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private void contents(Markup out) {
        out.open("nav", "aria-label", "Contents").open("ul");
        for (Section section : sections) {
            out.open("li")
                    .leaf("a", section.heading(), "href", "#" + section.id())
                    .close();
        }
        out.close().close().line();
    }

    /** Reads a text resource of this package. */
    public static String resource(String name) {
        return Resources.text(Page.class, name);
    }
}
