package dev.stagesim.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.bench.MeasuredTables;
import dev.stagesim.io.fabric.FabricTables;
import dev.stagesim.io.packet.PacketTables;
import dev.stagesim.model.Problem;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FormerNamesTest {
    private static final Problem UNKNOWN = Problem.config("key", "unknown column");

    private static String suggested(String name, TableSchema table) {
        List<String> columns = table.columns().stream().map(Column::name).toList();
        return FormerNames.suggest(UNKNOWN, name, columns).render();
    }

    @Test
    void suggestsTheNewNameOfARenamedColumn() {
        assertThat(suggested("nodes_most", FabricTables.CANDIDATES)).contains("is now called peak_nodes");
        assertThat(suggested("late_most_ns", MeasuredTables.SERVED_METRICS)).contains("is now called max_lateness_ns");
        assertThat(suggested("fullest_port", PacketTables.QUEUES)).contains("is now called max_queue_port");
    }

    @Test
    void suggestsNoColumnOfAnotherTable() {
        assertThat(suggested("nodes_most", Tables.REQUEST_METRICS)).contains("peak_nodes, which is not available");
        assertThat(suggested("adaptr", Tables.TRACE_LABELS)).contains("did you mean", "adapter");
    }
}
