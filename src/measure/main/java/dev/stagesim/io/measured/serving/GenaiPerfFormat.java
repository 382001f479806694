package dev.stagesim.io.measured.serving;

import dev.stagesim.io.json.JsonBinder;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.FormatProbe;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.MeasurementBuilder;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.io.measured.ResultFormat;
import dev.stagesim.io.measured.ResultSelector;
import dev.stagesim.io.measured.ToolUnits;
import dev.stagesim.model.Count;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Profile of GenAI-Perf's engine (Perf Analyzer): times of every request and response, in ns.
 *
 * <p>It contains texts but no token counts. Times to first response, gaps and latencies are therefore known, and times per
 * token are not.
 */
public final class GenaiPerfFormat extends ResultFormat {
    public GenaiPerfFormat() {
        super("genai_perf", "profile_export.json of GenAI-Perf");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        return file.hasMembers("experiments");
    }

    @Override
    public Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(false, true, "GenAI-Perf does not report the wait in the client");
        LocatedJson root = ResultSelector.pick(file, ReadOptions.NONE, at -> "");
        LocatedJson run =
                ResultSelector.pick(root.get("experiments").items(), root.source(), options, GenaiPerfFormat::label);
        MeasurementBuilder builder = new MeasurementBuilder(name(), "GenAI-Perf", root.source());
        builder.settings(run.get("experiment"));
        builder.clock("the client's clock, ns");
        builder.means("ttft", "request to first response");
        builder.means("token_gap", "B: between responses, which may contain several tokens");
        builder.derive("ttft", "e2e", "token_gap");
        long failed = 0;
        for (LocatedJson at : run.get("requests").items()) {
            Exchange request = JsonBinder.FOREIGN.bind(at, Exchange.class);
            long[] responses = request.responseTimestamps();
            if (responses.length == 0) {
                failed++;
                continue;
            }
            for (int i = 0; i < responses.length; i++) {
                responses[i] = ToolUnits.since(responses[i], request.timestamp());
            }
            long last = responses[responses.length - 1];
            // responses may contain several tokens, so their number is not the number of tokens
            builder.undated(
                    at.where(), Request.completed(at.where(), 0, responses[0], last, 0, responses.length, responses));
        }
        if (failed > 0) {
            builder.warn(Count.of(failed, "request") + " had no response and are in no aggregate");
        }
        return builder.done();
    }

    /** One request and the times of its responses. */
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
