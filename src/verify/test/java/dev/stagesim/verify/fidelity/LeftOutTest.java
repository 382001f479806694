package dev.stagesim.verify.fidelity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class LeftOutTest {
    private static RowPrediction row(String model, double measured) {
        Row row = new Row(
                new Row.Origin("rows.csv", 2, "s"),
                new Row.Setup("sglang", "0.5.9", model, "", "fp8", "B200-SXM-180GB"),
                new Row.Groups(8, 8, 1, 1, 1),
                new Row.Load("1024", 1024, "concurrency", 64),
                "tpot_p50",
                measured,
                "");
        return new RowPrediction(row, 1);
    }

    @Test
    void coversMostRowsOfGroupsThatAreLeftOut() {
        SplittableRandom random = new SplittableRandom(1);
        List<RowPrediction> rows = new ArrayList<>();
        for (int model = 0; model < 20; model++) {
            for (int i = 0; i < 50; i++) {
                rows.add(row("m" + model, 2 * Math.exp(random.nextDouble() - 0.5)));
            }
        }
        LeftOut.Result result = new LeftOut(rows, row -> "dense", Row::metric).of(LeftOut.FACTORS.get("model"));
        assertThat(result.leftOut()).hasSize(1000);
        assertThat(result.covered()).isCloseTo(0.9, within(0.03));
        // the factor of 2 is known from other groups
        assertThat(LeftOut.median(result.leftOut())).isLessThan(30);
        assertThat(LeftOut.p90(result.leftOut())).isLessThan(60);
    }

    @Test
    void statesNothingAboutTheOnlyGroup() {
        List<RowPrediction> rows = List.of(row("m", 1), row("m", 2));
        assertThat(new LeftOut(rows, row -> "dense", Row::metric)
                        .of(LeftOut.FACTORS.get("source"))
                        .leftOut())
                .isEmpty();
    }

    @Test
    void delaysRequestsUntilTheEngineLooks() {
        AdmissionGate every = new AdmissionGate(new AdmissionGate.Rule(10, 0));
        assertThat(every.opens(true)).isTrue();
        AdmissionGate waits = new AdmissionGate(new AdmissionGate.Rule(1, 60));
        assertThat(waits.opens(false)).isFalse();
        assertThat(new AdmissionGate(AdmissionGate.Rule.IMMEDIATE).opens(false)).isTrue();
    }
}
