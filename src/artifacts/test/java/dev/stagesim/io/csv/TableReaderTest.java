package dev.stagesim.io.csv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.contract.Column;
import dev.stagesim.contract.RowInvariant;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.contract.Tables;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TableReaderTest {
    private static final TableSchema SCHEMA = new TableSchema(
            "t.csv",
            1,
            "Test table.",
            List.of(
                    Column.int64("id", "", "Id.").atLeast(0),
                    Column.float64("x", "ms", "Number.").orEmpty(),
                    Column.string("kind", "Kind.").oneOf(List.of("alpha", "beta")),
                    Column.bool("flag", "Flag.").optional()),
            List.of(new RowInvariant.Increasing("id")));

    private final Path dir = Jimfs.newFileSystem(Configuration.unix()).getPath("/");

    private Path file(String text) throws IOException {
        return Files.writeString(dir.resolve("t.csv"), text);
    }

    private TableReader open(String text) throws IOException {
        return TableReader.open(file(text), SCHEMA);
    }

    private static List<String> problems(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        StageException error = catchThrowableOfType(StageException.class, call);
        assertThat(error.kind()).isEqualTo(StageException.Kind.INPUT);
        return error.problems().stream().map(p -> p.render()).toList();
    }

    @Test
    void readsColumnsInAnyOrder() throws IOException {
        try (TableReader in = open("\ufeffflag,kind,x,id\r\ntrue,\"alpha\",,1\r\n\r\nfalse,beta,-1.5e-3,2")) {
            assertThat(in.header()).containsExactly("flag", "kind", "x", "id");
            assertThat(in.next()).isTrue();
            assertThat(in.stringAt(0)).isEqualTo("true");
            assertThat(in.stringAt(in.column("kind"))).isEqualTo("alpha");
            assertThat(in.isEmpty(2)).isTrue();
            assertThat(in.longAt(in.column("id"))).isEqualTo(1);
            assertThatThrownBy(() -> in.doubleAt(2)).isInstanceOf(IllegalStateException.class);
            assertThat(in.next()).isTrue();
            assertThat(in.where()).isEqualTo("/t.csv:4");
            assertThat(in.doubleAt(2)).isEqualTo(-0.0015);
            assertThat(in.stringAt(0)).isEqualTo("false");
            assertThat(in.next()).isFalse();
        }
    }

    @Test
    void returnsEmptyValuesForAbsentOptionalColumns() throws IOException {
        try (TableReader in = open("id,x,kind\n1,2,alpha\n")) {
            assertThat(in.next()).isTrue();
            assertThat(in.column("flag")).isEqualTo(-1);
            assertThat(in.isEmpty(in.column("flag"))).isTrue();
            assertThat(in.doubleAt(1)).isEqualTo(2.0);
        }
    }

    @Test
    void reportsAllHeaderProblems() {
        assertThat(problems(() -> open("id,y,kindd,id\n")))
                .satisfiesExactlyInAnyOrder(
                        p -> assertThat(p).startsWith("artifact error: /t.csv:1: unknown column 'y'"),
                        p -> assertThat(p).contains("unknown column 'kindd'").contains("did you mean  kind"),
                        p -> assertThat(p).contains("column 'id' appears twice"),
                        p -> assertThat(p).contains("column 'x' (ms) is missing"),
                        p -> assertThat(p).contains("column 'kind' is missing").contains("id,x,kind,flag"));
        assertThat(problems(() -> open(""))).singleElement().asString().contains("the file is empty");
        assertThat(problems(() -> TableReader.open(dir.resolve("none.csv"), SCHEMA)))
                .singleElement()
                .asString()
                .contains("does not exist");
    }

    @Test
    void reportsBrokenCellsWithPlaceAndExpectation() throws IOException {
        try (TableReader in = open("id,x,kind\n1,1,alpha\n-2,abc,alpah\n,NaN,beta\n3.0,1\n4,1e999,beta\n")) {
            assertThat(in.next()).isTrue();
            assertThat(problems(in::next))
                    .satisfiesExactly(
                            p -> assertThat(p)
                                    .isEqualTo(
                                            "artifact error: /t.csv:3: column id: found '-2', expected an integer of at least 0"),
                            p -> assertThat(p).contains("column x: found 'abc', expected a finite number (ms)"),
                            p -> assertThat(p).contains("alpha, beta").contains("did you mean  alpha"),
                            p -> assertThat(p).contains("/t.csv:4: column id: found nothing"),
                            p -> assertThat(p).contains("/t.csv:4: column x: found 'NaN'"),
                            p -> assertThat(p).contains("/t.csv:5: found 2 values, expected 3 as in the header"),
                            p -> assertThat(p).contains("/t.csv:6: column x"));
        }
    }

    @Test
    void reportsAtMostTenProblems() throws IOException {
        try (TableReader in = open("id,x,kind\n" + "a,b,c\n".repeat(100))) {
            assertThat(problems(in::next)).hasSize(10);
        }
    }

    @Test
    void rejectsInvalidIntegers() throws IOException {
        for (String text : List.of("9223372036854775808", "1.0", "+1", " 1", "1e3", "-", "0x1", "--1")) {
            try (TableReader in = open("id,x,kind\n" + text + ",1,beta\n")) {
                assertThat(problems(in::next)).as(text).hasSize(1);
            }
        }
        try (TableReader in = open("id,x,kind\n9223372036854775807,1,beta\n")) {
            assertThat(in.next()).isTrue();
            assertThat(in.longAt(0)).isEqualTo(Long.MAX_VALUE);
        }
    }

    @Test
    void rejectsUnclosedQuotes() throws IOException {
        try (TableReader in = open("id,x,kind\n1,1,\"alpha\n2,2,beta\n")) {
            assertThat(problems(in::next)).singleElement().asString().contains("quoted");
        }
        try (TableReader in = open("id,x,kind\n1,1,\"alpha\"x\n")) {
            assertThat(problems(in::next)).singleElement().asString().contains("quoted");
        }
    }

    @Test
    void checksRowRules() throws IOException {
        assertThat(firstBroken(
                        Tables.TRACE_INTERVALS, "request_id,inter_arrival_ns,arrival_time_ns\n0,5,5\n1,2,8\n2,1,9\n"))
                .containsExactly(
                        "artifact error: /t.csv:3: the total is 8, but the sum of the rows is 7; expected: arrival_time_ns is "
                                + "the running sum of inter_arrival_ns");
        assertThat(
                        firstBroken(
                                Tables.TOKEN_METRICS,
                                "request_id,token_index,token_time_ns,token_latency_ns\n4,0,1,1\n4,1,2,1\n2,0,1,1\n4,2,3,1\n2,2,2,1\n"))
                .satisfiesExactly(
                        p -> assertThat(p).contains("/t.csv:5: rows of 4 are not adjacent"),
                        p -> assertThat(p).contains("/t.csv:6: rows of 2 are not adjacent"));
        assertThat(firstBroken(
                        Tables.TOKEN_METRICS,
                        "request_id,token_index,token_time_ns,token_latency_ns\n4,0,1,1\n4,2,2,1\n4,3,2,1\n"))
                .singleElement()
                .asString()
                .contains("/t.csv:3: found 2 instead of 1");
        TableSchema order = new TableSchema(
                "o.csv",
                1,
                "O.",
                List.of(Column.int64("a", "", "A.").orEmpty(), Column.int64("b", "", "B.")),
                List.of(new RowInvariant.NotBefore("b", "a")));
        assertThat(firstBroken(order, "a,b\n1,1\n,0\n2,1\n"))
                .singleElement()
                .asString()
                .contains("/t.csv:4: found 1 and 2");
    }

    private List<String> firstBroken(TableSchema schema, String text) throws IOException {
        try (TableReader in = TableReader.open(file(text), schema)) {
            return problems(() -> {
                while (in.next()) {
                    // Until a row is rejected.
                }
            });
        }
    }

    @Test
    void splitsRowsAtAnyBufferEnd() throws IOException {
        String text = "a,\"b\"\"c\n\",d\r\n\"\",,\"x\"\ny";
        for (int chunk = 1; chunk <= text.length(); chunk++) {
            int step = chunk;
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            InputStream in = new InputStream() {
                private int at;

                @Override
                public int read() {
                    return at < bytes.length ? bytes[at++] : -1;
                }

                @Override
                public int read(byte[] into, int off, int len) {
                    int n = Math.min(Math.min(step, len), bytes.length - at);
                    System.arraycopy(bytes, at, into, off, n);
                    at += n;
                    return n == 0 ? -1 : n;
                }
            };
            try (CsvScanner scanner = new CsvScanner("rows.csv", in)) {
                assertThat(cells(scanner)).containsExactly("a", "b\"c\n", "d");
                assertThat(cells(scanner)).containsExactly("", "", "x");
                assertThat(scanner.line()).isEqualTo(3);
                assertThat(cells(scanner)).containsExactly("y");
                assertThat(scanner.next()).isFalse();
            }
        }
    }

    private static List<String> cells(CsvScanner scanner) throws IOException {
        assertThat(scanner.next()).isTrue();
        assertThat(scanner.malformed()).isFalse();
        return java.util.stream.IntStream.range(0, scanner.cells())
                .mapToObj(scanner::text)
                .toList();
    }
}
