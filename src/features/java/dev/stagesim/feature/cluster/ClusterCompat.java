package dev.stagesim.feature.cluster;

import dev.stagesim.contract.RequestStatus;
import dev.stagesim.contract.Tables;
import dev.stagesim.feature.cluster.ClusterSimSettings.Cluster;
import dev.stagesim.feature.cluster.ClusterSimSettings.Role;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.serving.ServingInput;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/** The section {@code compat}: a simulator that is reproduced with its accidents, one record for each, in its own file. */
public sealed interface ClusterCompat permits SplitwiseCompat, BlisCompat {
    /** What of a cluster it does not know. */
    List<Problem> problems(Cluster cluster);

    /** Files that it reads. */
    List<Path> reads();

    /**
     * Runs the requests, writes what comes of them, and returns its figures.
     *
     * @throws StageException when a file does not have what it needs
     */
    Map<String, Double> run(ModelCard model, List<PoolPlan> pools, ServingInput input, Path out) throws IOException;

    /** Sections of a cluster that a peer of this kind does not read. */
    static List<Problem> unread(Cluster cluster, String kind) {
        Map<String, Boolean> sections = new LinkedHashMap<>();
        sections.put("signals", cluster.signals().isPresent());
        sections.put("kv_events", cluster.kvEvents().isPresent());
        sections.put("split", cluster.split().isPresent());
        sections.put("transfer", cluster.transfer().isPresent());
        sections.put("start", cluster.start().isPresent());
        sections.put("failures", cluster.failures().isPresent());
        sections.put("stragglers", cluster.stragglers().isPresent());
        sections.put("gateway", cluster.gateway().isPresent());
        sections.put("sessions", cluster.sessions().isPresent());
        cluster.pools().forEach((name, pool) -> {
            String at = "pools." + name + ".";
            sections.put(at + "scaling", pool.scaling().isPresent());
            sections.put(at + "tiers", pool.tiers().isPresent());
            sections.put(at + "loras", pool.loras().isPresent());
            sections.put(at + "experts", pool.experts().isPresent());
            sections.put(at + "retain_s", pool.retainS() > 0);
        });
        return sections.entrySet().stream()
                .filter(Map.Entry::getValue)
                .map(section -> Problem.config("cluster." + section.getKey(), "is not read with compat.kind=" + kind)
                        .hint("leave it out, or compat"))
                .toList();
    }

    /**
     * What came of a request.
     *
     * @param tpotNs not a number where there is none
     */
    record Served(RequestStatus status, long ttftNs, long e2eNs, double tpotNs) {
        boolean isDone() {
            return status == RequestStatus.COMPLETED;
        }
    }

    /** Writes the table of requests. */
    static void requests(ServingInput input, Path out, IntFunction<Served> served) throws IOException {
        try (TableWriter table = TableWriter.create(
                out.resolve(Tables.REQUEST_METRICS.name()),
                Tables.REQUEST_METRICS,
                List.of("e2e_time_ns", "tpot_ns"))) {
            for (int i = 0; i < input.trace().size(); i++) {
                Served one = served.apply(i);
                long arrival = input.arrivalNs(i);
                long output = input.trace().decodeTokens(i);
                table.put((long) input.id(i)).put(arrival);
                table.putIf(one.isDone(), arrival + one.ttftNs());
                table.putIf(one.isDone(), one.ttftNs());
                table.putIf(one.isDone(), arrival + one.e2eNs());
                table.put((long) input.trace().prefillTokens(i)).put(output).put(one.isDone() ? output : 0);
                table.put(one.status().text());
                table.putIf(one.isDone(), one.e2eNs());
                table.putFinite(one.tpotNs());
                table.endRow();
            }
        }
    }

    /** Whether some pool is for prompts or outputs alone. */
    static boolean isApart(Cluster cluster) {
        return cluster.pools().values().stream().anyMatch(pool -> pool.role() != Role.BOTH);
    }

    /** Instances of the pools of a role. */
    static int count(List<PoolPlan> pools, Role role) {
        return pools.stream()
                .filter(pool -> pool.role() == role)
                .mapToInt(PoolPlan::replicas)
                .sum();
    }

    /** The page of a peer's run: what it says, its figures, and what it leaves out. */
    static Report report(String peer, String model, long instances, Map<String, Double> figures, String missing) {
        DataTable table = new DataTable("Figures").columns("Figure", "#Value");
        figures.forEach((name, value) -> table.row(
                name, value == Math.rint(value) ? Numbers.count(Math.round(value)) : Numbers.significant(value, 4)));
        return new Report(peer + "'s simulated cluster")
                .footer("Stagesim · cluster_sim")
                .answer(
                        Report.Tone.PLAIN,
                        model + " on " + instances + " instances, simulated as " + peer + " does: P99 TTFT "
                                + Numbers.significant(figures.getOrDefault("ttft_p99_ms", Double.NaN), 3)
                                + " ms and P99 E2E "
                                + Numbers.significant(figures.getOrDefault("e2e_p99_ms", Double.NaN), 3) + " ms.")
                .section("figures", "Figures")
                .table(table)
                .section("not", "Not modelled")
                .prose(missing);
    }
}
