package dev.stagesim.stage.vidursim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.serving.CalibrationDocument;
import org.junit.jupiter.api.Test;

class CalibratedSizesTest {
    @Test
    void acceptsSizesWithinTheFit() {
        assertThat(new CalibratedSizes(new CalibrationDocument.Sizes(4, 100)).beyond(100))
                .isEmpty();
    }

    @Test
    void reportsExtrapolationForLongerRequests() {
        assertThat(new CalibratedSizes(new CalibrationDocument.Sizes(4, 100)).beyond(101))
                .singleElement()
                .asString()
                .contains("101 tokens", "at most 100");
    }
}
