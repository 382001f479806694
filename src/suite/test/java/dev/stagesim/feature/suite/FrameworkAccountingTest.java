package dev.stagesim.feature.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.io.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class FrameworkAccountingTest {
    /** Three traced steps of MLP-D with one thread, recorded with TensorFlow 2.18 on a busy machine. */
    private static FrameworkRun recorded() throws IOException {
        FrameworkRun run = new FrameworkRun();
        for (String line : Files.readAllLines(Path.of("tests-data/suite/mlp_d_answers.jsonl"))) {
            run.take(Json.parse(line, "recorded"));
        }
        return run;
    }

    private static FrameworkRun run(long called, long sessionNs, long... takenKernelDone) {
        FrameworkRun run = new FrameworkRun();
        run.take(Json.parse("{\"event\":\"call\",\"step\":7,\"epoch_ns\":" + called + "}", "test"));
        run.take(Json.parse("{\"event\":\"session\",\"ns\":" + sessionNs + "}", "test"));
        for (int i = 0; i < takenKernelDone.length; i += 3) {
            run.take(Json.parse(
                    String.format(
                            Locale.ROOT,
                            "{\"event\":\"node\",\"step\":7,\"device\":\"cpu\",\"node\":\"n%d\",\"label\":\"Mul\",\"start_ns\":%d,"
                                    + "\"begin_ns\":2,\"end_ns\":%d,\"all_ns\":%d,\"thread\":1}",
                            i,
                            takenKernelDone[i],
                            2 + takenKernelDone[i + 1],
                            takenKernelDone[i + 2] - takenKernelDone[i]),
                    "test"));
        }
        return run;
    }

    @Test
    void sumsOperationsOfOneThreadToTheStep() throws IOException {
        FrameworkAccounting accounting = FrameworkAccounting.of(List.of(recorded()), true);
        // The first of the three steps had the shortest interruptions.
        assertThat(accounting.step()).isEqualTo(2_514_971);
        assertThat(accounting.operations()).isEqualTo(1_831_069);
        assertThat(accounting.around()).isEqualTo(2_030_156 - 1_831_069);
        assertThat(accounting.outside()).isEqualTo(60_435);
        assertThat(accounting.share()).isCloseTo(0.98, within(0.005));
        assertThat(accounting.closes()).isTrue();
        assertThat(accounting.json().toString()).contains("closes");
    }

    /** Call at 0, operations from 10 to 70 and from 100 to 150 with kernels of 50 and 40: 20 around, 30 between. */
    @Test
    void distinguishesPartsOfAStep() {
        FrameworkAccounting accounting = FrameworkAccounting.of(List.of(run(0, 9, 10, 50, 70, 100, 40, 150)), true);
        assertThat(accounting.step()).isEqualTo(150);
        assertThat(accounting.operations()).isEqualTo(90);
        assertThat(accounting.around()).isEqualTo(20);
        assertThat(accounting.between()).isEqualTo(30);
        assertThat(accounting.sum()).isEqualTo(149);
        assertThat(accounting.closes()).isTrue();
    }

    /** Unexplained time before the first operation does not add up. */
    @Test
    void reportsMissingTime() {
        assertThat(FrameworkAccounting.of(List.of(run(0, 9, 100, 50, 160)), true)
                        .closes())
                .isFalse();
    }

    @Test
    void exceedsTheStepWithOverlappingOperations() {
        FrameworkAccounting accounting = FrameworkAccounting.of(List.of(run(0, 0, 0, 90, 95, 0, 90, 95)), false);
        assertThat(accounting.share()).isGreaterThan(1.9);
        assertThat(accounting.json().toString()).doesNotContain("closes=true");
        assertThat(FrameworkAccounting.of(List.of(), true).isKnown()).isFalse();
    }
}
