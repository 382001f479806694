package dev.stagesim.feature.cluster.engine;

import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.model.Key;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.serving.request.RequestTrace;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** Sessions with closed-loop turns: each turn starts a given time after the previous output. */
public final class ClosedLoopSessions {
    /** The section {@code cluster.sessions}. */
    public record Settings(
            @Key("Share of the turns that a tool sends instead of a person. | 0 | 0..1") double toolShare,
            @Key("Mean time of a tool, exponentially distributed. Persons take the time between the two arrivals"
                            + " in the workload. | 1 | s | 0..1000000")
                    double toolS,
            @Key("Random seed. | 42 | 0..9223372036854775807") long seed) {}

    private final int[] next;
    private final int[] turn;
    private final double[] gap;

    ClosedLoopSessions(Settings settings, RequestTrace trace) {
        int size = trace.size();
        next = new int[size];
        Arrays.fill(next, -1);
        turn = new int[size];
        gap = new double[size];
        Prompts prompts = new Prompts(trace);
        RandomStream random = RandomStream.of(settings.seed(), "tools");
        Map<Long, Integer> last = new LinkedHashMap<>();
        for (int i = 0; i < size; i++) {
            Integer before = last.put(prompts.session(i), i);
            boolean isTool = random.nextDouble() < settings.toolShare();
            double tool = -Math.log(1 - random.nextDouble()) * settings.toolS();
            if (before != null) {
                next[before] = i;
                turn[i] = turn[before] + 1;
                gap[i] = isTool ? tool : trace.arrivalSeconds(i) - trace.arrivalSeconds(before);
            }
        }
    }

    /** Returns the next turn after a request, or -1 if there is none. */
    int next(int request) {
        return next[request];
    }

    /** Returns the number of earlier turns. */
    public int turn(int request) {
        return turn[request];
    }

    /** Returns the seconds from the previous output to a turn. */
    double gap(int request) {
        return gap[request];
    }

    /** Returns true if any session has a second turn. */
    public boolean isAny() {
        return Arrays.stream(turn).anyMatch(before -> before > 0);
    }
}
