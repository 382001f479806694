package dev.stagesim.feature.plan;

import dev.stagesim.contract.TableSchema;
import dev.stagesim.feature.EngineChoice;
import dev.stagesim.feature.PoolSimulator.Pool;
import dev.stagesim.feature.plan.Candidate.Confirmed;
import dev.stagesim.feature.plan.Candidate.Estimate;
import dev.stagesim.feature.plan.Trials.Trial;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.serving.ReplicaModel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Writes the tables of a plan. */
record PlanWriter(Plan plan) {
    private static final List<String> SIMULATED =
            List.of("ttft_p50_ms", "ttft_p99_ms", "tpot_p50_ms", "tpot_p99_ms", "e2e_p99_ms");

    void write(Path out) throws IOException {
        try (TableWriter table = create(out, PlanTables.CANDIDATES)) {
            Set<EngineChoice.Shape> shown = new HashSet<>();
            for (Candidate candidate : plan.ranked()) {
                boolean isFirst = shown.add(candidate.deployment().shape());
                if (isFirst || candidate.confirmed().isPresent()) {
                    row(table, candidate);
                }
            }
        }
        if (plan.settings().search().hasPools()) {
            pools(out);
        }
        try (TableWriter table = create(out, PlanTables.LOADS)) {
            Optional<Candidate> winner = plan.winner();
            if (winner.isPresent()) {
                for (Trial trial : plan.trials()
                        .loads(winner.get().deployment(), winner.get().replicas())) {
                    table.put(trial.load()).put(trial.holds());
                    figures(
                            table,
                            Optional.of(trial),
                            SIMULATED.stream().filter(n -> n.contains("p99")).toList());
                    table.endRow();
                }
            }
        }
    }

    private void pools(Path out) throws IOException {
        try (TableWriter table = create(out, PlanTables.POOLS)) {
            for (Arrangement one : plan.arrangements()) {
                EngineChoice.Shape first = one.prompts().deployment().shape();
                Optional<Pool> outputs = one.outputs();
                table.put(one.holds()).put(one.routerId());
                table.put(one.prompts().copies()).put(first.tp());
                table.putIf(
                        outputs.isPresent(), (long) outputs.map(Pool::copies).orElse(0));
                table.putIf(outputs.isPresent(), (long)
                        outputs.map(pool -> pool.deployment().shape().tp()).orElse(0));
                if (outputs.isPresent()) {
                    table.put(outputs.get().replica().hardware().name());
                } else {
                    table.putEmpty();
                }
                table.put(EngineChoice.id(first.weights())).put(EngineChoice.id(first.kv()));
                table.put(one.devices());
                real(table, plan.usdPerMonth(one));
                figures(table, Optional.of(one.trial()), SIMULATED);
                table.put(plan.isPareto(one)).endRow();
            }
        }
    }

    private static TableWriter create(Path out, TableSchema schema) throws IOException {
        return TableWriter.create(out.resolve(schema.name()), schema);
    }

    private void row(TableWriter table, Candidate candidate) throws IOException {
        EngineChoice deployment = candidate.deployment();
        EngineChoice.Shape shape = deployment.shape();
        table.put(candidate.fate().id()).put(candidate.why()).put(shape.engine());
        table.put(shape.tp())
                .put(shape.pp())
                .put(EngineChoice.id(shape.weights()))
                .put(EngineChoice.id(shape.kv()));
        boolean runs = candidate.replica().isPresent();
        boolean isSized = candidate.replicas() > 0;
        table.putIf(deployment.maxNumSeqs() > 0, deployment.maxNumSeqs());
        table.putIf(deployment.maxNumSeqs() > 0, deployment.maxNumBatchedTokens());
        table.putIf(isSized, candidate.replicas());
        table.putIf(isSized, candidate.devices());
        real(table, isSized ? plan.usdPerMonth(candidate.devices()) : Optional.empty());
        real(
                table,
                isSized ? plan.usdPerMtok(candidate.devices(), plan.settings().load()) : Optional.empty());
        table.putIf(runs, candidate.replica().map(ReplicaModel::kvTokens).orElse(0L));
        Optional<Estimate> estimate = candidate.estimate().filter(Estimate::should);
        real(table, estimate.map(e -> e.state().running()));
        real(table, estimate.map(Estimate::ttftMs));
        real(table, estimate.map(Estimate::tpotMs));
        figures(table, candidate.confirmed().map(Confirmed::trial), SIMULATED);
        Optional<Trial> trial = candidate.confirmed().map(Confirmed::trial);
        table.putIf(trial.isPresent(), (long) trial.map(Trial::seedsHeld).orElse(0));
        table.putIf(trial.isPresent(), (long) trial.map(Trial::seeds).orElse(0));
        real(table, trial.map(t -> plan.slo().margin(t.figures())));
        Optional<Confirmed> loaded = candidate.confirmed().filter(c -> c.maxLoad() > 0);
        real(table, loaded.map(Confirmed::maxLoad));
        real(table, loaded.map(c -> c.headroom(plan.settings().load())));
        table.put(plan.isPareto(candidate)).endRow();
    }

    private static void figures(TableWriter table, Optional<Trial> trial, List<String> names) throws IOException {
        for (String name : names) {
            real(table, trial.map(t -> t.figures().get(name)));
        }
    }

    private static void real(TableWriter table, Optional<Double> value) throws IOException {
        table.putFinite(value.orElse(Double.NaN));
    }
}
