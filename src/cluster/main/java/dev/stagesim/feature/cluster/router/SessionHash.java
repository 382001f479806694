package dev.stagesim.feature.cluster.router;

import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.feature.cluster.router.view.AvailableInstances;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.core.RandomStream;
import java.util.Arrays;

/** Consistent hashing of sessions. A change of the open instances moves few sessions. */
public final class SessionHash implements Router {
    /** Maximum points on the hash ring. */
    public static final int MAX_POINTS = 10_000_000;

    @Variant("session | Consistent hashing: all turns of a session go to the same instance.")
    public record Settings(@Key("Points per instance on the hash ring. | 128 | 1..100000") int points)
            implements RouterSettings {
        @Override
        public Router over(RoutingGroup group) {
            return new SessionHash(group, points);
        }

        @Override
        public boolean dependsOnLoad() {
            return false;
        }
    }

    private final Prompts prompts;
    private final AvailableInstances members;
    private final long[] ring;
    private final int[] owners;

    private SessionHash(RoutingGroup group, int points) {
        prompts = group.prompts();
        members = group.members();
        ring = new long[group.size() * points];
        Arrays.setAll(ring, point -> hash(point, points));
        Arrays.sort(ring);
        owners = new int[ring.length];
        for (int i = 0; i < ring.length; i++) {
            owners[Arrays.binarySearch(ring, hash(i, points))] = i / points;
        }
    }

    private static long hash(int point, int points) {
        return hash(((long) (point / points) << 32) | (point % points));
    }

    static long hash(long key) {
        return RandomStream.mix(key + 0x9e3779b97f4a7c15L);
    }

    @Override
    public int choose(int request, boolean hasPrompt) {
        int found = Arrays.binarySearch(ring, hash(prompts.session(request)));
        int at = found >= 0 ? found : -found - 1;
        int owner = owners[at == ring.length ? 0 : at];
        while (!members.isOpen(owner)) {
            at = at + 1 >= ring.length ? 0 : at + 1;
            owner = owners[at];
        }
        return owner;
    }
}
