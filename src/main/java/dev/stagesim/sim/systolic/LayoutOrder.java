package dev.stagesim.sim.systolic;

import java.util.List;

/**
 * How an operand is cut into lines of its memory.
 *
 * @param factors extent of a line along each axis
 * @param order axes of the blocked array in storage order: first those between lines, then those within a line
 */
public record LayoutOrder(List<Integer> factors, List<Integer> order) {
    public LayoutOrder {
        factors = List.copyOf(factors);
        order = List.copyOf(order);
    }

    public long words() {
        long product = 1;
        for (int factor : factors) {
            product *= factor;
        }
        return product;
    }
}
