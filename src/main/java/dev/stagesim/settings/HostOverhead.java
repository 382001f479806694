package dev.stagesim.settings;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.util.stream.Stream;

/** Time the host adds to every iteration: the section {@code profile.host}. */
public sealed interface HostOverhead permits HostOverhead.None, HostOverhead.Linear {
    /** Not modelled: the bundle has no host overheads. */
    @Variant(value = "none", doc = "Not modelled: the bundle has no host overheads.")
    record None() implements HostOverhead {}

    /** A fixed part and a part per request, for each step of an iteration; give figures measured on the host. */
    @Variant(value = "linear", doc = "A fixed part and a part per request, for each step of an iteration.")
    record Linear(
            @Key(doc = "Deciding what runs next.") Step schedule,
            @Key(doc = "Building the model's inputs.") Step prepareInputs,
            @Key(doc = "Sampling the next tokens.") Step sampler,
            @Key(doc = "Handling the model's outputs.") Step processOutputs,
            @Key(doc = "Passing work to the devices' processes.") Step workerComm)
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

    /** Time of one step. */
    record Step(
            @Key(doc = "Time at any batch size.", unit = "us", def = "0.0", min = "0") double baseUs,
            @Key(doc = "Time added by each request of the batch.", unit = "us", def = "0.0", min = "0")
                    double perRequestUs) {
        boolean isZero() {
            return baseUs == 0 && perRequestUs == 0;
        }
    }
}
