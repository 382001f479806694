package dev.stagesim.io.measured;

import static dev.stagesim.model.Nanos.NS_PER_US;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonMode;
import dev.stagesim.io.measured.Operations.Collective;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** JSON lines of rccl-tests ({@code -Z json -x FILE}): one line for each message size and use of the buffers; us and GB/s of 10^9. */
final class RcclTestsFormat extends ResultFormat {
    RcclTestsFormat() {
        super("rccl_tests", "JSON lines of rccl-tests -Z json");
    }

    @Override
    boolean recognises(Glimpse file) {
        return file.hasMembers("algBw", "busBw", "ranks", "size");
    }

    @Override
    Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(true, true, "rccl-tests have no requests");
        List<Collective> rows = new ArrayList<>();
        List<String> places = new ArrayList<>();
        for (JsonAt line : Json.readAll(file, JsonMode.NON_FINITE)) {
            rows.add(new Collective(
                    Collectives.named(line.get("name").asString()),
                    line.get("ranks").asInt(),
                    line.get("size").asLong(),
                    line.get("inPlace").asLong() != 0,
                    line.get("time").asDouble() * NS_PER_US,
                    line.get("algBw").asDouble(),
                    line.get("busBw").asDouble(),
                    wrong(line)));
            places.add(line.where());
        }
        Draft draft = new Draft(name(), "rccl-tests", file.toString());
        draft.means("time_ns", "one call, mean over calls");
        if (rows.stream().anyMatch(row -> row.wrong() > 0)) {
            draft.warn("some results were wrong: the times are of a broken run");
        }
        return draft.operations(List.of(), rows, places).done();
    }

    /** The count is text; -1 if the results were not checked. */
    private static long wrong(JsonAt line) {
        String text = line.find("#wrong").map(JsonFacts::text).orElse("");
        return text.matches("\\d{1,18}") ? Long.parseLong(text) : -1;
    }
}
