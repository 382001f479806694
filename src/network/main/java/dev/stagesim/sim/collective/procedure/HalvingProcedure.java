package dev.stagesim.sim.collective.procedure;

import java.util.Optional;

/**
 * Halving-doubling: NPUs exchange messages with partners at doubling distances (reduce-scatter, with halved sizes),
 * then in reverse (all-gather).
 *
 * <p>Each receipt of the first half is reduced. The reference charges the size of the next sent message instead, so it
 * omits the first reduction and halves the others. If the number of NPUs is not a power of two, partners disagree and
 * the phase deadlocks in most cases.
 */
final class HalvingProcedure extends Procedure {
    HalvingProcedure() {
        super("halvingDoubling");
    }

    @Override
    public double messages(CollectiveKind kind, int npus) {
        return kind == CollectiveKind.ALL_REDUCE ? log2((long) npus * npus) : log2(npus);
    }

    @Override
    public Optional<String> refusal(Placement place) {
        if (place.kind() == CollectiveKind.ALL_TO_ALL) {
            return Optional.of("halving-doubling cannot do an all-to-all");
        }
        return !place.isExact() || place.isPowerOfTwo()
                ? Optional.empty()
                : Optional.of("halving-doubling needs a power of two NPUs, and dimension " + place.dimension() + " has "
                        + place.ring().size());
    }

    @Override
    public Optional<String> hangs(int npus) {
        return Integer.bitCount(npus) == 1
                ? Optional.empty()
                : Optional.of("halving-doubling runs on " + npus + " NPUs, not a power of two, so partners disagree");
    }

    @Override
    public int move(int from, int to, int npus) {
        return Math.abs(to - from);
    }

    /** Position of the partner at a distance, or {@code position} if the distance is 0. */
    @Override
    public int peer(int position, int move, int npus) {
        if (move == 0) {
            return position;
        }
        return Math.floorMod(position / move % 2 == 0 ? position + move : position - move, npus);
    }

    @Override
    public int inverse(int move, int npus) {
        return move;
    }

    @Override
    public ChunkRun begin(Phase phase, Chunk chunk) {
        int n = phase.ring().size();
        return new Exchanges(phase, chunk, (int) messages(phase.kind(), n), log2(n) - 1);
    }

    private static int log2(long number) {
        return 63 - Long.numberOfLeadingZeros(number);
    }

    private final class Exchanges extends ChunkRun.Packets {
        private final int n;
        private final int position;
        private final long first;
        private long message;
        private int distance;
        private boolean isDoubling;
        private int peer;

        Exchanges(Phase phase, Chunk chunk, int sends, int charged) {
            super(phase, chunk, 1, sends, charged);
            this.n = phase.ring().size();
            this.position = phase.ring().position(chunk.rank());
            this.isDoubling = phase.kind() == CollectiveKind.ALL_GATHER;
            this.distance = isDoubling ? n / 2 : 1;
            this.first = isDoubling ? phase.size() : phase.part(2);
            this.message = first;
        }

        @Override
        void prepare() {
            if (isWaiting()) {
                throw new IllegalStateException("two packets of halving-doubling wait at once");
            }
            arrived = ready;
            ready = phase.isExact() ? exactSize() : message;
            peer = phase.ring().rank(rank(), peer(position, distance, n));
            step();
            if (phase.kind() == CollectiveKind.ALL_REDUCE && distance == n) {
                isDoubling = true;
                step();
            }
        }

        /** Bytes of the message to the partner at the current distance: its share of the chunk, rounded up. */
        private long exactSize() {
            if (distance < 1 || distance >= n) {
                return first; // No further message is sent.
            }
            return phase.kind() == CollectiveKind.ALL_GATHER
                    ? phase.size() * (n / 2 / distance)
                    : phase.part(2L * distance);
        }

        private void step() {
            if (isDoubling) {
                distance /= 2;
                message *= 2;
            } else {
                distance *= 2;
                message /= 2;
            }
        }

        @Override
        boolean isReducing() {
            return 1L << got <= n;
        }

        @Override
        void send(int packet) {
            exchange(peer, peer, ready);
        }
    }
}
