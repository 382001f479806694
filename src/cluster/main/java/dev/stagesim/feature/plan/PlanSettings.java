package dev.stagesim.feature.plan;

import dev.stagesim.model.AllowedValues;
import dev.stagesim.model.Key;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Unwrapped;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.report.Numbers;
import dev.stagesim.serving.PoolSimulator;
import dev.stagesim.serving.ServingWorkload;
import dev.stagesim.serving.config.EngineSettings;
import dev.stagesim.serving.workload.LengthSettings;
import dev.stagesim.sim.kernels.Links;
import dev.stagesim.sim.serving.settings.Speculation;
import dev.stagesim.sim.workload.ClosedLoop;
import dev.stagesim.stage.PassedTo;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.WorkloadSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Configuration of the stage {@code plan}. */
record PlanSettings(
        @Key("The model to serve.") ModelCard model,
        @Key("The devices to serve it on.") HardwareCard hardware,
        @Unwrapped PlanObjective objective,
        @Key("Requests and their lengths; workload.dir selects a finished run. | { kind = serving }")
                @PassedTo("workload")
                WorkloadSettings workload,
        @Key(
                        "Arrival process; its times are scaled to the load. The requests in flight of a closed loop replace the load. | { kind = poisson }")
                @PassedTo("workload")
                ArrivalSettings arrival,
        @Key("Serving engines to compare, by name. | {}") Map<String, EngineSettings> engines,
        @Key("The search space. | {}") Search search,
        @Key("Price of a device; null for the typical price of the card. Devices of decode pools use"
                        + " search.output_hardware.price_usd_hr_typ. | null | USD/h | 0.000001..1000000")
                Optional<Double> priceUsdHr,
        @Key("Share of device memory that engines use, as defined by the setting of each engine; null for the engine's"
                        + " default. | null | 0.000001..1")
                Optional<Double> memoryUtilization,
        @Key("Requests per simulation; null for one to two minutes of load, depending on output lengths, and 1000"
                        + " to 12000 requests. For workloads from a file this is the maximum. | null |"
                        + " 100..1000000")
                Optional<Integer> requests,
        @Key("Number of workload seeds per deployment, starting at workload.seed. The worst seed decides. | 3 | 1..100")
                int seeds) {
    /** The quantity that a plan optimises, among deployments that meet the SLO. */
    enum PlanGoal {
        /** The lowest cost for a load. */
        CHEAPEST,
        /** The highest load per device. */
        THROUGHPUT,
        /** The lowest P99 E2E latency of a load on a number of devices. */
        LATENCY
    }

    /** What to find, and for which load. */
    record PlanObjective(
            @Key(
                            "What to optimise: the lowest cost for a load, the highest throughput per device, or the lowest P99 E2E latency"
                                    + " of a load on a number of devices. | cheapest")
                    PlanGoal goal,
            @Key(
                            "Devices to use with goal=throughput or goal=latency; null for one node. | null | devices | 1..1000000")
                    Optional<Integer> devices,
            @Key("Request rate; null for 10. | null | requests/s | 0.000001..100000") Optional<Double> load,
            @Key("Upper bounds on latency percentiles, in ms or with the unit s; null for"
                            + " ttft_p99_ms<500,tpot_p99_ms<50. | null")
                    Optional<String> slo) {
        private static final double DEFAULT_LOAD = 10;
        private static final String DEFAULT_SLO = "ttft_p99_ms<500,tpot_p99_ms<50";
    }

    /** The section {@code search}; an empty list selects the default values of an axis. */
    record Search(
            @Key("Engines of the section engines to compare; empty for all. | []") List<String> engines,
            @Key("Tensor-parallel degrees; empty for powers of two up to two nodes. | [] | 1..1000000")
                    List<Integer> tp,
            @Key("Pipeline-parallel degrees; empty for 1, and also 2 and 4 if the weights need more devices and"
                            + " tensor parallelism fills a node or the devices have no fast link. | [] | 1..1000000")
                    List<Integer> pp,
            @Key(
                            "Precisions of the weights; empty for the precision of the model, and also fp8 if that is bf16 and the device"
                                    + " supports fp8. | []")
                    List<Precision> weights,
            @Key(
                            "Precisions of the KV cache; empty for the precision of the model, and also fp8 if that is bf16 and the device"
                                    + " supports fp8. | []")
                    List<Precision> kvCache,
            @Key("Maximum requests per step. | [64, 128, 256, 512, 1024] | requests | 1..1000000000")
                    List<Integer> maxNumSeqs,
            @Key("Maximum tokens per step. | [512, 1024, 2048, 4096, 8192, 16384] | tokens | 1..1000000000")
                    List<Integer> maxNumBatchedTokens,
            @Key("Maximum number of copies of the model. | 1024 | 1..100000") int maxReplicas,
            @Key("Number of feasible deployments to compare. | 4 | 1..100") int finalists,
            @Key("Maximum number of simulated combinations of deployment and copies. | 40 |" + " 1..100000")
                    int simulations,
            @Unwrapped EngineOptionSearch options,
            @Unwrapped PoolSearchSettings pooling) {
        /** Distributions of experts, prefill intervals and drafts to try. */
        record EngineOptionSearch(
                @Key(
                                "Data-parallel engines of a copy that share the experts; empty for 1, and for mixtures of experts powers"
                                        + " of two up to two nodes. | [] | 1..1024")
                        List<Integer> dp,
                @Key("Whether each expert is on one device; empty for false, and for mixtures of experts on several"
                                + " devices also true. | []")
                        List<Boolean> expertParallel,
                @Key("Prefill intervals of vLLM: only every n-th step may start prompts. | [1] | steps | 1..1000000000")
                        List<Integer> prefillScheduleInterval,
                @Key("Draft tokens per request and step, for example [0,1,3]. | [0] | tokens | 0..64")
                        List<Integer> draftTokens,
                @Key("Method that proposes drafts; null for mtp if the model has MTP layers, otherwise eagle3. | null")
                        @AllowedValues({"eagle", "eagle3", "mtp"})
                        Optional<Speculation.Method> draftMethod,
                @Key(
                                "Probability that a draft is accepted if the previous ones are, by position; the last value applies"
                                        + " to later positions. Empty for the published rates of the method. | [] | 0..1")
                        List<Double> draftAcceptance) {}

        /** Routers and disaggregated pools to try. */
        record PoolSearchSettings(
                @Key(
                                "Further routers for copies of vLLM and for prefill pools; copies always use round robin too. | []")
                        List<PoolSimulator.Router> routers,
                @Key("Whether to try prefill/decode disaggregation with vLLM as well. | false") boolean pools,
                @Key("Devices of decode pools; null for the devices of prefill pools. | null")
                        Optional<HardwareCard> outputHardware,
                @Key("Maximum number of simulations of pools and routers; the headroom of the answer requires further"
                                + " ones. | " + POOL_SIMULATIONS + " | 1..100000")
                        int poolSimulations) {}

        static final int POOL_SIMULATIONS = 24;

        /** True if pools or further routers are searched. */
        boolean hasPools() {
            return pooling.pools() || !pooling.routers().isEmpty();
        }
    }

    PlanGoal goal() {
        return objective.goal();
    }

    Optional<Integer> devices() {
        return objective.devices();
    }

    /** Returns the load: requests per second, or requests in flight of a closed loop. */
    double load() {
        return closedLoop()
                .map(limit -> (double) limit.concurrency())
                .orElse(objective.load().orElse(PlanObjective.DEFAULT_LOAD));
    }

    /** Returns the limit on the requests in flight, which is then the load; empty for a request rate. */
    Optional<ClosedLoop> closedLoop() {
        return arrival instanceof ArrivalSettings.Closed closed
                ? Optional.of(new ClosedLoop(closed.concurrency(), closed.rampUpS(), closed.warmupRequests()))
                : Optional.empty();
    }

    /** Returns the unit of the load. */
    String unit() {
        return closedLoop().isPresent() ? "requests in flight" : "requests/s";
    }

    /** Returns the load with its unit. */
    String loadWords() {
        String words = Numbers.plain(load()) + " " + unit();
        return load() == 1 ? words.replaceFirst("requests", "request") : words;
    }

    /** Returns the lengths as arguments of a command; empty if a preset or a file defines them. */
    String lengthArguments() {
        if (!(workload instanceof ServingWorkload serving)) {
            return "";
        }
        if (serving.lengths() instanceof LengthSettings.Fixed fixed) {
            return " prompt_tokens=" + fixed.prefillTokens() + " output_tokens=" + fixed.decodeTokens();
        }
        return serving.lengths() instanceof LengthSettings.Distributions drawn
                ? " prompt_tokens='" + drawn.prefillTokens() + "' output_tokens='" + drawn.decodeTokens() + "'"
                : "";
    }

    String slo() {
        return objective.slo().orElse(PlanObjective.DEFAULT_SLO);
    }

    /** Returns the default values among the load and the SLO as a sentence after a space; empty if both were chosen. */
    String assumed() {
        List<String> keys = new ArrayList<>();
        if (closedLoop().isEmpty()
                && goal() != PlanGoal.THROUGHPUT
                && objective.load().isEmpty()) {
            keys.add("rate=" + Numbers.plain(load()));
        }
        if (objective.slo().isEmpty()) {
            keys.add("slo='" + slo() + "'");
        }
        return keys.isEmpty() ? "" : " Assumed by default: " + String.join(" and ", keys) + ".";
    }

    /** Returns the number of devices to use if the goal is not the lowest cost. */
    int deviceCount() {
        return devices().orElseGet(() -> new Links(hardware).devicesPerNode());
    }

    /** Returns the number of copies of a shape on these devices; 0 if it needs more. */
    int copies(int devicesPerCopy) {
        return deviceCount() / devicesPerCopy;
    }

    /** Returns these settings at another load. */
    PlanSettings at(double other) {
        return KeyRecord.with(PlanSettings.class, this, Map.of("load", Optional.of(other)));
    }

    /** Returns the engines to compare. */
    Map<String, EngineSettings> candidates() {
        Map<String, EngineSettings> chosen = new LinkedHashMap<>(engines);
        if (!search.engines().isEmpty()) {
            chosen.keySet().retainAll(search.engines());
        }
        return chosen;
    }

    /** Returns these settings with other devices. */
    PlanSettings on(HardwareCard other) {
        return KeyRecord.with(PlanSettings.class, this, Map.of("hardware", other));
    }
}
