package dev.stagesim.feature.cluster.engine;

import dev.stagesim.model.Key;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.workload.ClosedLoop;
import dev.stagesim.sim.workload.SessionTurns;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Sessions with closed-loop turns: each turn starts a given time after the previous output. */
public final class ClosedLoopSessions {
    /** The section {@code cluster.sessions}. */
    public record Settings(
            @Key("Share of the turns that a tool sends instead of a person. | 0 | 0..1") double toolShare,
            @Key("Mean time of a tool, exponentially distributed. Persons take the time between the two arrivals"
                            + " in the workload. | 1 | s | 0..1000000")
                    double toolS,
            @Key("Random seed. | 42 | 0..9223372036854775807") long seed) {}

    private final SessionTurns turns;
    private final double[] gap;

    private ClosedLoopSessions(Settings settings, RequestTrace trace) {
        turns = trace.turns();
        gap = new double[trace.size()];
        RandomStream random = RandomStream.of(settings.seed(), "tools");
        for (int i = 0; i < gap.length; i++) {
            boolean isTool = random.nextDouble() < settings.toolShare();
            double tool = -Math.log(1 - random.nextDouble()) * settings.toolS();
            gap[i] = isTool && turns.turn(i) > 0 ? tool : turns.gap(i);
        }
    }

    /** Returns the sessions of the settings, or of a closed loop that counts sessions; null if turns do not wait for answers. */
    static @Nullable ClosedLoopSessions of(Optional<Settings> settings, RequestTrace trace) {
        Optional<Settings> ofLoop =
                trace.closedLoop().filter(ClosedLoop::countsSessions).map(loop -> KeyRecord.defaults(Settings.class));
        return settings.or(() -> ofLoop)
                .map(set -> new ClosedLoopSessions(set, trace))
                .orElse(null);
    }

    /** Returns the next turn after a request, or -1 if there is none. */
    int next(int request) {
        return turns.next(request);
    }

    /** Returns the number of earlier turns. */
    public int turn(int request) {
        return turns.turn(request);
    }

    /** Returns the seconds from the previous output to a turn. */
    double gap(int request) {
        return gap[request];
    }

    /** Returns true if any session has a second turn. */
    public boolean isAny() {
        return turns.isAny();
    }
}
