package dev.stagesim.verify.vllm;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.sim.serving.cluster.DataParallelBalancer;
import dev.stagesim.sim.serving.memory.VllmRules;
import dev.stagesim.sim.serving.settings.BatchDefaults;
import dev.stagesim.verify.CaseFolders;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Difference;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Replays recorded decisions of vLLM's V1 scheduler step by step, and tables of functions that vLLM calls before or
 * after it.
 */
public final class VllmSuite {
    private static final String PART = "cases";

    private final VllmRules rules;

    private VllmSuite(VllmRules rules) {
        this.rules = rules;
    }

    /** Returns the suite of one version of the scheduler. */
    public static Suite of(VllmRules rules) {
        return new Suite(
                rules == VllmRules.V0_28 ? "vllm-v1" : "vllm-" + rules.id(),
                "Steps of vLLM's V1 scheduler, version " + rules.id()
                        + ": scheduled tokens, blocks, preemptions, hits, queues; a folder with"
                        + " cases/<case>/{case.json,expected.jsonl} and tables/*.{jsonl,csv}.",
                new VllmSuite(rules)::run);
    }

    private void run(Path corpus, Consumer<CaseResult> results) throws IOException {
        for (Path path : CaseFolders.in(corpus.resolve("cases"))) {
            results.accept(replay(path));
        }
        TableLines.run(corpus.resolve("tables"), results);
    }

    private CaseResult replay(Path path) throws IOException {
        String id = String.valueOf(path.getFileName());
        LocatedJson recorded = Json.read(path.resolve("case.json"));
        List<String> expected = Files.readAllLines(path.resolve("expected.jsonl"), StandardCharsets.UTF_8);
        List<String> actual = new ArrayList<>();
        try {
            new VllmReplay(recorded, rules, actual::add).run();
        } catch (IllegalStateException | IndexOutOfBoundsException broken) {
            // The steps before it are compared. The missing line shows the failing step.
            actual.add(broken.toString());
        }
        for (int i = 0; i < Math.max(expected.size(), actual.size()); i++) {
            String wanted = i < expected.size() ? expected.get(i) : "nothing";
            String got = i < actual.size() ? actual.get(i) : "nothing";
            if (!isSame(wanted, got)) {
                return CaseResult.failed(PART, id, "line " + (i + 1), wanted, got);
            }
        }
        return CaseResult.passed(PART, id);
    }

    private static boolean isSame(String wanted, String got) {
        return wanted.equals(got)
                || (got.startsWith("{")
                        && wanted.startsWith("{")
                        && Json.parse(wanted, "expected")
                                .value()
                                .equals(Json.parse(got, "actual").value()));
    }

    /** Replays the tables of other functions; each line is a case. */
    private static final class TableLines {
        private static final double GIB = 1L << 30;

        private TableLines() {}

        static void run(Path folder, Consumer<CaseResult> results) throws IOException {
            lines(folder, "kv_sizing", results, line -> new SizingLine(line).differences());
            lines(folder, "cudagraph_padding", results, line -> new GraphLine(line, 1).differences());
            lines(folder, "cudagraph_padding_runner2", results, line -> new GraphLine(line, 2).differences());
            lines(folder, "dp_balancer", results, TableLines::balancer);
            defaults(folder.resolve("batch_defaults.csv"), results);
        }

        private static void lines(
                Path folder, String name, Consumer<CaseResult> results, Function<LocatedJson, List<Difference>> replay)
                throws IOException {
            Path file = folder.resolve(name + ".jsonl");
            if (!Files.isRegularFile(file)) {
                return;
            }
            for (String text : Files.readAllLines(file, StandardCharsets.UTF_8)) {
                LocatedJson line = Json.parse(text, file.toString());
                String id = line.get("id").asString();
                List<Difference> differences = replay.apply(line);
                results.accept(CaseResult.of(name, id, differences));
            }
        }

        private static List<Difference> balancer(LocatedJson line) {
            DataParallelBalancer balancer = new DataParallelBalancer(
                    line.get("engines").asInt(),
                    line.get("client_count").asInt(),
                    line.get("client_index").asInt());
            Map<String, Integer> engines = new HashMap<>();
            List<Difference> differences = new ArrayList<>();
            for (LocatedJson op : line.get("ops").items()) {
                if (op.has("stats")) {
                    List<LocatedJson> stats = op.get("stats").items();
                    for (int i = 0; i < stats.size(); i++) {
                        double[] figures = stats.get(i).asDoubles();
                        balancer.report(i, (int) figures[0], (int) figures[1], figures[2]);
                    }
                } else if (op.has("done")) {
                    balancer.done(engines.getOrDefault(op.get("done").asString(), 0));
                } else {
                    int wanted = op.get("to").asInt();
                    int got = wanted;
                    if (op.has("rank")) {
                        balancer.named(op.get("rank").asInt());
                    } else {
                        got = balancer.choose(engine -> true);
                        balancer.sent(got);
                    }
                    engines.put(op.get("req").asString(), got);
                    if (got != wanted) {
                        differences.add(new Difference(op.where(), Integer.toString(wanted), Integer.toString(got)));
                    }
                }
            }
            return differences;
        }

        private static void defaults(Path file, Consumer<CaseResult> results) throws IOException {
            if (!Files.isRegularFile(file)) {
                return;
            }
            List<String> rows = Files.readAllLines(file, StandardCharsets.UTF_8);
            for (String row : rows.subList(1, rows.size())) {
                String[] fields = row.split(",", -1);
                BatchDefaults.Use use =
                        switch (fields[2]) {
                            case "LLM_CLASS" -> BatchDefaults.Use.OFFLINE;
                            case "OPENAI_API_SERVER" -> BatchDefaults.Use.SERVER;
                            default -> BatchDefaults.Use.OTHER;
                        };
                BatchDefaults got = BatchDefaults.of(fields[0], Double.parseDouble(fields[1]) * GIB, use);
                String id = fields[0] + " " + fields[1] + " " + fields[2];
                String wanted = fields[3] + " tokens, " + fields[4] + " requests";
                String actual = got.maxNumBatchedTokens() + " tokens, " + got.maxNumSeqs() + " requests";
                results.accept(
                        wanted.equals(actual)
                                ? CaseResult.passed("batch_defaults", id)
                                : CaseResult.failed("batch_defaults", id, "", wanted, actual));
            }
        }
    }
}
