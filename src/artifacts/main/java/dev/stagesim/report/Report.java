package dev.stagesim.report;

import dev.stagesim.contract.RunConditions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The report of a run: blocks in reading order, rendered as a page ({@code report.html}) and as Markdown ({@code
 * summary.md}).
 *
 * <p>A report starts with its answer. Charts, cards and {@link #detail} sections are only on the page.
 */
public final class Report {
    /** The rating of an answer. */
    public enum Tone {
        PLAIN("", ""),
        GOOD("good", "✓ "),
        WARN("warn", "⚠ "),
        BAD("bad", "✗ ");

        private final String css;
        private final String mark;

        Tone(String css, String mark) {
            this.css = css;
            this.mark = mark;
        }
    }

    private sealed interface Block {}

    private record Prose(String lead, String text, String css) implements Block {}

    private record Item(String text) implements Block {}

    private record Fact(String name, String value) implements Block {}

    private record Finding(String kind, boolean isLikely, String title, List<String> evidence, String advice)
            implements Block {}

    private record Head(String text) implements Block {}

    private record Grid(DataTable table) implements Block {}

    private record Drawings(List<Supplier<Markup>> figures) implements Block {}

    private record Command(String text) implements Block {}

    private record Links(String lead, List<String> files) implements Block {}

    private record Part(Markup markup) implements Block {}

    private record Section(String id, String heading, boolean isDetail, List<Block> blocks) {}

    private final String title;
    private final Markup cards = new Markup();
    private final List<Section> sections = new ArrayList<>();
    private Tone tone = Tone.PLAIN;
    private String answer = "";
    private String footer = "";
    private String style = "";
    private Optional<Explorer> explorer = Optional.empty();
    private boolean hasCharts;

    /** Creates a report. */
    public Report(String title) {
        this.title = title;
        sections.add(new Section("", "", false, new ArrayList<>()));
    }

    /** Sets the first sentence. */
    public Report answer(Tone newTone, String sentence) {
        tone = newTone;
        answer = sentence;
        return this;
    }

    public Report answer(String sentence) {
        return answer(Tone.PLAIN, sentence);
    }

    /** Returns the first sentence, or an empty text. */
    public String answer() {
        return answer;
    }

    /** Adds a metric to the page's cards. */
    public Report card(String name, String figure) {
        return card(name, figure, "");
    }

    /** Adds a metric with its components. */
    public Report card(String name, String figure, String components) {
        return card(name, figure, components, "");
    }

    /** Adds a metric with a link to its file. */
    public Report card(String name, String figure, String components, String link) {
        cards.open("li", "class", "card").leaf("div", name, "class", "name").open("div", "class", "big");
        (link.isEmpty() ? cards.text(figure) : cards.leaf("a", figure, "href", link)).close();
        if (!components.isEmpty()) {
            cards.leaf("div", components, "class", "sides");
        }
        cards.close().line();
        return this;
    }

    /**
     * Starts a section.
     *
     * @param id anchor of the section on the page
     */
    public Report section(String id, String heading) {
        sections.add(new Section(id, heading, false, new ArrayList<>()));
        return this;
    }

    /** Starts a section that is only on the page. */
    public Report detail(String id, String heading) {
        sections.add(new Section(id, heading, true, new ArrayList<>()));
        return this;
    }

    private Report add(Block block) {
        sections.get(sections.size() - 1).blocks().add(block);
        return this;
    }

    /** Adds a paragraph. An empty one is omitted. */
    public Report prose(String text) {
        return text.isEmpty() ? this : add(new Prose("", text, ""));
    }

    /** Adds an introductory paragraph of a section. */
    public Report lead(String text) {
        return add(new Prose("", text, "lead"));
    }

    /** Adds a de-emphasised paragraph. */
    public Report faint(String text) {
        return add(new Prose("", text, "faint"));
    }

    /** Adds a paragraph with a bold lead. It is omitted if the text is empty. */
    public Report prose(String lead, String text) {
        return text.isEmpty() ? this : add(new Prose(lead, text, ""));
    }

    /** Adds the conditions of the result, typically below the verdict. */
    public Report conditions(RunConditions conditions) {
        return prose("Conditions:", conditions.sentence())
                .prose(
                        "Evidence:",
                        conditions.evidence().map(text -> text + ".").orElse(""))
                .prose("Truncated:", String.join(" ", conditions.truncated()))
                .prose("Extrapolated:", listed(conditions.extrapolated()))
                .prose("Not modelled:", listed(conditions.notModelled()));
    }

    private static String listed(List<String> items) {
        return items.isEmpty() ? "" : String.join("; ", items) + ".";
    }

    /** Adds a list item. */
    public Report item(String text) {
        return add(new Item(text));
    }

    public Report items(Collection<String> texts) {
        texts.forEach(this::item);
        return this;
    }

    /** Adds a name and a value. */
    public Report fact(String name, String value) {
        return add(new Fact(name, value));
    }

    /** Adds a finding with its evidence and advice. */
    public Report finding(String kind, boolean isLikely, String what, List<String> evidence, String advice) {
        return add(new Finding(kind, isLikely, what, evidence, advice));
    }

    /** Adds a heading within a section. */
    public Report head(String text) {
        return add(new Head(text));
    }

    public Report table(DataTable table) {
        return add(new Grid(table));
    }

    public Report tables(Collection<DataTable> tables) {
        tables.forEach(this::table);
        return this;
    }

    public Report charts(Chart... charts) {
        return charts(Arrays.asList(charts));
    }

    public Report charts(Collection<Chart> charts) {
        hasCharts |= !charts.isEmpty();
        charts.forEach(chart -> figure(() -> SvgChart.figure(chart)));
        return this;
    }

    /** Adds a drawing in the form of markup. */
    public Report drawing(Markup drawing) {
        return figure(() -> drawing);
    }

    /** Adds a figure. Consecutive figures share a row. */
    private Report figure(Supplier<Markup> figure) {
        List<Block> blocks = sections.get(sections.size() - 1).blocks();
        if (blocks.isEmpty() || !(blocks.get(blocks.size() - 1) instanceof Drawings)) {
            blocks.add(new Drawings(new ArrayList<>()));
        }
        ((Drawings) blocks.get(blocks.size() - 1)).figures().add(figure);
        return this;
    }

    /** Adds a command as a code block. */
    public Report command(String text) {
        return add(new Command(text));
    }

    /** Adds links to files of the run. */
    public Report links(String lead, List<String> files) {
        return add(new Links(lead, files));
    }

    /** Adds the sections of an explorer to the page; at most once per report. */
    public Report explorer(Explorer rows) {
        explorer = Optional.of(rows);
        rows.parts().forEach((heading, part) -> detail(part.id(), heading).add(new Part(part.markup())));
        return this;
    }

    /** Sets the footer line of the page. */
    public Report footer(String text) {
        footer = text;
        return this;
    }

    /** Adds rules to the page's style. */
    public Report style(String css) {
        style = css;
        return this;
    }

    /** Writes the page and the Markdown into a run directory. */
    public void write(Path dir) throws IOException {
        Files.writeString(dir.resolve("report.html"), html(), StandardCharsets.UTF_8);
        summary(dir);
    }

    /** Writes the Markdown into a run directory. */
    public void summary(Path dir) throws IOException {
        Files.writeString(dir.resolve("summary.md"), markdown(), StandardCharsets.UTF_8);
    }

    public String markdown() {
        Markdown out = new Markdown().heading(1, title).paragraph(answer);
        for (Section section : sections) {
            boolean hasText = section.blocks().stream().anyMatch(block -> !(block instanceof Drawings));
            if (section.isDetail() || !hasText) {
                continue;
            }
            if (!section.heading().isEmpty()) {
                out.heading(2, section.heading());
            }
            Class<?> last = Block.class;
            for (Block block : section.blocks()) {
                if (isList(last) && !isList(block.getClass())) {
                    out.endList();
                }
                last = block.getClass();
                markdown(block, out);
            }
            if (isList(last)) {
                out.endList();
            }
        }
        return out.build();
    }

    private static boolean isList(Class<?> type) {
        return type == Item.class || type == Fact.class || type == Finding.class;
    }

    private static void markdown(Block block, Markdown out) {
        if (block instanceof Prose prose) {
            out.paragraph((prose.lead().isEmpty() ? "" : prose.lead() + " ") + prose.text());
        } else if (block instanceof Item item) {
            out.item("", item.text());
        } else if (block instanceof Fact fact) {
            out.item(fact.name() + ":", fact.value());
        } else if (block instanceof Finding finding) {
            out.item(
                    finding.kind() + ":",
                    finding.title() + ". " + String.join(" ", finding.evidence()) + " " + finding.advice());
        } else if (block instanceof Head head) {
            out.heading(3, head.text());
        } else if (block instanceof Grid grid) {
            out.table(grid.table());
        } else if (block instanceof Command command) {
            out.code(command.text());
        } else if (block instanceof Links links) {
            out.links(links.lead(), links.files());
        }
    }

    /** Returns the report as a page. */
    public String html() {
        Markup banner = new Markup().open("div", "class", ("verdict " + tone.css).strip());
        banner.leaf("p", tone.mark + answer, "class", "word");
        blocks(sections.get(0).blocks(), banner);
        banner.close().line();
        if (!cards.isEmpty()) {
            banner.open("ul", "class", "cards").add(cards).close().line();
        }
        Page page = new Page(title, banner).style(style).footer(footer);
        explorer.ifPresent(rows -> rows.equip(page));
        if (hasCharts) {
            page.script(Page.resource("chart.js"));
        }
        for (Section section : sections.subList(1, sections.size())) {
            Markup body = new Markup();
            blocks(section.blocks(), body);
            page.section(section.id(), section.heading(), body);
        }
        return page.html();
    }

    private static void blocks(List<Block> blocks, Markup out) {
        String open = "";
        for (Block block : blocks) {
            String list = block instanceof Item ? "ul" : block instanceof Fact ? "dl" : "";
            if (!list.equals(open)) {
                if (!open.isEmpty()) {
                    out.close();
                }
                if (!list.isEmpty()) {
                    out.open(list);
                }
                open = list;
            }
            html(block, out);
        }
        if (!open.isEmpty()) {
            out.close();
        }
    }

    private static void html(Block block, Markup out) {
        if (block instanceof Prose prose) {
            paragraph(prose, out);
        } else if (block instanceof Item item) {
            out.leaf("li", item.text());
        } else if (block instanceof Fact fact) {
            out.leaf("dt", fact.name()).leaf("dd", fact.value()).line();
        } else if (block instanceof Finding finding) {
            finding(finding, out);
        } else if (block instanceof Head head) {
            out.leaf("h3", head.text());
        } else if (block instanceof Grid grid) {
            out.add(grid.table().html());
        } else if (block instanceof Command command) {
            out.open("pre").leaf("code", command.text()).close();
        } else if (block instanceof Links links) {
            out.open("p").text(links.lead());
            links.files().forEach(file -> out.text(" ").leaf("a", file, "href", file));
            out.close().line();
        } else if (block instanceof Part part) {
            out.add(part.markup());
        } else if (block instanceof Drawings drawings) {
            out.open("div", "class", "figures");
            drawings.figures().forEach(figure -> out.add(figure.get()));
            out.close().line();
        }
    }

    private static void paragraph(Prose prose, Markup out) {
        if (prose.css().isEmpty()) {
            out.open("p");
        } else {
            out.open("p", "class", prose.css());
        }
        if (!prose.lead().isEmpty()) {
            out.leaf("strong", prose.lead() + " ");
        }
        out.text(prose.text()).close().line();
    }

    private static void finding(Finding finding, Markup out) {
        out.open("article", "class", finding.isLikely() ? "finding likely" : "finding");
        out.open("h3")
                .leaf("span", finding.kind(), "class", "tag")
                .text(" " + finding.title())
                .close();
        out.open("ul");
        finding.evidence().forEach(line -> out.leaf("li", line));
        out.close().open("p").leaf("strong", "What to do: ").text(finding.advice());
        out.close().close().line();
    }
}
