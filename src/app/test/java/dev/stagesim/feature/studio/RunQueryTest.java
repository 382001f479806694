package dev.stagesim.feature.studio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.feature.studio.Notes.Note;
import dev.stagesim.feature.studio.RunRow.Figures;
import dev.stagesim.feature.studio.RunRow.Keys;
import dev.stagesim.pipeline.store.RunSubject;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RunQueryTest {
    private static final List<RunRow> ROWS = List.of(
            row("a", "vllm", "2", List.of(40.0)),
            row("b", "sarathi", "10", List.of(5.0)),
            row("c", "Orca", "null", List.of()));

    private static final Map<String, Note> NOTES =
            Map.of("sim/b", new Note(List.of("keep"), "Looks right"), "sim/c", new Note(List.of("drop"), ""));

    private static RunRow row(String id, String scheduler, String qps, List<Double> ttft) {
        return RunRow.of(
                "sim",
                id,
                1,
                "finished",
                "2026-01-0" + (id.charAt(0) - 'a' + 1) + "T00:00:00Z",
                1,
                new RunSubject("Llama 3 8B", id.equals("a") ? "A100-SXM-80GB" : "H100-SXM-80GB", "", ""),
                "scheduler=" + scheduler,
                0,
                new Keys(List.of("arrival.qps", "arrival.qps_max", "scheduler.kind"), List.of(qps, "7", scheduler)),
                new Figures(ttft.isEmpty() ? List.of() : List.of("ttft_p99_ms"), ttft));
    }

    private static String ids(String query, String sort) {
        return String.join(
                " ",
                new RunQuery(query, NOTES)
                        .answer(ROWS, sort).stream().map(RunRow::id).toList());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "none",
            value = {
                "''|a b c",
                "vLLM|a",
                "orca H100|c",
                "orca a100|''",
                "ttft_p99_ms<40|b",
                "ttft_p99_ms<=40|a b",
                "ttft<40|b",
                "arrival.qps=2|a",
                "qps>2|b",
                "qps!=2|b c",
                "qps_max=7|a b c",
                "kind=sarathi|b",
                "scheduler.kind!=sarathi|a c",
                "hardware=h100|b c",
                "model=\"llama 3\"|a b c",
                "ended>2026-01-02|b c",
                "tag=keep|b",
                "tag!=keep|a c",
                "right|b",
                "note=looks|b",
                "note!=looks|a c",
                "no.such.key=1|''",
                "run=a|a"
            })
    void filtersByTerms(String query, String ids) {
        assertThat(ids(query, "run")).isEqualTo(ids);
    }

    @ParameterizedTest
    @CsvSource({
        "run,a b c",
        "-run,c b a",
        "ttft_p99_ms,b a c",
        "-ttft_p99_ms,a b c",
        "arrival.qps,a b c",
        "-arrival.qps,b a c",
        "scheduler.kind,c b a",
        "ended,a b c"
    })
    void sortsByColumnWithMissingValuesLast(String sort, String ids) {
        assertThat(ids("", sort)).isEqualTo(ids);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "\"\"", "\"a b\"", "a\""})
    void acceptsALongSearch(String part) {
        assertThat(ids(part.repeat(8000 / part.length()), "run")).isEqualTo(part.equals("\"\"") ? "a b c" : "");
    }

    @Test
    void listsImportantMetricsFirst() {
        assertThat(RunsView.figures(ROWS)).containsExactly("ttft_p99_ms");
    }
}
