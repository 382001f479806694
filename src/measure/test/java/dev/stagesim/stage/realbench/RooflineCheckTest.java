package dev.stagesim.stage.realbench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.MeasurementBuilder;
import dev.stagesim.io.measured.Operations.Collective;
import dev.stagesim.io.measured.Published;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.model.card.CardFiles;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Qwen3-8B has 8.2e9 weights of 2 bytes; H100 reads 3350 GB/s, computes 1979e12 FLOP/s and sends 450 GB/s. */
final class RooflineCheckTest {
    private static final long MS = 1_000_000;

    private static MeasurementBuilder builder() {
        return new MeasurementBuilder("test", "tool", "file").model("Qwen3-8B").rate("requests_per_s", 2);
    }

    private static MeasurementBuilder builder(int devices) {
        return builder().setting("tensor_parallel_size", new LocatedJson("file", "/tp", JsonValue.of(devices)));
    }

    private static List<String> warnings(MeasurementBuilder builder) {
        return RooflineCheck.warnings(CardFiles.model("qwen3_8b"), CardFiles.hardware("h100"), builder.done());
    }

    private static void expect(List<String> warnings, String expected) {
        if (expected.isEmpty()) {
            assertThat(warnings).isEmpty();
        } else {
            assertThat(warnings).anyMatch(warning -> warning.contains(expected));
        }
    }

    @ParameterizedTest
    @CsvSource({"20, 100, ''", "2, 100, reads the active weights", "20, 10000, computes the prompt"})
    void checksTtftOfRequests(double ttftMs, long prompt, String expected) {
        long first = Math.round(ttftMs * MS);
        expect(
                warnings(builder(1)
                        .request("file:1", Request.completed("a", 0, first, 900 * MS, prompt, 5, new long[0]))),
                expected);
    }

    @ParameterizedTest
    @CsvSource({
        "ttft, 20, 1, ''",
        "ttft, 2, 1, 'TTFT mean is 2.000'",
        "ttft, 2, 8, ''",
        "tpot, 9, 1, ''",
        "tpot, 2, 1, without speculative decoding",
        "e2e, 2, 1, ''"
    })
    void checksPublishedMeans(String metric, double ms, int devices, String expected) {
        MeasurementBuilder builder = builder(devices);
        builder.published(new Published(metric, "", "mean", ms * MS, Optional.empty(), Optional.empty()), "file");
        expect(warnings(builder), expected);
    }

    /** Weights of 16.4 GB take 4.9 ms on one device. A client does not know the number of devices of the server. */
    @ParameterizedTest
    @CsvSource({"2, ''", "0.62, ''", "0.5, require at least 10 devices (H100-SXM-80GB"})
    void allowsTheDevicesOfANodeIfTheFileDoesNotStateThem(double ms, String expected) {
        MeasurementBuilder builder = builder();
        builder.published(new Published("tpot", "", "mean", ms * MS, Optional.empty(), Optional.empty()), "file");
        expect(warnings(builder), expected);
        expect(
                warnings(builder()
                        .request(
                                "file:1", Request.completed("a", 0, Math.round(ms * MS), 900 * MS, 1, 5, new long[0]))),
                expected);
    }

    @ParameterizedTest
    @CsvSource({"20000, ''", "900000, expected at most"})
    void checksOutputRates(double rate, String expected) {
        expect(warnings(builder(1).rate("output_tokens_per_s", rate)), expected);
    }

    @ParameterizedTest
    @CsvSource({
        "all_reduce, 275, 481.25, ''",
        "all_reduce, 1000, 1750, all_reduce of 1000000 bytes on 8 ranks",
        "all_gather, 400, 350, ''",
        "all_gather, 800, 700, expected at most 450.0 GB/s"
    })
    void checksBandwidths(String collective, double algorithm, double bus, String expected) {
        Collective row = new Collective(collective, 8, 1_000_000, false, 1_000_000 / algorithm, algorithm, bus, 0);
        expect(warnings(builder().operations(List.of(), List.of(row), List.of("file:3"))), expected);
    }
}
