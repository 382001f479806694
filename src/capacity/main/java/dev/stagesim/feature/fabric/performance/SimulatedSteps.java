package dev.stagesim.feature.fabric.performance;

import static dev.stagesim.model.Nanos.NS_PER_MS;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.sim.capacity.TrainingRun;
import dev.stagesim.sim.capacity.TrainingSpec;
import java.util.Optional;

/**
 * Simulates training steps on the links of the target, collective by collective.
 *
 * @param tokens tokens per sequence
 * @param given step of a finished run, which is not simulated again
 */
public record SimulatedSteps(
        ModelCard model,
        int tokens,
        double efficiency,
        double sigma,
        Evaluations evaluations,
        Optional<KnownStep> given)
        implements TrainingStepModel {
    private static final double OPERATIONS = 6;
    private static final double TERA = 1e12;
    private static final Evaluations.JsonForm<TrainingRun.Step> FORM = new Evaluations.JsonForm<>(
            TrainingRun.Step.class,
            at -> new TrainingRun.Step(
                    at.get("step_ns").asLong(), at.get("exposed_ns").asDouble()),
            SimulatedSteps::json);

    /** The step of one deployment from a finished run. */
    public record KnownStep(TargetPlacement deployment, int copies, int microbatch, StepRun run) {
        boolean is(TargetPlacement other, int otherCopies, int otherMicrobatch) {
            return deployment.equals(other) && copies == otherCopies && microbatch == otherMicrobatch;
        }
    }

    TrainingStepSpec plan(TargetPlacement of, int copies, int microbatch) {
        return TrainingStepSpec.of(model, of.target(), efficiency, of.tp(), of.pp(), copies, microbatch, tokens);
    }

    @Override
    public Optional<String> whyInfeasible(TargetPlacement deployment, int copies, int microbatch) {
        return plan(deployment, copies, microbatch).whyInfeasible();
    }

    @Override
    public Step step(TargetPlacement deployment, int copies, int microbatch) {
        TrainingSpec spec = plan(deployment, copies, microbatch).spec();
        Optional<KnownStep> known = given.filter(step -> step.is(deployment, copies, microbatch));
        if (known.isPresent()) {
            StepRun run = known.get().run();
            return new Step(run.stepMs(), utilization(deployment, spec, run.stepMs()), run.link());
        }
        JsonValue.Obj question = question(spec, deployment.target().device().name());
        TrainingRun.Step step = evaluations.answer(question, FORM, () -> TrainingRun.of(spec));
        double ms = step.ns() / NS_PER_MS;
        return new Step(ms, utilization(deployment, spec, ms), Evaluations.link(question));
    }

    private double utilization(TargetPlacement deployment, TrainingSpec spec, double ms) {
        double peak = deployment.target().device().bf16OrFp16Tflops().orElseThrow() * TERA;
        double stepTokens = (double) spec.dp() * spec.microBatches() * spec.sequences() * spec.tokens();
        return OPERATIONS * model.size().activeParameters() * stepTokens / (peak * spec.devices() * ms / 1e3);
    }

    private static JsonValue.Obj question(TrainingSpec spec, String device) {
        return JsonValue.object()
                .put("kind", "step")
                .put("device", device)
                .put("spec", CanonicalJson.of(spec))
                .build();
    }

    private static JsonValue.Obj json(TrainingRun.Step step) {
        return JsonValue.object()
                .put("step_ns", step.ns())
                .put("exposed_ns", step.exposedNs())
                .build();
    }
}
