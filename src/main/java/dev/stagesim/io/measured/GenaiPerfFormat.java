package dev.stagesim.io.measured;

import dev.stagesim.io.json.JsonBinder;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.model.Count;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Profile of GenAI-Perf's engine (Perf Analyzer): stamps of every request and response, in ns.
 *
 * <p>It counts responses, not tokens, and holds texts rather than lengths, so times to first response, gaps and latencies
 * are known and everything per token is not.
 */
final class GenaiPerfFormat extends ResultFormat {
    GenaiPerfFormat() {
        super("genai_perf", "profile_export.json of GenAI-Perf");
    }

    @Override
    boolean recognises(Glimpse file) {
        return file.hasMembers("experiments");
    }

    @Override
    Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(false, true, "GenAI-Perf does not tell how long requests waited in the client");
        LocatedJson root = Entries.pick(file, ReadOptions.NONE, at -> "");
        LocatedJson run = Entries.pick(root.get("experiments").items(), root.source(), options, GenaiPerfFormat::label);
        Draft draft = new Draft(name(), "GenAI-Perf", root.source());
        draft.settings(run.get("experiment"));
        draft.clock("the client's clock, ns");
        draft.means("ttft", "request to first response");
        draft.means("token_gap", "B: between responses, which may hold several tokens");
        draft.derive("ttft", "e2e", "token_gap");
        long failed = 0;
        for (LocatedJson at : run.get("requests").items()) {
            Exchange request = JsonBinder.FOREIGN.bind(at, Exchange.class);
            long[] responses = request.responseTimestamps();
            if (responses.length == 0) {
                failed++;
                continue;
            }
            for (int i = 0; i < responses.length; i++) {
                responses[i] = Units.since(responses[i], request.timestamp());
            }
            long last = responses[responses.length - 1];
            // responses may contain several tokens, so their number only shows that there was an answer
            draft.undated(
                    at.where(), Request.completed(at.where(), 0, responses[0], last, 0, responses.length, responses));
        }
        if (failed > 0) {
            draft.warn(Count.of(failed, "request") + " had no response, which no figure includes");
        }
        return draft.done();
    }

    /** One request and the times at which its responses arrived. */
    private record Exchange(long timestamp, long[] responseTimestamps) {}

    private static String label(LocatedJson run) {
        LocatedJson experiment = run.get("experiment");
        return " (" + experiment.text("mode", "") + " "
                + experiment
                        .find("value")
                        .map(LocatedJson::asDouble)
                        .map(String::valueOf)
                        .orElse("") + ")";
    }
}
