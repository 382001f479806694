package dev.stagesim.sim.network;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Links with contention: each transmits one message at a time and queues further messages first come, first served.
 *
 * <p>Store-and-forward (the reference): a device forwards a message once it has arrived completely. Cut-through: a
 * device forwards the head at once, and the link stays busy until the tail has passed; times are rounded up, so that no
 * link exceeds its rate.
 *
 * <p>The queues are linked lists through the messages. A hop costs O(1) plus the routing decision.
 */
abstract class SharedLinksNetwork extends AnalyticNetwork {

    private static final int OFFER = 0;
    private static final int FREE = 1;
    private static final int NONE = -1;
    private static final long UNKNOWN = -1;

    private final int links;
    private final boolean cutsThrough;

    /** State by slot. A slot is a link or, with symmetry folding, an orbit of links. */
    private boolean[] isBusy = {};

    private int[] head = {};
    private int[] tail = {};
    private int[] queued = {};
    private int[] longest = {};
    private long[] crossed = {};
    private long[] crossedBytes = {};
    private long[] busyNs = {};
    private long[] waitedNs = {};

    private @Nullable LinkOrbits orbits;

    /** Origin of the current event: an orbit, or the complement of the sending NPU's rank. */
    private int place;

    /** Time group and origin of the event that schedules a link's release, or a message's next hop. */
    private long[] freePlanned = {};

    private int[] freePlace = {};
    private long[] offerPlanned = {};
    private int[] offerPlace = {};

    /**
     * Time group of the scheduling of each client event, by the lower half of the event (unique among pending events).
     */
    private long[] eventPlanned = {};

    /**
     * Time group of the scheduling of the current event, if it is a client event, and the complement of the client's
     * rank.
     */
    private long begun = UNKNOWN;

    private int begunBy;

    private int[] at = new int[64];
    private int[] nextInQueue = new int[64];
    private long[] since = new long[64];

    /** Arrival time of the last byte of a message at its current device. */
    private long[] tailAt = new long[64];

    SharedLinksNetwork(int links, boolean cutsThrough) {
        this.cutsThrough = cutsThrough;
        this.links = links;
        slots(links);
    }

    /** Resizes the arrays; new slots are idle. */
    private void slots(int count) {
        int known = head.length;
        isBusy = Arrays.copyOf(isBusy, count);
        head = Arrays.copyOf(head, count);
        tail = Arrays.copyOf(tail, count);
        queued = Arrays.copyOf(queued, count);
        longest = Arrays.copyOf(longest, count);
        crossed = Arrays.copyOf(crossed, count);
        crossedBytes = Arrays.copyOf(crossedBytes, count);
        busyNs = Arrays.copyOf(busyNs, count);
        waitedNs = Arrays.copyOf(waitedNs, count);
        if (count > known) {
            Arrays.fill(head, known, count, NONE);
            Arrays.fill(tail, known, count, NONE);
        }
        if (orbits != null) {
            freePlanned = Arrays.copyOf(freePlanned, count);
            freePlace = Arrays.copyOf(freePlace, count);
        }
    }

    /** Returns the next link of a message that is at {@code device}. */
    abstract int nextLink(int device, int source, int destination);

    /** Device at the near end of a link. A link from a device to itself does not exist. */
    abstract int nearEnd(int link);

    /** Device at the far end of a link. */
    abstract int farEnd(int link);

    /** Dimension or tier of a link, for reports. */
    abstract int tier(int link);

    /** Latency of a link in ns. */
    abstract double latency(int link);

    abstract double bytesPerNs(int link);

    @Override
    final void start(int message, int from, int to, long bytes) {
        if (from == to && !supportsSelfSend()) {
            throw new IllegalStateException("NPU " + from + " sends to itself");
        }
        at[message] = from;
        tailAt[message] = now();
        if (orbits != null) {
            place = ~from;
            orbits.touch(slot(nextLink(from, from, to)), moment(), begunBy == place ? begun : UNKNOWN, place);
        }
        offer(message);
    }

    @Override
    final void handle(int kind, int index) {
        if (orbits != null) {
            boolean isOffer = kind == OFFER;
            place = isOffer ? slot(nextLink(at[index], source(index), destination(index))) : index;
            long when = isOffer ? offerPlanned[index] : freePlanned[index];
            orbits.touch(place, moment(), when, isOffer ? offerPlace[index] : freePlace[index]);
        }
        if (kind == OFFER) {
            offer(index);
        } else {
            free(index);
        }
    }

