package dev.stagesim.stage.vidurprofile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.io.bundle.BundleReader;
import dev.stagesim.io.bundle.BundleRequest;
import dev.stagesim.io.bundle.MeasuredBundles;
import dev.stagesim.model.CardFiles;
import dev.stagesim.predict.Curve;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.Profile;
import dev.stagesim.predict.Roofline;
import dev.stagesim.predict.Surface;
import dev.stagesim.settings.ProfileDefaults;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** Mean absolute percentage error of the roofline against measured bundles; its factors are not fitted to them. */
final class RooflineErrorTest {
    @Test
    void llama2OnA100(TestReporter reporter) throws IOException {
        Map<Operator, Double> errors = report("llama2_7b", "a100", 1, "a100_pairwise_nvlink", reporter);
        assertErrors(
                errors,
                Map.of(
                        Operator.ATTN_PRE_PROJ,
                        23,
                        Operator.ATTN_POST_PROJ,
                        23,
                        Operator.MLP_UP_PROJ,
                        20,
                        Operator.MLP_DOWN_PROJ,
                        22,
                        Operator.MLP_ACT,
                        36,
                        Operator.INPUT_LAYERNORM,
                        42,
                        Operator.ATTN_ROPE,
                        37,
                        Operator.ADD,
                        41));
    }

    @Test
    void llama2OnFourA100(TestReporter reporter) throws IOException {
        Map<Operator, Double> errors = report("llama2_7b", "a100", 4, "a100_dgx", reporter);
        assertErrors(
                errors,
                Map.of(
                        Operator.ATTN_PRE_PROJ,
                        20,
                        Operator.ATTN_POST_PROJ,
                        24,
                        Operator.MLP_UP_PROJ,
                        20,
                        Operator.MLP_DOWN_PROJ,
                        21,
                        Operator.MLP_ACT,
                        26,
                        Operator.INPUT_LAYERNORM,
                        34,
                        Operator.ATTN_ROPE,
                        21,
                        Operator.ADD,
                        49,
                        Operator.ALL_REDUCE,
                        33));
    }

    @Test
    void llama2LargeOnH100(TestReporter reporter) throws IOException {
        Map<Operator, Double> errors = report("llama2_70b", "h100", 8, "h100_dgx", reporter);
        assertErrors(
                errors,
                Map.of(
                        Operator.ATTN_PRE_PROJ,
                        31,
                        Operator.ATTN_POST_PROJ,
                        22,
                        Operator.MLP_UP_PROJ,
                        19,
                        Operator.MLP_DOWN_PROJ,
                        15,
                        Operator.MLP_ACT,
                        21,
                        Operator.INPUT_LAYERNORM,
                        36,
                        Operator.ATTN_ROPE,
                        23,
                        Operator.ADD,
                        56,
                        Operator.ALL_REDUCE,
                        31));
    }

    /** The only bundle whose attention is measured and not made up. */
    @Test
    void qwen2OnA30(TestReporter reporter) throws IOException {
        Profile profile = BundleReader.read(MeasuredBundles.root(), MeasuredBundles.qwen2OnA30())
                .profile();
        Map<Operator, Double> errors =
                report("qwen2_7b on a30", profile, roofline("qwen2_7b", "a30", 1), true, reporter);
        assertErrors(
                errors,
                Map.of(
                        Operator.ATTN_POST_PROJ,
                        34,
                        Operator.MLP_UP_PROJ,
                        19,
                        Operator.MLP_DOWN_PROJ,
                        23,
                        Operator.MLP_ACT,
                        31,
                        Operator.INPUT_LAYERNORM,
                        50,
                        Operator.ATTN_ROPE,
                        32,
                        Operator.ADD,
                        38,
                        Operator.ATTN_DECODE,
                        26,
                        Operator.ATTN_PREFILL,
                        67,
                        Operator.ATTN_KV_CACHE_SAVE,
                        25));
    }

    /** Holds errors against the table of {@code specs/profiling.md}, which has whole percent. */
    private static void assertErrors(Map<Operator, Double> errors, Map<Operator, Integer> documented) {
        documented.forEach((operator, percent) -> assertThat(errors.get(operator))
                .as("error of %s", operator.column())
                .isCloseTo((double) percent, within(1.0)));
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

    private static Roofline roofline(String model, String hardware, int degree) {
        ReachedRates rates = new ReachedRates(CardFiles.hardware(hardware), ProfileDefaults.efficiency());
        return new Roofline(CardFiles.model(model), rates.of(degree), degree);
    }

    private static Map<Operator, Double> report(
            String name, Profile profile, Roofline roofline, boolean attention, TestReporter reporter) {
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

    private static double error(Curve curve, Operator operator, Roofline roofline) {
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

    private static double error(Surface surface, Roofline roofline, boolean prefill) {
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
