package dev.stagesim.io.bundle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.predict.HeldOut;
import dev.stagesim.predict.Learners;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.Profile;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** Reports the interpolation error at measured sizes that were left out. */
final class HeldOutReportTest {
    @Test
    void reportsErrorsOfTheDenseA30Bundle(TestReporter reporter) throws IOException {
        Map<Operator, HeldOut.Error> errors = report(MeasuredBundles.qwen2OnA30(), reporter);
        assertThat(errors.get(Operator.MLP_UP_PROJ).mean()).isLessThan(3);
        assertThat(errors.get(Operator.ATTN_ROPE).mean()).isLessThan(2);
        assertThat(errors.get(Operator.ATTN_DECODE).mean()).isLessThan(3);
        assertThat(errors.get(Operator.ATTN_PREFILL).mean()).isLessThan(4.5);
        assertThat(errors.get(Operator.ATTN_PRE_PROJ).median())
                .as("rows with glitches")
                .isLessThan(2);
    }

    @Test
    void reportsErrorsOfLlama2OnFourA100(TestReporter reporter) throws IOException {
        Map<Operator, HeldOut.Error> errors =
                report(MeasuredBundles.llama2On("a100", 4).onDevices(4, 2), reporter);
        assertThat(errors.get(Operator.MLP_DOWN_PROJ).mean()).isLessThan(5);
        assertThat(errors.get(Operator.ALL_REDUCE).mean()).isLessThan(2);
    }

    private static Map<Operator, HeldOut.Error> report(BundleRequest request, TestReporter reporter)
            throws IOException {
        Profile profile = BundleReader.read(MeasuredBundles.root(), request).profile();
        Map<Operator, HeldOut.Error> errors = HeldOut.errors(profile, Learners.interpolation(OptionalDouble.of(0.2)));
        errors.forEach((operator, error) -> reporter.publishEntry(
                operator.column(),
                String.format(
                        Locale.ROOT,
                        "mean %.2f %%, median %.2f %%, %d rows",
                        error.mean(),
                        error.median(),
                        error.rows())));
        return errors;
    }
}
