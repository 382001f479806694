package dev.stagesim.verify.fidelity;

import dev.stagesim.io.csv.LooseTable;
import dev.stagesim.sim.serving.request.RequestTrace;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Predicts published runs with a request log, by replaying the recorded lengths and arrivals. */
final class RequestLog {
    private static final List<String> SETTING = List.of(
            "source_id",
            "engine",
            "engine_version",
            "model",
            "gpu",
            "tp",
            "dp",
            "ep",
            "max_num_seqs",
            "max_num_batched_tokens");

    private RequestLog() {}

    static void judge(LooseTable log, Subjects subjects, FidelityReport report) {
        Map<String, List<Integer>> runs = new LinkedHashMap<>();
        for (int i = 0; i < log.size(); i++) {
            StringBuilder key = new StringBuilder();
            for (String column : SETTING) {
                key.append(log.text(i, column)).append('|');
            }
            runs.computeIfAbsent(key.toString(), none -> new ArrayList<>()).add(i);
        }
        runs.values().forEach(run -> judge(log, run, subjects, report));
    }

    private static void judge(LooseTable log, List<Integer> run, Subjects subjects, FidelityReport report) {
        int n = run.size();
        double[] arrivals = new double[n];
        int[] inputs = new int[n];
        int[] outputs = new int[n];
        double[] ttft = new double[n];
        double[] tpot = new double[n];
        double[] e2e = new double[n];
        int longest = 0;
        double end = 0;
        double tokens = 0;
        for (int i = 0; i < n; i++) {
            int at = run.get(i);
            arrivals[i] = log.number(at, "queued_s");
            inputs[i] = log.integer(at, "input_tokens");
            outputs[i] = log.integer(at, "output_tokens");
            double first = log.number(at, "first_token_s");
            double last = log.number(at, "last_token_s");
            ttft[i] = (first - arrivals[i]) * LoadRun.MS;
            tpot[i] = outputs[i] > 1 ? (last - first) / (outputs[i] - 1) * LoadRun.MS : 0;
            e2e[i] = (last - arrivals[i]) * LoadRun.MS;
            longest = Math.max(longest, inputs[i] + outputs[i]);
            end = Math.max(end, last);
            tokens += outputs[i];
        }
        int first = run.get(0);
        int copies = Math.max(1, log.integer(first, "dp"));
        Row row = row(log, first, "output_throughput", tokens / end);
        try {
            Subject subject = subjects.of(row);
            LoadRun load = new LoadRun(subject.of(longest + 1));
            LoadRun.LoadResult served = replay(load, arrivals, inputs, outputs, copies);
            report.log(new RowPrediction(row, served.tokensPerSecond()));
            for (String statistic : List.of("p50", "p95")) {
                add(log, first, "ttft_", statistic, ttft, served.ttftMs(), report);
                add(log, first, "tpot_", statistic, tpot, served.tpotMs(), report);
                add(log, first, "e2e_", statistic, e2e, served.e2eMs(), report);
            }
        } catch (UnpredictableRow refusal) {
            report.refuse(row, refusal.why());
        }
    }

    /**
     * Simulates one of the {@code copies} data-parallel attention engines: it receives every n-th request and
     * represents the others.
     */
    private static LoadRun.LoadResult replay(LoadRun load, double[] arrivals, int[] inputs, int[] outputs, int copies) {
        if (copies == 1) {
            return load.replay(new RequestTrace(arrivals, inputs, outputs));
        }
        int n = (arrivals.length + copies - 1) / copies;
        double[] at = new double[n];
        int[] in = new int[n];
        int[] out = new int[n];
        for (int i = 0; i < n; i++) {
            at[i] = arrivals[i * copies];
            in[i] = inputs[i * copies];
            out[i] = outputs[i * copies];
        }
        LoadRun.LoadResult one = load.replay(new RequestTrace(at, in, out));
        return new LoadRun.LoadResult(
                one.ttftMs(), one.tpotMs(), one.e2eMs(), one.gapsMs(), one.tokensPerSecond() * copies);
    }

    private static void add(
            LooseTable log,
            int at,
            String what,
            String statistic,
            double[] real,
            double[] simulated,
            FidelityReport report) {
        Row row = row(log, at, what + statistic, Predictions.statistic(real, statistic));
        report.log(new RowPrediction(row, Predictions.statistic(simulated, statistic)));
    }

    private static Row row(LooseTable log, int at, String metric, double value) {
        int tensor = log.integer(at, "tp");
        int copies = Math.max(1, log.integer(at, "dp"));
        return new Row(
                new Row.Origin(String.valueOf(log.file().getFileName()), at + 2, log.text(at, "source_id")),
                new Row.Setup(
                        log.text(at, "engine"),
                        log.text(at, "engine_version"),
                        log.text(at, "model"),
                        "",
                        "bf16",
                        log.text(at, "gpu")),
                new Row.Groups(tensor * copies, tensor, 1, copies, Math.max(1, log.integer(at, "ep"))),
                new Row.Load("0", 0, "log", Double.NaN),
                metric,
                value,
                "chunk " + log.text(at, "max_num_batched_tokens") + "; max_num_seqs " + log.text(at, "max_num_seqs"));
    }
}
