package dev.stagesim.sim.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.measure.Defaults;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.HardwareCard;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;

/**
 * Compares kernels and whole steps with measurements on an H100 that were not used to choose any parameter: {@code
 * tests-data/bundles}.
 */
final class MeasuredKernelsTest {
    private static final Path FOLDER =
            Path.of(System.getProperty("stagesim.home", "."), "tests-data/bundles/h100-pytorch");
    private static final HardwareCard H100 = CardFiles.hardware("h100");

    /** Returns median and 90th percentile of absolute errors in whole percent over the matching rows. */
    private static List<Long> errors(String file, String kind, ToDoubleFunction<String[]> ratio) throws IOException {
        List<Double> errors = new ArrayList<>();
        for (String line : Files.readAllLines(FOLDER.resolve(file))) {
            if (line.startsWith(kind)) {
                errors.add(100 * Math.abs(ratio.applyAsDouble(line.split(",")) - 1));
            }
        }
        double[] sorted = errors.stream().mapToDouble(e -> e).sorted().toArray();
        return List.of(Math.round(sorted[sorted.length / 2]), Math.round(sorted[sorted.length * 9 / 10]));
    }

    private static double product(String[] row) {
        double[] at =
                Arrays.stream(row).skip(1).mapToDouble(Double::parseDouble).toArray();
        Precision precision = Precision.valueOf(row[0].toUpperCase(Locale.ROOT));
        return new Kernels(H100, Defaults.noEngine()).product(at[0], at[1], at[2], precision) / at[3];
    }

    @Test
    void predictsMeasuredProducts() throws IOException {
        assertThat(List.of(
                        errors("products.csv", "bf16", MeasuredKernelsTest::product),
                        errors("products.csv", "fp8", MeasuredKernelsTest::product)))
                .containsExactly(List.of(5L, 14L), List.of(17L, 36L));
    }

    /** Returns the time of a step in one CUDA graph: operators and output head without host time. */
    private static double step(String[] row) {
        ModelCard model = CardFiles.model(row[0]);
        int batch = Integer.parseInt(row[1]);
        int queries = Integer.parseInt(row[2]);
        int context = Integer.parseInt(row[3]);
        Sharding one = Sharding.tensor(1, 1);
        LayerTimes layers = new LayerTimes(model, H100, Defaults.noEngine(), one);
        boolean decodes = queries == 1;
        double operators = new StepModel(model, 1, Defaults.noEngine(), one, layers)
                .operators(layers, batch * queries, decodes ? batch : 0, context, 0, queries, decodes ? 0 : batch);
        return (operators + layers.head(batch)) / Double.parseDouble(row[4]);
    }

    @Test
    void predictsMeasuredSteps() throws IOException {
        assertThat(List.of(
                        errors("steps.csv", "llama3_8b", MeasuredKernelsTest::step),
                        errors("steps.csv", "qwen3", MeasuredKernelsTest::step)))
                .containsExactly(List.of(4L, 16L), List.of(17L, 30L));
    }
}
