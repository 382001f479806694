package dev.stagesim.stage.vidurprofile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.io.bundle.BundleReader;
import dev.stagesim.io.bundle.BundleRequest;
import dev.stagesim.io.bundle.MeasuredBundles;
import dev.stagesim.measure.Defaults;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.predict.Curve;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.Profile;
import dev.stagesim.predict.Surface;
import dev.stagesim.sim.kernels.LayerTimes;
import dev.stagesim.sim.kernels.Sharding;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** Mean absolute percentage error of the roofline on measured bundles. Its parameters are not fitted to them. */
final class RooflineErrorTest {
    @Test
    void keepsErrorsOfLlama2OnA100(TestReporter reporter) throws IOException {
        Map<Operator, Double> errors = report("llama2_7b", "a100", 1, "a100_pairwise_nvlink", reporter);
        assertErrors(
                errors,
                Map.of(
                        Operator.ATTN_PRE_PROJ,
                        12,
                        Operator.ATTN_POST_PROJ,
                        8,
                        Operator.MLP_UP_PROJ,
                        9,
                        Operator.MLP_DOWN_PROJ,
                        9,
                        Operator.MLP_ACT,
                        29,
                        Operator.INPUT_LAYERNORM,
                        41,
                        Operator.ATTN_ROPE,
                        33,
                        Operator.ADD,
                        47));
    }

    @Test
    void keepsErrorsOfLlama2OnFourA100(TestReporter reporter) throws IOException {
        Map<Operator, Double> errors = report("llama2_7b", "a100", 4, "a100_dgx", reporter);
        assertErrors(
                errors,
                Map.of(
                        Operator.ATTN_PRE_PROJ,
                        7,
                        Operator.ATTN_POST_PROJ,
                        7,
                        Operator.MLP_UP_PROJ,
                        9,
                        Operator.MLP_DOWN_PROJ,
                        6,
                        Operator.MLP_ACT,
                        22,
                        Operator.INPUT_LAYERNORM,
                        33,
                        Operator.ATTN_ROPE,
                        22,
                        Operator.ADD,
                        55,
                        Operator.ALL_REDUCE,
                        21));
    }

    @Test
    void keepsErrorsOfLargeLlama2OnH100(TestReporter reporter) throws IOException {
        Map<Operator, Double> errors = report("llama2_70b", "h100", 8, "h100_dgx", reporter);
        assertErrors(
                errors,
                Map.of(
                        Operator.ATTN_PRE_PROJ,
                        17,
                        Operator.ATTN_POST_PROJ,
                        16,
                        Operator.MLP_UP_PROJ,
                        12,
                        Operator.MLP_DOWN_PROJ,
                        11,
                        Operator.MLP_ACT,
                        15,
                        Operator.INPUT_LAYERNORM,
                        34,
                        Operator.ATTN_ROPE,
                        20,
                        Operator.ADD,
                        64,
                        Operator.ALL_REDUCE,
                        23));
    }

    /** All-reduces of serving engines in a CUDA graph on 8 GPUs of a node: bytes and microseconds. */
    @Test
    void predictsSmallAllReducesOfEngines() {
        allReduce("a100", new double[][] {{8 << 10, 5}, {2 << 20, 28}});
        allReduce("h100", new double[][] {{8 << 10, 4.7}, {128 << 10, 8}, {2 << 20, 19}, {134e6, 580}});
    }

    private static void allReduce(String hardware, double[][] measured) {
        int hidden = CardFiles.model("llama3_70b").shape().hiddenSize();
        LayerTimes roofline = roofline("llama3_70b", hardware, 8);
        for (double[] one : measured) {
            int tokens = Math.max(1, (int) Math.round(one[0] / (2.0 * hidden)));
            double micros = 1e3 * roofline.milliseconds(Operator.ALL_REDUCE, tokens);
            assertThat(micros).as("%s, %.0f bytes", hardware, one[0]).isBetween(one[1] / 1.6, one[1] * 1.6);
        }
    }

    /** The only bundle with measured attention times. */
    @Test
    void keepsErrorsOfQwen2OnA30(TestReporter reporter) throws IOException {
        Profile profile = BundleReader.read(MeasuredBundles.root(), MeasuredBundles.qwen2OnA30())
                .profile();
        Map<Operator, Double> errors =
                report("qwen2_7b on a30", profile, roofline("qwen2_7b", "a30", 1), true, reporter);
        assertErrors(
                errors,
                Map.of(
                        Operator.ATTN_POST_PROJ,
                        30,
                        Operator.MLP_UP_PROJ,
                        15,
                        Operator.MLP_DOWN_PROJ,
                        20,
                        Operator.MLP_ACT,
                        22,
                        Operator.INPUT_LAYERNORM,
                        47,
                        Operator.ATTN_ROPE,
                        27,
                        Operator.ADD,
                        52,
                        Operator.ATTN_DECODE,
                        17,
                        Operator.ATTN_PREFILL,
                        36,
                        Operator.ATTN_KV_CACHE_SAVE,
                        41));
    }

