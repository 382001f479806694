package dev.stagesim.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.cli.TableTool;
import dev.stagesim.cli.TableTool.Format;
import dev.stagesim.cli.TableTool.NamedTable;
import dev.stagesim.cli.TableTool.Query;
import dev.stagesim.cli.TableTool.Summary;
import dev.stagesim.io.csv.TableFile;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TableAnswersTest {
    private static final String HEADER = "id,kind,ns,share";

    private final Path dir =
            Jimfs.newFileSystem(Configuration.unix()).getPath("/work/tmp/vidur_sim/vidur_sim-0123456789");

    @BeforeEach
    void folder() throws IOException {
        Files.createDirectories(dir);
    }

    private void table(String name, String... lines) throws IOException {
        Files.write(dir.resolve(name + ".csv"), List.of(lines));
    }

    /** Writes random rows, with some empty cells and some quoted texts. */
    private List<String[]> random(long seed, int rows) throws IOException {
        Random random = new Random(seed);
        String[] kinds = {"a", "b", "c|d", "quoted, \"text\"", ""};
        List<String[]> cells = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
            cells.add(new String[] {
                String.valueOf(i),
                kinds[random.nextInt(kinds.length)],
                random.nextInt(9) == 0 ? "" : String.valueOf(random.nextInt(50)),
                random.nextInt(9) == 0 ? "" : String.valueOf(random.nextInt(1000) / 8.0)
            });
        }
        List<String> lines = new ArrayList<>(List.of(HEADER));
        for (String[] row : cells) {
            lines.add(java.util.Arrays.stream(row)
                    .map(cell -> cell.contains("\"") ? '"' + cell.replace("\"", "\"\"") + '"' : cell)
                    .collect(Collectors.joining(",")));
        }
        table("t", lines.toArray(String[]::new));
        return cells;
    }

    private Query query(List<String> where, List<String> sort, List<String> columns, long limit, Format format) {
        return new Query(dir, "t", Optional.empty(), where, Summary.NONE, sort, columns, limit, format);
    }

    private static String answer(Query query) throws IOException {
        StringBuilder out = new StringBuilder();
        new TableAnswers().answer(query, out);
        return out.toString();
    }

    @Test
    void writesTheSameRowsToParquetAndCsv() throws IOException {
        random(5, 300);
        Path packed = dir.resolve("answer.parquet");
        List<String> where = List.of("ns>10");
        new TableAnswers().pack(query(where, List.of(), List.of(), -1, Format.PARQUET), packed);
        String text = answer(query(where, List.of(), List.of(), -1, Format.CSV));
        try (var in = TableFile.raw(packed)) {
            assertThat(in).hasContent(text);
        }
        assertThat(new TableAnswers().tables(dir)).containsExactly("answer", "t");
        Files.move(packed, packed.resolveSibling("t.parquet"));
        Files.delete(dir.resolve("t.csv"));
        assertThat(answer(query(where, List.of(), List.of(), -1, Format.CSV))).isEqualTo(text);
        assertThat(answer(query(where, List.of("id"), List.of(), -1, Format.CSV)))
                .isEqualTo(text);
    }

    @Test
    void calculatesTheMedianByEitherName() throws IOException {
        table("t", "kind,ns", "a,1", "a,3", "a,8");
        Summary summary = new Summary(List.of("kind"), List.of("p50(ns)", "median(ns)"), List.of(), false);
        assertThat(answer(new Query(
                        dir, "t", Optional.empty(), List.of(), summary, List.of(), List.of(), -1, Format.CSV)))
                .startsWith("kind,")
                .endsWith("\na,3.0,3.0\n");
    }

    @Test
    void keepsTheCommaWhenTheFirstCellIsEmpty() throws IOException {
        table("t", "id,kind,ns", "1,,30");
        assertThat(answer(query(List.of(), List.of(), List.of("kind", "ns"), -1, Format.CSV)))
                .isEqualTo("kind,ns\n,30\n");
    }

    /** Sorting by the id keeps the order of the file, but uses the code path through Tablesaw. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void streamsTheSameRowsAsTablesaw(long seed) throws IOException {
        Random random = new Random(seed);
        random(seed, random.nextInt(200));
        List<List<String>> conditions = List.of(
                List.of(),
                List.of("ns>20"),
                List.of("ns<=" + random.nextInt(50), "kind!=a"),
                List.of("kind~^[ab]"),
                List.of("share="),
                List.of("kind>=b", "share<60.5"));
        for (List<String> where : conditions) {
            for (Format format : Format.values()) {
                List<String> columns = random.nextBoolean() ? List.of() : List.of("share", "id", "kind");
                long limit = random.nextInt(3) == 0 ? random.nextInt(20) : -1;
                assertThat(answer(query(where, List.of("id"), columns, limit, format)))
                        .as("%s %s", where, format)
                        .isEqualTo(answer(query(where, List.of(), columns, limit, format)));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void matchesASimpleCountWhenGrouping(long seed) throws IOException {
        List<String[]> rows = random(seed, 300);
        Map<String, List<Long>> expected = new TreeMap<>();
        for (String[] row : rows) {
            List<Long> values = expected.computeIfAbsent(row[1], none -> new ArrayList<>());
            values.add(row[2].isEmpty() ? -1 : Long.parseLong(row[2]));
        }
        Query query = new Query(
                dir,
                "t",
                Optional.empty(),
                List.of(),
                new Summary(List.of("kind"), List.of("count", "sum(ns)", "max(ns)"), List.of(), false),
                List.of("kind"),
                List.of("count", "sum(ns)", "max(ns)"),
                -1,
                Format.CSV);
        String lines = expected.values().stream()
                .map(values -> values.size() + ","
                        + values.stream().filter(v -> v >= 0).mapToLong(v -> v).sum() + ".0,"
                        + values.stream().mapToLong(v -> v).max().orElseThrow() + ".0\n")
                .collect(Collectors.joining());
        assertThat(answer(query)).isEqualTo("count,sum(ns),max(ns)\n" + lines);
    }

    @Test
    void joinsPivotsAndDescribesTables() throws IOException {
        table("t", "id,kind,ns", "1,a,10", "2,b,20", "3,a,30");
        table("u", "id,ns,more", "3,300,x", "1,100,y");
        Query all = query(List.of("ns_2>=100"), List.of("id"), List.of(), -1, Format.CSV);
        assertThat(answer(new Query(
                        dir,
                        "t",
                        Optional.of(new TableTool.Join(dir, "u", List.of("id"))),
                        all.where(),
                        Summary.NONE,
                        all.sort(),
                        List.of(),
                        -1,
                        Format.CSV)))
                .isEqualTo("id,kind,ns,ns_2,more\n1,a,10,100,y\n3,a,30,300,x\n");
        assertThat(answer(shaped(List.of("id", "kind", "sum(ns)"), false)))
                .isEqualTo("id,a,b\n1,10.0,\n2,,20.0\n3,30.0,\n");
        assertThat(answer(shaped(List.of(), true)))
                .startsWith("column,count,mean,std,min,median,p90,p99,max\n")
                .contains("\nns,3,20.0,10.0,10.0,20.0,", "\nkind,3,,,,,,,\n");
    }

    private Query shaped(List<String> pivot, boolean describe) {
        return new Query(
                dir,
                "t",
                Optional.empty(),
                List.of(),
                new Summary(List.of(), List.of(), pivot, describe),
                List.of(),
                List.of(),
                -1,
                Format.CSV);
    }

    @Test
    void namesTheAvailableColumnsWhenANameIsWrong() throws IOException {
        table("t", "id,kind", "1,a");
        for (List<String> where : List.of(List.of("kinds=a"), List.of("id"), List.of("id=x"), List.of("kind~("))) {
            assertThatThrownBy(() -> answer(query(where, List.of(), List.of(), -1, Format.TEXT)))
                    .isInstanceOf(StageException.class);
        }
        assertThatThrownBy(() -> Runs.open(dir).table("tt"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("there is no table 'tt'");
        assertThatThrownBy(() -> Runs.open(dir.resolve("none"))).isInstanceOf(StageException.class);
    }

    /** A part of a table's name and the name of a column select the only table that matches. */
    @Test
    void findsTablesByAPartOfTheNameOrByAColumn() throws IOException {
        table("plan_answer", "role,tp", "whole,2");
        table("plan_candidates", "status,tp", "winner,2");
        Runs runs = Runs.open(dir);
        assertThat(runs.find("plan_answer.csv")).isEqualTo(new NamedTable("plan_answer", Optional.empty()));
        assertThat(runs.find("candidates")).isEqualTo(new NamedTable("plan_candidates", Optional.empty()));
        assertThat(runs.find("role")).isEqualTo(new NamedTable("plan_answer", Optional.of("role")));
        assertThatThrownBy(() -> runs.find("tp"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("stage table RUN plan_answer --columns tp");
        assertThatThrownBy(() -> runs.find("plan"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("there is no table 'plan'");
    }

    @Test
    void writesATypedTableForOtherPrograms() throws IOException {
        random(5, 40);
        assertThat(Runs.open(dir).tables()).containsExactly("t");
        assertThat(Runs.open(dir).table("t").longColumn("id").sum()).isEqualTo(780);
    }
}
