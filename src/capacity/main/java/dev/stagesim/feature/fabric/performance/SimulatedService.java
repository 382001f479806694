package dev.stagesim.feature.fabric.performance;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.serving.EngineSchedulers;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.sim.capacity.PhaseRequests;
import dev.stagesim.sim.capacity.ReplicaRun;
import dev.stagesim.sim.capacity.ReplicaRun.Service;
import java.util.List;
import java.util.Optional;

/** Simulates one copy request by request with computed step times. */
public record SimulatedService(
        ModelCard model, StepCard engine, double memoryMargin, int requests, double sigma, Evaluations evaluations)
        implements ServiceModel {
    private static final Evaluations.JsonForm<Service> FORM =
            new Evaluations.JsonForm<>(Service.class, SimulatedService::read, SimulatedService::json);

    private ReplicaModel copy(TargetPlacement of, int sequenceTokens) {
        return ReplicaModel.computed(
                model,
                of.target().device(),
                engine,
                of.scheduler(),
                EngineSchedulers.cluster(of.tp(), of.pp(), Optional.of(1 - memoryMargin)),
                sequenceTokens);
    }

    @Override
    public Optional<String> whyInfeasible(TargetPlacement deployment, int sequenceTokens) {
        return copy(deployment, sequenceTokens).whyInfeasible();
    }

    @Override
    public double capacity(TargetPlacement deployment, int prompt, int generate) {
        ReplicaModel copy = copy(deployment, prompt + generate);
        return evaluations
                .answer(
                        saturated(deployment, prompt, generate),
                        FORM,
                        () -> ReplicaRun.saturated(copy.spec(), copy.times(), prompt, generate))
                .requestsPerSecond();
    }

    /** A copy receives every n-th request, which reduces the variation of inter-arrival times. */
    @Override
    public Service service(TargetPlacement deployment, Load load) {
        ReplicaModel copy = copy(deployment, load.prompt() + load.generate());
        return evaluations.answer(
                loaded(deployment, load),
                FORM,
                () -> ReplicaRun.serve(
                        copy.spec(),
                        copy.times(),
                        arrivals(load.rate(), variation(load), load),
                        load.prompt(),
                        load.generate()));
    }

    private static double variation(Load load) {
        return load.variation() / Math.sqrt(load.copies());
    }

    private double[] arrivals(double rate, double variation, Load load) {
        PhaseRequests drawn = PhaseRequests.draw(
                List.of(new PhaseRequests.Load(rate, variation, load.prompt(), load.generate())), requests, 0, 0);
        double[] seconds = new double[requests];
        for (int i = 0; i < requests; i++) {
            seconds[i] = drawn.arrivalNs()[i] / NS_PER_S;
        }
        return seconds;
    }

    private JsonValue.Obj saturated(TargetPlacement of, int prompt, int generate) {
        return question(of, "saturated", prompt, generate).build();
    }

    private JsonValue.Obj loaded(TargetPlacement of, Load load) {
        return question(of, "loaded", load.prompt(), load.generate())
                .put("rate", load.rate())
                .put("variation", variation(load))
                .put("requests", requests)
                .build();
    }

    private JsonObjectBuilder question(TargetPlacement of, String kind, int prompt, int generate) {
        return JsonValue.object()
                .put("kind", kind)
                .put("spec", CanonicalJson.of(copy(of, prompt + generate)))
                .put("policy", of.policy())
                .put("prompt", prompt)
                .put("generate", generate);
    }

    private static Service read(LocatedJson at) {
        return new Service(
                at.get("finished").asBool(),
                at.get("requests_per_second").asDouble(),
                at.get("p50_ttft_ms").asDouble(),
                at.get("p99_ttft_ms").asDouble(),
                at.get("p50_tpot_ms").asDouble(),
                at.get("p99_tpot_ms").asDouble(),
                at.get("p99_e2e_ms").asDouble());
    }

    private static JsonValue.Obj json(Service service) {
        return JsonValue.object()
                .put("finished", service.finished())
                .put("requests_per_second", service.requestsPerSecond())
                .put("p50_ttft_ms", service.p50TtftMs())
                .put("p99_ttft_ms", service.p99TtftMs())
                .put("p50_tpot_ms", service.p50TpotMs())
                .put("p99_tpot_ms", service.p99TpotMs())
                .put("p99_e2e_ms", service.p99E2eMs())
                .build();
    }

    @Override
    public double sigma(TargetPlacement deployment) {
        return sigma;
    }

    @Override
    public String capacityRun(TargetPlacement deployment, int prompt, int generate) {
        return Evaluations.link(saturated(deployment, prompt, generate));
    }

    @Override
    public String serviceRun(TargetPlacement deployment, Load load) {
        return Evaluations.link(loaded(deployment, load));
    }
}
