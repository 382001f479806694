package dev.stagesim.sim.collective;

/** Ring algorithm, or direct exchange with every other NPU and a window of messages in flight. */
final class RingProcedure extends Procedure {
    private final boolean isDirect;

    RingProcedure(String name, boolean isDirect) {
        super(name);
        this.isDirect = isDirect;
    }

    @Override
    boolean isWindowed() {
        return isDirect;
    }

    @Override
    Run begin(Phase phase, Stream stream, Collectives collectives) {
        int others = phase.ring().size() - 1;
        int sends = Math.toIntExact((long) messages(phase.kind(), others + 1));
        if (!isDirect) {
            return new Messages(phase, stream, collectives, 1, sends, others);
        }
        int wanted = phase.algorithm().window();
        int window = wanted == 0 ? others : Math.min(wanted, others);
        int charged = phase.ring().isGroup() ? others * window : window;
        return new Messages(phase, stream, collectives, window, sends, charged);
    }

    @Override
    double messages(CollectiveKind kind, int npus) {
        double others = npus - 1.0;
        return switch (kind) {
            case ALL_REDUCE -> 2 * others;
            case ALL_GATHER, REDUCE_SCATTER -> others;
            case ALL_TO_ALL -> isDirect ? others : npus * others / 2;
        };
    }

    private final class Messages extends Run.Packets {
        private final LogicalRing ring;
        private final int others;
        private final int position;
        private final int direction;

        Messages(Phase phase, Stream stream, Collectives collectives, int window, int sends, int charged) {
            super(phase, stream, collectives, window, sends, charged);
            this.ring = phase.ring();
            this.others = ring.size() - 1;
            this.position = ring.position(stream.npu.rank);
            this.direction = stream.isAnticlockwise() ? -1 : 1;
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
            return ring.rank(stream.npu.rank, at);
        }
    }
}
