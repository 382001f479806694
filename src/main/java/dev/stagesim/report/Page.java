package dev.stagesim.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * One HTML page that needs nothing but itself: style inside, no script, no font, no network.
 *
 * <p>It reads in light and dark, on a phone and on paper; sections are reached from a skip link and a list of contents.
 */
public final class Page {
    private record Section(String id, String heading, Markup body) {}

    private final String title;
    private final Markup banner;
    private final List<Section> sections = new ArrayList<>();
    private String footer = "";

    /**
     * Starts a page.
     *
     * @param title title of the document and its top heading
     * @param banner what stands under the heading: the answer the page gives
     */
    public Page(String title, Markup banner) {
        this.title = title;
        this.banner = banner;
    }

    /** Adds a section; {@code id} is its link target, lower-case words with dashes. */
    public Page section(String id, String heading, Markup body) {
        sections.add(new Section(id, heading, body));
        return this;
    }

    /** Sets the line at the foot. */
    public Page footer(String text) {
        this.footer = text;
        return this;
    }

    /** Renders the document. */
    public String html() {
        Markup out = new Markup();
        out.open("html", "lang", "en").line().open("head").line();
        out.open("meta", "charset", "utf-8").line();
        out.open("meta", "name", "viewport", "content", "width=device-width, initial-scale=1")
                .line();
        out.open("meta", "name", "color-scheme", "content", "light dark").line();
        out.open(
                        "meta",
                        "http-equiv",
                        "Content-Security-Policy",
                        "content",
                        "default-src 'none'; style-src 'unsafe-inline'; img-src data:")
                .line();
        out.leaf("title", title).line();
        out.open("style")
                .verbatim(resource("page.css"))
                .verbatim(resource("chart.css"))
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
        return "<!DOCTYPE html>\n" + out.close().line().close().line().build();
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

    /** Reads a text file that lies beside this class. */
    public static String resource(String name) {
        try (InputStream in = Page.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("missing resource " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