    @Override
    final void scheduled(long event) {
        int index = (int) event;
        if (index >= eventPlanned.length) {
            eventPlanned = Arrays.copyOf(eventPlanned, Math.max(64, 2 * index));
        }
        if (index >= 0) {
            eventPlanned[index] = moment();
        }
    }

    @Override
    final void starting(long event) {
        boolean isKnown = event >= 0 && (int) event >= 0;
        begun = isKnown ? eventPlanned[(int) event] : UNKNOWN;
        begunBy = isKnown ? ~(int) (event >>> 32) : 0;
    }

    /** Returns the slot of a link. */
    private int slot(int link) {
        return orbits == null ? link : orbits.of(link);
    }

    /** Transmits a message over its next link, or queues it if the link is busy. */
    private void offer(int message) {
        int next = nextLink(at[message], source(message), destination(message));
        int link = slot(next);
        if (!isBusy[link]) {
            transmit(next, message);
            return;
        }
        nextInQueue[message] = NONE;
        since[message] = now();
        if (tail[link] == NONE) {
            head[link] = message;
        } else {
            nextInQueue[tail[link]] = message;
        }
        tail[link] = message;
        queued[link]++;
        longest[link] = Math.max(longest[link], queued[link]);
    }

    private void transmit(int next, int message) {
        int link = slot(next);
        isBusy[link] = true;
        long size = bytes(message);
        double serialization = size / bytesPerNs(next);
        int device = farEnd(next);
        at[message] = device;
        long busy;
        if (cutsThrough) {
            busy = Math.max((long) Math.ceil(serialization), tailAt[message] - now());
            long delay = (long) Math.ceil(latency(next));
            tailAt[message] = now() + busy + delay;
            if (device == destination(message)) {
                planArrival(tailAt[message], message);
            } else {
                planOwn(now() + delay, OFFER, message);
            }
        } else {
            busy = (long) serialization;
            long arrival = now() + (long) (latency(next) + serialization);
            if (device == destination(message)) {
                planArrival(arrival, message);
            } else {
                planOwn(arrival, OFFER, message);
            }
        }
        planOwn(now() + busy, FREE, link);
        if (orbits != null) {
            offerPlanned[message] = moment();
            offerPlace[message] = link;
            freePlanned[link] = moment();
            freePlace[link] = place;
        }
        crossed[link]++;
        crossedBytes[link] += size;
        busyNs[link] += busy;
    }

    private void free(int link) {
        isBusy[link] = false;
        int message = head[link];
        if (message == NONE) {
            return;
        }
        head[link] = nextInQueue[message];
        if (head[link] == NONE) {
            tail[link] = NONE;
        }
        queued[link]--;
        waitedNs[link] += now() - since[message];
        transmit(orbits == null ? link : nextLink(at[message], source(message), destination(message)), message);
    }

    @Override
    public final boolean fold(SymmetryFold fold) {
        orbits = new LinkOrbits(links);
        slots(0);
        offerPlanned = new long[at.length];
        offerPlace = new int[at.length];
        return super.fold(fold);
    }

    @Override
    public final void unfold() {
        super.unfold();
        orbits = null;
        slots(0);
        slots(links);
    }

    @Override
    public final boolean areEquivalentPaths(int[] from, int[] to) {
        int[] device = from.clone();
        int[] crossing = new int[from.length];
        LinkOrbits symmetricLinks = Objects.requireNonNull(orbits);
        while (device[0] != to[0]) {
            for (int i = 0; i < device.length; i++) {
                if (device[i] == to[i]) {
                    return false;
                }
                crossing[i] = nextLink(device[i], from[i], to[i]);
                device[i] = farEnd(crossing[i]);
                if (latency(crossing[i]) != latency(crossing[0])
                        || bytesPerNs(crossing[i]) != bytesPerNs(crossing[0])) {
                    return false;
                }
            }
            if (!symmetricLinks.unite(crossing)) {
                return false;
            }
            if (symmetricLinks.orbits > head.length) {
                slots(2 * symmetricLinks.orbits);
            }
        }
        return Arrays.equals(device, to);
    }

