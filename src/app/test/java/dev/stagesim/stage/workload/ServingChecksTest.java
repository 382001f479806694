package dev.stagesim.stage.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.StageException;
import dev.stagesim.model.TraceFormat;
import dev.stagesim.serving.workload.EmptyRows;
import dev.stagesim.serving.workload.LengthSettings;
import dev.stagesim.serving.workload.RowOrder;
import dev.stagesim.serving.workload.RowSettings;
import dev.stagesim.serving.workload.UnsortedRows;
import dev.stagesim.sim.workload.Overlong;
import dev.stagesim.stage.Checks;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.CompatMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ServingChecksTest {
    private static void check(Settings settings) throws IOException {
        Checks.check(new WorkloadStage(), settings.build(), Path.of(""));
    }

    private static void rejected(Settings settings, String... words) {
        assertThatThrownBy(() -> check(settings))
                .isInstanceOf(StageException.class)
                .satisfies(e -> assertThat(e.getMessage()).contains(words));
    }

    @Test
    void acceptsValidSettings() {
        assertThatCode(() -> check(Settings.requests(5))).doesNotThrowAnyException();
        Settings vidur = Settings.requests(5);
        vidur.compat = CompatMode.VIDUR;
        assertThatCode(() -> check(vidur)).doesNotThrowAnyException();
    }

    @Test
    void reportsAllProblemsAtOnce() {
        Settings settings = new Settings();
        settings.dir = Optional.of(Path.of("x"));
        settings.format = TraceFormat.AZURE;
        settings.rows = new RowSettings(
                1, Optional.empty(), Optional.empty(), Optional.empty(), EmptyRows.ERROR, UnsortedRows.ERROR);
        settings.tokenizer = Optional.of("cl100k_base");
        settings.overlong = Optional.of(Overlong.DROP);
        assertThatThrownBy(() -> check(settings))
                .isInstanceOfSatisfying(
                        StageException.class, e -> assertThat(e.problems()).hasSize(6))
                .hasMessageContaining("workload.dir")
                .hasMessageContaining("workload.num_requests");
    }

    @Test
    void rejectsUnusedAndMissingFiles() {
        Settings unused = Settings.requests(5);
        unused.file = Optional.of(Path.of("x"));
        rejected(unused, "workload.file", "no effect");
        Settings missing = Settings.requests(5);
        missing.lengths = Settings.inOrder();
        missing.format = TraceFormat.MOONCAKE;
        rejected(missing, "workload.file", "github.com/kvcache-ai/Mooncake");
    }

    @Test
    void rejectsEndlessWorkloads() {
        Settings still = new Settings();
        still.arrival = new ArrivalSettings.AtOnce();
        still.duration = Optional.of(10.0);
        rejected(still, "workload.duration", "arrive at once");
        rejected(new Settings(), "the number of requests is not set");
    }

    @Test
    void rejectsContradictoryLengths() {
        Settings range = Settings.requests(5);
        range.lengths = new LengthSettings.Uniform(100, 10, 4);
        rejected(range, "100", "above the maximum");
        Settings lists = Settings.requests(5);
        lists.lengths = new LengthSettings.Listed(List.of(1, 2, 3), List.of(4, 5));
        rejected(lists, "2 values", "workload.num_requests");
        Settings seed = Settings.replay(Path.of("x"));
        seed.lengths = new LengthSettings.Trace(RowOrder.FILE, false, 1, 1, Optional.of(3L));
        rejected(seed, "workload.lengths.seed");
        Settings window = Settings.replay(Path.of("x"));
        window.arrival = new ArrivalSettings.Trace(Optional.empty(), Optional.of("noon"), Optional.empty(), 1.0);
        rejected(window, "arrival.start", "'noon'");
    }

    @Test
    void rejectsASeedWithoutEffect() {
        Settings replay = Settings.replay(Path.of("x"));
        replay.seed = Optional.of(1L);
        rejected(replay, "workload.seed", "no effect");
        replay.arrival = new ArrivalSettings.Poisson(1);
        assertThatCode(() -> check(replay)).doesNotThrowAnyException();
        replay.arrival = new ArrivalSettings.AtOnce();
        replay.lengths = new LengthSettings.Trace(RowOrder.SHUFFLED, false, 1, 1, Optional.of(3L));
        rejected(replay, "workload.seed", "workload.lengths.seed");
        replay.rows = new RowSettings(
                0, Optional.empty(), Optional.empty(), Optional.of(0.5), EmptyRows.ERROR, UnsortedRows.ERROR);
        assertThatCode(() -> check(replay)).doesNotThrowAnyException();
        replay.rows = new RowSettings(
                0, Optional.empty(), Optional.empty(), Optional.of(0.5), EmptyRows.ERROR, UnsortedRows.SORT);
        rejected(replay, "workload.rows.unsorted", "arrivals are not read from a file");
    }

    @Test
    void rejectsKeysThatVidurLacks() {
        Settings scramble = Settings.requests(5);
        scramble.compat = CompatMode.VIDUR;
        scramble.lengths = new LengthSettings.Zipf(10, 100, 0.6, true, 4, Optional.empty());
        rejected(scramble, "salted string hash", "omit compat=vidur");
        scramble.lengths = new LengthSettings.Zipf(10, 100, 1.0, false, 4, Optional.of(1L << 32));
        rejected(scramble, "theta", "2^32");
        scramble.lengths = new LengthSettings.Listed(List.of(1, 2, 3, 4, 5), List.of(4));
        scramble.arrival = new ArrivalSettings.Fixed(1, 0);
        scramble.maxTokens = Optional.of(10);
        scramble.overlong = Optional.of(Overlong.DROP);
        rejected(scramble, "workload.lengths.kind", "arrival.kind", "workload.max_tokens", "proportional");
        Settings order = Settings.requests(5);
        order.compat = CompatMode.VIDUR;
        order.file = Optional.of(Path.of("x"));
        order.lengths = Settings.inOrder();
        rejected(order, "workload.lengths.order", "shuffled");
    }
}
