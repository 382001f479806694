package dev.stagesim.sim.collective;

/**
 * Halving-doubling: NPUs exchange with partners at doubling distances messages of half the size each time, and back.
 *
 * <p>Each receipt of the first half is reduced. The reference charges the size of the message about to be sent instead,
 * so that the first reduction is left out and the others are half as large. Of a number of NPUs that is no power of two
 * partners disagree, and the phase usually gets stuck.
 */
final class HalvingProcedure implements Procedure {
    private final Links links;
    private final Endpoints endpoints;
    private final Collectives collectives;

    HalvingProcedure(Links links, Endpoints endpoints, Collectives collectives) {
        this.links = links;
        this.endpoints = endpoints;
        this.collectives = collectives;
    }

    @Override
    public void start(Stream stream) {
        Phase phase = stream.running();
        stream.toSend = phase.sends();
        stream.message = phase.message();
        boolean isGather = phase.kind() == CollectiveKind.ALL_GATHER;
        stream.isDoubling = isGather;
        stream.offset = isGather ? phase.ring().size() / 2 : 1;
        insert(stream, phase);
    }

    @Override
    public void received(Stream stream) {
        stream.got++;
        insert(stream, stream.running());
    }

    @Override
    public void passed(Stream stream) {
        stream.free++;
        if (stream.made > stream.popped && stream.toSend > 0) {
            stream.popped++;
            stream.toSend--;
            stream.free--;
            links.exchange(stream, stream.waitingPeer, stream.waitingPeer, stream.waitingMessage);
        }
        if (stream.toSend == 0 && stream.free == 1) {
            collectives.phaseEnds(stream);
        }
    }

    private void insert(Stream stream, Phase phase) {
        if (stream.zero == 0 && stream.nonzero == 0) {
            stream.zero = 1;
            stream.nonzero = phase.charged();
            stream.toggle = !stream.toggle;
        }
        if (stream.made > stream.popped) {
            throw new IllegalStateException("two packets of halving-doubling wait at once");
        }
        stream.made++;
        long received = stream.waitingMessage;
        stream.waitingMessage = phase.isExact() ? exactSize(stream, phase) : stream.message;
        stream.waitingPeer = peer(stream, phase);
        boolean isInRound = stream.zero == 0;
        boolean isSentBack = isInRound && stream.nonzero > 1;
        if (isInRound) {
            stream.nonzero--;
        } else {
            stream.zero--;
        }
        boolean isReceipt = phase.isExact() ? stream.got > 0 : isInRound;
        if (isReceipt) {
            boolean isReducing =
                    phase.isExact() ? 1L << stream.got <= phase.ring().size() : stream.toggle;
            boolean isReduced = phase.kind() == CollectiveKind.REDUCE_SCATTER
                    || (phase.kind() == CollectiveKind.ALL_REDUCE && isReducing);
            endpoints.in(stream, phase.isExact() ? received : stream.waitingMessage, isReduced, isSentBack);
        } else {
            endpoints.out(stream, stream.waitingMessage);
        }
        advance(stream, phase);
    }

    /** Bytes of the message to the partner at the present distance: its part of the chunk, rounded up. */
    private static long exactSize(Stream stream, Phase phase) {
        int n = phase.ring().size();
        if (stream.offset < 1 || stream.offset >= n) {
            return phase.message(); // Nothing is sent any more.
        }
        return phase.kind() == CollectiveKind.ALL_GATHER
                ? phase.size() * (n / 2 / stream.offset)
                : Phase.part(phase.size(), 2L * stream.offset, true);
    }

    private static void advance(Stream stream, Phase phase) {
        step(stream);
        if (phase.kind() == CollectiveKind.ALL_REDUCE
                && stream.offset == phase.ring().size()) {
            stream.isDoubling = true;
            step(stream);
        }
    }

    private static void step(Stream stream) {
        if (stream.isDoubling) {
            stream.offset /= 2;
            stream.message *= 2;
        } else {
            stream.offset *= 2;
            stream.message /= 2;
        }
    }

    private static int peer(Stream stream, Phase phase) {
        LogicalRing ring = phase.ring();
        return ring.rank(stream.npu.rank, partner(stream.position, stream.offset, ring.size()));
    }

    /** Position of the partner at a distance; the own one when the distance is 0. */
    static int partner(int position, int offset, int size) {
        if (offset == 0) {
            return position;
        }
        return Math.floorMod(position / offset % 2 == 0 ? position + offset : position - offset, size);
    }
}
