package dev.stagesim.feature.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.sim.serving.request.RequestTrace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RequestSamplesTest {
    private final Path root = Jimfs.newFileSystem(Configuration.unix()).getPath("/run");

    /** The second seed has the requests of the first one in another order. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void repeatsRequestsInAnotherOrderAtTheSameRate(int seed) throws IOException {
        RequestSamples samples = Plans.read(root);
        assertThat(samples.canRepeat()).isTrue();
        RequestTrace once = samples.at(10, seed, 1);
        RequestTrace four = samples.at(10, seed, 4);
        int size = once.size();
        assertThat(four.size()).isEqualTo(4 * size);
        assertThat(four.hasUniqueTokens()).isTrue();
        assertThat(four.arrivalSeconds(4 * size - 1)).isCloseTo((4 * size - 1) / 10.0, within(1e-9));
        for (int i = 0; i < size; i++) {
            assertThat(four.arrivalSeconds(i)).isEqualTo(once.arrivalSeconds(i));
            assertThat(four.prefillTokens(i)).isEqualTo(once.prefillTokens(i));
        }
        for (int repetition = 1; repetition < 4; repetition++) {
            assertThat(outputs(four, repetition * size, size)).isNotEqualTo(outputs(once, 0, size));
            assertThat(outputs(four, repetition * size, size)).containsExactlyInAnyOrder(outputs(once, 0, size));
        }
        for (int i = 1; i < four.size(); i++) {
            assertThat(four.arrivalSeconds(i)).isGreaterThanOrEqualTo(four.arrivalSeconds(i - 1));
        }
    }

    private static int[] outputs(RequestTrace trace, int from, int count) {
        return IntStream.range(from, from + count).map(trace::decodeTokens).toArray();
    }
}
