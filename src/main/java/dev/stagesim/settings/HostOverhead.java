package dev.stagesim.settings;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.util.stream.Stream;

/** Time the host adds to every iteration: the section {@code profile.host}. */
public sealed interface HostOverhead permits HostOverhead.None, HostOverhead.Linear {
    @Variant("none | Not modelled: the bundle has no host overheads.")
    record None() implements HostOverhead {}

    @Variant("linear | A fixed part and a part per request, for each step of an iteration.")
    record Linear(
            @Key("Deciding what runs next.") Step schedule,
            @Key("Building the model's inputs.") Step prepareInputs,
            @Key("Sampling the next tokens.") Step sampler,
            @Key("Handling the model's outputs.") Step processOutputs,
            @Key("Passing work to the devices' processes.") Step workerComm)
            implements HostOverhead {
        /**
         * Checks that something is modelled.
         *
         * @throws IllegalArgumentException when every figure is 0
         */
        public Linear {
            if (Stream.of(schedule, prepareInputs, sampler, processOutputs, workerComm)
                    .allMatch(Step::isZero)) {
                throw new IllegalArgumentException(
                        "every host overhead is 0: give measured times, for example profile.host.schedule.base_us=12000"
                                + " (schedule, prepare_inputs, sampler, process_outputs and worker_comm have base_us"
                                + " and per_request_us), or set profile.host.kind=none");
            }
        }
    }

    record Step(
            @Key("Time at any batch size. | 0.0 | us | 0..1000000000000") double baseUs,
            @Key("Time added by each request of the batch. | 0.0 | us | 0..1000000000000") double perRequestUs) {
        boolean isZero() {
            return baseUs == 0 && perRequestUs == 0;
        }
    }
}
