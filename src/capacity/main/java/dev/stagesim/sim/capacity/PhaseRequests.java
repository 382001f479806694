package dev.stagesim.sim.capacity;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.workload.Gaps;
import dev.stagesim.sim.workload.InterArrivalSource;
import java.util.List;

/**
 * The requests of the phases of a schedule, one phase after the other. A pause between two phases keeps them independent.
 *
 * @param arrivalNs arrival times, ascending
 * @param prompt prompt tokens
 * @param generate output tokens
 * @param first first request of each phase, followed by the total number of requests
 */
public record PhaseRequests(long[] arrivalNs, int[] prompt, int[] generate, int[] first) {
    /**
     * The load of a phase.
     *
     * @param rate requests per second
     * @param variation coefficient of variation of the interarrival times; 1 for independent requests
     */
    public record Load(double rate, double variation, int prompt, int generate) {}

    /**
     * Draws the requests. Phase k uses stream k of the seed, so that phases do not affect each other.
     *
     * @param pauseSeconds time between the last arrival of a phase and the start of the next one
     */
    public static PhaseRequests draw(List<Load> phases, int perPhase, double pauseSeconds, long seed) {
        int size = Math.multiplyExact(phases.size(), perPhase);
        long[] arrival = new long[size];
        int[] prompt = new int[size];
        int[] generate = new int[size];
        int[] first = new int[phases.size() + 1];
        double start = 0;
        for (int phase = 0; phase < phases.size(); phase++) {
            Load load = phases.get(phase);
            InterArrivalSource gaps = gaps(load, RandomStream.of(seed, "phase-" + phase));
            double now = start;
            for (int i = phase * perPhase; i < (phase + 1) * perPhase; i++) {
                now += gaps.next();
                arrival[i] = Math.round(now * NS_PER_S);
                prompt[i] = load.prompt();
                generate[i] = load.generate();
            }
            start = now + pauseSeconds;
            first[phase + 1] = (phase + 1) * perPhase;
        }
        return new PhaseRequests(arrival, prompt, generate, first);
    }

    private static InterArrivalSource gaps(Load load, RandomStream random) {
        return load.variation() == 1
                ? Gaps.poisson(random, load.rate())
                : Gaps.gamma(random, load.rate(), load.variation());
    }

    public int size() {
        return arrivalNs.length;
    }
}
