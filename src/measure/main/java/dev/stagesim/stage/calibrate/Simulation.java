package dev.stagesim.stage.calibrate;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.model.StageException;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.serving.ServingInput;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.metrics.StepWork;
import dev.stagesim.sim.serving.spec.ServingSpec;

/**
 * One simulation of the measured requests.
 *
 * @param outcome outcome of the requests
 * @param work work of the steps
 */
record Simulation(ServingOutcome outcome, StepWork work) {

    static Simulation run(ServingSpec spec, ServingInput input, OperatorTimes times) {
        StepWork work = new StepWork(spec, input.trace().size());
        ServingOutcome outcome = ServingSimulator.run(spec, input.trace(), times, work);
        outcome.problem().ifPresent(problem -> {
            throw StageException.input(problem);
        });
        return new Simulation(outcome, work);
    }

    double arrival(int request) {
        return outcome.states().arrivedAt(request);
    }

    double first(int request) {
        return outcome.states().prefillCompletedAt(request);
    }

    double last(int request) {
        return outcome.states().completedAt(request);
    }

    double ttftNs(int request) {
        return (first(request) - arrival(request)) * NS_PER_S;
    }

    double e2eNs(int request) {
        return (last(request) - arrival(request)) * NS_PER_S;
    }

    double tpotNs(int request, int tokens) {
        return (last(request) - first(request)) * NS_PER_S / (tokens - 1);
    }
}
