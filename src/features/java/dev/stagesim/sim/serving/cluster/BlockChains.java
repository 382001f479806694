package dev.stagesim.sim.serving.cluster;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Numbers for blocks of tokens: two blocks get the same number if and only if they hold the same tokens and the blocks
 * before them do too. They stand for the chained hashes of an engine, without collisions.
 */
final class BlockChains {
    /** The parent of a first block, and the number of a block that has none. */
    static final int NONE = 0;

    private final int blockSize;
    private final Map<Link, Integer> numbers = new LinkedHashMap<>();

    private static final class Link {
        private final int parent;
        private final long[] tokens;

        Link(int parent, long[] tokens) {
            this.parent = parent;
            this.tokens = tokens;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Link link && link.parent == parent && Arrays.equals(link.tokens, tokens);
        }

        @Override
        public int hashCode() {
            return 31 * Arrays.hashCode(tokens) + parent;
        }
    }

    BlockChains(int blockSize) {
        this.blockSize = blockSize;
    }

    /** The number of the block of {@code tokens} from {@code start} on, behind the block {@code parent}. */
    int number(int parent, long[] tokens, int start) {
        Link link = new Link(parent, Arrays.copyOfRange(tokens, start, start + blockSize));
        return numbers.computeIfAbsent(link, unseen -> numbers.size() + 1);
    }

    /** The numbers of all full blocks of a text. */
    int[] of(long[] tokens) {
        int[] chain = new int[tokens.length / blockSize];
        int parent = NONE;
        for (int i = 0; i < chain.length; i++) {
            parent = number(parent, tokens, i * blockSize);
            chain[i] = parent;
        }
        return chain;
    }
}
