package dev.stagesim.pipeline.request;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.NodeJson;
import dev.stagesim.contract.TableFormat;
import dev.stagesim.io.json.Json;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class PortableRunTest {
    @ParameterizedTest
    @EnumSource(TableFormat.class)
    void readsARunAsItWasWritten(TableFormat format) {
        MapNode config = NodeJson.node(Json.parse("{\"a\":{\"b\":[1,null,\"x\"]}}", "test"));
        PortableRun run = new PortableRun(
                "workload",
                RunRequest.of(config, List.of("a.b=[1,null,x]")),
                new RunOptions(true, Optional.of(3), format));

        PortableRun read = PortableRun.read(run.text());

        assertThat(read.stage()).isEqualTo("workload");
        assertThat(read.options()).isEqualTo(run.options());
        assertThat(read.request().overrides()).isEqualTo(run.request().overrides());
        assertThat(read.text()).isEqualTo(run.text()).doesNotContain("\n");
    }
}
