package dev.stagesim.pipeline.request;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.TestStages;
import dev.stagesim.pipeline.store.RunRef;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageSpec;
import dev.stagesim.stage.Upstream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The second input of a stage is the next repetition of the measurement in the first input. */
class FurtherRepetitionTest {
    /** A stage with two measurements of the same request as inputs. */
    private static final class TwiceStage implements Stage<TestStages.GaugeSettings> {
        @Override
        public StageSpec<TestStages.GaugeSettings> spec() {
            return new StageSpec<>("twice", "Twice.", TestStages.GaugeSettings.class, List::of, 1, false);
        }

        @Override
        public List<Upstream> upstreams(TestStages.GaugeSettings settings) {
            Upstream first = new Upstream("first", "gauge", List.of(), "gauge.first", Optional.empty());
            return List.of(first, new Upstream("second", "gauge", List.of(), "gauge.second", Optional.empty()).again());
        }

        @Override
        public void run(TestStages.GaugeSettings settings, StageContext context) throws IOException {
            String runs = context.input("first").runId() + "\n"
                    + context.input("second").runId() + "\n";
            Files.writeString(context.out().resolve("runs.txt"), runs);
        }
    }

    private final Path dir = Jimfs.newFileSystem(Configuration.unix()).getPath("/work");
    private final TestStages.Log log = new TestStages.Log();
    private final TwiceStage twice = new TwiceStage();
    private final TestStages.GaugeStage gauge = new TestStages.GaugeStage();
    private final Pipeline pipeline =
            new Pipeline(new StageRegistry(List.of(gauge, twice)), dir.resolve("home"), dir, log, Clock.systemUTC());

    private List<String> runs(RunOptions options) throws IOException {
        RunRef run = pipeline.run(twice, TestStages.request(twice), options);
        return Files.readAllLines(run.dir().resolve("runs.txt"));
    }

    @Test
    void usesTheNextRepetitionForTheSecondInput() throws IOException {
        List<String> first = runs(RunOptions.DEFAULT);
        assertThat(first.get(1)).isNotEqualTo(first.get(0));
        String second = pipeline.run(gauge, TestStages.request(gauge), new RunOptions(false, Optional.of(1)))
                .runId();
        assertThat(second).isEqualTo(first.get(1));
        List<String> next = runs(new RunOptions(false, Optional.of(1)));
        assertThat(next.get(0)).isEqualTo(second);
        assertThat(next.get(1)).isNotIn(first);
    }

    @Test
    void listsBothRunsInADryRun() {
        assertThat(pipeline.plan(twice, TestStages.request(twice), RunOptions.DEFAULT)
                        .chain())
                .extracting(PlannedStage::role)
                .containsExactly("first", "second", "");
    }
}
