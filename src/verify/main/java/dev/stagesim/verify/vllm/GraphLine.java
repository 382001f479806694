package dev.stagesim.verify.vllm;

import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.sim.kernels.GraphCapture;
import dev.stagesim.sim.kernels.GraphCapture.Graph;
import dev.stagesim.sim.kernels.GraphCapture.Kind;
import dev.stagesim.sim.kernels.GraphCapture.Mode;
import dev.stagesim.verify.Difference;
import java.util.ArrayList;
import java.util.List;

/** One line of a table of captured graphs. */
final class GraphLine {
    /** Number of token counts above the largest graph that the tables include. */
    private static final int COUNTS_ABOVE_LARGEST = 2;

    private final LocatedJson line;
    private final int seqs;
    private final int batched;
    private final int tokensPerRequest;
    private final int runner;
    private final GraphCapture capture;

    GraphLine(LocatedJson line, int runner) {
        this.line = line;
        this.runner = runner;
        LocatedJson in = line.get("in");
        seqs = in.get("max_num_seqs").asInt();
        batched = in.get("max_num_batched_tokens").asInt();
        tokensPerRequest = 1 + in.get("num_speculative_tokens").asInt();
        String mode = in.get("cudagraph_mode").asString();
        capture = new GraphCapture(new GraphCapture.Settings(
                mode.equals("default") ? Mode.FULL_AND_PIECEWISE : Mode.valueOf(mode),
                seqs,
                batched,
                tokensPerRequest - 1,
                runner,
                in.get("compute_capability").asString().startsWith("10."),
                in.find("performance_mode")
                        .map(LocatedJson::asString)
                        .orElse("balanced")
                        .equals("interactivity"),
                sizes(in),
                in.find("user_max_capture_size")
                        .filter(max -> !max.isNull())
                        .map(LocatedJson::asInt)
                        .orElse(0),
                1));
    }

    private static List<Integer> sizes(LocatedJson in) {
        return in.find("user_capture_sizes")
                .filter(list -> !list.isNull())
                .map(list -> list.items().stream().map(LocatedJson::asInt).toList())
                .orElse(List.of());
    }

    List<Difference> differences() {
        List<Difference> differences = new ArrayList<>();
        check("capture_sizes", texts(line.get("capture_sizes")), capture.sizes().toString(), differences);
        check(
                "max_capture_size",
                Integer.toString(line.get("max_capture_size").asInt()),
                Integer.toString(capture.largest()),
                differences);
        LocatedJson dispatch = line.get("dispatch");
        check("uniform_decode", runs(dispatch.get("uniform_decode")), uniform(), differences);
        check("mixed", runs(dispatch.get("mixed")), mixed(), differences);
        return differences;
    }

    private static void check(String where, String wanted, String got, List<Difference> differences) {
        if (!wanted.equals(got)) {
            differences.add(new Difference(where, wanted, got));
        }
    }

    private static String texts(LocatedJson list) {
        return list.items().stream().map(LocatedJson::asInt).toList().toString();
    }

    private static String runs(LocatedJson list) {
        List<String> runs = new ArrayList<>();
        for (LocatedJson run : list.items()) {
            List<LocatedJson> parts = run.items();
            runs.add(text(
                    parts.get(0).asInt(),
                    parts.get(1).asInt(),
                    parts.get(2).asString(),
                    parts.get(3).asInt(),
                    parts.get(4).isNull() ? 0 : parts.get(4).asInt()));
        }
        return runs.toString();
    }

    private static String text(int from, int to, String kind, int tokens, int requests) {
        return from + "-" + to + " " + kind + " " + tokens + " " + requests;
    }

    private int maxTokens() {
        return Math.min(capture.largest() + COUNTS_ABOVE_LARGEST, batched);
    }

    private String uniform() {
        List<Integer> counts = new ArrayList<>();
        for (int tokens = tokensPerRequest;
                tokens <= Math.min(maxTokens(), seqs * tokensPerRequest);
                tokens += tokensPerRequest) {
            counts.add(tokens);
        }
        return runs(counts, true);
    }

    private String mixed() {
        List<Integer> counts = new ArrayList<>();
        for (int tokens = 1; tokens <= maxTokens(); tokens++) {
            counts.add(tokens);
        }
        return runs(counts, false);
    }

    private String runs(List<Integer> counts, boolean isUniform) {
        List<String> runs = new ArrayList<>();
        int from = 0;
        for (int i = 0; i < counts.size(); i++) {
            Graph graph = graph(counts.get(i), isUniform);
            boolean continues = i + 1 < counts.size()
                    && counts.get(i + 1) == counts.get(i) + 1
                    && graph(counts.get(i + 1), isUniform).equals(graph);
            if (!continues) {
                runs.add(text(counts.get(from), counts.get(i), graph.kind().name(), graph.tokens(), graph.requests()));
                from = i + 1;
            }
        }
        return runs.toString();
    }

    private Graph graph(int tokens, boolean isUniform) {
        int requests = isUniform ? tokens / tokensPerRequest : runner == 2 ? Math.min(2, tokens) : 1;
        Graph graph = capture.choose(tokens, requests, isUniform);
        return graph.kind() == Kind.FULL ? graph : new Graph(graph.kind(), graph.tokens(), 0);
    }
}
