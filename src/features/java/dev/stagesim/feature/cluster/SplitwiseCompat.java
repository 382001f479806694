package dev.stagesim.feature.cluster;

import dev.stagesim.feature.cluster.ClusterSimSettings.Cluster;
import dev.stagesim.feature.cluster.ClusterSimSettings.Role;
import dev.stagesim.model.Key;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.Problem;
import dev.stagesim.model.Variant;
import dev.stagesim.serving.ServingInput;
import dev.stagesim.sim.serving.cluster.SplitwiseCluster.Rule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Splitwise's simulator: its schedulers, batches, memory and transfers in place of the engines'. */
@Variant("splitwise | splitwise-sim: pools of prompts and of tokens, or one of both, with its own schedulers, batches,"
        + " memory and transfers; cluster.router and engines are not used.")
public record SplitwiseCompat(
        @Key("How instances are chosen. | jsq") Scheduler scheduler,
        @Key("Maximum tasks of a batch. | 512 | 1..1000000") int maxBatchSize,
        @Key("Maximum tokens of a batch. | 2048 | tokens | 1..1000000000") int maxBatchTokens,
        @Key(
                        "How often a task is passed over before it goes first; null for batches that only grow (its type ORCA). | 4 |"
                                + " 0..1000000")
                Optional<Integer> maxPreemptions,
        @Key("Bandwidth of a transfer, of which there may be any number. Its configurations have ten times as much for"
                        + " overlap_* and kv_token_jsq. | 200 | GiB/s | 0.000001..1000000000")
                double bandwidthGib,
        @Key(
                        "Tokens in front of a prompt up to which it goes to an instance with a queue, with mixed_pool. | 8192 | tokens |"
                                + " 0..1000000000")
                long maxPending,
        @Key("Its table of measured times, perf_model.csv; null for those of the step model. | null")
                Optional<Path> perf,
        @Key("Model in that table; null for all rows of the hardware. | null") Optional<String> perfModel,
        @Key("Weights of an instance; null for those of the card. | null | GB | 0..1000000000")
                Optional<Double> weightsGb)
        implements ClusterCompat {
    /** Its rules. */
    public enum Scheduler {
        ROUND_ROBIN(Rule.ROUND_ROBIN), // In turn.
        JSQ(Rule.JSQ), // The fewest requests.
        TOKEN_JSQ(Rule.TOKEN_JSQ), // The fewest tokens that were counted; with pools apart they are never added.
        MIXED_POOL(Rule.MIXED_POOL); // The fewest tokens, the least reserved memory, and a third pool of both.

        final Rule rule;

        Scheduler(Rule rule) {
            this.rule = rule;
        }
    }

    @Override
    public List<Path> reads() {
        return perf.stream().toList();
    }

    @Override
    public Map<String, Double> run(ModelCard model, List<PoolPlan> pools, ServingInput input, Path out)
            throws IOException {
        SplitwiseRun run = new SplitwiseRun(this, model, pools, input.trace());
        Map<String, Double> figures = run.figures();
        run.write(input, out, figures);
        return figures;
    }

    @Override
    public List<Problem> problems(Cluster cluster) {
        List<Problem> problems = new ArrayList<>(ClusterCompat.unread(cluster, "splitwise"));
        boolean isApart = ClusterCompat.isApart(cluster);
        boolean isMixed = cluster.pools().values().stream().anyMatch(pool -> pool.role() == Role.BOTH);
        if (isApart && isMixed) {
            problems.add(
                    Problem.config("cluster.pools", "are of prompts, of tokens and of both")
                            .hint(
                                    "splitwise-sim has pools apart, or one of both; compat.scheduler=mixed_pool mixes them itself"));
        } else if (!isApart && scheduler == Scheduler.MIXED_POOL) {
            problems.add(Problem.config("compat.scheduler", "is mixed_pool, which needs pools of prompts and of tokens")
                    .hint("for example cluster=pd_2_2"));
        }
        return problems;
    }
}
