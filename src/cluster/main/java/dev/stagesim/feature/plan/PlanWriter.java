package dev.stagesim.feature.plan;

import dev.stagesim.feature.plan.DeploymentCandidate.ConfirmedSize;
import dev.stagesim.feature.plan.DeploymentCandidate.SizeEstimate;
import dev.stagesim.feature.plan.SimulationCache.DeploymentResult;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.serving.EngineChoice;
import dev.stagesim.serving.PoolSimulator.Pool;
import dev.stagesim.serving.ReplicaModel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Writes the tables of a plan. */
record PlanWriter(ServingPlan plan) {
    private static final List<String> SIMULATED =
            List.of("ttft_p50_ms", "ttft_p99_ms", "tpot_p50_ms", "tpot_p99_ms", "e2e_p99_ms");

    void write(Path out) throws IOException {
        AnswerTable.write(plan, out);
        try (TableWriter table = TableWriter.in(out, PlanTables.CANDIDATES)) {
            Set<EngineChoice.Shape> shown = new HashSet<>();
            for (DeploymentCandidate candidate : plan.ranked()) {
                boolean isFirst = shown.add(candidate.deployment().shape());
                if (isFirst || candidate.confirmed().isPresent()) {
                    row(table, candidate);
                }
            }
        }
        if (plan.settings().search().hasPools()) {
            pools(out);
        }
        List<DeploymentResult> loads = plan.answer().map(Recommendation::loads).orElse(List.of());
        TableWriter.write(out, PlanTables.LOADS, loads, (table, result) -> {
            table.put(result.load()).put(result.meetsSlo());
            metrics(
                    table,
                    Optional.of(result),
                    SIMULATED.stream().filter(n -> n.contains("p99")).toList());
        });
    }

    private void pools(Path out) throws IOException {
        TableWriter.write(out, PlanTables.POOLS, plan.poolConfigurations(), (table, configuration) -> {
            EngineChoice.Shape first = configuration.prompts().deployment().shape();
            Optional<Pool> outputs = configuration.outputs();
            table.put(configuration.meetsSlo()).put(first.engine()).put(configuration.routerId());
            table.put(configuration.prompts().copies()).put(first.tp());
            table.putIf(outputs.isPresent(), (long) outputs.map(Pool::copies).orElse(0));
            table.putIf(outputs.isPresent(), (long)
                    outputs.map(pool -> pool.deployment().shape().tp()).orElse(0));
            if (outputs.isPresent()) {
                table.put(outputs.get().replica().hardware().name());
            } else {
                table.putEmpty();
            }
            table.put(EngineChoice.id(first.weights())).put(EngineChoice.id(first.kv()));
            table.put(configuration.devices());
            real(table, plan.usdPerMonth(configuration));
            metrics(table, Optional.of(configuration.result()), SIMULATED);
            table.put(plan.isPareto(configuration));
        });
    }

    private void row(TableWriter table, DeploymentCandidate candidate) throws IOException {
        EngineChoice deployment = candidate.deployment();
        EngineChoice.Shape shape = deployment.shape();
        table.put(candidate.status().id()).put(candidate.reason()).put(shape.engine());
        table.put(shape.tp())
                .put(shape.pp())
                .put(shape.layout().dp())
                .put(shape.layout().isExpertParallel())
                .put(shape.layout().prefillInterval())
                .put(shape.drafting().tokens())
                .put(EngineChoice.id(shape.weights()))
                .put(EngineChoice.id(shape.kv()));
        boolean runs = candidate.replica().isPresent();
        boolean isSized = candidate.replicas() > 0;
        table.putIf(deployment.maxNumSeqs() > 0, deployment.maxNumSeqs());
        table.putIf(deployment.maxNumSeqs() > 0, deployment.maxNumBatchedTokens());
        table.putIf(isSized, candidate.replicas());
        table.putIf(isSized, candidate.devices());
        double load = candidate.load(plan.settings().load());
        table.put(load);
        real(table, isSized ? plan.usdPerMonth(candidate.devices()) : Optional.empty());
        real(table, isSized ? usdPerMtok(candidate) : Optional.empty());
        table.putIf(
                runs,
                shape.layout().dp()
                        * candidate.replica().map(ReplicaModel::kvTokens).orElse(0L));
        Optional<SizeEstimate> estimate = candidate.estimate().filter(SizeEstimate::meetsSlo);
        real(table, estimate.map(e -> e.state().running()));
        real(table, estimate.map(SizeEstimate::ttftMs));
        real(table, estimate.map(SizeEstimate::tpotMs));
        metrics(table, candidate.confirmed().map(ConfirmedSize::result), SIMULATED);
        Optional<DeploymentResult> result = candidate.confirmed().map(ConfirmedSize::result);
        real(table, result.map(DeploymentResult::tokensPerUser));
        real(table, result.map(t -> plan.tokensPerDevice(plan.rate(t), candidate.devices())));
        table.putIf(result.isPresent(), (long)
                result.map(DeploymentResult::seedsSatisfied).orElse(0));
        table.putIf(
                result.isPresent(), (long) result.map(DeploymentResult::seeds).orElse(0));
        real(table, result.map(t -> plan.slo().margin(t.metrics())));
        Optional<ConfirmedSize> loaded = candidate.confirmed().filter(c -> c.maxLoad() > 0);
        real(table, loaded.map(ConfirmedSize::maxLoad));
        real(table, loaded.map(c -> c.headroom(plan.settings().load())));
        table.put(plan.isPareto(candidate)).endRow();
    }

    /** Returns the price of a candidate; empty for a closed loop that was not simulated. */
    private Optional<Double> usdPerMtok(DeploymentCandidate candidate) {
        return candidate
                .confirmed()
                .map(size -> plan.rate(size.result()))
                .or(() -> plan.settings().closedLoop().isPresent()
                        ? Optional.empty()
                        : Optional.of(plan.settings().load()))
                .flatMap(rate -> plan.usdPerMtok(candidate.devices(), rate));
    }

    private static void metrics(TableWriter table, Optional<DeploymentResult> result, List<String> names)
            throws IOException {
        for (String name : names) {
            real(table, result.map(t -> t.metrics().get(name)));
        }
    }

    private static void real(TableWriter table, Optional<Double> value) throws IOException {
        table.putFinite(value.orElse(Double.NaN));
    }
}
