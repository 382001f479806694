package dev.stagesim.sim.network.packet;

/** The 32-bit MurmurHash3 of three words, by which equal-cost paths are chosen. */
final class Murmur {
    private static final int BYTES = 12;

    private Murmur() {}

    static int hash(int first, int second, int third, int seed) {
        int h = mix(mix(mix(seed, first), second), third) ^ BYTES;
        h = (h ^ (h >>> 16)) * 0x85ebca6b;
        h = (h ^ (h >>> 13)) * 0xc2b2ae35;
        return h ^ (h >>> 16);
    }

    private static int mix(int h, int word) {
        int k = Integer.rotateLeft(word * 0xcc9e2d51, 15) * 0x1b873593;
        return Integer.rotateLeft(h ^ k, 13) * 5 + 0xe6546b64;
    }
}
