package dev.stagesim.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

final class TablesTest {
    @Test
    void documentsDistinctTables() {
        assertThat(Exchanged.TABLES).extracting(TableSchema::name).doesNotHaveDuplicates();
        assertThat(Exchanged.TABLES).allSatisfy(table -> {
            assertThat(table.version()).isPositive();
            assertThat(table.doc()).endsWith(".");
            assertThat(table.columns()).allSatisfy(column -> {
                assertThat(column.name()).matches("[a-z][a-z0-9_]*");
                assertThat(column.doc()).endsWith(".");
                if (column.name().endsWith("_ns")) {
                    assertThat(column.unit()).startsWith("ns");
                }
            });
        });
    }

    @Test
    void listsTheRequiredColumnsOfTheContract() {
        assertThat(required(Tables.TRACE_LENGTHS))
                .containsExactly("request_id", "prompt_id", "num_prefill_tokens", "num_decode_tokens");
        assertThat(required(Tables.TRACE_INTERVALS))
                .containsExactly("request_id", "inter_arrival_ns", "arrival_time_ns");
        assertThat(required(Tables.REQUEST_METRICS))
                .containsExactly(
                        "request_id",
                        "arrival_time_ns",
                        "first_token_time_ns",
                        "ttft_ns",
                        "completion_time_ns",
                        "num_prefill_tokens",
                        "num_decode_tokens",
                        "num_decode_tokens_actual",
                        "status");
        assertThat(required(Tables.TOKEN_METRICS))
                .containsExactly("request_id", "token_index", "token_time_ns", "token_latency_ns");
    }

    private static List<String> required(TableSchema table) {
        return table.columns().stream()
                .filter(Column::required)
                .map(Column::name)
                .toList();
    }

    @Test
    void namesIntegerColumnsInRules() {
        assertThatThrownBy(() -> new TableSchema(
                        "t.csv", 1, "T.", List.of(Column.string("a", "A.")), List.of(new RowInvariant.Increasing("a"))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new TableSchema(
                        "t.csv", 1, "T.", List.of(Column.string("a", "A."), Column.string("a", "A.")), List.of()))
                .hasMessageContaining("twice");
    }

    @Test
    void parsesStatusTexts() {
        assertThat(RequestStatus.texts()).containsExactly("completed", "failed", "cancelled", "unfinished");
        assertThat(RequestStatus.texts().stream().map(RequestStatus::of)).containsExactly(RequestStatus.values());
    }
}
