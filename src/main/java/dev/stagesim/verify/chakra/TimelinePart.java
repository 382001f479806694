package dev.stagesim.verify.chakra;

import dev.stagesim.io.drawing.TimelineJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.trace.inspect.IssueLog;
import dev.stagesim.verify.Difference;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Logs of issues and callbacks as timelines, byte for byte. */
final class TimelinePart implements ChakraPart {
    private static final List<String> OPTIONS =
            List.of("--input_filename", "--output_filename", "--num_npus", "--npu_frequency", "--log_filename");

    @Override
    public String name() {
        return "timeline";
    }

    @Override
    public List<Difference> replay(ChakraCase recorded) throws IOException {
        Arguments arguments = Arguments.parse(recorded.arguments(), OPTIONS);
        long npus = arguments.number("--num_npus");
        long frequency = arguments.number("--npu_frequency");
        Path file = recorded.file(arguments.get("--input_filename"));
        List<IssueLog.Run> runs = IssueLog.read(
                file.toString(),
                Files.readAllLines(file, StandardCharsets.UTF_8).iterator(),
                npus);
        if (frequency == 0 && !runs.isEmpty()) {
            throw StageException.input(Problem.of("case", "--npu_frequency", "expected a frequency above 0"));
        }
        String json = TimelineJson.likeReference(runs, frequency, npus);
        return recorded.compare(Map.of(arguments.get("--output_filename"), json.getBytes(StandardCharsets.UTF_8)));
    }
}
