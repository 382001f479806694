package dev.stagesim.verify.chakra;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.trace.text.TextOptions;
import dev.stagesim.sim.trace.text.TextSchema;
import dev.stagesim.verify.Difference;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Text converted to schema 1.0.0. */
final class TextPart implements ChakraPart {
    private static final List<String> OPTIONS =
            List.of("--log-filename", "--input", "--output", "--num-npus", "--num-passes");

    @Override
    public String name() {
        return "text";
    }

    @Override
    public List<Difference> replay(ChakraCase recorded) throws IOException {
        Arguments arguments = Arguments.parse(recorded.arguments(), OPTIONS);
        if (arguments.others().isEmpty()) {
            // Without a command the converter prints its usage.
            return recorded.compare(Map.of());
        }
        if (!arguments.others().equals(List.of("Text"))) {
            throw StageException.input(Problem.of("case", "argv", "expected the command Text"));
        }
        TextOptions options = new TextOptions(
                TextSchema.V1_0_0,
                true,
                false,
                arguments.count("--num-npus"),
                arguments.count("--num-passes"),
                false,
                0,
                1);
        return recorded.compare(
                TextRun.files(recorded, recorded.file(arguments.get("--input")), arguments.get("--output"), options));
    }
}
