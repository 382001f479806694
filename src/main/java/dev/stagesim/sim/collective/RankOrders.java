package dev.stagesim.sim.collective;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * In which order the NPUs that one stands for come to an event, kept as the moves that led there.
 *
 * <p>At first they stand by rank. What each plans for itself keeps their order; a message that all of them send by one
 * move reaches its receivers in the order of their senders. Moves along one ring are added up, also across moves along
 * other dimensions, so that few remain. Orders are numbered as they are met; 0 is by rank.
 */
final class RankOrders {
    private final LongIntMap known = new LongIntMap();
    private final Map<List<Move>, Integer> numbers = new LinkedHashMap<>();
    private final List<List<Move>> orders = new ArrayList<>();

    /** So many positions on along a ring, or to the position whose number differs in these bits. */
    private record Move(int stride, int size, boolean isExchange, int by) {
        static Move of(Step step) {
            int n = step.ring().size();
            boolean isExchange = step.isPartner() || (Integer.bitCount(n) == 1 && 2 * step.by() == n);
            return new Move(step.ring().stride(), n, isExchange, step.by());
        }

        /** Where the rank came from. */
        int origin(int rank) {
            int at = rank / stride % size;
            int from = isExchange ? at ^ by : at >= by ? at - by : at - by + size;
            return rank + (from - at) * stride;
        }

        boolean isHalfTurn() {
            return 2 * by == size && Integer.bitCount(size) == 1;
        }

        boolean isOnRingOf(Move other) {
            return stride == other.stride && size == other.size;
        }

        /** Whether the other one changes another coordinate, so that either may come first. */
        boolean commutes(Move other) {
            return other.stride % (stride * size) == 0 || stride % (other.stride * other.size) == 0;
        }

        boolean adds(Move other) {
            return isOnRingOf(other) && (isExchange == other.isExchange || isHalfTurn() || other.isHalfTurn());
        }

        Move plus(Move other) {
            boolean exchanges = (isExchange && other.isExchange)
                    || (isExchange && other.isHalfTurn())
                    || (other.isExchange && isHalfTurn());
            int sum = exchanges ? by ^ other.by : (by + other.by) % size;
            return new Move(stride, size, exchanges, sum);
        }
    }

    RankOrders() {
        numbers.put(List.of(), 0);
        orders.add(List.of());
    }

    /**
     * The order of the receivers of a message.
     *
     * @param order order of its senders
     * @param number a number that only this move has
     */
    int after(int order, int number, Step step) {
        long key = (long) order << 32 | number;
        int next = known.get(key);
        if (next < 0) {
            List<Move> moves = append(orders.get(order), Move.of(step));
            next = numbers.computeIfAbsent(moves, added -> {
                orders.add(added);
                return orders.size() - 1;
            });
            known.put(key, next);
        }
        return next;
    }

    private static List<Move> append(List<Move> before, Move move) {
        List<Move> moves = new ArrayList<>(before);
        for (int i = moves.size() - 1; i >= 0; i--) {
            Move other = moves.get(i);
            if (other.adds(move)) {
                Move sum = other.plus(move);
                if (sum.by() == 0) {
                    moves.remove(i);
                } else {
                    moves.set(i, sum);
                }
                return List.copyOf(moves);
            }
            if (!other.commutes(move)) {
                break;
            }
        }
        moves.add(move);
        return List.copyOf(moves);
    }

    /** The ranks, which are those of one class in ascending order, in this order. */
    int[] sorted(int order, int[] ranks) {
        List<Move> moves = orders.get(order);
        long[] keys = new long[ranks.length];
        for (int i = 0; i < ranks.length; i++) {
            int origin = ranks[i];
            for (int m = moves.size() - 1; m >= 0; m--) {
                origin = moves.get(m).origin(origin);
            }
            keys[i] = (long) origin << 32 | ranks[i];
        }
        Arrays.sort(keys);
        int[] sorted = new int[keys.length];
        for (int i = 0; i < keys.length; i++) {
            sorted[i] = (int) keys[i];
        }
        return sorted;
    }
}
