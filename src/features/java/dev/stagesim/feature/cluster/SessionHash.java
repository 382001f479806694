package dev.stagesim.feature.cluster;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.core.RandomStream;
import java.util.Arrays;

/** Conversations to instances by consistent hashing: one instance more or less moves few of them. */
final class SessionHash implements Router {
    /** Its section. */
    @Variant("session | All turns of a conversation to the same instance, by consistent hashing.")
    public record Settings(@Key("Points of an instance on the ring. | 128 | 1..100000") int points)
            implements RouterSettings {
        @Override
        public Router over(Group group) {
            return new SessionHash(group, points);
        }
    }

    private final Prompts prompts;
    private final long[] ring;
    private final int[] owners;

    private SessionHash(Group group, int points) {
        prompts = group.prompts();
        long[][] all = new long[group.size() * points][];
        for (int i = 0; i < all.length; i++) {
            all[i] = new long[] {hash(((long) (i / points) << 32) | (i % points)), i / points};
        }
        Arrays.sort(all, (a, b) -> a[0] != b[0] ? Long.compare(a[0], b[0]) : Long.compare(a[1], b[1]));
        ring = Arrays.stream(all).mapToLong(point -> point[0]).toArray();
        owners = Arrays.stream(all).mapToInt(point -> (int) point[1]).toArray();
    }

    static long hash(long key) {
        return RandomStream.mix(key + 0x9e3779b97f4a7c15L);
    }

    @Override
    public int choose(int request, boolean hasPrompt) {
        int found = Arrays.binarySearch(ring, hash(prompts.session(request)));
        int at = found >= 0 ? found : -found - 1;
        return owners[at == ring.length ? 0 : at];
    }
}
