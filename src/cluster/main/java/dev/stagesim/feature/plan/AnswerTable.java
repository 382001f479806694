package dev.stagesim.feature.plan;

import dev.stagesim.feature.plan.Recommendation.Part;
import dev.stagesim.feature.plan.deploy.EngineLaunch.Role;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.serving.EngineChoice;
import dev.stagesim.serving.EngineChoice.Drafting;
import dev.stagesim.serving.EngineChoice.ExpertLayout;
import dev.stagesim.serving.EngineChoice.Shape;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.serving.config.EngineSettings;
import dev.stagesim.serving.evidence.ReplicaSource.NamedReplica;
import dev.stagesim.sim.serving.settings.Speculation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The deployment that a plan recommends, as a table: one row of copies, or a prefill and a decode pool. */
final class AnswerTable {
    private AnswerTable() {}

    static void write(ServingPlan plan, Path out) throws IOException {
        List<Part> parts = plan.answer().map(Recommendation::parts).orElse(List.of());
        TableWriter.write(out, PlanTables.ANSWER, parts, AnswerTable::row);
    }

    private static void row(TableWriter table, Part part) throws IOException {
        EngineChoice choice = part.deployment();
        Shape shape = choice.shape();
        table.put(part.role().id())
                .put(shape.engine())
                .put(part.copies())
                .put(shape.tp())
                .put(shape.pp());
        table.put(shape.layout().dp())
                .put(shape.layout().isExpertParallel())
                .put(shape.layout().prefillInterval())
                .put(KeyNames.constant(shape.drafting().method()))
                .put(shape.drafting().tokens())
                .put(EngineChoice.id(shape.weights()))
                .put(EngineChoice.id(shape.experts()))
                .put(EngineChoice.id(shape.kv()))
                .put(choice.maxNumSeqs())
                .put(choice.maxNumBatchedTokens());
    }

    /** Returns the replicas of the recommended deployment of a run; empty if none is feasible. */
    static List<NamedReplica> read(PlanSettings settings, Path run) throws IOException {
        List<NamedReplica> replicas = new ArrayList<>();
        TableReader.forEach(
                run.resolve(PlanTables.ANSWER.name()), PlanTables.ANSWER, row -> replicas.add(replica(settings, row)));
        return replicas;
    }

    private static NamedReplica replica(PlanSettings settings, TableReader row) {
        EngineChoice choice = new EngineChoice(
                shape(settings, row), (int) row.longAt("max_num_seqs"), (int) row.longAt("max_num_batched_tokens"));
        Role role = value(Role.class, row, "role");
        Optional<HardwareCard> outputs = settings.search().pooling().outputHardware();
        HardwareCard hardware = role == Role.DECODE ? outputs.orElse(settings.hardware()) : settings.hardware();
        ReplicaModel replica = role == Role.PREFILL
                ? choice.prefillReplica(settings.model(), hardware, settings.memoryUtilization(), 1)
                : choice.replica(settings.model(), hardware, settings.memoryUtilization(), 1);
        Shape shape = choice.shape();
        String suffix = role == Role.WHOLE ? "" : " for " + role.id();
        return new NamedReplica(shape.engineName() + " with " + shape.words() + suffix, shape.engine(), replica);
    }

    private static Shape shape(PlanSettings settings, TableReader row) {
        String engine = row.stringAt("engine");
        Map<String, EngineSettings> engines = settings.engines();
        if (!engines.containsKey(engine)) {
            throw damaged("the engine " + engine + " is not in the section engines");
        }
        int drafts = (int) row.longAt("draft_tokens");
        return new Shape(
                engine,
                engines.get(engine).step(),
                (int) row.longAt("tp"),
                (int) row.longAt("pp"),
                value(Precision.class, row, "weights"),
                value(Precision.class, row, "experts"),
                value(Precision.class, row, "kv_cache"),
                new ExpertLayout((int) row.longAt("dp"), Boolean.parseBoolean(row.stringAt("expert_parallel")), (int)
                        row.longAt("prefill_interval")),
                drafts == 0
                        ? Drafting.NONE
                        : new Drafting(
                                value(Speculation.Method.class, row, "draft_method"),
                                drafts,
                                settings.search().options().draftAcceptance()));
    }

    private static <E extends Enum<E>> E value(Class<E> type, TableReader row, String column) {
        String text = row.stringAt(column);
        try {
            return Enum.valueOf(type, text.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw damaged("the column " + column + " contains " + text);
        }
    }

    private static StageException damaged(String what) {
        return StageException.input(Problem.artifact(PlanTables.ANSWER.name(), what)
                .hint("run the plan again, so that this version writes the file"));
    }
}
