package dev.stagesim.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class JobRunnerTest {
    private static Optional<String> warning(String engine, String scheduler, String... words) {
        return JobRunner.otherScheduler(
                Map.of("engine", Optional.of(engine), "scheduler", Optional.of(scheduler)), List.of(words));
    }

    @Test
    void reportsAnEngineThatDoesNotSelectTheScheduler() {
        assertThat(warning("vllm_v1", "sarathi_small", "hardware=local", "engine=vllm_v1"))
                .hasValueSatisfying(text -> assertThat(text).contains("scheduler=sarathi_small"));
        assertThat(warning("vllm_v1", "vllm_v1", "engine=vllm_v1")).isEmpty();
        assertThat(warning("none", "sarathi_small", "hardware=local")).isEmpty();
        assertThat(warning("vllm_v1", "orca", "engine=vllm_v1", "scheduler=orca"))
                .isEmpty();
        assertThat(warning("none", "sarathi_small", "engine=none", "scheduler.batch_size_cap=4"))
                .isEmpty();
    }
}
