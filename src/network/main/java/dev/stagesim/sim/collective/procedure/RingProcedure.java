package dev.stagesim.sim.collective.procedure;

/** Ring algorithm, or direct exchange with every other NPU and a window of messages in flight. */
final class RingProcedure extends Procedure {
    private final boolean isDirect;

    RingProcedure(String name, boolean isDirect) {
        super(name);
        this.isDirect = isDirect;
    }

    @Override
    public boolean isWindowed() {
        return isDirect;
    }

    @Override
    public ChunkRun begin(Phase phase, Chunk chunk) {
        int others = phase.ring().size() - 1;
        int sends = Math.toIntExact((long) messages(phase.kind(), others + 1));
        if (!isDirect) {
            return new Messages(phase, chunk, 1, sends, others);
        }
        int wanted = phase.algorithm().window();
        int window = wanted == 0 ? others : Math.min(wanted, others);
        int charged = phase.ring().isGroup() ? others * window : window;
        return new Messages(phase, chunk, window, sends, charged);
    }

    @Override
    public double messages(CollectiveKind kind, int npus) {
        double others = npus - 1.0;
        return switch (kind) {
            case ALL_REDUCE -> 2 * others;
            case ALL_GATHER, REDUCE_SCATTER -> others;
            case ALL_TO_ALL -> isDirect ? others : npus * others / 2;
        };
    }

    private final class Messages extends ChunkRun.Packets {
        private final LogicalRing ring;
        private final int others;
        private final int position;
        private final int direction;

        /** Rank at position 0. */
        private final int first;

        Messages(Phase phase, Chunk chunk, int window, int sends, int charged) {
            super(phase, chunk, window, sends, charged);
            this.ring = phase.ring();
            this.others = ring.size() - 1;
            this.position = ring.position(chunk.rank());
            this.direction = chunk.isAnticlockwise() ? -1 : 1;
            this.first = ring.rank(rank(), 0);
            this.ready = phase.kind() == CollectiveKind.ALL_GATHER ? phase.size() : phase.part(ring.size());
            this.arrived = ready;
        }

        @Override
        boolean isReducing() {
            return got <= others;
        }

        /** The second half of a direct all-reduce waits until all is reduced, then starts at once. */
        @Override
        int turns() {
            if (!isDirect || phase.kind() != CollectiveKind.ALL_REDUCE || toSend > others) {
                return 1;
            }
            // The reference checks only the arrival of data to be reduced.
            boolean isIncomplete = phase.isExact() ? passed < window + others : got < others;
            return isIncomplete ? 0 : window;
        }

        @Override
        void send(int packet) {
            int ahead = direction * (isDirect ? 1 + packet % others : 1);
            exchange(peer(ahead), peer(-ahead), ready);
        }

        private int peer(int ahead) {
            int n = others + 1;
            int at = position + ahead;
            if (at >= n) {
                at -= n;
            } else if (at < 0) {
                at += n;
            }
            return ring.isGroup() ? ring.rank(first, at) : first + at * ring.stride();
        }
    }
}
