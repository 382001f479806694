package dev.stagesim.serving.config;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.util.stream.Stream;

/** Host time of an iteration: the section {@code profile.host}. */
public sealed interface HostOverhead permits HostOverhead.None, HostOverhead.Linear {
    @Variant("none | The bundle has no host overheads.")
    record None() implements HostOverhead {}

    @Variant("linear | A fixed time and a time per request, for each part of an iteration.")
    record Linear(
            @Key("Scheduling.") Step schedule,
            @Key("Input preparation.") Step prepareInputs,
            @Key("Sampling.") Step sampler,
            @Key("Output handling.") Step processOutputs,
            @Key("Communication with worker processes.") Step workerComm)
            implements HostOverhead {
        /**
         * Checks that a time is set.
         *
         * @throws IllegalArgumentException if all times are 0
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
            @Key("Fixed time. | 0.0 | us | 0..1000000000000") double baseUs,
            @Key("Time per request of the batch. | 0.0 | us | 0..1000000000000") double perRequestUs) {
        boolean isZero() {
            return baseUs == 0 && perRequestUs == 0;
        }
    }
}
