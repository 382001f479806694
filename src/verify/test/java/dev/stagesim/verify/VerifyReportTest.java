package dev.stagesim.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.stagesim.io.json.Json;
import dev.stagesim.model.StageException;
import java.util.List;
import org.junit.jupiter.api.Test;

class VerifyReportTest {
    private static final Deviation RULE = new Deviation("no-x", "spec section 2", "x is refused");
    private static final CaseResult FAILED = CaseResult.failed("p", "c2", "time", "2.0", "2.5");

    private final VerifyReport report = new VerifyReport(
            "demo", List.of(CaseResult.passed("p", "c1"), FAILED, CaseResult.deviates("q", "c3", RULE)));

    @Test
    void countsDeviationsAsPassed() {
        assertThat(Json.compact(report.json()))
                .isEqualTo("{\"cases\":3,\"deviations\":[{\"behaviour\":\"x is refused\",\"ids\":[\"c3\"],"
                        + "\"rule\":\"no-x\",\"spec\":\"spec section 2\"}],\"failed\":[{\"id\":\"c2\",\"why\":"
                        + "\"p: time: expected 2.0, got 2.5 (absolute 0.500, relative 0.250)\"}],\"passed\":2,"
                        + "\"suite\":\"demo\"}");
    }

    @Test
    void listsPartsFailuresAndRules() {
        assertThat(report.lines())
                .containsExactly(
                        "p 1 of 2",
                        "q 1 of 1",
                        "failed p c2: time: expected 2.0, got 2.5 (absolute 0.500, relative 0.250)",
                        "deviation no-x (spec section 2): x is refused: c3");
    }

    @Test
    void failsTheCheckWithExitCode3() {
        StageException refused = assertThrows(StageException.class, report::check);

        assertThat(refused.kind()).isEqualTo(StageException.Kind.CHECK);
        assertThat(refused.getMessage()).contains("1 of 3 cases are not reproduced");
        assertThatCode(() -> new VerifyReport("demo", List.of(CaseResult.passed("p", "a"))).check())
                .doesNotThrowAnyException();
    }
}
