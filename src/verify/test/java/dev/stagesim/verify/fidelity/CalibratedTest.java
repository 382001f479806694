package dev.stagesim.verify.fidelity;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class CalibratedTest {
    private static RowPrediction point(String version, int streams, double measured, double predicted) {
        Row row = new Row(
                new Row.Origin("f", streams, "s"),
                new Row.Setup("e", version, "m", "", "bf16", "g"),
                new Row.Groups(1, 1, 1, 1, 1),
                new Row.Load("64", 64, "concurrency", streams),
                "tpot_mean",
                measured,
                "");
        return new RowPrediction(row, predicted);
    }

    private static double worst(List<RowPrediction> rows) {
        return rows.stream().mapToDouble(each -> Math.abs(each.percent())).max().orElse(100);
    }

    /** One version is 20 % slower than predicted and one 20 % faster, and both take 2 ms more per step. */
    @Test
    void addsTermsForADeployment() {
        List<RowPrediction> rows = new ArrayList<>();
        for (int streams = 1; streams <= 10; streams++) {
            double predicted = 5 + 3 * Math.sqrt(streams);
            rows.add(point("1", streams, 1.2 * predicted + 2, predicted));
            rows.add(point("2", streams, 0.8 * predicted + 2, predicted));
        }
        List<RowPrediction> deployments = Calibrated.of(rows, 3, Calibrated.Group.DEPLOYMENT);
        assertThat(deployments).hasSize(20);
        assertThat(worst(deployments)).isLessThan(1e-6);
        assertThat(worst(Calibrated.of(rows, 3, Calibrated.Group.TRIPLE))).isGreaterThan(10);
        assertThat(worst(Calibrated.of(rows, 1, Calibrated.Group.DEPLOYMENT))).isBetween(0.5, 10.0);
    }

    @Test
    void doesNotHalveFewPoints() {
        List<RowPrediction> rows = new ArrayList<>();
        for (int streams = 1; streams < 8; streams++) {
            rows.add(point("1", streams, 2, 1));
        }
        assertThat(Calibrated.of(rows, 1, Calibrated.Group.DEPLOYMENT)).isEmpty();
    }
}
