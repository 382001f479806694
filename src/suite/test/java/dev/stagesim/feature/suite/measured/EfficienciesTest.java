package dev.stagesim.feature.suite.measured;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class EfficienciesTest {
    private static MeasuredWorkload workload(String family, boolean isCompiled, MeasuredLayer... layers) {
        return new MeasuredWorkload(
                family + "-A",
                family,
                new MeasuredWorkload.Execution("cpu", "float", isCompiled, "1 x 1", 1, "TensorFlow"),
                List.of(),
                List.of("a"),
                new double[] {4, 5},
                new MeasuredWorkload.Times(4, 1, 2, 1),
                List.of(layers),
                List.of(new MeasuredOp("n", "l", "MatMul", 1)));
    }

    private static MeasuredLayer layer(String type, double measured, double roofline) {
        return new MeasuredLayer("01", "forward", type, measured, roofline, 0);
    }

    private final MeasuredWorkload dense =
            workload("mlp", false, layer("matmul", 40, 10), layer("matmul", 10, 10), layer("norm", 30, 3));

    @Test
    void reportsTheRooflineShareOfEachClass() {
        Efficiencies fitted = Efficiencies.of(List.of(dense));
        assertThat(fitted.classes().get("matmul")).isEqualTo(new Efficiencies.Fitted(2, 0.4));
        assertThat(fitted.predict(layer("matmul", 0, 8))).isCloseTo(20, within(1e-9));
        // an unseen class uses the efficiency of all classes: 23 of 80
        assertThat(fitted.predict(layer("conv", 0, 23))).isCloseTo(80, within(1e-9));
    }

    @Test
    void ignoresCompiledStepsInFits() {
        MeasuredWorkload compiled = workload("cnn", true, layer("matmul", 900, 1));
        assertThat(Efficiencies.of(List.of(compiled)).isEmpty()).isTrue();
        assertThat(Efficiencies.fold(compiled, 0, MeasuredLayer::roofline)).isEmpty();
        assertThat(PredictionError.of(dense, List.of(dense, compiled), 0).heldOut())
                .isEmpty();
    }

    @Test
    void evaluatesAFamilyWithTheFitOfTheOthers() {
        MeasuredWorkload conv = workload("cnn", false, layer("matmul", 20, 10));
        List<PredictionError> all = PredictionError.each(List.of(dense, conv), 15);
        assertThat(all).extracting(one -> one.workload().family()).containsExactly("cnn", "mlp");
        // 20 measured, 25 predicted from the products of the other family.
        assertThat(all.get(0).heldOutFold())
                .hasValueSatisfying(fold -> assertThat(fold).isCloseTo(1.25, within(1e-9)));
        // The layer of 10 is below the minimum of 15, so 40 / 20 and 30 / 6 count.
        assertThat(all.get(1).heldOutFold())
                .hasValueSatisfying(fold -> assertThat(fold).isCloseTo(3.5, within(1e-9)));
        assertThat(all.get(1).rooflineFold()).contains(7.0);
        assertThat(all.get(1).systolicFold()).isEmpty();
        assertThat(dense.noise()).isCloseTo(0.25, within(1e-9));
    }
}