    /** Measured by {@code profile.profiler=torch}; specs/profiling.md describes the setup. */
    @Test
    void keepsErrorsOfLlama3OnH100(TestReporter reporter) throws IOException {
        assertErrors(
                pytorch("llama3_8b", reporter),
                Map.of(
                        Operator.ATTN_PRE_PROJ,
                        5,
                        Operator.ATTN_POST_PROJ,
                        4,
                        Operator.MLP_UP_PROJ,
                        5,
                        Operator.MLP_DOWN_PROJ,
                        6,
                        Operator.MLP_ACT,
                        10,
                        Operator.INPUT_LAYERNORM,
                        10,
                        Operator.ATTN_ROPE,
                        57,
                        Operator.ADD,
                        7,
                        Operator.ATTN_DECODE,
                        35,
                        Operator.ATTN_PREFILL,
                        29));
    }

    @Test
    void keepsErrorsOfQwen3OnH100(TestReporter reporter) throws IOException {
        assertErrors(
                pytorch("qwen3", reporter),
                Map.of(
                        Operator.ATTN_PRE_PROJ,
                        11,
                        Operator.ATTN_POST_PROJ,
                        16,
                        Operator.MLP_UP_PROJ,
                        11,
                        Operator.MLP_DOWN_PROJ,
                        13,
                        Operator.MLP_ACT,
                        29,
                        Operator.INPUT_LAYERNORM,
                        6,
                        Operator.ATTN_ROPE,
                        55,
                        Operator.ADD,
                        8,
                        Operator.ATTN_DECODE,
                        38,
                        Operator.ATTN_PREFILL,
                        28));
    }

    private static Map<Operator, Double> pytorch(String model, TestReporter reporter) throws IOException {
        Path root = Path.of(System.getProperty("stagesim.home", "."), "tests-data/bundles/h100-pytorch");
        Profile profile = BundleReader.read(root, BundleRequest.of(CardFiles.model(model), CardFiles.hardware("h100")))
                .profile();
        return report(model + " under PyTorch on h100", profile, roofline(model, "h100", 1), true, reporter);
    }

    /** Compares errors with the table of {@code specs/profiling.md}, which has whole percent. */
    private static void assertErrors(Map<Operator, Double> errors, Map<Operator, Integer> documented) {
        Map<Operator, Long> found = new EnumMap<>(Operator.class);
        documented.keySet().forEach(operator -> found.put(operator, Math.round(errors.get(operator))));
        Map<Operator, Long> expected = new EnumMap<>(Operator.class);
        documented.forEach((operator, percent) -> expected.put(operator, (long) percent));
        assertThat(found).isEqualTo(expected);
    }

    private static Map<Operator, Double> report(
            String model, String hardware, int degree, String network, TestReporter reporter) throws IOException {
        BundleRequest request = BundleRequest.of(CardFiles.model(model), CardFiles.hardware(hardware))
                .in(Optional.empty(), Optional.empty(), Optional.of(network))
                .onDevices(degree, 2);
        Profile profile = BundleReader.read(MeasuredBundles.root(), request).profile();
        String name = model + " on " + degree + " " + hardware;
        return report(name, profile, roofline(model, hardware, degree), false, reporter);
    }

    private static LayerTimes roofline(String model, String hardware, int degree) {
        return new LayerTimes(
                CardFiles.model(model), CardFiles.hardware(hardware), Defaults.noEngine(), Sharding.tensor(degree, 1));
    }

    private static Map<Operator, Double> report(
            String name, Profile profile, LayerTimes roofline, boolean attention, TestReporter reporter) {
        Map<Operator, Double> errors = new EnumMap<>(Operator.class);
        StringBuilder text = new StringBuilder();
        profile.curves().forEach((operator, curve) -> {
            if (!curve.isZero()) {
                errors.put(operator, error(curve, operator, roofline));
            }
        });
        if (attention) {
            errors.put(Operator.ATTN_PREFILL, error(profile.prefill(), roofline, true));
            errors.put(Operator.ATTN_DECODE, error(profile.decode(), roofline, false));
        }
        errors.forEach(
                (operator, error) -> text.append(String.format(Locale.ROOT, "%s %.0f %%; ", operator.column(), error)));
        reporter.publishEntry("roofline error, " + name, text.toString());
        return errors;
    }

    private static double error(Curve curve, Operator operator, LayerTimes roofline) {
        double sum = 0;
        int n = 0;
        for (int i = 0; i < curve.rows(); i++) {
            if (curve.size(i) >= 1 && curve.milliseconds(i) > 0) {
                double predicted = roofline.milliseconds(operator, (int) Math.round(curve.size(i)));
                sum += Math.abs(predicted / curve.milliseconds(i) - 1);
                n++;
            }
        }
        return 100 * sum / n;
    }

    private static double error(Surface surface, LayerTimes roofline, boolean prefill) {
        double sum = 0;
        for (int i = 0; i < surface.rows(); i++) {
            double predicted = prefill
                    ? roofline.prefillMilliseconds(surface.kvTokens(i), surface.count(i))
                    : roofline.decodeMilliseconds(surface.count(i), surface.kvTokens(i));
            sum += Math.abs(predicted / surface.milliseconds(i) - 1);
        }
        return 100 * sum / surface.rows();
    }
}
