package dev.stagesim.io.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class RecordJsonTest {
    private enum Level {
        VERY_HIGH
    }

    private record Part(int count, Optional<Double> share) {}

    private record Whole(
            Optional<Path> file,
            Level level,
            List<Part> parts,
            Map<String, Double> shares,
            boolean isDone,
            long bytes) {}

    private static final Whole WHOLE = new Whole(
            Optional.of(Path.of("a/b.yaml")),
            Level.VERY_HIGH,
            List.of(new Part(1, Optional.empty()), new Part(2, Optional.of(3.0))),
            Map.of("x", 0.5),
            true,
            1L << 40);

    @Test
    void writesARecordAsAnObjectOfItsComponents() {
        assertThat(Json.compact(RecordJson.write(WHOLE)))
                .isEqualToIgnoringWhitespace(
                        """
                        {"bytes": 1099511627776, "file": "a/b.yaml", "is_done": true, "level": "very_high",
                         "parts": [{"count": 1, "share": null}, {"count": 2, "share": 3.0}], "shares": {"x": 0.5}}""");
    }

    @Test
    void omitsEmptyComponentsInTheSparseForm() {
        assertThat(Json.compact(RecordJson.sparse(new Part(2, Optional.of(3.0)))))
                .isEqualToIgnoringWhitespace("{\"count\": 2, \"share\": 3}");
        assertThat(Json.compact(RecordJson.sparse(new Part(1, Optional.empty()))))
                .isEqualToIgnoringWhitespace("{\"count\": 1}");
    }
}
