package dev.stagesim.io.fabric;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.capacity.CapacityFigures;
import dev.stagesim.sim.capacity.QueueProfile;
import dev.stagesim.sim.capacity.Queueing;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Evaluates a workload's schedule on plain trees: each phase separately, then their averages weighted by duration. */
final class PlainSchedule {
    private static final String DURATION = "duration_minutes";

    private final PlainRun run;
    private final JsonValue.Obj workload;
    private final JsonValue.Obj schedule;
    private final JsonValue.Obj knobs;

    private PlainSchedule(PlainRun run, JsonValue.Obj workload, JsonValue.Obj schedule, JsonValue.Obj knobs) {
        this.run = run;
        this.workload = workload.without(List.of("schedule"));
        this.schedule = schedule;
        this.knobs = knobs;
    }

    /** Returns the record of a workload, over its schedule if it has one. */
    static JsonValue.Obj record(PlainRun run, JsonValue.Obj workload, JsonValue.Obj knobs, BigInteger seed) {
        JsonValue.Obj schedule = Plain.object(workload, "schedule").orElse(JsonValue.EMPTY);
        JsonValue phases = schedule.get("phases").filter(Plain::truth).orElse(JsonValue.of(List.of()));
        if (phases instanceof JsonValue.Arr list) {
            List<Phase> done = new PlainSchedule(run, workload, schedule, knobs).phases(list.items(), seed);
            if (!done.isEmpty()) {
                return PhaseAverages.of(done);
            }
        } else if (!(phases instanceof JsonValue.Obj || phases instanceof JsonValue.Str)) {
            throw wrong("schedule.phases", phases, "a list of phases");
        }
        return PlainRecord.of(run.figures(workload, knobs, seed));
    }

    /**
     * An evaluated phase.
     *
     * @param entry part of the record for the phase
     */
    record Phase(double weight, CapacityFigures figures, Optional<Queueing.Waiting> waiting, JsonValue.Obj entry) {}

    private List<Phase> phases(List<JsonValue> given, BigInteger seed) {
        List<Phase> phases = new ArrayList<>();
        for (int i = 0; i < given.size(); i++) {
            if (given.get(i) instanceof JsonValue.Obj phase) {
                phases.add(phase(phase, i, seed.add(BigInteger.valueOf(i))));
            }
        }
        return phases;
    }

    private Phase phase(JsonValue.Obj phase, int index, BigInteger seed) {
        JsonValue.Obj overrides = Plain.object(phase, "overrides").orElse(JsonValue.EMPTY);
        JsonValue.Obj merged = Plain.merge(workload, overrides);
        double minutes = minutes(phase, merged);
        JsonValue.Obj phaseTree = merged.with(DURATION, JsonValue.of(minutes));
        CapacityFigures figures = run.figures(phaseTree, knobs, seed)
                .scaled(factor(phase, "tokens_scale"), factor(phase, "autoscale_factor"));
        Optional<Queueing.Waiting> waiting = waiting(phase, phaseTree, figures);
        JsonValue.Obj settings = JsonValue.object()
                .put("tokens_scale", phase.get("tokens_scale").orElse(JsonValue.NULL))
                .put("autoscale_factor", phase.get("autoscale_factor").orElse(JsonValue.NULL))
                .put("request_profile", phase.get("request_profile").orElse(JsonValue.NULL))
                .build();
        JsonValue.Obj entry = JsonValue.object()
                .put("name", phase.get("name").orElse(JsonValue.of("phase_" + (index + 1))))
                .put("weight_minutes", minutes)
                .put("settings", settings)
                .put("overrides", overrides)
                .put(
                        "record",
                        waiting.map(queue -> PlainRecord.of(figures, queue)).orElse(PlainRecord.of(figures)))
                .build();
        return new Phase(minutes, figures, waiting, entry);
    }

    private static double minutes(JsonValue.Obj phase, JsonValue.Obj merged) {
        JsonValue whole = merged.get(DURATION).filter(Plain::truth).orElse(JsonValue.of(1));
        double minutes = number("schedule " + DURATION, phase.get(DURATION).orElse(whole));
        return minutes <= 0 ? number(DURATION, merged.get(DURATION).orElse(JsonValue.of(1))) : minutes;
    }

    private static double factor(JsonValue.Obj phase, String key) {
        return phase.get(key)
                .filter(Plain::truth)
                .map(value -> number("schedule " + key, value))
                .orElse(1.0);
    }

    private Optional<Queueing.Waiting> waiting(JsonValue.Obj phase, JsonValue.Obj phaseTree, CapacityFigures figures) {
        JsonValue.Obj sequence = Plain.object(phaseTree, "sequence").orElse(JsonValue.EMPTY);
        long generate = whole("sequence.generate", sequence.get("generate").orElse(JsonValue.of(0)));
        if (!PlainRun.isInference(phaseTree) || generate <= 0 || figures.p50Ms() == 0) {
            return Optional.empty();
        }
        QueueProfile profile = phase.get("request_profile")
                .filter(value -> !(value instanceof JsonValue.Null))
                .or(() -> schedule.get("default_request_profile"))
                .filter(JsonValue.Str.class::isInstance)
                .map(value -> QueueProfile.of(((JsonValue.Str) value).value().toLowerCase(Locale.ROOT)))
                .orElse(QueueProfile.STEADY_STATE);
        JsonValue.Obj arrival = Plain.object(phase, "arrival").orElse(JsonValue.EMPTY);
        long prompt = whole("sequence.prompt", sequence.get("prompt").orElse(JsonValue.of(0)));
        return Queueing.of(
                new Queueing.Demand(
                        prompt + generate,
                        given(arrival, "requests_per_sec").orElse(0.0),
                        profile,
                        servers(arrival, phaseTree),
                        given(arrival, "arrival_cv").orElse(profile.variation()),
                        given(arrival, "service_cv").orElse(profile.variation())),
                figures);
    }

    /** Returns a number of the arrivals, or empty if it is absent or null. */
    private static Optional<Double> given(JsonValue.Obj arrival, String key) {
        return arrival.get(key).filter(Plain::truth).map(value -> number("arrival " + key, value));
    }

    private long servers(JsonValue.Obj arrival, JsonValue.Obj phaseTree) {
        JsonValue.Obj parallelism = Plain.object(phaseTree, "parallelism").orElse(JsonValue.EMPTY);
        long copies = whole("parallelism.dp", parallelism.get("dp").orElse(JsonValue.of(1)));
        Optional<JsonValue> instead = arrival.get("dp_override")
                .filter(value -> value instanceof JsonValue.Int || value instanceof JsonValue.Bool);
        long override =
                instead.map(value -> whole("arrival dp_override", value)).orElse(0L);
        long microbatch = whole("microbatch", knobs.get("microbatch").orElse(JsonValue.of(1)));
        long concurrent = Math.max(1, (override > 0 ? override : copies) * microbatch);
        return arrival.get("servers")
                .filter(Plain::truth)
                .map(value -> whole("arrival servers", value))
                .orElse(concurrent);
    }

    private static double number(String where, JsonValue value) {
        return Plain.real(value).orElseThrow(() -> wrong(where, value, "a number"));
    }

    private static long whole(String where, JsonValue value) {
        return Plain.integer(value)
                .filter(number -> number.bitLength() < Integer.SIZE)
                .orElseThrow(() -> wrong(where, value, "an integer"))
                .longValue();
    }

    private static StageException wrong(String where, JsonValue value, String expected) {
        return StageException.input(
                Problem.artifact("workload " + where, "found " + Json.describe(value) + ", expected " + expected));
    }
}