    @Override
    final void grow(int messages) {
        at = Arrays.copyOf(at, messages);
        nextInQueue = Arrays.copyOf(nextInQueue, messages);
        since = Arrays.copyOf(since, messages);
        tailAt = Arrays.copyOf(tailAt, messages);
        offerPlanned = orbits == null ? offerPlanned : Arrays.copyOf(offerPlanned, messages);
        offerPlace = orbits == null ? offerPlace : Arrays.copyOf(offerPlace, messages);
    }

    @Override
    public final List<LinkUse> links() {
        int[] real = IntStream.range(0, links)
                .filter(link -> nearEnd(link) != farEnd(link))
                .toArray();
        return new AbstractList<>() {
            @Override
            public LinkUse get(int index) {
                return use(real[index]);
            }

            @Override
            public int size() {
                return real.length;
            }
        };
    }

    private LinkUse use(int link) {
        int slot = slot(link);
        boolean isUsed = slot != NONE;
        return new LinkUse(
                nearEnd(link),
                farEnd(link),
                tier(link),
                bytesPerNs(link),
                isUsed ? crossed[slot] : 0,
                isUsed ? crossedBytes[slot] : 0,
                isUsed ? busyNs[slot] : 0,
                isUsed ? waitedNs[slot] : 0,
                isUsed ? longest[slot] : 0);
    }

    /**
     * Equivalence classes of links, for symmetry folding. The members of a class of NPUs cross the links of one orbit
     * at the same hop of the same transfer, one link each. All links of an orbit therefore carry the same traffic at
     * the same times.
     *
     * <p>The argument requires that messages reach each link of an orbit in the same order. Only two simultaneous
     * messages from different places that were scheduled simultaneously could violate it, because their order follows
     * ranks. Such a pair ends the run with {@link SymmetryBroken}.
     */
    private static final class LinkOrbits {
        private static final int NONE = -1;

        private final int[] orbit;
        private final int[] seen;
        private int round;
        private int orbits;
        private int[] size = new int[4];

        private long[] touched = new long[4];
        private long[] planned = new long[4];
        private int[] place = new int[4];

        LinkOrbits(int links) {
            orbit = new int[links];
            seen = new int[links];
            Arrays.fill(orbit, NONE);
        }

        /** The orbit of a link, or -1 if no transfer has been shown to cross it. */
        int of(int link) {
            return orbit[link];
        }

        /** Joins links into one orbit. Returns false if they cannot form one. */
        boolean unite(int[] links) {
            round++;
            int common = orbit[links[0]];
            for (int link : links) {
                if (orbit[link] != common || seen[link] == round) {
                    return false;
                }
                seen[link] = round;
            }
            if (common != NONE) {
                return size[common] == links.length;
            }
            if (orbits == size.length) {
                size = Arrays.copyOf(size, orbits * 2);
                touched = Arrays.copyOf(touched, orbits * 2);
                planned = Arrays.copyOf(planned, orbits * 2);
                place = Arrays.copyOf(place, orbits * 2);
            }
            for (int link : links) {
                orbit[link] = orbits;
            }
            touched[orbits] = NONE;
            size[orbits++] = links.length;
            return true;
        }

        /**
         * Records that a message reaches a link, or that the link is released.
         *
         * @param moment current group, see {@link AnalyticNetwork#moment}
         * @param when group of the scheduling of the causing event, or -1 if unknown
         * @param by origin of the causing event: an orbit, or the complement of the rank if the link belongs to one NPU
         */
        void touch(int touchedOrbit, long moment, long when, int by) {
            boolean isAgain = touched[touchedOrbit] == moment && (moment & 1) != 0;
            boolean isOneOwner = by < 0 && place[touchedOrbit] < 0;
            boolean isUnclear = when == UNKNOWN || planned[touchedOrbit] == UNKNOWN || when == planned[touchedOrbit];
            if (isAgain && !isOneOwner && isUnclear) {
                throw new SymmetryBroken("messages reach a link at the same time in an order that depends on ranks");
            }
            touched[touchedOrbit] = moment;
            planned[touchedOrbit] = when;
            place[touchedOrbit] = by;
        }
    }
}
