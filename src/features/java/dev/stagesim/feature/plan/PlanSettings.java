package dev.stagesim.feature.plan;

import dev.stagesim.feature.PoolSimulator;
import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.Key;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.Precision;
import dev.stagesim.settings.ArrivalSettings;
import dev.stagesim.settings.EngineSettings;
import dev.stagesim.settings.WorkloadSettings;
import dev.stagesim.stage.PassedTo;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Configuration of the stage {@code plan}. */
public record PlanSettings(
        @Key("The model to serve.") ModelCard model,
        @Key("The devices to serve it on.") HardwareCard hardware,
        @Key("Requests that are offered. | 10 | requests/s | 0.000001..100000") double load,
        @Key("What the service must hold: bounds with commas between, such as ttft_p99_ms<500. |"
                        + " \"ttft_p99_ms<500,tpot_p99_ms<50\"")
                String slo,
        @Key("Lengths of the requests; workload.dir names a finished run that has them. | { kind = serving }")
                @PassedTo("workload")
                WorkloadSettings workload,
        @Key("How the requests come; their times are stretched to the load. | { kind = poisson }") @PassedTo("workload")
                ArrivalSettings arrival,
        @Key("Serving engines to choose from, by name. | {}") Map<String, EngineSettings> engines,
        @Key("What may vary. | {}") Search search,
        @Key("Price of a device; null for the card's typical one. That of devices for outputs is"
                        + " search.output_hardware.price_usd_hr_typ. | null | USD/h | 0.000001..1000000")
                Optional<Double> priceUsdHr,
        @Key("Share of a device's memory that engines take, as their own setting of it counts; null for each engine's"
                        + " default. | null | 0.000001..1")
                Optional<Double> memoryUtilization,
        @Key("Requests of a simulation; null for one or two minutes of the load, by the length of outputs, and 1000"
                        + " to 12000. Workloads that are drawn have as many, those of a file at most. | null |"
                        + " 100..1000000")
                Optional<Integer> requests,
        @Key("Seeds of the workload that each deployment is simulated with: workload.seed and those after it. The worst"
                        + " seed counts. | 3 | 1..100")
                int seeds) {
    /** The section {@code search}; an empty list leaves an axis to the rules. */
    public record Search(
            @Key("Tensor-parallel degrees; empty for powers of two up to two nodes. | [] | 1..1000000")
                    List<Integer> tp,
            @Key("Pipeline-parallel degrees; empty for 1, and 2 and 4 where the weights need them and tensor"
                            + " parallelism fills a node or devices have no fast link. | [] | 1..1000000")
                    List<Integer> pp,
            @Key("How weights are stored; empty for the model's own, and fp8 where that is bf16 and the device has"
                            + " it. | []")
                    List<Precision> weights,
            @Key("How the KV cache is stored; empty for the model's own, and fp8 where the device has it. | []")
                    List<Precision> kvCache,
            @Key("Maximum requests of a step. | [64, 128, 256, 512, 1024] | requests | 1..1000000000")
                    List<Integer> maxNumSeqs,
            @Key("Maximum tokens of a step. | [512, 1024, 2048, 4096, 8192, 16384] | tokens | 1..1000000000")
                    List<Integer> maxNumBatchedTokens,
            @Key("Maximum number of copies of the model. | 1024 | 1..100000") int maxReplicas,
            @Key("Deployments that are confirmed by simulation and compared. | 4 | 1..100") int finalists,
            @Key("Maximum number of deployments, copies of each counted, that are simulated until then. | 40 |"
                            + " 1..100000")
                    int simulations,
            @Key("Routers in front of copies of vLLM and of pools for prompts, besides a round robin of copies. | []")
                    List<PoolSimulator.Router> routers,
            @Key("Whether pools of vLLM for prompts and for outputs are tried, besides copies that do both. | false")
                    boolean pools,
            @Key("Devices of pools for outputs; null for the same as for prompts. | null")
                    Optional<HardwareCard> outputHardware,
            @Key("Maximum number of simulations of pools and routers. | " + POOL_SIMULATIONS + " | 1..100000")
                    int poolSimulations) {
        static final int POOL_SIMULATIONS = 24;

        /** Whether there is more than copies behind a round robin. */
        boolean hasPools() {
            return pools || !routers.isEmpty();
        }
    }

    /** The same on other devices. */
    PlanSettings on(HardwareCard other) {
        return new PlanSettings(
                model,
                other,
                load,
                slo,
                workload,
                arrival,
                engines,
                search,
                priceUsdHr,
                memoryUtilization,
                requests,
                seeds);
    }
}
